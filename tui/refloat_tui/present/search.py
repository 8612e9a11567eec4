"""What the search screen says: rows, filters in words, and what to do where nothing is found."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from refloat.model.search import Found, Hit
from refloat.model.session import Session
from refloat_tui.present import FAINT, QUIET, Pieces
from refloat_tui.theme import Glyphs

SOUGHT: Final = "$accent bold underline"


@dataclass(frozen=True, slots=True)
class Head:
    """A session above its hits."""

    session: Session
    key: str


@dataclass(frozen=True, slots=True)
class HitRow:
    """A place that holds what was sought."""

    hit: Hit
    key: str


Row = Head | HitRow


def rows_of(found: Found) -> tuple[Row, ...]:
    """Sessions with their hits, in the order of the answer."""
    rows: list[Row] = []
    for name, hits in groupby(found.hits, lambda hit: hit.session.name):
        for at, hit in enumerate(hits):
            if not at:
                rows.append(Head(hit.session, f"# {name}"))
            rows.append(HitRow(hit, f"{name} {hit.item}"))
    return tuple(rows)


def excerpt_pieces(hit: Hit, glyphs: Glyphs) -> Pieces:
    """The words with what was sought in them: bold and underlined, in ASCII between brackets too."""
    return tuple(
        (f"[{text}]" if sought and glyphs.ascii else text.replace("…", glyphs.ellipsis), SOUGHT if sought else "")
        for text, sought in hit.excerpt
    )


def filter_pieces(filters: Mapping[str, str], unset: Mapping[str, str], glyphs: Glyphs) -> Pieces:
    """Each filter with its value; those that narrow stand out, in ASCII between brackets too."""
    pieces: list[tuple[str, str]] = []
    for name, value in filters.items():
        narrows = value != unset[name]
        shown = f"[{value}]" if narrows and glyphs.ascii else value
        pieces += [(f"{name} ", FAINT), (shown, "$accent bold" if narrows else QUIET), ("   ", "")]
    return tuple(pieces)


def searched(sessions: int, found: Found | None) -> str:
    """How much is searched."""
    if found is not None and found.unread:
        return f"{found.unread:,} of {sessions:,} sessions not read yet"
    return f"{sessions:,} session{'s' if sessions != 1 else ''} searched"


def counted(found: Found) -> str:
    """How many places were found."""
    count = len(found.hits)
    more = " and more: another word narrows it" if found.more else ""
    return f"{count:,} place{'s' if count != 1 else ''}{more}"


def lesson(glyphs: Glyphs) -> Pieces:
    """What stands here before anything is typed."""
    quotes = '"two words"'
    return (
        ("Type words: prompts, replies, thoughts, commands, paths and outputs of every session are searched.\n\n", ""),
        ("  retry importer      ", "bold"),
        ("both in one place; of the last a beginning will do\n", QUIET),
        (f"  {quotes:<20}", "bold"),
        ("in a row\n", QUIET),
        ("  retry -test         ", "bold"),
        ("without a word\n", QUIET),
        ("  src/importer.py     ", "bold"),
        ("a file that a step named\n\n", QUIET),
        (f"Of long outputs the beginning and the end are searched. Secrets are not found {glyphs.dash} ", QUIET),
        ("they are not kept.", QUIET),
    )


def nothing_found(words: str, found: Found, *, narrowed: bool) -> Pieces:
    """What to do where nothing holds the words."""
    first = "Nothing holds all of these words" if found.complete else "Nothing that was read so far holds these words"
    pieces: list[tuple[str, str]] = [(f"{first}.\n\n", "")]
    if narrowed:
        pieces.append(("The filters above leave sessions out: esc takes them back first.\n", QUIET))
    if len(words.split()) > 1:
        pieces.append(("Fewer words find more: all of them must stand in one message or step.\n", QUIET))
    else:
        pieces.append(("The beginning of a word is enough. Titles forgive a mistyped letter.\n", QUIET))
    if not found.complete:
        pieces.append(("Reading goes on; what comes in is shown by itself.\n", QUIET))
    return tuple(pieces)
