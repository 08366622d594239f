"""What the engine says no with.

EngineError
├── NotationError          the line is no move
│   ├── Unreadable         it has no reading
│   └── Ambiguous          it has several; `choices` lists them in canonical notation
├── RuleViolation          it is a move, and a rule forbids it: rule number, code, facts
├── BadOption              a match can't be opened with this
└── BrokenLog              a stored log is not what was written
"""

from collections.abc import Sequence


class EngineError(Exception):
    """Root of everything the engine raises on purpose."""


class NotationError(EngineError):
    """`text` is no move. `expected` may say, in notation, what would have been one."""

    code = "unreadable"

    def __init__(self, text: str, expected: str = "", choices: Sequence[str] = ()) -> None:
        super().__init__(text, expected)
        self.text = text
        self.expected = expected
        self.choices = tuple(choices)


class Unreadable(NotationError):
    """No reading at all."""


class Ambiguous(NotationError):
    """More than one reading, and they differ in what would happen."""

    code = "ambiguous"


class RuleViolation(EngineError):
    """A rule forbids the move.

    `rule` is the lowest number among the rules it breaks, `code` never changes once published, `facts` hold only what
    the refused seat may see. The sentence is told from these by the game's `explain`, in the player's language.
    """

    def __init__(self, rule: str, code: str, **facts: str | int) -> None:
        super().__init__(rule, code)
        self.rule = rule
        self.code = code
        self.facts = facts


class BadOption(EngineError):
    """A match option, or the number of seats, isn't one the game knows."""

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__(sentence)
        self.name = name
        self.sentence = sentence


class BrokenLog(EngineError):
    """A stored log isn't what was once written. `seq` is the first entry that shows it."""

    def __init__(self, seq: int, sentence: str) -> None:
        super().__init__(f"entry {seq}: {sentence}")
        self.seq = seq
        self.sentence = sentence


# The rules that hold in every game have their sentences here, so that no game has to tell them.
GENERAL_REFUSALS = {
    "not_your_turn": {
        "en": "It isn't your turn.",
        "de": "Du bist nicht am Zug.",
    },
    "match_over": {
        "en": "The match is over.",
        "de": "Die Partie ist zu Ende.",
    },
}
