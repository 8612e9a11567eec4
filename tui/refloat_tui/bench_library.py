"""The library over a real workbench: joins use cases, masks what comes back, keeps threads apart.

Decides nothing about sessions. Use cases are imported where they are called, in a worker: the first paint does not wait
for them. Raw values stay in here, because the checkout is compared with exact words; what leaves is masked, and a
secret that was found once stays masked in everything of its session.
"""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

from refloat.errors import NotDone, UsageError
from refloat_tui.bench_record import BenchRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from refloat.model.brief import WrittenBrief
    from refloat.model.checkout import Checkout
    from refloat.model.recovered import Recovered
    from refloat.model.recovery import Given, Said
    from refloat.model.search import Asked, Found
    from refloat.model.session import Session, SessionName
    from refloat.model.stamp import Stamp
    from refloat.model.status import Status
    from refloat.model.story import Story
    from refloat.model.transcript import Item
    from refloat.model.triage import Triage
    from refloat.usecases.batch import Batch
    from refloat.usecases.find_sessions import Finder, Located
    from refloat.usecases.first_rows import FirstRows
    from refloat.usecases.glance import Glance
    from refloat.usecases.long_history import LongHistory
    from refloat.usecases.look_around import StartedIn
    from refloat.usecases.rescue import Rescue
    from refloat.usecases.workbench import Workbench
    from refloat_tui.library import Stop, Tell

Value = TypeVar("Value")
_PIECE: Final = 2000
"""Items that are masked between two questions whether to go on."""


class BenchOpened:
    """One session, read. Its dear parts are made once."""

    def __init__(self, bench: Workbench, located: Located, stop: Stop | None = None, tell: Tell | None = None) -> None:
        from refloat.brief.masks import Masker
        from refloat.usecases.explain_end import explain_end
        from refloat.usecases.linked import standing_of
        from refloat.usecases.read_session import read_story

        self._bench = bench
        self._located = located
        self._masker = Masker()
        size = sum(file.size for file in located.found.files)

        def go_on() -> None:
            if stop is not None and stop():
                raise NotDone("the reading was given up")

        def watch(done: int) -> None:
            go_on()
            if tell is not None:
                tell(min(done, size), size)

        self._raw = read_story(located.reader, located.found, watch=watch)
        self._raw_checkout: Checkout | None = None
        self._raw_triage: Triage | None = None
        self._recovered: Recovered | None = None
        """The last recovery, as the status tells it."""
        self.story: Story = self._mask_story(go_on)
        self._session = explain_end(bench, located.session, self._raw)
        self._standing = standing_of(bench, self._session)
        self.status: Status = self._tell(None)

    def _tell(self, checkout: Checkout | None) -> Status:
        """Where it stands, by the guard's word on everybody who is at it now."""
        from refloat.machine import here
        from refloat.usecases.act import actor_of
        from refloat.usecases.tell_status import advised_status

        actor = actor_of(self._bench.machine, here.runner(), here.is_running)
        reader, session, story = self._located.reader, self._session, self._raw
        status = advised_status(self._bench, actor, reader, session, story, checkout, self._standing)
        self._recovered = status.recovered
        return self._mask(status)

    def has_brief_moved(self) -> bool:
        """Whether the brief of its last recovery came, went or was replaced since its status was told: told anew."""
        from refloat.usecases.recovered import has_brief_moved

        if self._recovered is None or not has_brief_moved(self._recovered, self._session.name):
            return False
        self.status = self._tell(self._raw_checkout)
        return True

    def _mask(self, value: Value) -> Value:
        from refloat.brief.masks import mask_tree

        return mask_tree(value, self._masker)

    def _mask_story(self, go_on: Callable[[], None]) -> Story:
        """The story, masked some items at a time: of a long one that takes as long as reading it, and may be ended."""
        from refloat.brief.masks import mask_known

        items, rest = self._raw.items, replace(self._raw, items=())
        pieces = [items[at : at + _PIECE] for at in range(0, len(items), _PIECE)]
        for piece in (rest, *pieces):
            go_on()
            self._masker.learn(piece)
        if not self._masker.knows_any:
            return self._raw
        masked: list[Item] = []
        for piece in pieces:
            go_on()
            masked += mask_known(piece, self._masker)
        return replace(mask_known(rest, self._masker), items=tuple(masked))

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
        checkout = self._compare()
        self.status = self._tell(checkout)
        return self._mask(checkout)

    def triage(self) -> Triage:
        """Saved, claimed, gone."""
        return self._mask(self._sort())

    def brief(self) -> WrittenBrief:
        """The brief, with what was said in a recovery; it masks what it holds by itself."""
        from refloat.brief.masks import Masker
        from refloat.usecases.brief_session import brief_writer

        return brief_writer(self._bench, self._session, self._raw, self._compare(), self._sort())(Masker())

    def given(self) -> Given:
        """What was said in its recovery."""
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
        self._long: tuple[tuple[str, ...], LongHistory] | None = None
        """The last long history, by its files."""
        self._masked: dict[SessionName, tuple[Session, Session]] = {}
        self.saved = BenchRecord(bench.machine, self._whole_story)
        """The record."""

    def now(self) -> Stamp:
        """Tell the time."""
        return self._bench.machine.clock.now()

    def place(self) -> StartedIn:
        """Where Refloat was started."""
        from refloat.usecases.look_around import look_around

        return look_around(self._bench, self._cwd)

    def first_rows(self, rows: int) -> FirstRows | None:
        """The rows that fit on a screen, from the catalogue, which keeps them masked."""
        from refloat.usecases.first_rows import first_rows

        return first_rows(self._bench.machine.places, self.now(), os.path.realpath(self._cwd), rows)

    def find_sessions(self, stop: Stop) -> Iterator[Batch]:
        """All sessions: first what the catalogue has."""
        return self.look_again(stop)

    def look_again(self, stop: Stop, changed: frozenset[str] | None = None) -> Iterator[Batch]:
        """What changed since, as far as `changed` files and processes tell it; None: all of it."""
        with self._lists:
            if stop():
                return
            from refloat.usecases.find_sessions import Finder
            from refloat.usecases.searched import searched

            self._finder = self._finder or Finder(self._bench, searched=searched(self._bench))
            glance = self._glances()
            running = glance.begin()
            finder, cwd = self._finder, self._cwd
            for batch in finder.watch(cwd, stop) if changed is None else finder.watch_changed(changed, cwd, stop):
                if batch.complete or batch.narrow:
                    glance.rest(running, finder.told)
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
        from refloat.brief.masks import Masker, mask_tree

        masker = Masker()
        return replace(
            batch,
            sessions=tuple(self._mask_session(session) for session in batch.sessions),
            gone=None if batch.gone is None else mask_tree(batch.gone, masker),
            problems=None if batch.problems is None else mask_tree(batch.problems, masker),
        )

    def _mask_session(self, session: Session) -> Session:
        """What was masked before and is the same is not searched again: a list is looked at every few seconds. Each
        look has evidence of its own.
        """
        from refloat.usecases.masking import mask

        known = self._masked.get(session.name)
        if known is not None and known[0] is known[1] and replace(session, liveness=known[0].liveness) == known[0]:
            liveness = mask(session.liveness)
            masked = session if liveness is session.liveness else replace(session, liveness=liveness)
        elif known is None or known[0] != session:
            masked = mask(session)
        else:
            return known[1]
        self._masked[session.name] = (session, masked)
        return masked

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

    def search(self, asked: Asked, sessions: Sequence[Session], stop: Stop) -> Found:
        """The places that hold what is asked for; excerpts come masked.

        Raises:
            RefloatError: there is nothing to look for.

        """
        from refloat.usecases.search_sessions import search_known

        return search_known(self._bench, sessions, asked, stop)

    def _locate(self, name: SessionName) -> Located:
        from refloat.usecases.find_sessions import Finder
        from refloat.usecases.naming import find_named

        with self._opens:
            self._locator = self._locator or Finder(self._bench)
            return find_named(self._locator, self._bench, name, self._cwd)

    def long_history(self, name: SessionName) -> LongHistory | None:
        """The history of a long session, the same one as long as its files are the same ones.

        Raises:
            RefloatError: it is gone.

        """
        from refloat.brief.masks import Masker, mask_tree
        from refloat.usecases.long_history import LongHistory, has_windows

        located = self._locate(name)
        paths = tuple(file.path for file in located.found.files)
        if self._long is None or self._long[0] != paths:
            masker = Masker()  # one for all windows: a secret that was found once stays masked
            long = LongHistory(located.reader, located.found, lambda window: mask_tree(window, masker))
            self._long = (paths, long) if has_windows(located.found) else None
        return self._long[1] if self._long is not None else None

    def open(self, name: SessionName, stop: Stop | None = None, tell: Tell | None = None) -> BenchOpened:
        """Read one session.

        Raises:
            RefloatError: it is gone, nothing of it can be read, or it was stopped.

        """
        return BenchOpened(self._bench, self._locate(name), stop, tell)

    def _whole_story(self, name: SessionName) -> Story:
        from refloat.usecases.read_session import read_story

        located = self._locate(name)
        return read_story(located.reader, located.found, full=True)

    def may_be_written(self, path: Path) -> bool:
        """Whether anything may be written there, with or without agreement; `write_brief` says why not."""
        try:
            self._refuse(path)
        except UsageError:
            return False
        return True

    def _refuse(self, path: Path) -> None:
        from refloat.usecases.targets import refuse_target

        refuse_target(path, self._bench.machine.places, self._bench.readers)

    def write_brief(self, written: WrittenBrief, path: Path) -> None:
        """Write a brief; the person has agreed that it replaces what is there.

        Raises:
            RefloatError: it cannot be written.

        """
        from refloat.usecases.put_brief import put_brief

        self._refuse(path)
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
