"""Mails that come back: delivery reports (RFC 3464) are read, and an address at which nobody is gets nothing more.

Each mail of ours has an envelope sender of its own (VERP), so that whatever comes back says by its address alone what
it is about. What a report quotes of the mail is not looked at.
"""

import re
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import Message
from typing import cast

from sqlalchemy import select

from service.addresses import count_bounce
from service.ledger import note_step
from service.notices import code_of, notice_with
from service.parts import parts
from service.store.db import Transaction
from service.store.tables import Mail, Notice, Step

MOST_RAW = 131_072
LONGEST_REASON = 200


def bounce_address(notice: Notice) -> str:
    """The envelope sender of a notice's mail."""
    return f"bounce+{code_of('bounce', notice.id)}@{parts().settings.mail_domain}"


@dataclass(frozen=True, slots=True)
class Report:
    """What a delivery report says of one mail."""

    failed: bool
    status: str
    """RFC 3463: 5.1.1"""
    reason: str

    @property
    def hard(self) -> bool:
        return self.failed and nobody_there(self.status)


def nobody_there(status: str) -> bool:
    """Whether the fault is the address's, for good: not a full mailbox, nor a mail that somebody didn't like."""
    return bool(re.match(r"5\.(0|1|4)\.|5\.2\.[01]$", status))


def status_in(code: int, said: str) -> str:
    """The enhanced status that a mail server's refusal begins with; what its code stands for where there is none."""
    found = re.match(r"\s*([245]\.\d{1,3}\.\d{1,3})\b", said)
    if found:
        return found[1]
    return {550: "5.1.1", 551: "5.1.6", 553: "5.1.3"}.get(code, f"{code // 100}.7.0")


def read_report(raw: bytes) -> Report | None:
    """The first recipient's failure or delay in a delivery report; None where the mail is none, or tells of neither."""
    try:
        mail = message_from_bytes(raw[:MOST_RAW], policy=policy.compat32)
        return next((report for part in mail.walk() for report in _reports(part)), None)
    except Exception:  # noqa: BLE001  (the standard library's parser raises nearly anything, RecursionError included)
        return None


def _reports(part: Message) -> list[Report]:
    if part.get_content_type() != "message/delivery-status":
        return []
    blocks = part.get_payload()
    found = []
    for block in cast(list[Message], blocks) if isinstance(blocks, list) else []:
        action = str(block.get("Action", "")).strip().lower()
        status = re.match(r"\s*([245]\.\d{1,3}\.\d{1,3})\b", str(block.get("Status", "")))
        if action not in ("failed", "delayed") or status is None:
            continue
        words = " ".join(str(block.get("Diagnostic-Code", "")).split()).partition(";")[2].strip()
        said = "".join(char for char in words if char.isprintable())[:LONGEST_REASON]
        found.append(
            Report(action == "failed", status[1], f"{status[1]} {said.removeprefix(status[1]).strip()}".strip())
        )
    return found


def record_bounce(transaction: Transaction, mail: Mail) -> str:
    """Note in the ledger that a mail of ours came back, or is late; what is recorded of the report itself."""
    code = mail.recipient.partition("@")[0].partition("+")[2]
    notice = notice_with("bounce", code)
    if notice is None:
        return "ignored: a bounce of nothing we sent"
    report = read_report(mail.raw)
    if report is None:
        return "ignored: no delivery report"
    # It may be quicker than the 250 to us: whoever sent the notice then writes into the ledger after us.
    transaction.session.get_one(Notice, notice.id, with_for_update=True, populate_existing=True)
    if not report.failed:
        note_step(transaction, notice.id, "delayed", report.reason)
        return f"notice {notice.id} is delayed"
    told = select(Step.number).where(Step.notice_id == notice.id, Step.what == "bounced")
    if transaction.session.scalars(told).first() is not None:
        return "ignored: reported before"
    note_step(transaction, notice.id, "bounced", report.reason)
    if report.hard:
        count_bounce(transaction, notice.address, report.reason)
    return f"notice {notice.id} bounced"
