"""What lies at a path now, read plainly and once: text, or why it is none.

Decides how bytes become text and what is too large to look at. Never follows a link out of the checkout, never writes.
"""

import os
import stat
from pathlib import Path
from typing import Final, Literal

from refloat.model.light import light

LARGEST: Final = 16 * 1024 * 1024
"""Bytes of the largest file whose content is compared."""
_SMALL: Final = 1024 * 1024
BEGINNING: Final = 128
"""Bytes that tell what a file is that is no text, or too large."""


@light
class Content:
    """A file as it is now, or as some commit, stash or backup has it."""

    kind: Literal["text", "binary", "missing", "link", "directory", "large", "unreadable"]
    text: str = ""
    """Of a small binary file too, with U+FFFD for what is no UTF-8: a record may hold it as text."""
    mtime: float | None = None
    """Seconds since 1970; None where there is no file to ask."""


MISSING: Final = Content("missing")


def text_of(data: bytes) -> str | None:
    """Bytes as the agents read them: UTF-16 by its mark, else UTF-8 with U+FFFD for what is none; None for binary."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            return None
    # Git's own rule for what is binary: a zero byte near the start.
    return None if b"\0" in data[:8000] else data.decode(errors="replace")


def content_of(data: bytes, mtime: float | None = None) -> Content:
    """Bytes as a Content."""
    if len(data) > LARGEST:
        return Content("large", mtime=mtime)
    text = text_of(data)
    if text is not None:
        return Content("text", text, mtime)
    return Content("binary", data.decode(errors="replace") if len(data) <= _SMALL else "", mtime)


def state_of(path: str) -> os.stat_result | None:
    """What the disk says of a path itself, a link not followed; None where it says nothing."""
    try:
        return os.lstat(path)
    except (OSError, ValueError):
        return None


def read_content(path: str, inside: str | None, known: os.stat_result | None = None) -> Content:
    """Read the file at an absolute path, of which the state may be `known` already. A link is followed only to a target
    below `inside`.
    """
    try:
        state = known or os.lstat(path)
        if stat.S_ISLNK(state.st_mode):
            target = os.path.realpath(path)
            if inside is None or not _below(target, inside):
                return Content("link", mtime=state.st_mtime)
            state = Path(target).stat()
        if stat.S_ISDIR(state.st_mode):
            return Content("directory", mtime=state.st_mtime)
        if not stat.S_ISREG(state.st_mode):
            return Content("unreadable", mtime=state.st_mtime)
        if state.st_size > LARGEST:
            return Content("large", mtime=state.st_mtime)
        return content_of(_bytes_of(path, state.st_size), state.st_mtime)
    except (FileNotFoundError, NotADirectoryError):
        return MISSING
    except (OSError, ValueError):
        return Content("unreadable")


def _bytes_of(path: str, size: int) -> bytes:
    """A plain file's bytes, most likely `size` of them, and little more than `LARGEST` where it has grown since it was
    asked: making a file object takes longer than reading one of hundreds of files.
    """
    file = os.open(path, os.O_RDONLY)
    try:
        data = os.read(file, size + 1)
        while size < len(data) <= LARGEST and (more := os.read(file, LARGEST)):
            data += more
        return data
    finally:
        os.close(file)


def read_bytes(path: str) -> tuple[bytes, str] | None:
    """The bytes of a plain file and git's mode for it; None where none lies there, or one that is too large."""
    try:
        state = os.lstat(path)
        if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST:
            return None
        return Path(path).read_bytes(), "100755" if state.st_mode & stat.S_IXUSR else "100644"
    except (OSError, ValueError):
        return None


def read_beginning(path: str) -> str:
    """The first `BEGINNING` bytes of a plain file, with U+FFFD for what is no UTF-8; "" where none lies there."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return ""
        with Path(path).open("rb") as file:
            return file.read(BEGINNING).decode(errors="replace")
    except (OSError, ValueError):
        return ""


def _below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")
