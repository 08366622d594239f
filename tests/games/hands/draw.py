"""Hands as a picture."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from engine.game import Language, Theme
from tests.games.hands.rules import Card, View
from tests.games.hands.tell import TEXTS, shorten_name

INK = {"light": ("#ffffff", "#1a1a1a"), "dark": ("#1a1a1a", "#f0f0f0")}
LINE = 26


def draw(view: View, names: Sequence[str], language: Language, theme: Theme) -> str:
    paper, ink = INK[theme]
    texts = TEXTS[language]
    rows: list[tuple[str, Sequence[Card]]] = [
        (f"{shorten_name(name)} ({held})", row) for name, held, row in zip(names, view.held, view.rows, strict=True)
    ]
    if view.played:
        rows.append((shorten_name(names[view.turn]) + " ▸", (view.played,)))
    if view.seat is not None:
        rows.append((texts["hand"].split(":")[0], view.hand))
    body = "".join(_row(place, label, cards, paper) for place, (label, cards) in enumerate(rows))
    height = LINE * len(rows) + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 {height}" width="360" height="{height}" '
        f'font-family="sans-serif" font-size="14"><rect width="360" height="{height}" fill="{paper}"/>'
        f'<g fill="{ink}" stroke="none">{body}</g></svg>'
    )


def _row(place: int, label: str, cards: Sequence[Card], paper: str) -> str:
    y = place * LINE + 8
    drawn = [f'<text x="8" y="{y + 14}">{escape(label)}</text>']
    for number, card in enumerate(cards):
        x = 190 + number * 20
        drawn.append(f'<rect x="{x}" y="{y}" width="18" height="20" rx="3"/>')
        drawn.append(f'<text x="{x + 9}" y="{y + 15}" font-size="12" text-anchor="middle" fill="{paper}">{card}</text>')
    return "".join(drawn)
