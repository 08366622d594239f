"""Players' names, as far as there is room for them. A name is anything that somebody calls themselves."""

from unicodedata import east_asian_width

LONGEST = 40


def clean(name: str) -> str:
    """The name on one line, without what can't be printed."""
    return "".join(letter for letter in " ".join(name.split()) if letter.isprintable())


def shortened(name: str, longest: int = LONGEST) -> str:
    """The name, clean, in so many characters at most."""
    name = clean(name)
    return name if len(name) <= longest else name[: longest - 1] + "…"


def fitted(text: str, width: float, size: int) -> str:
    """As much of the text as surely has room in a picture, whatever the font."""
    used = 0.0
    for place, letter in enumerate(text):
        used += size * (
            1 if east_asian_width(letter) in "WF" or letter in "mwMW@%" else 0.72 if letter.isupper() else 0.58
        )
        if used > width:
            return text[: place - 1].rstrip() + "…"
    return text
