"""Kept copies laid out as their agent would have them, in the cache, so that its reader reads them like any other.

Decides when what was laid out still holds: as long as nothing of the kept copy changed. Every byte is hashed on the
way. A damaged file is laid out as far as it can be decoded, and told. Deleting all this loses nothing.
"""

import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from refloat.model.kept import KeptCopy, KeptFile
from refloat.model.problem import Problem
from refloat.record.contents import make_private
from refloat.record.engine import new_id
from refloat.record.kept import KeptDamaged, read_kept, stat_line
from refloat.record.names import KEPT

_DONE: Final = ".unpacked"


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A kept copy, readable."""

    root: Path
    problems: tuple[Problem, ...]
    """What of it is damaged; each names the original's path."""


def unpack_copy(copy: KeptCopy, cache: Path) -> Unpacked:
    """Lay a copy out below `cache`, or find it there.

    Raises:
        OSError: the cache cannot be written.

    """
    home = cache / KEPT / copy.directory.parent.name / copy.directory.name
    root = home / stat_line(copy)
    known = _read_done(root)
    if known is not None:
        return Unpacked(root, known)
    make_private(home)
    fresh = home / f"{new_id()}.partial"
    try:
        fresh.mkdir(mode=0o700)
        problems = tuple(problem for file in copy.files if (problem := _lay_out(copy, file, fresh)) is not None)
        told = [[problem.path, problem.what] for problem in problems]
        (fresh / _DONE).write_text(json.dumps(told, ensure_ascii=True), encoding="ascii")
        with suppress(FileExistsError, OSError):
            fresh.rename(root)
        done = _read_done(root)
        if done is None:
            raise OSError(f"{root} cannot be made")
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    for old in home.iterdir():
        if old != root and not old.name.endswith(".partial"):
            shutil.rmtree(old, ignore_errors=True)
    return Unpacked(root, done)


def _read_done(root: Path) -> tuple[Problem, ...] | None:
    try:
        rows = cast("list[list[str]]", json.loads((root / _DONE).read_bytes()))
        return tuple(Problem(path, None, None, what) for path, what in rows)
    except (OSError, ValueError, TypeError):
        return None


def _lay_out(copy: KeptCopy, file: KeptFile, root: Path) -> Problem | None:
    target = root / file.place
    make_private(target.parent)
    damage: str | None = None
    with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:  # noqa: PTH123 - private from the start
        try:
            out.writelines(read_kept(copy, file))
        except KeptDamaged as error:
            damage = str(error)
    os.utime(target, ns=(file.mtime_ns, file.mtime_ns))
    return None if damage is None else Problem(file.path, None, None, damage)
