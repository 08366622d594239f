"""Celtic read a second time, as plainly as can be: a referee at a table, who is told the seed and what was played.

Nothing here comes from `engine`: the map and the goals are typed once more, chance is written again as its page says,
every marker is a thing that stands somewhere, and cards lie in plain lists.
"""

import hmac
from typing import Any

from tests.golden.golden import RESIGNS, Golden, Line, Result

GOODS = ["hides", "bronze", "wine", "amber", "jewelry", "yellow_pottery", "blue_pottery"]

ROADS = """
village: bread chickens grain spring          apples: spring cows millet
beer: bread geese trade_hides                 bees: bread burial_mound deer mead
cheese: spring cows goats hay                 geese: chickens beer
hay: chickens cheese trade_blue_pottery       pigs: grain spring
prince_statue: grain burial_mound fish flagon burial_mound: bees prince_statue wild_boar
cows: apples cheese clay                      deer: bees wild_boar
fish: prince_statue boat millet               flagon: prince_statue mistletoe torc
goats: cheese trade_blue_pottery              mead: bees trade_hides
millet: apples fish lentils plums             boat: fish horses lentils salt torc
clay: cows plums                              lentils: millet boat pears
mistletoe: flagon hazelnuts trade_amber wild_boar
plums: millet clay pears trade_wine           torc: flagon boat herbs
hazelnuts: mistletoe berries herbs            herbs: torc hazelnuts horses wagon
horses: boat herbs smithy                     pears: lentils plums trade_wine wool
salt: boat wool                               berries: hazelnuts trade_amber mushrooms timber
smithy: horses loom sword wagon               wagon: herbs charcoal smithy sword timber
wool: pears salt loom sandstone               charcoal: wagon shield sword timber tools
loom: smithy wool flax sheep                  mushrooms: berries tools
sandstone: wool sheep                         sword: smithy wagon charcoal helmet
flax: loom fibula                             helmet: sword fibula trade_bronze
sheep: loom sandstone necklace                shield: charcoal iron_ore trade_bronze
tools: charcoal mushrooms iron_ore trade_yellow_pottery
fibula: flax helmet necklace trade_jewelry    iron_ore: shield tools trade_yellow_pottery
necklace: sheep fibula trade_jewelry
"""

GOALS = """
E01 bread sandstone          E02 cheese salt         E03 deer pears            E04 flagon shield
E05 grain tools              E06 mead herbs          E07 millet sword          E08 mistletoe helmet
E09 prince_statue necklace   E10 torc flax           H01 cows fish sheep       H02 apples geese charcoal
H03 beer burial_mound loom   H04 bees wool mushrooms H05 chickens clay timber  H06 goats hazelnuts smithy
H07 hay horses berries       H08 pigs wild_boar fibula H09 plums boat wagon    H10 spring lentils iron_ore
"""

_IN_ORDER = """
village bread chickens grain spring apples beer bees cheese geese hay pigs prince_statue burial_mound cows deer fish
flagon goats mead millet boat clay lentils mistletoe plums torc wild_boar hazelnuts herbs horses pears salt berries
smithy wagon wool charcoal loom mushrooms sandstone sword timber flax helmet sheep shield tools fibula iron_ore
necklace trade_hides trade_blue_pottery trade_wine trade_amber trade_yellow_pottery trade_bronze trade_jewelry
"""
PLACES = _IN_ORDER.split()


def _joined(text: str) -> dict[str, set[str]]:
    """From where to where roads lead. A word with a colon begins the next place."""
    roads: dict[str, set[str]] = {}
    place = ""
    for word in text.split():
        if word.endswith(":"):
            place = word[:-1]
        else:
            roads.setdefault(place, set()).add(word)
            roads.setdefault(word, set()).add(place)
    return roads


def _goals(text: str) -> dict[str, list[str]]:
    goals: dict[str, list[str]] = {}
    for word in text.split():
        if word[0] in "EH" and word[1:].isdigit():
            last = goals.setdefault(word, [])
        else:
            last.append(word)
    return goals


# A map of few steps, on which much happens in a few turns. It is given with the match.
TREES = ["ash", "elm", "fir", "ivy", "oak", "yew"]
HAMLET: dict[str, Any] = {
    "village": {"id": "hamlet", "pos": [50, 50]},
    "locations": {tree: [20 + 12 * number, 30 + 40 * (number % 2)] for number, tree in enumerate(TREES)},
    "trade_locations": {
        f"trade_{good}": [10 + 13 * number, 10 + 80 * (number % 2)] for number, good in enumerate(GOODS)
    },
    "roads": {
        "edges": [
            *(f"hamlet-{tree}" for tree in TREES),
            *(f"{tree}-trade_{good}" for tree, good in zip(TREES, GOODS[:6], strict=True)),
            "yew-trade_blue_pottery",
            "ash-elm",
        ]
    },
    "goal": [
        *(
            {"id": f"P{one}{other}", "influence": 10 + other, "locations": [TREES[one], TREES[other]]}
            for one in range(6)
            for other in range(one + 1, 6)
        ),
        *({"id": f"S{one}", "influence": 5, "locations": [tree]} for one, tree in enumerate(TREES)),
    ],
}

# What matches to look among for golden files: how many seats, which options.
SETUPS: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, {"max_turns": 60}),
    (3, {"board": HAMLET, "reveal": "end_of_turn"}),
    (4, {"board": HAMLET, "open_trade": True}),
    (2, {"board": HAMLET, "reveal": "any_time"}),
    (3, {"max_turns": 45, "open_trade": True}),
    (4, {"max_turns": 6}),
    (3, {"board": HAMLET, "reveal": "any_time", "max_turns": 12}),
    (4, {"max_turns": 36}),
    (2, {"max_turns": 70, "reveal": "any_time"}),
)

# Every way a match can end; each is shown by a golden file of that name.
WAYS_TO_END = (
    *(f"fifth-goal-{when}-the-move-on-{where}" for when in ("before", "after") for where in ("our-map", "a-small-map")),
    *(f"seven-goods-at-once-on-{where}" for where in ("our-map", "a-small-map")),
    "seven-goods-declined-first",
    "seven-goods-before-the-move",
    "max-turns-on-our-map",
    "max-turns-on-a-small-map",
    "others-left",
    "others-left-one-by-one",
)


def shuffled(seed: bytes, label: str, things: list[str]) -> list[str]:
    """Chance, as its page tells it: blocks of 32 bytes, words of 8, no word that would favour a number, swaps."""
    things, words, block = list(things), [], 0
    for last in range(len(things) - 1, 0, -1):
        while True:
            if not words:
                raw = hmac.new(seed, label.encode() + b"\0" + block.to_bytes(8, "big"), "sha256").digest()
                words = [int.from_bytes(raw[at : at + 8], "big") for at in (0, 8, 16, 24)]
                block += 1
            word = words.pop(0)
            if word < 2**64 // (last + 1) * (last + 1):
                break
        other = word % (last + 1)
        things[last], things[other] = things[other], things[last]
    return things


class Referee:
    def __init__(self, golden: Golden) -> None:
        self.options, self.seats = golden.options, golden.seats
        self.our_map = golden.options["board"] == "reconstruction"
        if self.our_map:
            self.village = "village"
            self.roads = _joined(ROADS)
            self.goals = _goals(GOALS)
            self.worth = {goal: 15 if goal[0] == "E" else 20 for goal in self.goals}
        else:
            board = golden.options["board"]
            self.village = board["village"]["id"]
            self.roads = _joined(" ".join(edge.replace("-", ": ") for edge in board["roads"]["edges"]))
            self.goals = {goal["id"]: goal["locations"] for goal in board["goal"]}
            self.worth = {goal["id"]: goal["influence"] for goal in board["goal"]}
        self.stands = [[self.village] * 8 for _ in range(self.seats)]  # where each marker of each player is
        self.stack = dict.fromkeys(GOODS, 16)
        self.collected: list[list[str]] = [[] for _ in range(self.seats)]
        self.done: list[list[str]] = [[] for _ in range(self.seats)]
        self.turn = next(line.seat for line in golden.lines if line.move != RESIGNS)
        if golden.options["first_player"] != "random":
            assert self.turn == golden.options["first_player"]
        self.first = self.turn
        self.deck = shuffled(golden.seed, "celtic/goals", list(self.goals))
        self.hand: list[list[str]] = [[] for _ in range(self.seats)]
        for seat in self.round_from(self.turn):
            self.hand[seat] = [self.deck.pop(0), self.deck.pop(0)]
        self.turns_taken = [0] * self.seats
        self.moved = False
        self.way = ("", "")
        self.asked: list[int] = []
        self.final: list[int] | None = None
        self.gone: list[int] = []
        self.ending = ""
        self.reason = ""
        # what the match shows
        self.fifth_before_the_move = False
        self.declined = False
        self.early = False

    def round_from(self, seat: int) -> list[int]:
        return [(seat + step) % self.seats for step in range(self.seats)]

    # -- what is said

    def hear(self, line: Line) -> None:
        assert not self.reason, f"{line} after the end"
        if line.move == RESIGNS:
            self.gone.append(line.seat)
            if len(self.gone) == self.seats - 1:
                self.reason = "others_left"
            return
        verb, *words = line.move.split()
        if self.asked:
            assert line.seat == self.asked.pop(0), f"{line} out of turn"
            assert verb == "follow"
            self.send(line.seat, int(words[0]))
            return
        speaker = self.turn if self.final is None else self.final[0]
        assert line.seat == speaker, f"{line} out of turn"
        assert not line.shown
        if verb == "goal":
            self.complete(speaker, words[0])
        elif verb == "collect":
            self.collect(speaker, words[0], int(words[1]))
        elif verb == "move":
            assert self.final is None
            self.move(speaker, int(words[0]), words[1], words[3])
        elif self.final is not None:
            assert verb == "done"
            self.final.pop(0)
            self.ask_on()
        else:
            self.end_turn(speaker, verb)

    # -- a turn

    def move(self, seat: int, count: int, origin: str, destination: str) -> None:
        assert not self.moved, "a second move"
        assert count >= 1
        assert origin != destination
        one_road = self.roads[origin]
        two_roads = {further for place in one_road for further in self.roads[place]}
        assert destination in one_road | two_roads
        self.moved = True
        self.way = (origin, destination)
        self.send(seat, count)
        self.asked = [other for other in self.round_from(seat)[1:] if origin in self.stands[other]]

    def send(self, seat: int, count: int) -> None:
        origin, destination = self.way
        for _ in range(count):
            self.stands[seat].remove(origin)
            self.stands[seat].append(destination)

    def complete(self, seat: int, goal: str) -> None:
        self.hand[seat].remove(goal)
        for location in self.goals[goal]:
            self.stands[seat].remove(location)
            self.stands[seat].append(self.village)
        self.done[seat].append(goal)
        if len(self.done[seat]) <= 3:
            self.hand[seat].append(self.deck.pop(0))
        if len(self.done[seat]) == 5:
            assert not self.hand[seat]
            if self.final is None:
                self.fifth_before_the_move = not self.moved
        self.ask_on()

    def collect(self, seat: int, good: str, count: int) -> None:
        for _ in range(count):
            self.stands[seat].remove(f"trade_{good}")
            self.stands[seat].append(self.village)
            if self.stack[good] > 0:
                self.stack[good] -= 1
                self.collected[seat].append(good)
        self.ask_on()

    def end_turn(self, seat: int, verb: str) -> None:
        seven = set(self.collected[seat]) == set(GOODS)
        if verb == "reveal":
            assert seven
            assert self.moved or self.options["reveal"] == "any_time"
            self.early = not self.moved
            self.ending = "seven_goods"
            self.final = self.round_from(seat)
        else:
            assert verb == "done"
            assert self.moved, "the move was passed"
            self.declined = self.declined or seven
            self.turns_taken[seat] += 1
            if len(self.done[seat]) == 5:
                self.ending = "fifth_goal"
                self.final = self.round_from(seat)
            elif min(self.turns_taken) == self.options["max_turns"]:
                self.ending = "max_turns"
                self.final = self.round_from(self.first)
        self.moved = False
        self.turn = self.round_from(seat)[1]
        self.ask_on()

    def ask_on(self) -> None:
        """In the final phase: whoever has a marker outside the village goes on, or is next."""
        if self.final is None:
            return
        while self.final and all(place == self.village for place in self.stands[self.final[0]]):
            self.final.pop(0)
        if not self.final:
            self.reason = self.ending

    # -- the end

    def counting(self, seat: int) -> list[int]:
        """How many cards of each good count, the good with most cards first."""
        most = len(self.done[seat]) + 1
        counts = [min(most, self.collected[seat].count(good)) for good in GOODS]
        return sorted(counts, reverse=True)

    def influence(self, seat: int) -> int:
        total = sum(self.worth[goal] for goal in self.done[seat])
        for rank, count in enumerate(self.counting(seat)):
            for _ in range(count):
                total += rank + 1
        return total

    def places_of_seats(self) -> tuple[int, ...]:
        """Those who stayed: influence, then cards that counted seven. Then those who left, the last first."""

        def key(seat: int) -> list[int]:
            if seat in self.gone:
                return [-1000 + self.gone.index(seat)]
            return [self.influence(seat), self.counting(seat)[6]]

        keys = [key(seat) for seat in range(self.seats)]
        return tuple(1 + len([other for other in keys if other > mine]) for mine in keys)

    def way_to_end(self) -> str:
        if self.reason == "others_left":
            return "others-left" if self.seats == 2 else "others-left-one-by-one"
        where = "our-map" if self.our_map else "a-small-map"
        if self.reason == "fifth_goal":
            return f"fifth-goal-{'before' if self.fifth_before_the_move else 'after'}-the-move-on-{where}"
        if self.reason == "max_turns":
            return f"max-turns-on-{where}"
        if self.early:
            return "seven-goods-before-the-move"
        return "seven-goods-declined-first" if self.declined else f"seven-goods-at-once-on-{where}"


def second_reading(golden: Golden) -> Result:
    referee = Referee(golden)
    for line in golden.lines:
        referee.hear(line)
    assert referee.reason, "the file stops before the match is over"
    scores = tuple(referee.influence(seat) for seat in range(golden.seats))
    return Result(scores, referee.places_of_seats(), referee.reason, referee.way_to_end())
