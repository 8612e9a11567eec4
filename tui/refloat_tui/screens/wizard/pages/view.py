"""What a page of the wizard is: values in, rows and sentences out; keys in, things said out. No widget, no effect.

Decides the shape that all seven share, so that the screen has one list, one detail, one field and one set of keys.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from textual.content import Content

from refloat.model.brief import Section, WrittenBrief
from refloat.model.recovery import Page, Said
from refloat.text import inert, one_line
from refloat.usecases.recover import Recovery
from refloat_tui.present import QUIET, Pieces
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, content, wrapped

Verb = Literal["choose", "edit", "move", "probe", "undo", "add", "drop", "write", "copy", "wrap", "preview", "command"]
"""What a page may offer besides going on and back."""

PERSON: Final = "$person"
WARN: Final = "$state-unresolved"


@dataclass(frozen=True, slots=True)
class Look:
    """All that a page is drawn from."""

    recovery: Recovery
    glyphs: Glyphs
    width: int
    """Columns that a row has."""
    written: WrittenBrief | None = None
    """None while the brief is being written."""
    path: str = ""
    """Where the brief would go."""
    home: str = ""
    """The home directory, which is shown as `~`."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the page's list."""

    key: str
    cells: tuple[Cell, ...] = ()
    drawn: Content | None = None
    """Instead of cells."""
    stop: bool = True
    """Whether the cursor may stand on it."""


@dataclass(frozen=True, slots=True)
class Field:
    """Words that may be typed."""

    label: str
    text: str
    live: bool = True
    """Saved with every key, not only at its end."""
    lines: bool = False
    """May hold several lines."""


class PageView(ABC):
    """One page."""

    page: Page
    title: str
    """What the rail calls it."""
    ask: str
    """The question."""
    offers: frozenset[Verb] = frozenset()
    rounds: frozenset[Verb] = frozenset()
    """Of these, which go round through several answers: the one that is come to counts."""
    section: Section
    """The part of the brief that its answers change."""
    list_first: bool = False
    """The list takes the room, the detail what it needs; otherwise the other way round."""

    @abstractmethod
    def so_far(self, look: Look) -> str:
        """What the rail says of it: a few words."""

    @abstractmethod
    def reason(self, look: Look) -> Pieces:
        """Why the answer stands as it does."""

    @abstractmethod
    def rows(self, look: Look) -> Sequence[Row]:
        """The list."""

    def first(self, look: Look) -> str | None:
        """The row that the cursor begins on; None: the first."""
        del look
        return None

    def detail(self, look: Look, key: str) -> Sequence[Pieces]:
        """The evidence for the row under the cursor, line by line."""
        del look, key
        return ()

    def field(self, look: Look, key: str) -> Field | None:
        """The words that may be typed for a row; None where there are none."""
        del look, key
        return None

    def typed(self, look: Look, key: str, text: str) -> Said | None:
        """What was said by typing them."""
        del look, key, text
        return None

    def choose(self, look: Look, key: str) -> Said | None:
        """What `space` says."""
        del look, key
        return None

    def move(self, look: Look, key: str) -> Said | None:
        """What `m` says."""
        del look, key
        return None

    def still_asks(self, look: Look) -> str | None:
        """The row whose words are wanted before the page is left; None: there is none."""
        del look
        return None

    def undo(self, look: Look, key: str) -> Said | None:
        """What takes back the person's word on a row; None where there is none."""
        del look, key
        return None


def statement_words(text: str, glyphs: Glyphs) -> str:
    """A statement of the brief on one line; the quotation below it, if any, between quotation marks."""
    first, *quoted = text.split("\n")
    words = " ".join(row.removeprefix("> ") for row in quoted if row.strip())
    begin, end = glyphs.quotes
    return one_line(f"{first} {begin}{words}{end}" if words else first)


def wrapped_rows(key: str, pieces: Pieces, width: int, *, indent: int = 0, stop: bool = True) -> list[Row]:
    """Text over as many rows as it needs; the cursor stands on the first."""
    lines = wrapped(pieces, max(8, width - indent))
    blank = Content(" " * indent)
    return [
        Row(key if not at else f"{key}~{at}", drawn=blank + line, stop=stop and not at) for at, line in enumerate(lines)
    ]


def labelled_rows(key: str, label: str, pieces: Pieces, width: int, *, stop: bool = True) -> list[Row]:
    """A label in a column of its own, and text beside it over as many rows as it needs."""
    indent = 12
    rows = wrapped_rows(key, pieces, width, indent=indent, stop=stop)
    first = rows[0].drawn or Content("")
    head = content(((f"{label:<{indent}}", QUIET),))
    return [Row(key, drawn=head + first[indent:], stop=stop), *rows[1:]]


def heading(key: str, pieces: Pieces) -> Row:
    """A row that the cursor passes over."""
    return Row(key, drawn=content(pieces), stop=False)


def gap(key: str) -> Row:
    """An empty row."""
    return Row(key, drawn=Content(""), stop=False)


def several(count: int, one: str, many: str | None = None) -> str:
    """`1 file`, `3 files`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def text_lines(text: str, style: str = "", limit: int = 200) -> list[Pieces]:
    """Foreign text, line by line and inert."""
    lines = inert(text).expandtabs(4).split("\n")
    shown: list[Pieces] = [((line, style),) for line in lines[:limit]]
    if len(lines) > limit:
        shown.append(((f"{len(lines) - limit} more lines", QUIET),))
    return shown
