"""Bots at a table: how they choose, and their moves.

A match that waits for a bot says so in its row (`bot_due`), a worker is rung, and the sweep finds what a lost ring left
behind. Thinking may take long, so it is done between two transactions: one that puts `bot_due` off, which keeps others
away for the time of a lease, and one that plays what came of it, unless the game has changed meanwhile.
"""

import logging
from datetime import datetime

from sqlalchemy import select

from engine.chance import Chance
from engine.events import Seat
from engine.game import Move, State
from engine.play import play_move
from service.matches import bot_at, chance_of, lock_match
from service.parts import now, parts
from service.store.db import db, writing
from service.store.logbook import game_of, load_state
from service.store.tables import Match
from service.turns import Playing, go_on, tell_who_is_asked

MOST_AT_ONCE = 200

journal = logging.getLogger(__name__)


def choose_move(bot: str, match: Match, state: State, seat: Seat) -> Move:
    """What this bot makes of the seat's view. Whatever goes wrong with it, the match goes on: by the absent move."""
    game, chance = game_of(match), chance_of(match)
    view = game.view(state, seat)
    # From the seed, which nobody knows before the end: so nobody foresees a bot. It isn't given the chance itself,
    # which would tell it what is in the decks.
    luck = Chance(chance.below(f"bot/{match.changed}", 1 << 64).to_bytes(8, "big"))
    try:
        move = parts().bots[bot](game, view, luck)
        play_move(game, state, seat, move, chance)  # what is no move is found here, and not while rows are held
    except Exception:  # noqa: BLE001  (a bot's fault, or it is no longer there: neither may stop a match)
        journal.exception("%s found no move in match %s", bot, match.id)
        return game.absent(view)
    return move


def move_bot(match_id: str) -> None:
    """One move of the bot that is asked, if one is and nobody is at it. When another follows, a worker is rung."""
    try:
        with writing() as transaction:
            match = lock_match(transaction.session, match_id)
            if match.bot_due is None or match.bot_due > now() or match.to_act is None:
                return
            match.bot_due = now() + parts().settings.lease
            seat, changed = Seat(match.to_act), match.changed
            bot, state = bot_at(transaction.session, match, seat), load_state(transaction.session, match)
        if bot is not None:
            _play(match_id, changed, seat, choose_move(bot, match, state, seat))
    except Exception:  # noqa: BLE001  (our fault: it is found again when the lease is over)
        journal.exception("no bot could move in match %s", match_id)


def _play(match_id: str, changed: int, seat: Seat, move: Move) -> None:
    with writing() as transaction:
        match = lock_match(transaction.session, match_id)
        if match.changed != changed or match.bot_due is None:
            return  # somebody left the table while it thought, or another worker was quicker
        playing = Playing(transaction, match)
        playing.bot(seat, move)
        go_on(playing)
        tell_who_is_asked(playing)


def bots_due(overdue: datetime) -> list[str]:
    """The matches in which a bot was asked before this moment and nobody is at it."""
    query = select(Match.id).where(Match.bot_due <= overdue).order_by(Match.bot_due).limit(MOST_AT_ONCE)
    found = list(db.session.scalars(query))
    db.session.commit()
    return found
