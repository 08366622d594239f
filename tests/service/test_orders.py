"""Lines that wait for others' answers, and orders that answer for their owner. In Hands, each card played is answered.

Ann plays, Ben is asked whether he beats her card: out of turn, and whatever he holds.
"""

import json
from collections.abc import Callable
from datetime import UTC, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from client.keys import Identity
from client.orders import check_orders
from engine.errors import BrokenLog
from engine.log import decode, encode
from service.store.db import db
from service.store.tables import Notice, Order, Submission
from tests.raw import post, problem, statement
from tests.stage import Person, Stage


@pytest.fixture
def people(stage: Stage) -> list[Person]:
    return [stage.person("Ann"), stage.person("Ben")]


@pytest.fixture
def match_id(stage: Stage, people: list[Person]) -> str:
    return stage.table(people, "hands", first_player=0)


def hand(person: Person, match_id: str) -> list[str]:
    return [f"{card['colour']}{card['number']}" for card in person.client.state(match_id)["view"]["hand"]]


def a_play(person: Person, match_id: str) -> str:
    return f"play {hand(person, match_id)[0]}"


def last(person: Person, match_id: str) -> dict[str, Any]:
    return dict(json.loads(list(person.client.log(match_id))[-1]["public"]))


def told(stage: Stage, kind: str) -> int:
    with stage.app.app_context():
        return len(db.session.scalars(select(Notice).where(Notice.kind == kind)).all())


# -- whose turn it is


def test_a_match_says_whose_turn_it_is_and_who_is_asked(stage: Stage, people: list[Person], match_id: str) -> None:
    stage.play(people[0], match_id, a_play(people[0], match_id))
    match = people[0].client.match(match_id)
    assert (match["turn"], match["to_act"]) == (0, 1)


# -- kept lines


def test_lines_wait_for_an_answer_and_the_turn_passing_drops_them(
    stage: Stage, people: list[Person], match_id: str
) -> None:
    """In Hands the turn is over once a card was answered, so what Ann wants to do then can't be done."""
    ann, ben = people
    sent = ann.client.submit(match_id, [a_play(ann, match_id), "swap"], wait=0)
    stage.work()
    kept = ann.client.submission(sent["id"])
    assert (kept["status"], kept["verdict"]["kept"], kept["verdict"]["dropped"]) == ("kept", ["swap"], [])  # type: ignore[index]
    assert kept["verdict"]["problem"] is None  # type: ignore[index]
    stage.play(ben, match_id, "let")
    dropped = ann.client.submission(sent["id"])
    verdict = dropped["verdict"]
    assert dropped["status"] == "done"
    assert verdict is not None
    assert verdict["problem"] is not None
    assert (verdict["problem"]["code"], verdict["problem"]["line"], verdict["kept"]) == ("turn_passed", "swap", [])
    assert "“swap” could not be played" in text(stage, ann)


@pytest.fixture
def travelling(stage: Stage, people: list[Person]) -> str:
    """Celtic, where a turn goes on after everybody was asked whether they follow."""
    return stage.table(people, "celtic", first_player=0)


def test_kept_lines_are_played_when_others_have_answered(stage: Stage, people: list[Person], travelling: str) -> None:
    ann, ben = people
    now = ann.client.match(travelling)
    sent = ann.client.submit(travelling, ["move 4 village to grain", "done"], wait=0)
    stage.work()
    assert ann.client.submission(sent["id"])["status"] == "kept"
    verdict = stage.play(ben, travelling, "follow 2")
    assert [played["move"] for played in verdict["played"]] == ["follow 2"]
    kept = ann.client.submission(sent["id"])
    assert kept["status"] == "done"
    assert kept["verdict"]
    assert [(one["move"], one["seq"] - now["seq"]) for one in kept["verdict"]["played"]] == [
        ("move 4 village to grain", 0),
        ("done", 2),
    ]
    match = ann.client.match(travelling)
    assert (match["turn"], match["to_act"]) == (1, 1)
    entry = list(ben.client.log(travelling))[-1]
    (proof,) = [opening["value"] for opening in entry["openings"] if "jws" in str(opening["value"])]
    said = json.loads(decoded(proof["jws"]))
    assert (said["moves"][proof["line"]], said["seq"]) == ("done", now["seq"])


def test_a_kept_line_that_cannot_be_played_is_dropped_and_its_player_is_told_once(
    stage: Stage, people: list[Person], travelling: str
) -> None:
    ann, ben = people
    sent = ann.client.submit(travelling, ["move 1 village to grain", "collect wine 2", "done"], wait=0)
    stage.work()
    before = len(stage.letters(ann.address))
    stage.play(ben, travelling, "follow 0")
    verdict = ann.client.submission(sent["id"])["verdict"]
    assert verdict
    assert verdict["problem"]
    assert (verdict["problem"]["rule"], verdict["problem"]["line"]) == ("CE-12", "collect wine 2")
    assert (verdict["kept"], verdict["dropped"]) == ([], ["done"])
    assert ann.client.match(travelling)["to_act"] == 0
    assert len(stage.letters(ann.address)) == before + 1
    assert "“collect wine 2” could not be played" in text(stage, ann)
    stage.answer(stage.letters(ann.address)[-1], "done")
    assert ann.client.match(travelling)["turn"] == 1


def test_what_is_kept_goes_with_the_key_that_signed_it(stage: Stage, people: list[Person], travelling: str) -> None:
    ann, ben = people
    sent = ann.client.submit(travelling, ["move 1 village to grain", "done"], wait=0)
    stage.work()
    watching = stage.watcher()
    ann.client.revoke_key(identity(ann).kid)
    stage.play(ben, travelling, "follow 0")
    assert watching.match(travelling)["to_act"] == 0
    with stage.app.app_context():
        verdict = db.session.get_one(Submission, sent["id"]).verdict
        assert verdict
        assert verdict["problem"]["code"] == "key_revoked"


def test_what_is_kept_is_dropped_when_its_player_leaves(stage: Stage, people: list[Person]) -> None:
    people = [*people, stage.person("Cleo")]
    match_id = stage.table(people, "celtic", first_player=0)
    sent = people[0].client.submit(match_id, ["move 1 village to grain", "done"], wait=0)
    stage.work()
    people[0].client.resign(match_id)
    stage.play(people[1], match_id, "follow 0")
    stage.play(people[2], match_id, "follow 0")
    assert people[1].client.match(match_id)["turn"] == 1
    verdict = people[0].client.submission(sent["id"])["verdict"]
    assert verdict
    assert verdict["problem"]
    assert verdict["problem"]["code"] == "turn_passed"


def test_with_orders_a_whole_turn_is_played_in_one_go(stage: Stage, people: list[Person], travelling: str) -> None:
    ann, ben = people
    ben.client.order(travelling, "follow all to grain")
    verdict = stage.play(ann, travelling, "move 4 village to grain", "done")
    assert [played["move"] for played in verdict["played"]] == ["move 4 village to grain", "done"]
    assert ann.client.match(travelling)["turn"] == 1
    assert len([one for one in stage.letters(ben.address) if str(one["Subject"]).startswith("You are asked")]) == 0


def test_the_same_submission_again_gets_the_same_answer_while_lines_are_kept(
    stage: Stage, people: list[Person], match_id: str
) -> None:
    ann, _ = people
    now = ann.client.match(match_id)
    payload = {"match": match_id, "seat": 0, "seq": now["seq"], "head": now["head"]}
    submission = statement(identity(ann), "ogham-move+jws", payload | {"moves": [a_play(ann, match_id), "swap"]})
    first = ann.client.send(match_id, submission, wait=0)
    stage.work()
    again = ann.client.send(match_id, submission, wait=0)
    assert (again["id"], again["status"]) == (first["id"], "kept")
    assert len(list(ann.client.log(match_id))) == now["seq"] + 1


def test_nobody_else_can_tell_whether_lines_are_kept(stage: Stage, people: list[Person]) -> None:
    """Two matches that differ in nothing else: what Ben and a spectator get is of the same shape and length."""
    seen: list[Any] = []
    for lines in ([], ["swap"]):
        match_id = stage.table(people, "hands", first_player=0)
        ann, ben = people
        stage.play(ann, match_id, a_play(ann, match_id), *lines)
        for reader in (ben.client, stage.watcher()):
            entries = list(reader.log(match_id))
            state = reader.state(match_id)
            shapes = [(len(entry["openings"]), sorted(json.loads(entry["public"]))) for entry in entries]
            seen.append((shapes, sorted(state), sorted(reader.match(match_id)), proof_shape(entries[-1])))
    assert seen[:2] == seen[2:]


def proof_shape(entry: Any) -> Any:
    proof = json.loads(entry["public"])["proof"]
    mark = proof["evidence"]["$seal"]
    return proof.keys(), mark.keys(), mark["to"], mark.get("until"), mark["name"], len(mark["seal"])


def test_a_proof_is_everybodys_when_the_turn_is_over(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people
    stage.play(ann, match_id, a_play(ann, match_id))

    def opened(reader: Any) -> bool:
        entry = list(reader.log(match_id))[played]
        number = json.loads(entry["public"])["proof"]["evidence"]["$seal"]["number"]
        return number in [opening["number"] for opening in entry["openings"]]

    played = len(list(ann.client.log(match_id))) - 1
    assert [opened(reader) for reader in (ann.client, ben.client, stage.watcher())] == [True, False, False]
    stage.play(ben, match_id, "let")
    assert [opened(reader) for reader in (ann.client, ben.client, stage.watcher())] == [True, True, True]
    played += 1  # an answer out of turn stays its owner's: an order may have given it
    assert [opened(reader) for reader in (ann.client, ben.client, stage.watcher())] == [False, True, False]


# -- orders


def identity(person: Person) -> Identity:
    assert person.client.identity
    return person.client.identity


def standing(person: Person, match_id: str) -> list[tuple[int, str, str]]:
    return [(one["number"], one["order"], one["status"]) for one in person.client.orders(match_id)["orders"]]


def test_an_order_answers_at_once_and_its_owner_is_not_asked(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people
    given = ben.client.order(match_id, "Let")
    assert (given["number"], given["order"], given["status"]) == (1, "let", "standing")
    stage.play(ann, match_id, a_play(ann, match_id))
    match = ann.client.match(match_id)
    assert (match["turn"], match["to_act"]) == (1, 1)
    entry = last(ann, match_id)
    assert (entry["seat"], entry["move"], entry["proof"]["grade"]) == (1, "let", "signed")
    turns = [letter for letter in stage.letters(ben.address) if "your turn" in str(letter["Subject"])]
    assert len(turns) == 1
    assert standing(ben, match_id) == [(1, "let", "standing")]


def test_the_log_proves_an_order_to_its_owner_and_after_the_end_to_everybody(
    stage: Stage, people: list[Person], match_id: str
) -> None:
    ann, ben = people
    ben.client.order(match_id, "let")
    stage.play(ann, match_id, a_play(ann, match_id))
    seq = len(list(ben.client.log(match_id))) - 1

    def evidence(reader: Any) -> list[Any]:
        return [one["value"] for one in list(reader.log(match_id))[seq]["openings"] if "order" in str(one["value"])]

    (own,) = evidence(ben.client)
    assert own["order"] == 1
    assert own["jws"].count(".") == 2
    assert evidence(ann.client) == evidence(stage.watcher()) == []
    ann.client.resign(match_id)
    assert evidence(ann.client) == evidence(stage.watcher()) == [own]


def test_a_live_answer_and_an_order_look_alike_to_others(stage: Stage, people: list[Person]) -> None:
    ann, ben = people
    shapes = []
    for ordered in (False, True):
        match_id = stage.table(people, "hands", first_player=0)
        if ordered:
            ben.client.order(match_id, "let")
        stage.play(ann, match_id, a_play(ann, match_id))
        if not ordered:
            stage.play(ben, match_id, "let")
        for reader in (ann.client, stage.watcher()):
            entry = list(reader.log(match_id))[-1]
            public = json.loads(entry["public"])
            shapes.append((sorted(public), public["move"], proof_shape(entry), len(entry["openings"])))
    assert shapes[:2] == shapes[2:]


def test_orders_are_nobody_elses(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people
    ben.client.order(match_id, "let")
    assert ann.client.orders(match_id)["orders"] == []
    with pytest.raises(Exception, match="bearer"):
        stage.watcher().orders(match_id)
    cleo = stage.person("Cleo")
    with pytest.raises(Exception, match="no seat"):
        cleo.client.orders(match_id)


def test_an_order_given_while_one_is_asked_answers_that(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people
    stage.play(ann, match_id, a_play(ann, match_id))
    ben.client.order(match_id, "let once")
    stage.work()
    assert last(ann, match_id)["move"] == "let"
    assert standing(ben, match_id) == [(1, "let once", "used")]


def test_an_order_for_once_lapses_with_the_next_answer(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people
    ben.client.order(match_id, "ask me once")
    ben.client.order(match_id, "let")
    ben.client.order(match_id, "ask once")
    stage.later(seconds=1)
    stage.play(ann, match_id, a_play(ann, match_id))
    assert ann.client.match(match_id)["to_act"] == 1
    stage.play(ben, match_id, "let")
    assert standing(ben, match_id) == [(1, "ask once", "used"), (2, "let", "standing"), (3, "ask once", "used")]


def test_the_newest_order_that_speaks_of_it_counts(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people
    card = hand(ann, match_id)[0]
    other = next(colour for colour in "rgb" if colour != card[0])
    for order in ("ask me", f"let {card[0]}", f"beat {other}"):
        ben.client.order(match_id, order)
    stage.play(ann, match_id, f"play {card}")
    assert last(ben, match_id)["move"] == "let"


def test_an_order_can_be_taken_back(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people
    ben.client.order(match_id, "let")
    ben.client.order(match_id, "beat r")
    withdrawn = ben.client.order(match_id, "withdraw 1")
    assert (withdrawn["number"], withdrawn["order"], withdrawn["status"]) == (3, "withdraw 1", "done")
    assert ben.client.order(match_id, "withdraw all")["order"] == "withdraw 2"
    stage.play(ann, match_id, a_play(ann, match_id))
    assert ann.client.match(match_id)["to_act"] == 1
    assert [status for _, _, status in standing(ben, match_id)] == ["withdrawn", "withdrawn", "done", "done"]


def test_a_receipt_says_what_was_ordered_and_when_in_the_log(stage: Stage, people: list[Person], match_id: str) -> None:
    """So that an order which acts on after its withdrawal is found: its entry stands behind that length."""
    _, ben = people
    receipts = [ben.client.order(match_id, line)["receipt"] for line in ("let", "withdraw 1")]
    said = [json.loads(decoded(receipt)) for receipt in receipts]
    match = ben.client.match(match_id)
    for number, (line, payload) in enumerate(zip(("let", "withdraw 1"), said, strict=True), 1):
        assert (payload["match"], payload["seat"], payload["number"], payload["order"]) == (match_id, 1, number, line)
        assert (payload["length"], payload["head"]) == (match["seq"], match["head"])


def test_an_order_that_acts_after_its_withdrawal_is_found(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people
    before = ben.client.order(match_id, "ask me"), ben.client.order(match_id, "withdraw 1")
    given = ben.client.order(match_id, "let")
    stage.play(ann, match_id, a_play(ann, match_id))
    later = ben.client.order(match_id, "withdraw 3")
    entries = list(ben.client.log(match_id))
    assert check_orders(entries, [*before, given, later]) == 1
    seq = len(entries) - 1
    early = json.loads(decoded(later["receipt"])) | {"length": seq}
    for receipts in ([*before, given, later | {"receipt": f".{encode(json.dumps(early).encode())}."}], [*before]):
        with pytest.raises(BrokenLog) as found:
            check_orders(entries, receipts)  # type: ignore[arg-type]  # of its members, the receipt counts
        assert found.value.seq == seq


def decoded(token: str) -> bytes:
    return decode(token.split(".")[1])


def test_an_order_acts_at_the_hour_its_owner_chose(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people
    hour = (
        (stage.moment[0] + timedelta(hours=20)).astimezone(ZoneInfo("Europe/Berlin")).replace(second=0, microsecond=0)
    )
    given = ben.client.order(match_id, f"let at {hour:%H:%M} Europe/Berlin")
    assert given["order"] == f"let at {hour:%H:%M} Europe/Berlin"
    stage.play(ann, match_id, a_play(ann, match_id))
    before = told(stage, "turn")
    stage.moment[0] = hour.astimezone(UTC) - timedelta(seconds=1)
    stage.work()
    assert stage.watcher().match(match_id)["to_act"] == 1
    assert told(stage, "turn") == before, "nobody is asked meanwhile"
    stage.moment[0] = hour.astimezone(UTC)
    stage.work()
    assert json.loads(list(stage.watcher().log(match_id))[-1]["public"])["move"] == "let"
    assert told(stage, "turn") == before + 1


def test_who_takes_back_an_order_that_waits_for_its_hour_is_asked(
    stage: Stage, people: list[Person], match_id: str
) -> None:
    ann, ben = people
    ben.client.order(match_id, f"let at {stage.moment[0] + timedelta(hours=20):%H:%M}")
    stage.play(ann, match_id, a_play(ann, match_id))
    before = told(stage, "turn")
    ben.client.order(match_id, "withdraw 1")
    stage.work()
    assert told(stage, "turn") == before + 1
    stage.play(ben, match_id, "let")


def test_a_live_answer_comes_before_an_order_that_waits(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people
    ben.client.order(match_id, f"beat at {stage.moment[0] + timedelta(hours=20):%H:%M}")
    stage.play(ann, match_id, a_play(ann, match_id))
    verdict = stage.play(ben, match_id, "let")
    assert verdict["problem"] is None
    length = ann.client.match(match_id)["seq"]
    stage.later(days=1)
    stage.work()
    assert stage.watcher().match(match_id)["seq"] == length


def test_with_the_key_that_signed_it_an_order_is_revoked(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people
    ben.client.order(match_id, "let")
    ben.client.revoke_key(identity(ben).kid)
    stage.play(ann, match_id, a_play(ann, match_id))
    assert ann.client.match(match_id)["to_act"] == 1


# -- refused


REFUSED = {
    "castle": "order_unreadable",
    "let at 25:00": "order_unreadable",
    "let at 12:00 Mars/Olympus": "order_unreadable",
    "let at 12:00 ../etc": "order_unreadable",
    "withdraw 7": "order_unknown",
    "withdraw all": "order_unknown",
}


@pytest.mark.parametrize(("line", "code"), REFUSED.items())
def test_what_is_no_order_is_refused_and_changes_nothing(
    stage: Stage, people: list[Person], match_id: str, line: str, code: str
) -> None:
    before = stage.fingerprint()
    payload = {"match": match_id, "seat": 1, "order": line}
    answer = post(
        stage.app,
        f"/v1/matches/{match_id}/orders",
        {"statement": statement(identity(people[1]), "ogham-order+jws", payload)},
    )
    problem(answer, 404 if code == "order_unknown" else 422, code)
    assert stage.fingerprint() == before
    with stage.app.app_context():
        assert db.session.scalars(select(Order)).all() == []


def test_an_order_for_another_seat_or_match_is_refused(stage: Stage, people: list[Person], match_id: str) -> None:
    ann, ben = people

    def send(signer: Person, **said: Any) -> Any:
        payload = {"match": match_id, "seat": 1, "order": "let"} | said
        text = statement(identity(signer), "ogham-order+jws", payload)
        return post(stage.app, f"/v1/matches/{match_id}/orders", {"statement": text})

    problem(send(ann), 422, "other_seat")
    problem(send(ben, match="x"), 422, "other_match")
    problem(send(stage.person("Cleo")), 403, "signature_invalid")
    problem(send(ben, order=""), 422, "statement_invalid")
    problem(send(ben, order=["let"]), 422, "statement_invalid")
    move = statement(identity(ben), "ogham-move+jws", {"match": match_id, "seat": 1, "order": "let"})
    problem(post(stage.app, f"/v1/matches/{match_id}/orders", {"statement": move}), 403, "signature_invalid")


def test_the_same_order_again_gets_the_same_answer_and_its_jti_no_other(
    stage: Stage, people: list[Person], match_id: str
) -> None:
    _, ben = people
    payload = {"match": match_id, "seat": 1, "order": "let", "jti": "an-order-1"}
    text = statement(identity(ben), "ogham-order+jws", payload)
    answers = [post(stage.app, f"/v1/matches/{match_id}/orders", {"statement": text}).json for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    other = statement(identity(ben), "ogham-order+jws", payload | {"order": "beat"})
    problem(post(stage.app, f"/v1/matches/{match_id}/orders", {"statement": other}), 409, "jti_used")
    assert len(standing(ben, match_id)) == 1


def test_a_game_that_asks_nobody_takes_no_orders(stage: Stage, people: list[Person]) -> None:
    match_id = stage.table(people, "keltis")
    with pytest.raises(Exception, match="asks nobody out of turn"):
        people[0].client.order(match_id, "ask me")
    assert people[0].client.orders(match_id)["guide"] == ""


def test_there_is_an_end_to_orders(stage: Stage, people: list[Person], match_id: str) -> None:
    _, ben = people
    for _ in range(50):
        ben.client.order(match_id, "let")
    with pytest.raises(Exception, match="50 standing orders"):
        ben.client.order(match_id, "let")
    ben.client.order(match_id, "withdraw all")
    ben.client.order(match_id, "let")


# -- by mail


@pytest.fixture
def asked(stage: Stage, people: list[Person], match_id: str) -> Callable[[str], str]:
    """Ann played; Ben answers his turn mail with these words."""
    stage.play(people[0], match_id, a_play(people[0], match_id))
    letter = stage.letters(people[1].address)[-1]
    return lambda body: stage.answer(letter, body)


def text(stage: Stage, person: Person) -> str:
    body = stage.letters(person.address)[-1].get_body(("plain",))
    assert body
    return str(body.get_content())


def test_who_is_asked_out_of_turn_is_told_how_not_to_be(stage: Stage, people: list[Person], asked: Any) -> None:
    assert "order let" in text(stage, people[1])
    assert "order ask me" in text(stage, people[1])


def test_an_order_by_mail_answers_what_is_asked_and_stands(
    stage: Stage, people: list[Person], match_id: str, asked: Callable[[str], str]
) -> None:
    _, ben = people
    assert asked("Order: let\n\nCheers, Ben") == "orders"
    assert last(ben, match_id)["move"] == "let"
    assert last(ben, match_id)["proof"]["grade"] == "mailed"
    assert standing(ben, match_id) == [(1, "let", "standing")]
    noted = [str(letter.get_body(("plain",))) for letter in stage.letters(ben.address)]
    assert any("Noted as number 1: let" in body for body in noted)


def test_a_move_in_the_same_mail_answers_and_the_order_stands_for_later(
    stage: Stage, people: list[Person], match_id: str, asked: Callable[[str], str]
) -> None:
    _, ben = people
    assert asked("let\norder ask me once\norder beat once").startswith("orders, submission")
    assert last(ben, match_id)["move"] == "let"
    assert [status for _, _, status in standing(ben, match_id)] == ["standing", "standing"]


def test_orders_can_be_looked_at_and_taken_back_by_mail(
    stage: Stage, people: list[Person], match_id: str, asked: Callable[[str], str]
) -> None:
    _, ben = people
    asked("order ask me")
    assert asked("orders") == "orders"
    assert "Your standing orders: 1: ask" in text(stage, ben)
    asked("order withdraw 1")
    assert "You have no standing orders." in text(stage, ben)


@pytest.mark.parametrize("body", ["order castle", "order let\norder castle", "let\norder castle"])
def test_where_one_order_is_none_the_mail_does_nothing(
    stage: Stage, people: list[Person], match_id: str, asked: Callable[[str], str], body: str
) -> None:
    before = people[1].client.match(match_id)["seq"]
    assert asked(body) == "nothing said"
    assert people[1].client.match(match_id)["seq"] == before
    assert standing(people[1], match_id) == []
    assert "was not taken" in text(stage, people[1])
