"""Inputs and outputs as the exact bytes, named by their SHA-256: small ones in rows, big ones as compressed files.

Decides where bytes go and whether what comes back is what was saved. Saving again what is there already writes it
anew: a damaged copy is healed by the same bytes, and never counts for the new step.
"""

import os
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from refloat.record.engine import Connection, new_id
from refloat.record.packing import ContentDamaged, pack, unpack
from refloat.record.rows import number, text
from refloat.record.store import Record

SMALL: Final = 64 * 1024
"""Up to so many bytes are kept in a row, as they are."""
_PIECE: Final = 1024 * 1024
FOLDER: Final = "outputs"
_HEX: Final = re.compile("[0-9a-f]{128}")


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...


class ContentMissing(Exception):  # noqa: N818 - reads as the answer that it is
    """Nothing is kept under that hash."""


class Content(NamedTuple):
    """Bytes ready to be named by a row: a big one's file stands already."""

    sha256: str
    size: int
    place: str
    coding: str
    kept_sha256: str
    """Of the bytes as they are kept."""
    pieces: tuple[bytes, ...] = ()


def hold(data: bytes) -> Content:
    """Bytes that go into rows, whatever their size."""
    parts = tuple(data[at : at + _PIECE] for at in range(0, len(data), _PIECE)) or (b"",)
    name = sha256(data).hexdigest()
    return Content(name, len(data), "row", "plain", name, parts)


def keep(record: Record, data: bytes) -> Content:
    """Bytes that go where their size says.

    Raises:
        OSError: the disk takes no more.

    """
    return hold(data) if len(data) <= SMALL else _hold_big(record, (data,), sha256(data).hexdigest(), len(data))


def hold_file(record: Record, source: Path, name: str, size: int) -> Content:
    """The bytes of a finished file (`name` is their SHA-256); `source` may go afterwards.

    Raises:
        OSError: it cannot be read, or the disk takes no more.

    """
    return hold(source.read_bytes()) if size <= SMALL else _hold_big(record, _read_file(source), name, size)


def _hold_big(record: Record, parts: Iterable[bytes], name: str, size: int) -> Content:
    """Compress into a file, named by the hash of what it holds and of how; into rows where there are no files."""
    kept = sha256()
    packed = _hashed(pack(parts), kept)
    if record.directory is None:
        pieces = tuple(packed)
        return Content(name, size, "row", "zstd", kept.hexdigest(), pieces)
    folder = record.directory / FOLDER / name[:2]
    make_private(folder)
    partial = folder / f"{new_id()}.partial"
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:  # noqa: PTH123 - private from the start
            out.writelines(packed)
            out.flush()
            os.fsync(out.fileno())
        partial.replace(_file(record.directory, name, kept.hexdigest()))
    finally:
        partial.unlink(missing_ok=True)
    sync_directory(folder)
    return Content(name, size, "file", "zstd", kept.hexdigest())


def put(connection: Connection, content: Content) -> None:
    """Name a content within the transaction of the step that rests on it."""
    connection.run(
        "contents.put",
        sha256=content.sha256,
        bytes=content.size,
        place=content.place,
        coding=content.coding,
        kept_sha256=content.kept_sha256,
    )
    connection.run("contents.trim", sha256=content.sha256, count=len(content.pieces))
    for n, piece in enumerate(content.pieces):
        connection.run("contents.put_piece", sha256=content.sha256, n=n, data=piece)


def is_there(record: Record, connection: Connection, name: str) -> bool:
    """Whether anything is kept under a hash, without reading it."""
    row = connection.row("contents.one", sha256=name)
    if row is None:
        return False
    if text(row, "place") != "file" or record.directory is None:
        return connection.row("contents.piece_there", sha256=name) is not None
    return _file(record.directory, name, text(row, "kept_sha256")).is_file()


def read(record: Record, connection: Connection, name: str, size: int | None) -> Iterator[bytes]:
    """The saved bytes in pieces. What was given is right only when the end is reached without an error.

    Raises:
        ContentMissing: there is nothing.
        ContentDamaged: it is not what was saved; the sentence says how.

    """
    row = connection.row("contents.one", sha256=name)
    if row is None:
        raise ContentMissing(name)
    place, coding = text(row, "place"), text(row, "coding")
    if place not in {"row", "file"} or coding not in {"plain", "zstd"}:
        raise ContentDamaged(f"kept as {place} {coding}, which no Refloat writes")
    kept, found, count = sha256(), sha256(), 0
    raw = _hashed(
        _rows(connection, name) if place == "row" else kept_bytes(record, name, text(row, "kept_sha256")), kept
    )
    for part in raw if coding == "plain" else unpack(raw):
        found.update(part)
        count += len(part)
        yield part
    if found.hexdigest() != name:
        raise ContentDamaged(f"its {count} bytes hash to {found.hexdigest()[:12]}…, not to {name[:12]}…")
    noted = number(row, "bytes")
    if count not in {size, noted} or size != noted:
        raise ContentDamaged(f"it has {count} bytes, and {size} and {noted} are noted")
    if kept.hexdigest() != row["kept_sha256"]:
        raise ContentDamaged("it decodes to what was saved, and is not kept as it was")


def _hashed(parts: Iterable[bytes], into: _Hash) -> Iterator[bytes]:
    for part in parts:
        into.update(part)
        yield part


def _rows(connection: Connection, name: str) -> Iterator[bytes]:
    n = 0
    while (row := connection.row("contents.piece", sha256=name, n=n)) is not None:
        data = row["data"]
        if not isinstance(data, bytes):
            raise ContentDamaged("a piece of it is no bytes")
        yield data
        n += 1
    if not n:
        raise ContentMissing(name)


def kept_bytes(record: Record, name: str, kept_sha256: str) -> Iterator[bytes]:
    """A big content's file as it is kept, in pieces.

    Raises:
        ContentMissing: there is none.
        ContentDamaged: it cannot be read.

    """
    if record.directory is None:
        raise ContentMissing(name)
    try:
        with _file(record.directory, name, kept_sha256).open("rb") as file:
            while part := file.read(_PIECE):
                yield part
    except FileNotFoundError as error:
        raise ContentMissing(name) from error
    except OSError as error:
        raise ContentDamaged(str(error)) from error


def _file(directory: Path, name: str, kept_sha256: str) -> Path:
    """Two ways to pack the same bytes (two versions of the library) are two files: neither is put in other's place."""
    if not _HEX.fullmatch(name + kept_sha256):
        raise ContentMissing(name)  # a damaged hash is no path
    return directory / FOLDER / name[:2] / f"{name[2:]}.{kept_sha256[:16]}.zst"


def _read_file(source: Path) -> Iterator[bytes]:
    with source.open("rb") as file:
        while part := file.read(_PIECE):
            yield part


def make_private(directory: Path) -> None:
    """Make a directory and those above it that are missing, for their owner alone (`parents=True` would not)."""
    if not directory.is_dir():
        make_private(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)


def sync_directory(directory: Path) -> None:
    """Make what was renamed in a directory outlive a power cut."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
