"""The only writer to standard output. Data goes out masked, inert and, as JSON, escaped.

A reader that went away (a closed pipe) ends the command quietly; a place that is full is told in a sentence.
"""

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from refloat.errors import Unwritable
from refloat.text import inert
from refloat_tui.cli import rows

if TYPE_CHECKING:
    from refloat.brief.masks import Masker

_ASCII: Final = str.maketrans(dict(zip("·–—×─•“”", '---x-*""', strict=True)) | {"…": "...", "→": "->"})
"""What lines for a person are made with. The texts of others keep their letters."""


def write(text: str) -> None:
    """Write finished text. Undecodable leftovers of file names are replaced, never a crash.

    Raises:
        Unwritable: what standard output leads to takes no more.
    """
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except OSError as fault:
        # The interpreter would complain again while it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(fault, BrokenPipeError):
            raise Unwritable(f"standard output cannot be written: {fault.strerror or fault}") from fault


def exact(text: str) -> None:
    """Write what must stay byte for byte. A terminal is shown it with controls named: they are other people's."""
    write(inert(text) if sys.stdout.isatty() else text)


def is_terminal() -> bool:
    """Whether a person sees what is written."""
    return sys.stdout.isatty()


def lines(shown: Iterable[str], masker: "Masker") -> None:
    """Write lines for a person: masked once more as a whole, then inert. Tells how much is masked in them."""
    text = inert(masker.text("\n".join(shown)))
    write(plain(text) + "\n")
    tell_masked(text)


def tell_masked(text: str) -> None:
    """Say on standard error how many values stand masked in what was written, where any does."""
    if many := text.count(rows.MASK):
        from refloat_tui.cli import err

        err.say(rows.masked_words(many))


def plain(text: str) -> str:
    """What is shown, with Refloat's own signs in ASCII where the locale has no others."""
    return text.translate(_ASCII) if not text.isascii() and rows.wants_ascii(os.environ) else text


_WHOLE: Final = 1_000_000
"""Columns that no line fills."""
SOUGHT: Final = ("\ue000", "\ue001")
"""Stand around what was sought in lines for `marked`; characters without meaning, which no shown text holds."""


def marked(shown: Iterable[str], masker: "Masker") -> None:
    """As `lines`, with what stands between the marks in bold: in brackets where no terminal or no colour is wanted."""
    first, last = ("\x1b[1m", "\x1b[22m") if _is_bold() else ("[", "]")
    text = inert(masker.text("\n".join(shown)))
    write(plain(text).replace(SOUGHT[0], first).replace(SOUGHT[1], last) + "\n")
    tell_masked(text)


def _is_bold() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def is_bounded() -> bool:
    """Whether somebody reads it in columns: a terminal, or one who named a width. A pipe gets whole lines."""
    return sys.stdout.isatty() or bool(os.environ.get("COLUMNS"))


def width(*, whole: bool = False) -> int:
    """Columns to fit a line into; `whole` where nothing of it may be cut away."""
    return _WHOLE if whole else rows.width(os.environ)
