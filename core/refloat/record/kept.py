"""Own copies of sessions: each session's files compressed and hashed in a private directory, with a manifest.

Decides what counts: only what a whole manifest names, which is put in place last. Killed at any instant, the copy from
before stands, or none. A source may grow while it is copied. Refuses to write outside its directory, to forget a kept
file because its original is gone, and to replace one by what does not begin with it.
"""

import fcntl
import json
import os
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final, NamedTuple, cast

from refloat.errors import NotDone
from refloat.model.kept import KeptCopy, KeptFile, Role, Source
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp, read_stamp
from refloat.record.contents import make_private, sync_directory
from refloat.record.engine import new_id
from refloat.record.names import KEPT, MANIFEST
from refloat.record.packing import ContentDamaged, pack, unpack

_SCHEMA: Final = "refloat-kept/1"
_PIECE: Final = 1024 * 1024
_TRIES: Final = 5
_PLAIN: Final = re.compile(r"[0-9A-Za-z_-][0-9A-Za-z._-]{0,127}")
_HASH: Final = re.compile("[0-9a-f]{64}")


class KeptDamaged(Exception):  # noqa: N818 - reads as the answer that it is
    """A kept copy, or a file of it, is not as it was written."""


class Kept(NamedTuple):
    """What came of keeping a session."""

    copy: KeptCopy
    changed: bool
    """It is another one than before."""
    unlike: tuple[str, ...]
    """Originals that are not what was kept of them, grown: the earlier copy of each stays."""


class _Changed(Exception):  # noqa: N818 - reads as the answer that it is
    """The source is not the file any more that was begun with."""


def directory_of(data: Path, session: SessionName) -> Path:
    """Where the copy of a session lies. An id that is no plain name is hashed: it must not lead anywhere else."""
    agent, _, name = session.partition(":")
    return data / KEPT / _plain(agent) / _plain(name)


def _plain(word: str) -> str:
    return word if _PLAIN.fullmatch(word) else sha256(word.encode("utf-8", "surrogatepass")).hexdigest()


# ── keeping ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def keep(
    data: Path, session: SessionName, sources: Sequence[Source], now: Stamp, *, title: str = "", by_path: bool = False
) -> Kept:
    """Copy a session's files.

    Files kept earlier stay in the copy where their originals are gone, or are not what was kept, grown.

    Raises:
        NotDone: a transcript cannot be copied, or the disk takes no more. The copy from before stands.

    """
    directory = directory_of(data, session)
    try:
        make_private(directory)
        with _alone(directory):
            try:
                before = read_copy(directory)
            except (OSError, KeptDamaged):
                before = None
            files, unlike = _keep_files(directory, sources, before)
            copy = _described(session, now, title, files, directory, by_path=by_path)
            changed = before is None or before.files != copy.files
            if changed:
                _write_manifest(copy)
            _clear(copy)
    except OSError as error:
        raise NotDone(f"{session} is not kept: {error.strerror or error}") from error
    return Kept(before if before is not None and not changed else copy, changed, unlike)


def _keep_files(
    directory: Path, sources: Sequence[Source], before: KeptCopy | None
) -> tuple[tuple[KeptFile, ...], tuple[str, ...]]:
    """The files of the new copy, and the originals that are not what was kept of them."""
    earlier = {file.path: file for file in before.files} if before is not None else {}
    files: dict[str, KeptFile] = {}
    unlike: list[str] = []
    for source in sources:
        old = earlier.get(source.path)
        if source.role == "transcript" and os.path.islink(source.path):  # noqa: PTH114 - text stays text
            if old is None:
                raise NotDone(f"{source.path} is a link to another file, and not the session's own")
            new = None
        else:
            new = _keep_file(directory, source)
            if new is None:
                continue
        if before is None or old is None or (new is not None and _goes_on(before, source, new, old)):
            files |= {} if new is None else {source.path: new}
        elif new is not None and _is_damaged(before, old):
            files[source.path] = new
        else:
            unlike.append(source.path)
            files[source.path] = old
    rest = [file for path, file in earlier.items() if path not in files]
    unlike += [file.path for file in rest if file.role == "transcript" and os.path.lexists(file.path)]
    return (*files.values(), *rest), tuple(unlike)


def _goes_on(before: KeptCopy, source: Source, new: KeptFile, old: KeptFile) -> bool:
    """Whether a file is what was kept of it, grown; one that is written anew as a whole must not be emptied."""
    if new.sha256 == old.sha256:
        return True
    if not source.lines:
        return new.bytes > 0 or old.bytes == 0
    found, left = sha256(), old.bytes
    for part in read_kept(before, new):
        found.update(part[:left])
        left -= min(left, len(part))
    return found.hexdigest() == old.sha256


def _is_damaged(copy: KeptCopy, file: KeptFile) -> bool:
    try:
        for _ in read_kept(copy, file):
            pass
    except KeptDamaged:
        return True
    return False


@contextmanager
def _alone(directory: Path) -> Generator[None]:
    lock = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _keep_file(directory: Path, source: Source) -> KeptFile | None:
    """Copy one file; None for a side file that went away meanwhile.

    Raises:
        NotDone: it is gone, or changes too fast.
        OSError: it cannot be read or written.

    """
    for _ in range(_TRIES):
        try:
            with open(source.path, "rb", buffering=0) as file:  # noqa: PTH123 - read in large pieces
                return _copy(directory, source, file)
        except FileNotFoundError as error:
            if source.role == "side":
                return None
            raise NotDone(f"{source.path} is gone: there is nothing to keep any more") from error
        except _Changed:
            continue
    raise NotDone(f"{source.path} changes while it is copied; try again when its session rests")


def _copy(directory: Path, source: Source, file: BinaryIO) -> KeptFile:
    begun = os.fstat(file.fileno())
    end = begun.st_size
    kept = _store(directory, source, file, end, begun.st_mtime_ns)
    now = os.stat(source.path)  # noqa: PTH116 - text stays text
    if (now.st_ino, now.st_dev) != (begun.st_ino, begun.st_dev) or now.st_size < end:
        raise _Changed
    if (now.st_size, now.st_mtime_ns) == (end, begun.st_mtime_ns):
        return kept
    if not source.lines:
        raise _Changed
    whole = _line_end(file, end)
    if whole == end:
        return kept
    if not whole:
        raise _Changed
    return _store(directory, source, file, whole, begun.st_mtime_ns)


def _line_end(file: BinaryIO, end: int) -> int:
    """Where the last whole line before `end` ends; 0 where none does."""
    while end > 0:
        start = max(0, end - _PIECE)
        file.seek(start)
        at = file.read(end - start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def _store(directory: Path, source: Source, file: BinaryIO, end: int, mtime_ns: int) -> KeptFile:
    """Compress the first `end` bytes into a file named by their hash."""
    found, packed, size = sha256(), sha256(), 0
    partial = directory / f"{new_id()}.partial"
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:  # noqa: PTH123 - private from the start

            def parts() -> Iterator[bytes]:
                for part in _first(file, end):
                    found.update(part)
                    yield part

            for part in pack(parts()):
                size += out.write(part)
                packed.update(part)
            out.flush()
            os.fsync(out.fileno())
        partial.replace(directory / _name(found.hexdigest()))
    finally:
        partial.unlink(missing_ok=True)
    return KeptFile(source.path, source.place, source.role, end, mtime_ns, found.hexdigest(), size, packed.hexdigest())


def _first(file: BinaryIO, end: int) -> Iterator[bytes]:
    file.seek(0)
    left = end
    while left > 0:
        part = file.read(min(_PIECE, left))
        if not part:
            raise _Changed
        left -= len(part)
        yield part


def _name(digest: str) -> str:
    return f"{digest}.zst"


def _clear(copy: KeptCopy) -> None:
    """Remove what the manifest does not name: versions from before, and what killed runs left."""
    names = {_name(file.sha256) for file in copy.files} | {MANIFEST, "lock"}
    for path in copy.directory.iterdir():
        if path.name not in names:
            with suppress(OSError):
                path.unlink()


# ── the manifest ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _described(
    session: SessionName, at: Stamp, title: str, files: tuple[KeptFile, ...], directory: Path, *, by_path: bool
) -> KeptCopy:
    bare = KeptCopy(session, at, title, by_path, files, directory, "")
    return KeptCopy(session, at, title, by_path, files, directory, sha256(_canonical(bare)).hexdigest())


def _canonical(copy: KeptCopy) -> bytes:
    document = {
        "schema": _SCHEMA,
        "session": copy.session,
        "at": copy.at,
        "title": copy.title,
        "by_path": copy.by_path,
        "files": [
            {
                "path": file.path,
                "place": file.place,
                "role": file.role,
                "bytes": file.bytes,
                "mtime_ns": file.mtime_ns,
                "sha256": file.sha256,
                "kept_bytes": file.kept_bytes,
                "kept_sha256": file.kept_sha256,
            }
            for file in copy.files
        ],
    }
    # ASCII, so that names which are no UTF-8 come back as they were.
    return json.dumps(document, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode("ascii")


def _write_manifest(copy: KeptCopy) -> None:
    """Put the manifest in place: from here on the new copy counts."""
    partial = copy.directory / f"{new_id()}.partial"
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:  # noqa: PTH123 - private from the start
            out.write(_canonical(copy) + f"\n{copy.sha256}\n".encode("ascii"))
            out.flush()
            os.fsync(out.fileno())
        sync_directory(copy.directory)  # the files that it names come first
        partial.replace(copy.directory / MANIFEST)
    finally:
        partial.unlink(missing_ok=True)
    sync_directory(copy.directory)


def read_copy(directory: Path) -> KeptCopy:
    """The copy in a directory, as its manifest names it. Opens none of its files.

    Raises:
        FileNotFoundError: there is no manifest: nothing was kept, or not to the end.
        OSError: it cannot be read.
        KeptDamaged: it is not as it was written.

    """
    body, _, rest = (directory / MANIFEST).read_bytes().partition(b"\n")
    if sha256(body).hexdigest().encode("ascii") + b"\n" != rest:
        raise KeptDamaged("its manifest is not as it was written")
    try:
        copy = _read(json.loads(body), directory, rest[:-1].decode("ascii"))
    except (ValueError, KeyError, TypeError) as error:
        raise KeptDamaged(f"its manifest is of a form that this Refloat does not know ({error})") from error
    if directory_of(directory.parent.parent.parent, copy.session) != directory:
        raise KeptDamaged(f"it is of {copy.session}, which is not kept here")
    return copy


def _read(value: object, directory: Path, digest: str) -> KeptCopy:
    document = cast("dict[str, object]", value)  # the hash is right: Refloat wrote it
    if document["schema"] != _SCHEMA:
        raise ValueError(document["schema"])
    at = read_stamp(document["at"])
    if at is None:
        raise ValueError("at")
    rows = cast("list[dict[str, object]]", document["files"])
    return KeptCopy(
        SessionName(str(document["session"])),
        at,
        str(document["title"]),
        document["by_path"] is True,
        tuple(_read_file(row) for row in rows),
        directory,
        digest,
    )


def _read_file(row: dict[str, object]) -> KeptFile:
    role, name, place = str(row["role"]), str(row["sha256"]), str(row["place"])
    if role not in {"transcript", "side"} or not _HASH.fullmatch(name) or not _is_inside(place):
        raise ValueError(place)
    size, mtime, kept = (cast("int", row[key]) for key in ("bytes", "mtime_ns", "kept_bytes"))
    return KeptFile(str(row["path"]), place, cast("Role", role), size, mtime, name, kept, str(row["kept_sha256"]))


def _is_inside(place: str) -> bool:
    parts = PurePosixPath(place).parts
    return bool(parts) and not place.startswith("/") and ".." not in parts and "\0" not in place


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def stat_line(copy: KeptCopy) -> str:
    """Changes when the manifest, or what `stat` says of any of its files, does."""
    rows = [copy.sha256]
    for file in copy.files:
        try:
            told = (copy.directory / _name(file.sha256)).stat()
            rows.append(f"{told.st_size} {told.st_mtime_ns}")
        except OSError:
            rows.append("missing")
    return sha256("\n".join(rows).encode("ascii")).hexdigest()


def read_kept(copy: KeptCopy, file: KeptFile) -> Iterator[bytes]:
    """The bytes of a kept file. They are right only when the end is reached without an error.

    Raises:
        KeptDamaged: it is missing, or is not what was kept; what came before was decoded all the same.

    """
    found, packed, size = sha256(), sha256(), 0

    def raw() -> Iterator[bytes]:
        with (copy.directory / _name(file.sha256)).open("rb") as kept:
            while part := kept.read(_PIECE):
                packed.update(part)
                yield part

    try:
        for part in unpack(raw()):
            found.update(part)
            size += len(part)
            yield part
    except FileNotFoundError as error:
        raise KeptDamaged("the kept copy of it is missing") from error
    except (ContentDamaged, OSError) as error:
        raise KeptDamaged(f"the kept copy of it is damaged: {error}") from error
    if (found.hexdigest(), size) != (file.sha256, file.bytes):
        raise KeptDamaged("the kept copy of it is damaged: its bytes are not those that were kept")
    if packed.hexdigest() != file.kept_sha256:
        raise KeptDamaged("the kept copy of it decodes to what was kept, and is not kept as it was")


def find_damage(copy: KeptCopy) -> Iterator[tuple[str, str]]:
    """Every file of a copy that is not what was kept: (path of the original, what). Reads all bytes."""
    for file in copy.files:
        try:
            for _ in read_kept(copy, file):
                pass
        except KeptDamaged as damage:
            yield file.path, str(damage)
