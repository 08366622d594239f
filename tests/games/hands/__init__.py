"""Hands, a small card game that is only played in tests. It hides what Keltis doesn't: each player's cards.

- HA-1 2 to 4 players.
- HA-2 18 cards, the numbers 1 to 3 in red, green and blue, each of them twice. They are shuffled, and each player is
  dealt four. Hands are private; how many cards a hand holds is public.
- HA-3 Turns go clockwise. Option `first_player`: `random` (default) or a seat number.
- HA-4 On turn a player plays one card or swaps some, from their own hand. A turn can't be passed.
- HA-5 A played card is laid open, and the left neighbour answers it, if they hold a card at all. They are asked whether
  or not they can beat it: so nobody can tell from the question what they hold.
- HA-6 Who swaps discards exactly as many cards as the option `swap` says (1 to 3, default 2), face up.
- HA-7 An answer is to beat the card with a higher one of its colour, or to let it go. A card let go joins the row of
  whoever played it. When it is beaten both cards are discarded, and who beat it takes one card from the other's hand,
  blindly; only these two see which.
- HA-8 Then the turn is over, and clockwise from whoever had it all hands are filled up to four. When the deck is empty
  the discards are shuffled and become the deck, as often as there are any.
- HA-9 The match ends after as many turns of each player as the option `turns` says (1 to 6, default 4), or when a turn
  begins for somebody without cards. All hands are shown.
- HA-10 The numbers in a player's row count, and one point for each card beaten; the highest card left in hand is
  subtracted. Most points wins, equal points share the place.

Notation: `play r3`, `swap b1 g2`, `beat r3`, `let`. The card alone will do, and so will its colour or its number where
no other card could be meant. Orders for answers: `let`, `beat` (with the lowest card that will do; with none, let it
go), either of them followed by a colour for cards of that colour only. The absent move: the lowest card is played; an
answer is to let go.
"""

from tests.games.hands import judgement, orders
from tests.games.hands.draw import draw
from tests.games.hands.notation import absent, legal, notate, parse
from tests.games.hands.rules import (
    deal,
    decide,
    events,
    evolve,
    info,
    leave,
    left,
    outcome,
    state_type,
    to_act,
    turn,
    view,
)
from tests.games.hands.tell import explain, guide, recount, tell

__all__ = [
    "absent",
    "deal",
    "decide",
    "draw",
    "events",
    "evolve",
    "explain",
    "guide",
    "info",
    "judgement",
    "leave",
    "left",
    "legal",
    "notate",
    "orders",
    "outcome",
    "parse",
    "recount",
    "state_type",
    "tell",
    "to_act",
    "turn",
    "view",
]
