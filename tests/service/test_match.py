"""A match through the service, without a network between."""

import json
from collections.abc import Callable

import pytest
from sqlalchemy import delete, text
from sqlalchemy.exc import DBAPIError

from client.chain import check_log
from engine.chance import Chance
from engine.events import Seat
from engine.game import Game, complete_options
from engine.log import commitment, decode, replay, seed
from engine.play import fold
from engine.values import freeze
from service.store.db import db
from service.store.tables import Snapshot
from tests.games import TEST_GAMES, shorter
from tests.stage import Stage

pytestmark = pytest.mark.both_databases


@pytest.mark.parametrize("game", TEST_GAMES, ids=lambda game: game.info.id)
def test_a_whole_match_is_played_and_every_state_is_what_the_log_says(
    stage: Stage, game: Game, sample: Callable[[int, int], int]
) -> None:
    """In the small size, every seventh of them."""
    people = [stage.person("Ann"), stage.person("Ben")]
    match_id = stage.table(people, game.info.id, **shorter(game, sample(8, 100)))
    stage.play_out_quickly(people, match_id)
    entries = list(people[0].client.log(match_id))
    check_log(entries)
    kinds = [json.loads(entry["public"])["kind"] for entry in entries]
    assert kinds[:4] == ["opened", "joined", "joined", "dealt"]
    assert kinds[-1] == "closed"
    assert set(kinds[4:-1]) == {"moved"}
    values = {opening["number"]: opening["value"] for entry in entries for opening in entry["openings"]}
    looked_at = [*range(4, len(entries), sample(7, 1)), len(entries)]
    told = [people[0].client.state(match_id, at) for at in looked_at]
    for state in told:
        alone = replay(game, (entry["public"].encode() for entry in entries[: state["seq"]]), values.__getitem__)
        assert state["view"] == freeze(game.view(alone, Seat(0)))
        assert state["head"] == entries[state["seq"] - 1]["hash"]
    first, last = json.loads(entries[0]["public"]), json.loads(entries[-1]["public"])
    assert told[-1]["outcome"] == last["outcome"]
    secret = decode(last["secret"])
    assert first["commitment"] == commitment(match_id, secret)
    nonces = [json.loads(entry["public"])["nonce"] for entry in entries[1:3]]
    options = complete_options(game.info, 2, first["options"])
    dealt = game.deal(2, options, Chance(seed(match_id, secret, nonces)))
    assert freeze(fold(game, None, dealt)) == freeze(replay(game, (entries[3]["public"].encode(),), values.__getitem__))
    with stage.app.app_context():
        db.session.execute(delete(Snapshot))
        db.session.commit()
    assert [people[0].client.state(match_id, at) for at in looked_at] == told


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET kind = 'moved'",
        "DELETE FROM entry",
        "UPDATE opening SET salt = salt",
        "DELETE FROM opening WHERE number = 0",
        "INSERT OR REPLACE INTO entry SELECT * FROM entry",
        "REPLACE INTO opening SELECT * FROM opening",
        "TRUNCATE entry CASCADE",
        "TRUNCATE opening",
    ],
)
def test_the_database_itself_refuses_to_change_the_log(stage: Stage, statement: str) -> None:
    only = {"TRUNCATE": "postgresql", "REPLACE": "sqlite", "INSERT": "sqlite"}.get(statement.split(maxsplit=1)[0])
    stage.table([stage.person("Ann"), stage.person("Ben")])
    before = stage.fingerprint()
    with stage.app.app_context():
        if only not in (None, db.engine.dialect.name):
            return  # the other database has no such statement
        with pytest.raises(DBAPIError, match="stays as it is"):
            db.session.execute(text(statement))
        db.session.rollback()
    assert stage.fingerprint() == before
