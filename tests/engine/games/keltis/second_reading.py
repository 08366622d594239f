"""Keltis read a second time, as plainly as can be: a referee at a table, who sees only what a golden file says.

Nothing here comes from `engine`: the symbols are typed once more, and rows are checked by sorting them.
"""

from tests.golden.golden import RESIGNS, Golden, Line, Result

CLOVERS = ["blue 5", "blue 6", "brown 5", "brown 8", "yellow 1", "yellow 7", "green 3", "green 4", "pink 2", "pink 9"]
WISHES = ["blue 2", "blue 3", "brown 4", "brown 7", "yellow 6", "yellow 8", "green 6", "green 9", "pink 1", "pink 4"]
THREES = ["blue 8", "brown 2", "yellow 3", "green 5", "pink 7"]
ONES = ["blue 9", "brown 6", "yellow 4", "green 1", "pink 5"]

# What matches to look among for golden files: how many seats, which options.
SETUPS = tuple((seats, {"last_clover": clover}) for clover in ("extra", "extra", "none") for seats in (2, 3, 4))

# Every way a match can end; each is shown by a golden file of that name.
WAYS_TO_END = (
    "last-tile-left",
    "last-tile-laid",
    "last-tile-does-not-fit",
    "last-tile-in-an-extra-turn",
    "last-clover-left",
    "last-clover-none",
    "last-clover-stopped",
    "last-clover-takes-one",
    "last-clover-chain",
    "last-clover-chain-stopped",
    "last-clover-nothing-fits",
    "others-left",
    "others-left-one-by-one",
)


class Referee:
    def __init__(self, golden: Golden) -> None:
        self.seats = golden.seats
        self.last_clover_counts = golden.options["last_clover"] == "extra"
        self.laid: list[list[str]] = [[] for _ in range(golden.seats)]
        self.middle: list[str] = []
        self.face_down = 55
        self.turn = golden.lines[0].seat
        if golden.options["first_player"] != "random":
            assert self.turn == golden.options["first_player"]
        self.extra = False
        self.asked = ""
        self.gone: list[int] = []
        self.reason = ""
        self.way = ""
        self.taken_at_the_end = 0

    def hear(self, line: Line) -> None:
        assert not self.reason, f"{line} after the end"
        if line.move == RESIGNS:
            self.gone.append(line.seat)
            if len(self.gone) == self.seats - 1:
                self.end("others_left", "others-left" if self.seats == 2 else "others-left-one-by-one")
            return
        assert line.seat == self.turn, f"{line} out of turn"
        verb, _, rest = line.move.partition(" ")
        if verb == "reveal,":
            self.reveal(line.shown[0])
            if self.asked:
                self.answer(lay=rest == "lay else leave")
        elif verb == "reveal":
            self.reveal(line.shown[0])
        elif verb in ("lay", "leave"):
            assert self.asked
            self.answer(lay=verb == "lay")
        elif verb == "take":
            self.take(rest)
        else:
            assert line.move == "stop"
            assert self.extra
            self.next_player("last-clover-chain-stopped" if self.taken_at_the_end else "last-clover-stopped")

    def reveal(self, tile: str) -> None:
        assert not self.asked
        self.face_down -= 1
        if self.fits(tile):
            self.asked = tile
        else:
            self.middle.append(tile)
            self.next_player("last-tile-does-not-fit")

    def answer(self, lay: bool) -> None:
        tile, self.asked = self.asked, ""
        in_extra, self.extra = self.extra, False
        if lay:
            self.laid[self.turn].append(tile)
            self.after_laying(tile, in_extra)
        else:
            self.middle.append(tile)
            if tile in CLOVERS:
                self.next_player("last-clover-left")
            else:
                self.next_player("last-tile-in-an-extra-turn" if in_extra else "last-tile-left")

    def take(self, tile: str) -> None:
        assert not self.asked
        assert self.fits(tile)
        self.middle.remove(tile)
        self.laid[self.turn].append(tile)
        self.extra = False
        self.taken_at_the_end += self.face_down == 0
        self.after_laying(tile, False)

    def after_laying(self, tile: str, in_extra: bool) -> None:
        if tile not in CLOVERS:
            if self.taken_at_the_end:
                self.next_player("last-clover-takes-one" if self.taken_at_the_end == 1 else "last-clover-chain")
            else:
                self.next_player("last-tile-in-an-extra-turn" if in_extra else "last-tile-laid")
        elif self.face_down:
            self.extra = True
        elif not self.last_clover_counts:
            self.next_player("last-clover-none")
        elif any(self.fits(other) for other in self.middle):
            self.extra = True
        else:
            self.next_player("last-clover-nothing-fits")

    def next_player(self, way_if_last: str) -> None:
        self.extra = False
        self.turn = (self.turn + 1) % self.seats
        if self.face_down == 0:
            self.end("last_tile", way_if_last)

    def end(self, reason: str, way: str) -> None:
        self.reason, self.way = reason, way

    def row(self, seat: int, colour: str) -> list[int]:
        return [int(tile.split()[1]) for tile in self.laid[seat] if tile.startswith(f"{colour} ")]

    def fits(self, tile: str) -> bool:
        colour, number = tile.split()
        row = [*self.row(self.turn, colour), int(number)]
        return row in (sorted(row), sorted(row, reverse=True))

    def score(self, seat: int) -> int:
        points = 0
        for colour in ("blue", "brown", "yellow", "green", "pink"):
            length = len(self.row(seat, colour))
            points += {0: 0, 1: -4, 2: -3, 3: 2, 4: 3, 5: 6}.get(length, 10)
        wishes = len([tile for tile in self.laid[seat] if tile in WISHES])
        points += {0: -4, 1: -3, 2: 2, 3: 3, 4: 6}.get(wishes, 10)
        points += 3 * len([tile for tile in self.laid[seat] if tile in THREES])
        points += len([tile for tile in self.laid[seat] if tile in ONES])
        return points

    def places(self) -> tuple[int, ...]:
        """Those who stayed by their points, then those who left, the last to leave first."""
        keys = [
            (-1000 + self.gone.index(seat)) if seat in self.gone else self.score(seat) for seat in range(self.seats)
        ]
        return tuple(1 + len([other for other in keys if other > key]) for key in keys)


def second_reading(golden: Golden) -> Result:
    referee = Referee(golden)
    for line in golden.lines:
        referee.hear(line)
    assert referee.reason, "the file stops before the match is over"
    scores = tuple(referee.score(seat) for seat in range(golden.seats))
    return Result(scores, referee.places(), referee.reason, referee.way)
