"""What a player may choose for themselves, in one table: name, default, what is allowed, what it means.

The row keeps only what differs from the defaults. docs/preferences.md lists them; a test holds the two equal.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import and_, or_, select

from service.errors import Malformed
from service.kinds import CHOICES, KINDS
from service.parts import now
from service.store.db import Transaction
from service.store.tables import Notice, Player
from service.timing import HALF, read_quiet

MOST_REMINDERS = 6


@dataclass(frozen=True, slots=True)
class Preference:
    default: Any
    allows: Callable[[Any], bool]
    meaning: str


def is_zone(name: Any) -> bool:
    try:
        return isinstance(name, str) and bool(ZoneInfo(name).key)
    except (KeyError, ValueError, OSError):
        return False


def _one_of(*choices: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in choices


def _is_hour(value: Any) -> bool:
    return type(value) is int and 0 <= value <= 23  # for Python, true is 1


def are_quiet_hours(value: Any) -> bool:
    try:
        return value is None or (isinstance(value, str) and bool(read_quiet(value)))
    except ValueError:
        return False


def are_reminders(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= MOST_REMINDERS
        and all(isinstance(point, str) and re.fullmatch(rf"{HALF}|[1-9][0-9]{{0,2}}h", point) for point in value)
    )


PREFERENCES: Mapping[str, Preference] = {
    "zone": Preference("UTC", is_zone, "the time zone of hours that you name, like Europe/Berlin"),
    "demand_dkim": Preference(
        False,
        lambda value: isinstance(value, bool),
        "whether a mail of yours counts only if your mail domain signed it",
    ),
    **{
        f"mail_{name}": Preference(kind.choice, _one_of(*CHOICES), f"a mail when {kind.when}: off, now or digest")
        for name, kind in KINDS.items()
        if kind.choice is not None
    },
    "digest_hour": Preference(18, _is_hour, "the hour, 0 to 23, at which the digest is sent, once a day"),
    "thread": Preference("match", _one_of("match", "turn"), "what makes one thread of mails: match or turn"),
    "hand_in_mails": Preference(
        True, lambda value: isinstance(value, bool), "whether mails show what only you may see: true or false"
    ),
    "quiet": Preference(
        None, are_quiet_hours, "hours in which no time of yours runs out and no reminder comes, like 22:00-07:00"
    ),
    "reminders": Preference(
        ["24h"], are_reminders, "when you are reminded of a turn: half (of your time gone), 24h (so many hours left)..."
    ),
}


def preferences_of(player: Player) -> dict[str, Any]:
    """All of them, as they hold for this player."""
    return {name: player.preferences.get(name, preference.default) for name, preference in PREFERENCES.items()}


def change_preferences(transaction: Transaction, player: Player, changes: Mapping[str, Any]) -> dict[str, Any]:
    """All or none of the changes; what the preferences are then. `None` puts one back to its default."""
    for name, value in changes.items():
        if name not in PREFERENCES:
            known = ", ".join(PREFERENCES)
            raise Malformed(
                "preference_invalid", f"There is no preference “{name}”. There are: {known}.", preference=name
            )
        if value is not None and not PREFERENCES[name].allows(value):
            meaning = PREFERENCES[name].meaning
            raise Malformed("preference_invalid", f"{value!r} won't do for “{name}”: {meaning}.", preference=name)
    player = transaction.session.get_one(Player, player.id, with_for_update=True, populate_existing=True)
    kept = player.preferences | dict(changes)
    player.preferences = {
        name: value for name, value in kept.items() if value is not None and value != PREFERENCES[name].default
    }
    if not changes.keys().isdisjoint(("zone", "digest_hour")):
        _move_digest(transaction, player)
    return preferences_of(player)


def _move_digest(transaction: Transaction, player: Player) -> None:
    """What waits for the player's hour waits for the new one."""
    stroke = next_digest(player)
    for notice in transaction.session.scalars(
        select(Notice).where(
            Notice.player_id == player.id,
            Notice.due_at > now(),
            or_(
                Notice.status == "gathered",
                and_(Notice.kind == "digest", Notice.status == "waiting", Notice.attempts == 0),
            ),
        )
    ):
        notice.due_at = stroke
        if notice.kind == "digest":
            notice.about = {"until": stroke.timestamp()}


def next_digest(player: Player) -> datetime:
    """When the player's hour strikes next."""
    chosen = preferences_of(player)
    zone, hour = ZoneInfo(chosen["zone"]), time(chosen["digest_hour"])
    today = now().astimezone(zone).date()
    strokes = (datetime.combine(today + timedelta(days=days), hour, zone).astimezone(UTC) for days in (0, 1, 2))
    return next(stroke for stroke in strokes if stroke > now())
