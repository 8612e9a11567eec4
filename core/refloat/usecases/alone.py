"""Which sessions stand alone: whatever one of their files grows by, no other session is told otherwise for it.

Decides it for the looks that do not look at everything, those of the app (`narrow`) and those of the list (`regrow`).
Refuses whatever ties a session to another one: files that several count, copied rows, kept copies, a common first row,
a place among attempts, a register or a lock that names it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import orjson

from refloat.catalogue.pack import Packed
from refloat.catalogue.rows import Alone, Key
from refloat.model.light import plain_of, replace
from refloat.model.problem import Problem
from refloat.model.session import Session, SessionName
from refloat.readers.contract import Found, FoundSubagent, Identity, Reader, Segment, SourceFile
from refloat.usecases.masking import mask
from refloat.usecases.recall import key_of, titles_of
from refloat.usecases.sessions import unreadable

if TYPE_CHECKING:
    from refloat.model.attempts import Attempt


def lone_files(found: Sequence[tuple[Reader, Found]]) -> Mapping[str, int]:
    """Files whose growth concerns one session alone, each with the place of that session among these."""
    owners: dict[str, int] = {}
    shared: set[str] = set()
    for at, (_, each) in enumerate(found):
        shared.update(file.path for file in each.relatives)
        tied = bool(each.relatives) or each.kept is not None
        for segments in (each.segments, *(sub.segments for sub in each.subagents)):
            for segment in segments:
                path = segment.file.path
                if tied or path in owners or len(segments) > 1 or not _is_whole(segment):
                    shared.add(path)
                owners[path] = at
    return {path: at for path, at in owners.items() if path not in shared}


def find_alone(
    found: Sequence[tuple[Reader, Found]],
    known: Mapping[Key, Packed],
    sessions: Mapping[Key, Session],
    attempts: Sequence[Attempt],
    tied: Collection[SessionName],
) -> Mapping[str, Alone]:
    """Every file of the sessions that stand alone, by path; `tied`: sessions that something else ties to others."""
    if any(attempt.child is None for attempt in attempts):
        return {}  # any session may come to be the child
    lone = lone_files(found)
    families = Counter((key[0], packed.summary.lineage) for key, packed in known.items())
    names = Counter(session.name for session in sessions.values())
    rows: dict[str, Alone] = {}
    for at, (_, each) in enumerate(found):
        key = key_of(each)
        session, packed = sessions.get(key), known.get(key)
        if session is None or packed is None or session.name in tied or names[session.name] > 1:
            continue
        if session.superseded_by is not None or packed.summary.continued_in:
            continue
        if packed.summary.lineage and families[key[0], packed.summary.lineage] > 1:
            continue
        if mask(titles := titles_of(each)) != titles:
            continue  # a secret is not kept, and a name without it is another one
        paths = [segment.file.path for segment in segments_of(each)]
        if all(lone.get(path) == at for path in paths) and (told := write_found(each)) is not None:
            rows |= {path: Alone(key, told if path == key[2] else "") for path in paths}
    return rows


def stays_alone(before: Packed, after: Packed, kin: int) -> bool:
    """Whether a session that was read on is one that begins like no other, as before, and could be read; `kin`: how
    many sessions, itself among them, began as it did.
    """
    lineage = after.summary.lineage
    if unreadable(after) or after.provisional:
        return False
    return lineage == before.summary.lineage and (not lineage or kin == 1)


def segments_of(found: Found) -> Sequence[Segment]:
    """Those of a session and of its sub-agents."""
    return [*found.segments, *(segment for sub in found.subagents for segment in sub.segments)]


def file_of(found: Found, path: str) -> SourceFile:
    """A session's file as it was found.

    Raises:
        KeyError: it has none of this path.

    """
    files = {segment.file.path: segment.file for segment in segments_of(found)}
    return files[path]


def with_file(found: Found, file: SourceFile) -> Found:
    """The same session with a file as it is now."""

    def renewed(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
        return tuple(replace(each, file=file) if each.file.path == file.path else each for each in segments)

    subagents = tuple(replace(sub, segments=renewed(sub.segments)) for sub in found.subagents)
    return replace(found, segments=renewed(found.segments), subagents=subagents)


def only_grew(before: SourceFile, now: SourceFile) -> bool:
    """Whether a file is the same one, and no shorter."""
    return (now.inode, now.device) == (before.inode, before.device) and now.size >= before.size


def _is_whole(segment: Segment) -> bool:
    return segment.start == 0 and segment.end is None and not segment.superseded


def write_found(found: Found) -> str | None:
    """A session as found, as JSON; None where a name in it is no text."""
    try:
        return orjson.dumps(found).decode()
    except TypeError:
        return None


def rewrite_file(written: str, file: SourceFile) -> str:
    """What `write_found` writes of a session with a file as it is now, from what it wrote before."""
    value = cast("dict[str, Any]", orjson.loads(written))  # our own, read before
    for segment in (*value["segments"], *(each for sub in value["subagents"] for each in sub["segments"])):
        if segment["file"]["path"] == file.path:
            segment["file"] = plain_of(file)
    return orjson.dumps(value).decode()


def read_found(written: str) -> Found:
    """A session from `write_found`; none that stands alone has relatives or a kept copy.

    Raises:
        ValueError, TypeError, KeyError: it is of another form.

    """
    value = cast("dict[str, Any]", orjson.loads(written))  # our own; a wrong form raises below
    subagents = tuple(FoundSubagent(sub["id"], _segments(sub["segments"]), sub["call"]) for sub in value["subagents"])
    return Found(
        value["agent"],
        value["session_id"],
        _segments(value["segments"]),
        subagents,
        value["parent"],
        problems=tuple(Problem(**each) for each in value["problems"]),
        title=value["title"],
        renamed=value["renamed"],
    )


def _segments(values: Sequence[dict[str, Any]]) -> tuple[Segment, ...]:
    return tuple(
        Segment(SourceFile(**value["file"]), value["start"], value["end"], value["superseded"], _identity(value))
        for value in values
    )


def _identity(value: dict[str, Any]) -> Identity | None:
    told: dict[str, Any] | None = value["identity"]
    if told is None:
        return None
    base: list[Any] | None = told.pop("base")
    return Identity(**told, base=None if base is None else (base[0], base[1]))
