"""`ogham transcript` and `ogham verify`, as people type them; and `ogham audit` over the database behind them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.journeys.houses import Embedded
from tests.ogham.conftest import Arrive, Terminal

pytestmark = pytest.mark.xdist_group("command")


@pytest.fixture
def files(arrive: Arrive, house: Embedded, tmp_path: Path) -> tuple[Terminal, dict[str, Path]]:
    """A finished match as both players took it away, an older transcript of it, and the service's keys."""
    ann, ben = arrive("Ann"), arrive("Ben")
    match = ann.ask("open", "keltis", "--seats", "2", "--option", "first_player=0").splitlines()[0]
    ben.ask("join", match)
    found = {name: tmp_path / f"{name}.jsonl" for name in ("older", "ann", "ben", "keys")}

    def take(name: str, terminal: Terminal) -> None:
        found[name].write_bytes(terminal.type("transcript", match).stdout_bytes)

    take("older", ann)
    ann.ask("play", match, "reveal, leave")
    ben.ask("resign", match, "--yes")
    take("ann", ann)
    take("ben", ben)
    found["keys"].write_bytes(httpx.get(f"{house.url}/.well-known/jwks.json").content)
    return ann, found


def test_a_good_transcript_is_told_line_by_line_and_ends_with_0(files: tuple[Terminal, dict[str, Path]]):
    ann, found = files
    said = ann.ask("verify", str(found["ann"]), "--keys", str(found["keys"]))
    kinds = ["form", "chain", "receipts", "seals", "signatures", "mails", "seed", "moves", "GOOD:"]
    assert [line.split()[0] for line in said.splitlines()] == kinds
    assert "over" in said.splitlines()[-1]


def test_without_the_keys_it_says_whose_are_believed(files: tuple[Terminal, dict[str, Path]]):
    ann, found = files
    assert "the keys are the transcript's own" in ann.ask("verify", str(found["ann"]))


def test_a_changed_one_ends_with_1_and_says_where(files: tuple[Terminal, dict[str, Path]], tmp_path: Path):
    ann, found = files
    lines = found["ann"].read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b'"seat":1', b'"seat":0')
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(b"".join(lines))
    result = ann.type("verify", str(changed))
    assert result.exit_code == 1
    assert "NOT GOOD" in result.stdout
    assert "line 4 (entry 2): its bytes don't give its hash" in result.stdout
    result = ann.type("verify", str(changed), "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["good"], told["transcripts"][0]["faults"][0]["entry"]) == (1, False, 2)


def test_two_are_compared(files: tuple[Terminal, dict[str, Path]]):
    ann, found = files
    assert ann.ask("verify", str(found["ann"]), str(found["ben"])).splitlines()[-1] == "SAME HISTORY"
    result = ann.type("verify", str(found["ann"]), str(found["older"]))
    assert result.exit_code == 1
    assert "DIFFERENT" in result.stdout
    assert "was cut back" in result.stdout


def test_a_receipt_that_was_kept_is_compared(files: tuple[Terminal, dict[str, Path]], tmp_path: Path):
    ann, found = files
    receipt = json.loads(found["older"].read_bytes().splitlines()[2])["receipt"]
    kept = tmp_path / "kept.txt"
    kept.write_text("\n".join(receipt[place : place + 72] for place in range(0, len(receipt), 72)))
    assert "GOOD" in ann.ask("verify", str(found["ann"]), "--receipt", str(kept))
    kept.write_text("nonsense")
    assert ann.type("verify", str(found["ann"]), "--receipt", str(kept)).exit_code == 1


def test_other_keys_than_the_service_s_show(files: tuple[Terminal, dict[str, Path]], tmp_path: Path):
    ann, found = files
    keys = json.loads(found["keys"].read_bytes())
    keys["keys"][0]["x"] = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"  # of RFC 8037
    other = tmp_path / "other.json"
    other.write_text(json.dumps(keys))
    result = ann.type("verify", str(found["ann"]), "--keys", str(other))
    assert result.exit_code == 1
    assert "a key that doesn't count here" in result.stdout
    other.write_text("{}")
    assert "no JWK set" in ann.complaint("verify", str(found["ann"]), "--keys", str(other), exit_code=2)


def test_what_is_no_transcript_is_said_to_be_none(tmp_path: Path):
    terminal = Terminal(tmp_path, "http://127.0.0.1:1")
    for content in (b"", b"{}\n", b"\xff\xfe", b'{"ogham":"transcript"}\n', b"[" * 100_000):
        file = tmp_path / "none.jsonl"
        file.write_bytes(content)
        result = terminal.type("verify", str(file))
        assert (result.exit_code, "NOT GOOD" in result.stdout) == (1, True), result.output


def test_it_needs_no_network_and_no_database(files: tuple[Terminal, dict[str, Path]]):
    """In a process that can open neither a socket nor a database."""
    _, found = files
    script = (
        "import socket, sqlite3\n"
        "from ogham.command import main\n"
        "def no(*_, **__): raise SystemExit('no network, no database')\n"
        "socket.socket = sqlite3.connect = no\n"
        f"main(['verify', {str(found['ann'])!r}])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, "GOOD" in done.stdout) == (0, True), done.stderr


def test_an_audit_looks_over_every_match(files: tuple[Terminal, dict[str, Path]], house: Embedded):
    environment = dict(os.environ) | {"OGHAM_DATA": str(house._data)}
    ogham = Path(sys.executable).with_name("ogham")
    done = subprocess.run([ogham, "audit"], env=environment, capture_output=True, text=True, check=False, timeout=100)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "GOOD"), done.stderr
    done = subprocess.run(
        [ogham, "audit", "--json"], env=environment, capture_output=True, text=True, check=False, timeout=100
    )
    assert json.loads(done.stdout)["good"]
