"""A real Postfix with a configuration and a queue of its own, on a loopback port. It needs root, and no systemd.

It relays mail for some domains to the ports they are told, as a mail server before Ogham would; all else it refuses.
"""

import os
import pwd
import shutil
import smtplib
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

from tests.servers import free_port

MISSING = "Postfix isn't installed here, or this isn't root: apt-get install postfix, then make postfix as root"
FIRST_ANSWER = 20.0

MAIN = """\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
command_directory = {sbin}
daemon_directory = {daemons}
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.example.test
mydestination =
mynetworks = 127.0.0.0/8
alias_maps =
relay_domains = {domains}
smtpd_relay_restrictions = permit_mynetworks, reject
transport_maps = inline:{{ {routes} }}
smtp_tls_security_level = none
smtputf8_enable = no
"""

MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""


def program() -> str | None:
    return shutil.which("postfix", path=f"{os.environ.get('PATH', '')}:/usr/sbin") if os.geteuid() == 0 else None


class Postfix:
    """`routes` are domains and the ports that mail for them goes to."""

    def __init__(self, **routes: int) -> None:
        self.port = free_port()
        self.url = f"smtp://127.0.0.1:{self.port}"
        self.folder = Path(tempfile.mkdtemp(prefix="ogham-postfix-"))
        self.folder.chmod(0o755)  # its own users look in here
        self._etc = self.folder / "etc"
        domains = {domain.replace("_", "."): port for domain, port in routes.items()}
        for name in ("etc", "queue", "data"):
            (self.folder / name).mkdir()
        owner = pwd.getpwnam("postfix")
        os.chown(self.folder / "data", owner.pw_uid, owner.pw_gid)
        sbin = Path(program() or "/usr/sbin/postfix").parent
        self._etc.joinpath("main.cf").write_text(
            MAIN.format(
                folder=self.folder,
                sbin=sbin,
                daemons=_daemons(sbin),
                domains=", ".join(domains),
                routes=", ".join(f"{{ {domain} = smtp:[127.0.0.1]:{port} }}" for domain, port in domains.items()),
            )
        )
        self._etc.joinpath("master.cf").write_text(MASTER.format(port=self.port))

    def log(self) -> str:
        file = self.folder / "log"
        return file.read_text(errors="replace") if file.exists() else ""

    def __enter__(self) -> Self:
        self._run("start")
        end = time.monotonic() + FIRST_ANSWER
        while not self._answers():
            if time.monotonic() > end:
                self.__exit__()
                raise RuntimeError(f"Postfix doesn't answer; it said:\n{self.log()}")
            time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run([program() or "postfix", "-c", str(self._etc), "stop"], capture_output=True, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, command: str) -> None:
        done = subprocess.run(
            [program() or "postfix", "-c", str(self._etc), command], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"postfix {command}: {done.stderr}{self.log()}")

    def _answers(self) -> bool:
        try:
            with smtplib.SMTP("127.0.0.1", self.port, timeout=2) as server:
                return server.noop()[0] == 250
        except OSError:
            return False


def _daemons(sbin: Path) -> str:
    asked = subprocess.run([sbin / "postconf", "-dh", "daemon_directory"], capture_output=True, text=True, check=True)
    return asked.stdout.strip()
