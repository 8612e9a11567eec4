"""What of an item is searched, read fresh from its transcript: the index keeps no text.

Decides which texts of an item count, as the digest of a reading does, that all that the item holds tells what of them
is secret, and how one item is read without its session: the lines that it stands on are given to a reader's parser of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from refloat.brief.masks import Masker
from refloat.brief.suspects import find_suspects
from refloat.model.light import replace
from refloat.model.problem import Place
from refloat.model.transcript import Item, Step
from refloat.readers.contract import Found, Line, Reader, Segment, SourceFile
from refloat.readers.lines import LONG, Cursor, Tail, read_lines, read_long, read_one
from refloat.readers.story import Assembler
from refloat.readers.whole import open_plain, read_any, reads_on
from refloat.search.digest import Doc, bounded

if TYPE_CHECKING:
    from refloat.readers.contract import TellsTexts


def searchable(item: Item, below: str | None = None) -> list[str]:
    """The texts of an item that are searched; relative paths lie in `below`."""
    if item.step is not None:
        step = item.step
        asked = bounded("command", step.command or step.summary)
        return [
            asked,
            *(bounded("path", whole_path(path, below)) for path in _paths_of(step)),
            bounded("output", step.output),
        ]
    if item.marker is not None:
        return [bounded("marker", item.marker.text)]
    return [bounded(item.type, item.text or "")]


def near_path(path: str, below: str | None, home: str) -> str:
    """A path as it is shown: what lies in `below` from there on, what lies in the person's home with a tilde."""
    if below and path.startswith(f"{below.rstrip('/')}/"):
        return path[len(below.rstrip("/")) + 1 :]
    return f"~{path[len(home) :]}" if home.strip("/") and path.startswith(f"{home}/") else path


def shortened(item: Item, texts: Sequence[str], near: Callable[[str], str]) -> Sequence[str]:
    """`searchable` texts of an item, masked or not, with each path once, and that one as it is `near`. Only leaves
    away: what was taken out stays so.
    """
    step = item.step
    if step is None:
        return texts
    asked, *paths, output = texts
    short = asked if step.command else near(asked)
    told = [short]
    for path, whole in zip(paths, _paths_of(step), strict=True):
        named = near(whole) if path.endswith(f"/{near(whole)}") else path
        if path not in asked and named not in asked:
            told.append(named)
    return [*told, output]


def masked(item: Item, texts: Sequence[str]) -> Sequence[str]:
    """Texts of an item without any secret of it."""
    every = list(dict.fromkeys((*texts, *_whole(item))))
    suspects = find_suspects(every)
    if not suspects:
        return texts
    masker = Masker()
    masker.learn_suspects(every, suspects)
    return masker.lines(texts)


def _whole(item: Item) -> tuple[str, ...]:
    if item.step is not None:
        return (item.step.input, item.step.output)
    return (item.text or "",)


def _paths_of(step: Step) -> Iterable[str]:
    return dict.fromkeys((*step.files, *(edit.path for edit in step.edits)))


def whole_path(path: str, below: str | None) -> str:
    """A path as an item tells it, absolute: read alone, an item does not know the directory that it was in."""
    return path if path.startswith("/") or not below else f"{below.rstrip('/')}/{path}"


def read_items(reader: Reader, agent: str, session_id: str, doc: Doc, *, whole: bool = False) -> list[Item]:
    """The items that stand where a row of the index says, its own among them; numbered by its number, as one cannot
    tell without the rest of the session which of several on one line it is. Nothing where the file is another now.
    `whole`: with what a search does not ask, edits.
    """
    files = tuple(dict.fromkeys(place.path for place in doc.places))
    found = Found(agent, session_id, tuple(Segment(SourceFile(path, 0, 0, 0, 0)) for path in files))
    assembler = Assembler(agent, session_id, keep_items=True)
    # As when a reading is searched: what a step is for is worked out at length, and shown nowhere.
    light = not whole and hasattr(reader, "texts_parser")
    parser = cast("TellsTexts", reader).texts_parser(found) if light else reader.parser(found)
    for segment in found.segments:
        assembler.take(parser.open(segment))
    try:
        for place in doc.places:
            for line in _lines(place, reader.torn_heads):
                assembler.take(parser.feed(line))
        assembler.take(parser.finish())
    except (OSError, TypeError, ValueError, LookupError, AttributeError):  # gone, or another file by now
        return []
    return [replace(item, n=doc.item) for item in assembler.items()]


def _lines(place: Place, torn_heads: Sequence[bytes]) -> Iterator[Line]:
    """The records that stand on one line."""
    if reads_on(place.path):
        with open_plain(place.path) as file:
            file.seek(place.offset)
            raw = file.readline(LONG + 1)
        if len(raw) > LONG:
            yield from _long_line(place, torn_heads)
            return
        found = read_one(place.path, place.line, place.offset, raw.rstrip(b"\n"), torn_heads)
        yield from (record for record in found if isinstance(record, Line))
        return
    for got in read_any(place.path, Cursor(), torn_heads):
        record = got[0] if isinstance(got, tuple) else got
        if isinstance(record, Line) and record.offset == place.offset:
            yield record if record.whole else _parted(record)
            return


def _parted(line: Line) -> Line:
    from refloat.usecases.parting import part  # such lines are rare

    return part(line)


def _long_line(place: Place, torn_heads: Sequence[bytes]) -> Iterator[Line]:
    for got in read_lines(place.path, Cursor(place.offset, place.line - 1), torn_heads):
        if isinstance(got, Tail):
            records = read_long(place.path, place.line, place.offset, got.cut, torn_heads) if got.cut else ()
        else:
            records = (got[0],)
        for record in records:
            if record.offset != place.offset:
                return
            if isinstance(record, Line):
                yield _parted(record)
