"""Each check can fail: a copy of Hands with one fault in it is caught by the check that is there for that fault."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from types import ModuleType
from typing import Any, cast

import pytest

from engine.chance import Chance
from engine.errors import RuleViolation, Unreadable
from engine.events import Event, SeatLeft
from engine.game import Game, Info, Offer, Option, Outcome, places
from tests.contracts import checks, worlds
from tests.contracts.walks import walks
from tests.games import hands
from tests.games.hands.notation import VERBS
from tests.games.hands.rules import (
    CARDS,
    Beat,
    CardsDrawn,
    Course,
    DeckShuffled,
    Let,
    Play,
    State,
    Swap,
    View,
    _next,
    beats,
)


def copy_with(**faults: Any) -> Any:
    """Hands, with these names replaced."""
    game = ModuleType("tests.games.hands")
    game.__file__ = hands.__file__
    for name in hands.__all__:
        setattr(game, name, faults.get(name, getattr(hands, name)))
    return game


def checking(check: Callable[..., None], game: Game, player: Game) -> Callable[[], None]:
    """The check, as `test_games.py` runs it, ready to go on this game and on matches that were played by `player`."""
    if check is checks.check_its_id_is_the_name_of_its_folder:
        return lambda: check(game)
    if check is checks.check_its_options:
        return lambda: check(game, 3)
    matches = [replace(match, game=game) for seats in player.info.seats for match in walks(player, seats, 4)]

    def run() -> None:
        for match in matches:
            if check in (worlds.check_the_reader_cannot_tell, worlds.check_a_bot_cannot_tell):
                for reader in match.readers():
                    for pair in worlds.pairs(match, reader, 8):
                        check(pair)
            else:
                check(match)

    return run


@dataclass(frozen=True)
class Fault:
    """What is wrong, and who must notice."""

    what: str
    check: Callable[..., None]
    replaced: dict[str, Any]
    shows: type[Exception]
    in_play: bool


FAULTS: list[Fault] = []


def fault(
    what: str,
    check: Callable[..., None],
    shows: type[Exception] = AssertionError,
    in_play: bool = False,
    **replaced: Any,
) -> None:
    """`in_play`: the fault is in the events themselves, so matches are played with it."""
    FAULTS.append(Fault(what, check, replaced, shows, in_play))


# -- what is hidden


def view_with(change: Callable[[State, View], View]) -> Callable[..., View]:
    return lambda state, seat: change(state, hands.view(state, seat))


def first_of_next_hand(state: State, view: View) -> View:
    held = state.hands[((view.seat or 0) + 1) % len(state.hands)]
    return replace(view, discards=view.discards + tuple(slotted.card for slotted in held[:1]))


def count_of_reds(state: State, view: View) -> View:
    reds = [sum(slotted.card.colour.value == "r" for slotted in hand) for hand in state.hands]
    return replace(view, beaten=tuple(reds))


def sorted_deck_size(state: State, view: View) -> View:
    return replace(view, deck=len(state.deck) + (bool(state.deck) and state.deck[0].card.number == 3))


def only_who_can_answers(state: State) -> Any:
    asked = hands.to_act(state)
    if state.played and asked is not None:
        able = any(beats(slotted.card, state.played) for slotted in state.hands[asked])
        return asked if able else state.turn
    return asked


def refuse_what_the_neighbour_holds(state: State, seat: Any, move: Any, chance: Chance) -> Sequence[Event]:
    held = [slotted.card for slotted in state.hands[_next(state, seat)]]
    if isinstance(move, Play) and hands.to_act(state) == seat and move.card in held:
        raise RuleViolation("HA-4", "not_in_hand", card=str(move.card))
    return hands.decide(state, seat, move, chance)


def refuse_with_a_hint(state: State, seat: Any, move: Any, chance: Chance) -> Sequence[Event]:
    try:
        return hands.decide(state, seat, move, chance)
    except RuleViolation as refusal:
        hint = str(state.deck[0].card) if state.deck else "none"
        raise RuleViolation(refusal.rule, refusal.code, **refusal.facts | {"hint": hint}) from None


def turn_of_who_can_answer(state: State) -> Any:
    asked = only_who_can_answers(state)
    return hands.turn(state) if asked == hands.to_act(state) else asked and _next(state, asked)


TELLS = worlds.check_the_reader_cannot_tell
fault("the view shows a card of another's hand", TELLS, view=view_with(first_of_next_hand))
fault("the view tells how many reds a hand holds", TELLS, view=view_with(count_of_reds))
fault("the view tells a little of the next card", TELLS, view=view_with(sorted_deck_size))
fault("only those who can answer are asked", TELLS, to_act=only_who_can_answers)
fault("the turn is told by who can answer", TELLS, turn=turn_of_who_can_answer)
fault("a move is refused for what another holds", TELLS, decide=refuse_what_the_neighbour_holds)
fault("the facts of a refusal hold a hidden card", TELLS, decide=refuse_with_a_hint)


# -- bots


def judgement_with(**changes: Any) -> Any:
    judgement = ModuleType("judgement")
    for name in ("imagine", "worth"):
        setattr(judgement, name, changes.get(name, getattr(hands.judgement, name)))
    return judgement


def imagining(change: Callable[[State], State]) -> Any:
    return judgement_with(imagine=lambda view, chance: change(hands.judgement.imagine(view, chance)))


LAST_SEEN: list[State] = []


def view_and_remember(state: State, seat: Any) -> View:
    LAST_SEEN[:] = [state]
    return hands.view(state, seat)


WHIMS = count()
IMAGINED = checks.check_imagined_worlds
WORTH = checks.check_a_view_is_worth_a_number

fault(
    "a bot is told the state",
    worlds.check_a_bot_cannot_tell,
    view=view_and_remember,
    judgement=judgement_with(imagine=lambda _view, _chance: LAST_SEEN[0]),
)
fault(
    "nothing is drawn in a world",
    IMAGINED,
    judgement=judgement_with(imagine=lambda view, _chance: hands.judgement.imagine(view, Chance(b""))),
)
fault(
    "each world is another",
    IMAGINED,
    judgement=judgement_with(
        imagine=lambda view, _chance: hands.judgement.imagine(view, Chance(bytes([next(WHIMS) % 256])))
    ),
)
fault(
    "a world has other hands",
    IMAGINED,
    judgement=imagining(lambda state: replace(state, hands=(*state.hands[1:], state.hands[0]))),
)
fault(
    "a world forgets whose turn it is",
    IMAGINED,
    judgement=imagining(lambda state: replace(state, turn=_next(state, state.turn))),
)
fault("a world can't be played on", IMAGINED, TypeError, judgement=imagining(lambda it: replace(it, shuffles="")))
fault("a view is worth nothing", WORTH, judgement=judgement_with(worth=lambda view: 0.0))
fault("a view is worth everything", WORTH, judgement=judgement_with(worth=lambda view: float("inf")))
fault("a view's worth is a whim", WORTH, judgement=judgement_with(worth=lambda view: float(next(WHIMS))))


# -- orders


def orders_with(**changes: Any) -> Any:
    orders = ModuleType("orders")
    for name in ("read", "obey", "guide"):
        setattr(orders, name, changes.get(name, getattr(hands.orders, name)))
    return orders


def obey_always(order: str, view: View) -> Any:
    return Let()


def beat_with_anything(order: str, view: View) -> Any:
    move = hands.orders.obey(order, view)
    return Beat(view.hand[0]) if move and view.hand else move


def repeat(text: str, view: View) -> str:
    hands.orders.read(text, view)
    return text


def take_for_let(text: str, view: View) -> str:
    return text if text.isdigit() else f"{text[:1]} 1"


ORDERS = checks.check_orders_are_read_and_obeyed
fault("nobody has the turn", checks.check_whose_turn_it_is, turn=lambda state: None)
fault("somebody is asked and may leave no orders", checks.check_whose_turn_it_is, orders=None)
fault("an order acts on the own turn", ORDERS, orders=orders_with(obey=obey_always))
fault("an order plays what may not be played", ORDERS, orders=orders_with(obey=beat_with_anything))
fault("an order is kept as it was typed", ORDERS, orders=orders_with(read=repeat))
fault("orders are told at length", ORDERS, orders=orders_with(guide=lambda view, language: "  let" + " " * 60 + "x"))
fault("an order does nothing", ORDERS, orders=orders_with(obey=lambda order, view: None))
fault("anything is an order", checks.check_nonsense_is_no_order, orders=orders_with(read=take_for_let))


# -- the game itself, and its deal

DEALT = count()


def deal_from_memory(seats: int, options: Any, chance: Chance) -> Sequence[Event]:
    return hands.deal(seats, options, Chance(bytes([next(DEALT) % 256])))


def deal_and_change_options(seats: int, options: Any, chance: Chance) -> Sequence[Event]:
    options["turns"] = 1
    return hands.deal(seats, options, chance)


def decide_with_old_labels(state: State, seat: Any, move: Any, chance: Chance) -> Sequence[Event]:
    class Stuck(Chance):
        def shuffle(self, label: str, items: Any) -> Any:
            return chance.shuffle("hands/deck/1", items)

        below = chance.below

    return hands.decide(state, seat, move, Stuck(b""))


def info_with(**changes: Any) -> Info:
    return replace(hands.info, **changes)


ANYTHING = Option("anything", 1, "whatever you like.", lambda _value, _seats: True)
NOTHING = Option("nothing", 1, "whatever you like.", lambda _value, _seats: False)

fault("its id isn't its folder", checks.check_its_id_is_the_name_of_its_folder, info=info_with(id="cards"))
fault("an option allows nonsense", checks.check_its_options, info=info_with(options=(ANYTHING,)))
fault("an option doesn't allow its default", checks.check_its_options, info=info_with(options=(NOTHING,)))
fault("each deal is another", checks.check_the_same_chance_gives_the_same_deal, in_play=True, deal=deal_from_memory)
fault(
    "the deal changes the options",
    checks.check_the_same_chance_gives_the_same_deal,
    in_play=True,
    deal=deal_and_change_options,
)
fault(
    "a label is used twice",
    checks.check_every_label_of_chance_is_used_once,
    in_play=True,
    decide=decide_with_old_labels,
)


# -- values


@dataclass(frozen=True)
class LooseState(State):
    """Not the type that the game says."""


def evolve_loosely(state: Any, event: Event) -> Any:
    after = hands.evolve(state, event)
    return LooseState(*(getattr(after, name) for name in State.__dataclass_fields__))


def evolve_into_lists(state: Any, event: Event) -> Any:
    after = hands.evolve(state, event)
    return replace(after, beaten=[*after.beaten])


def show_another_card(state: State, seat: Any, move: Any, chance: Chance) -> Sequence[Event]:
    def change(event: Event) -> Event:
        if isinstance(event, CardsDrawn):
            other = tuple(replace(shown, value=CARDS[0]) for shown in event.cards)
            return replace(event, cards=other)
        return event

    return [change(event) for event in hands.decide(state, seat, move, chance)]


def use_names_again(state: State, seat: Any, move: Any, chance: Chance) -> Sequence[Event]:
    def change(event: Event) -> Event:
        if isinstance(event, DeckShuffled):
            deck = tuple(replace(sealed, name=sealed.name.replace("deck2", "deck1")) for sealed in event.deck)
            return DeckShuffled(deck)
        return event

    return [change(event) for event in hands.decide(state, seat, move, chance)]


fault(
    "an event isn't among the game's",
    checks.check_events_survive_json,
    events=tuple(kind for kind in hands.events if kind is not CardsDrawn),
)
fault("a state is of another type", checks.check_states_survive_json, in_play=True, evolve=evolve_loosely)
fault("a state's type is another", checks.check_states_survive_json, state_type=View)
fault("a state holds a list", checks.check_states_survive_json, in_play=True, shows=TypeError, evolve=evolve_into_lists)
fault(
    "a view can't be frozen",
    checks.check_views_survive_freezing,
    TypeError,
    view=view_with(lambda _, view: replace(view, hand=[*view.hand])),
)
fault("a card is shown as another", checks.check_what_is_shown_was_sealed, in_play=True, decide=show_another_card)
fault("a slot's name is used again", checks.check_what_is_shown_was_sealed, in_play=True, decide=use_names_again)


# -- turns and moves


def legal_without_swaps_at_times(view: View) -> Sequence[Offer]:
    return [offer for offer in hands.legal(view) if view.deck or not offer.text.startswith("swap")]


def legal_with_beating_forced(view: View) -> Sequence[Offer]:
    offers = hands.legal(view)
    return [offer for offer in offers if len(offers) == 1 or offer.text != "let"]


def legal_with_all_cards(view: View) -> Sequence[Offer]:
    offers = list(hands.legal(view))
    return [*offers, *(Offer(f"play {card}") for card in set(CARDS))] if offers else []


def legal_for_all(view: View) -> Sequence[Offer]:
    return hands.legal(replace(view, to_act=view.seat)) if view.seat is not None else ()


def decide_without_turns(state: State, seat: Any, move: Any, chance: Chance) -> Sequence[Event]:
    to_act = hands.to_act(state)
    return hands.decide(state, seat if to_act is None else to_act, move, chance)


def decide_nothing(state: State, seat: Any, move: Any, chance: Chance) -> Sequence[Event]:
    events = hands.decide(state, seat, move, chance)
    return () if isinstance(move, Let) else events


def decide_any_swap(state: State, seat: Any, move: Any, chance: Chance) -> Sequence[Event]:
    if isinstance(move, Swap) and hands.to_act(state) == seat:
        course = Course(state, chance)
        return course.events
    return hands.decide(state, seat, move, chance)


def decide_without_a_rule(state: State, seat: Any, move: Any, chance: Chance) -> Sequence[Event]:
    try:
        return hands.decide(state, seat, move, chance)
    except RuleViolation as refusal:
        raise RuleViolation("", refusal.code, **refusal.facts) from None


def absent_beats(view: View) -> Any:
    return Beat(view.hand[0]) if view.played else hands.absent(view)


def explain_in_english(refusal: RuleViolation, language: Any) -> str:
    return hands.explain(refusal, "en")


def explain_with_gaps(refusal: RuleViolation, language: Any) -> str:
    return f"{{card}}: {hands.explain(refusal, language)}"


fault(
    "nobody is to act while it runs",
    checks.check_somebody_is_to_act_until_the_match_is_over,
    outcome=lambda state: hands.outcome(replace(state, ended="ended") if state.rows[0] else state),
)
fault("not all swaps are offered", checks.check_nothing_else_is_accepted, legal=legal_without_swaps_at_times)
fault("letting go isn't always offered", checks.check_nothing_else_is_accepted, legal=legal_with_beating_forced)
fault(
    "cards are offered that aren't held",
    checks.check_what_is_offered_is_accepted,
    RuleViolation,
    legal=legal_with_all_cards,
)
fault(
    "others are offered moves",
    checks.check_moves_are_offered_to_whoever_is_to_act_and_nobody_else,
    legal=legal_for_all,
)
fault(
    "anybody may act",
    checks.check_acting_out_of_turn_or_after_the_end_is_refused,
    decide=decide_without_turns,
)
fault("a move brings nothing about", checks.check_what_is_offered_is_accepted, decide=decide_nothing)
fault("any cards may be swapped", checks.check_nothing_else_is_accepted, decide=decide_any_swap)
fault("a refusal names no rule", checks.check_nothing_else_is_accepted, decide=decide_without_a_rule)
fault("a refusal is told in English only", checks.check_nothing_else_is_accepted, explain=explain_in_english)
fault("a refusal's sentence has gaps", checks.check_nothing_else_is_accepted, explain=explain_with_gaps)
fault("the absent move is illegal", checks.check_the_absent_move_is_legal, absent=absent_beats)


# -- believing, and the end

TOLD = count()


def evolve_by_heart(state: Any, event: Event) -> Any:
    after = hands.evolve(state, event)
    return replace(after, thefts=after.thefts + next(TOLD))


def evolve_and_judge(state: Any, event: Event) -> Any:
    if isinstance(event, CardsDrawn) and state and len(state.hands[event.seat]) + len(event.cards) > 4:
        raise RuleViolation("HA-8", "hand_full")
    return hands.evolve(state, event)


def changed_outcome(change: Callable[[State, Outcome], Outcome]) -> Callable[[State], Outcome | None]:
    def outcome(state: State) -> Outcome | None:
        found = hands.outcome(state)
        return None if found is None else change(state, found)

    return outcome


def count_places_densely(state: State, outcome: Outcome) -> Outcome:
    ranks = sorted(set(outcome.places))
    return replace(outcome, places=tuple(ranks.index(place) + 1 for place in outcome.places))


def forget_who_left(state: State, outcome: Outcome) -> Outcome:
    return replace(outcome, places=places([score.total for score in outcome.scores]))


def fewest_win(state: State, outcome: Outcome) -> Outcome:
    return replace(outcome, places=places([-score.total for score in outcome.scores], state.left))


def add_a_part(state: State, outcome: Outcome) -> Outcome:
    scores = tuple(replace(score, parts=(*score.parts, ("more", 1))) for score in outcome.scores)
    return replace(outcome, scores=scores)


def leave_for_good(state: State, seat: Any, chance: Chance) -> Sequence[Event]:
    course = Course(state, chance)
    course.happens(SeatLeft(seat))
    hands.rules._end(course, "others_left")
    return course.events


def leave_again_and_again(state: State, seat: Any, chance: Chance) -> Sequence[Event]:
    return [SeatLeft(seat)] if seat in state.left else hands.leave(state, seat, chance)


def leave_whenever(state: State, seat: Any, chance: Chance) -> Sequence[Event]:
    return () if state.ended else hands.leave(state, seat, chance)


def leave_unnoticed(state: State, seat: Any, chance: Chance) -> Sequence[Event]:
    return [SeatLeft(seat)]


fault(
    "a state isn't what its events give",
    checks.check_the_state_is_the_fold_of_its_events,
    in_play=True,
    evolve=evolve_by_heart,
)
fault("evolve judges", checks.check_evolve_never_refuses, in_play=True, evolve=evolve_and_judge)
fault("places go 1, 1, 2", checks.check_the_outcome, outcome=changed_outcome(count_places_densely))
fault("who left is ranked by points", checks.check_the_outcome, outcome=changed_outcome(forget_who_left))
fault("fewest points win", checks.check_the_outcome, outcome=changed_outcome(fewest_win))
fault("parts don't add up", checks.check_the_outcome, outcome=changed_outcome(add_a_part))
fault("one who leaves ends the match", checks.check_leaving, leave=leave_for_good)
fault("who left may leave again", checks.check_leaving, leave=leave_again_and_again)
fault("the last one that stays plays on alone", checks.check_leaving, leave=leave_unnoticed)
fault("nobody knows who left", checks.check_leaving, left=lambda state: ())
fault("one may leave after the end", checks.check_nobody_leaves_after_the_end, leave=leave_whenever)


# -- notation


def parse_strictly(text: str, view: View) -> Any:
    move = hands.parse(text, view)
    if text != hands.notate(move):
        raise Unreadable(text)
    return move


def parse_with_int(text: str, view: View) -> Any:
    if text.isdigit():
        int(text)
    return hands.parse(text, view)


def parse_in_order(text: str, view: View) -> Any:
    """What the cards of a swap are is told, but not in which order."""
    move = hands.parse(text, view)
    if isinstance(move, Swap):
        return Swap(tuple(sorted(move.cards, key=lambda card: text.casefold().find(str(card)))))
    return move


def notate_each_card_once(move: Any) -> str:
    return hands.notate(Swap(tuple(dict.fromkeys(move.cards))) if isinstance(move, Swap) else move)


def parse_english(text: str, view: View) -> Any:
    if any(word in text.casefold().split() for words in VERBS.values() for word in words[1:]):
        raise Unreadable(text)
    return hands.parse(text, view)


def notate_one_verb(move: Any) -> str:
    return hands.notate(move).replace("beat", "play")


fault("only canonical lines are read", checks.check_reading_is_forgiving, Unreadable, parse=parse_strictly)
fault("reading stumbles over nonsense", checks.check_nonsense_is_read_or_refused, ValueError, parse=parse_with_int)
fault("words are taken in order", checks.check_the_words_of_a_choice_may_stand_in_any_order, parse=parse_in_order)
fault("notation forgets", checks.check_notation_is_inverse_to_reading, notate=notate_each_card_once)
fault("two moves share a line", checks.check_notation_is_inverse_to_reading, notate=notate_one_verb)
fault("notation shouts", checks.check_what_is_offered_is_accepted, notate=lambda move: hands.notate(move).upper())
fault("German isn't read", checks.check_the_guide_speaks_to_whoever_is_to_act, Unreadable, parse=parse_english)


# -- words and pictures

DRAWN = count()


def drawn_with(old: str, new: str) -> Callable[..., str]:
    return lambda *given: hands.draw(*given).replace(old, new)


def draw_raw_names(view: View, names: Sequence[str], language: Any, theme: Any) -> str:
    return hands.draw(view, names, language, theme).replace("</svg>", f"<text>{names[0]}{names[-1]}</text></svg>")


def tell_whole_names(view: View, language: Any, names: Sequence[str]) -> str:
    return f"{hands.tell(view, language, names)}\n{', '.join(names)}"


def guide_everybody(view: View, language: Any) -> str:
    return hands.guide(view, language) or "Please wait."


def guide_to_nowhere(view: View, language: Any) -> str:
    guide = hands.guide(view, language)
    return f"{guide}\n  play r9  a card that isn't" if guide else ""


def recount_what_it_sees(events: Sequence[Event], language: Any, names: Sequence[str]) -> Sequence[str]:
    sentences = list(hands.recount(events, language, names))
    for event in events:
        if isinstance(event, CardsDrawn):
            sentences += [f"{shown.value.colour} was drawn." for shown in event.cards if shown.value]
            sentences += ["" for shown in event.cards if not shown.value]
    return sentences


fault("names are told in full", checks.check_the_position_is_told, tell=tell_whole_names)
fault(
    "the position is told in German only",
    checks.check_the_position_is_told,
    tell=lambda view, language, names: hands.tell(view, "de", names),
)
fault("who waits gets a guide", checks.check_the_guide_speaks_to_whoever_is_to_act, guide=guide_everybody)
fault("the guide misleads", checks.check_the_guide_speaks_to_whoever_is_to_act, guide=guide_to_nowhere)
fault("a hidden draw is an empty sentence", checks.check_what_happened_is_recounted, recount=recount_what_it_sees)
fault("names are drawn as they are", checks.check_the_picture, SyntaxError, draw=draw_raw_names)
fault("a picture is fetched", checks.check_the_picture, draw=drawn_with("</svg>", '<image href="http://x/"/></svg>'))
fault("a font is fetched", checks.check_the_picture, draw=drawn_with('fill="#', 'style="fill:url(//x)" fill="#'))
fault("a picture runs", checks.check_the_picture, draw=drawn_with("</svg>", "<script>1</script></svg>"))
fault("letters are tiny", checks.check_the_picture, draw=drawn_with('font-size="12"', 'font-size="6"'))
fault("both themes are light", checks.check_the_picture, draw=lambda *given: hands.draw(*given[:3], "light"))
fault(
    "each picture is another",
    checks.check_the_picture,
    draw=lambda *given: hands.draw(*given).replace("</svg>", f"<g id='n{next(DRAWN)}'/></svg>"),
)


# -- seen to fail


@pytest.mark.parametrize("planted", FAULTS, ids=lambda planted: planted.what)
def test_a_planted_fault_is_caught(planted: Fault) -> None:
    game = copy_with(**planted.replaced)
    run = checking(planted.check, game, game if planted.in_play else cast(Game, hands))
    with pytest.raises(planted.shows):
        run()


@pytest.mark.parametrize("check", sorted({planted.check for planted in FAULTS}, key=lambda check: check.__name__))
def test_a_copy_without_a_fault_passes(check: Callable[..., None]) -> None:
    checking(check, copy_with(), cast(Game, hands))()


def test_every_check_was_seen_to_fail_and_every_name_of_the_protocol_was_broken_once() -> None:
    assert {planted.check for planted in FAULTS} >= set(checks.WALK_CHECKS)
    promised = {name for name in Game.__dict__ if not name.startswith("_")}
    assert {name for planted in FAULTS for name in planted.replaced} == promised
