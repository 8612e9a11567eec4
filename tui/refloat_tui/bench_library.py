"""The library over a real workbench: joins use cases, masks what comes back, keeps threads apart.

Decides nothing about sessions. Use cases are imported where they are called, in a worker: the first paint does not wait
for them. Raw values stay in here, because the checkout is compared with exact words; what leaves is masked, and a
secret that was found once stays masked in everything of its session.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from refloat.model.brief import WrittenBrief
from refloat.model.checkout import Checkout
from refloat.model.recovery import Given, Said
from refloat.model.session import Session, SessionName
from refloat.model.stamp import Stamp
from refloat.model.status import Status
from refloat.model.story import Story
from refloat.model.triage import Triage
from refloat_tui.bench_record import BenchRecord
from refloat_tui.library import Stop

if TYPE_CHECKING:
    from refloat.usecases.find_sessions import Batch, Finder, Located
    from refloat.usecases.glance import Glance
    from refloat.usecases.look_around import Place
    from refloat.usecases.rescue import Rescue
    from refloat.usecases.workbench import Workbench

Value = TypeVar("Value")


class BenchOpened:
    """One session, read. Its dear parts are made once."""

    def __init__(self, bench: Workbench, located: Located) -> None:
        from refloat.brief.masks import Masker
        from refloat.usecases.explain_end import explain_end
        from refloat.usecases.linked import standing_of
        from refloat.usecases.read_session import read_story
        from refloat.usecases.show_status import show_status

        self._bench = bench
        self._located = located
        self._masker = Masker()
        self._raw = read_story(located.reader, located.found)
        self._raw_checkout: Checkout | None = None
        self._raw_triage: Triage | None = None
        self.story: Story = self._mask(self._raw)
        self._session = explain_end(bench, located.session, self._raw)
        self._standing = standing_of(bench, self._session)
        self.status: Status = self._mask(show_status(located.reader, self._session, self._raw, None, self._standing))

    def _mask(self, value: Value) -> Value:
        from refloat.brief.masks import mask_tree

        return mask_tree(value, self._masker)

    def _compare(self) -> Checkout:
        if self._raw_checkout is None:
            from refloat.usecases.examine import compare_with_others

            self._raw_checkout = compare_with_others(self._bench, self._located, self._raw)
        return self._raw_checkout

    def _sort(self) -> Triage:
        if self._raw_triage is None:
            from refloat.usecases.triage_session import triage_session

            self._raw_triage = triage_session(self._bench, self._raw, self._compare(), self._session)
        return self._raw_triage

    def checkout(self) -> Checkout:
        """The checkout, held against it. From then on the status knows of it."""
        from refloat.usecases.show_status import show_status

        checkout = self._compare()
        self.status = self._mask(show_status(self._located.reader, self._session, self._raw, checkout, self._standing))
        return self._mask(checkout)

    def triage(self) -> Triage:
        """Saved, claimed, gone."""
        return self._mask(self._sort())

    def brief(self) -> WrittenBrief:
        """The brief; it masks what it holds by itself."""
        from refloat.usecases.write_brief import write_brief

        return write_brief(self._bench, self._session, self._raw, self._compare(), self._sort())

    def given(self) -> Given:
        """What was said in its unfinished recovery."""
        from refloat.usecases.keep_answer import given_so_far

        return given_so_far(self._bench.machine, self._located.session.name)

    def answer(self, said: Said) -> Given:
        """Keep one more answer, with the evidence as the wizard sees it."""
        from refloat.usecases.keep_answer import keep_answer

        session = self._mask(self._located.session)
        return keep_answer(self._bench.machine, session, self.checkout(), self.triage(), said)


class BenchLibrary:
    """All that the desk knows of the world, from one workbench."""

    def __init__(self, bench: Workbench, cwd: Path) -> None:
        self._bench = bench
        self._cwd = cwd
        self._lists = threading.Lock()
        """A Finder serves one thread at a time."""
        self._finder: Finder | None = None
        self._glance: Glance | None = None
        self._opens = threading.Lock()
        self._locator: Finder | None = None
        """Its own, so that a session opens while the first reading of all goes on."""
        self._masked: dict[SessionName, tuple[Session, Session]] = {}
        self.saved = BenchRecord(bench.machine, self._whole_story)
        """The record."""

    def now(self) -> Stamp:
        """Tell the time."""
        return self._bench.machine.clock.now()

    def place(self) -> Place:
        """Where Refloat was started."""
        from refloat.usecases.look_around import look_around

        return look_around(self._bench, self._cwd)

    def find_sessions(self, stop: Stop) -> Iterator[Batch]:
        """All sessions: first what the catalogue has."""
        return self.look_again(stop)

    def look_again(self, stop: Stop) -> Iterator[Batch]:
        """What changed since."""
        with self._lists:
            if stop():
                return
            from refloat.usecases.find_sessions import Finder

            self._finder = self._finder or Finder(self._bench)
            glance = self._glances()
            running = glance.begin()
            for batch in self._finder.watch(self._cwd, stop):
                if batch.complete:
                    glance.rest(running, batch.sessions)
                yield self._mask_batch(batch)

    def _glances(self) -> Glance:
        from refloat.usecases.glance import Glance

        self._glance = self._glance or Glance(self._bench)
        return self._glance

    def is_look_due(self) -> bool:
        """Whether processes or time may have changed something. A look that goes on answers by itself."""
        if not self._lists.acquire(blocking=False):
            return False
        try:
            return self._glances().is_due()
        finally:
            self._lists.release()

    def _mask_batch(self, batch: Batch) -> Batch:
        from dataclasses import replace

        from refloat.brief.masks import Masker, mask_tree

        masker = Masker()
        return replace(
            batch,
            sessions=tuple(self._mask_session(session) for session in batch.sessions),
            gone=None if batch.gone is None else mask_tree(batch.gone, masker),
            problems=None if batch.problems is None else mask_tree(batch.problems, masker),
        )

    def _mask_session(self, session: Session) -> Session:
        """What was masked before and is the same is not searched again: a list is looked at every few seconds."""
        from refloat.brief.masks import Masker, mask_tree

        known = self._masked.get(session.name)
        if known is None or known[0] != session:
            known = (session, mask_tree(session, Masker()))
            self._masked[session.name] = known
        return known[1]

    def changes(self, stop: Stop) -> Iterator[frozenset[str] | None]:
        """Which files of agents changed."""
        from refloat.usecases.watching import watch_records

        return watch_records(self._bench, stop)

    def looked_in(self) -> tuple[tuple[str, str], ...]:
        """Each agent's name and the directory of its sessions."""
        places = self._bench.machine.places
        found: dict[str, str] = {}
        for reader in self._bench.readers:
            for walk in reader.walks(places.home, places.environment):
                if walk.holds == "transcripts":
                    found.setdefault(reader.title, walk.root)
        return tuple(found.items())

    def watching(self) -> str:
        """How it watches."""
        return self._bench.machine.watch.how()

    def _locate(self, name: SessionName) -> Located:
        from refloat.usecases.find_sessions import Finder
        from refloat.usecases.naming import find_named

        with self._opens:
            self._locator = self._locator or Finder(self._bench)
            return find_named(self._locator, self._bench, name, self._cwd)

    def open(self, name: SessionName) -> BenchOpened:
        """Read one session.

        Raises:
            RefloatError: it is gone, or nothing of it can be read.

        """
        return BenchOpened(self._bench, self._locate(name))

    def _whole_story(self, name: SessionName) -> Story:
        from refloat.usecases.read_session import read_story

        located = self._locate(name)
        return read_story(located.reader, located.found, full=True)

    def write_brief(self, written: WrittenBrief, path: Path) -> None:
        """Write a brief; the person has agreed that it replaces what is there.

        Raises:
            RefloatError: it cannot be written.

        """
        from refloat.usecases.put_brief import put_brief

        put_brief(path, written.markdown, overwrite=True)

    def rescue(self, name: SessionName) -> Rescue:
        """Take up the recovery of one session.

        Raises:
            RefloatError: it is gone, or nothing of it can be read.

        """
        from refloat.usecases.examine import examine
        from refloat.usecases.keep_draft import open_drafts
        from refloat.usecases.rescue import Case, open_rescue

        known = examine(self._bench, self._locate(name))
        case = Case(known.session, known.story, known.checkout, known.triage)
        holding = self.saved.holding(known.session.name, "is recovering this")
        return open_rescue(self._bench, open_drafts(self._bench.machine), case, cwd=self._cwd, holding=holding)
