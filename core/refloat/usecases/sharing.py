"""Work on many rows, of which a second process does as many as it comes to.

Decides who does which: each takes the next few from its own end until they meet, so that neither waits for the other,
whatever else this process does meanwhile, and rows that want the same code loaded, standing together, have most of it
loaded once. What the other one does not tell is done here: results always come, row for row.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Generic, Self, TypeVar, cast

from refloat.forking import Copy, may_fork, processors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

WORTH: Final = 64
"""Rows from which a second process is worth its start, where each takes a few ten thousandths of a second."""
_PIECE: Final = 16
"""Rows that are taken at once."""
_PIECES: Final = 4096
"""A pipe takes so many bytes without anybody reading them, on every system (`PIPE_BUF`)."""
T = TypeVar("T")
P = TypeVar("P")


class Shared(Generic[P, T]):
    """What some work comes to for each of many rows, begun at once in the other process. Use it in a `with`, and ask
    for the result once.
    """

    def __init__(self, work: Callable[[Sequence[P]], list[T]], rows: Sequence[P], worth: int | None = None) -> None:
        """`work` gives a value that pickle knows for each row. `worth`: from so many rows on two processes do it."""
        self._work = work
        self._turns = -1
        """A pipe with a byte for each piece: whoever reads one takes one."""
        self._other: Copy | None = None
        size = max(_PIECE, -(-len(rows) // _PIECES))
        self._pieces = [rows[at : at + size] for at in range(0, len(rows), size)]
        if len(rows) >= (WORTH if worth is None else worth) and processors() > 1 and may_fork():
            self._begin()

    def _begin(self) -> None:
        try:
            self._turns, write = os.pipe()
        except OSError:  # as many files are open as may be
            return
        os.write(write, bytes(len(self._pieces)))
        os.close(write)
        self._other = Copy(self._do_theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        """Give up what is not done."""
        if self._other is not None:
            self._other.__exit__(*fault)
            os.close(self._turns)

    def result(self) -> list[T]:
        """Do what is left, and wait for the rest."""
        if self._other is None:
            return [row for piece in self._pieces for row in self._work(piece)]
        mine = [self._work(piece) for piece in self._taken(reversed(self._pieces))]
        told = self._told()
        told += [self._work(piece) for piece in self._pieces[len(told) : len(self._pieces) - len(mine)]]
        return [row for piece in (*told, *reversed(mine)) for row in piece]

    def _told(self) -> list[list[T]]:
        """What the other process did of the first pieces."""
        import pickle

        told = self._other.result() if self._other is not None else None
        return [pickle.loads(data) for data in cast("list[bytes]", told or [])]  # noqa: S301 - a copy of this process wrote it

    def _do_theirs(self) -> list[bytes]:
        """In the copy. Packed piece by piece: at the end somebody waits for it."""
        import pickle

        pieces = self._taken(self._pieces)
        return [pickle.dumps(self._work(piece), pickle.HIGHEST_PROTOCOL) for piece in pieces]

    def _taken(self, pieces: Iterable[Sequence[P]]) -> Iterator[Sequence[P]]:
        """The next pieces, as long as none is taken twice."""
        for piece in pieces:
            if not os.read(self._turns, 1):
                return
            yield piece
