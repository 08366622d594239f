"""The tasks. Ids in, one function of the service called; what is in a task is in logs, so nothing else is."""

from celery import shared_task

from service.bots import move_bot
from service.mailroom.post import deliver_notice
from service.mailroom.receive import read_mail
from service.moves import settle_submission


@shared_task(name="settle")
def settle(submission_id: str) -> None:
    settle_submission(submission_id)


@shared_task(name="deliver")
def deliver(notice_id: str) -> None:
    deliver_notice(notice_id)


@shared_task(name="read")
def read(mail_id: str) -> None:
    read_mail(mail_id)


@shared_task(name="bot")
def bot(match_id: str) -> None:
    move_bot(match_id)
