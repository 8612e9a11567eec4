"""What a look keeps for the search while it reads: the index of the cache, opened once for all that it keeps.

Decides that reading goes on where no index can be kept: then nothing counts as unsearchable, or all would be read anew
in every look.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import get_ident

from refloat.catalogue.rows import Key
from refloat.search.index import Index, hash_files
from refloat.search.shards import close_writers
from refloat.usecases.digesting import Digester
from refloat.usecases.recall import Searched
from refloat.usecases.workbench import Workbench


class KeptIndex:
    """The index as one look uses it, from whatever thread makes it, beside a catalogue (`Catalogue.born`)."""

    def __init__(self, directory: Path, catalogue: int | None = None, keys: Collection[Key] | None = None) -> None:
        """`keys`: it will be asked for these sessions alone."""
        self._directory = directory
        self._keys = keys
        self._catalogue = catalogue
        self._covered: Mapping[Key, str] | None = None
        self._asked = False
        self._opened: tuple[int, Index] | None = None
        """By which thread: since the first batch was kept. Whoever is the last to close the file writes all of it out,
        which takes longer than a batch. Never open where workers begin: a copy of a process must not inherit it.
        """
        if catalogue is not None:
            self._known()  # before anything is written: it may be thrown away

    def covers(self, key: Key, files: str) -> bool:
        """Whether a session is searchable in just this state of its files."""
        covered = self._known()
        return covered is None or covered.get(key) == hash_files(files)

    def covered(self) -> Collection[Key]:
        """Every session that is searchable, in whatever state of its files."""
        return self._known() or ()

    def _known(self) -> Mapping[Key, str] | None:
        if not self._asked:
            self._asked = True
            index = Index.open(self._directory)
            if index is not None:
                with index:
                    if self._catalogue is not None:
                        index.belong(self._catalogue)
                    self._covered = dict(index.covered() if self._keys is None else index.covered_of(self._keys))
        return self._covered

    def keep(self, rows: Sequence[tuple[Key, str, str | None, bytes]]) -> None:
        """Keep what was read."""
        close_writers()
        index = self._open()
        if index is not None:
            index.keep(rows)
        self._asked = False

    def forget(self, keys: Iterable[Key]) -> None:
        """Let go of sessions whose files are gone."""
        index = self._open()
        if index is not None:
            index.forget(keys)
        self._asked = False

    def close(self) -> None:
        """Let go of the files."""
        opened, self._opened = self._opened, None
        if opened is not None and opened[0] == get_ident():
            opened[1].close()

    def _open(self) -> Index | None:
        if self._opened is None or self._opened[0] != get_ident():
            index = Index.open(self._directory)
            self._opened = None if index is None else (get_ident(), index)
        return None if self._opened is None else self._opened[1]


def searched(bench: Workbench) -> Searched:
    """For a `Finder` that makes what it reads searchable."""
    cache = bench.machine.places.cache
    return Searched(partial(KeptIndex, cache), Digester(cache))
