"""What a search may ask of a session beside its words: that a step named a file, or that one ran a command.

Decides how long is looked for that. The index knows which rows hold a path or a command, and that the words stand
somewhere in them; where they stand is read from the transcript. What the catalogue knows to be edited is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from refloat.model.transcript import Item
from refloat.search.answers import Candidate
from refloat.search.digest import KINDS, Doc
from refloat.search.query import parse
from refloat.search.words import composed
from refloat.usecases.searchable import whole_path

if TYPE_CHECKING:
    from refloat.catalogue.store import Catalogue

_CHANGED: Final = 4
"""Changed lines of an edit that an excerpt begins with."""
_LOOKS: Final = 32
"""Rows of one session that are read for it, or as many as hits are wanted: most with such words hold them where they
are meant.
"""
_FILES, _COMMANDS = 800, 2000
"""And of all sessions, besides twenty for each hit that is wanted: one with an edit takes half a millisecond, one with
a command a fifth.
"""


class Demand:
    """One such demand, in one search."""

    def __init__(self, text: str, *, is_file: bool, limit: int, catalogue: Catalogue | None) -> None:
        """`catalogue` knows who edited what, if it is at hand."""
        self.query = parse(f'"{text}"')
        self.is_file = is_file
        self.gave_up = False
        """A session was left out of which it is not known."""
        self._kind = 1 << KINDS.index("path" if is_file else "command")
        self._left = (_FILES if is_file else _COMMANDS) + 20 * limit
        self._looks = max(_LOOKS, limit)
        self._catalogue = catalogue
        self._editors: dict[tuple[str, str], str] | None = None

    def holds(self, item: Item, below: str | None) -> bool:
        """Whether a step is such a one; relative paths lie in `below`."""
        if item.step is None:
            return False
        step = item.step
        if not self.is_file:
            return self.query.find(composed(step.command or "")) is not None
        paths = (*step.files, *(edit.path for edit in step.edits))
        return any(self.query.find(composed(whole_path(path, below))) is not None for path in paths)

    def among(self, docs: Iterator[Candidate]) -> Iterator[Candidate]:
        """Those that may be such a step."""
        return (found for found in docs if found.doc.kinds & self._kind)

    def is_met(
        self,
        session: tuple[str, str],
        docs: Iterator[Candidate],
        below: str | None,
        read: Callable[[Doc], Sequence[Item]],
    ) -> bool:
        """Whether a session, (agent, session id), has such a step among what may hold the words; also False where that
        is not known: see `gave_up`. Nothing is asked of `docs` where it is known without.
        """
        if session in self._edited():
            return True
        if self._left <= 0:
            self.gave_up = True
            return False
        for at, found in enumerate(self.among(docs)):
            if at == self._looks or self._left <= 0:
                self.gave_up = True
                return False
            self._left -= 1
            if any(self.holds(item, below) for item in read(found.doc)):
                return True
        return False

    def and_editors(self, sessions: Collection[tuple[str, str]] | None) -> Collection[tuple[str, str]] | None:
        """Sessions that may have such a step, with those that are known to have edited such a file: the index knows no
        sub-agents. None: too many to tell.
        """
        return None if sessions is None else {*sessions, *self._edited()}

    def edited_by(self, session: tuple[str, str]) -> str | None:
        """Such a file that a session, or a sub-agent of it, is known to have edited."""
        return self._edited().get(session)

    def _edited(self) -> Mapping[tuple[str, str], str]:
        """Sessions that are known to have edited such a file, with the file."""
        if self._editors is None:
            self._editors = {}
            if self._catalogue is not None and self.is_file:
                words = [word for term in self.query.terms for word in term.words if word.isascii()]
                likely = (path for path in self._catalogue.edited() if all(word in path.lower() for word in words))
                for path in (path for path in likely if self.query.find(composed(path)) is not None):
                    self._editors |= dict.fromkeys(self._catalogue.editors([path]), path)
        return self._editors


def did(item: Item, near: Callable[[str], str], *, changes: bool) -> list[str]:
    """What a step did, for a search that asks for a file or a command alone: its path stands once, not as often as the
    index knows it. `changes`: words that no index holds (its tool, its first changed lines) may be told, too.
    """
    step = item.step
    if step is None:
        return []
    what = step.command or step.summary
    what = near(what) if step.command is None else what
    rows = [row for edit in step.edits for hunk in edit.hunks for row in hunk.lines if row[:1] in ("+", "-")]
    return [f"{step.tool} {what}: {step.outcome}", *rows[:_CHANGED]] if changes else [what]
