"""Where a file may be written that a person names: one rule for every command and every field that takes a name.

Decides where nothing may be written, with or without `--force`: in an agent's directory, a git directory or Refloat's
own ones, and over what is no plain file. Elsewhere an empty file may be replaced without a word, of briefs and receipts
also an older one, which a script writes anew as often as it likes; everything else, links too, only when told to. A
copy (`repair --out`, `record backup`, an export that a program asks for) replaces nothing.
"""

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from refloat.errors import NotDone, UsageError

if TYPE_CHECKING:
    from refloat.ports import Places
    from refloat.readers.contract import Reader

_HEAD: Final = 4_096
"""Bytes in which a receipt says what it is."""


_KINDS: Final = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)

_SHARED: Final = frozenset({".cache", ".config", ".local"})
"""Hidden directories of a home that no agent has for itself."""

IsKind = Callable[[str], bool]
"""Whether a file is an older one of what is to be written."""


def refuse_target(path: str | Path, places: "Places", readers: "Sequence[Reader]") -> None:
    """Refuse what nothing may be written to, whatever is forced; a link counts as what it leads to, and as itself.

    Raises:
        UsageError: it lies in an agent's directory, a git directory or one of Refloat's, or is there and no plain file.

    """
    if "\0" in os.fspath(path):
        raise UsageError(f"{str(path)!r} is no name that a file can have; name another one")
    for place in _spots(path):
        why = _own(place, places) or _agents(place, places, readers) or _gits(place)
        if why is not None:
            raise UsageError(f"{path} {why}; name another place{_such_as(place, places)}")
    refuse_kind(path)


def refuse_kind(path: str | Path) -> None:
    """Refuse what is there and is no plain file, nor a link to one.

    Raises:
        UsageError: it is not.

    """
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - text stays text
    except (OSError, ValueError):
        return  # whoever opens it tells
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
        link = "a link to " if os.path.islink(path) else ""  # noqa: PTH114 - as above
        raise UsageError(f"{path} is {link}{kind}, and no plain file; name another one")


def is_taken(path: str | Path, is_kind: IsKind | None = None) -> bool:
    """Whether something is there that nobody may replace unasked. `is_kind`: those may be."""
    name = os.fspath(path)
    return os.path.lexists(name) and not _is_empty(name) and (is_kind is None or not is_kind(name))


def refuse_taken(path: str | Path, what: str, is_kind: IsKind | None = None, *, force: bool) -> None:
    """Refuse to replace what is there, unless `force`. `what` says of a file in the way what it is not: `no brief`.

    Raises:
        NotDone: it is taken, as `is_taken` says.

    """
    if force or not is_taken(path, is_kind):
        return
    try:
        link = f", a link to {os.readlink(path)}"  # noqa: PTH115 - text stays text
    except OSError:
        link = ""
    said = f", and {what}" if what and not link else ""
    it = "the link itself" if link else "it"
    raise NotDone(f"{path} is there already{link}{said}; name another place, or replace {it} with `--force`")


def put_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file for its owner's eyes alone (0600), whole or not at all; what has that name is replaced, a link too.

    Raises:
        OSError: it could not be written.

    """
    beside = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(handle, "wb") as file:  # noqa: PTH123 - private from the start
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink()


def refuse_dash(path: str | Path, option: str, instead: str) -> None:
    """Refuse `-`, which means standard output, where that is no place for it; `instead` says what to do.

    Raises:
        UsageError: it is `-`.

    """
    if os.fspath(path) == "-":
        raise UsageError(f"`{option} -` would be standard output: {instead} (a file of that name is `./-`)")


def is_receipt(path: str) -> bool:
    """Whether a file is the receipt of a step, as `run --receipt` and `step --json` write it; a link is none."""
    try:
        with open(path, "rb", opener=_no_link) as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return head.startswith(b'{"schema":"refloat/1","job":') and b',"step":{' in head


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _is_empty(path: str) -> bool:
    try:
        told = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(told.st_mode) and not told.st_size


# ── where nothing is written ─────────────────────────────────────────────────────────────────────────────────────────


def _spots(path: str | Path) -> Sequence[str]:
    """Where a name lies, and where it leads to, through every link."""
    name = os.fspath(path).rstrip("/") or "/"
    above, last = os.path.split(name)
    return tuple(dict.fromkeys((os.path.join(os.path.realpath(above), last), os.path.realpath(name))))  # noqa: PTH118


def _own(place: str, places: "Places") -> str | None:
    if _is_below(place, places.data):
        return f"lies in {places.data}, where the record is"
    mine = next((own for own in (places.config, places.cache) if _is_below(place, own)), None)
    return None if mine is None else f"lies in {mine}, Refloat's own directory"


def _agents(place: str, places: "Places", readers: "Sequence[Reader]") -> str | None:
    home = os.path.realpath(places.home)
    for reader in readers:
        for walk in reader.walks(places.home, places.environment):
            root = os.path.realpath(walk.root)
            above, name = os.path.split(place)
            if root == home or home.startswith(f"{root.rstrip('/')}/"):  # nobody's alone: only the agent's own files
                if above == root and name.endswith(walk.suffixes):
                    return f"is a record of {reader.title}"
                continue
            if _is_below(place, _whole_of(root, home)):
                return f"lies among the records of {reader.title}"
    return None


def _whole_of(root: str, home: str) -> str:
    """The directory that an agent has for itself: `~/.agent` where records lie in `~/.agent/sessions`."""
    above, name = os.path.split(os.path.dirname(root))  # noqa: PTH120 - text stays text
    return f"{above}/{name}" if above == home and name.startswith(".") and name not in _SHARED else root


def _gits(place: str) -> str | None:
    if any(part.lower() == ".git" for part in place.split("/")) or any(map(_is_git_directory, _lineage(place))):
        return "lies in a git directory"
    return None


def _is_git_directory(path: str) -> bool:
    """gitrepository-layout(5): a bare repository has another name than `.git`."""
    return all(os.path.exists(f"{path}/{name}") for name in ("HEAD", "objects", "refs"))  # noqa: PTH110 - text


def _is_below(place: str, directory: str | Path) -> bool:
    """Whether a place is a directory or below it, by name and by what the file system calls the same."""
    own = os.path.realpath(directory)
    if place == own or place.startswith(f"{own.rstrip('/')}/"):
        return True
    try:
        same = os.stat(own)  # noqa: PTH116 - text stays text
    except OSError:
        return False
    return any(told is not None and os.path.samestat(told, same) for told in map(_stat, _lineage(place)))


def _lineage(place: str) -> Iterable[str]:
    parts = place.split("/")
    return ("/".join(parts[:end]) for end in range(2, len(parts) + 1))


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - text stays text
    except OSError:
        return None


def _such_as(place: str, places: "Places") -> str:
    """A name that may be typed instead."""
    name = os.path.basename(place)  # noqa: PTH119 - text stays text
    return f", such as {quote(f'{places.home}/{name}')}" if name and not name.startswith(".") else ""
