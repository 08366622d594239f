"""The log: the chain finds every change, seals hide and open, and the entries alone give every state back."""

import json
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import BrokenLog
from engine.events import Sealed, Seat, Shown, Spelling, as_seen_by
from engine.game import Game
from engine.log import (
    BEFORE_FIRST,
    Opening,
    Pen,
    Written,
    check_chain,
    check_opening,
    commitment,
    decode,
    encode,
    openings_for,
    read_events,
    replay,
    seed,
    spelling_of,
)
from engine.values import JSON
from tests.games import TEST_GAMES, hands
from tests.matches import Recorded, address, record

GAMES = pytest.mark.parametrize("game", TEST_GAMES, ids=lambda game: game.info.id)


@cache
def recorded(game: Game = hands, number: int = 1) -> Recorded:
    """A whole match of three, with its personal seals, in which a seat left."""
    return record(game, 3, number, leaving={12: (1,)})


def publics(match: Recorded) -> list[JSON]:
    return [json.loads(entry.public) for entry in match.entries]


# -- the chain


@GAMES
def test_a_recorded_match_is_a_whole_chain(game: Game) -> None:
    match = recorded(game)
    assert [entry["kind"] for entry in publics(match)][:5] == ["opened", "joined", "joined", "joined", "dealt"]
    assert publics(match)[-1]["kind"] == "closed"
    assert [entry["seq"] for entry in publics(match)] == list(range(len(match.entries)))
    assert check_chain(match.stored) == match.entries[-1].hash


@given(st.data())
def test_one_changed_byte_anywhere_is_found_at_its_entry(data: st.DataObject) -> None:
    entries = recorded().stored
    place = data.draw(st.integers(0, len(entries) - 1))
    seq, public, stored = entries[place]
    at = data.draw(st.integers(0, len(public) + len(stored) - 1))
    both = bytearray(public + stored)
    both[at] ^= data.draw(st.integers(1, 255))
    entries[place] = (seq, bytes(both[: len(public)]), bytes(both[len(public) :]))
    with pytest.raises(BrokenLog) as found:
        check_chain(entries)
    assert found.value.seq == seq


def test_every_byte_counts() -> None:
    """The property above in full, for one entry."""
    before, entry = recorded().entries[5:7]
    for at in range(len(entry.public)):
        changed = bytearray(entry.public)
        changed[at] ^= 1
        with pytest.raises(BrokenLog, match=f"entry {entry.seq}: its bytes"):
            check_chain([(entry.seq, bytes(changed), entry.hash)], before.hash, entry.seq)


@given(st.data())
def test_a_dropped_a_doubled_and_two_swapped_entries_are_found(data: st.DataObject) -> None:
    whole = recorded().stored
    place = data.draw(st.integers(0, len(whole) - 2))
    dropped = whole[:place] + whole[place + 1 :]
    doubled = [*whole[: place + 1], *whole[place:]]
    swapped = [*whole[:place], whole[place + 1], whole[place], *whole[place + 2 :]]
    for broken, seq in ((dropped, place), (doubled, place + 1), (swapped, place)):
        with pytest.raises(BrokenLog) as found:
            check_chain(broken)
        assert found.value.seq == seq
        renumbered = [(number, public, stored) for number, (_, public, stored) in enumerate(broken)]
        with pytest.raises(BrokenLog) as found:
            check_chain(renumbered)
        assert found.value.seq == seq


def test_a_chain_can_be_checked_from_any_entry_on() -> None:
    stored = recorded().stored
    half = check_chain(stored[:9])
    assert check_chain(stored[9:], half, 9) == stored[-1][2]
    with pytest.raises(BrokenLog, match="entry 9"):
        check_chain(stored[9:], BEFORE_FIRST, 9)


@GAMES
def test_an_entry_is_stored_in_canonical_json(game: Game) -> None:
    for entry in recorded(game).entries:
        assert rfc8785.dumps(json.loads(entry.public)) == entry.public


def test_a_member_that_is_none_is_left_out() -> None:
    assert [entry.get("seat", "none") for entry in publics(recorded())][:3] == ["none", 0, 1]


# -- seals


def seals_in(form: JSON) -> Iterator[JSON]:
    if isinstance(form, dict):
        for name, value in form.items():
            if name == "$seal":
                yield value
            yield from seals_in(value)
    elif isinstance(form, list):
        for item in form:
            yield from seals_in(item)


@GAMES
def test_seals_are_numbered_through_the_match_and_every_opening_checks(game: Game) -> None:
    match = recorded(game)
    numbers = [seal["number"] for entry in publics(match) for seal in seals_in(entry)]
    assert sorted(numbers) == list(range(len(numbers)))
    for written, public in zip(match.entries, publics(match), strict=True):
        assert {opening.number for opening in written.openings} == {seal["number"] for seal in seals_in(public)}
        assert all(check_opening(match.match, public, opening) for opening in written.openings)


@given(st.data())
def test_an_opening_with_another_value_salt_number_or_match_does_not_check(data: st.DataObject) -> None:
    match = recorded()
    written = data.draw(st.sampled_from([entry for entry in match.entries if entry.openings]))
    opening = data.draw(st.sampled_from(written.openings))
    other = data.draw(st.sampled_from([known for known in match.openings.values() if known.value != opening.value]))
    public = json.loads(written.public)
    flipped = bytearray(opening.salt)
    flipped[data.draw(st.integers(0, 15))] ^= data.draw(st.integers(1, 255))
    for wrong in (
        replace(opening, value=other.value),
        replace(opening, value=[opening.value]),
        replace(opening, salt=bytes(flipped)),
        replace(opening, salt=other.salt),
        replace(opening, number=other.number),
        replace(opening, number=10_000),
    ):
        assert not check_opening(match.match, public, wrong)
    assert not check_opening(match.match + "x", public, opening)
    assert check_opening(match.match, public, opening)


def test_a_seal_that_is_no_seal_opens_nothing() -> None:
    """A transcript may come from anybody."""
    for nonsense in ("", "größer", None, 7, ["a"]):
        public = {"events": [{"$seal": {"number": 1, "seal": nonsense, "to": [], "name": ""}}]}
        assert not check_opening("match", public, Opening(1, "value", bytes(16)))


def test_every_salt_is_fresh() -> None:
    asked = iter(range(1000))
    written, _ = write_one({"cards": [sealed("a"), sealed("a"), sealed("a")]}, salt=lambda: bytes([next(asked)] * 16))
    assert [opening.salt[0] for opening in written.openings] == [0, 1, 2]
    assert len({seal["seal"] for seal in seals_in(json.loads(written.public))}) == 3
    assert len({opening.salt for opening in recorded().openings.values()}) == len(recorded().openings)


def sealed(value: JSON, to: tuple[int, ...] | None = (), name: str = "", **more: Any) -> JSON:
    return {"$seal": {"value": value, "to": None if to is None else list(to), "name": name, **more}}


def shown(name: str, value: JSON, to: tuple[int, ...] | None) -> JSON:
    return {"$show": {"name": name, "value": value, "to": None if to is None else list(to)}}


def write_one(
    *members: JSON, find: Callable[[str], Opening] | None = None, salt: Callable[[], bytes] = lambda: bytes(16)
) -> tuple[Written, Pen]:
    pen = Pen("match", 0, BEFORE_FIRST, 0, find or {}.__getitem__, salt)
    for member in members[:-1]:
        pen.write("moved", "now", **member)
    return pen.write("moved", "now", **members[-1]), pen


SECRET = "a card nobody may know"


@pytest.mark.parametrize(
    "form",
    [
        sealed(SECRET),
        sealed([{"deep": SECRET}], to=(1,)),
        sealed({"$show": {"name": "x", "value": SECRET, "to": None}}),
        sealed(SECRET, to=None),
        sealed(SECRET, personal=True),
        {"a": [[sealed(SECRET)]]},
        shown("slot", SECRET, (1,)),
        shown("slot", SECRET, ()),
    ],
    ids=str,
)
def test_the_public_form_holds_no_hidden_value(form: JSON) -> None:
    hidden = Opening(3, SECRET, b"salt of sixteen.", "slot")
    written, _ = write_one({"events": [form]}, find={"slot": hidden}.__getitem__, salt=lambda: b"another, of 16..")
    for secret in (SECRET.encode(), hidden.salt, b"another, of 16.."):
        assert secret not in written.public
        assert urlsafe_b64encode(secret).rstrip(b"=") not in written.public
        assert secret.hex().encode() not in written.public


def test_what_is_shown_to_everybody_is_told_with_its_salt() -> None:
    written, pen = write_one(
        {"deck": [sealed("a", name="s0"), sealed("b", name="s1")]}, {"card": shown("s1", "b", None)}
    )
    shows = json.loads(written.public)["card"]["$show"]
    assert shows == {"name": "s1", "number": 1, "to": None, "value": "b", "salt": encode(bytes(16))}
    first, _ = write_one({"deck": [sealed("a", name="s0"), sealed("b", name="s1")]})
    opening = Opening(shows["number"], shows["value"], decode(shows["salt"]))
    assert check_opening("match", json.loads(first.public), opening)
    assert (pen.length, pen.seals, pen.head) == (2, 2, written.hash)


def test_a_value_is_shown_as_it_was_sealed_or_not_at_all() -> None:
    with pytest.raises(ValueError, match="s1"):
        write_one({"deck": [sealed("a", name="s0"), sealed("b", name="s1")]}, {"card": shown("s1", "a", None)})


def cards_in(form: JSON) -> Counter[str]:
    """The cards of Hands that stand in a form, wherever."""
    if isinstance(form, dict):
        if form.keys() == {"colour", "number"}:
            return Counter([form["colour"] + str(form["number"])])
        form = list(form.values())
    if isinstance(form, list):
        return sum(map(cards_in, form), Counter())
    return Counter()


def test_no_card_of_a_hidden_hand_is_in_the_raw_bytes() -> None:
    """Each card that stands in an entry of Hands was played, swapped, or shown when all hands were."""
    match = recorded()
    private = spelling_of(hands)
    for written, step in zip(match.entries[4:-1], match.steps, strict=True):
        open_cards = Counter[str]()
        for event in step.events:
            for name in ("card", "cards"):
                value = getattr(event, name, ())
                for card in value if isinstance(value, tuple) else (value,):
                    if isinstance(card, hands.rules.Card):
                        open_cards[str(card)] += 1
            if type(event).__name__ == "MatchEnded":
                open_cards += Counter(str(card.value) for hand in event.hands for card in hand)
        raw = written.public.decode()
        for card in hands.rules.CARDS[::2]:
            spelled = rfc8785.dumps({"colour": card.colour.value, "number": card.number}).decode()
            assert raw.count(spelled) == open_cards[str(card)], (written.seq, str(card))
        hidden = sum((cards_in(private.write(event)) for event in step.events), Counter()) - open_cards
        assert cards_in(json.loads(raw)) == open_cards
        if step.kind == "dealt":
            assert hidden.total() == 18 + 12, "each card lies in the deck once, and is drawn by somebody"


# -- who may open what


def seen_numbers(seat: Seat | None, form: JSON) -> set[int]:
    """The seals that an event written in private form, but with the seals' numbers, lets a seat see. Read plainly."""
    if isinstance(form, list):
        return set().union(*(seen_numbers(seat, item) for item in form))
    if not isinstance(form, dict):
        return set()
    mark = form.get("$seal") or form.get("$show")
    if mark:
        return {mark["number"]} if mark["to"] is not None and seat in mark["to"] else set()
    return set().union(*(seen_numbers(seat, value) for value in form.values()))


@pytest.mark.parametrize("seat", [None, 0, 1, 2])
def test_while_a_match_runs_a_seat_opens_its_own_and_nothing_else(seat: Seat | None) -> None:
    match = recorded()
    own = 0
    for entry in publics(match)[:-1]:
        opened = set(openings_for(seat, entry, over=False))
        in_events = {seal["number"] for event in entry.get("events", ()) for seal in seals_in(event)}
        assert opened & in_events == seen_numbers(seat, entry.get("events", [])) & in_events
        assert seen_numbers(seat, entry.get("events", [])) <= opened
        for number in opened:
            opening = match.openings[number]
            if opening.personal:
                assert opening.value == address(seat)  # type: ignore[arg-type]
            own += not opening.personal and isinstance(opening.value, dict)
    assert (own > 0) == (seat is not None)


def test_drawn_cards_can_be_opened_by_who_drew_them() -> None:
    match = recorded()
    for entry, step in zip(publics(match)[4:], match.steps, strict=False):
        for event, private in zip(entry["events"], step.events, strict=True):
            if event["event"] == "CardsDrawn":
                numbers = list(openings_for(private.seat, event, over=False))
                values = [hands.rules.Card(hands.rules.Colour(value["colour"]), value["number"])
                          for value in map(match.value_of, numbers)]  # fmt: skip
                assert values == [card.value for card in private.cards]
                for other in {None, Seat(0), Seat(1), Seat(2)} - {private.seat}:
                    assert not list(openings_for(other, event, over=False))


@pytest.mark.parametrize("seat", [None, 0, 1, 2])
def test_after_the_end_everything_is_opened_but_what_names_a_person(seat: Seat | None) -> None:
    match = recorded()
    opened = {number for entry in publics(match) for number in openings_for(seat, entry, over=True)}
    for number, opening in match.openings.items():
        assert (number in opened) == (not opening.personal or opening.value == address(-1 if seat is None else seat))


@GAMES
def test_what_as_seen_by_shows_of_an_event_is_what_its_entry_opens(game: Game) -> None:
    """Two ways to the same knowledge: the events redacted, and the public form with what the seat may open."""
    match = recorded(game)
    spelling = spelling_of(game)
    for seat in (None, Seat(0), Seat(1), Seat(2)):
        for entry, step in zip(publics(match)[4:], match.steps, strict=False):
            for event, private in zip(entry["events"], step.events, strict=True):
                known = {number: match.value_of(number) for number in openings_for(seat, event, over=False)}
                assert read_events(spelling, {"events": [event]}, known.get) == as_seen_by(seat, [private])


# -- from the log alone


@GAMES
def test_a_recorded_match_replays_to_its_state_at_every_seq(game: Game, sample: Callable[[int, int], int]) -> None:
    for number in range(sample(5, 200)):
        match = recorded(game, number)
        stored = [entry.public for entry in match.entries]
        state = None
        for length in range(1, len(stored) + 1):
            state = replay(game, stored[length - 1 : length], match.value_of, state)
            assert state == match.states[length - 1]
        assert replay(game, stored, match.value_of) == state


@GAMES
def test_a_replay_finds_the_events_whatever_stands_before_them(game: Game) -> None:
    match = recorded(game)
    stored = [rfc8785.dumps(public | {"before": '","events":[]'}) for public in publics(match)]
    assert replay(game, stored, match.value_of) == match.states[-1]
    timeless = [rfc8785.dumps(public | {"at": '\\","events":[]'}) for public in publics(match)]
    assert replay(game, timeless, match.value_of) == match.states[-1]


@GAMES
def test_events_read_from_the_log_are_those_that_were_written(game: Game) -> None:
    match = recorded(game)
    for entry, step in zip(publics(match)[4:], match.steps, strict=False):
        assert match.events_of(entry) == tuple(step.events)


@dataclass(frozen=True)
class Odd:
    """An event with marks in odd places."""

    hands: tuple[tuple[Sealed[str], ...], ...]
    maybe: Shown[int] | None
    plain: str = "$seal"


MARKS = st.builds(Sealed, st.text(max_size=3), st.lists(st.integers(0, 3).map(Seat), max_size=3).map(tuple))


@given(
    st.lists(st.lists(MARKS, max_size=3).map(tuple), max_size=3).map(tuple),
    st.none() | st.builds(Shown, st.just("slot"), st.just(5), st.none() | st.just((Seat(1),))),
)
def test_marks_are_hidden_and_found_again_wherever_they_stand(hands_: Any, maybe: Any) -> None:
    event = Odd(hands_, maybe)
    spelling = Spelling([Odd])
    written, _ = write_one(
        {"events": [spelling.write(event)]}, find=lambda _: Opening(99, 5, bytes(16), "slot"), salt=lambda: bytes(16)
    )
    values = {opening.number: opening.value for opening in written.openings} | {99: 5}
    public = json.loads(written.public)
    assert read_events(spelling, public, values.__getitem__) == (event,)
    (seen,) = as_seen_by(None, (event,))
    assert read_events(spelling, public, lambda _: None) == (seen,)
    assert all(mark.value is None for hand in seen.hands for mark in hand)


@dataclass(frozen=True)
class Sorted:
    """Its cards would be written in an order that tells which is which."""

    cards: frozenset[Sealed[str]]


def test_a_mark_in_a_set_is_refused() -> None:
    with pytest.raises(TypeError, match="order"):
        Spelling([Sorted])


# -- commitment and seed


def test_seed_and_commitment_change_with_each_of_their_parts() -> None:
    secret, nonces = bytes(32), ["a", "b"]
    seeds = [
        seed("m", secret, nonces),
        seed("n", secret, nonces),
        seed("m", bytes(31) + b"1", nonces),
        seed("m", secret, ["b", "a"]),
        seed("m", secret, ["ab"]),
        seed("m", secret, ["a", "b", ""]),
    ]
    assert len(set(seeds)) == len(seeds)
    commitments = {commitment("m", secret), commitment("n", secret), commitment("m", bytes(31) + b"1")}
    assert len(commitments) == 3


@given(st.binary(max_size=40))
def test_bytes_are_written_in_base64url_without_padding_and_read_back(raw: bytes) -> None:
    text = encode(raw)
    assert decode(text) == raw
    assert not set(text) & set("+/=")
