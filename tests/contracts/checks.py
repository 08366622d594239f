"""The contract of `engine/game.py`, sentence by sentence. A check takes a match of any game, and fails if it broke it.

They are functions, so that `test_planted.py` can see each of them fail on a fault.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from engine.chance import Chance
from engine.errors import EngineError, NotationError, RuleViolation
from engine.events import Sealed, Seat, SeatLeft, Shown, Spelling, as_seen_by
from engine.game import LANGUAGES, Game, State, Theme, complete_options
from engine.play import fold, pick, play_for_the_absent, play_line
from engine.values import freeze, thaw
from tests.contracts.walks import SEATED, Walk, is_offered, moves_of, some_offered
from tests.matches import write_down

THEMES: tuple[Theme, ...] = ("light", "dark")
WIDTH = 72
EXAMPLE = re.compile(r"^  (\S.*?)(?:  .*)?$", re.MULTILINE)
NASTY_NAMES = (
    "Bartholomäus Maximilian von und zu Hohenstein-Rattenberg der Jüngere, III.",
    "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaftschaferswessen",
    "<script>alert('x')</script> & \"Söhne\"",
    "ᚑᚌᚆᚐᚋ 東京 \u202eabc {name} {0} %s",
    "]]></text> \t Zoë & &amp; O'Brien \u200b 🧙",
)
NONSENSE = (
    "", " ", "\n", "\0", ".", ",", "{}", "{card}", "%s", "0", "-1", "²", "٣", "ß", "\u202e", "\ud800", "9" * 5_000,
    "a" * 5_000, "r " * 2_000, "1 " * 2_000, "resign", "yes", "null", "true", "[]", "play\nplay", "> quoted",
)  # fmt: skip


# -- the game itself


def check_its_id_is_the_name_of_its_folder(game: Game) -> None:
    assert Path(str(game.__file__)).parent.name == game.info.id  # type: ignore[attr-defined]
    assert re.fullmatch(r"[a-z]+", game.info.id)
    assert game.info.title
    assert game.info.ruleset >= 1
    assert all(count >= 2 for count in game.info.seats)


def check_its_options(game: Game, seats: int) -> None:
    """Each default is allowed, each option says what it means, and no nonsense is one of its values."""
    for option in game.info.options:
        assert option.allows(option.default, seats)
        assert option.meaning
        for value in ("nonsense", "", None, -1, 10**9, 1.5, [], {}, (), object()):
            assert option.allows(value, seats) is False, (option.name, value)
    assert complete_options(game.info, seats, {}) == {option.name: option.default for option in game.info.options}


# -- the deal


def check_the_same_chance_gives_the_same_deal(walk: Walk) -> None:
    game = walk.game
    options = complete_options(game.info, walk.seats, walk.options)
    before = dict(options)
    seed = f"chance {game.info.id}/{walk.seats}/{walk.number}".encode()
    assert list(game.deal(walk.seats, options, Chance(seed))) == list(walk.steps[0].events)
    assert options == before
    others = [list(game.deal(walk.seats, options, Chance(seed + bytes([other])))) for other in range(8)]
    assert any(other != list(walk.steps[0].events) for other in others)


def check_every_label_of_chance_is_used_once(walk: Walk) -> None:
    labels = [label for label, _ in walk.asked]
    assert len(set(labels)) == len(labels), sorted(label for label in set(labels) if labels.count(label) > 1)
    assert all(label.startswith(f"{walk.game.info.id}/") for label in labels)


# -- events, states and views as values


def check_events_survive_json(walk: Walk) -> None:
    spelling = Spelling(walk.game.events)
    for event in walk.events:
        assert type(event) in (*walk.game.events, SeatLeft)
        for seen in (event, *as_seen_by(None, [event])):
            read = spelling.read(json.loads(json.dumps(spelling.write(seen))))
            assert read == seen
            assert type(read) is type(seen)


def check_states_survive_json(walk: Walk) -> None:
    for state in walk.states:
        assert type(state) is walk.game.state_type
        thawed = thaw(walk.game.state_type, json.loads(json.dumps(freeze(state))))
        assert thawed == state
        assert repr(thawed) == repr(state), "equal, and of the same types all through"


def check_views_survive_freezing(walk: Walk) -> None:
    for state in walk.states:
        for seat in walk.readers():
            view = walk.game.view(state, seat)
            assert view == walk.game.view(state, seat)
            json.dumps(freeze(view))


def check_what_is_shown_was_sealed(walk: Walk) -> None:
    """Every name is sealed once, and what is shown under it is what was sealed: so the log can prove it."""
    sealed: dict[str, Any] = {}
    for event in walk.events:
        for mark in _marks(event):
            if isinstance(mark, Sealed) and mark.name:
                assert mark.name not in sealed, f"{mark.name} is sealed twice"
                sealed[mark.name] = mark.value
            if isinstance(mark, Shown):
                assert sealed[mark.name] == mark.value, f"{mark.name} is shown as another value"
    write_down(walk.game, "match", walk.seats, walk.steps)


def _marks(value: Any) -> Iterator[Sealed[Any] | Shown[Any]]:
    if isinstance(value, Sealed | Shown):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _marks(item)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from _marks(getattr(value, name))


# -- whose turn it is, and what may be played


def check_somebody_is_to_act_until_the_match_is_over(walk: Walk) -> None:
    game = walk.game
    for state in walk.states:
        to_act = game.to_act(state)
        assert (to_act is None) == (game.outcome(state) is not None)
        assert to_act is None or to_act in SEATED[walk.seats]
    assert game.to_act(walk.states[-1]) is None, "the match came to its end"
    assert all(game.to_act(state) is not None for state in walk.states[:-1])


def check_whose_turn_it_is(walk: Walk) -> None:
    """A seat has the turn until the end; in a game without orders nobody else is ever asked."""
    game = walk.game
    for state in walk.states:
        turn, to_act = game.turn(state), game.to_act(state)
        assert (turn is None) == (to_act is None)
        assert turn is None or turn in SEATED[walk.seats]
        assert game.orders is not None or turn == to_act, "who is asked out of turn may leave orders"


def check_orders_are_read_and_obeyed(walk: Walk) -> None:
    """What the guide shows is an order; a canonical one is read as itself; what it answers is legal, and out of turn"""
    game = walk.game
    if game.orders is None:
        return
    asked = obeyed = 0
    for state in walk.states[:-1]:
        asked += game.to_act(state) != game.turn(state)
        for seat in SEATED[walk.seats]:
            view = game.view(state, seat)
            for order in _orders_shown(game, view):
                move = game.orders.obey(order, view)
                if move is None:
                    continue
                assert seat == game.to_act(state) != game.turn(state), "it was not asked"
                assert is_offered(game.notate(move), game.legal(view)), f"{order}: {move}"
                obeyed += 1
    assert obeyed or not asked, "an order of the guide's answers something"


def _orders_shown(game: Game, view: Any) -> Iterator[str]:
    assert game.orders is not None
    for language in LANGUAGES:
        guide = game.orders.guide(view, language)
        assert max(map(len, guide.splitlines())) <= WIDTH - len("  Auftrag ")
        for shown in EXAMPLE.findall(guide):
            order = game.orders.read(shown, view)
            for spelled in (order, order.upper(), f"  {order.replace(' ', '   ')} "):
                assert game.orders.read(spelled, view) == order
            yield order


def check_nonsense_is_no_order(walk: Walk) -> None:
    game = walk.game
    for text in NONSENSE if game.orders else ():
        view = game.view(walk.states[0], SEATED[walk.seats][0])
        assert game.orders is not None
        try:
            order = game.orders.read(text, view)
        except NotationError:
            continue
        assert game.orders.read(order, view) == order


def check_imagined_worlds(walk: Walk, most: int = 12) -> None:
    """They look to the seat as its own does, are drawn by the chance given and nothing else, and can be played on."""
    game = walk.game
    if game.judgement is None:
        return
    drawn = set()
    running = walk.states[:-1]
    for place, state in enumerate(running[:: max(1, len(running) // most)]):
        for seat in SEATED[walk.seats]:
            view = game.view(state, seat)
            imagined = [game.judgement.imagine(view, Chance(seed)) for seed in (b"one", b"one", b"other")]
            assert imagined[0] == imagined[1], "the same view and chance give the same world"
            drawn.add(imagined[0] != imagined[2])
            for world in imagined:
                assert type(world) is game.state_type
                assert thaw(game.state_type, json.loads(json.dumps(freeze(world)))) == world
                assert game.view(world, seat) == view
                assert game.to_act(world) == game.to_act(state)
                assert game.turn(world) == game.turn(state)
                assert game.left(world) == game.left(state)
            _play_on(walk, imagined[0], 6, f"imagined {place}/{seat}")
    assert True in drawn, "what is hidden was drawn"


def check_a_view_is_worth_a_number(walk: Walk) -> None:
    game = walk.game
    if game.judgement is None:
        return
    worths = set()
    for state in walk.states[:-1]:
        for seat in SEATED[walk.seats]:
            view = game.view(state, seat)
            worth = game.judgement.worth(view)
            assert isfinite(worth)
            assert game.judgement.worth(view) == worth
            worths.add(worth)
    assert len(worths) > 1, "some views are better than others"


def check_moves_are_offered_to_whoever_is_to_act_and_nobody_else(walk: Walk) -> None:
    game = walk.game
    for state in walk.states:
        for seat in walk.readers():
            offers = game.legal(game.view(state, seat))
            assert bool(offers) == (seat is not None and seat == game.to_act(state))
            for offer in offers:
                assert set(re.findall(r"\{(\w+)\}", offer.text)) == {choice.name for choice in offer.choices}
                for choice in offer.choices:
                    assert 0 < choice.count <= len(choice.among)
                    assert not any(re.search(r"\s", word) or not word for word in choice.among)


def check_what_is_offered_is_accepted(walk: Walk, most: int = 30) -> None:
    """And decided twice it is decided alike, brings about something, and leaves the state as it was."""
    game = walk.game
    for place, state in enumerate(walk.states[:-1]):
        seat = _on_turn(game, state)
        before = freeze(state)
        view = game.view(state, seat)
        offers = game.legal(view)
        for line in some_offered(offers, most, f"{place}"):
            played = play_line(game, state, seat, line, walk.chance)
            assert played.events
            assert is_offered(played.move, offers)
            assert list(game.decide(state, seat, game.parse(line, view), walk.chance)) == list(played.events)
        assert freeze(state) == before


def check_the_words_of_a_choice_may_stand_in_any_order(walk: Walk) -> None:
    game = walk.game
    for state in walk.states[:-1]:
        view = game.view(state, _on_turn(game, state))
        for offer in game.legal(view):
            words = {choice.name: choice.among[: choice.count] for choice in offer.choices}
            said = [
                offer.text.format(**{name: " ".join(order(chosen)) for name, chosen in words.items()})
                for order in (list, reversed)
            ]
            assert game.parse(said[0], view) == game.parse(said[1], view), said


def check_nothing_else_is_accepted(walk: Walk, most: int = 25) -> int:
    """How many lines were refused, so that the caller can see that there were some."""
    game = walk.game
    refused = 0
    for place, state in enumerate(walk.states[:-1]):
        seat = _on_turn(game, state)
        offers = game.legal(game.view(state, seat))
        for line, move in moves_of(game, state, seat, walk.some_lines(most, place)):
            refusal = _refusal(partial(game.decide, state, seat, move, walk.chance))
            assert (refusal is None) == is_offered(line, offers), f"{line}: {refusal}"
            if refusal is not None:
                check_refusal(game, refusal)
                refused += 1
    return refused


def check_acting_out_of_turn_or_after_the_end_is_refused(walk: Walk) -> None:
    """GE-2, whatever else the move may break."""
    game = walk.game
    for place, state in enumerate(walk.states):
        for seat in SEATED[walk.seats]:
            if seat == game.to_act(state):
                continue
            for _, move in moves_of(game, state, seat, walk.some_lines(3, (place, seat))):
                refusal = _refusal(partial(game.decide, state, seat, move, walk.chance))
                assert refusal is not None
                over = game.to_act(state) is None
                assert (refusal.rule, refusal.code) == ("GE-2", "match_over" if over else "not_your_turn")
                check_refusal(game, refusal)


def check_refusal(game: Game, refusal: RuleViolation) -> None:
    """It names a rule, and is explained in one sentence of each language."""
    assert re.fullmatch(r"[A-Z]{2}-[1-9]\d*", refusal.rule)
    assert re.fullmatch(r"[a-z_]+", refusal.code)
    assert all(type(fact) in (str, int) for fact in refusal.facts.values())
    sentences = {game.explain(refusal, language) for language in LANGUAGES}
    assert len(sentences) == len(LANGUAGES)
    for sentence in sentences:
        assert re.fullmatch(r"[^\n{}]+[.!?]", sentence), sentence


def _refusal(act: Callable[[], object]) -> RuleViolation | None:
    try:
        act()
    except RuleViolation as refusal:
        return refusal
    return None


def check_the_absent_move_is_legal(walk: Walk) -> None:
    game = walk.game
    for state in walk.states[:-1]:
        seat = _on_turn(game, state)
        view = game.view(state, seat)
        move = game.absent(view)
        assert is_offered(game.notate(move), game.legal(view))
        assert game.decide(state, seat, move, walk.chance)


def _on_turn(game: Game, state: State) -> Seat:
    seat = game.to_act(state)
    assert seat is not None
    return seat


# -- believing


def check_the_state_is_the_fold_of_its_events(walk: Walk) -> None:
    game = walk.game
    state = None
    for step in walk.steps:
        for event in step.events:
            before = freeze(state)
            state, was = game.evolve(state, event), state
            assert freeze(was) == before, "evolve changes nothing"
        assert state == step.state
    assert fold(game, None, walk.events) == walk.states[-1]


def check_evolve_never_refuses(walk: Walk) -> None:
    """It may stumble over an event that never could have happened; but it judges none."""
    states = walk.states[:: max(1, len(walk.states) // 8)]
    for event in walk.events[:: max(1, len(walk.events) // 12)]:
        for state in states:
            try:
                walk.game.evolve(state, event)
            except EngineError:
                raise AssertionError(f"{event} was judged") from None
            except Exception:  # noqa: BLE001  (nonsense is not what this is about)
                continue


# -- the end


def check_the_outcome(walk: Walk) -> None:
    """Places go 1, 1, 3; parts add up; who left comes last; of the others, nobody is behind fewer points."""
    game = walk.game
    outcome = game.outcome(walk.states[-1])
    assert outcome is not None
    assert outcome.reason
    assert len(outcome.places) == len(outcome.scores) == walk.seats
    for place in outcome.places:
        assert place == 1 + sum(other < place for other in outcome.places)
    for score in outcome.scores:
        assert score.total == sum(points for _, points in score.parts)
    left = game.left(walk.states[-1])
    for distance, seat in enumerate(left):
        assert outcome.places[seat] == walk.seats - distance
    stayed = [(outcome.scores[seat].total, -outcome.places[seat]) for seat in range(walk.seats) if seat not in left]
    assert all(one[1] >= other[1] for one in stayed for other in stayed if one[0] > other[0])
    assert json.loads(json.dumps(freeze(outcome)))


def check_leaving(walk: Walk, count: int = 4) -> None:
    """GE-1: at any point any seat may leave, and is played by `absent` at once; the last one that stays wins."""
    game = walk.game
    for attempt in range(count):
        luck = Chance(f"leaving {walk.number}/{attempt}".encode())
        at = luck.below("at", len(walk.states) - 1)
        state = walk.states[at]
        gone = list(game.left(state))
        for seat in luck.shuffle("who", [seat for seat in SEATED[walk.seats] if seat not in gone]):
            state = _left(walk, state, seat, gone)
            if len(gone) == walk.seats - 1:
                break
            state = _play_on(walk, state, luck.below(f"pause/{seat}", 12), f"{attempt}/{seat}")
            if game.outcome(state) is not None:
                break
        outcome = game.outcome(state)
        assert outcome is not None
        if len(gone) == walk.seats - 1:
            (winner,) = set(SEATED[walk.seats]) - set(gone)
            assert outcome.places[winner] == 1
        assert [outcome.places[seat] for seat in gone] == list(range(walk.seats, walk.seats - len(gone), -1))


def _left(walk: Walk, state: State, seat: Seat, gone: list[Seat]) -> State:
    """The state after the seat left: the match goes on, or has one seat left; leaving again changes nothing."""
    game = walk.game
    events = game.leave(state, seat, walk.chance)
    assert events
    state = fold(game, state, events)
    gone.append(seat)
    assert list(game.left(state)) == gone
    assert (game.outcome(state) is not None) == (len(gone) == walk.seats - 1)
    if game.outcome(state) is None:
        assert fold(game, state, game.leave(state, seat, walk.chance)) == state
    return state


def _play_on(walk: Walk, state: State, moves: int, label: str) -> State:
    game = walk.game
    for number in range(moves):
        for played in play_for_the_absent(game, state, walk.chance):
            assert played.seat in game.left(state)
            state = played.state
        seat = game.to_act(state)
        if seat is None:
            break
        assert seat not in game.left(state)
        line = pick(game.legal(game.view(state, seat)), Chance(b"play on"), f"{label}/{number}")
        state = play_line(game, state, seat, line, walk.chance).state
    return state


def check_nobody_leaves_after_the_end(walk: Walk) -> None:
    for seat in SEATED[walk.seats]:
        refusal = _refusal(partial(walk.game.leave, walk.states[-1], seat, walk.chance))
        assert refusal is not None
        assert (refusal.rule, refusal.code) == ("GE-2", "match_over")


# -- notation


def check_notation_is_inverse_to_reading(walk: Walk) -> None:
    """In every position, for every reader: a canonical line is its own notation, and no two moves share one."""
    game = walk.game
    moves: dict[str, Any] = {}
    for state in walk.states[:-1]:
        view = game.view(state, _on_turn(game, state))
        for line in some_offered(game.legal(view), 30, "notated"):
            move = game.parse(line, view)
            assert moves.setdefault(game.notate(move), move) == game.parse(game.notate(move), view) == move
    for place, state in enumerate(walk.states[:: max(1, len(walk.states) // 10)]):
        for seat in walk.readers():
            view = game.view(state, seat)
            for line in walk.some_lines(15, (place, seat)):
                move = game.parse(line, view)
                assert game.notate(move) == line
                assert moves.setdefault(line, move) == move
                assert "\n" not in line
                assert line == line.strip()
    assert len(set(moves.values())) == len(moves)


def check_reading_is_forgiving(walk: Walk) -> None:
    game = walk.game
    for place, state in enumerate(walk.states[:-1:5]):
        view = game.view(state, _on_turn(game, state))
        for line in walk.some_lines(10, place):
            move = game.parse(line, view)
            for spelled in (
                line.upper(),
                line.title(),
                f"  {line} ",
                line.replace(" ", "   "),
                line.replace(" ", "\t"),
            ):
                assert game.parse(spelled, view) == move, spelled


def check_reading_raises_nothing_but_notation_errors(game: Game, state: State, seat: Seat | None, text: str) -> None:
    """And whatever is read has a canonical line that is read alike."""
    view = game.view(state, seat)
    try:
        read = game.parse(text, view)
    except NotationError as error:
        read = error
    if not isinstance(read, NotationError):
        assert game.parse(game.notate(read), view) == read
        return
    assert read.text == text
    assert (read.code == "ambiguous") == (len(read.choices) > 1)
    for choice in read.choices:
        assert game.notate(game.parse(choice, view)) == choice


def check_nonsense_is_read_or_refused(walk: Walk) -> None:
    for state in (walk.states[0], walk.states[len(walk.states) // 2], walk.states[-1]):
        for seat in walk.readers():
            for text in NONSENSE:
                check_reading_raises_nothing_but_notation_errors(walk.game, state, seat, text)


# -- words and pictures


def check_the_position_is_told(walk: Walk) -> None:
    """In both languages, with everybody's name, in lines of at most 72 characters whatever the names."""
    game = walk.game
    plain = ["Ada", "Bo", "Cleo", "Dov", "Eve"][: walk.seats]
    for state in walk.states[:: max(1, len(walk.states) // 12)] + walk.states[-1:]:
        for seat in walk.readers():
            view = game.view(state, seat)
            told = [game.tell(view, language, plain) for language in LANGUAGES]
            assert len(set(told)) == len(LANGUAGES)
            assert all(name in text for name in plain for text in told)
            for language in LANGUAGES:
                for text in (game.tell(view, language, plain), game.tell(view, language, NASTY_NAMES[: walk.seats])):
                    assert max(map(len, text.splitlines())) <= WIDTH, text


def check_the_guide_speaks_to_whoever_is_to_act(walk: Walk) -> None:
    """And what it shows, on lines indented by two spaces and up to the next two, can be played as it stands."""
    game = walk.game
    for state in walk.states:
        for seat in walk.readers():
            view = game.view(state, seat)
            for language in LANGUAGES:
                guide = game.guide(view, language)
                assert bool(guide) == (seat is not None and seat == game.to_act(state))
                examples = EXAMPLE.findall(guide)
                assert examples or not guide
                for example in examples:
                    assert is_offered(game.notate(game.parse(example, view)), game.legal(view)), example


def check_what_happened_is_recounted(walk: Walk) -> None:
    """For every reader, to whom much of it is hidden; each move is worth a sentence."""
    for step in walk.steps:
        for reader in walk.readers():
            seen = as_seen_by(reader, step.events)
            for language in LANGUAGES:
                sentences = walk.game.recount(seen, language, NASTY_NAMES)
                assert not isinstance(sentences, str)
                assert sentences
                assert all(re.fullmatch(r"[^\n]+[.!?]", sentence) for sentence in sentences), sentences


def check_the_picture(walk: Walk) -> None:
    game = walk.game
    plain = ["Ada", "Bo", "Cleo", "Dov", "Eve"][: walk.seats]
    for state in walk.states[:: max(1, len(walk.states) // 5)] + walk.states[-1:]:
        for seat in walk.readers():
            view = game.view(state, seat)
            drawn = {
                (language, theme): game.draw(view, plain, language, theme) for language in LANGUAGES for theme in THEMES
            }
            for (language, theme), picture in drawn.items():
                assert game.draw(view, plain, language, theme) == picture
                nasty = game.draw(view, NASTY_NAMES[: walk.seats], language, theme)
                assert _tags(nasty) == _tags(picture), "a name is text, whatever it holds"
                for svg in (picture, nasty):
                    check_picture_stands_alone(svg)
            assert drawn["en", "light"] != drawn["en", "dark"]
            for name in plain:
                assert name in "".join(ET.fromstring(drawn["de", "light"]).itertext())


def _tags(svg: str) -> list[str]:
    return sorted({element.tag for element in ET.fromstring(svg).iter()})


def check_picture_stands_alone(svg: str) -> None:
    """Well-formed SVG that fetches nothing and runs nothing, with letters of 8 pixels or more on a width of 360."""
    root = ET.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert height > 0
    sizes = re.findall(r"font-size[=:]\s*\"?([\d.]+)", svg)
    assert all(float(size) * 360 / width >= 8 for size in sizes), sorted(set(sizes))
    for element in root.iter():
        assert element.tag.rpartition("}")[2] not in (
            "script",
            "foreignObject",
            "image",
            "iframe",
            "a",
            "animate",
            "set",
        )
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            assert name.rpartition("}")[2] != "href" or value.startswith("#")
            assert not re.search(r"url\((?!#)|javascript:|expression\(", value)
        assert not re.search(r"@import|url\((?!#)", element.text or "") or not element.tag.endswith("style")


WALK_CHECKS: tuple[Callable[[Walk], object], ...] = tuple(
    check
    for name, check in list(globals().items())
    if name.startswith("check_") and list(check.__annotations__)[:1] == ["walk"]
)
