"""A salvaged patch put into a file, and what no patch can hold beside it: private, exact, never through a link.

Refuses a place that `targets` refuses, to replace a file unless told to, and to follow a recorded path anywhere but
below the one new directory.
"""

import os
from collections.abc import Generator, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from refloat.brief.masks import Masker
from refloat.errors import UsageError
from refloat.model.own_files import BESIDE, LISTING, digest, mark_of
from refloat.model.salvage import Salvage, SalvagedFile
from refloat.text import inert_line
from refloat.there import is_directory
from refloat.usecases.targets import is_taken, refuse_kind, refuse_taken, refuse_target
from refloat.usecases.workbench import Workbench
from refloat.usecases.write_brief import write_private

_OPEN_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class Put:
    """What was written; None for what there was no need of."""

    patch: Path | None
    beside: Path | None
    """Directory of the contents that stand in no patch."""
    listing: Path | None
    """Says of each file that stands in no patch why."""

    def apply(self, repo: str | None) -> tuple[str, ...] | None:
        """The command that puts the patch into the checkout; None where there is no patch."""
        if self.patch is None or repo is None:
            return None
        return ("git", "-C", repo, "apply", "--whitespace=nowarn", str(self.patch))

    def __bool__(self) -> bool:
        """Whether any file was written."""
        return any((self.patch, self.beside, self.listing))


def put_salvage(bench: Workbench, found: Salvage, path: Path, *, overwrite: bool = False) -> Put:
    """Write the patch to `path` (0600), contents that it cannot hold below `PATH.files` (0700), the reasons beside.

    Nothing is written where nothing was found.

    Raises:
        NotDone: something is there and `overwrite` is not given.
        UsageError: it may not be written there, or cannot be.

    """
    path = path.absolute()
    refuse_target(path, bench.machine.places, bench.readers)
    rest = [file for file in found.files if not file.in_patch]
    beside, listing = _beside(path), _listing(path)
    held = [file for file in rest if file.beside is not None]
    _refuse_beside(listing if rest else None, beside if held else None)
    if (there := in_the_way(found, path)) is not None:
        refuse_taken(there, "", force=overwrite)
    if found.patch:
        write_private(path, f"{mark_of('patch')}\n{found.patch}")  # git skips what stands before the first `diff`
    names = _put_beside(beside, held) if held else {}
    if rest:
        holds = tuple(digest(file.beside or b"") for file in held)
        write_private(listing, "".join(_told(rest, names)) + mark_of("salvage", holds) + "\n")
    return Put(path if found.patch else None, beside if held else None, listing if rest else None)


def in_the_way(found: Salvage, path: Path) -> Path | None:
    """What is there already of that which would be written; None: nothing."""
    rest = [file for file in found.files if not file.in_patch]
    held = any(file.beside is not None for file in rest)
    wanted = [*([path] if found.patch else []), *([_listing(path)] if rest else []), *([_beside(path)] if held else [])]
    return next((one for one in wanted if is_taken(one)), None)


def _beside(path: Path) -> Path:
    return path.with_name(path.name + BESIDE)


def _listing(path: Path) -> Path:
    return path.with_name(path.name + BESIDE + LISTING)


def _refuse_beside(listing: Path | None, beside: Path | None) -> None:
    """Refuse what `--force` could not replace either, before anything is written."""
    if listing is not None:
        refuse_kind(listing)
    if beside is not None and os.path.lexists(beside) and (beside.is_symlink() or not is_directory(beside)):
        what = "a link" if beside.is_symlink() else "no directory"
        raise UsageError(f"{beside} is {what}, and contents must go into a directory of that name; name another place")


def _told(rest: Sequence[SalvagedFile], names: dict[int, str]) -> Iterator[str]:
    masker = Masker()
    for file in rest:
        held = f"content: {inert_line(names[id(file)])}" if id(file) in names else "content: not known whole"
        yield f"{masker.text(inert_line(file.path))}\n  {held}\n  why: {masker.text(inert_line(file.why))}\n"


# ── contents ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _put_beside(directory: Path, files: Sequence[SalvagedFile]) -> dict[int, str]:
    """Write each content below a directory; what each is called there."""
    names: dict[int, str] = {}
    try:
        with suppress(FileExistsError):
            directory.mkdir(mode=0o700)
        with _opened(str(directory)) as root:
            for number, file in enumerate(files, 1):
                names[id(file)] = _put(root, _parts(file), file.beside or b"", number, set(names.values()))
    except (OSError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else fault
        raise UsageError(f"{str(directory)!r} cannot be written ({why}); name another place with `--out`") from fault
    return names


def _parts(file: SalvagedFile) -> list[str]:
    """Where a content goes: its path without anything that leads up or elsewhere."""
    parts = [part.replace("\0", "") for part in file.path.split("/")]
    kept = [part for part in parts if part not in ("", ".", "..")] or ["file"]
    return [*(["outside"] if file.path.startswith("/") else []), *kept[:-1], kept[-1] + file.suffix]


def _put(root: int, parts: Sequence[str], data: bytes, number: int, taken: AbstractSet[str]) -> str:
    """Write one content; where its own name is taken or too long, under a number."""
    name = "/".join(parts)
    if name not in taken:
        with suppress(OSError):
            _write(root, parts, data)
            return name
    numbered = next(one for extra in count(number) if (one := f"file-{extra}") not in taken)
    _write(root, [numbered], data)
    return numbered


def _write(root: int, parts: Sequence[str], data: bytes) -> None:
    above = os.dup(root)
    try:
        for part in parts[:-1]:
            with suppress(FileExistsError):
                os.mkdir(part, 0o700, dir_fd=above)
            below = os.open(part, _OPEN_DIRECTORY, dir_fd=above)
            os.close(above)
            above = below
        with suppress(FileNotFoundError):
            os.unlink(parts[-1], dir_fd=above)
        with os.fdopen(os.open(parts[-1], _NEW_FILE, 0o600, dir_fd=above), "wb") as file:
            file.write(data)
    finally:
        os.close(above)


@contextmanager
def _opened(directory: str) -> Generator[int]:
    descriptor = os.open(directory, _OPEN_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
