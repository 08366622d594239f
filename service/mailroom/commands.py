"""What a mail may say, and what is done then: one table of commands, and moves.

A command is a whole line of the writer's own words, in either language. Where a line is a command but can't be done,
nothing of the mail is done. What speaks of no command is looked at for moves; what is neither is left alone.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, Literal, cast

from sqlalchemy import func, select

from engine.events import Seat
from engine.game import Language
from engine.log import decode
from service.clocks import be_back, choose_preferences, lock_tables
from service.errors import Conflict, Malformed, NotFound, ServiceError
from service.mailroom.lines import LONGEST_ORDER, find_moves, plays
from service.mailroom.reply import SIGNED, Paragraphs, Reply, read_reply
from service.mailroom.signatures import Verdict
from service.matches import find_match, join_by_mail, lock_match, seat_of, see_match
from service.messages import send_message
from service.moves import accept_mailed, accept_pasted, resign_mailed, resign_pasted
from service.nonces import open_nonce_by_mail
from service.notices import answered_notice, is_away, store_notice, tell_player
from service.orders import give_mailed, give_pasted
from service.parts import now
from service.players import NAME, confirm, player_at
from service.preferences import PREFERENCES, preferences_of
from service.store.db import Transaction
from service.store.logbook import proof_of
from service.store.tables import Mail, Match, Notice, Player
from service.vacations import announce_vacation, days_left, end_vacation, today_of

MOST_ANSWERS = 5
"""To mails without a word we know, about one decision: a machine that doesn't say it is one answers them all."""
MOST_TOLD = 20
"""Answers of any kind about one decision; to somebody without a match, in an hour."""

HELD = "held"

SAY = re.compile(r"(?:say|sage?) ?:(?! *(?:\.\.\.|…))(?P<text>.*)", re.IGNORECASE | re.DOTALL)
"""The colon makes it explicit; our own mails, which explain it, have dots behind it."""

Where = Literal["welcome", "invitation", "nonce", "seat", "player", "held"]


@dataclass(frozen=True, slots=True)
class Errand:
    """A mail that counts, and what it answers."""

    transaction: Transaction
    mail: Mail
    reply: Reply
    notice: Notice
    player: Player | None
    """None: an address that is nobody's yet."""
    dkim: Verdict
    confirmed: str = ""
    """The hash of the mail by which its writer said that a held one was theirs."""
    moves: tuple[str, ...] = ()

    @property
    def match_id(self) -> str:
        return cast(str, self.notice.match_id)

    @property
    def seat(self) -> Seat:
        return Seat(cast(int, self.notice.seat))

    @property
    def seated(self) -> bool:
        return None not in (self.player, self.notice.match_id, self.notice.seat)

    @property
    def known(self) -> Player:
        return cast(Player, self.player)

    @property
    def evidence(self) -> dict[str, str]:
        """What the log keeps of the mail."""
        found = {
            "mail": hashlib.sha256(self.mail.raw).hexdigest(),
            "dkim": self.dkim.result,
            "message_id": self.reply.message_id,
            "domain": self.notice.address.rpartition("@")[2],
        }
        if self.dkim.domain:
            found["signed_by"] = self.dkim.domain
        return found | ({"confirmed": self.confirmed} if self.confirmed else {})

    @property
    def doubt(self) -> Literal["", "held", "unsigned"]:
        """Why it may not be theirs: they demand a DKIM signature, or their mails had one so far, and this has none."""
        if self.player is None or self.dkim.result == "pass":
            return ""
        if preferences_of(self.player)["demand_dkim"]:
            return "unsigned"
        return "held" if self.player.signed_by and not self.confirmed else ""


Found = list[re.Match[str]]


@dataclass(frozen=True, slots=True)
class Command:
    """`pattern` is all of a line, but for a dot or the like behind it. `act` gets all lines that are this command."""

    name: str
    """`help.<name>` in phrases.py says what it is for."""
    where: Where
    """What it answers: a registration, an invitation, who asks for a nonce or about a held mail, something about one's
    seat, anything to a player.
    """
    pattern: re.Pattern[str]
    act: Callable[[Errand, Found], str]
    opens: bool = False
    """It must be the mail's first line, and what follows belongs to it."""
    goes_on: bool = False
    """It may begin in any line, and goes on to the end of the paragraph."""
    harmless: bool = False
    """It changes nothing, or brings a proof of its own, and so needs no signature of a mail domain."""


# -- doing what a mail says


def follow(errand: Errand) -> str:
    """Do what it says; what is recorded of it."""
    said, rest = find_commands(errand.reply.paragraphs, _places(errand))
    moves, stumbled = _moves(errand, rest, said)
    back = _is_back(errand)
    stumbled = stumbled or _swallowed(said)
    if stumbled:
        return _ask_again(errand, "unclear", line=stumbled)
    if not said and not moves:
        return "back" if back else _nothing(errand)
    if errand.doubt and (moves or not all(command.harmless for command, _ in said)):
        return _doubt(errand)
    errand = replace(errand, moves=tuple(moves))
    try:
        with errand.transaction.session.begin_nested():
            done = [command.act(errand, found) for command, found in said]
    except ServiceError as error:
        return _refuse(errand, said, error)
    if moves:
        submission = accept_mailed(
            errand.transaction, errand.match_id, errand.seat, errand.known, errand.mail.id, errand.evidence,
            cast(int, errand.notice.seq), moves,
        )  # fmt: skip
        done.append(f"submission {submission.id}")
    return ", ".join(done)


def _is_back(errand: Errand) -> bool:
    """Whoever was away and writes is there again, whatever they write."""
    session = errand.transaction.session
    if not errand.seated or errand.doubt or not is_away(errand.transaction, find_match(errand.match_id), errand.seat):
        return False
    lock_tables(session, errand.known.id)  # in the order in which everybody does: a command may need them all
    match = lock_match(session, errand.match_id)
    return be_back(errand.transaction, match, errand.seat)


def find_commands(paragraphs: Paragraphs, places: frozenset[Where]) -> tuple[list[tuple[Command, Found]], Paragraphs]:
    """The commands among the lines, in the table's order, and all other lines. One that opens a mail stands alone."""
    lines = [line for paragraph in paragraphs for line in paragraph]
    known = [command for command in COMMANDS if command.where in places]
    for command in known:
        if command.opens and lines and (opening := command.pattern.fullmatch(_bare(lines[0]))):
            return [(command, [opening])], ()
    rest, signed = _pasted(paragraphs)
    found: dict[str, Found] = {command.name: [] for command in known}
    if "signed" in found:
        found["signed"] = signed
    if "say" in found:
        rest, found["say"] = _spoken(rest)
    others = []
    for paragraph in rest:
        left = []
        for line in paragraph:
            name, said = _command(line, known)
            if said is None:
                left.append(line)
            elif said[0] not in [earlier[0] for earlier in found[name]]:
                found[name].append(said)
        others.append(tuple(left))
    return [(command, found[command.name]) for command in known if found[command.name]], tuple(filter(None, others))


def _command(line: str, known: list[Command]) -> tuple[str, re.Match[str] | None]:
    for command in known:
        said = None if command.opens or command.goes_on else command.pattern.fullmatch(_bare(line))
        if said and len(line.split()) <= LONGEST_ORDER:
            return command.name, said
    return "", None


def _bare(line: str) -> str:
    return line.rstrip(" .!?")


def _pasted(paragraphs: Paragraphs) -> tuple[Paragraphs, Found]:
    """The paragraphs that are one signed statement each, its lines joined (clients break long ones); and the others."""
    rest, found = [], []
    for paragraph in paragraphs:
        signed = SIGNED.fullmatch("".join(paragraph))
        if signed and _typ(signed[0]) in _STATEMENTS:
            found.append(signed)
        else:
            rest.append(paragraph)
    return tuple(rest), found


def _spoken(paragraphs: Paragraphs) -> tuple[Paragraphs, Found]:
    """What is said to the others, each from the line that begins so to the end of its paragraph; and all other lines.

    Clients break long lines, so what follows belongs to it.
    """
    rest, found = [], []
    for paragraph in paragraphs:
        begins = [number for number, line in enumerate(paragraph) if SAY.fullmatch(line)]
        rest.append(paragraph[: begins[0]] if begins else paragraph)
        for begin, end in pairwise([*begins, len(paragraph)]):
            found += [said for said in [SAY.fullmatch("\n".join(paragraph[begin:end]))] if said]
    return tuple(filter(None, rest)), found


def _swallowed(said: list[tuple[Command, Found]]) -> str:
    """A line in the middle of what is said to others that is a command by itself, and may have been meant as one."""
    seated = [command for command in COMMANDS if command.where in ("seat", "player")]
    lines = (line for command, found in said if command.name == "say" for words in found for line in _more(words))
    return next((line for line in lines if _command(line, seated)[1]), "")


def _more(words: re.Match[str]) -> list[str]:
    return words[0].split("\n")[1:]


def _typ(text: str) -> str:
    try:
        header = json.loads(decode(text.partition(".")[0]))
        return str(header["typ"]).lower().removeprefix("application/")
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""


def _places(errand: Errand) -> frozenset[Where]:
    notice = errand.notice
    if notice.kind in ("welcome", "invitation", "nonce"):
        return frozenset({cast(Where, notice.kind)})
    if notice.about.get("said") == HELD:
        return frozenset({"held"})
    if errand.player is None:
        return frozenset()
    return frozenset({"seat", "player"}) if errand.seated else frozenset({"player"})


def _moves(errand: Errand, paragraphs: Paragraphs, said: list[tuple[Command, Found]]) -> tuple[list[str], str]:
    """The moves among these, or the line over which we stumbled. There are none before there is a position.

    A command that may be a move as well is such a line: in some game `show` may win the match.
    """
    match = find_match(errand.match_id) if "seat" in _places(errand) else None
    if match is None or match.status == "open":
        return [], ""
    sight, player = see_match(match, errand.seat), errand.known
    matches = [(command, words) for command, found in said for words in found]
    for line in (one for command, words in matches for one in (_more(words) if command.name == "say" else [words[0]])):
        if plays(line, sight):
            return [], line
    return find_moves(paragraphs, sight, player.name, cast(Language, player.language))


# -- when nothing is done


def _nothing(errand: Errand) -> str:
    """Nothing was understood. Who was asked something is told what would be."""
    kind, notice = errand.notice.kind, errand.notice
    if kind in ("welcome", "invitation"):
        answer_once(errand, "unconfirmed" if kind == "welcome" else "not_joined")
        return "nothing said"
    if kind == "nonce":
        return _open_nonce(errand, [])
    if notice.about.get("said") == HELD:
        return "nothing said"
    if not errand.seated:
        return "ignored: there is nothing to decide"
    match = find_match(errand.match_id)
    if match.status == "open":
        return "ignored: the match has not started"
    if match.to_act != errand.seat:
        return "nothing said"  # and nothing was asked
    return _ask_again(errand, "nothing")


def _ask_again(errand: Errand, said: str, **about: Any) -> str:
    if _answers(errand) >= MOST_ANSWERS:
        return "ignored: answered often enough"
    tell(errand, said, below=errand.reply.below, **about)
    return "nothing said"


def _doubt(errand: Errand) -> str:
    """It may be somebody else's. Whoever reads mail at the registered address can say that it is theirs."""
    tell(errand, errand.doubt, mail=errand.mail.id, dkim=errand.dkim.result)
    return HELD if errand.doubt == HELD else "refused: not signed by its domain"


def _refuse(errand: Errand, said: list[tuple[Command, Found]], error: ServiceError) -> str:
    if errand.notice.kind in ("welcome", "invitation"):
        answer_once(errand, error.code)
        return f"refused: {error.code}"
    kinds = {command.name for command, _ in said}
    lines = "; ".join(" ".join(words[0].split())[:200] for _, found in said for words in found)
    about = {"line": lines, "detail": error.sentence}
    if kinds == {"orders"}:
        lines = "; ".join(line for line in _order_lines(said[0][1]) if line)
        return _ask_again(errand, "order_refused", **about | {"line": lines})
    return _ask_again(errand, "command_refused", **about)


# -- answering


def tell(errand: Errand, said: str, **about: Any) -> None:
    """An answer to this mail, unless there were very many."""
    key = f"answer:{errand.mail.id}:{said}"
    if _answers(errand) >= MOST_TOLD:
        return
    if errand.seated:
        match = find_match(errand.match_id)
        tell_player(errand.transaction, "answer", key, errand.known, match, errand.seat, said=said, **about)
    else:
        _store_answer(errand, key, said, **about)


def answer_once(errand: Errand, said: str) -> None:
    """An answer to somebody who has no seat, about their registration or invitation. The same is said once."""
    _store_answer(errand, f"answer:{errand.notice.id}:{said}", said)


def _store_answer(errand: Errand, key: str, said: str, **about: Any) -> None:
    notice, player = errand.notice, errand.player
    store_notice(
        errand.transaction,
        "answer",
        key,
        address=notice.address,
        language=player.language if player else notice.language,
        player_id=player.id if player else notice.player_id,
        match_id=notice.match_id,
        about={"said": said} | about,
    )


def _answers(errand: Errand) -> int:
    """How many were sent about the decision that is due; or in the last hour, to who has no seat."""
    if errand.seated:
        length = find_match(errand.match_id).length
        told = [Notice.match_id == errand.match_id, Notice.seat == errand.seat, Notice.seq == length]
    else:
        told = [Notice.address == errand.notice.address, Notice.seat.is_(None)]
        told.append(Notice.created_at > now() - timedelta(hours=1))
    session = errand.transaction.session
    return session.scalar(select(func.count()).select_from(Notice).where(Notice.kind == "answer", *told)) or 0


# -- the commands


def _confirm(errand: Errand, _: Found) -> str:
    """Only a yes will do: who asks what this is, or says no, wants no player, nor somebody else's key in their name."""
    player = confirm(errand.transaction, errand.notice.about["registration"])
    answer_once(replace(errand, player=player), "confirmed")
    return "registration confirmed"


def _join(errand: Errand, found: Found) -> str:
    """Take a seat; the words behind it are mixed into the shuffle."""
    transaction, notice = errand.transaction, errand.notice
    lines = [line for paragraph in errand.reply.paragraphs for line in paragraph]
    words = " ".join([_words_behind(lines[0], found[0]), *lines[1:]]).strip()
    name = notice.address.partition("@")[0].title()
    player = player_at(transaction, notice.address, name if NAME.fullmatch(name) else "Guest", notice.language)
    if errand.dkim.domain:
        player.signed_by = errand.dkim.domain
    proof = proof_of("mailed", errand.evidence)
    match, seat = join_by_mail(transaction, errand.match_id, player, words or errand.mail.id, proof)
    if match.status == "open":
        tell_player(transaction, "answer", f"answer:{notice.id}", player, match, seat, said="joined")
    return f"joined on seat {seat}"


def _words_behind(line: str, found: re.Match[str]) -> str:
    return line[found.start("words") :] if found["words"] else ""


def _decline(errand: Errand, _: Found) -> str:
    """Say no to an invitation; who invited is told, once. One may still change one's mind."""
    match, transaction = find_match(errand.match_id), errand.transaction
    if seat_of(match.id, errand.player) is not None:
        raise Conflict("already_seated", "You have a seat in this match.")
    opener = transaction.session.get_one(Player, match.opened_by)
    if opener.deleted_at is None:
        _tell_declined(errand, match, opener)
    answer_once(errand, "declined")
    return "declined"


def _tell_declined(errand: Errand, match: Match, opener: Player) -> None:
    store_notice(
        errand.transaction,
        "declined",
        f"declined:{errand.notice.id}",
        address=opener.address,
        language=opener.language,
        player_id=opener.id,
        match_id=match.id,
        about={"who": errand.notice.address},
    )


def _open_nonce(errand: Errand, _: Found) -> str:
    """Whoever knows what the hash was made of opens it: the answer proves itself."""
    transaction, match_id, seat, player = errand.transaction, errand.match_id, errand.seat, errand.known
    proof = proof_of("mailed", errand.evidence)
    lines = [line for paragraph in errand.reply.paragraphs for line in paragraph]
    opened = any(open_nonce_by_mail(transaction, match_id, seat, player, line, proof) for line in lines)
    match = find_match(match_id)
    if match.status == "open" or not opened:
        said = "nonce_opened" if opened else "nonce_wrong"
        tell_player(transaction, "answer", f"answer:{errand.notice.id}:{said}", player, match, seat, said=said)
    return "nonce opened" if opened else "nothing said"


def _release(errand: Errand, _: Found) -> str:
    """The held mail was theirs: do what it says, as if it came now."""
    session = errand.transaction.session
    held = session.get(Mail, errand.notice.about["mail"])
    notice = None if held is None else answered_notice(session, held.recipient)
    if held is None or notice is None or held.verdict != HELD:
        return "ignored: nothing is held"
    confirmed = hashlib.sha256(errand.mail.raw).hexdigest()
    dkim = Verdict(errand.notice.about["dkim"])
    done = follow(replace(errand, mail=held, reply=read_reply(held.raw), notice=notice, dkim=dkim, confirmed=confirmed))
    held.verdict = f"released: {done}"
    return f"released {held.id}"


def _resign(errand: Errand, _: Found) -> str:
    """Asks back. The answer to that question, with the same word, is what counts."""
    if find_match(errand.match_id).status != "running":
        raise Conflict("not_running", "The match isn't running.")
    if errand.notice.about.get("said") != "resign":
        tell(errand, "resign")
        return "asked whether to resign"
    match = resign_mailed(errand.transaction, errand.match_id, errand.known, errand.seat, errand.evidence)
    if match.status == "running":  # else the finished notice says it all
        tell(errand, "resigned")
    return "resigned"


def _show(errand: Errand, _: Found) -> str:
    see_match(find_match(errand.match_id), errand.seat)  # refused where there is none yet
    tell(errand, "position")
    return "shown"


def _history(errand: Errand, _: Found) -> str:
    see_match(find_match(errand.match_id), errand.seat)
    tell(errand, "history")
    return "told what happened"


def _orders(errand: Errand, found: Found) -> str:
    """Leave the orders, all or none, and say which stand now. `orders` alone asks which there are."""
    lines = [line for line in _order_lines(found) if line]
    given = give_mailed(
        errand.transaction, errand.match_id, errand.known, errand.seat, lines, errand.mail.id, errand.evidence,
        act=not errand.moves,
    )  # fmt: skip
    tell(errand, "orders", numbers=[order.number for order in given])
    return "orders"


def _order_lines(found: Found) -> list[str]:
    return [said["order"] for said in found]


def _say(errand: Errand, found: Found) -> str:
    for said in found:
        send_message(errand.transaction, errand.match_id, errand.known, said["text"])
    tell(errand, "said")
    return "said" if len(found) == 1 else f"said {len(found)} things"


def _digest(errand: Errand, found: Found) -> str:
    """Shorthand: every kind of notice that can be gathered in the digest goes there, or back to its default."""
    wanted = "digest" if _truth(found[-1]["value"]) else None
    kinds = {name: wanted for name, preference in PREFERENCES.items() if preference.allows("digest")}
    if not kinds:
        raise NotFound("preference_invalid", "There is no digest here.")
    return _change(errand, kinds)


def _set(errand: Errand, found: Found) -> str:
    changes = {said["name"].lower(): _value(said["name"].lower(), said["value"]) for said in found if said["name"]}
    return _change(errand, changes)


def _change(errand: Errand, changes: dict[str, Any]) -> str:
    choose_preferences(errand.transaction, errand.known, changes)
    tell(errand, "preferences", changed=sorted(changes))
    return f"preferences {', '.join(sorted(changes))}".rstrip()


def _vacation(errand: Errand, found: Found) -> str:
    """Announce it, and say which days it takes and how many are left; or end it."""
    transaction, player, said = errand.transaction, errand.known, found[0]
    if found[1:]:
        raise Malformed("vacation_invalid", "Please announce one vacation at a time.")
    if said["over"]:
        end_vacation(transaction, player)
        last = today_of(player)
        tell(errand, "vacation_over", left=_days_left(errand, last, last))
        return "vacation over"
    until = _day(said["last"])
    start = None if said["first"] is None else _day(said["first"], until)
    vacation = announce_vacation(transaction, player, until, start)
    left = _days_left(errand, date.fromisoformat(vacation.first), until)
    tell(errand, "vacation", first=vacation.first, last=vacation.last, left=left)
    return f"vacation from {vacation.first} until {vacation.last}"


def _days_left(errand: Errand, first: date, last: date) -> dict[str, int]:
    """By year, of the years that these days lie in."""
    session, player_id = errand.transaction.session, errand.known.id
    return {str(year): days_left(session, player_id, year) for year in range(first.year, last.year + 1)}


_ISO = re.compile(r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)")
_GERMAN = re.compile(r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>\d{4})?")


def _day(text: str, until: date | None = None) -> date:
    """2027-07-31 or 31.7.2027. A first day needs no year (20.12.): it is the last 20 December up to `until`."""
    said = _ISO.fullmatch(text) or _GERMAN.fullmatch(text)
    years = [int(said["year"])] if said and said["year"] else [until.year, until.year - 1] if said and until else []
    try:
        days = [date(year, int(said["month"]), int(said["day"])) for year in years] if said else []
    except ValueError:  # 31 June
        days = []
    for day in days:
        if until is None or day <= until or day is days[-1]:
            return day
    raise Malformed("vacation_invalid", f"“{text}” is no day. Write it as 2027-07-31, or in German as 31.7.2027.")


def _value(name: str, text: str) -> Any:
    """The value that a word means: itself, a truth, a number or other JSON, whatever the preference allows. None: its
    default.
    """
    if text.lower() in ("default", "standard"):
        return None
    preference = PREFERENCES.get(name)
    meanings: list[Any] = [text, text.lower(), text.replace(" ", "_").lower(), _truth(text), _plain(text)]
    return next((one for one in meanings if one is not None and preference and preference.allows(one)), text)


def _truth(text: str) -> bool | None:
    if text.lower() in ("on", "yes", "true", "an", "ein", "ja", "wahr"):
        return True
    return False if text.lower() in ("off", "no", "false", "aus", "nein", "falsch") else None


def _plain(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return None


def _help(errand: Errand, _: Found) -> str:
    tell(errand, "help")
    return "helped"


_STATEMENTS = ("ogham-move+jws", "ogham-order+jws", "ogham-resign+jws")


def _signed(errand: Errand, found: Found) -> str:
    """What was signed and pasted into the mail counts as if it had been sent to the API."""
    done = []
    for text in (said[0] for said in found):
        typ = _typ(text)
        if typ == "ogham-order+jws":
            order = give_pasted(errand.transaction, errand.match_id, text)
            tell(errand, "orders", numbers=[order.number])
            done.append("signed order")
        elif typ == "ogham-resign+jws":
            match, _ = resign_pasted(errand.transaction, errand.match_id, text)
            if match.status == "running":
                tell(errand, "resigned")
            done.append("resigned")
        else:
            done.append(_submit(errand, text))
    return ", ".join(done)


def _submit(errand: Errand, text: str) -> str:
    submission = accept_pasted(errand.transaction, errand.match_id, text)
    if submission.status == "done":  # it came before: the same answer again
        about, match = {"submission": submission.id}, find_match(errand.match_id)
        key = f"answer:{errand.mail.id}:{submission.id}"
        tell_player(errand.transaction, "answer", key, errand.known, match, errand.seat, **about)
    return f"submission {submission.id}"


_VACATION = (
    r"(?:vacation|urlaub)[ :]+(?:(?P<over>over|vorbei|zu ende)"
    r"|(?:(?:from|vom|ab)\s+(?P<first>\d\S*)\s+)?(?:until|bis)\s+(?:zum\s+)?(?P<last>\d\S*))"
)
_NAME_AND_VALUE = r"(?P<name>\w+)(?:\s*[=:]\s*|\s+(?:auf\s+|to\s+)?)(?P<value>\S+(?: \S+){0,2})"


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


COMMANDS = (
    Command("yes", "welcome", _words(r"(?:yes|ja)\b.*"), _confirm, opens=True),
    Command("join", "invitation", _words(r"(?:join|mitspielen|yes|ja)\b[\s,:]*(?P<words>.*)"), _join, opens=True),
    Command("decline", "invitation", _words(r"(?:decline|ablehnen|absagen)\b.*"), _decline, opens=True),
    Command("nonce", "nonce", _words(r".*"), _open_nonce, opens=True, harmless=True),
    Command("release", "held", _words(r"yes|ja"), _release, opens=True, harmless=True),
    Command("signed", "seat", SIGNED, _signed, harmless=True),
    Command("resign", "seat", _words(r"(?:i )?resign|aufgeben|(?:ich )?gebe? auf"), _resign),
    Command("orders", "seat", _words(r"(?:orders?|auftrag|aufträge)\b[\s:,]*(?P<order>.*)"), _orders),
    Command("say", "seat", SAY, _say, goes_on=True),
    Command("show", "seat", _words(r"show|position|zeige?|zeigen|stellung"), _show, harmless=True),
    Command("history", "seat", _words(r"history|verlauf"), _history, harmless=True),
    Command("vacation", "player", _words(_VACATION), _vacation),
    Command("digest", "player", _words(r"(?:digest|sammelmail)\s+(?P<value>on|off|an|ein|aus)"), _digest),
    Command("set", "player", _words(rf"(?:setz?e?|einstellungen|preferences)(?:\s+{_NAME_AND_VALUE})?"), _set),
    Command("help", "player", _words(r"help|hilfe"), _help, harmless=True),
)  # fmt: skip
