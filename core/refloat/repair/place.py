"""A new file put where there is none: private, whole or not at all, never through a link, never over another file.

Decides nothing about contents. Every directory below the given one is entered by its descriptor, so that a link put in
its place meanwhile leads nowhere.
"""

import errno
import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from refloat.errors import NotDone, UsageError

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_ENDING: Final = ".refloat.tmp"
_BLOCK: Final = 1024 * 1024
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EACCES})
"""File systems without hard links answer with one of these."""


def put_new(root: Path, parts: Sequence[str], chunks: Iterable[bytes]) -> Path:
    """Write `chunks` to the file `parts` below `root`; directories between are made (0700), the file is 0600.

    Raises:
        NotDone: a file of that name is there already, or a directory on the way is a link.
        UsageError: it cannot be written.

    """
    path = root.joinpath(*parts)
    try:
        directory = _enter(root, parts[:-1])
        try:
            _put(directory, parts[-1], chunks)
        finally:
            os.close(directory)
    except FileExistsError as fault:
        raise NotDone(f"{path} is there already; nothing was written") from fault
    except OSError as fault:
        if fault.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise NotDone(f"{path}: a directory on the way is a link; nothing was written") from fault
        raise UsageError(f"{path} cannot be written: {fault.strerror or fault}") from fault
    return path


def _enter(root: Path, names: Sequence[str]) -> int:
    at = os.open(os.path.realpath(root), _DIRECTORY)
    try:
        for name in names:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=at)
            below = os.open(name, _DIRECTORY, dir_fd=at)
            os.close(at)
            at = below
    except OSError:
        os.close(at)
        raise
    return at


def _put(directory: int, name: str, chunks: Iterable[bytes]) -> None:
    _remove_dead(directory)
    beside = f".{name[:200]}.{secrets.token_hex(8)}{_ENDING}"
    unnamed = _open_unnamed(directory)
    try:
        with os.fdopen(_open_named(directory, beside) if unnamed is None else unnamed, "w+b", _BLOCK) as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
            if unnamed is None or not _link_unnamed(unnamed, directory, name):
                if unnamed is not None:
                    _copy(file, _open_named(directory, beside))
                _name(directory, beside, name)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=directory)
    os.fsync(directory)


def _open_unnamed(directory: int) -> int | None:
    """A file without a name, of which a kill leaves nothing; None where there is no such thing."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        return os.open(".", os.O_RDWR | os.O_TMPFILE, 0o600, dir_fd=directory)
    except OSError:  # the file system, or a kernel before 3.11; whether it may be written at all shows in a moment
        return None


def _link_unnamed(file: int, directory: int, name: str) -> bool:
    """Give it its name; False where that is done in no such way here (open(2), O_TMPFILE)."""
    try:
        os.link(f"/proc/self/fd/{file}", name, dst_dir_fd=directory, follow_symlinks=True)
    except FileExistsError:
        raise
    except OSError as fault:
        if fault.errno not in _NO_LINKS | {errno.ENOENT, errno.EXDEV}:
            raise
        return False
    return True


def _open_named(directory: int, name: str) -> int:
    """A new file, locked for as long as its writer lives."""
    file = os.open(name, _NEW, 0o600, dir_fd=directory)
    with suppress(OSError):  # no locks here: then nobody removes it either
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


def _copy(file: BinaryIO, into: int) -> None:
    with os.fdopen(into, "wb", _BLOCK) as copy:
        file.seek(0)
        shutil.copyfileobj(file, copy, _BLOCK)
        copy.flush()
        os.fsync(copy.fileno())


def _remove_dead(directory: int) -> None:
    """Remove what a killed writer left behind: a file of our own naming whose lock nobody holds."""
    for name in os.listdir(directory):
        if not (name.startswith(".") and name.endswith(_ENDING)):
            continue
        with suppress(OSError):
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if stat.S_ISREG(os.fstat(file).st_mode):
                    os.unlink(name, dir_fd=directory)
            finally:
                os.close(file)


def _name(directory: int, beside: str, name: str) -> None:
    """Give the finished file its name, unless that is taken."""
    try:
        os.link(beside, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except OSError as fault:
        if fault.errno not in _NO_LINKS:
            raise
        os.close(os.open(name, _NEW, 0o600, dir_fd=directory))  # taken by an empty file of our own, then replaced
        os.rename(beside, name, src_dir_fd=directory, dst_dir_fd=directory)
