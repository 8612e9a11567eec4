"""Lines of which something was left out, made fit for a reader, and what a reader made of them, made fit for judging.

Decides where a shortened text is parted for good: `readers.cutting` keeps more of it on both sides than is read, so
that secrets are looked for around the gap, and none is parted. Decides that an edit has no content which may stand in
what was left out. Refuses to shorten anything by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, cast

from refloat.brief.find_secrets import find_secrets
from refloat.brief.hits import Hit
from refloat.model.left_out import is_left_out, say_left_out
from refloat.model.light import replace
from refloat.model.problem import Problem
from refloat.model.transcript import Call, Event, FileEdit, Result, Touched
from refloat.patterns import late
from refloat.readers.contract import Line
from refloat.readers.cutting import MARK
from refloat.readers.lines import ESCAPE

_GAP: Final = late(rf"{MARK}(\d{{1,18}}){MARK}")
_BESIDE: Final = 8 * 1024
"""Characters beside a gap that are looked through and not read; of a short side half as many as it has."""
_LOOKS: Final = 32
"""Times that a place is moved before the side is given up."""
_ESCAPE: Final = late(ESCAPE, re.DOTALL)


def part(line: Line) -> Line:
    """A line whose texts say themselves what was left out of them."""
    if line.whole:
        return line
    return Line(line.path, line.line, line.offset, part_value(line.value), line.size, whole=False)


def soften(line: Line, events: Sequence[Event]) -> list[Event]:
    """What a reader told of such a line: of a content that is not whole, the record holds nothing. It is told."""
    softened = [_soften(event) for event in events]
    if not any(isinstance(event, Call | Result) and event.edits for event in events):
        return softened
    what = f"a line of {line.size:,} bytes: what it holds of files is too long to be compared"
    return [*softened, Problem(line.path, line.line or None, line.offset, what)]


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def part_value(value: object) -> object:
    """The same of a line's value."""
    if isinstance(value, str):
        return _part_text(value) if MARK in value else value
    if isinstance(value, list):
        return [part_value(each) for each in cast("list[object]", value)]
    if isinstance(value, dict):
        rows = cast("dict[str, object]", value)
        return {cast("str", part_value(key)): part_value(each) for key, each in rows.items()}
    return value


def _part_text(text: str) -> str:
    sides = _GAP.split(text)
    parts: list[str] = []
    more = 0
    for at in range(0, len(sides), 2):
        side = sides[at]
        start = _start(side) if at > 0 else 0
        end = max(start, _end(side)) if at < len(sides) - 1 else len(side)
        if at > 0:
            parts.append(say_left_out(int(sides[at - 1]) + more + _size(side[:start])))
        parts.append(side[start:end])
        more = _size(side[end:])
    return "".join(parts)


def _size(text: str) -> int:
    return len(text.encode())


def _end(side: str) -> int:
    """Where the text before a gap ends, so that what is a secret in it is one still, and whole."""
    hits = find_secrets(side)
    at = len(side) - min(_BESIDE, len(side) // 2)
    for _ in range(_LOOKS):
        at = min((hit.start for hit in hits if hit.start < at < hit.end), default=at)
        found = find_secrets(side[:at])
        lost = [hit.start for hit in hits if hit.end <= at and not _is_among(hit, found)]
        if not lost:
            return _escape_at(side, at)[0]
        at = min(lost)
    return 0


def _start(side: str) -> int:
    """The same of the text behind a gap: where it begins."""
    hits = find_secrets(side)
    at = min(_BESIDE, len(side) // 2)
    for _ in range(_LOOKS):
        at = max((hit.end for hit in hits if hit.start < at < hit.end), default=at)
        found = [Hit(hit.start + at, hit.end + at, hit.kind) for hit in find_secrets(side[at:])]
        lost = [hit.end for hit in hits if hit.start >= at and not _is_among(hit, found)]
        if not lost:
            return _escape_at(side, at)[1]
        at = max(lost)
    return len(side)


def _escape_at(side: str, at: int) -> tuple[int, int]:
    """Where the escape begins and ends that goes over a place: a text may be JSON itself."""
    for found in _ESCAPE.finditer(side):
        if found.end() > at:
            return (found.start(), found.end()) if found.start() < at else (at, at)
    return at, at


def _is_among(hit: Hit, found: Sequence[Hit]) -> bool:
    return any(each.start <= hit.start and hit.end <= each.end for each in found)


# ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _soften(event: Event) -> Event:
    # Which text of the line an edit was made of is not told with it, and a patch without its middle may read like a
    # whole one.
    if isinstance(event, Call | Result) and event.edits:
        return replace(event, edits=tuple(map(_soften_edit, event.edits)))
    if isinstance(event, Touched) and event.content is not None and is_left_out(event.content):
        return replace(event, content=None)
    return event


def _soften_edit(edit: FileEdit) -> FileEdit:
    return replace(edit, before=None, after=None, hunks=())
