"""`ogham receive`: a mail server's pipe into the service. Its exit code says whether the mail is safe."""

import os
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from ogham.embedded import prepare_database
from service.app import create_app
from service.mailroom.receive import LARGEST_MAIL
from service.settings import Settings
from tests.ogham.test_command import OGHAM

RAW = b"From: ann@example.org\nSubject: x\n\nreveal\n"
PLAY = "play@ogham.localhost"


def receive(data: Path, *words: str, raw: bytes = RAW, **environment: str) -> subprocess.CompletedProcess[bytes]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OGHAM_")}
    environment = {"OGHAM_DATA": str(data), "PYTHONPATH": str(Path(__file__).parents[2])} | environment
    return subprocess.run(
        [OGHAM, "receive", *words], env=plain | environment, input=raw, capture_output=True, check=False, timeout=60
    )


@pytest.fixture
def data(tmp_path: Path) -> Path:
    settings = Settings.from_environment({"OGHAM_DATA": str(tmp_path)})
    prepare_database(create_app(settings), settings)
    return tmp_path


def stored(data: Path) -> list[tuple[str, str, bytes, str]]:
    with create_engine(f"sqlite:///{data / 'ogham.sqlite'}").connect() as connection:
        return [tuple(row) for row in connection.execute(text("SELECT sender, recipient, raw, status FROM mail"))]


def test_a_mail_on_stdin_is_stored_as_it_is(data: Path) -> None:
    done = receive(data, "--sender", "ann@example.org", PLAY)
    assert (done.returncode, done.stdout, done.stderr) == (os.EX_OK, b"", b"")
    assert stored(data) == [("ann@example.org", PLAY, RAW, "waiting")]


def test_an_alias_of_postfix_says_it_in_the_environment(data: Path) -> None:
    recipient = f"play+{'a' * 32}@ogham.localhost"
    assert receive(data, ORIGINAL_RECIPIENT=recipient, SENDER="ann@example.org").returncode == os.EX_OK
    assert stored(data) == [("ann@example.org", recipient, RAW, "waiting")]


def test_nobody_here_is_a_lasting_error_and_so_is_too_much(data: Path) -> None:
    assert receive(data, "root@ogham.localhost").returncode == os.EX_NOUSER
    assert receive(data, PLAY, raw=b"x" * (LARGEST_MAIL + 1)).returncode == os.EX_DATAERR
    assert stored(data) == []


def test_whatever_else_goes_wrong_the_mail_server_is_told_to_keep_the_mail(data: Path, tmp_path: Path) -> None:
    away = "postgresql+psycopg://ogham:secret@127.0.0.1:1/ogham"
    for environment in (
        {"OGHAM_DATA": str(tmp_path / "new")},  # no tables yet
        {"OGHAM_PORT": "none"},
        {"DATABASE_URL": away},
        {"DATABASE_URL": away, "REDIS_URL": "redis://127.0.0.1:1/0", "SMTP_URL": "smtp://127.0.0.1:1",
         "OGHAM_SECRET": "s" * 32, "OGHAM_PUBLIC_URL": "https://x.example", "OGHAM_MAIL_DOMAIN": "ogham.localhost"},
    ):  # fmt: skip
        done = receive(data, PLAY, **environment)
        assert done.returncode == os.EX_TEMPFAIL, done.stderr
        assert done.stderr.startswith(b"Not stored, please try again later")
        assert b"secret" not in done.stderr
        assert done.stderr.count(b"\n") == 1
    assert stored(data) == []
