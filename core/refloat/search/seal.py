"""Whether the files of the index hold what was written: SQLite finds damage of its pages' form, and none within them.

Decides when that is known. Whoever has made everything searchable seals the files as they are, with a sum of each
(CRC-32); whoever writes to one takes the seal away, while he holds that file's lock. What is not as it was sealed is
damaged; of what is not sealed nothing is known.
"""

from __future__ import annotations

import os

# The module below `sqlite3`: this is asked beside a search, by a copy of its process that has loaded next to nothing.
from _sqlite3 import Connection, connect
from binascii import crc32
from contextlib import suppress

from refloat.damage import FAULTS

SEAL = "search.seal"
_PIECE = 256 * 1024
"""Bytes that are summed at once."""
_sound: dict[str, str] = {}
"""By directory: the last seal that was found to be unbroken."""


def take_seal(directory: str | os.PathLike[str]) -> None:
    """Say that the files are about to be others. To be called with the lock of the one that is written; where one is
    thrown away, which needs no lock, before and after.
    """
    with suppress(OSError):
        os.unlink(_path(directory))  # noqa: PTH108 - pathlib is dear


def is_broken(directory: str | os.PathLike[str]) -> bool:
    """Whether a seal is broken. Reads the files by themselves: where this process has them open as databases it would
    let go of SQLite's locks.
    """
    return _is_broken(directory, in_use=False)


def is_broken_in_use(directory: str | os.PathLike[str]) -> bool:
    """The same for a process that may have them open: by SQLite itself, once for each seal."""
    sealed = _read(directory)
    if not sealed or _sound.get(os.fspath(directory)) == sealed:
        return False
    if _is_broken(directory, in_use=True):
        return True
    _sound[os.fspath(directory)] = sealed
    return False


def _is_broken(directory: str | os.PathLike[str], *, in_use: bool) -> bool:
    sealed = _read(directory)
    # Whoever has begun to write meanwhile has taken it away before.
    return bool(sealed) and _told(directory, in_use=in_use) != sealed and _read(directory) == sealed


def put_seal(directory: str | os.PathLike[str]) -> None:
    """Seal the files, unless they are, or somebody is about to write. This process has them nowhere open."""
    if _read(directory):
        return
    held: list[Connection] = []
    files: dict[str, int] = {}
    try:
        for name in _names(directory):
            path = f"{os.fspath(directory)}/{name}"
            files[path] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            held.append(connect(path, timeout=0, isolation_level=None))
            held[-1].execute("PRAGMA wal_checkpoint(TRUNCATE)")
            held[-1].execute("BEGIN IMMEDIATE")
            if os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal"):  # noqa: PTH110, PTH202 - as above
                return
        if files:
            _write(directory, "".join(map(_line, files, map(_sum, files.values()))))
            if not all(map(_stands, files, files.values())):  # thrown away meanwhile, which asks for no lock
                take_seal(directory)
    except (*FAULTS, OSError):  # it is a cache that is not sealed then
        return
    finally:
        for connection in held:
            with suppress(*FAULTS):
                connection.close()
        # Not before: to close any descriptor of a file lets go of all locks that this process has on it.
        for descriptor in files.values():
            os.close(descriptor)


def _write(directory: str | os.PathLike[str], told: str) -> None:
    new = f"{_path(directory)}-{os.getpid()}"
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
        file.write(told)
    os.replace(new, _path(directory))  # noqa: PTH105 - as above


def _stands(path: str, descriptor: int) -> bool:
    """Whether an open file is still the one of that name."""
    try:
        told = os.stat(path)  # noqa: PTH116 - as above
    except FileNotFoundError:
        return False
    return os.path.samestat(told, os.fstat(descriptor))


def _path(directory: str | os.PathLike[str]) -> str:
    return f"{os.fspath(directory)}/{SEAL}"


def _read(directory: str | os.PathLike[str]) -> str:
    """The seal; "" where there is none."""
    try:
        with open(_path(directory), encoding="ascii", errors="replace") as file:  # noqa: PTH123 - as above
            return file.read()
    except OSError:
        return ""


def _names(directory: str | os.PathLike[str]) -> list[str]:
    """The index's files."""
    return sorted(name for name in os.listdir(directory) if name.startswith("search") and name.endswith(".db"))  # noqa: PTH208 - as above


def _told(directory: str | os.PathLike[str], *, in_use: bool) -> str:
    """What a seal says of files as they are now; "" where one cannot be read."""
    add = _sum_asked if in_use else _sum_read
    try:
        paths = [f"{os.fspath(directory)}/{name}" for name in _names(directory)]
        return "".join(map(_line, paths, map(add, paths)))
    except (*FAULTS, OSError):
        return ""


def _line(path: str, total: int) -> str:
    return f"{os.path.basename(path)} {total:08x}\n"  # noqa: PTH119 - as above


def _sum_read(path: str) -> int:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return _sum(descriptor)
    finally:
        os.close(descriptor)


def _sum(descriptor: int) -> int:
    total = 0
    while data := os.read(descriptor, _PIECE):
        total = crc32(data, total)
    return total


def _sum_asked(path: str) -> int:
    connection = connect(path, timeout=1.0, isolation_level=None)
    try:
        return crc32(connection.serialize())
    finally:
        connection.close()
