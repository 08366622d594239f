"""The command `ogham`: a player's commands over the API, and the operator's that start the service.

What is asked for goes to stdout, everything else to stderr. Exit codes: 1, it was refused or nobody answered; 2, the
command or the settings are wrong. What starts slowly is imported where it is needed.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from client.answers import Entry, Match, Submission
from client.api import Ogham
from client.chain import check_log
from client.errors import KeyFileError, OghamError, Problem, Unreachable
from client.keys import Identity
from client.orders import check_orders
from engine.bots import WORK
from engine.errors import BadOption, BrokenLog
from service.errors import ServiceError
from service.settings import BadSettings, Settings

if TYPE_CHECKING:
    from ogham.simulate import Summary

F = TypeVar("F", bound=Callable[..., Any])

LANGUAGES = click.Choice(["en", "de"])

# What to do about a problem, where its own sentence doesn't say.
HINTS = {
    "signature_invalid": "Is your key registered here? `ogham register` and `ogham confirm` do that.",
    "audience_wrong": "Call the service by that URL: --url, or OGHAM_URL.",
    "stale": "Look at the position again: `ogham show`.",
    "registration_unknown": "The code is in the mail that came last.",
}


# -- speaking


class Sentence(click.ClickException):
    """An error as one red line on stderr."""

    def __init__(self, text: str) -> None:
        super().__init__(" ".join(text.split()))

    def show(self, file: IO[Any] | None = None) -> None:
        Console(file=file, stderr=True).print(Text(self.message, style="red"), soft_wrap=True)


class WrongUse(Sentence):
    """The command or the settings are wrong."""

    exit_code = 2


def say(text: str) -> None:
    """Something a person may like to know, and a program needn't."""
    click.echo(text, err=True)


def sentence_for(problem: Problem) -> str:
    body = problem.body
    said = f"“{body['line']}”: {problem}" if "line" in body else str(problem)
    if body.get("choices"):
        said += f" It may mean: {'; '.join(body['choices'])}."
    return f"{said} {HINTS.get(problem.code, '')}"


def print_table(table: Table) -> None:
    """As wide as the terminal; for a program, as wide as it takes."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=500)
    console.print(table)


def columns(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, overflow="fold")
    return table


@contextmanager
def progress_bar(console: Console, what: str) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal; what is given is called after each step, with how many there are in all."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    shown = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*shown, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        yield lambda total: progress.update(task, total=total, advance=1)


class Commands(click.Group):
    """Whatever goes wrong on purpose is said in one line."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Problem as problem:
            raise Sentence(sentence_for(problem)) from problem
        except Unreachable as error:
            raise Sentence(f"Nothing answers at {error.url}. Is `make run` running? ({error.reason})") from error
        except (OghamError, BrokenLog) as error:
            raise Sentence(str(error)) from error
        except ServiceError as error:
            raise Sentence(error.sentence) from error
        except (BadSettings, BadOption) as error:
            raise WrongUse(str(error)) from error


# -- the player's side


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the service is, and the folder in which this player's things lie."""

    url: str
    home: Path

    @property
    def key_file(self) -> Path:
        return self.home / "key.json"

    def player(self) -> Ogham:
        """Who signs."""
        if not self.key_file.exists():
            raise KeyFileError(f"There is no key at {self.key_file}. `ogham keygen` makes one.")
        return Ogham(self.url, Identity.load(self.key_file))

    def reader(self) -> Ogham:
        """Who looks: the player, or a spectator where there is no key."""
        return self.player() if self.key_file.exists() else Ogham(self.url)

    def remember(self, registration: str) -> None:
        """The id of a registration, for when its code has come."""
        try:
            (self.home / "registration").write_text(registration + "\n")
        except OSError as error:
            raise Sentence(f"Registered as {registration}, which can't be noted: {error}") from None

    def registration(self) -> str:
        try:
            return (self.home / "registration").read_text().strip()
        except OSError:
            raise Sentence("You haven't registered yet: ogham register NAME ADDRESS") from None


pass_desk = click.make_pass_decorator(Desk)


def parse_options(_: click.Context, __: click.Parameter, given: Sequence[str]) -> dict[str, Any]:
    """`name=value`, the value as JSON where it is some, else as text."""
    options = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"“{text}” isn't of the form name=value.")
        options[name] = _value(value)
    return options


def _value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=str)
    except ValueError:
        return text


def game_options(command: F) -> F:
    text = "A game option, as name=value; `ogham games` lists them. May be given several times."
    return click.option("--option", "options", multiple=True, callback=parse_options, metavar="NAME=VALUE", help=text)(
        command
    )


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--url", envvar="OGHAM_URL", default="http://127.0.0.1:8000", show_default=True, help="The service. [OGHAM_URL]"
)
@click.option(
    "--home",
    envvar="OGHAM_HOME",
    type=click.Path(path_type=Path, file_okay=False),
    default="~/.config/ogham",
    show_default=True,
    help="The folder of your key. [OGHAM_HOME]",
)
@click.pass_context
def main(context: click.Context, url: str, home: Path) -> None:
    """Slow board games: play from a terminal, or start the service.

    To begin: keygen, register, confirm; then open or join a match, show it, and play.
    """
    context.obj = Desk(url.rstrip("/"), home.expanduser())


@main.command()
@click.option("--force", is_flag=True, help="Replace the key that is there. It is lost, and with it your seats.")
@pass_desk
def keygen(desk: Desk, force: bool) -> None:
    """Make a key to sign your moves with."""
    identity = Identity.generate()
    identity.save(desk.key_file, force=force)
    click.echo(identity.kid)
    say(f"Your key is in {desk.key_file}; keep it to yourself. Next: ogham register NAME ADDRESS")


@main.command()
@click.argument("name")
@click.argument("address")
@click.option("--language", type=LANGUAGES, default="en", show_default=True, help="Of your mails and boards.")
@pass_desk
def register(desk: Desk, name: str, address: str, language: str) -> None:
    """Become a player: NAME is what others see, ADDRESS gets a mail with a code."""
    with desk.player() as api:
        registration = api.register(name, address, language)
    desk.remember(registration["id"])
    say(f"A mail is on its way to {registration['address']}. Next: ogham confirm CODE, with the code from that mail.")
    say("(On a machine of your own, the mail is at /mailbox in the browser.)")


@main.command()
@click.argument("code")
@pass_desk
def confirm(desk: Desk, code: str) -> None:
    """Show the code from the mail: from now on you are a player."""
    with desk.player() as api:
        player = api.confirm(desk.registration(), code)
    say(f"Welcome, {player['name']}. Next: ogham games, then ogham open or ogham join.")


@main.command("delete-account")
@click.confirmation_option(prompt="Leave all matches and delete your account, for good?", help="Don't ask back.")
@pass_desk
def delete_account(desk: Desk) -> None:
    """Delete your account: you leave all matches, and what names you goes. Logs stay, and still verify."""
    with desk.player() as api:
        api.delete_account()
    say(f"It is gone. Your key in {desk.key_file} is of no use any more.")


@main.command()
@pass_desk
def games(desk: Desk) -> None:
    """What can be played, with the options of each game."""
    with Ogham(desk.url) as api:
        known, bots = api.games(), api.bots()
    table = columns("game", "title", "seats", "option", "default", "meaning")
    for game in known:
        name = (game["id"], game["title"], f"{game['seats'][0]}-{game['seats'][-1]}")
        options = [(option["name"], json.dumps(option["default"]), option["meaning"]) for option in game["options"]]
        for number, option in enumerate(options or [("", "", "")]):
            table.add_row(*(Text(text) for text in (*(("", "", "") if number else name), *option)))
    print_table(table)
    say(f"Bots that play all of them: {', '.join(bots) or 'none'}.")


@main.command("open")
@click.argument("game")
@click.option("--seats", type=int, required=True, help="How many play.")
@game_options
@click.option(
    "--invite",
    multiple=True,
    metavar="ADDRESS",
    help="Who gets an invitation by mail, or a bot that sits down at once, like bot:easy. Several times.",
)
@click.option(
    "--shuffle",
    type=click.Choice(["joint", "sealed"]),
    default="joint",
    show_default=True,
    help="How the shares of the shuffle come in: plainly, or hashed first and opened when the table is full.",
)
@click.option("--no-join", is_flag=True, help="Take no seat yourself.")
@pass_desk
def open_match(
    desk: Desk, game: str, seats: int, options: dict[str, Any], invite: tuple[str, ...], shuffle: str, no_join: bool
) -> None:
    """Open a match of GAME, and take seat 0. Prints the match's id."""
    with desk.player() as api:
        match = api.open(game, seats, options, invite, shuffle)
        click.echo(match["id"])
        if not no_join:
            match = api.join(match["id"], 0)
    say(where_it_stands(match))


@main.command()
@click.argument("match")
@click.option("--seat", type=int, help="Which seat; default: the first free one.")
@pass_desk
def join(desk: Desk, match: str, seat: int | None) -> None:
    """Take a seat in MATCH. When the last one is taken, the match begins."""
    with desk.player() as api:
        joined = api.join(match, seat)
    say(f"You have seat {joined['seat']}. {where_it_stands(joined)}")


@main.command()
@click.argument("match")
@pass_desk
def unseal(desk: Desk, match: str) -> None:
    """Open your share of the shuffle in MATCH, once everybody has joined a match whose shuffle is sealed."""
    with desk.player() as api:
        opened = api.open_nonce(match)
    say(where_it_stands(opened))


def where_it_stands(match: Match) -> str:
    """What can be done next."""
    if match["status"] == "open" and None not in match["names"]:
        waiting = ", ".join(match["names"][seat] or "" for seat in match["unopened"])
        return f"It begins when {waiting} opened their share of the shuffle, with: ogham unseal {match['id']}"
    if match["status"] == "open":
        return f"It begins when all {match['seats']} seats are taken. Others join with: ogham join {match['id']}"
    if match["status"] == "over":
        return "The match is over."
    if match["to_act"] == match["seat"]:
        return f"It is your turn: ogham show {match['id']}"
    return f"{turn_of(match)} is to play."


def turn_of(match: Match) -> str:
    """The name of who is to act; nothing when nobody is."""
    return "" if match["to_act"] is None else match["names"][match["to_act"]] or ""


@main.command()
@click.option("--all", "everybody", is_flag=True, help="Everybody's, not only yours.")
@click.option("--status", type=click.Choice(["open", "running", "over"]), help="Only those.")
@pass_desk
def matches(desk: Desk, everybody: bool, status: str | None) -> None:
    """Your matches, and whose turn it is."""
    table = columns("match", "game", "status", "players", "turn")
    with desk.reader() if everybody else desk.player() as api:
        for match in api.matches(mine=not everybody, status=status):
            yours = match["to_act"] is not None and match["to_act"] == match["seat"]
            turn = Text("you", style="bold green") if yours else Text(turn_of(match))
            players = Text(", ".join(name or "free" for name in match["names"]))
            table.add_row(Text(match["id"]), Text(match["game"]), Text(match["status"]), players, turn)
    print_table(table)


@main.command()
@click.argument("match")
@click.option("--at", type=int, help="Look back: the position when the log had this many entries.")
@pass_desk
def show(desk: Desk, match: str, at: int | None) -> None:
    """The position in MATCH; and what you may play, when it is your turn."""
    with desk.reader() as api:
        show_match(api, match, at)


def show_match(api: Ogham, match_id: str, at: int | None = None) -> None:
    match = api.match(match_id)
    if match["status"] == "open":
        for seat, name in enumerate(match["names"]):
            click.echo(f"seat {seat}: {name or 'free'}")
        say(where_it_stands(match))
        return
    language = api.me()["language"] if api.identity else "en"
    state = api.state(match_id, at, language)
    click.echo(state["text"])
    if at is None and state["to_act"] is not None and state["to_act"] == state["seat"]:
        click.echo("\n" + api.legal(match_id, language)["guide"])
        say(f'\nTo play: ogham play {match_id} "MOVE"')


@main.command()
@click.argument("match")
@pass_desk
def legal(desk: Desk, match: str) -> None:
    """What you may play in MATCH, a move on each line. A {gap} is filled with words from the list below it."""
    with desk.player() as api:
        offers = api.legal(match)["moves"]
    for offer in offers:
        click.echo(offer["text"])
        for choice in offer["choices"]:
            click.echo(f"  {choice['name']}: {choice['count']} of {', '.join(choice['among'])}")
    if not offers:
        say("It isn't your turn.")


@main.command()
@click.argument("match")
@click.argument("moves", nargs=-1, required=True, metavar="MOVE...")
@pass_desk
def play(desk: Desk, match: str, moves: tuple[str, ...]) -> None:
    """Sign and play one MOVE or several in MATCH; put each in quotes. Shows what came of it."""
    with desk.player() as api:
        submission = api.submit(match, moves)
        report(submission)
        show_match(api, match)


def report(submission: Submission) -> None:
    """What was played goes to stderr, so that stdout is the position; a line that was refused ends the command."""
    verdict = submission["verdict"]
    if verdict is None:
        raise Sentence(
            "Your move is stored, but not judged yet: the service is busy or its worker is down."
            f" It will be (submission {submission['id']})."
        )
    for played in verdict["played"]:
        say(f"Played: {played['move']}  (entry {played['seq']})")
    if verdict["kept"]:
        say(f"Kept until others have answered: {'; '.join(verdict['kept'])}")
    if verdict["problem"] is not None:
        dropped = f" Not tried: {'; '.join(verdict['dropped'])}." if verdict["dropped"] else ""
        raise Sentence(sentence_for(Problem(verdict["problem"])) + dropped)


@main.command("order")
@click.argument("match")
@click.argument("line", metavar="ORDER")
@pass_desk
def leave_order(desk: Desk, match: str, line: str) -> None:
    """Answer in MATCH ahead of time what you would be asked out of turn; or take that back: "withdraw 2"."""
    with desk.player() as api:
        order = api.order(match, line)
    say(f"Noted as number {order['number']}: {order['order']}. The receipt is worth keeping:")
    click.echo(order["receipt"])


@main.command("orders")
@click.argument("match")
@pass_desk
def list_orders(desk: Desk, match: str) -> None:
    """Your orders in MATCH, and what may be ordered."""
    with desk.player() as api:
        found = api.orders(match, api.me()["language"])
    table = columns("number", "order", "status", "given")
    for order in found["orders"]:
        table.add_row(*(Text(str(order[name])) for name in ("number", "order", "status", "given_at")))
    print_table(table)
    say(found["guide"] or "This game asks nobody out of turn: there is nothing to order.")


@main.command("log")
@click.argument("match")
@click.option("--check", is_flag=True, help="Recompute the chain of hashes, and compare what is shown with its seals.")
@pass_desk
def show_log(desk: Desk, match: str, check: bool) -> None:
    """The log of MATCH: number, kind, seat and move of every entry."""
    with desk.reader() as api:
        entries = list(api.log(match))
        seated = api.match(match)["seat"] is not None
        orders = api.orders(match)["orders"] if check and seated else []
    for entry in entries:
        click.echo(entry_line(entry))
    if check:
        found = check_log(entries)
        say(f"{found.entries} entries: the chain holds. Head: {found.head}")
        say(f"{found.opened} of {found.seals} seals could be opened, and hold what is shown.")
        if orders:
            say(f"{check_orders(entries, orders)} answers were given by your orders, none after it was taken back.")


def entry_line(entry: Entry) -> str:
    public = json.loads(entry["public"])
    seat = "-" if public.get("seat") is None else public["seat"]
    return f"{entry['seq']:>4}  {public['kind']:<12} {seat:>2}  {public.get('move') or ''}".rstrip()


@main.command()
@click.argument("match")
@click.confirmation_option(prompt="Leave this match for good?", help="Don't ask back.")
@pass_desk
def resign(desk: Desk, match: str) -> None:
    """Leave MATCH for good. Your seat is played dully from then on."""
    with desk.player() as api:
        left = api.resign(match)
    say("You left the match." + (" It is over." if left["status"] == "over" else " It goes on without you."))


@main.command("transcript")
@click.argument("match")
@pass_desk
def take_transcript(desk: Desk, match: str) -> None:
    """MATCH to take away, as JSON lines: all of it that you may know. `ogham verify` checks it."""
    with desk.reader() as api:
        for line in api.transcript(match):
            click.echo(line, nl=False)


# -- the engine alone


@main.command("verify")
@click.argument("transcript", type=click.File("rb"))
@click.argument("other", type=click.File("rb"), required=False)
@click.option(
    "--keys", type=click.File("rb"), help="The service's public keys, a JWK set you trust: /v1/keys gives it."
)
@click.option("--receipt", "receipts", type=click.File("r"), multiple=True, help="A receipt you kept. Several times.")
@click.option("--mail", "mails", type=click.File("rb"), multiple=True, help="A raw mail you sent. Several times.")
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.pass_context
def verify_transcript(
    context: click.Context,
    transcript: IO[bytes],
    other: IO[bytes] | None,
    keys: IO[bytes] | None,
    receipts: tuple[IO[str], ...],
    mails: tuple[IO[bytes], ...],
    as_json: bool,
) -> None:
    """Check TRANSCRIPT: who moved, what was hidden, how it was shuffled. Needs neither network nor database.

    With OTHER, another reader's transcript of the same match, also that both tell the same history.
    Exit code 1: something is wrong.
    """
    from engine.verify import compare
    from ogham import verifying

    given = verifying.Given.read(keys, receipts, mails)
    reports = [verifying.check(file, given) for file in (transcript, other) if file is not None]
    differences = compare(*reports) if len(reports) == 2 else ()
    if as_json:
        click.echo(verifying.as_json(reports, differences))
    else:
        for report in reports:
            print_table(verifying.table(report))
        for line in verifying.verdict(reports, differences):
            click.echo(line)
    context.exit(0 if all(report.good for report in reports) and not differences else 1)


@main.command("simulate")
@click.argument("game")
@click.option("--seats", type=int, required=True, help="How many play.")
@click.option("--count", type=click.IntRange(min=1), default=100, show_default=True, help="How many matches.")
@click.option("--seed", default="0", show_default=True, help="The same seed, the same matches.")
@game_options
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def simulate_matches(game: str, seats: int, count: int, seed: str, options: dict[str, Any], as_json: bool) -> None:
    """Play random legal matches of GAME through the rules alone, and sum them up."""
    from ogham.simulate import find_game, simulate

    rules = find_game(game)
    with progress_bar(Console(stderr=True), "matches") as advance:
        summary = simulate(rules, seats, count, seed, options, lambda: advance(count))
    if as_json:
        click.echo(json.dumps(summary.as_json()))
    else:
        print_summary(summary)


def print_summary(summary: "Summary") -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in (
        ("matches", f"{summary.matches:,}, of {summary.game} with {summary.seats} seats, seed {summary.seed}"),
        ("options", ", ".join(f"{name}={value}" for name, value in summary.options.items()) or "none"),
        ("moves", f"{summary.moves:,}, {summary.mean_length:.1f} in a match"),
        ("moves per second", f"{summary.moves_per_second:,.0f}, with the choice of a move among the legal ones"),
        ("", f"{summary.engine_moves_per_second:,.0f}, parse, decide and evolve alone"),
        ("scores", f"{summary.least_score} to {summary.most_score}, {summary.mean_score:.1f} in the mean"),
        ("wins by seat", "  ".join(f"{seat}: {wins:,}" for seat, wins in enumerate(summary.wins))),
        ("ended by", ", ".join(f"{reason} ({times:,})" for reason, times in summary.reasons.items())),
        ("digest", summary.digest),
    ):
        table.add_row(Text(name, style="bold"), Text(value))
    print_table(table)


@main.command("bots")
@click.argument("game")
@click.option("--bots", "names", default="solid,easy", show_default=True, help="Who plays, a bot for each seat.")
@click.option("--count", type=click.IntRange(min=1), default=100, show_default=True, help="How many matches.")
@click.option("--seed", default="0", show_default=True, help="The same seed, the same matches.")
@click.option("--work", type=click.IntRange(min=1), default=WORK, show_default=True, help="Positions looked at a move.")
@game_options
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def hold_bot_contest(
    game: str, names: str, count: int, seed: str, work: int, options: dict[str, Any], as_json: bool
) -> None:
    """Let bots play matches of GAME against each other, and tell who won and how long a move took them."""
    from ogham.contest import hold_contest
    from ogham.simulate import find_game

    rules = find_game(game)
    bots = [f"bot:{name.strip().removeprefix('bot:')}" for name in names.split(",")]
    with progress_bar(Console(stderr=True), "matches") as advance:
        results = hold_contest(rules, bots, count, seed, options, work, lambda: advance(count))
    if as_json:
        click.echo(json.dumps([result.as_json() for result in results]))
        return
    table = columns("bot", "won", "shared", "mean score", "moves", "ms per move", "slowest")
    for result in results:
        table.add_row(
            result.bot,
            f"{result.won} of {count}",
            str(result.shared),
            f"{result.mean_score:.1f}",
            f"{result.moves:,}",
            f"{1000 * result.seconds_per_move:.1f}",
            f"{1000 * result.slowest:.1f}",
        )
    print_table(table)


# -- the operator's side


@main.command()
@click.option("--port", type=int, help="Of the API and the pages. [OGHAM_PORT]")
@click.option("--mail-port", type=int, help="Of the mail listener. [OGHAM_MAIL_PORT]")
@click.option("--data", type=click.Path(file_okay=False), help="Folder of the database. [OGHAM_DATA]")
def up(port: int | None, mail_port: int | None, data: str | None) -> None:
    """Start Ogham in one process: API, worker, schedule, mail listener, mailbox."""
    given = {"OGHAM_PORT": port, "OGHAM_MAIL_PORT": mail_port, "OGHAM_DATA": data}
    settings = Settings.from_environment(instead={name: str(it) for name, it in given.items() if it is not None})
    from ogham import embedded

    embedded.run(settings)


@main.command()
def migrate() -> None:
    """Bring the database to this version's tables."""
    settings = Settings.from_environment()
    from ogham import grown

    grown.migrate(settings)


@main.command()
def worker() -> None:
    """Start a worker: it settles moves, sends mails and reads answers."""
    settings = Settings.from_environment()
    from ogham import grown

    grown.run_worker(settings)


@main.command()
def schedule() -> None:
    """Start the schedule: it finds work that no worker was told of."""
    settings = Settings.from_environment()
    from ogham import grown

    grown.run_schedule(settings)


@main.command()
def mail() -> None:
    """Start the mail listener."""
    settings = Settings.from_environment()
    from ogham import grown

    grown.run_mail(settings)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.pass_context
def audit(context: click.Context, as_json: bool) -> None:
    """Check every match in the database, running ones too, as `ogham verify` would. Exit code 1: something is wrong."""
    settings = Settings.from_environment()
    from ogham import grown

    console = Console(stderr=True)
    with progress_bar(console, "matches") as step:
        audited = grown.audit(settings, step)
    if as_json:
        click.echo(json.dumps(audited.as_json()))
    else:
        for line in audited.lines():
            click.echo(line)
    context.exit(0 if audited.good else 1)


@main.command()
@click.argument("address")
@click.confirmation_option(prompt="Delete this player's account, for good?", help="Don't ask back.")
def forget(address: str) -> None:
    """Delete the account of the player at ADDRESS, who asked for it and has no key to do it with."""
    settings = Settings.from_environment()
    from ogham import grown

    grown.forget(settings, address)
    say("It is gone.")


@main.command()
@click.argument("recipient", envvar="ORIGINAL_RECIPIENT")
@click.option("--sender", envvar="SENDER", default="", help="The envelope's sender; none for a bounce. [SENDER]")
@click.pass_context
def receive(context: click.Context, recipient: str, sender: str) -> None:
    """Take in the mail on stdin, sent to RECIPIENT: for a mail server's pipe.

    Exit codes are those of sysexits.h: 67 nobody of that name here, 65 too large, 75 try again later.
    """
    try:
        settings = Settings.from_environment()
        from ogham import grown
        from service.mailroom.receive import LARGEST_MAIL

        grown.receive(settings, sender, recipient, sys.stdin.buffer.read(LARGEST_MAIL + 1))
    except ServiceError as refusal:
        say(refusal.sentence)
        context.exit(os.EX_NOUSER if refusal.code == "mailbox_unknown" else os.EX_DATAERR)
    except Exception as error:  # noqa: BLE001  (whatever it was: it isn't stored, and the mail server keeps it)
        say(f"Not stored, please try again later: {' '.join(str(error).split())[:300]}")
        context.exit(os.EX_TEMPFAIL)


@main.command("rotate-key")
def rotate_key() -> None:
    """Sign receipts with a new key from now on. Old keys stay published. Prints the new key's id."""
    settings = Settings.from_environment()
    from ogham import grown

    click.echo(grown.rotate_key(settings))


@main.command("dkim-key")
@click.argument("file", type=click.Path(path_type=Path))
def dkim_key(file: Path) -> None:
    """Make a key that signs our mails (DKIM) and write it to FILE. Prints what the DNS must say about it."""
    from service.mailroom.keys import make_dkim_key

    try:
        record = make_dkim_key(file)
    except FileExistsError:
        raise Sentence(f"{file} is there already, and stays as it is.") from None
    except OSError as error:
        raise Sentence(f"{file} can't be written: {error.strerror}") from None
    say("Set OGHAM_DKIM_KEY to this file, and give ogham._domainkey.<OGHAM_MAIL_DOMAIN> this TXT record:")
    click.echo(record)


@main.command()
def openapi() -> None:
    """Print the API's description, OpenAPI 3.1 in YAML."""
    from ogham import grown

    click.echo(grown.openapi_yaml(), nl=False)
