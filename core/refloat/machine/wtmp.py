"""When the machine went down and came up, and who is logged in, from the login records (wtmp(5)). Linux alone keeps
them in this form, and newer systems keep none.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, Literal

from refloat.model.stamp import stamp_of_seconds
from refloat.model.terminals import Login
from refloat.model.traces import PowerChange

PATH: Final = Path("/var/log/wtmp")
PRESENT: Final = Path("/run/utmp")
"""Who is logged in now."""

_RUN_LEVEL, _BOOT_TIME, _USER_PROCESS = 1, 2, 7
# `struct utmp` of glibc: with 32-bit times (x86, and 64-bit systems that keep the form of 32-bit ones), and with 64-bit
# ones (arm64, riscv64). Both begin alike: type, process, line, id, user, host, exit.
_NARROW: Final = struct.Struct("<hxxi32s4s32s256shhiii16s20s")
_WIDE: Final = struct.Struct("<hxxi32s4s32s256shhqqq16s20s4x")
_MOST: Final = 4 * 1024 * 1024
"""Bytes from the end that are looked at: some ten thousand records."""
_FIRST_SECOND, _LAST_SECOND = 631_152_000, 4_102_444_800


def read_power_changes(path: Path = PATH) -> tuple[PowerChange, ...] | None:
    """Boots and orderly shutdowns in the order of the file; None where there is none, or it may not be read."""
    read = _read(path)
    return None if read is None else tuple(_changes(*read))


def read_logins(path: Path = PRESENT) -> tuple[Login, ...]:
    """Who is logged in at which terminal; none where nobody keeps count."""
    read = _read(path)
    if read is None:
        return ()
    data, form = read
    rows = form.iter_unpack(data[: len(data) // form.size * form.size])
    return tuple(
        Login(_text(row[2]), _text(row[4]), _text(row[5]), stamp_of_seconds(row[9]))
        for row in rows
        if row[0] == _USER_PROCESS
    )


def _read(path: Path) -> tuple[bytes, struct.Struct] | None:
    """The last records, and their form."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            form = next((form for form in (_NARROW, _WIDE) if size and _fits(file, form, size)), None)
            if form is None:
                return None
            start = max(0, size - _MOST // form.size * form.size)
            file.seek(start - start % form.size)
            return file.read(_MOST), form
    except OSError:
        return None


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("utf-8", "replace")


def _fits(file: BinaryIO, form: struct.Struct, size: int) -> bool:
    """Whether the file holds records of this form: their size divides it, and the first one makes sense."""
    if size % form.size:
        return False
    file.seek(0)
    row = form.unpack(file.read(form.size))
    return 0 <= row[0] <= 9 and _FIRST_SECOND <= row[9] <= _LAST_SECOND


def _changes(data: bytes, form: struct.Struct) -> Iterator[PowerChange]:
    for row in form.iter_unpack(data[: len(data) // form.size * form.size]):
        kind = _kind(row[0], row[4].rstrip(b"\0"))
        at = stamp_of_seconds(row[9] + row[10] / 1_000_000)
        if kind is not None and at is not None:
            yield PowerChange(kind, at)


def _kind(number: int, user: bytes) -> Literal["boot", "shutdown"] | None:
    if number == _BOOT_TIME:
        return "boot"
    return "shutdown" if number == _RUN_LEVEL and user == b"shutdown" else None
