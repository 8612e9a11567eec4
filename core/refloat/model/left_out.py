"""How a text says that its middle was left out because the line that it stood on was too long to be held.

Decides the words, so that the length of the whole can be told of what is left. A text that says so is never whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from refloat.patterns import late

_BEGINS: Final = "[… "
_SAYS: Final = late(r"\n\[… ([0-9,]{1,20}) bytes of a line too long to be held are left out …\]\n")


def say_left_out(size: int) -> str:
    """What stands in the place of so many bytes of UTF-8."""
    return f"\n{_BEGINS}{size:,} bytes of a line too long to be held are left out …]\n"


def is_left_out(text: str) -> bool:
    """Whether something of a text was left out."""
    return _BEGINS in text and _SAYS.search(text) is not None


def any_left_out(lines: Iterable[str]) -> bool:
    """Whether something of a text was left out that was parted into lines, each with a sign before it."""
    return any(_BEGINS in line and _SAYS.search(f"\n{line[1:]}\n") for line in lines)


def inside_json(text: str) -> str:
    """A JSON text whose own long text is the one that something was left out of, as JSON again."""
    return _SAYS.sub(lambda says: f"\\n{says[0][1:-1]}\\n", text)


def whole_size(text: str) -> int:
    """Bytes of UTF-8 of a text with what was left out of it."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    if _BEGINS in text:
        size += sum(map(_more, _SAYS.finditer(text)))
    return size


def _more(says: re.Match[str]) -> int:
    return int(says[1].replace(",", "") or 0) - len(says[0].encode())
