"""Small plain tables: labels at the left, text wrapped beside them, nothing wider than asked."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from refloat.text import cut, inert_line, one_line
from refloat_tui.cli import out

_LEAST: Final = 20
"""Characters that the last column has at least."""
_FRACTION: Final = re.compile(r"(\dT\d\d:\d\d:\d\d)\.\d+Z")


def seconds(text: str) -> str:
    """A text with its times to the second; JSON has them whole."""
    return _FRACTION.sub(r"\1Z", text)


def labelled(label: str, text: str, width: int, indent: int = 10) -> list[str]:
    """`LABEL     text`, wrapped below itself. `text` is taken as prose."""
    indent = max(indent, len(label) + 1)
    room, said = max(20, width - indent), one_line(text)
    if len(said) <= room:
        return [f"{label:<{indent}}{said}"]
    import textwrap  # a pipe gets whole lines, and never needs it

    # Where nobody reads in columns an id or a path is for another program, or to be copied: whole, however long.
    body = textwrap.wrap(said, room, break_long_words=out.is_bounded(), break_on_hyphens=False) or [""]
    return [f"{label:<{indent}}{body[0]}", *(" " * indent + more for more in body[1:])]


def columns(rows: Iterable[Sequence[str]], width: int, indent: str = "  ", *, whole: bool = False) -> list[str]:
    """Rows with aligned columns; the last column gets the room that is left and is cut to it, unless it is wanted
    `whole`. Where somebody reads in columns, and there are too few, a row goes on below itself.
    """
    listed = [[inert_line(cell) for cell in row] for row in rows]
    if not listed:
        return []
    last = len(listed[0]) - 1
    widths = [max(len(row[at]) for row in listed) for at in range(last)]
    room = width - len(indent) - sum(widths) - 2 * last
    if room < _LEAST and out.is_bounded():
        most = width if whole else width - len(indent) - 2
        return [_below(row if whole else [*row[:last], shorten(row[last], most)], width, indent) for row in listed]
    lines: list[str] = []
    for row in listed:
        cells = [cell.ljust(size) for cell, size in zip(row[:last], widths, strict=True)]
        cells.append(row[last] if whole else shorten(row[last], max(_LEAST, room)))
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines


def shorten(text: str, room: int) -> str:
    """At most so many characters of what is shown."""
    return cut(out.plain(text), room, out.plain("…"))


def _below(row: Sequence[str], width: int, indent: str) -> str:
    """A row's cells one after the other, on lines of their own where they do not fit beside each other."""
    lines = [indent]
    for cell in filter(None, row):
        bare = not lines[-1].strip()
        if not bare and len(lines[-1]) + 2 + len(cell) > width:
            lines.append(indent + "  ")
            bare = True
        lines[-1] += cell if bare else "  " + cell
    return "\n".join(lines)


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 step`, `3 steps`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def section(title: str, rows: list[str]) -> list[str]:
    """A heading and its rows, with an empty line before; nothing where there are no rows."""
    return ["", title, *rows] if rows else []
