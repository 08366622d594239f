"""Celtica read a second time, as plainly as can be: a referee at a table, who is told the seed and what was played.

Nothing here comes from `engine`: the board is typed once more, chance is written again as its page says, cards and
parts lie in plain lists, and an amulet is put together part by part.
"""

import hmac
from collections import Counter
from typing import Any

from tests.golden.golden import RESIGNS, Golden, Line, Result

COLOURS = ["red", "grey", "white", "black", "brown"]
PARTS = ["blue", "coral", "gold", "green", "orange", "rose", "teal", "violet", "middle"]
PLACES = [
    *(("start", 0), ("cult", 0), ("village", 1), ("castle", 2), ("ruin", 1), ("village", 1), ("cloister", 3)),
    *(("ruin", 2), ("cult", 0), ("castle", 2), ("village", 1), ("cloister", 3), ("cult", 0), ("ruin", 2)),
    *(("ruin", 3), ("castle", 2), ("ruin", 2), ("cloister", 3), ("goal", 4)),
]

# A board so rich that the parts run out. It is given with the match.
RICH = {
    "place": [
        {"kind": "start"},
        {"kind": "cult"},
        {"kind": "ruin", "loss": 1},
        *({"kind": "castle", "parts": 6} for _ in range(12)),
        {"kind": "goal", "parts": 9},
    ]
}

# What matches to look among for golden files: how many seats, which options.
SETUPS: tuple[tuple[int, dict[str, Any]], ...] = (
    *((seats, {"edition": edition}) for seats in (2, 3, 4, 5) for edition in ("de", "en")),
    *((seats, {"edition": "de", "overshoot": "forbid"}) for seats in (3, 4)),
    *((seats, {"edition": edition, "board": RICH}) for seats, edition in ((5, "de"), (3, "en"))),
)

# Every way a match can end; each is shown by a golden file of that name.
WAYS_TO_END = (
    *(
        f"{reason}-{edition}-{exchange}"
        for reason in ("last-round", "druids-home")
        for edition in ("de", "en")
        for exchange in ("exchanged", "nothing-exchanged")
    ),
    "last-round-without-overshoot",
    "druids-home-without-overshoot",
    "no-parts-de",
    "no-parts-en",
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
        self.seed, self.options = golden.seed, golden.options
        self.places = PLACES
        if golden.options["board"] != "reconstruction":
            places = golden.options["board"]["place"]
            self.places = [(place["kind"], place.get("parts", place.get("loss", 0))) for place in places]
        self.goal = len(self.places) - 1
        self.seats = golden.seats
        self.shuffles: Counter[str] = Counter()
        self.druids = dict.fromkeys(COLOURS, 0)
        self.druid_deck = self.shuffle("druid-cards", [colour for colour in COLOURS for _ in range(12)])
        self.experience_deck = self.shuffle("experience-cards", [colour for colour in COLOURS for _ in range(4)])
        self.supply = self.shuffle("parts", [part for part in PARTS for _ in range(10)])
        self.druid_discard: list[str] = []
        self.experience_discard: list[str] = []
        self.given_up: list[str] = []
        self.druid_hand: list[list[str]] = [[] for _ in range(self.seats)]
        self.experience_hand: list[list[str]] = [[] for _ in range(self.seats)]
        self.owned: list[list[str]] = [[] for _ in range(self.seats)]
        self.display: list[str] = []
        self.turned_up: list[str] = []
        self.turn = next(line.seat for line in golden.lines if line.move != RESIGNS)
        if golden.options["first_player"] != "random":
            assert self.turn == golden.options["first_player"]
        self.fill()
        self.deal(self.turn)
        for seat in self.round_from(self.turn):
            self.owned[seat] += [self.supply.pop(0) for _ in range(2)]
        self.gone: list[int] = []
        self.asked: list[int] | None = None
        self.exchanged = False
        self.ending = ""
        self.reason = ""

    def shuffle(self, deck: str, things: list[str]) -> list[str]:
        self.shuffles[deck] += 1
        order = PARTS if deck == "parts" else COLOURS
        return shuffled(self.seed, f"celtica/{deck}/{self.shuffles[deck]}", sorted(things, key=order.index))

    def round_from(self, seat: int) -> list[int]:
        return [(seat + step) % self.seats for step in range(self.seats)]

    # -- dealing and drawing

    def draw_druid(self, seat: int) -> None:
        if not self.druid_deck:
            self.druid_deck, self.druid_discard = self.shuffle("druid-cards", self.druid_discard), []
        self.druid_hand[seat].append(self.druid_deck.pop(0))

    def draw_experience(self, seat: int) -> None:
        if not self.experience_deck and self.experience_discard:
            self.experience_deck = self.shuffle("experience-cards", self.experience_discard)
            self.experience_discard = []
        if self.experience_deck:
            self.experience_hand[seat].append(self.experience_deck.pop(0))

    def deal(self, first: int) -> None:
        for seat in self.round_from(first):
            for _ in range(5):
                self.draw_druid(seat)

    def fill(self) -> None:
        while len(self.display) < 9:
            if not self.supply:
                if not self.given_up:
                    return
                self.supply, self.given_up = self.shuffle("parts", self.given_up), []
            self.turned_up.append(self.supply[0])
            self.display.append(self.supply.pop(0))

    # -- what is said

    def hear(self, line: Line) -> None:
        assert not self.reason, f"{line} after the end"
        self.turned_up = []
        if line.move == RESIGNS:
            self.gone.append(line.seat)
            if len(self.gone) == self.seats - 1:
                self.reason = "others_left"
            return
        assert line.seat == self.turn, f"{line} out of turn"
        words = line.move.split()
        if self.asked is None:
            self.play(words[0], words[1], words[2], words[3:])
        else:
            self.exchange(words)
        assert list(line.shown) == self.turned_up, line

    def play(self, colour: str, cards: str, verb: str, parts: list[str]) -> None:
        seat = self.turn
        druid, _, experience = cards.partition("+")
        if experience != "":
            assert self.druid_hand[seat]
        for _ in range(int(druid)):
            self.druid_hand[seat].remove(colour)
            self.druid_discard.append(colour)
        for _ in range(int(experience or 0)):
            self.experience_hand[seat].remove(colour)
            self.experience_discard.append(colour)
        steps = int(druid) + int(experience or 0)
        assert steps > 0
        if self.druids[colour] == self.goal:
            assert verb == "nothing"
        else:
            if self.options["overshoot"] == "forbid":
                assert self.druids[colour] + steps <= self.goal
            self.druids[colour] = min(self.druids[colour] + steps, self.goal)
            self.arrive(seat, *self.places[self.druids[colour]], verb, parts)
        self.fill()
        self.after_turn(seat)

    def arrive(self, seat: int, kind: str, number: int, verb: str, parts: list[str]) -> None:
        if kind == "cult":
            assert verb in ("draw", "nothing")
            if verb == "draw":
                self.draw_druid(seat)
        elif kind == "ruin":
            assert len(parts) == min(number, len(self.owned[seat]))
            assert verb == ("give" if parts else "nothing")
            for part in parts:
                self.owned[seat].remove(part)
                self.given_up.append(part)
            self.draw_experience(seat)
        elif kind == "goal" and self.options["edition"] == "en":
            assert verb == "nothing"
        else:
            assert verb == "take"
            assert len(parts) == min(number, len(self.display))
            for part in parts:
                self.display.remove(part)
                self.owned[seat].append(part)

    def after_turn(self, seat: int) -> None:
        home = [colour for colour in COLOURS if self.druids[colour] == self.goal]
        following = self.round_from(seat + 1)
        if len(home) == 5:
            self.ending = "druids_home"
        elif not self.display and not self.supply and not self.given_up:
            self.ending = "no_parts"
        elif not any(self.druid_hand):
            if home:
                self.ending = "last_round"
            else:
                self.deal(following[0])
        if self.ending:
            self.druid_hand = [[] for _ in range(self.seats)]
            self.asked = following
            self.ask_next()
        else:
            self.turn = next(other for other in following if self.druid_hand[other])

    def ask_next(self) -> None:
        assert self.asked is not None
        while self.asked:
            self.turn = self.asked.pop(0)
            cards = len(self.experience_hand[self.turn])
            if self.display and (cards >= 2 or (cards == 1 and self.owned[self.turn])):
                return
        self.reason = self.ending

    def exchange(self, words: list[str]) -> None:
        seat = self.turn
        given: list[str] = []
        taken: list[str] = []
        if words[0] == "swap":
            at = words.index("for")
            given, taken = words[1:at], words[at + 1 :]
        elif words[0] == "take":
            taken = words[1:]
        else:
            assert words == ["done"]
        cost = 0
        for number, part in enumerate(taken):
            self.display.remove(part)
            self.owned[seat].append(part)
            if number < len(given):
                self.owned[seat].remove(given[number])
                self.display.append(given[number])
                cost += 1
            else:
                cost += 2
        self.exchanged = self.exchanged or cost > 0
        paying = sorted(self.experience_hand[seat], key=COLOURS.index)
        assert cost <= len(paying)
        self.experience_discard += paying[:cost]
        self.experience_hand[seat] = paying[cost:]
        self.fill()
        self.ask_next()

    # -- the end

    def amulets(self, seat: int) -> list[int]:
        """Each part goes into the first amulet that lacks it."""
        laid: list[list[str]] = []
        for part in self.owned[seat]:
            for amulet in laid:
                if part not in amulet:
                    amulet.append(part)
                    break
            else:
                laid.append([part])
        return sorted((len(amulet) for amulet in laid), reverse=True)

    def complete(self, seat: int) -> int:
        return self.amulets(seat).count(9)

    def places_of_seats(self) -> tuple[int, ...]:
        """Those who stayed: complete amulets, then the incomplete ones by size. Then those who left, the last first."""

        def key(seat: int) -> list[int]:
            if seat in self.gone:
                return [-1000 + self.gone.index(seat)]
            incomplete = [size for size in self.amulets(seat) if size < 9]
            return [self.complete(seat), *incomplete, *[0] * (20 - len(incomplete))]

        keys = [key(seat) for seat in range(self.seats)]
        return tuple(1 + len([other for other in keys if other > mine]) for mine in keys)

    def way(self) -> str:
        if self.reason == "others_left":
            return "others-left" if self.seats == 2 else "others-left-one-by-one"
        reason = self.reason.replace("_", "-")
        if self.reason == "no_parts":
            return f"{reason}-{self.options['edition']}"
        if self.options["overshoot"] == "forbid":
            return f"{reason}-without-overshoot"
        return f"{reason}-{self.options['edition']}-{'exchanged' if self.exchanged else 'nothing-exchanged'}"


def second_reading(golden: Golden) -> Result:
    referee = Referee(golden)
    for line in golden.lines:
        referee.hear(line)
    assert referee.reason, "the file stops before the match is over"
    scores = tuple(referee.complete(seat) for seat in range(golden.seats))
    return Result(scores, referee.places_of_seats(), referee.reason, referee.way())
