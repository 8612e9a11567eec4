"""Every session of a first look, those that nobody has read told by the ends of their files, in two processes.

Decides which of these either process can tell for itself: one that nobody wrote to just now, and that no process is
only a candidate for. The others are judged together, in the process that asked. Keeps nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self

from refloat.catalogue.pack import Packed
from refloat.model.light import field, slotted
from refloat.model.liveness import Verdict
from refloat.model.problem import Problem
from refloat.model.session import Session, SessionName
from refloat.readers.contract import Found, Reader
from refloat.uncollected import Uncollected
from refloat.usecases.glimpse import glimpse
from refloat.usecases.recall import key_of
from refloat.usecases.sessions import make_session, unreadable
from refloat.usecases.sharing import Shared

if TYPE_CHECKING:
    from refloat.usecases.judging import Judge, Judged
    from refloat.usecases.sessions import Surroundings

Write = Callable[[Sequence[Session]], Sequence[str | None]]
"""What is written of each of some sessions; None where that must be seen together with all the others."""
_Made = tuple[Session, str | None]


@slotted
class ToldByEnds:
    """What the look told of each session."""

    sessions: list[Session] = field(default_factory=list[Session])
    problems: list[Problem] = field(default_factory=list[Problem])
    """Why others could not be read."""
    written: dict[SessionName, str] = field(default_factory=dict[SessionName, str])


@slotted
class Maker:
    """Makes sessions of what was read of them, by all else that they are told by."""

    judge: Judge
    surroundings: Surroundings
    grew: Callable[[Found], bool]
    carrier: Callable[[Found], SessionName | None]
    write: Write | None = None

    def make(self, found: Found, packed: Packed, judged: Judged) -> Session:
        """The session."""
        return make_session(found, packed, judged, self.surroundings, self.carrier(found))

    def make_alone(self, found: Found, packed: Packed) -> Session | None:
        """The session, if it is judged by nothing that concerns another one, nor by the record, and can be told."""
        last = packed.summary.last_activity_at
        if last is None or last > self.judge.recent or self.grew(found) or unreadable(packed):
            return None
        judged = self.judge.judge(found, packed, grew=False)
        return None if judged.liveness.verdict is Verdict.CANDIDATE else self.make(found, packed, judged)

    def with_texts(self, sessions: Sequence[Session]) -> list[_Made]:
        """Each with what is written of it."""
        texts = self.write(sessions) if self.write is not None and sessions else [None] * len(sessions)
        return list(zip(sessions, texts, strict=True))


class ByEnds:
    """Begins with the sessions that nobody has read in another process, where one can be had. Use it in a `with`."""

    def __init__(self, maker: Maker, unread: Sequence[tuple[Reader, Found]]) -> None:
        self._maker = maker
        # Those of one agent together: what reads them is loaded where they are read.
        self._unread = sorted(unread, key=lambda pair: pair[1].agent)
        self._shared = Shared(self._look_at, self._unread)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        """Give up what is not done."""
        self._shared.__exit__(*fault)

    def result(self, every: Sequence[tuple[Reader, Found]], known: Callable[[Found], Packed | None]) -> ToldByEnds:
        """All of `every`, in that order; `known` tells what one comes to that was read before."""
        rows = zip(self._unread, self._shared.result(), strict=True)
        seen = {key_of(found): made for (_, found), made in rows}
        told, left = ToldByEnds(), list[tuple[int, Found, Packed]]()
        made: list[_Made | None] = []
        for _, found in every:
            one = seen.get(key_of(found)) or known(found)
            if isinstance(one, tuple):
                made.append(one)
            elif one is not None and (why := unreadable(one)):
                told.problems += why
            elif one is not None:
                left.append((len(made), found, one))
                made.append(None)
        judged = self._maker.judge.judge_all([(found, one, self._maker.grew(found)) for _, found, one in left])
        sessions = [self._maker.make(found, one, each) for (_, found, one), each in zip(left, judged, strict=True)]
        for (at, _, _), one in zip(left, self._maker.with_texts(sessions), strict=True):
            made[at] = one
        for session, text in filter(None, made):
            told.sessions.append(session)
            if text is not None:
                told.written[session.name] = text
        return told

    def _look_at(self, pairs: Sequence[tuple[Reader, Found]]) -> list[_Made | Packed]:
        """In either process."""
        with Uncollected():
            looked: list[_Made | Packed] = []
            alone: dict[int, Session] = {}
            for at, (reader, found) in enumerate(pairs):
                packed = glimpse(reader, found)
                looked.append(packed)
                if (session := self._maker.make_alone(found, packed)) is not None:
                    alone[at] = session
            for at, made in zip(alone, self._maker.with_texts([*alone.values()]), strict=True):
                looked[at] = made
            return looked
