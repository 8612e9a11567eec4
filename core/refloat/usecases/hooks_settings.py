"""An agent's settings file as bytes: read, copied beside itself, and replaced whole, through its links.

Decides which copy belongs to it. Refuses to write over what changed since it was read.
"""

import os
import stat
from pathlib import Path
from typing import Final

from refloat.errors import NotDone, Unreadable
from refloat.record.engine import new_id

_SUFFIX: Final = ".refloat-backup"
_MOST: Final = 16 * 1024 * 1024


def read(path: Path) -> bytes | None:
    """What is there; None for nothing.

    Raises:
        Unreadable: it is no file, or may not be read.

    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise Unreadable(f"{path} is no file")
        if path.stat().st_size > _MOST:
            raise Unreadable(f"{path} is too large to be settings")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from error


def free_backup(path: Path) -> Path:
    """The name for one more copy."""
    number = 1
    while os.path.lexists(name := _backup(path, number)):
        number += 1
    return name


def newest_backup(path: Path) -> Path | None:
    """The last copy that was made; None where there is none."""
    last = free_backup(path)
    number = int(last.name.rpartition("-")[2]) if last.name[-1].isdecimal() else 1
    return _backup(path, number - 1) if number > 1 else None


def write_copy(path: Path, data: bytes, of: Path) -> None:
    """Write a copy of a file's bytes, with its mode.

    Raises:
        OSError: it is there, or cannot be written.

    """
    mode = stat.S_IMODE(of.stat().st_mode)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:  # noqa: PTH123
        file.write(data)
        os.fsync(file.fileno())


def swap(path: Path, before: bytes | None, after: bytes | None, mode: int) -> None:
    """Put `after` in the place of `before` (None: no file). Links stay; so do mode and owner, `mode` is for a new file.

    Raises:
        NotDone: what is there is not `before` any more.
        OSError: it cannot be written.

    """
    target = Path(os.path.realpath(path))
    if read(target) != before:
        raise NotDone(f"{path} changed meanwhile; nothing was written")
    if after is None:
        target.unlink()
        return
    target.parent.mkdir(mode=0o700 if mode & 0o077 == 0 else 0o755, parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{new_id()[:8]}")
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:  # noqa: PTH123
            file.write(after)
            if before is not None:
                was = target.stat()
                os.fchmod(file.fileno(), stat.S_IMODE(was.st_mode))
                if (was.st_uid, was.st_gid) != (os.geteuid(), os.getegid()):
                    os.fchown(file.fileno(), was.st_uid, was.st_gid)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _backup(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}{_SUFFIX}{f'-{number}' if number > 1 else ''}")
