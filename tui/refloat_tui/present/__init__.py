"""From values to text: pure, without a terminal, usable by the command line and the app.

A styled text is a tuple of `(text, style)` pieces; a style names what a thing means (`$state-live bold`) and the
look says what colour that is. Foreign text passes through `refloat.text` here and is never parsed as markup.
"""

from typing import Final

Piece = tuple[str, str]
"""Text, and a style by name (empty: as what surrounds it)."""

Pieces = tuple[Piece, ...]

QUIET: Final = "$quiet"
FAINT: Final = "$faint"
STRONG: Final = "bold"


def plain(pieces: Pieces) -> str:
    """The words alone."""
    return "".join(text for text, _ in pieces)
