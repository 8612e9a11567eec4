"""What a rollout file is, from its name and its head, and how files add up to threads (formats/codex, sections 1, 8).

Decides which of several files of one thread is its head, what of the others stands and what was rewound. Never reads
more of a file than its first line.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from refloat.model.light import light
from refloat.model.problem import Problem, unread
from refloat.model.repaired import CODEX_FIELD
from refloat.model.stamp import read_stamp
from refloat.patterns import late
from refloat.readers.codex.shape import UUID, Json, as_dict, as_id, as_int, as_text, is_uuid
from refloat.readers.contract import Found, FoundSubagent, Identity, Line, Segment, SourceFile
from refloat.readers.lines import raw_lines, read_one, read_stretch
from refloat.readers.naming import make_id
from refloat.readers.whole import open_plain, read_document
from refloat.there import is_plain_file

AGENT: Final = "codex"
TORN_HEADS: Final = (b'{"timestamp":"',)
_HEAD: Final = 32 * 1024 * 1024
"""Bytes of a first line: base instructions make it long, and nothing makes it longer than this."""
_NEAR: Final = 32 * 1024
"""Bytes that hold nearly every first line."""
_ORDINAL: Final = late(rb'"ordinal":\s*(\d{1,15})')
_NAME: Final = "rollout-"
_STEM: Final = len("rollout-2026-01-31T23-59-59-") + 36
_DASHES: Final = (7, 12, 15, 21, 24, 27)
"""Where they stand in such a name: between them is no room for the first part of a UUID."""
_ENDINGS: Final = (".jsonl", ".jsonl.zst", ".json")
_DAYS: Final = late(r"\d{4}|\d\d")
"""Directories of years, months and days."""
_HIDDEN_SOURCES: Final = frozenset({"review", "compact", "memory_consolidation", "guardian"})
_HIDDEN_THREADS: Final = frozenset({"guardian_review", "memory_consolidation"})

_ENDS: Final = 64 * 1024
"""Bytes of a file's beginning and end by which a copy is known."""

Known = tuple[SourceFile, Identity]


def is_rollout(path: str) -> bool:
    """Whether a file is named as Codex names its rollouts."""
    name = posixpath.basename(path)
    return name.startswith(_NAME) and name.endswith(_ENDINGS)


def held_by(directory: str) -> Iterator[str]:
    """Rollouts of a directory, of a home's sessions and archive, or of the days of a year or month. Looks nowhere else:
    whatever lies below a directory from anywhere may be a whole disk.
    """
    yield from _held_by(directory, ("sessions", "archived_sessions"), 4)


def _held_by(directory: str, names: Sequence[str], depth: int) -> Iterator[str]:
    try:
        with os.scandir(directory) as listed:
            entries = list(listed)
    except OSError:
        return
    for entry in entries:
        if is_rollout(entry.name):
            if is_plain_file(entry.path):
                yield entry.path
        elif depth and (entry.name in names or _DAYS.fullmatch(entry.name)) and entry.is_dir(follow_symlinks=False):
            yield from _held_by(entry.path, (), depth - 1)


def identify(file: SourceFile) -> Identity:
    """What a file is: from its first record, else from its name. A copy under another name is told by its record."""
    head = read_head(file.path)
    if not is_rollout(file.path):
        return Identity("none", "") if head is None else _identity(head, ())
    return _identity(head or {}, _uuids(posixpath.basename(file.path)))


def _uuids(name: str) -> Sequence[str]:
    """Those in a file's name. In one as Codex writes it, behind a moment, the only one needs no expression."""
    stem, dot, ending = name.partition(".")
    if (
        len(stem) == _STEM
        and dot + ending in _ENDINGS
        and all(stem[at] == "-" for at in _DASHES)
        and is_uuid(stem[-36:])
    ):
        return [stem[-36:]]
    return UUID.findall(name)


def read_head(path: str) -> Json | None:
    """The fields of a file's head: those of `session_meta`, or the bare ones of older files; None without a head."""
    try:
        found = _first(path)
    except (OSError, EOFError):
        return None
    if found is None:
        return None
    row = as_dict(found.value)
    if row.get("type") == "session_meta":
        return as_dict(row.get("payload"))
    if "type" not in row and isinstance(row.get("id"), str) and ("timestamp" in row or "instructions" in row):
        return row
    if "session" in row and "items" in row:
        return as_dict(row.get("session"))
    return None


def _first(path: str) -> Line | None:
    if path.endswith(".json"):
        return next(
            (got[0] for got in read_document(path) if isinstance(got, tuple) and isinstance(got[0], Line)), None
        )
    try:
        raw = b"" if path.endswith(".zst") else read_stretch(path, 0, _NEAR).partition(b"\n")[0]
        if not 0 < len(raw) < _NEAR:
            with open_plain(path) as file:
                raw = file.readline(_HEAD)
    except OSError:
        raise
    except Exception as fault:
        raise OSError(str(fault)) from fault
    return next((got for got in read_one(path, 1, 0, raw, TORN_HEADS) if isinstance(got, Line)), None)


def _identity(head: Json, names: Sequence[str]) -> Identity:
    own = make_id(as_id(head.get("id"))) or (names[0] if names else "")
    if not own:
        return Identity("none", "")
    rollout = names[-1] if names else own
    started = read_stamp(head.get("timestamp")) or ""
    base = _base(head)
    note = _note(head, forked=base is None)
    parent = _spawned_by(head)
    if _is_hidden(head):
        return Identity("hidden", own, parent or "", rollout, started, base, note)
    if parent is not None:
        root = make_id(as_text(head.get("session_id")))
        top = root if root and root != own else parent
        return Identity("subagent", top or own, parent, own, started, base, note | {"rollout": rollout})
    forked = make_id(as_text(head.get("forked_from_id")))
    if repaired := make_id(as_text(as_dict(head.get(CODEX_FIELD)).get("from"))):
        note |= {"copied_from": forked} if forked else {}
        return Identity("main", own, repaired, rollout, started, base, note)
    return Identity("main", own, forked, rollout, started, base, note)


def _note(head: Json, *, forked: bool) -> dict[str, str]:
    """What `group` wants back: whether rows of a parent were copied, and where a base ends by count of rows."""
    ordinal = as_int(as_dict(head.get("history_base")).get("end_ordinal_exclusive"))
    note = {} if ordinal is None else {"end_ordinal": str(ordinal)}
    return note | ({"forked": "yes"} if forked and as_text(head.get("forked_from_id")) else {})


def _base(head: Json) -> tuple[str, int] | None:
    base = as_dict(head.get("history_base"))
    rollout, end = make_id(as_id(base.get("thread_id"))), as_int(base.get("end_byte_offset"))
    return (rollout, -1 if end is None else end) if rollout else None


def _spawned_by(head: Json) -> str | None:
    """The thread that started this one as a sub-agent; "" where it is one and the parent is not named; else None."""
    source = as_dict(as_dict(head.get("source")).get("subagent"))
    spawn = as_dict(source.get("thread_spawn"))
    told = make_id(as_text(spawn.get("parent_thread_id")) or as_text(head.get("parent_thread_id")))
    if "thread_spawn" in source or head.get("thread_source") == "subagent":
        return told
    return told if told and as_int(head.get("subagent_history_start_ordinal")) is not None else None


def _is_hidden(head: Json) -> bool:
    if as_text(head.get("thread_source")) in _HIDDEN_THREADS:
        return True
    source = as_dict(head.get("source")).get("subagent")
    named = as_text(source) or as_text(as_dict(source).get("other"))
    return named in _HIDDEN_SOURCES or "internal" in as_dict(head.get("source"))


# ── files to threads ─────────────────────────────────────────────────────────────────────────────────────────────────


@light
class _Thread:
    """The files of one thread put in order."""

    segments: tuple[Segment, ...]
    problems: tuple[Problem, ...]


def group(files: Sequence[Known], heads: Mapping[str, str], titles: Mapping[str, str]) -> list[Found]:
    """Put files together; `heads` names the current file of a thread, `titles` its name."""
    kept = _without_copies(files)
    by_rollout = {_rollout(identity): (file, identity) for file, identity in kept}
    threads: dict[str, list[Known]] = {}
    for file, identity in kept:
        if identity.role != "none":
            threads.setdefault(_thread_id(identity), []).append((file, identity))
    mains = {thread for thread, known in threads.items() if known[0][1].role == "main"}
    parents = {thread: known[0][1].parent for thread, known in threads.items() if known[0][1].role == "subagent"}
    made = {thread: _order(thread, known, by_rollout, heads.get(thread)) for thread, known in threads.items()}
    children: dict[str, list[FoundSubagent]] = {}
    found: list[Found] = []
    for thread in parents:
        root = _root(thread, threads[thread][0][1].session_id, parents, mains)
        if root is not None:
            children.setdefault(root, []).append(FoundSubagent(thread, made[thread].segments))
    hung = {child.id for group_ in children.values() for child in group_}
    for thread, known in threads.items():
        if thread not in hung:
            hanging = tuple(sorted(children.get(thread, ()), key=lambda child: child.id))
            found.append(_found(thread, known, made[thread], threads, hanging, titles.get(thread, "")))
    return found


def _found(
    thread: str,
    known: Sequence[Known],
    made: _Thread,
    threads: Mapping[str, Sequence[Known]],
    subagents: tuple[FoundSubagent, ...],
    title: str,
) -> Found:
    first = known[0][1]
    parent = _parent(known)
    copied = any((identity.note or {}).get("forked") for _, identity in known)
    notes = ((identity.note or {}).get("copied_from") for _, identity in known)
    source = next(filter(None, notes), parent)
    relatives = tuple(file for file, _ in threads.get(source, ())) if copied and source != thread else ()
    return Found(
        AGENT,
        thread,
        made.segments,
        subagents,
        parent if parent != thread else "",
        relatives,
        hidden=first.role == "hidden",
        problems=made.problems,
        title=title,
    )


def _parent(known: Sequence[Known]) -> str:
    return next((identity.parent for _, identity in known if identity.parent), "")


def _thread_id(identity: Identity) -> str:
    return identity.own if identity.role == "subagent" else identity.session_id


def _rollout(identity: Identity) -> str:
    return (identity.note or {}).get("rollout", identity.own) if identity.role == "subagent" else identity.own


def _root(thread: str, told: str, parents: Mapping[str, str], mains: set[str]) -> str | None:
    """The session that a sub-agent belongs to, through sub-agents between; None where none of them is there."""
    seen = {thread}
    at = parents.get(thread, "")
    while at and at not in seen:
        if at in mains:
            return at
        seen.add(at)
        at = parents.get(at, "")
    return told if told in mains else None


def _without_copies(files: Sequence[Known]) -> list[Known]:
    """One file for each base name: active before archived, plain before compressed, the longest. And none that only
    repeats another one of its thread: a backup, what a sync tool leaves of a conflict.
    """
    best: dict[str, Known] = {}
    for file, identity in sorted(files, key=lambda known: _rank(known[0])):
        best.setdefault(posixpath.basename(file.path).removesuffix(".zst"), (file, identity))
    alike: dict[tuple[str, str], list[Known]] = {}
    for known in best.values():
        alike.setdefault((known[1].own, known[1].started), []).append(known)
    kept = (known for own in alike.values() for known in (own if len(own) == 1 else _without_repeated(own)))
    return sorted(kept, key=lambda known: (known[1].started, known[0].path))


def _rank(file: SourceFile) -> tuple[bool, bool, int, str]:
    return "/archived_sessions/" in file.path, file.path.endswith(".zst"), -file.size, file.path


def _without_repeated(alike: Sequence[Known]) -> Iterator[Known]:
    """Of files that begin with the same record those whose rows stand in no other; of equal ones the shortest name."""
    longest = sorted(alike, key=lambda known: (-known[0].size, len(known[0].path), known[0].path))
    for at, (file, identity) in enumerate(longest):
        if not any(other.base == identity.base and _begins(held, file) for held, other in longest[:at]):
            yield file, identity


def _begins(long: SourceFile, short: SourceFile) -> bool:
    """Whether a file begins with all of a shorter one, as far as its own beginning and end tell."""
    if long.path.endswith(".zst") or short.path.endswith(".zst"):
        return False
    try:
        with open_plain(long.path) as whole, open_plain(short.path) as part:
            for place in (0, max(0, short.size - _ENDS)):
                whole.seek(place)
                part.seek(place)
                if whole.read(min(_ENDS, short.size)) != part.read(min(_ENDS, short.size)):
                    return False
    except OSError:
        return False
    return True


def _order(thread: str, known: Sequence[Known], by_rollout: Mapping[str, Known], told: str | None) -> _Thread:
    """Reading order of a thread's files: the chain of bases, each followed by what was rewound, then the head."""
    if len(known) == 1 and known[0][1].base is None:
        return _Thread((Segment(known[0][0], identity=known[0][1]),), ())
    problems: list[Problem] = []
    head = _head(known, told)
    chain = _chain(head, by_rollout, {file.path for file, _ in known}, problems, forked=bool(_parent(known)))
    segments: list[Segment] = []
    stand: dict[str, int] = {}
    for (file, identity), end in chain[:-1]:
        segments.append(Segment(file, 0, end, identity=identity))
        stand[file.path] = end or 0
    in_chain = {file.path for (file, _), _ in chain}
    for file, identity in known:
        if file.path in stand and stand[file.path] < file.size:
            segments.append(Segment(file, stand[file.path], None, superseded=True, identity=identity))
        elif file.path not in in_chain:
            segments.append(Segment(file, 0, None, superseded=True, identity=identity))
            if identity.base is None:
                problems.append(Problem(file.path, None, None, f"a second file of thread {thread}: told as taken back"))
    (file, identity), _ = chain[-1]
    segments.append(Segment(file, identity=identity))
    return _Thread(tuple(segments), tuple(problems))


def _head(known: Sequence[Known], told: str | None) -> Known:
    """The file that the index names, else the newest that no other one goes on from."""
    if told:
        name = posixpath.basename(told).removesuffix(".zst")
        for file, identity in known:
            if posixpath.basename(file.path).removesuffix(".zst") == name:
                return file, identity
    based = {identity.base[0] for _, identity in known if identity.base and identity.base[0] != _rollout(identity)}
    free = [pair for pair in known if _rollout(pair[1]) not in based]
    return max(free or known, key=lambda pair: (pair[1].started, pair[0].path))


def _chain(
    head: Known, by_rollout: Mapping[str, Known], own: set[str], problems: list[Problem], *, forked: bool
) -> list[tuple[Known, int | None]]:
    """The files that the head goes on from, oldest first, each with the byte where the next one leaves it."""
    chain: list[tuple[Known, int | None]] = [(head, None)]
    seen = {head[0].path}
    while (base := chain[0][0][1].base) is not None:
        file, identity = chain[0][0]
        found = by_rollout.get(base[0])
        if found is None:
            if not forked:
                problems.append(Problem(file.path, 1, 0, f"it goes on from rollout {base[0]}, which is missing"))
            break
        if found[0].path not in own:
            break  # a fork: what stands before it is the parent's
        if found[0].path in seen:
            problems.append(Problem(file.path, 1, 0, "the files of this thread go on from each other in a circle"))
            break
        seen.add(found[0].path)
        end = base[1] if base[1] >= 0 else _end_by_count(found[0].path, (identity.note or {}).get("end_ordinal", ""))
        chain.insert(0, (found, _checked_end(found[0], end, file.path, problems)))
    return chain


def _checked_end(file: SourceFile, end: int, by: str, problems: list[Problem]) -> int:
    """The end of a base, moved to a line's end where the offset is none."""
    size = file.size
    try:
        with open_plain(file.path) as opened:
            if file.path.endswith(".zst"):
                size = _length(opened)
            if 0 < end <= size:
                opened.seek(end - 1)
                if opened.read(1) == b"\n":
                    return end
                problems.append(Problem(by, 1, 0, f"its base ends at byte {end:,}, which is no line's end"))
                opened.seek(0)
                return opened.read(end).rfind(b"\n") + 1
    except (OSError, EOFError) as fault:
        problems.append(unread(file.path, str(fault)))
        return max(0, end)
    if end != 0:
        problems.append(Problem(by, 1, 0, f"its base ends at byte {end:,}, but holds {size:,}"))
    return 0 if end == 0 else size


def _end_by_count(path: str, ordinal: str) -> int:
    """The byte where the row with this ordinal begins; -1 where no row has it."""
    if not ordinal:
        return -1
    at = 0
    try:
        with open_plain(path) as lines:
            begin = 0
            for line in raw_lines(lines):
                found = _ORDINAL.search(line)
                if found and int(found[1]) >= int(ordinal):
                    return begin
                at += len(line)
                begin = at if line.endswith(b"\n") else begin
    except (OSError, EOFError):
        return -1
    return at


def _length(opened: object) -> int:
    read = getattr(opened, "read")  # noqa: B009 - both zstd modules
    total = 0
    while piece := read(1 << 20):
        total += len(piece)
    return total


_TURN: Final = late(rb'"turn_id":"([^"\\]{1,200})"')
_TIME: Final = late(rb'"timestamp":"([^"\\]{20,40})"')


def turn_before(rows: bytes) -> Sequence[Mapping[str, object]]:
    """The beginning of a turn that is not in `rows`: its row, where the build writes such, and a prompt."""
    turn, time = _TURN.search(rows), _TIME.search(rows)
    at = time[1].decode("utf-8", "replace") if time else None
    asked = {"type": "user_message", "message": "…"}
    began = {"type": "task_started", "turn_id": turn[1].decode("utf-8", "replace") if turn else ""}
    events = (began, asked) if turn or b'"task_' in rows else (asked,)
    return tuple({"timestamp": at, "type": "event_msg", "payload": payload} for payload in events)
