"""The bytes that a lost file should have: recorded text on one side, what stands on disk or in HEAD on the other.

Pure. A record holds text as the agent saw it: undecodable bytes as U+FFFD, carriage returns often taken out. Decides
which lines come from the disk as they are and how the recorded ones are encoded and ended. Refuses to drop what
somebody else changed since: where both got into each other's way there is no answer.
"""

import re
from collections.abc import Sequence
from typing import Final

from refloat.checkout.files import text_of
from refloat.checkout.lines import bare_lines
from refloat.checkout.merge import merge

_MARKS: Final = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_LONE: Final = re.compile("[\ud800-\udfff]")


def bytes_of(text: str, like: Sequence[bytes] = ()) -> bytes:
    """A recorded text as bytes: UTF-16 where the first of `like` is, else UTF-8.

    Lines of `like` that are no UTF-8 stay as they are where the record shows them with U+FFFD in place of their bytes.
    """
    mark = like[0][:2] if like else b""
    if mark in _MARKS:
        return mark + _plain(text).encode(_MARKS[mark])
    raw = _undecodable(like) if "\ufffd" in text else {}
    return b"\n".join(raw.get(line) or _plain(line).encode() for line in text.split("\n"))


def _plain(text: str) -> str:
    """Half a surrogate pair has no bytes: programs write U+FFFD for it."""
    return _LONE.sub("\ufffd", text)


def _undecodable(like: Sequence[bytes]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for data in like:
        for line in data.split(b"\n"):
            try:
                line.decode()
            except UnicodeDecodeError:
                found.setdefault(line.decode(errors="replace"), line)
    return found


def line_ends(text: str) -> str | None:
    """The line end that a text has throughout; None where it has both, or none at all."""
    ends, windows = text.count("\n"), text.count("\r\n")
    if not ends or windows not in (0, ends):
        return None
    return "\r\n" if windows else "\n"


def ended_like(text: str, model: str) -> str:
    """A text that has one line end throughout, with that of `model`."""
    wanted, own = line_ends(model), line_ends(text)
    if wanted is None or own is None or wanted == own:
        return text
    return text.replace("\r\n", "\n") if wanted == "\n" else text.replace("\n", "\r\n")


def rejoin(base: str, disk: bytes, recorded: str) -> bytes | None:
    """What the record made of `base`, made of the disk's content too; None where the two changes touch.

    Where the disk has `base` itself, the answer is the recorded text exactly.
    """
    ours = text_of(disk)
    if ours is None:  # a zero byte: no lines to merge, but it may be what the record had before
        return bytes_of(recorded, [disk]) if disk.decode(errors="replace") == base else None
    if ours == base:
        return bytes_of(recorded, [disk])
    theirs = ended_like(recorded, ours)
    taken = merge(bare_lines(base), bare_lines(ours), bare_lines(theirs))
    if taken is None:
        return None
    our_lines, their_lines = ours.split("\n"), theirs.split("\n")
    if disk[:2] in _MARKS:
        return bytes_of("\n".join(their_lines[at] if other else our_lines[at] for other, at in taken), [disk])
    raw, told = disk.split(b"\n"), _undecodable([disk])
    return b"\n".join(
        (told.get(their_lines[at]) or _plain(their_lines[at]).encode()) if other else raw[at] for other, at in taken
    )
