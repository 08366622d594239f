"""What `ogham verify` is given, and how it says what was found."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from rich.table import Table
from rich.text import Text

from engine.errors import BadOption
from engine.games import GAMES
from engine.verify import Fault, Report, verify

MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Given:
    """What a reader brings along: keys they trust, receipts and mails they kept."""

    keys: tuple[Any, ...] | None
    receipts: tuple[str, ...]
    mails: tuple[bytes, ...]

    @staticmethod
    def read(keys: IO[bytes] | None, receipts: Sequence[IO[str]], mails: Sequence[IO[bytes]]) -> "Given":
        """BadOption where the keys are no JWK set."""
        trusted = None
        if keys is not None:
            try:
                trusted = tuple(
                    {"kty": key["kty"], "crv": key["crv"], "x": key["x"]} for key in json.load(keys)["keys"]
                )
            except (ValueError, KeyError, TypeError):
                raise BadOption("keys", f"{keys.name} is no JWK set with Ed25519 keys.") from None
        # A mail breaks a receipt into lines.
        texts = tuple("".join(file.read().split()) for file in receipts)
        return Given(trusted, texts, tuple(file.read() for file in mails))


def check(transcript: IO[bytes], given: Given) -> Report:
    games = {game.info.id: game for game in GAMES}
    return verify(transcript, games, given.keys, given.receipts, given.mails)


def table(report: Report) -> Table:
    """A line for each kind: how much holds, what couldn't be checked and why, how much is wrong."""
    shown = Table(box=None, show_header=False, pad_edge=False)
    for kind in report.checks:
        wrong = sum(fault.kind == kind.kind for fault in report.faults)
        said = [f"{kind.held:,} hold"]
        said += [f"{count:,} not checked ({why})" for why, count in kind.unchecked.items()]
        said += [f"{wrong:,} WRONG"] if wrong else []
        shown.add_row(Text(kind.kind, style="bold"), Text("; ".join(said), style="red" if wrong else ""))
    return shown


def verdict(reports: Sequence[Report], differences: Sequence[Fault]) -> Iterator[str]:
    for report in reports:
        reader = "a spectator" if report.seat is None else f"seat {report.seat}"
        state = "over" if report.over else "running"
        what = f"match {report.match}, {state}, {len(report.hashes)} entries, as {reader} may know it"
        yield f"{'GOOD' if report.good else 'NOT GOOD'}: {what}"
        yield from (f"  {fault.kind}: {fault}" for fault in report.faults[:MOST_FAULTS])
        if len(report.faults) > MOST_FAULTS:
            yield f"  and {len(report.faults) - MOST_FAULTS} more"
    if len(reports) == 2:
        yield "DIFFERENT" if differences else "SAME HISTORY"
        yield from (f"  {fault}" for fault in differences)


def as_json(reports: Sequence[Report], differences: Sequence[Fault]) -> str:
    good = all(report.good for report in reports) and not differences
    told: dict[str, Any] = {"good": good, "transcripts": [report.as_json() for report in reports]}
    if len(reports) == 2:
        told["differences"] = [{"line": fault.line, "what": fault.sentence} for fault in differences]
    return json.dumps(told)
