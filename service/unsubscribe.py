"""Leaving a kind of mail by the code in it (RFC 8058): whoever has the mail may, without logging in."""

from service.addresses import refuse_invitations
from service.kinds import KINDS
from service.notices import code_of, notice_with
from service.preferences import PREFERENCES, change_preferences, preferences_of
from service.store.db import Transaction
from service.store.tables import Mail, Notice, Player

PURPOSE = "stop"


def may_be_left(notice: Notice) -> bool:
    """Whether this mail says how to get no more of its kind."""
    return KINDS[notice.kind].choice is not None or notice.kind == "digest"


def leaving_code(notice: Notice) -> str:
    return code_of(PURPOSE, notice.id)


def find_mail(code: str) -> Notice | None:
    """The notice whose kind is to be left."""
    notice = notice_with(PURPOSE, code)
    return notice if notice is not None and may_be_left(notice) else None


def unsubscribe(transaction: Transaction, notice: Notice) -> None:
    """No more mails of this kind. Who leaves the digest leaves all that is in it."""
    _choose(transaction, notice, "off")


def subscribe(transaction: Transaction, notice: Notice) -> None:
    """As it was before anybody chose. Which mails a digest was left for isn't known: those stay as they are."""
    _choose(transaction, notice, None)


def _choose(transaction: Transaction, notice: Notice, choice: str | None) -> None:
    if notice.player_id is None:
        refuse_invitations(transaction, notice.address, choice == "off")
        return
    player = transaction.session.get_one(Player, notice.player_id)
    chosen = preferences_of(player)
    mails = [name for name in PREFERENCES if name.startswith("mail_")]
    names = [f"mail_{notice.kind}"] if notice.kind != "digest" else [n for n in mails if chosen[n] == "digest"]
    change_preferences(transaction, player, dict.fromkeys(names, choice))


def unsubscribe_by_mail(transaction: Transaction, mail: Mail) -> str:
    """A mail to the address that List-Unsubscribe names; what it says doesn't matter."""
    notice = find_mail(mail.recipient.partition("@")[0].partition("+")[2])
    if notice is None:
        return "ignored: no such mail of ours to unsubscribe from"
    unsubscribe(transaction, notice)
    return f"unsubscribed from {notice.kind}"
