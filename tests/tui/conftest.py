"""A library that answers from memory, so that the screens can be driven without a disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tui.waiting import come_to_rest, deal
from textual import app as app_module
from textual import pilot as pilot_module
from textual.message_pump import MessagePump
from textual.notifications import Notification

from refloat.errors import RefloatError, Unreadable, UsageError
from refloat.model.brief import Brief, WrittenBrief
from refloat.model.checkout import Checkout
from refloat.model.record import Lease, TiedJob, Trail, Verified, Wrap
from refloat.model.recovered import Recovered, Unfinished
from refloat.model.recovery import Given, Said
from refloat.model.search import Asked, Found, Hit
from refloat.model.session import Session, SessionName, State
from refloat.model.stamp import Stamp, later
from refloat.model.status import NextOperation, PendingRequest, Status
from refloat.model.story import Story
from refloat.model.transcript import Outcome
from refloat.model.triage import Triage
from refloat.search.excerpt import excerpt
from refloat.search.query import parse
from refloat.search.words import composed
from refloat.testing.samples import SAMPLES, Sample, at
from refloat.usecases.batch import Batch
from refloat.usecases.draft_wrap import WrapField
from refloat.usecases.first_rows import FirstRows
from refloat.usecases.hand_over import PickedUp
from refloat.usecases.look_around import StartedIn
from refloat.usecases.recover import Recovery, answer
from refloat.usecases.searchable import searchable
from refloat_tui.app import RefloatApp, Start
from refloat_tui.base import RefloatScreen
from refloat_tui.library import LongHistory, Opened, SavedRecord, Stop, Tell
from refloat_tui.screens.doors import Doors

NOW = at(60)
UTF8 = {"LANG": "en_US.UTF-8", "COLORTERM": "truecolor"}

MARKDOWN = """# Round prices half to even

## Previous attempt

- `claude-code` session 5d1f6c1e in `/home/ana/shop`, stopped because its process ended, 14:22 UTC
- Original process: verified stopped

## Current artifact

- Revision `9c0e2b1` on `fix/rounding`; 1 uncommitted file of this session, 2 of others to preserve

## What is established

- `src/rounding.py` rounds half to even, committed in `9c0e2b1` (step 2)
- `pytest -q tests/test_rounding.py` exit 0 (step 4), stale: files changed after it

## What remains uncertain

- Step 8 `git push origin fix/rounding`: no result recorded. Look first: `git ls-remote origin`

## Next step

1. Look whether the push arrived

## Done when

- `pytest -q` and `mypy src` pass

<!-- refloat/1 {"head":"9c0e2b1"} -->
"""


class FakeOpened:
    """A sample, opened."""

    def __init__(
        self,
        sample: Sample,
        session: Session,
        recovered: Recovered | None = None,
        unfinished: Unfinished | None = None,
    ) -> None:
        self._sample = replace(sample, session=session)
        self._recovered = recovered
        self._unfinished = unfinished
        self._said = Given()

    @property
    def story(self) -> Story:
        return self._sample.story

    @property
    def status(self) -> Status:
        steps = tuple(self._sample.story.steps)
        session = self._sample.session
        open_steps = tuple(step for step in steps if step.outcome is Outcome.DANGLING)
        done = next((step for step in reversed(steps) if step.outcome is Outcome.OK), None)
        pending = None
        if session.state is State.LIVE and open_steps:
            pending = PendingRequest("approval", open_steps[-1].n, open_steps[-1].summary, open_steps[-1].at)
        following = {
            State.LIVE: NextOperation("attach", None, session.workspace, "it runs"),
            State.UNRESOLVED: NextOperation(
                "resolve_liveness", ("refloat", "status", session.name), session.workspace, "unknown"
            ),
            State.FAILED: NextOperation(
                "new_linked", ("refloat", "new", "--parent", session.name), session.workspace, "it failed"
            ),
            State.STOPPED: NextOperation(
                "continue", ("claude", "--resume", session.session_id), session.workspace, "it ended"
            ),
            State.UNBOUND: NextOperation(
                "prompt", ("claude", "--resume", session.session_id), session.workspace, "never asked"
            ),
        }[session.state]
        return Status(
            session, done, open_steps, pending, following, recovered=self._recovered, unfinished=self._unfinished
        )

    def has_brief_moved(self) -> bool:
        return False

    def checkout(self) -> Checkout:
        return self._sample.checkout

    def triage(self) -> Triage:
        return self._sample.triage

    def brief(self) -> WrittenBrief:
        empty = Brief(self._sample.session.title, (), (), (), (), (), ())
        return WrittenBrief(self._sample.session.name, empty, MARKDOWN, masked=2, omitted=0)

    def given(self) -> Given:
        return self._said

    def answer(self, said: Said) -> Given:
        recovery = Recovery(self._sample.session, self.checkout(), self.triage(), "", "", self.brief().brief, "ana@x")
        self._said = answer(replace(recovery, given=self._said), said).given
        return self._said


class NoRecord:
    """Nothing was ever saved."""

    def mark(self) -> object:
        return ""

    def remarks(self, trail: Trail) -> tuple[str, ...]:
        return ()

    def jobs(self, session: Session | None) -> tuple[TiedJob, ...]:
        return ()

    def trail(self, job: str, limit: int) -> Trail:
        raise Unreadable(f"no job is called {job}")

    def verify(self, job: str, tell: Callable[[int, int], None]) -> Verified:
        raise Unreadable(f"no job is called {job}")

    def wrap(self, fields: Mapping[WrapField, str], session: SessionName | None) -> Wrap:
        raise Unreadable("it cannot be written")

    def pick_up(self, job: str) -> PickedUp:
        raise Unreadable(f"no job is called {job}")

    def holders(self) -> Mapping[str, Lease]:
        return {}


class FakeLibrary:
    """Sessions in memory. Tests change them and `tell`."""

    def __init__(self, sessions: Sequence[tuple[Session, Sample]], *, here: str = "/home/ana/shop") -> None:
        self.saved: SavedRecord = NoRecord()
        self.samples = {session.name: sample for session, sample in sessions}
        self.all = {session.name: session for session, _ in sessions}
        self.here = here
        self.time = NOW
        self.fault: Exception | None = None
        self.part_fault: Exception | None = None
        self.gate: threading.Event | None = None
        """While it is not set, opening a session waits."""
        self.on_stuck: Callable[[], object] = lambda: None
        self.patience: float | None = 100.0
        """Seconds after which it waits no longer; None: for ever."""
        self.asked: list[SessionName] = []
        """Whose reading began."""
        self.opened: list[SessionName] = []
        self.written: list[Path] = []
        self.searched: list[Asked] = []
        self.unread = 0
        """Sessions that are not searchable yet."""
        self.looks = 0
        self.asked_about: list[frozenset[str] | None] = []
        """What each look was told that changed."""
        self.glances = 0
        self.first: FirstRows | None = None
        self.recovered: dict[SessionName, Recovered] = {}
        self.unfinished: dict[SessionName, Unfinished] = {}
        self.long: dict[SessionName, LongHistory] = {}
        self._known = dict(self.all)
        self._told: list[frozenset[str] | None] = []
        self._bell = threading.Condition()

    def now(self) -> Stamp:
        return self.time

    def place(self) -> StartedIn:
        return StartedIn(self.here, self.here, "fix/rounding", 3)

    def _names_here(self) -> frozenset[SessionName]:
        return frozenset(name for name, session in self.all.items() if session.workspace == self.here)

    def first_rows(self, rows: int) -> FirstRows | None:
        del rows
        return self.first

    def find_sessions(self, stop: Stop) -> Iterator[Batch]:
        if self.fault:
            raise self.fault
        rows = tuple(self.all.values())
        yield Batch(rows[:3], here=self._names_here())
        if not stop():
            yield Batch(rows[3:], here=self._names_here(), gone=(), problems=(), complete=True)

    def look_again(self, stop: Stop, changed: frozenset[str] | None = None) -> Iterator[Batch]:
        self.looks += 1
        self.asked_about.append(changed)
        before, self._known = self._known, dict(self.all)
        removed = tuple(name for name in before if name not in self.all)
        if not stop():
            yield Batch(tuple(self.all.values()), removed, here=self._names_here(), complete=True)

    def is_look_due(self) -> bool:
        self.glances += 1
        return self.all != self._known

    def changes(self, stop: Stop) -> Iterator[frozenset[str] | None]:
        while not stop():
            with self._bell:
                self._bell.wait(0.05)
                told, self._told = self._told, []
            yield from told

    def tell(self, paths: frozenset[str] | None = frozenset({"/x"})) -> None:
        with self._bell:
            self._told.append(paths)
            self._bell.notify_all()

    def looked_in(self) -> tuple[tuple[str, str], ...]:
        return (("Claude Code", "/home/ana/.claude/projects"), ("Codex", "/home/ana/.codex/sessions"))

    def watching(self) -> str:
        return "inotify"

    def long_history(self, name: SessionName) -> LongHistory | None:
        return self.long.get(name)

    def search(self, asked: Asked, sessions: Sequence[Session], stop: Stop) -> Found:
        self.searched.append(asked)
        query = parse(asked.words)
        if not query.terms:
            raise UsageError(f"the search {asked.words!r} has no letter or digit; name at least one word to look for")
        hits: list[Hit] = []
        for session in sessions:
            if asked.agent not in {None, session.agent} or asked.state not in {None, session.state}:
                continue
            for item in self.samples[session.name].story.items:
                text = composed("\n".join(searchable(item)))
                spans = query.find(text)
                if spans is not None:
                    line = item.step.line if item.step else item.n
                    hits.append(Hit(session, item.n, item.type, line, item.at, excerpt(text, spans), 1.0))
        unread, self.unread = self.unread, max(0, self.unread - 1)
        return Found(asked.words, tuple(hits[: asked.limit]), not unread, unread, len(hits) > asked.limit)

    def open(self, name: SessionName, stop: Stop | None = None, tell: Tell | None = None) -> Opened:
        del stop, tell
        self.asked.append(name)
        if self.gate is not None:
            self.on_stuck()
            self.gate.wait(self.patience)
        if self.part_fault:
            raise self.part_fault
        self.opened.append(name)
        if name not in self.all:
            raise Unreadable(f"{name} is gone")
        return FakeOpened(self.samples[name], self.all[name], self.recovered.get(name), self.unfinished.get(name))

    def may_be_written(self, path: Path) -> bool:
        return path.is_file()

    def write_brief(self, written: WrittenBrief, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise RefloatError(f"{path} is no plain file")
        self.written.append(path)


def some_sessions() -> list[tuple[Session, Sample]]:
    """One of each state here, and some in another place."""
    wanted = (
        ("crashed", "", "Round prices half to even", 22, "/home/ana/shop"),
        ("unresolved", "b1", "Split the CSV read into two passes", 19, "/home/ana/shop"),
        ("live", "b2", "Rebuild the invoices of August", 59, "/home/ana/shop"),
        ("stopped", "b3", "Rename totals to sums everywhere", -180, "/home/ana/shop"),
        ("unbound", "b4", "", -300, "/home/ana/shop"),
        ("stopped", "c1", "Fix VAT rounding in the quarterly report", -2880, "/home/ana/billing"),
        ("crashed", "c2", "Move the exporter to the new storage", -9000, "/home/ana/billing"),
        ("stopped", "d1", "Write the release notes", -20000, "/home/ana/notes"),
    )
    found: list[tuple[Session, Sample]] = []
    for name, identifier, title, minute, workspace in wanted:
        sample = SAMPLES[name]()
        session = replace(
            sample.session,
            session_id=f"{identifier}{sample.session.session_id[len(identifier) :]}",
            title=title,
            workspace=workspace,
            repo=workspace,
            agent="codex" if identifier in {"b1", "c1"} else "claude-code",
            last_activity_at=later(at(0), minute * 60),
        )
        found.append((session, sample))
    return found


def many_sessions(count: int) -> list[tuple[Session, Sample]]:
    """As many as asked for, in fifty workspaces."""
    base = [SAMPLES[name]() for name in ("stopped", "crashed", "stopped", "live")]
    return [
        (
            replace(
                sample.session,
                session_id=f"{n:06d}-0000",
                title=f"Session number {n}",
                workspace=f"/home/ana/place{n % 50}",
                repo=f"/home/ana/place{n % 50}",
                last_activity_at=later(at(0), -n * 60),
            ),
            sample,
        )
        for n in range(count)
        for sample in (base[n % len(base)],)
    ]


def make_app(
    library: FakeLibrary, doors: Doors | None = None, environment: dict[str, str] | None = None, **start: object
) -> RefloatApp:
    """The app over a fake library."""
    begin = Start(environment=UTF8 if environment is None else environment, home="/home/ana", **start)  # pyright: ignore[reportArgumentType] - by name, for tests
    return RefloatApp(library, doors, begin)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests press as soon as something stands; those of the waiting itself set it back to 1."""
    monkeypatch.setattr(RefloatScreen, "pace", 0.0)


@pytest.fixture(autouse=True)
def told_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """A notice stays until something takes it away: on a slow machine its seconds are over before it is looked at."""
    monkeypatch.setattr(Notification, "time_left", 3600.0)


@pytest.fixture
def library() -> FakeLibrary:
    return FakeLibrary(some_sessions())


@pytest.fixture(autouse=True)
def a_slow_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Press a key once the one before it did what it does; what fast keys do is told by `test_fast_keys`."""
    monkeypatch.setattr(MessagePump, "_dispatch_message", deal)
    for module in (app_module, pilot_module):
        monkeypatch.setattr(module, "wait_for_idle", come_to_rest)
