"""`refloat keep`: an own copy of a session's files, before its agent deletes them.

Decides which files belong to a session, and which sessions are due: their agent's clean-up takes them within a week and
no copy holds all that is there. Refuses to keep anew what is only left as a copy.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from refloat.brief.find_secrets import find_secrets
from refloat.errors import NotDone
from refloat.model.checkout import Warned
from refloat.model.kept import KeptCopy, KeptMany, KeptNow, Role, Source
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp, seconds_of
from refloat.readers.contract import CleanUp, Found, LeavesBeside, Reader
from refloat.record.kept import KeptDamaged, directory_of, find_damage, keep, read_copy, read_kept
from refloat.record.names import KEPT, MANIFEST
from refloat.there import is_directory
from refloat.usecases.find_sessions import Finder, Located
from refloat.usecases.sighting import newest_of
from refloat.usecases.workbench import Workbench

SOON_DAYS: Final = 7
_DAY: Final = 86_400
_PIECE: Final = 256 * 1024
_WHOLE: Final = (".zst", ".json")
"""Files that are written anew as a whole: they do not grow line by line."""


def keep_session(bench: Workbench, located: Located) -> KeptNow:
    """Copy a session's transcript and side files. What is kept already and unchanged is not counted as new.

    Raises:
        NotDone: it could not be copied whole, and the copy from before stands; or only the copy is left, and that
            cannot be read.

    """
    return _keep(bench, located.reader, located.found)


def keep_due(bench: Workbench) -> KeptMany:
    """Keep every session that its agent's clean-up deletes within a week."""
    kept: list[KeptNow] = []
    failed: list[tuple[SessionName, str]] = []
    for reader, found in (pair for _, pairs in find_due(bench) for pair in pairs):
        try:
            kept.append(_keep(bench, reader, found))
        except NotDone as why:
            failed.append((_name(found), str(why)))
    return KeptMany(tuple(kept), tuple(failed))


def find_due(bench: Workbench) -> list[tuple[CleanUp, list[tuple[Reader, Found]]]]:
    """For each agent that cleans up: the sessions that go within a week and of which no copy holds all."""
    places, now = bench.machine.places, bench.machine.clock.now()
    found = Finder(bench).sight().found
    due: list[tuple[CleanUp, list[tuple[Reader, Found]]]] = []
    for reader in bench.readers:
        rule = reader.clean_up(places.home, places.environment) if isinstance(reader, LeavesBeside) else None
        if rule is not None:
            mine = [pair for pair in found if pair[0] is reader]
            due.append((rule, [pair for pair in mine if _goes(rule, pair[1], now) and not _is_kept(bench, pair[1])]))
    return due


def kept_warnings(bench: Workbench) -> Iterator[Warned]:
    """What `doctor` says: transcripts that go within a week, and kept copies that are damaged."""
    for rule, pairs in find_due(bench):
        if pairs:
            count, title = len(pairs), pairs[0][0].title
            what = f"{count} transcript{'s' if count > 1 else ''} of {title}"
            go = "are" if count > 1 else "is"
            yield Warned(
                f"{what} {go} deleted by its clean-up within {SOON_DAYS} days ({rule.setting} {rule.days}): "
                "`refloat keep --all-due` keeps them",
                None,
            )
    kept = bench.machine.places.data / KEPT
    for manifest in sorted(kept.glob(f"*/*/{MANIFEST}")) if is_directory(kept) else ():
        try:
            for path, what in find_damage(read_copy(manifest.parent)):
                yield Warned(f"{what} (kept in {manifest.parent})", path)
        except (OSError, KeptDamaged) as error:
            yield Warned(f"a kept session cannot be read: {error}", str(manifest))


def _keep(bench: Workbench, reader: Reader, found: Found) -> KeptNow:
    places, session = bench.machine.places, _name(found)
    directory = directory_of(places.data, session)
    if _is_copy(bench, found):
        try:
            copy, changed, unlike = read_copy(directory), False, tuple[str, ...]()
        except (OSError, KeptDamaged) as error:
            raise NotDone(f"{session} is only left as a kept copy, and that cannot be read: {error}") from error
    else:
        sources = find_sources(bench, reader, found)
        now = bench.machine.clock.now()
        copy, changed, unlike = keep(places.data, session, sources, now, title=found.title, by_path=found.by_path)
    gone = tuple(file.path for file in copy.files if not os.path.lexists(file.path))
    damaged = () if changed else tuple(find_damage(copy))
    return KeptNow(copy, sum(_secrets(copy)), changed, gone, unlike, damaged)


def find_sources(bench: Workbench, reader: Reader, found: Found) -> Sequence[Source]:
    """The files that make up a session, sub-agents' and side files included, each once."""
    places = bench.machine.places
    segments = [*found.segments, *(segment for sub in found.subagents for segment in sub.segments)]
    transcripts = list(dict.fromkeys(segment.file.path for segment in segments))
    beside = reader.find_beside(found, places.home, places.environment) if isinstance(reader, LeavesBeside) else ()
    top = _top(reader, bench, transcripts)
    rows: list[tuple[str, Role]] = [
        *((path, "transcript") for path in transcripts),
        *((path, "side") for path in beside),
    ]
    return [
        Source(path, _place(path, top), role, lines=role == "transcript" and not path.endswith(_WHOLE))
        for path, role in rows
    ]


def _top(reader: Reader, bench: Workbench, paths: Sequence[str]) -> str:
    """The directory from which places count: the agent's own, else the one that all transcripts lie in."""
    places = bench.machine.places
    for walk in reader.walks(places.home, places.environment):
        if walk.holds == "transcripts" and paths and paths[0].startswith(f"{walk.root}/"):
            return os.path.dirname(walk.root)  # noqa: PTH120 - text stays text
    return os.path.commonpath([os.path.dirname(path) for path in paths]) if paths else "/"  # noqa: PTH120


def _place(path: str, top: str) -> str:
    relative = os.path.relpath(path, top)
    # From outside: under its whole path, so that no two meet.
    return f"elsewhere/{path.lstrip('/')}" if relative.startswith("..") else relative


def _name(found: Found) -> SessionName:
    return SessionName(f"{found.agent}:{found.session_id}")


def _is_copy(bench: Workbench, found: Found) -> bool:
    """Whether what was found is the kept copy itself."""
    return found.kept is not None and any(
        Path(file.path).is_relative_to(bench.machine.places.cache / KEPT) for file in found.files
    )


def _goes(rule: CleanUp, found: Found, now: Stamp) -> bool:
    end = newest_of(found) / 1e9 + rule.days * _DAY
    return bool(found.files) and end <= seconds_of(now) + SOON_DAYS * _DAY


def _is_kept(bench: Workbench, found: Found) -> bool:
    """Whether a copy holds every transcript as it is now, or is all that is left."""
    if found.kept is None:
        return False
    if _is_copy(bench, found):
        return True
    try:
        copy = read_copy(directory_of(bench.machine.places.data, _name(found)))
    except (OSError, KeptDamaged):
        return False
    kept = {file.path: file.bytes for file in copy.files}
    return all(kept.get(file.path, -1) >= file.size for file in found.files)


def _secrets(copy: KeptCopy) -> Iterator[int]:
    """What looks like a secret in each kept file, line by line."""
    for file in copy.files:
        rest = b""
        try:
            for part in read_kept(copy, file):
                *lines, rest = (rest + part).split(b"\n")
                yield from map(_count, lines)
        except KeptDamaged:
            continue
        yield _count(rest)


def _count(line: bytes) -> int:
    text = line.decode("utf-8", "replace")
    return sum(len(find_secrets(text[at : at + _PIECE])) for at in range(0, len(text), _PIECE))
