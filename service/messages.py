"""Messages: what players at a table say to each other.

They are nobody else's business: no spectator reads them, the log doesn't hold them, and they go with their writer's
account. A notice tells the others, as soon or as seldom as each of them chose.
"""

import re
import unicodedata
from datetime import timedelta

from sqlalchemy import func, select

from service.clocks import check_seat
from service.errors import Malformed, TooOften
from service.ids import new_id
from service.matches import find_match, lock_match
from service.notices import table_of, tell_player
from service.parts import now
from service.store.db import Transaction, db
from service.store.tables import Match, Message, Player

LONGEST = 2_000
MOST_A_DAY = 20
"""Of one player in one match: each of them makes a mail to everybody else."""
DAY = timedelta(days=1)


def send_message(transaction: Transaction, match_id: str, player: Player, text: str) -> Message:
    """Say this to the others at the table, who are told by a notice.

    NotAllowed for who has no seat there, Malformed where nothing is said or too much, TooOften after many in a day.
    """
    match = lock_match(transaction.session, match_id)  # who says two things at once says them one after the other
    seat, text = check_seat(match, player), _clean(text)
    _check_number(transaction, match, player)
    last = select(func.max(Message.number)).where(Message.match_id == match.id)
    message = Message(
        id=new_id(), match_id=match.id, number=(transaction.session.scalar(last) or 0) + 1, seat=seat,
        player_id=player.id, text=text, sent_at=now(),
    )  # fmt: skip
    transaction.session.add(message)
    transaction.session.flush()
    for other, reader in table_of(transaction, match):
        if other != seat:
            tell_player(
                transaction, "message", f"message:{message.id}:{other}", reader, match, other, message=message.id
            )
    return message


def _clean(text: str) -> str:
    """As it can be read: without what can't be seen or turns the direction of a line, and without large holes."""
    lines = (" ".join("".join(filter(_visible, line.replace("\t", " "))).split()) for line in text.splitlines())
    shown = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    if not 1 <= len(shown) <= LONGEST:
        raise Malformed("message_invalid", f"A message has 1 to {LONGEST} characters that can be seen.")
    return shown


def _visible(char: str) -> bool:
    return not unicodedata.category(char).startswith("C")


def _check_number(transaction: Transaction, match: Match, player: Player) -> None:
    sent = transaction.session.scalars(
        select(Message.sent_at)
        .where(Message.match_id == match.id, Message.player_id == player.id, Message.sent_at > now() - DAY)
        .order_by(Message.sent_at.desc())
        .limit(MOST_A_DAY)
    ).all()
    if len(sent) == MOST_A_DAY:
        wait = int((sent[-1] + DAY - now()).total_seconds()) + 1
        sentence = f"You have said {MOST_A_DAY} things at this table within a day. Please wait."
        raise TooOften("too_many_messages", sentence, retry_after=wait)


def read_messages(match_id: str, player: Player, after: int, most: int) -> list[Message]:
    """What was said at the table, for those who sit there; the oldest first, from the first number behind `after`."""
    match = find_match(match_id)
    check_seat(match, player)
    found = select(Message).where(Message.match_id == match.id, Message.number > after)
    return list(db.session.scalars(found.order_by(Message.number).limit(most)))
