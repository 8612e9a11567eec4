"""Foreign text inside a brief: masked, made inert, then cut, then put where it can give no orders.

Decides how words of a transcript, a path or a command stand in Markdown: in a code span longer than any run of
backticks in it, or behind `> `. Refuses to let them begin a line, close a comment or load anything.
"""

import re
from collections.abc import Iterable
from typing import Final

from refloat.brief.masks import Masker
from refloat.text import cut, inert, inert_line, one_line

CODE_LIMIT: Final = 160
"""Characters of a path or a command."""
QUOTE_LIMIT: Final = 600
"""Characters of a quoted message."""
QUOTE_LINES: Final = 12

_TICKS: Final = re.compile(r"`+")
_ACTIVE: Final = re.compile(r"<!--|-->|\]\(|</?(?=[A-Za-z])")


def _tame(text: str) -> str:
    """Nothing in a quotation opens a comment, an element or a link."""
    return _ACTIVE.sub(lambda match: "\\" + match.group() if match.group() != "](" else "]\\(", text)


class Quoter:
    """Quotes foreign text for one brief; every word passes its masker first."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker

    def code(self, text: str, limit: int = CODE_LIMIT) -> str:
        """As a code span on one line; what is empty is said to be."""
        shown = cut(inert_line(self._masker.text(text)).strip(), limit)
        if not shown:
            return "(empty)"
        longest = max((len(run) for run in _TICKS.findall(shown)), default=0)
        fence = "`" * (longest + 1)
        pad = " " if shown.startswith("`") or shown.endswith("`") else ""
        return f"{fence}{pad}{shown}{pad}{fence}"

    def codes(self, texts: Iterable[str], most: int = 6) -> str:
        """Several code spans; beyond `most` only their number is told."""
        all_of_them = list(texts)
        shown = ", ".join(self.code(text) for text in all_of_them[:most])
        left = len(all_of_them) - most
        return f"{shown} and {left} more" if left > 0 else shown

    def words(self, text: str, limit: int = 240) -> str:
        """On one line, for text that Refloat itself wrote around foreign names."""
        return cut(_tame(one_line(self._masker.text(text))), limit)

    def quote(self, text: str, limit: int = QUOTE_LIMIT) -> str:
        """As a block quotation that begins on a line of its own; each line behind `> `."""
        shown = cut(inert(self._masker.text(text)).strip(), limit)
        lines = [line.strip() for line in shown.split("\n") if line.strip()]
        if len(lines) > QUOTE_LINES:
            lines = [*lines[:QUOTE_LINES], "…"]
        return "".join(f"\n> {_tame(line)}" for line in lines) or "\n> (empty)"

    def kept(self, text: str) -> str:
        """A finished statement, as a person left it: its first line is theirs, what follows stays a quotation."""
        first, *others = inert(self._masker.text(text)).strip().split("\n")
        rows = (row.strip() for row in others)
        quoted = (row if row.startswith("> ") else f"> {row}" for row in rows if row and row != ">")
        return "\n".join((_tame(first.strip()), *quoted))
