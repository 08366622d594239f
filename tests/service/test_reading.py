"""Reading a match: tags that save a transfer, cursors that miss nothing, and tokens that decide only what is seen."""

from typing import Any

import pytest

from client.keys import Identity
from tests.raw import get, post, statement
from tests.stage import Person, Stage


def token_of(person: Person) -> str:
    return person.client._bearer()["Authorization"].removeprefix("Bearer ")


def identity_of(person: Person) -> Identity:
    assert person.client.identity
    return person.client.identity


def test_what_has_not_changed_is_not_sent_again(stage: Stage) -> None:
    people = [stage.person("Ann"), stage.person("Ben")]
    match_id = stage.table(people, "hands", first_player=0)
    token = token_of(people[0])
    paths = [f"/v1/matches/{match_id}{path}" for path in ("", "/state", "/legal", "/board.svg", "/log")]

    def ask(path: str, tag: str = "", token: str | None = token) -> Any:
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        return stage.app.test_client().get(path, headers=bearer | ({"If-None-Match": tag} if tag else {}))

    tags = {}
    for path in paths:
        first = ask(path)
        tags[path] = first.headers["ETag"]
        assert "Authorization" in first.headers["Vary"]
        again = ask(path, tags[path])
        assert (again.status_code, again.data) == (304, b"")
        assert ask(path, tags[path], token=None).status_code == 200  # a spectator sees something else
        assert ask(path, tags[path], token=token_of(people[1])).status_code == 200
    assert ask(paths[1] + "?language=de", tags[paths[1]]).status_code == 200
    assert ask(paths[3] + "?theme=dark", tags[paths[3]]).status_code == 200
    card = people[0].client.legal(match_id)["moves"][0]["choices"][0]["among"][0]
    stage.play(people[0], match_id, f"play {card}")
    for path in paths:
        assert ask(path, tags[path]).status_code == 200


def test_pages_of_matches_and_of_a_log_follow_each_other_without_gap_or_double(stage: Stage) -> None:
    ann, ben = stage.person("Ann"), stage.person("Ben")
    mine = [ann.client.open("keltis", 2)["id"] for _ in range(101)]
    ben.client.open("keltis", 2)
    assert len(list(ann.client.matches())) == 102
    joined = ann.client.join(mine[7], 0)["id"]
    assert [match["id"] for match in ann.client.matches(mine=True)] == [joined]
    assert [match["id"] for match in ann.client.matches(status="running")] == []
    found = [match["id"] for match in stage.watcher().matches(status="open")]
    assert found == sorted(set(found))
    assert set(mine) < set(found)
    assert len(get(stage.app, "/v1/matches").get_json()["matches"]) == 100
    while ann.client.match(joined)["seq"] < 102:
        ann.client.add_key(Identity.generate())
    assert [entry["seq"] for entry in ann.client.log(joined)] == list(range(102))


@pytest.mark.parametrize("token", ["nonsense", None])
def test_what_a_statement_says_is_done_and_answered_whatever_token_comes_with_it(
    stage: Stage, token: str | None
) -> None:
    """A token decides what is seen. Answering 401 to what was done would be a lie."""
    ann, ben = stage.person("Ann"), stage.person("Ben")
    match = ann.client.open("keltis", 2)
    for seat, person in enumerate((ann, ben)):
        identity = identity_of(person)
        said = {"match": match["id"], "opened": match["opened"], "seat": seat, "keys": [identity.public]}
        body = {"statement": statement(identity, "ogham-join+jws", said | {"nonce": 32 * "n"})}
        answer = post(stage.app, f"/v1/matches/{match['id']}/seats", body, token)
        assert (answer.status_code, answer.get_json()["seat"]) == (201, seat)
    body = {"statement": statement(identity_of(ben), "ogham-resign+jws", {"match": match["id"], "seat": 1})}
    answer = post(stage.app, f"/v1/matches/{match['id']}/resignation", body, token)
    assert (answer.status_code, answer.get_json()["seat"], answer.get_json()["status"]) == (200, 1, "over")
