"""Where a file may be written that a person names: one rule for the commands that write briefs, patches, exports and
receipts. A copy of a session or of the record, and what an agent asks for, replace nothing that is there.

Decides what may be replaced without a word: an empty file; of briefs and receipts also an older one, which a script
writes anew as often as it likes. Everything else, links too, only when told to. What holds evidence goes neither into
Refloat's own directory nor into anything but a plain file.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from refloat.errors import NotDone, UsageError

_HEAD: Final = 4_096
"""Bytes in which a receipt says what it is."""


def refuse_target(path: str | Path, data: Path) -> None:
    """Refuse a file in Refloat's own directory, and what is there and is no plain file; a link counts as its target.

    Raises:
        NotDone: nothing may be written there.

    """
    own = os.path.realpath(data)
    places = (os.path.realpath(path), os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)))  # noqa: PTH118, PTH119, PTH120 - text stays text
    if any(place == own or place.startswith(f"{own}/") for place in places):
        raise NotDone(f"{path} lies in {data}, where the record is: name another file")
    try:
        told = os.stat(path)  # noqa: PTH116 - text stays text
    except (OSError, ValueError):
        return  # whoever opens it tells
    if not stat.S_ISREG(told.st_mode):
        raise NotDone(f"{path} is there, and is no plain file: name another one")


def is_taken(path: str | Path, is_kind: Callable[[str], bool] | None = None) -> bool:
    """Whether something is there that nobody may replace unasked. `is_kind`: whether a file is an older one of what
    is to be written, which may be.
    """
    name = os.fspath(path)
    return os.path.lexists(name) and not _is_empty(name) and not (is_kind and is_kind(name))


def refuse_taken(path: str | Path, what: str, is_kind: Callable[[str], bool] | None = None, *, force: bool) -> None:
    """Refuse to replace what is there, unless `force`. `what` says of a file in the way what it is not: `no brief`.

    Raises:
        NotDone: it is taken, as `is_taken` says.

    """
    if not force and is_taken(path, is_kind):
        said = f", and {what}" if what else ""
        raise NotDone(f"{path} is there already{said}; name another place, or replace it with `--force`")


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
