"""Kept copies among the sessions of a look: told of where the original is there, read from where it is gone.

Decides by session id alone whether the original is there, so that no session is listed twice. Refuses to read a copy
whose original can be read.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from refloat.catalogue.walk import Row
from refloat.model.kept import KeptCopy
from refloat.model.problem import Problem
from refloat.model.session import Kept
from refloat.readers.contract import Found, Reader, SourceFile
from refloat.record.kept import KeptDamaged, read_copy
from refloat.record.unpacked import Unpacked, unpack_copy
from refloat.usecases.workbench import Workbench


def with_kept(
    bench: Workbench, reader: Reader, sessions: Sequence[Found], manifests: Iterable[Row], problems: list[Problem]
) -> list[Found]:
    """An agent's sessions, with those of which only the kept copy is left."""
    copies: dict[str, KeptCopy] = {}
    for path, *_ in manifests:
        try:
            copy = read_copy(Path(path).parent)
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(Problem(path, None, None, f"a kept session cannot be read: {error.strerror or error}"))
        except KeptDamaged as damage:
            problems.append(Problem(path, None, None, f"a kept session cannot be read: {damage}"))
        else:
            copies[copy.session_id] = copy
    if not copies:
        return list(sessions)
    told = [
        replace(found, kept=_kept(copy, original_gone=False)) if (copy := copies.get(found.session_id)) else found
        for found in sessions
    ]
    there = {found.session_id for found in sessions}
    told += [
        found
        for name, copy in copies.items()
        if name not in there
        for found in _read_back(bench, reader, copy, problems)
    ]
    return told


def _kept(copy: KeptCopy, *, original_gone: bool) -> Kept:
    return Kept(copy.at, copy.bytes, original_gone)


def _read_back(bench: Workbench, reader: Reader, copy: KeptCopy, problems: list[Problem]) -> Iterator[Found]:
    """The session as its agent's reader finds it in the copy; nothing, and a Problem, where it finds none."""
    try:
        unpacked = unpack_copy(copy, bench.machine.places.cache)
    except OSError as error:
        what = f"a kept session cannot be unpacked: {error.strerror or error}"
        problems.append(Problem(str(copy.directory), None, None, what))
        return
    originals = [file.path for file in copy.files if file.role == "transcript"]
    kept = _kept(copy, original_gone=not any(map(os.path.lexists, originals)))
    files = list(_files(copy, unpacked, "transcript"))
    found = reader.group([(file, reader.identify(file)) for file in files], list(_files(copy, unpacked, "side")))
    mine = [each for each in found if copy.session_id in {each.session_id, each.renamed}]
    if not mine:
        problems += unpacked.problems
        problems.append(Problem(str(copy.directory), None, None, "the reader finds no session in this kept copy"))
    for each in mine[:1]:
        yield replace(
            each,
            session_id=copy.session_id,
            kept=kept,
            title=copy.title or each.title,
            by_path=copy.by_path,
            problems=(*each.problems, *unpacked.problems),
        )


def _files(copy: KeptCopy, unpacked: Unpacked, role: str) -> Iterator[SourceFile]:
    for file in copy.files:
        if file.role == role:
            path = unpacked.root / file.place
            try:
                told = path.stat()
            except OSError:
                continue  # somebody empties the cache just now; the next look lays it out again
            yield SourceFile(str(path), told.st_size, told.st_mtime_ns, told.st_ino, told.st_dev)
