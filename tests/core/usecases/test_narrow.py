"""A look at what changed tells what a look at everything tells."""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from tests.core.usecases.conftest import Home

from refloat.model.session import Session, SessionName
from refloat.model.stamp import later
from refloat.readers.claude_code import ClaudeCode
from refloat.readers.contract import Identity, SourceFile
from refloat.testing.fakes import process
from refloat.usecases import finder as finders
from refloat.usecases.batch import Batch
from refloat.usecases.find_sessions import Finder
from refloat.usecases.workbench import Workbench

IDS = [f"{digit * 8}-0000-4000-8000-000000000001" for digit in "12345"]
SUB = "a0b1c2d3e4f5a6b7c"


class Desk:
    """What two finders make of one home: one that is told what changed, one that always looks at everything."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.narrow = Finder(home.bench)
        places = replace(home.bench.machine.places, cache=home.directory / "other-cache")
        self.whole = Finder(Workbench(replace(home.bench.machine, places=places), home.bench.readers))
        self.n = 2
        self.narrow_looks = 0
        self.known: dict[SessionName, Session] = {}
        self.rest: dict[str, object] = {}
        self.changed: set[str] = set()
        self._take(self.narrow.watch(home.work))
        self.everything = self._fold(self.whole.watch(home.work))

    def _take(self, batches: Iterator[Batch]) -> None:
        for batch in batches:
            self.known |= {session.name: session for session in batch.sessions}
            for name in batch.removed:
                self.known.pop(name, None)
            told = {"here": batch.here, "gone": batch.gone, "problems": batch.problems}
            self.rest |= {name: value for name, value in told.items() if value is not None}
            self.narrow_looks += batch.narrow

    def _fold(self, batches: Iterator[Batch]) -> Batch:
        *_, last = batches
        assert last.complete
        return last

    def look(self) -> None:
        changed, self.changed = frozenset(self.changed), set()
        self._take(self.narrow.watch_changed(changed, self.home.work))
        self.everything = self._fold(self.whole.watch(self.home.work))

    def agrees(self) -> None:
        whole = self.everything
        assert {name: still(row) for name, row in self.known.items()} == {
            row.name: still(row) for row in whole.sessions
        }
        assert self.rest == {"here": whole.here, "gone": whole.gone, "problems": whole.problems}
        assert {row.name for row in self.narrow.told} == self.known.keys()

    # ── what happens on a disk ───────────────────────────────────────────────────────────────────────────────────────

    def write(self, session: str, *, of: str = "") -> None:
        if not self.home.path(session).exists():
            self.changed.add(str(self.home.write(session, *self.home.talk(session, of=of))))

    def grow(self, session: str, kind: str = "user") -> None:
        path = self.home.path(session)
        if path.exists():
            self.n += 1
            row = self.home.row(session, self.n, kind, f"More {self.n}", promptSource="typed", minute=self.n % 60)
            self.home.append(session, row)
            self.changed.add(str(path))

    def goes_on_in(self, session: str) -> None:
        """The next of the ids goes on with the whole of it."""
        if self.home.path(session).exists():
            other = IDS[(IDS.index(session) + 1) % len(IDS)]
            self.home.append(session, {"type": "continued-in", "continuedInSessionId": other})
            self.changed.add(str(self.home.path(session)))

    def half(self, session: str) -> None:
        if self.home.path(session).exists():
            self.home.append(session, b'{"type":"user","uuid":"half', end=b"")
            self.changed.add(str(self.home.path(session)))

    def shorten(self, session: str) -> None:
        path = self.home.path(session)
        if path.exists():
            path.write_bytes(path.read_bytes()[: -(path.stat().st_size // 3)])
            self.changed.add(str(path))

    def replace(self, session: str) -> None:
        path = self.home.path(session)
        if path.exists():
            beside = path.with_suffix(".new")
            beside.write_bytes(path.read_bytes() + b"\n")
            beside.rename(path)
            self.changed.add(str(path))

    def delete(self, session: str) -> None:
        self.home.path(session).unlink(missing_ok=True)
        self.changed.add(str(self.home.path(session)))

    def rename(self, session: str, to: str) -> None:
        path, other = self.home.path(session), self.home.path(to)
        if path.exists() and not other.exists():
            path.rename(other)
            self.changed |= {str(path), str(other)}

    def subagent(self, session: str) -> None:
        path = self.home.projects / "p" / session / "subagents" / f"agent-{SUB}.jsonl"
        if self.home.path(session).exists():
            self.n += 1
            path.parent.mkdir(parents=True, exist_ok=True)
            row = self.home.row(session, self.n, "user", f"Look {self.n}", isSidechain=True, agentId=SUB)
            with path.open("ab") as file:
                file.write(json.dumps(row).encode() + b"\n")
            self.changed.add(str(path))

    def register(self, session: str) -> None:
        path = self.home.directory / "home" / ".claude" / "sessions" / "41.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        told = {"pid": 41, "sessionId": session, "cwd": str(self.home.work), "procStart": "100", "version": "2.1.270"}
        path.write_text(json.dumps(told))
        self.changed.add(str(path))

    def unregister(self, _: str) -> None:
        path = self.home.directory / "home" / ".claude" / "sessions" / "41.json"
        path.unlink(missing_ok=True)
        self.changed.add(str(path))

    def start(self, _: str) -> None:
        self.home.processes.rows = (process(41, cwd=str(self.home.work)),)

    def end(self, _: str) -> None:
        self.home.processes.rows = ()

    def wait(self, _: str) -> None:
        self.home.clock.moment = later(self.home.clock.moment, 20.0)


def still(session: Session) -> Session:
    """A session without the moments of looks: one that is not judged anew keeps an older one."""
    evidence = tuple(replace(fact, at=None) for fact in session.liveness.evidence)
    return replace(session, liveness=replace(session.liveness, evidence=evidence))


def fork(desk: Desk, session: str) -> None:
    """A fork of the first session, which holds its rows."""
    desk.write(session, of=IDS[0])


HAPPENINGS: dict[str, Callable[[Desk, str], None]] = {
    "grows": Desk.grow,
    "goes on": lambda desk, session: desk.grow(session, "assistant"),
    "goes on in another": Desk.goes_on_in,
    "a torn row": Desk.half,
    "begins": Desk.write,
    "a fork begins": fork,
    "is shortened": Desk.shorten,
    "is replaced": Desk.replace,
    "is deleted": Desk.delete,
    "is renamed": lambda desk, session: desk.rename(session, IDS[4]),
    "a sub-agent": Desk.subagent,
    "a register": Desk.register,
    "no register": Desk.unregister,
    "a process starts": Desk.start,
    "it ends": Desk.end,
    "time passes": Desk.wait,
    "a look": lambda desk, session: None,
}
SCRIPTS = st.lists(
    st.tuples(st.sampled_from(sorted(HAPPENINGS)), st.sampled_from(IDS), st.booleans()), min_size=1, max_size=8
)


@settings(max_examples=50)
@given(script=SCRIPTS)
def test_it_says_what_a_look_at_everything_says(script: list[tuple[str, str, bool]]) -> None:
    place = Path(tempfile.mkdtemp(prefix="narrow-"))
    try:
        home = Home(place)
        for session in IDS[:3]:
            home.write(session, *home.talk(session))
        desk = Desk(home)
        desk.agrees()
        for what, session, looks in [*script, ("a look", IDS[0], True)]:
            HAPPENINGS[what](desk, session)
            if looks:
                desk.look()
                desk.agrees()
        event(f"{min(desk.narrow_looks, 3)} or more narrow looks")
    finally:
        shutil.rmtree(place)


@pytest.fixture
def desk(home: Any, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Three sessions, looked at once; nobody looks at everything from then on."""
    for session in IDS[:3]:
        home.write(session, *home.talk(session))
    made = Desk(home)
    monkeypatch.setattr(finders, "sight", None)
    return made


def told(desk: Desk) -> tuple[Batch, ...]:
    changed, desk.changed = frozenset(desk.changed), set()
    return tuple(desk.narrow.watch_changed(changed, desk.home.work))


def test_a_session_that_grew_is_told_alone(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = ClaudeCode.identify

    def noted(reader: ClaudeCode, file: SourceFile) -> Identity:
        asked.append(file.path)
        return real(reader, file)

    monkeypatch.setattr(ClaudeCode, "identify", noted)
    desk.grow(IDS[1])
    (batch,) = told(desk)
    assert [(row.session_id, row.prompts) for row in batch.sessions] == [(IDS[1], 2)]
    assert asked == [str(desk.home.path(IDS[1]))]
    assert (batch.narrow, batch.complete) == (True, False)
    assert batch.here == {f"claude-code:{each}" for each in IDS[:3]}


def test_a_register_is_heard_of_without_a_look_at_everything(desk: Desk) -> None:
    desk.start("")
    desk.register(IDS[2])
    (batch,) = told(desk)
    states = {row.session_id: row.state for row in batch.sessions}
    assert states[IDS[2]] == "live"
    desk.unregister("")
    desk.end("")
    (batch,) = told(desk)
    assert {row.session_id: row.state for row in batch.sessions}[IDS[2]] != "live"


def test_only_a_transcript_that_a_process_opens_counts(desk: Desk) -> None:
    desk.start("")
    told(desk)
    seen = desk.narrow._seen
    assert seen is not None
    before = seen.judge.told(seen.names)
    desk.home.processes.files = {41: frozenset({"/usr/lib/libc.so"})}
    told(desk)
    assert seen.judge.told(seen.names) == before
    desk.home.processes.files = {41: frozenset({str(desk.home.path(IDS[1]).resolve())})}
    (batch,) = told(desk)
    assert {row.session_id: row.state for row in batch.sessions}[IDS[1]] == "live"


def test_one_that_goes_on_in_another_is_carried_by_it(desk: Desk) -> None:
    desk.goes_on_in(IDS[0])
    (batch,) = told(desk)
    assert {row.session_id: row.superseded_by for row in batch.sessions}[IDS[0]] == f"claude-code:{IDS[1]}"
    desk.grow(IDS[2])
    (batch,) = told(desk)
    seen = desk.narrow._seen
    assert seen is not None
    carried = {row.session_id: row.superseded_by for row in seen.sessions.values()}
    assert carried == {IDS[0]: f"claude-code:{IDS[1]}", IDS[1]: None, IDS[2]: None}


def test_a_clock_that_is_set_back_makes_recent_again(desk: Desk) -> None:
    start = desk.home.clock.moment
    told(desk)
    desk.home.clock.moment = later(start, 3600.0)
    told(desk)
    told(desk)
    seen = desk.narrow._seen
    assert seen is not None
    assert not list(seen.passing())
    last = next(iter(seen.sessions.values())).last_activity_at
    assert last is not None
    desk.home.clock.moment = last
    told(desk)
    assert len(list(seen.passing())) == len(IDS[:3])


def test_what_was_recent_passes(desk: Desk) -> None:
    desk.home.clock.moment = later(desk.home.clock.moment, 0.0)
    row = desk.home.row(IDS[0], 3, "user", "Now", promptSource="typed") | {"timestamp": desk.home.clock.moment}
    desk.home.append(IDS[0], row)
    desk.changed.add(str(desk.home.path(IDS[0])))
    (batch,) = told(desk)
    kinds = {fact.kind for fact in batch.sessions[0].liveness.evidence}
    assert {"recent", "growing"} & kinds
    desk.wait("")
    desk.wait("")
    (batch,) = told(desk)
    assert [row.session_id for row in batch.sessions] == [IDS[0]]
    assert not {"recent", "growing"} & {fact.kind for fact in batch.sessions[0].liveness.evidence}


def test_a_search_finds_what_a_narrow_look_read(home: Any) -> None:
    from refloat.usecases.searched import searched

    home.write(IDS[0], *home.talk(IDS[0]))
    found = searched(home.bench)
    finder = Finder(home.bench, searched=found)
    list(finder.watch(home.work))
    home.append(IDS[0], home.row(IDS[0], 3, "user", "A cormorant", promptSource="typed"))
    list(finder.watch_changed({str(home.path(IDS[0]))}, home.work))
    with_index = Finder(home.bench, searched=searched(home.bench))
    (last,) = [batch for batch in with_index.watch(home.work) if batch.complete]
    assert last.total == 0
    assert last.sessions[0].prompts == 2


@pytest.mark.parametrize("what", ["begins", "is deleted", "is shortened", "is replaced", "a fork begins"])
def test_what_may_concern_others_is_looked_at_whole(home: Any, what: str) -> None:
    for session in IDS[:3]:
        home.write(session, *home.talk(session))
    desk = Desk(home)
    HAPPENINGS[what](desk, IDS[3] if "begins" in what else IDS[1])
    assert told(desk)[-1].complete


def test_one_that_was_stopped_is_followed_by_a_whole_one(home: Any) -> None:
    for session in IDS[:3]:
        home.write(session, *home.talk(session))
    desk = Desk(home)
    desk.grow(IDS[1])
    path, desk.changed = frozenset(desk.changed), set()
    assert not any(batch.complete for batch in desk.narrow.watch_changed(path, home.work, lambda: True))
    (*_, last) = told(desk)
    assert last.complete
    assert {row.session_id: row.prompts for row in last.sessions}[IDS[1]] == 2
