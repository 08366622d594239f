"""The command, as people type it: against a running Ogham, and where there is none."""

import json
import os
import pty
import re
import stat
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml

from ogham.command import Commands, Sentence, main
from tests.journeys.houses import Embedded
from tests.ogham.conftest import Arrive, Terminal
from tests.servers import free_port

pytestmark = pytest.mark.xdist_group("command")

OGHAM = Path(sys.executable).with_name("ogham")
COMMANDS = sorted(main.commands)


@pytest.fixture
def alone(tmp_path: Path) -> Terminal:
    """Somebody for whom nothing runs."""
    return Terminal(tmp_path / "home", f"http://127.0.0.1:{free_port()}")


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("OGHAM_")}
    return subprocess.run(
        [OGHAM, *words], env=plain | environment, capture_output=True, text=True, check=False, timeout=60
    )


# -- what holds for all


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_command_explains_itself(alone: Terminal, command: str):
    said = alone.ask(*command.split(), "--help")
    assert said.startswith("Usage: ")
    assert len(said.splitlines()[2].strip()) > 20


def test_the_commands_are_these():
    assert " ".join(COMMANDS) == (
        "audit bots confirm delete-account dkim-key forget games join keygen legal log mail matches migrate open"
        " openapi order orders play receive register resign rotate-key schedule show simulate"
        " transcript unseal up verify worker"
    )


@pytest.mark.parametrize("command", ["games", "matches --all", "show x", "log x"])
def test_where_nobody_answers_that_is_said_in_one_line(alone: Terminal, command: str):
    said = alone.complaint(*command.split())
    assert said.startswith(f"Nothing answers at {alone.url}. Is `make run` running?")


def test_an_error_ends_the_program_in_one_line_without_a_traceback(alone: Terminal, tmp_path: Path):
    done = run("--url", alone.url, "games", OGHAM_HOME=str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "\x1b" not in done.stderr


def test_an_error_is_red_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    Sentence("It went\nwrong [bold]here.").show()
    assert "\x1b[31mIt went wrong [bold]here.\x1b[0m" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    ["register Ann ann@example.org", "confirm x", "open x --seats 2", "join x", "matches", "legal x", "play x y"],
)
def test_who_has_no_key_is_told_how_to_make_one(alone: Terminal, command: str):
    assert "`ogham keygen` makes one" in alone.complaint(*command.split())


def test_a_players_command_starts_without_the_service():
    code = "import ogham.command, sys; print([m for m in ('flask', 'celery', 'sqlalchemy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_an_error_that_nobody_foresaw_is_not_swallowed():
    group = Commands("x")

    @group.command()
    def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        group.main(["broken"], standalone_mode=False)


# -- keys


def test_keygen_makes_a_key_for_its_owner_only_and_keeps_it(alone: Terminal):
    kid = alone.ask("keygen")
    path = alone.home / "key.json"
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", kid)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    assert "stays as it is" in alone.complaint("keygen")
    assert path.read_bytes() == before
    assert alone.ask("keygen", "--force") != kid
    assert path.read_bytes() != before
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_file_that_is_none_is_said_to_be(alone: Terminal):
    alone.home.mkdir()
    (alone.home / "key.json").write_text("not a key")
    assert "holds no private Ed25519 key" in alone.complaint("matches")


def test_who_hasnt_registered_cant_confirm(alone: Terminal):
    alone.ask("keygen")
    assert "ogham register" in alone.complaint("confirm", "x")


def test_a_key_that_isnt_registered_is_told_how(alone: Terminal, house: Embedded):
    alone.url = house.url
    alone.ask("keygen")
    said = alone.complaint("matches")
    assert "(signature_invalid)" in said
    assert "`ogham register`" in said


# -- a match


def test_two_people_play_from_their_terminals(arrive: Arrive):
    ann, ben = arrive("Ann"), arrive("Ben", "de")
    assert "keltis" in ann.ask("games")
    match = ann.ask("open", "keltis", "--seats", "2", "--option", "first_player=0", "--option", "last_clover=none")
    assert re.fullmatch(r"[a-z2-7]{20}", match)
    assert ann.ask("show", match) == "seat 0: Ann\nseat 1: free"
    assert "You have seat 1. Ann is to play." in ben.type("join", match).stderr
    assert ann.ask("matches").splitlines()[1].split() == [match, "keltis", "running", "Ann,", "Ben", "you"]
    assert ben.ask("matches").splitlines()[1].split() == [match, "keltis", "running", "Ann,", "Ben", "Ann"]

    assert "It is your turn." in ann.ask("show", match)
    assert "You may play one of these:" in ann.ask("show", match)
    assert "Ann ist am Zug." in ben.ask("show", match)
    assert "Du kannst" not in ben.ask("show", match)
    assert ann.ask("legal", match).splitlines()[0] == "reveal"
    nothing = ben.type("legal", match)
    assert (nothing.exit_code, nothing.stdout, nothing.stderr) == (0, "", "It isn't your turn.\n")

    played = ann.type("play", match, "Reveal")
    assert played.stderr.startswith("Played: reveal  (entry 4)")
    assert "lay it or leave it?" in played.stdout
    assert ann.complaint("play", match, "stop").endswith("(move_refused, KE-5)")
    assert ann.complaint("play", match, "dance").startswith("“dance”: ")
    assert ben.complaint("play", match, "reveal").endswith("(move_refused, GE-2)")
    partly = ann.type("play", match, "leave", "reveal", "stop")
    assert partly.exit_code == 1
    assert partly.stderr.splitlines()[0] == "Played: leave  (entry 5)"
    assert partly.stderr.splitlines()[1].endswith("(move_refused, GE-2) Not tried: stop.")

    log = ben.type("log", match, "--check")
    assert [line.split() for line in log.stdout.splitlines()] == [
        ["0", "opened", "-"],
        ["1", "joined", "0"],
        ["2", "joined", "1"],
        ["3", "dealt", "-"],
        ["4", "moved", "0", "reveal"],
        ["5", "moved", "0", "leave"],
    ]
    assert "6 entries: the chain holds. Head: " in log.stderr
    assert "It is your turn." in ann.ask("show", match, "--at", "4")
    assert ann.complaint("show", match, "--at", "99").endswith("(seq_unknown)")

    asked = ben.type("resign", match)
    assert asked.exit_code == 1
    assert ben.ask("matches").splitlines()[1].split()[2] == "running"
    assert "It is over." in ben.type("resign", match, "--yes").stderr
    assert ann.ask("matches", "--status", "over").splitlines()[1].split()[0] == match


def test_a_bot_is_invited_by_its_name(arrive: Arrive):
    ann = arrive("Ann")
    assert "Bots that play all of them: bot:easy, bot:solid." in ann.type("games").stderr
    match = ann.ask("open", "keltis", "--seats", "2", "--invite", "bot:easy", "--option", "first_player=0")
    assert ann.ask("matches").splitlines()[1].split() == [match, "keltis", "running", "Ann,", "bot:easy", "you"]


def test_who_has_no_key_may_watch(arrive: Arrive, alone: Terminal):
    ann, ben = arrive("Ann"), arrive("Ben")
    match = ann.ask("open", "keltis", "--seats", "2", "--no-join", "--option", "first_player=1")
    assert ann.ask("show", match) == "seat 0: free\nseat 1: free"
    ann.ask("join", match, "--seat", "1")
    ben.ask("join", match)
    alone.url = ann.url
    assert "Ann is to play." in alone.ask("show", match)
    assert len(alone.ask("log", match, "--check").splitlines()) == 4
    assert match in alone.ask("matches", "--all")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("open nothing --seats 2", "(game_unknown)"),
        ("open keltis --seats 9", "(option_invalid)"),
        ("open keltis --seats 2 --option last_clover=perhaps", "(option_invalid)"),
        ("open keltis --seats 2 --option first_player=7", "(option_invalid)"),
        ("open keltis --seats 2 --invite nobody", "invite: 0: Not a valid email address (schema_invalid)"),
        ("join nothing", "(match_unknown)"),
        ("show nothing", "(match_unknown)"),
        ("log nothing", "(match_unknown)"),
        ("play nothing reveal", "(match_unknown)"),
        ("resign nothing --yes", "(match_unknown)"),
    ],
)
def test_a_refusal_is_one_line_with_its_code(arrive: Arrive, words: str, said: str):
    assert arrive("Ann").complaint(*words.split()).endswith(said)


@pytest.mark.parametrize(
    "words", ["open", "open keltis", "play x", "open keltis --seats 2 --option x", "nothing", "show"]
)
def test_a_command_that_is_wrong_says_how_it_is_right(alone: Terminal, words: str):
    result = alone.type(*words.split())
    assert result.exit_code == 2
    assert "Error: " in result.stderr


def test_a_value_is_json_where_it_is_some_and_text_elsewhere():
    option = next(parameter for parameter in main.commands["open"].params if parameter.name == "options")
    given = ("a=0", "b=none", "c=true", 'd="0"', "e=[1]", "f=", "g=NaN", "h=a=b")
    assert option.callback is not None
    read = option.callback(click.Context(main), option, given)
    assert read == {"a": 0, "b": "none", "c": True, "d": "0", "e": [1], "f": "", "g": "NaN", "h": "a=b"}


# -- bots


def test_bots_play_each_other_for_programs_in_json(alone: Terminal):
    words = ("bots", "keltis", "--bots", "easy,solid,easy", "--count", "3", "--work", "20", "--json")
    results, again = (json.loads(alone.type(*words).stdout) for _ in range(2))
    assert [result["bot"] for result in results] == ["bot:easy", "bot:solid", "bot:easy"]
    assert sum(result["won"] for result in results) <= 3
    assert all(0 < result["seconds_per_move"] <= result["slowest_move"] for result in results)
    times = {"seconds_per_move": 0, "slowest_move": 0}
    assert [result | times for result in results] == [result | times for result in again]


def test_bots_play_each_other_for_people_in_a_table(alone: Terminal):
    said = alone.ask("bots", "celtica", "--count", "2", "--work", "12", "--option", "edition=en")
    assert re.search(r"^bot:solid +\d of 2", said, flags=re.MULTILINE)
    assert re.search(r"^bot:easy +\d of 2", said, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nothing", "There is no game “nothing”. There are: "),
        ("keltis --bots solid,strong", "There is no bot “bot:strong”. There are: bot:easy, bot:solid."),
        ("keltis --bots easy", "is for 2 to 4 players."),
    ],
)
def test_bots_says_what_there_is(alone: Terminal, words: str, said: str):
    assert said in alone.complaint("bots", *words.split(), exit_code=2)


# -- simulate


def test_simulate_for_programs_is_json_and_nothing_else(alone: Terminal):
    result = alone.type("simulate", "keltis", "--seats", "3", "--count", "5", "--seed", "x", "--json")
    assert result.stderr == ""
    summary = json.loads(result.stdout)
    assert (summary["game"], summary["seats"], summary["matches"], summary["seed"]) == ("keltis", 3, 5, "x")
    assert summary["engine_moves_per_second"] > summary["moves_per_second"] > 0


def test_simulate_for_people_is_a_summary(alone: Terminal):
    said = alone.ask("simulate", "keltis", "--seats", "2", "--count", "3", "--option", "last_clover=none")
    for words in ("matches", "last_clover=none", "moves per second", "scores", "wins by seat", "ended by", "digest"):
        assert words in said


def test_simulate_has_a_progress_bar_on_a_terminal_only():
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CI")}
    done = subprocess.run(
        [OGHAM, "simulate", "keltis", "--seats", "4", "--count", "30", "--json"],
        env=environment | {"TERM": "xterm", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
        timeout=60,
    )
    os.close(theirs)
    drawn = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "30/30" in drawn
    assert json.loads(done.stdout)["matches"] == 30


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nothing --seats 2", "There is no game “nothing”. There are: "),
        ("keltis --seats 1", "is for 2 to 4 players."),
        ("keltis --seats 2 --option x=1", "It has: first_player, last_clover."),
    ],
)
def test_simulate_says_what_there_is(alone: Terminal, words: str, said: str):
    assert said in alone.complaint("simulate", *words.split(), exit_code=2)


# -- the operator's side


def test_settings_that_dont_go_together_are_one_line(alone: Terminal):
    done = run("up", OGHAM_HOST="0.0.0.0")
    assert (done.returncode, len(done.stderr.splitlines()), done.stdout) == (2, 1, "")
    assert "loopback only" in done.stderr
    for command in ("up", "migrate", "worker", "schedule", "mail"):
        done = run(command, DATABASE_URL="postgresql+psycopg://nobody@127.0.0.1/x", REDIS_URL="", SMTP_URL="")
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
        assert "OGHAM_SECRET" in done.stderr


def test_up_says_when_its_port_is_taken(house: Embedded, tmp_path: Path):
    port = house.url.rpartition(":")[2]
    done = run("up", "--port", port, "--mail-port", str(free_port()), "--data", str(tmp_path / "data"))
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert port in done.stderr
    assert (tmp_path / "data" / "secret").exists()


def test_migrate_makes_the_tables(tmp_path: Path):
    done = run("migrate", OGHAM_DATA=str(tmp_path / "data"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "data" / "ogham.sqlite").stat().st_size > 0
    assert run("migrate", OGHAM_DATA=str(tmp_path / "data")).returncode == 0


def test_openapi_is_yaml():
    document = yaml.safe_load(run("openapi").stdout)
    assert document["openapi"].startswith("3.1")
    assert "/v1/matches/{match_id}/moves" in document["paths"]
