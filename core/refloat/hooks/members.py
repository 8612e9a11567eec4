"""A JSON object read from a stream, member by member, within bounds: events of a hook can hold a whole file.

Decides where each member of the outermost object begins and ends, and keeps of each no more than it may. What is
damaged or ends early gives the members before it. Refuses to hold more than a few megabytes, whatever comes.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

MOST: Final = 1024 * 1024
"""Bytes that are kept of one member."""
_MEMBERS: Final = 64
_LONGEST_NAME: Final = 200
_PIECE: Final = 64 * 1024
# No group is possessive: before 3.11.5 such a one matches other text than it should (CPython gh-106052).
_INSIDE: Final = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*', re.DOTALL)
_SHALLOW: Final = re.compile(rb'[^"{}\[\],:]*+')
_DEEP: Final = re.compile(rb'[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*"[^"{}\[\]]*+)*', re.DOTALL)
"""Below the outermost object's own level only brackets matter: whole strings are passed over at once."""


class Member(NamedTuple):
    """The value of one member as the JSON text that came, or the beginning of it."""

    raw: bytes
    size: int
    """Of the whole text."""

    @property
    def is_cut(self) -> bool:
        """Whether only the beginning was kept."""
        return self.size > len(self.raw)


def read_members(read: Callable[[int], bytes]) -> dict[str, Member]:
    """Members of the object that `read` gives piece by piece (empty at the end), all of it read.

    Of a name that comes twice, the last value counts, as in other readers of JSON.
    """
    members: dict[str, Member] = {}
    name: str | None = None
    text, size = bytearray(), 0
    for depth, stretch, sign in _stretches(read):
        if depth == 1 and sign == b":" and name is None:
            name = bytes(text + stretch).strip().strip(b'"')[:_LONGEST_NAME].decode("utf-8", "replace")
            text, size = bytearray(), 0
            continue
        ends = (depth == 1 and sign == b",") or (depth == 0 and sign == b"}")
        if depth or ends:
            part = stretch if ends else stretch + sign
            if not size:
                part = part.lstrip()
            size += len(part)
            text += part[: max(0, MOST - len(text))]
        if ends:
            if name is not None and (name in members or len(members) < _MEMBERS):
                members[name] = Member(bytes(text).rstrip(), size if size > MOST else len(text.rstrip()))
            name, text, size = None, bytearray(), 0
    return members


def _stretches(read: Callable[[int], bytes]) -> Iterator[tuple[int, bytes, bytes]]:
    """Stretches of text, each with the sign that ends it (none within a string) and how deep that sign leads."""
    depth, quoted, waiting = 0, False, b""
    while piece := read(_PIECE):
        data, at = waiting + piece, 0
        waiting = b""
        while at < len(data):
            pattern = _INSIDE if quoted else _DEEP if depth > 1 else _SHALLOW
            found = pattern.match(data, at)
            end = found.end() if found else at
            stretch, sign = data[at:end], data[end : end + 1]
            at = end + 1
            if quoted:
                if sign == b"\\":  # its other half is in the next piece
                    waiting, sign = sign, b""
                quoted = sign != b'"'
                yield depth, stretch + sign, b""
                continue
            quoted = sign == b'"'
            if sign in {b"{", b"["}:
                depth += 1
                if depth == 1:
                    continue
            elif sign in {b"}", b"]"}:
                depth = max(0, depth - 1)
            yield depth, stretch, sign
