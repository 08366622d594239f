"""Settings: embedded, grown, and nothing between."""

import re
from itertools import product
from pathlib import Path

import pytest

from service.settings import VARIABLES, BadSettings, Settings, smtp_parts

ROOT = Path(__file__).parents[2]
GROWN = {
    "DATABASE_URL": "postgresql+psycopg://ogham:secret@db.example/ogham",
    "REDIS_URL": "redis://redis.example:6379/0",
    "SMTP_URL": "smtp://mail.example:587",
    "OGHAM_SECRET": 32 * "s",
    "OGHAM_PUBLIC_URL": "https://ogham.example",
    "OGHAM_MAIL_DOMAIN": "ogham.example",
}


def read(environ: dict[str, str], data: Path) -> Settings:
    return Settings.from_environment({"OGHAM_DATA": str(data)} | environ)


# -- the two set-ups


def test_with_nothing_set_it_is_embedded(tmp_path: Path) -> None:
    settings = read({}, tmp_path)
    assert settings.embedded
    assert settings.database_url == f"sqlite:///{tmp_path / 'ogham.sqlite'}"
    assert (settings.redis_url, settings.smtp_url, settings.host) == (None, None, "127.0.0.1")
    assert (settings.public_url, settings.mail_domain) == ("http://127.0.0.1:8000", "ogham.localhost")
    assert (settings.bot_work, read({"OGHAM_BOT_WORK": "12"}, tmp_path).bot_work) == (240, 12)


def test_with_all_set_it_is_grown_and_writes_no_files(tmp_path: Path) -> None:
    settings = read(GROWN, tmp_path / "data")
    assert not settings.embedded
    assert (settings.database_url, settings.redis_url) == (GROWN["DATABASE_URL"], GROWN["REDIS_URL"])
    assert (settings.smtp_url, settings.secret) == (GROWN["SMTP_URL"], 32 * b"s")
    assert not (tmp_path / "data").exists()


SERVERS = ("DATABASE_URL", "REDIS_URL", "SMTP_URL")


@pytest.mark.parametrize("given", [given for given in product((False, True), repeat=3) if 0 < sum(given) < 3])
def test_some_servers_without_the_others_are_refused(given: tuple[bool, ...], tmp_path: Path) -> None:
    names = [name for name, there in zip(SERVERS, given, strict=True) if there]
    missing = [name for name in SERVERS if name not in names]
    environ = {name: value for name, value in GROWN.items() if name not in missing}
    with pytest.raises(BadSettings) as refusal:
        read(environ, tmp_path)
    sentence = str(refusal.value)
    assert sentence.startswith(f"{', '.join(names)} given, but not {', '.join(missing)}. ")
    assert "embedded" in sentence
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", list(GROWN)[3:])
def test_grown_it_needs_the_rest_too(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=f"but not {name}"):
        read(GROWN | {name: ""}, tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OGHAM_SECRET", 31 * "s"),
        ("DATABASE_URL", "sqlite:///var/ogham.sqlite"),
        ("DATABASE_URL", "postgresql://ogham@db.example/ogham"),
        ("DATABASE_URL", "postgres://ogham@db.example/ogham"),
        ("DATABASE_URL", "mysql://db.example/ogham"),
        ("DATABASE_URL", "db.example"),
        ("REDIS_URL", "memory://"),
        ("REDIS_URL", "redis.example:6379"),
        ("REDIS_URL", "http://redis.example"),
        ("SMTP_URL", "mail.example:25"),
        ("SMTP_URL", "smtp://"),
        ("SMTP_URL", "smtp://mail.example:many"),
        ("SMTP_URL", "smtp://mail.example:99999"),
        ("SMTP_URL", "https://mail.example"),
        ("OGHAM_PUBLIC_URL", "ogham.example"),
        ("OGHAM_PUBLIC_URL", "ftp://ogham.example"),
        ("OGHAM_PUBLIC_URL", "https://"),
        ("OGHAM_MAIL_DOMAIN", "play@ogham.example"),
        ("OGHAM_MAIL_DOMAIN", "ogham example"),
        ("OGHAM_PORT", "http"),
        ("OGHAM_PORT", "0"),
        ("OGHAM_PORT", "65536"),
        ("OGHAM_MAIL_PORT", "-1"),
        ("OGHAM_THREADS", "0"),
        ("OGHAM_THREADS", "2.5"),
    ],
)
def test_a_value_that_cannot_work_is_refused_when_it_is_read(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=re.escape(name)):
        read(GROWN | {name: value}, tmp_path)


def test_a_refusal_shows_no_password(tmp_path: Path) -> None:
    for name, value in (
        ("DATABASE_URL", "postgresql://ogham:hunter2@db.example/ogham"),
        ("REDIS_URL", "http://:hunter2@redis.example"),
        ("SMTP_URL", "http://user:hunter2@mail.example"),
        ("OGHAM_SECRET", "hunter2"),
    ):
        with pytest.raises(BadSettings) as refusal:
            read(GROWN | {name: value}, tmp_path)
        assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize("name", ["OGHAM_PORT", "OGHAM_MAIL_PORT", "OGHAM_THREADS"])
def test_a_bad_number_is_refused_embedded_as_well(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=name):
        read({name: "many"}, tmp_path)


# -- embedded


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.10", "ogham.example", "*", "127.0.0.1.example"])
def test_embedded_it_binds_to_loopback_only(host: str, tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="loopback") as refusal:
        read({"OGHAM_HOST": host}, tmp_path)
    assert host in str(refusal.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:9000"),
        ("localhost", "http://localhost:9000"),
        ("::1", "http://[::1]:9000"),
    ],
)
def test_its_url_follows_from_host_and_port(host: str, url: str, tmp_path: Path) -> None:
    assert read({"OGHAM_HOST": host, "OGHAM_PORT": "9000"}, tmp_path).public_url == url


def test_names_are_compared_as_they_are_written_in_both_set_ups(tmp_path: Path) -> None:
    odd = {"OGHAM_PUBLIC_URL": "http://ogham.example/", "OGHAM_MAIL_DOMAIN": "Ogham.Example"}
    for settings in (read(odd, tmp_path), read(GROWN | odd, tmp_path)):
        assert (settings.public_url, settings.mail_domain) == ("http://ogham.example", "ogham.example")


def test_its_secret_is_made_once_kept_and_nobody_elses(tmp_path: Path) -> None:
    data = tmp_path / "deep" / "down"
    first = read({}, data).secret
    file = data / "secret"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_bytes() == first
    assert len(first) >= 32
    assert read({}, data).secret == first
    assert [path.name for path in data.iterdir()] == ["secret"]
    assert read({}, tmp_path / "elsewhere").secret != first


def test_a_secret_that_was_cut_short_is_not_used(tmp_path: Path) -> None:
    """Reply addresses made from an empty secret could be made by anybody."""
    (tmp_path / "secret").write_bytes(b"")
    with pytest.raises(BadSettings, match="secret"):
        read({}, tmp_path)


def test_a_short_secret_is_refused_embedded_as_well(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="OGHAM_SECRET"):
        read({"OGHAM_SECRET": "short"}, tmp_path)


# -- mail servers


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("smtp://mail.example", (False, "mail.example", 25, None, None)),
        ("smtp://mail.example:587", (False, "mail.example", 587, None, None)),
        ("smtps://mail.example", (True, "mail.example", 465, None, None)),
        ("smtps://ann:word@mail.example:4650", (True, "mail.example", 4650, "ann", "word")),
        ("smtp://ann%40example.org:a%2Fb%3Ac@mail.example", (False, "mail.example", 25, "ann@example.org", "a/b:c")),
    ],
)
def test_a_mail_server_is_written_as_a_url(url: str, parts: tuple[object, ...]) -> None:
    assert smtp_parts(url) == parts


# -- documented


def test_every_setting_is_documented_and_nothing_else() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (\S+) \| (.+) \|$", (ROOT / "docs/operations.md").read_text(), re.MULTILINE)
    told = {name: (default.strip("`–"), meaning) for name, default, meaning in rows}
    assert told == VARIABLES


def test_the_example_names_no_setting_that_is_none() -> None:
    example = (ROOT / "deploy/env.example").read_text()
    named = set(re.findall(r"^#? ?([A-Z][A-Z_]+)=", example, re.MULTILINE))
    assert set(GROWN) <= named <= set(VARIABLES)
