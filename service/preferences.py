"""What a player may choose for themselves, in one table: name, default, what is allowed, what it means.

The row keeps only what differs from the defaults. docs/preferences.md lists them; a test holds the two equal.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from service.errors import Malformed
from service.store.db import Transaction
from service.store.tables import Player


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


PREFERENCES: Mapping[str, Preference] = {
    "zone": Preference("UTC", is_zone, "the time zone of hours that you name, like Europe/Berlin"),
    "demand_dkim": Preference(
        False,
        lambda value: isinstance(value, bool),
        "whether a mail of yours counts only if your mail domain signed it",
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
    return preferences_of(player)
