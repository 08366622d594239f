"""HTML as the lines a person sees. Pure, and linear in what it is given.

Not html2text: it escapes what Markdown would read (`1\\.`), and 20,000 blank lines hold it for minutes (seen); nor
html.parser, which an unclosed tag sends back to its start each time (seen). All that is needed here is where lines end.
"""

import re
from html import unescape

# A tag holds neither `<` nor `>`; any other `<` is text.
_TAG = re.compile(r"(<[^<>]*>)")
_NAME = re.compile(r"<(/?)([a-z][a-z0-9]*)", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\r\n\f]+")
# Outlook writes each line as a paragraph without margins.
_TIGHT = re.compile(r"class=[\"']?Mso|margin(-top)?:\s*0", re.IGNORECASE)

_UNSEEN = frozenset(("head", "script", "style", "title"))
_LINES = frozenset(("dd", "div", "dt", "footer", "form", "header", "li", "main", "pre", "section", "td", "th", "tr"))
_APART = frozenset(("blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "p", "table", "ul"))


class _Sheet:
    """Lines as they are written, one after the other; what is quoted is marked as in plain text."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.quotes = 0
        self._line: list[str] = []

    def write(self, text: str) -> None:
        self._line.append(text)

    def end_line(self) -> None:
        line = "".join(self._line).strip()
        self.lines.append("> " + line if self.quotes else line)
        self._line.clear()

    def end_block(self, apart: bool) -> None:
        """The next text starts on a new line, or after an empty one. A space that doesn't break makes a line too."""
        if "".join(self._line).strip(" \t\r\n\f"):
            self.end_line()
        self._line.clear()
        if apart:
            self.end_line()


def seen(html: str) -> str:
    """The text of a page, its quotes marked with `>`."""
    sheet = _Sheet()
    unseen, as_typed, tight = "", False, False
    for piece in _TAG.split(_without_comments(html)):
        name = _NAME.match(piece)
        if name is None:
            if not unseen and not piece.startswith(("<!", "<?")):
                _write(sheet, unescape(piece), as_typed)
            continue
        closes, tag = bool(name[1]), name[2].lower()
        if tag in _UNSEEN:
            unseen = "" if closes else tag
        elif tag == "body":
            unseen = ""  # some heads are never closed
        elif tag == "br":
            sheet.end_line()
        elif tag in _LINES or tag in _APART:
            if tag == "p" and not closes:
                tight = bool(_TIGHT.search(piece))
            sheet.end_block(apart=tag in _APART and not (tag == "p" and tight))
            if tag == "blockquote":
                sheet.quotes = max(0, sheet.quotes + (-1 if closes else 1))
            elif tag == "pre":
                as_typed = not closes
    sheet.end_block(apart=False)
    return "\n".join(sheet.lines)


def _write(sheet: _Sheet, text: str, as_typed: bool) -> None:
    if not as_typed:
        sheet.write(_SPACES.sub(" ", text))
        return
    first, *others = text.split("\n")
    sheet.write(first)
    for line in others:
        sheet.end_line()
        sheet.write(line)


def _without_comments(html: str) -> str:
    first, *others = html.split("<!--")
    return "".join([first, *(other.partition("-->")[2] for other in others)])
