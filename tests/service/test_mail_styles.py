"""Answers as real clients write them, in every charset and encoding: the move is found, or nothing is done.

Who wrote it (`CLIENTS`, `TRIMMERS`, `UNDERNEATH`), how it is dressed (`DRESSES`) and what stands below (`ENDINGS`) make
a style. What is expected of each is in `expected`; a style that isn't named there must bring the move.
"""

from itertools import cycle

import pytest
from sqlalchemy import select

from service.mailroom.receive import accept_mail, read_mail
from service.store.db import db
from service.store.tables import Mail, Submission
from tests.mail.asked import Asked, ask
from tests.mail.clients import CLIENTS, DRESSES, ENDINGS, TRIMMERS, UNDERNEATH, us
from tests.stage import Stage

MOVE = "reveal, lay else leave"
WRITERS = CLIENTS | TRIMMERS | UNDERNEATH
_endings = cycle(ENDINGS)
STYLES = [(writer, dress, next(_endings)) for writer in WRITERS for dress in DRESSES]


def expected(writer: str, dress: str) -> str:
    """`move`: it is found. `nothing`: nothing is done. `either`: the bytes may say both, and no third thing happens."""
    if writer in UNDERNEATH:  # below the whole letter nothing is read
        return "nothing"
    return "move" if DRESSES[dress].reads else "either"


@pytest.fixture(scope="module")
def waiting(shared_stage: Stage) -> Asked:
    return ask(shared_stage)


def test_there_are_enough_of_them() -> None:
    assert len(STYLES) >= 300


@pytest.mark.parametrize(("writer", "dress", "ending"), STYLES)
def test_the_move_is_found_or_nothing_is_done(waiting: Asked, writer: str, dress: str, ending: str) -> None:
    raw = DRESSES[dress].put_on(WRITERS[writer](waiting.letter, MOVE + ENDINGS[ending]))
    with waiting.stage.app.app_context():
        mail_id = accept_mail("ann@example.org", us(waiting.letter), raw)
        read_mail(mail_id)
        verdict = db.session.get_one(Mail, mail_id).verdict or ""
        found = db.session.scalars(select(Submission).where(Submission.jti == mail_id)).one_or_none()
    wanted = expected(writer, dress)
    if found is not None:
        assert wanted in ("move", "either")
        assert found.lines == [MOVE]
    else:
        assert wanted in ("nothing", "either"), verdict
        assert verdict in ("nothing said", "ignored: answered often enough", "ignored: not from the registered address")
