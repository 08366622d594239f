"""Ann and Ben at a table, and Ann was asked for a move by mail: where most tests of the mail room begin."""

from dataclasses import dataclass
from email.message import EmailMessage

from sqlalchemy import func, select

from service.store.db import db
from service.store.tables import Letter
from tests.stage import Person, Stage


@dataclass
class Asked:
    """Ann was asked for a move; Ben waits."""

    stage: Stage
    ann: Person
    ben: Person
    match_id: str
    letter: EmailMessage
    """Ann's turn mail."""

    def answer(self, body: str, **headers: str) -> str:
        return self.stage.answer(self.letter, body, **headers)

    def newest(self) -> EmailMessage:
        return self.stage.letters(self.ann.address)[-1]


def ask_again(asked: Asked) -> Asked:
    """The same two at another table."""
    stage = asked.stage
    match_id = stage.table([asked.ann, asked.ben], first_player=0)
    return Asked(stage, asked.ann, asked.ben, match_id, stage.letters(asked.ann.address)[-1])


def ask(stage: Stage, game: str = "keltis", language: str = "en") -> Asked:
    ann, ben = stage.person("Ann", language), stage.person("Ben")
    match_id = stage.table([ann, ben], game, first_player=0)
    return Asked(stage, ann, ben, match_id, stage.letters(ann.address)[-1])


def count_letters(stage: Stage) -> int:
    with stage.app.app_context():
        return db.session.scalar(select(func.count()).select_from(Letter)) or 0


def text_of(letter: EmailMessage) -> str:
    """The text part with its lines joined: for sentences."""
    part = letter.get_body(("plain",))
    assert part is not None
    return " ".join(str(part.get_content()).split())


def legal_line(person: Person, match_id: str) -> str:
    """The first move that is on offer, as a line."""
    offer = person.client.legal(match_id)["moves"][0]
    filled = {choice["name"]: " ".join(choice["among"][: choice["count"]]) for choice in offer["choices"]}
    return str(offer["text"]).format(**filled)
