"""The state in which a reading stopped, as the catalogue keeps it, to be gone on from when its last file has grown.

Decides whether the files only grew, by a hash of the head of the last one and of what stands before the place where
reading stopped. Titles and failure texts are masked in it; any other secret (the command of a call that is still open)
must stay exact, and is told, so that it goes to no disk. JSON is cast unchecked here, as in `recall`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

import orjson

from refloat.brief.masks import strings_of
from refloat.catalogue.store import HEAD, hash_stretches
from refloat.model.light import light
from refloat.readers.contract import Found
from refloat.readers.lines import Cursor
from refloat.usecases.masking import hold_secret, mask
from refloat.usecases.reading import Resumable

_BEFORE: Final = 256
"""Bytes before the place where reading stopped that must be as they were."""

Parts = dict[str, list[list[object]]]
"""Part ("" for the session itself, else a sub-agent's id) → [path, size, mtime_ns, inode, device, start, end] each."""
_Json = dict[str, object]


@light
class Frozen:
    """A frozen state, and what a look at its texts told."""

    data: bytes
    secret: bool
    """It holds a secret that must stay as it is."""
    clean: bool
    """Nothing that was looked at holds one, nor anything beside it."""


@light
class _End:
    """An end of a reading, and what its JSON says."""

    at: Resumable
    parser: _Json
    assembler: _Json


def freeze(
    ends: Mapping[str, Resumable | None], found: Found, clean: Mapping[str, Resumable], beside: Sequence[object]
) -> Frozen:
    """Freeze where the reading of each part stopped. In what is `clean` stands no secret; what is kept `beside` it is
    looked through too, since one look at all of it takes a third of the time.
    """
    held = {
        part: _End(at, orjson.loads(at.parser), orjson.loads(at.assembler))
        for part, at in ends.items()
        if at is not None
    }
    if not hold_secret([*strings_of(beside), *_strings(held, clean)]):
        return Frozen(_written(held, found), secret=False, clean=True)
    masked = {part: _without_titles(end) for part, end in held.items()}
    return Frozen(_written(masked, found), hold_secret(_strings(masked, clean)), clean=False)


def _strings(held: Mapping[str, _End], clean: Mapping[str, Resumable]) -> list[str]:
    """All texts, but for those that stand in what is clean."""
    every: list[object] = []
    for part, end in held.items():
        told, before = (_texts(end.parser), _texts(end.assembler)), clean.get(part)
        if before is None:
            every += told
        else:
            every += _news(told[0], orjson.loads(before.parser)), _news(told[1], orjson.loads(before.assembler))
    return strings_of(every)


def _without_titles(end: _End) -> _End:
    """The same without a title in the clear: a title made of a prompt may hold a secret."""
    counters = cast("_Json", end.assembler["counters"])
    facts = cast("dict[str, str]", counters["facts"])
    told = {name: facts[name] for name in facts if name.startswith("title")}
    titles, prompt, failure = mask((told, counters["first_prompt"], counters["failure"]))
    counters = counters | {"facts": facts | titles, "first_prompt": prompt, "failure": failure}
    assembler = end.assembler | {"counters": counters}
    at = Resumable(end.at.segment, end.at.cursor, end.at.parser, orjson.dumps(assembler))
    return _End(at, end.parser, assembler)


def _written(held: Mapping[str, _End], found: Found) -> bytes:
    files = {"": found.segments, **{sub.id: sub.segments for sub in found.subagents}}
    parts = {
        part: {
            "segment": end.at.segment,
            "offset": end.at.cursor.offset,
            "line": end.at.cursor.line,
            "mark": _mark(files[part][-1].file.path, end.at.cursor.offset),
            "parser": orjson.Fragment(end.at.parser),
            "assembler": orjson.Fragment(end.at.assembler),
        }
        for part, end in held.items()
    }
    return orjson.dumps(parts)


def _news(value: object, known: object) -> object:
    """What holds every text of a JSON value that does not stand at the same place in another one: of a state that grew
    by little, little is left to be looked through.
    """
    if isinstance(value, dict) and isinstance(known, dict):
        now, was = cast("dict[str, object]", value), cast("dict[str, object]", known)
        return [[key, _news(each, was.get(key))] for key, each in now.items() if key not in was or was[key] != each]
    if isinstance(value, list) and isinstance(known, list):
        rows, before = cast("list[object]", value), cast("list[object]", known)
        if any(each.__class__ is str for each in rows):
            return rows  # lines, which are looked through together
        same = 0
        while same < len(rows) and same < len(before) and rows[same] == before[same]:
            same += 1
        return [each for each in rows[same:] if each.__class__ is not int]
    return cast("object", value)


def _texts(frozen: _Json) -> _Json:
    """What was frozen without what is no text of the transcript (`readers.contract.Parser.freeze`): packed numbers look
    like tokens. Deeper, keys are other people's: the id of a call may begin as it likes.
    """
    return {name: each for name, each in frozen.items() if name[:1] != "#"}


def find_starts(before: str, frozen: bytes, now: str) -> Mapping[str, Resumable]:
    """Where each part of a session may be read on; nothing where it must be read anew. `before` and `now` tell its
    files, as `recall.files_text` has it.

    Raises:
        ValueError, TypeError, KeyError, IndexError: another version wrote it.
    """
    was = cast("_Json", orjson.loads(before))
    new = cast("_Json", orjson.loads(now))
    if any(was[name] != new[name] for name in ("parent", "relatives", "titles")):
        return {}
    held = cast("dict[str, _Json]", orjson.loads(frozen))
    old_parts, parts = cast("Parts", was["parts"]), cast("Parts", new["parts"])
    known = [part for part in parts if part in old_parts]
    if any(part not in held or not _only_grew(old_parts[part], parts[part], held[part]) for part in known):
        return {}  # all of it or nothing: what was made of its texts holds for the whole
    return {part: _resumable(held[part]) for part in known}


def _only_grew(was: list[list[object]], now: list[list[object]], held: Mapping[str, object]) -> bool:
    """Whether the last stretch is the only one that changed, and that by growing: what is as long as it was and has
    another time was written over.

    It is the same file, and both its head and what stood before the place where reading stopped are as they were: some
    agents shorten a file and write on.
    """
    if not was or len(was) != len(now) or was[:-1] != now[:-1]:
        return False
    (path, size, time, *rest), (new_path, new_size, new_time, *new_rest) = was[-1], now[-1]
    grew, same = cast("int", new_size) > cast("int", size), (new_size, new_time) == (size, time)
    if path != new_path or rest != new_rest or not (grew or same):
        return False
    return _mark(str(path), cast("int", held["offset"])) == held["mark"]


def _mark(path: str, offset: int) -> str:
    """Hashes of a file's head and of what stands right before `offset`."""
    return " ".join(hash_stretches(path, ((0, min(offset, HEAD)), (max(0, offset - _BEFORE), offset))))


def _resumable(held: Mapping[str, object]) -> Resumable:
    cursor = Cursor(cast("int", held["offset"]), cast("int", held["line"]))
    parser, assembler = orjson.dumps(held["parser"]), orjson.dumps(held["assembler"])
    return Resumable(cast("int", held["segment"]), cursor, parser, assembler)
