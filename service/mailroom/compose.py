"""What each kind of notice says, as a `Content`, of which `letter.py` makes a mail. A further kind is a function here.

A notice is rendered when it is sent. `Outdated` says that what it would tell is no longer so.
"""

import json
import re
import textwrap
from collections.abc import Callable
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from sqlalchemy import func, select

from engine.errors import NotationError
from engine.events import Seat, as_seen_by
from engine.game import Language
from service.clocks import deadline_of, hours_at, running
from service.ledger import Account, ledger_between
from service.mailroom.commands import COMMANDS
from service.mailroom.letter import WIDTH, Content, player_of, write
from service.mailroom.openings import last_turn
from service.mailroom.phrases import PHRASES, say
from service.mailroom.ways import gathered_for, until
from service.matches import Sight, find_match, names_of, see_match
from service.notices import is_away, reply_token
from service.orders import orders_of
from service.parts import now, parts
from service.preferences import PREFERENCES, preferences_of
from service.store.db import Transaction, db
from service.store.logbook import entry_events, game_of
from service.store.tables import EPOCH, Match, Message, Notice, Player, Seated, Submission

MOST_TAPS = 4
MOST_LEDGER = 40
MOST_TOLD = 300  # sentences of a match's history


class Outdated(Exception):
    """The notice needn't be sent any more; the text says why."""


def content_of(notice: Notice) -> Content:
    """What it says; Outdated where that is no longer so."""
    return _KINDS[notice.kind](notice)


def compose(notice: Notice) -> bytes:
    """The mail for a notice, ready for the wire; the same bytes each time but for its Date and what is signed of it."""
    return write(notice, content_of(notice))


# -- what each kind says


def _welcome(notice: Notice) -> Content:
    language = _language(notice)
    return Content(
        say("welcome.subject", language),
        say("welcome.lead", language),
        how=say("welcome.how", language, code=reply_token(notice.id)),
        taps=(say("welcome.tap", language),),
    )


def _invitation(notice: Notice) -> Content:
    match, language = _match(notice), _language(notice)
    if match.status != "open":
        raise Outdated("the table is full")
    facts = {"by": notice.about["by"], "title": game_of(match).info.title, "seats": match.seats}
    return Content(
        say("invitation.subject", language, **facts),
        say("invitation.lead", language, **facts),
        how=say("invitation.how", language),
        taps=(say("invitation.tap", language),),
    )


def _started(notice: Notice) -> Content:
    match, language = _match(notice), _language(notice)
    if match.status != "running" or match.to_act == notice.seat:
        raise Outdated("the match went on")
    sight = _sight(match, notice)
    facts = {"title": sight.game.info.title, "who": sight.names[cast(int, sight.to_act)]}
    return Content(
        say("started.subject", language, **facts),
        say("started.lead", language, **facts),
        result=tuple(say("started.seat", language, seat=seat + 1, name=name) for seat, name in enumerate(sight.names)),
        sight=sight,
    )


def _nonce(notice: Notice) -> Content:
    """The table is full: who joined with the hash of a nonce has to open it."""
    match, language = _match(notice), _language(notice)
    if match.status != "open" or db.session.get_one(Seated, (match.id, notice.seat)).nonce:
        raise Outdated("the nonce is open")
    facts = {"title": game_of(match).info.title, "match": match.id}
    return Content(
        say("nonce.subject", language, **facts),
        say("nonce.lead", language, **facts),
        how=say("nonce.how", language, **facts),
    )


def _turn(notice: Notice) -> Content:
    match, language = _match(notice), _language(notice)
    if match.changed > cast(int, notice.seq) or match.to_act != notice.seat:
        raise Outdated("the decision was taken")
    sight = _sight(match, notice)
    kind = "turn" if sight.turn == notice.seat else "asked"
    facts = {"title": sight.game.info.title, "name": "" if sight.turn is None else sight.names[sight.turn]}
    return Content(
        say(f"{kind}.subject", language, **facts),
        say(f"{kind}.lead", language, **facts) + _until(match, notice),
        how=_guide(sight, language),
        taps=_taps(sight, language),
        since=_since_last_turn(match, notice, sight),
        sight=sight,
    )


def _taps(sight: Sight, language: Language) -> tuple[str, ...]:
    """The likeliest moves: those that the guide names, in the reader's language; else offers that leave no choice."""
    if sight.seat is None:
        return ()
    lines = re.findall(r"^  (\S+(?: \S+)*)", sight.game.guide(sight.view, language), re.MULTILINE)
    lines += [offer.text for offer in sight.game.legal(sight.view) if not offer.choices]
    found: dict[Any, str] = {}
    for line in lines:
        try:
            found.setdefault(sight.game.notate(sight.game.parse(line, sight.view)), line)
        except NotationError:  # a line that shows a form, and not a move
            continue
        if len(found) == MOST_TAPS:
            break
    return tuple(found.values())


def _guide(sight: Sight, language: Language) -> str:
    """What may be answered; to who is asked out of turn, also how not to be."""
    if sight.seat is None:
        return say("hand.hidden", language)
    guide = sight.game.guide(sight.view, language)
    if sight.seat == sight.to_act != sight.turn:
        guide += f"\n\n{_orders_guide(sight, language)}"
    return guide


def _orders_guide(sight: Sight, language: Language) -> str:
    if sight.seat is None:
        return say("hand.hidden", language)
    if sight.game.orders is None:
        return say("orders.none", language)
    guide = sight.game.orders.guide(sight.view, language)
    told = re.sub(r"^  (?=\S)", say("orders.word", language), guide, flags=re.MULTILINE)
    # With that word before it, what a line orders may leave no room for what it means.
    told = "\n".join(line if len(line) <= WIDTH else line.rpartition("  ")[0].rstrip() for line in told.split("\n"))
    return f"{say('orders.how', language)}\n\n{told.rstrip()}\n{say('orders.more', language)}"


def _answer(notice: Notice) -> Content:
    """What became of a mail: a settled submission's verdict, or why there was none."""
    about, language = notice.about, _language(notice)
    if about.get("said") in _TO_COMMANDS:
        return _TO_COMMANDS[about["said"]](notice)
    if notice.match_id is None:
        return Content("Ogham", say(f"answer.{about['said']}", language))
    match = _match(notice)
    subject = say("answer.subject", language, title=game_of(match).info.title)
    if "submission" in about:
        lead = _verdict(db.session.get_one(Submission, about["submission"]), language)
    elif about["said"] == "orders":
        return _orders(notice, match, subject)
    elif about["said"] == "order_refused":
        sight = _sight(match, notice)
        lead = say("answer.order_refused", language, line=about["line"], detail=about["detail"])
        return Content(subject, lead, how=_orders_guide(sight, language), sight=sight)
    elif about["said"] in ("nothing", "unclear"):
        lead = say(f"answer.{about['said']}", language, line=about.get("line", ""))
        if about["below"]:
            lead += "\n" + say("answer.below", language, cut=say("cut", language))
    else:  # about a seat, taken or not: there may be no position yet
        seat = "" if notice.seat is None else notice.seat + 1
        return Content(subject, say(f"answer.{about['said']}", language, seat=seat))
    sight = _sight(match, notice)
    return Content(subject, lead, how=_guide(sight, language), taps=_taps(sight, language), sight=sight)


def _orders(notice: Notice, match: Match, subject: str) -> Content:
    """What was ordered or taken back, and what stands now."""
    language, seat = _language(notice), Seat(cast(int, notice.seat))
    orders = {order.number: order for order in orders_of(match.id, seat)}
    given = [orders[number] for number in notice.about["numbers"]]
    lines = [say("orders.noted", language, number=order.number, line=order.line) for order in given]
    standing = [f"{order.number}: {order.line}" for order in orders.values() if order.status == "standing"]
    lines.append(
        say("orders.standing", language, orders="; ".join(standing)) if standing else say("orders.nothing", language)
    )
    sight = _sight(match, notice)
    receipts = tuple(order.receipt for order in given)
    return Content(subject, "\n".join(lines), how=_orders_guide(sight, language), sight=sight, receipts=receipts)


def _verdict(submission: Submission, language: Language) -> str:
    verdict = cast(dict[str, Any], submission.verdict)
    lines = []
    if verdict["played"]:
        lines.append(say("answer.played", language, moves="; ".join(item["move"] for item in verdict["played"])))
    if verdict["kept"]:
        lines.append(say("answer.kept", language, lines="; ".join(verdict["kept"])))
    if verdict["problem"] is not None:
        lines.append(_problem(verdict["problem"], language))
    if verdict["dropped"]:
        lines.append(say("answer.dropped", language, lines="; ".join(verdict["dropped"])))
    return "\n".join(lines)


def _problem(problem: dict[str, Any], language: Language) -> str:
    match problem["code"]:
        case "stale":
            return say("answer.stale", language)
        case "move_unreadable":
            return say("answer.unreadable", language, line=problem["line"])
        case "move_ambiguous":
            return say("answer.ambiguous", language, line=problem["line"], choices=", ".join(problem["choices"]))
    sentence = say("answer.refused", language, line=problem.get("line", ""), detail=problem["detail"])
    return f"{sentence} {say('answer.rule', language, rule=problem['rule'])}" if "rule" in problem else sentence


# -- answers to commands


def _subject(notice: Notice) -> str:
    if notice.match_id is None:
        return "Ogham"
    return say("answer.subject", _language(notice), title=game_of(_match(notice)).info.title)


def _simply(notice: Notice) -> Content:
    """One sentence, and what may be answered to it, where that is something."""
    language, said = _language(notice), notice.about["said"]
    how = say(f"command.{said}.how", language) if f"command.{said}.how" in PHRASES else ""
    return Content(_subject(notice), say(f"command.{said}", language), how=how)


def _help(notice: Notice) -> Content:
    """All commands that there are where this is read, and moves first, if one is asked for."""
    language, match = _language(notice), None if notice.seat is None else _match(notice)
    places = ("player",) if notice.seat is None else ("seat", "player")
    how = "\n".join(say(f"help.{command.name}", language) for command in COMMANDS if command.where in places)
    sight = _sight(match, notice) if match is not None and match.status != "open" else None
    guide = _guide(sight, language) if sight is not None and sight.seat == sight.to_act else ""
    return Content(_subject(notice), say("command.help", language), how=f"{guide}\n\n{how}".strip("\n"))


def _position(notice: Notice) -> Content:
    language, sight = _language(notice), _sight(_match(notice), notice)
    how, taps = ("", ()) if sight.to_act != notice.seat else (_guide(sight, language), _taps(sight, language))
    return Content(_subject(notice), say("command.position", language), how=how, taps=taps, sight=sight)


def _history(notice: Notice) -> Content:
    """What happened so far, in words, as this seat may know it; of a long match, what happened last."""
    match, language = _match(notice), _language(notice)
    sight = _sight(match, notice)
    events = [event for _, some in entry_events(db.session(), match, 0, sight.length) for event in some]
    told = list(sight.game.recount(as_seen_by(sight.seat, events), language, sight.names))
    lead = say("command.history" if len(told) <= MOST_TOLD else "command.history.end", language, count=MOST_TOLD)
    return Content(_subject(notice), "\n".join([lead, *told[-MOST_TOLD:]]))


def _preferences(notice: Notice) -> Content:
    """What was changed, and what all of them are now."""
    language = _language(notice)
    player = db.session.get_one(Player, cast(str, notice.player_id))
    lines = [line for name, value in preferences_of(player).items() for line in _preference(name, _spelt(value))]
    changed = [f"{name}: {_spelt(preferences_of(player)[name])}" for name in notice.about["changed"]]
    lead = (
        say("command.changed", language, changes="; ".join(changed)) if changed else say("command.unchanged", language)
    )
    return Content(_subject(notice), lead, how="\n".join([say("command.preferences.how", language), "", *lines]))


def _preference(name: str, value: str) -> list[str]:
    """In lines that fit, none of which is a command."""
    meaning = textwrap.wrap(PREFERENCES[name].meaning, WIDTH - 6, break_long_words=False)
    return [f"  {name}: {value}", *(f"      {line}" for line in meaning)]


def _spelt(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _vacation(notice: Notice) -> Content:
    """From when until when, and how many days are left."""
    about, language = notice.about, _language(notice)
    lead = say(f"command.{about['said']}", language, first=about.get("first"), last=about.get("last"))
    left = [say("command.vacation.left", language, year=year, days=days) for year, days in about["left"].items()]
    return Content(_subject(notice), "\n".join([lead, *left]))


def _command_refused(notice: Notice) -> Content:
    about, language = notice.about, _language(notice)
    lead = say("command.refused", language, line=about["line"], detail=about["detail"])
    return Content(_subject(notice), lead, how=_help(notice).how)


_TO_COMMANDS: dict[str, Callable[[Notice], Content]] = {
    "help": _help,
    "position": _position,
    "history": _history,
    "preferences": _preferences,
    "command_refused": _command_refused,
    "vacation": _vacation,
    "vacation_over": _vacation,
    "said": _simply,
    "resign": _simply,
    "resigned": _simply,
    "held": _simply,
    "unsigned": _simply,
}


def _declined(notice: Notice) -> Content:
    """To who invited them."""
    title, language = game_of(_match(notice)).info.title, _language(notice)
    lead = say("declined.lead", language, who=notice.about["who"], title=title)
    return Content(say("declined.subject", language, title=title), lead)


def _message(notice: Notice) -> Content:
    """What somebody at the table says."""
    match, language = _match(notice), _language(notice)
    message = db.session.get(Message, notice.about["message"])
    if message is None:
        raise Outdated("who said it has deleted their account")
    facts = {"name": names_of(match)[message.seat], "title": game_of(match).info.title}
    return Content(
        say("message.subject", language, **facts),
        say("message.lead", language, **facts),
        words=message.text,
        how=say("message.how", language),
    )


def _finished(notice: Notice) -> Content:
    match, language = _match(notice), _language(notice)
    sight = _sight(match, notice)
    places, scores, seat = sight.outcome.places, sight.outcome.scores, cast(int, notice.seat)
    if places[seat] > 1:
        place = say("finished.place", language, place=places[seat])
    else:
        place = say("finished.shared" if places.count(1) > 1 else "finished.first", language)
    title = sight.game.info.title
    ranks = sorted(range(match.seats), key=lambda one: (places[one], one))
    return Content(
        say("finished.subject", language, title=title),
        say("finished.lead", language, title=title, place=place),
        result=tuple(
            say(
                "finished.seat",
                language,
                place=places[one],
                name=sight.names[one],
                total=scores[one].total,
            )
            for one in ranks
        ),
        check=say("finished.check", language, match=match.id, url=parts().settings.public_url),
        since=_since_last_turn(match, notice, sight),
        sight=sight,
    )


def _digest(notice: Notice) -> Content:
    language, items = _language(notice), []
    for item in gathered_for(notice):
        try:
            items.append((item, content_of(item)))
        except Outdated:
            continue
    if not items:
        raise Outdated("nothing is left to tell")
    return Content(
        say("digest.subject", language, count=len(items)),
        say("digest.lead", language),
        items=tuple(items),
        ledger=_ledger(notice, {item.id for item, _ in items}),
    )


def _ledger(notice: Notice, shown: set[str]) -> tuple[str, ...]:
    """What became of the other notices since the last digest."""
    player = db.session.get_one(Player, notice.player_id)
    digests = (Notice.player_id == player.id, Notice.kind == "digest", Notice.outcome == "sent")
    before = db.session.scalar(select(func.max(Notice.done_at)).where(*digests, Notice.due_at < until(notice)))
    zone = ZoneInfo(preferences_of(player)["zone"])
    return tuple(
        _ledger_line(account, zone, _language(notice))
        for account in ledger_between(player.id, before or EPOCH, until(notice), MOST_LEDGER)
        if account.notice.id not in shown and account.notice.kind != "digest"
    )


def _ledger_line(account: Account, zone: ZoneInfo, language: Language) -> str:
    notice, step = account.notice, account.steps[-1]
    what = say(f"kind.{notice.kind}", language)
    if notice.match_id is not None:
        what += f" ({game_of(_match(notice)).info.title})"
    why = f" ({step.why})" if step.why and step.what not in ("accepted", "digested") else ""
    return f"{_moment(step.at, zone, language)}  {what}: {say(f'step.{step.what}', language)}{why}"


def _moment(at: datetime, zone: ZoneInfo, language: Language) -> str:
    return at.astimezone(zone).strftime("%d.%m. %H:%M" if language == "de" else "%d %b %H:%M")


def _reminder(notice: Notice) -> Content:
    match, language = _match(notice), _language(notice)
    row = running(db.session(), match)
    if match.changed > cast(int, notice.seq) or row is None or row.seat != notice.seat:
        raise Outdated("the turn is over, or no clock runs")
    hours = hours_at(db.session(), match, db.session.get_one(Player, row.player_id), row.since)
    if hours.is_quiet(now()) or hours.is_off(now()):
        raise Outdated("the player is not to be disturbed")
    sight = _sight(match, notice)
    title = sight.game.info.title
    return Content(
        say("reminder.subject", language, title=title),
        say("reminder.lead", language, title=title) + _until(match, notice),
        how=_guide(sight, language),
        taps=_taps(sight, language),
        since=_since_last_turn(match, notice, sight),
        sight=sight,
    )


def _timed_out(notice: Notice) -> Content:
    """The mail that brings somebody back in: it can be answered with a move, or with a word."""
    match, language = _match(notice), _language(notice)
    if notice.about["said"] == "away" and not is_away(Transaction(db.session()), match, cast(int, notice.seat)):
        raise Outdated("the player is back")
    sight = _sight(match, notice)
    title = sight.game.info.title
    return Content(
        say("timed_out.subject", language, title=title),
        say(f"timed_out.{notice.about['said']}", language, title=title),
        how="" if match.status != "running" else _guide(sight, language),
        since=_since_last_turn(match, notice, sight),
        sight=sight,
    )


def _clock(notice: Notice) -> Content:
    """What a clock did about somebody at the table."""
    match, language, about = _match(notice), _language(notice), notice.about
    facts = {"title": game_of(match).info.title, "name": names_of(match)[about["who"]]} | about
    return Content(
        say("clock.subject", language, **facts),
        say(f"clock.{about['said']}", language, **facts) + _until(match, notice),
    )


def _until(match: Match, notice: Notice) -> str:
    """Until when the reader has time, by their own clock; empty where no clock runs for them."""
    row = running(db.session(), match)
    if row is None or row.seat != notice.seat:
        return ""
    language, player = _language(notice), db.session.get_one(Player, row.player_id)
    moment = deadline_of(db.session(), match, row).astimezone(ZoneInfo(preferences_of(player)["zone"]))
    day = say("clock.days", language).split()[moment.weekday()]
    return "\n" + say("clock.until", language, day=day, when=f"{moment:%Y-%m-%d %H:%M}", zone=moment.tzinfo)


_KINDS: dict[str, Callable[[Notice], Content]] = {
    "welcome": _welcome,
    "invitation": _invitation,
    "nonce": _nonce,
    "started": _started,
    "turn": _turn,
    "answer": _answer,
    "declined": _declined,
    "message": _message,
    "finished": _finished,
    "digest": _digest,
    "reminder": _reminder,
    "timed_out": _timed_out,
    "clock": _clock,
}


# -- what they need


def _language(notice: Notice) -> Language:
    return cast(Language, notice.language)


def _match(notice: Notice) -> Match:
    return find_match(cast(str, notice.match_id))


def _sight(match: Match, notice: Notice) -> Sight:
    """The position that the notice tells of, however much later it is sent: what it shows is what an answer answers.

    As a spectator sees it, where the player wants nothing in mails that only they may see.
    """
    seat = None if notice.seat is None else Seat(notice.seat)
    player = player_of(notice)
    if player is not None and seat is not None and not preferences_of(player)["hand_in_mails"]:
        seat = None if _has_secrets(match, seat, cast(int, notice.seq)) else seat
    return see_match(match, seat, notice.seq)


def _has_secrets(match: Match, seat: Seat, length: int) -> bool:
    """Whether the seat knows more than a spectator does. In a game without hands, nothing needs hiding."""
    events = [event for _, some in entry_events(db.session(), match, 0, length) for event in some]
    return list(as_seen_by(seat, events)) != list(as_seen_by(None, events))


def _since_last_turn(match: Match, notice: Notice, sight: Sight) -> tuple[str, ...]:
    """What happened since this seat last acted; where it acted last of all, that and what it answered to."""
    entries = entry_events(db.session(), match, last_turn(match.id, notice.seat, sight.length), sight.length)
    events = [event for _, some in entries for event in some]
    return tuple(sight.game.recount(as_seen_by(sight.seat, events), _language(notice), sight.names))
