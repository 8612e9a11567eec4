"""What a repairer of one agent offers, and the two readings that a repair is made of.

The first reading looks at every record and decides (`survey`), the second makes the copy (`rows`), line by line: what
is remembered between them are ids and places, never contents. Both read the same open files, so that a transcript that
is replaced meanwhile cannot mix with itself.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Final, Protocol, Self

from refloat.errors import Unreadable
from refloat.model.light import light
from refloat.model.repair import Action, Issue, Severity
from refloat.readers.contract import Found
from refloat.readers.whole import open_plain
from refloat.repair.pieces import Part, Piece, read_again, read_pieces


@light
class Target:
    """Where a copy goes that the agent shall find: `parts` below `root`, which is there or is made."""

    root: Path
    parts: tuple[str, ...]


class Survey(Protocol):
    """What the first reading of one transcript came to."""

    @property
    def issues(self) -> Sequence[Issue]:
        """What is wrong, by line."""
        ...

    @property
    def actions(self) -> Sequence[Action]:
        """What the copy does about it, by line."""
        ...

    @property
    def holds_talk(self) -> bool:
        """Whether a record is left of which the agent, and a list, would know the session."""
        ...

    def rows(self, source: "Source", new: "NewCopy") -> Iterator[bytes]:
        """The lines of the copy."""
        ...


class Repairer(Protocol):
    """All that Refloat knows of what one agent can load."""

    agent: str

    def sources(self, found: Found) -> Sequence[str]:
        """The files that a copy is made from, in reading order.

        Raises:
            NotDone: this transcript is of a kind that cannot be repaired.

        """
        ...

    def survey(self, source: "Source", found: Found) -> Survey:
        """Read it once and decide."""
        ...

    def new_id(self, milliseconds: int, random: bytes) -> str:
        """A new session id, of the agent's own kind, from the time since 1970 and 16 random bytes."""
        ...

    def target(self, found: Found, session: str, local: str, home: Path, environment: Mapping[str, str]) -> Target:
        """Where the agent finds a session of that id that begins at `local` (local time, `YYYY-MM-DDThh-mm-ss`)."""
        ...

    def left_out(self, found: Found) -> Sequence[str]:
        """What a copy does not take along, in words."""
        ...


@light
class NewCopy:
    """The session that a copy becomes."""

    session: str
    parent: str
    """Id of the session that it was made from."""
    made_at: str

    def fresh_uuid(self, number: int) -> str:
        """A row id of its own, the same for each writing of this copy."""
        raw = bytearray(hashlib.sha256(f"{self.session}:{number}".encode()).digest()[:16])
        return uuid_of(raw, 4)


def uuid_of(raw: bytearray, version: int) -> str:
    """16 bytes as a UUID of that version (RFC 9562)."""
    raw[6] = raw[6] & 0x0F | version << 4
    raw[8] = raw[8] & 0x3F | 0x80
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


class Source:
    """The original: its files, open for reading, each up to the end that it had when it was opened."""

    def __init__(self, paths: Sequence[str], heads: Sequence[bytes], part: Part) -> None:
        """Open them. `part` makes fit to be shown what was left of a record that is too long to be held.

        Raises:
            Unreadable: one of them cannot be opened.

        """
        self.paths = tuple(paths)
        self._heads = tuple(heads)
        self._part = part
        self._stack = ExitStack()
        self._files: list[tuple[BinaryIO, int]] = []
        path = ""
        try:
            for path in paths:
                file = self._stack.enter_context(open_plain(path))
                self._files.append((file, file.seek(0, 2)))
        except OSError as fault:
            self._stack.close()
            raise Unreadable(f"{path} cannot be read: {fault.strerror or fault}") from fault

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def pieces(self) -> Iterator[Piece]:
        """Every record of every file, in order.

        Raises:
            Unreadable: a file cannot be read.

        """
        number = 0
        for of, (path, (file, end)) in enumerate(zip(self.paths, self._files, strict=True)):
            try:
                for piece in read_pieces(file, end, self._heads, self._part, number, of):
                    number = piece.number + 1
                    yield piece
            except OSError as fault:
                raise Unreadable(f"{path} cannot be read: {fault.strerror or fault}") from fault

    @property
    def is_empty(self) -> bool:
        """Whether the files hold no byte."""
        return not any(end for _, end in self._files)

    def has_changed(self) -> bool:
        """Whether a file grew, shrank or gave way to another one since it was opened."""
        for path, (file, end) in zip(self.paths, self._files, strict=True):
            if path.endswith(".zst"):
                continue
            try:
                now, held = os.stat(path), os.fstat(file.fileno())  # noqa: PTH116 - text stays text
            except OSError:
                return True
            if now.st_size != end or (now.st_dev, now.st_ino) != (held.st_dev, held.st_ino):
                return True
        return False

    def read_again(self, piece: Piece) -> object:
        """The value of a piece that was read before, while `pieces` goes on where it stands."""
        return read_again(self._files[piece.file][0], piece, self._heads, self._part)


class Findings:
    """Issues and actions while they are collected."""

    def __init__(self, severities: Mapping[str, Severity]) -> None:
        self._severities = severities
        self.issues: list[Issue] = []
        self.actions: list[Action] = []

    def add(self, code: str, line: int, detail: str, act: str, name: str = "") -> None:
        """Something is wrong in a line, and something is done about it; `name` is the id of the row or call."""
        self.issues.append(Issue(code, self._severities[code], line, detail))
        self.actions.append(Action(code, line, name, act))

    def add_damages(self, piece: Piece) -> None:
        """What is wrong with the bytes of a line."""
        for damage in piece.damages:
            self.add(damage.code, piece.line, damage.what, damage.act)


DAMAGES: Final[Mapping[str, Severity]] = {
    "blank_line": "noted",
    "broken_line": "loses",
    "glued_lines": "loses",
    "invalid_utf8": "noted",
    "line_too_large": "blocks",
    "lone_surrogate": "blocks",
    "nul_bytes": "loses",
    "texts_too_long": "loses",
    "torn_last_line": "loses",
}
"""What `pieces` finds. Half a surrogate pair: a request that holds one is no valid JSON to the services."""
