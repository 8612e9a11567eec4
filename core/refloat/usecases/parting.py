"""Lines of which something was left out, made fit for a reader, and what a reader made of them, made fit for judging.

Decides where a shortened text is parted for good: `readers.cutting` keeps more of it on both sides than is read, so
that secrets are looked for around the gap, and none is parted. Decides that an edit has no content which may stand in
what was left out. Refuses to shorten anything by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, cast

from refloat.brief.find_secrets import find_secrets
from refloat.brief.hits import Hit
from refloat.brief.shapes import body_end
from refloat.model.left_out import any_left_out, is_left_out, say_left_out
from refloat.model.light import replace
from refloat.model.problem import Problem
from refloat.model.transcript import Call, Event, FileEdit, Result, Touched
from refloat.patterns import late
from refloat.readers.contract import Line
from refloat.readers.cutting import MARK
from refloat.readers.lines import ESCAPE

_GAP: Final = late(rf"{MARK}(\d{{1,18}}){MARK}")
_BESIDE: Final = 8 * 1024
"""Characters beside a gap that are looked through and not read: more than any secret has that is no single word, with
its name (`brief.assignments`). Of a short side half as many as it has.
"""
_LINES: Final = 3
"""Lines of a short side over which a secret and its name may stand apart."""
_APART: Final = (" ", "\t", "\n", "\r", '"', "'", "`", "\\n", "\\r", "\\t")
_BETWEEN: Final = late(r"""[\s"'`]|\\[nrt]""")
_BEGUN: Final = late(
    r"""[^\s"'`\\]*(?:\\(?![nrtu"'`\\])[^\s"'`\\]*)*(?:(?<=;)[ \t][^\s"'`\\]*(?:\\(?![nrtu"'`\\])[^\s"'`\\]*)*)*"""
)
"""The rest of a word as `brief.assignments` takes the longest ones, and of a list of cookies."""
_LINE_END: Final = late(r"\n|\\{1,8}n")
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
    trails = list(_trails(line.value, ()))
    spoilt = _spoilt(trails)
    softened = [_soften(event, spoilt) for event in events]
    told = spoilt is None or bool(spoilt) or any(trail[-2:] in _WHOLES for trail in trails)
    if not told or not any(isinstance(event, Call | Result) and event.edits for event in events):
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
    if len(side) < 2 * _BESIDE and not _BETWEEN.search(side, at):  # a word that may be a secret by what is left out
        word = max((side.rfind(mark, 0, at) + len(mark) for mark in _APART if mark in side[:at]), default=0)
        at = at if side.startswith("data:", word) else word
    for _ in range(_LOOKS):
        at = min((hit.start for hit in hits if hit.start < at < hit.end), default=at)
        found = find_secrets(side[:at])
        lost = [hit.start for hit in hits if hit.end <= at and not _is_among(hit, found)]
        if not lost:
            return _escape_at(side, at)[0]
        at = min(lost)
    return 0


def _start(side: str) -> int:
    """The same of the text behind a gap: where it begins. What stands before that tells a secret as one, or holds all
    that may have begun in the gap: a word, a key, and of a side too short for all that a line can hold, whole lines.
    """
    hits = find_secrets(side)
    at = max(min(_BESIDE, len(side) // 2), _begun_end(side))
    for _ in range(_LOOKS):
        at = _line_at(side, at)
        within = max((hit.end for hit in hits if hit.start < at < hit.end), default=at)
        if within > at:
            at = within
            continue
        found = [Hit(hit.start + at, hit.end + at, hit.kind) for hit in find_secrets(side[at:])]
        lost = [hit.end for hit in hits if hit.start >= at and not _is_among(hit, found)]
        if not lost:
            return _escape_at(side, at)[1]
        at = max(lost)
    return len(side)


def _begun_end(side: str) -> int:
    """Where that ends which may have begun in the gap before: a word, with those that a list joins to it, and the lines
    of a private key.
    """
    word = _BEGUN.match(side)
    at = body_end(side, word.end() if word else 0, len(side))
    if len(side) >= 2 * _BESIDE:
        return at
    lines = [each.end() for each in islice(_LINE_END.finditer(side), _LINES)]
    return max(at, lines[-1]) if len(lines) == _LINES else len(side)


def _line_at(side: str, at: int) -> int:
    """Where the next line begins from a place on. Of a long side, the place itself where no line ends nearby."""
    is_long = len(side) >= 2 * _BESIDE
    if side.endswith(("\n", "\\n"), 0, at):
        return at
    found = _LINE_END.search(side, at, at + _BESIDE if is_long else len(side))
    return found.end() if found else at if is_long else len(side)


def _escape_at(side: str, at: int) -> tuple[int, int]:
    """Where the escape begins and ends that goes over a place: a text may be JSON itself."""
    for found in _ESCAPE.finditer(side):
        if found.end() > at:
            return (found.start(), found.end()) if found.start() < at else (at, at)
    return at, at


def _is_among(hit: Hit, found: Sequence[Hit]) -> bool:
    return any(each.start <= hit.start and hit.end <= each.end for each in found)


# ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────────


_ASIDE: Final = frozenset({
    "content", "originalFile", "originalFileContents", "original_file", "updated_file", "stdout", "stderr", "output",
    "text",
})  # fmt: skip
"""Of a text under these names, an edit holds all that is left, or nothing."""
_WHOLES: Final = {("toolUseResult", "content"), ("toolUseResult", "updated_file"), ("input", "content")}
"""Where a file's whole content stands that an edit holds alone."""
_CHANGES: Final = "changes"
"""Codex: each file's change by its path."""


def _spoilt(trails: Sequence[tuple[str, ...]]) -> frozenset[str] | None:
    """The paths, as recorded, of which an edit may read like a whole one and is none: a patch without its middle does.
    None: any may.
    """
    named = frozenset(trail[trail.index(_CHANGES) + 1] for trail in trails if _CHANGES in trail[:-1])
    sure = all(trail and (_CHANGES in trail[:-1] or trail[-1] in _ASIDE) for trail in trails)
    return named if sure else None


def _trails(value: object, trail: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """By which names each text is reached of which something was left out; () for a list or object that ends early."""
    if isinstance(value, str):
        if MARK in value:
            yield () if _GAP.fullmatch(value) else trail
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _trails(each, trail)
    elif isinstance(value, dict):
        for key, each in cast("dict[str, object]", value).items():
            if MARK in key:
                yield ()
            yield from _trails(each, (*trail, key))


def _soften(event: Event, spoilt: frozenset[str] | None) -> Event:
    if isinstance(event, Call | Result) and event.edits:
        return replace(event, edits=tuple([_soften_edit(edit, spoilt) for edit in event.edits]))
    if isinstance(event, Touched) and event.content is not None and is_left_out(event.content):
        return replace(event, content=None)
    return event


def _soften_edit(edit: FileEdit, spoilt: frozenset[str] | None) -> FileEdit:
    if spoilt is None or any(edit.path.endswith(path.removeprefix("./")) for path in spoilt):
        return replace(edit, before=None, after=None, hunks=())
    return replace(
        edit,
        before=None if edit.before and is_left_out(edit.before) else edit.before,
        after=None if edit.after and is_left_out(edit.after) else edit.after,
        hunks=() if any(any_left_out(hunk.lines) for hunk in edit.hunks) else edit.hunks,
    )
