"""Boards as PNG, for mail clients that show no SVG. Drawing one takes longer than all else in a mail."""

from functools import lru_cache
from pathlib import Path

import font_source_sans_pro
from resvg_py import svg_to_bytes

# resvg leaves out all text for which it finds no font, without a word; so the font comes with us.
_FONTS = Path(font_source_sans_pro.__file__).parent / "files"
_FILES = [str(_FONTS / f"SourceSansPro-{face}.ttf") for face in ("Regular", "Semibold", "Bold")]
FAMILY = "Source Sans Pro"


@lru_cache(maxsize=64)
def png(svg: str, width: int = 600) -> bytes:
    """A mail shows it at most 480 wide; sharper than this costs more time than it is worth."""
    return svg_to_bytes(
        svg_string=svg,
        width=width,
        skip_system_fonts=True,
        font_files=_FILES,
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )
