"""The middle road of `refloat list` says what a look at everything says, or nothing."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from refloat.usecases import finder
from refloat_tui.cli import quick, rows, seeking
from refloat_tui.cli.commands import bench
from refloat_tui.cli.parser import run

CLAUDE = [f"{digit * 8}-0000-4000-8000-000000000001" for digit in "12345"]
CODEX = [f"01a0727{digit}-0000-7000-8000-000000000001" for digit in "12345"]
SUB = "a0b1c2d3e4f5a6b7c"
WORDS = ["list", "--all", "--all-copies", "--json"]
KEY = "AKIA" + "IOSFODNN7" + "EXAMPLE"


class Machine:
    """A home with sessions of two agents, and a cache that a whole look filled."""

    def __init__(self, place: Path) -> None:
        self.place, self.home, self.work = place, place / "home", place / "work"
        self.n = 2
        for directory in (self.home, self.work, place / "other"):
            directory.mkdir()

    def claude(self, session: str) -> Path:
        return self.home / ".claude" / "projects" / "p" / f"{session}.jsonl"

    def codex(self, session: str) -> Path:
        return self.home / ".codex" / "sessions" / "2025" / "09" / "05" / f"rollout-2025-09-05T16-00-00-{session}.jsonl"

    def row(self, session: str, n: int, kind: str, text: str, *, of: str = "", **more: Any) -> dict[str, Any]:
        message: dict[str, Any] = {"role": kind, "content": text}
        if kind == "assistant":
            said = [{"type": "text", "text": text}]
            message = {"role": kind, "id": f"msg_{n}", "model": "m", "type": "message", "content": said}
            message |= {"stop_reason": "end_turn"}
        told = {"parentUuid": f"{of or session}-{n - 1}" if n > 1 else None, "isSidechain": False, "type": kind}
        told |= {"message": message, "uuid": f"{of or session}-{n}", "promptSource": "typed"}
        told |= {"timestamp": f"2025-09-14T09:{n // 60:02d}:{n % 60:02d}.000Z", "userType": "external"}
        told |= {"entrypoint": "cli", "cwd": str(self.work), "sessionId": session, "version": "2.1.270"}
        return told | {"gitBranch": "main"} | more

    def begin_claude(self, session: str, *, of: str = "") -> None:
        if not self.claude(session).exists():
            first = self.row(session, 1, "user", f"Make {of or session} retry", of=of)
            add(self.claude(session), first, self.row(session, 2, "assistant", "Done.", of=of))

    def begin_codex(self, session: str, *, of: str = "") -> None:
        if not self.codex(session).exists():
            meta = {"id": session, "timestamp": "2025-09-05T16:00:00.000Z", "cwd": str(self.work), "source": "cli"}
            meta |= {"originator": "codex-tui", "cli_version": "0.148.0"} | ({"forked_from_id": of} if of else {})
            add(self.codex(session), codex_row(1, "session_meta", meta))
            self.ask_codex(session)

    def next(self) -> int:
        self.n += 1
        return self.n

    def ask_codex(self, session: str) -> None:
        if not self.codex(session).exists():
            return
        turn = f"turn-{self.next()}"
        asked = {"type": "user_message", "message": f"Ask {self.n}", "images": []}
        add(
            self.codex(session),
            codex_row(self.n, "event_msg", {"type": "task_started", "turn_id": turn}),
            codex_row(self.n, "turn_context", {"turn_id": turn, "cwd": str(self.work), "model": "gpt-5.6"}),
            codex_row(self.n, "event_msg", asked),
        )

    def end_codex(self, session: str) -> None:
        if self.codex(session).exists():
            ended = {"type": "task_complete", "turn_id": f"turn-{self.n}", "last_agent_message": "Done."}
            add(self.codex(session), codex_row(self.next(), "event_msg", ended))

    def grow(self, session: str, kind: str = "user", text: str = "More", **more: Any) -> None:
        if self.claude(session).exists():
            n = self.next()
            add(self.claude(session), self.row(session, n, kind, f"{text} {n}", **more))

    def call(self, session: str) -> None:
        """A call that is never answered."""
        asked = {"type": "tool_use", "id": f"toolu_{self.n}", "name": "Edit"}
        asked |= {"input": {"file_path": f"{self.work}/a.py", "old_string": "a", "new_string": "b"}}
        message = {"role": "assistant", "id": f"msg_{self.n}", "model": "m", "type": "message", "content": [asked]}
        self.grow(session, "assistant", message=message)

    def add_raw(self, path: Path, data: bytes) -> None:
        if path.exists():
            with path.open("ab") as file:
                file.write(data)

    def subagent(self, session: str) -> None:
        path = self.claude(session).with_suffix("") / "subagents" / f"agent-{SUB}.jsonl"
        if self.claude(session).exists():
            n = self.next()
            add(path, self.row(session, n, "user", f"Look {n}", isSidechain=True, agentId=SUB))

    def shorten(self, path: Path) -> None:
        if path.exists():
            path.write_bytes(path.read_bytes()[: -(path.stat().st_size // 3)])

    def rewrite(self, path: Path) -> None:
        """Another talk in the same file, longer than what stood in it."""
        if path.exists():
            path.write_bytes(path.read_bytes().replace(b"More", b"Less") + b"\n" * 3)

    def rename(self, path: Path, to: Path) -> None:
        if path.exists() and not to.exists():
            path.rename(to)

    def write(self, name: str, text: str) -> None:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    # ── both roads ───────────────────────────────────────────────────────────────────────────────────────────────────

    def told(self, answer: Callable[[], int | None]) -> str | None:
        """What a road prints; None where it says nothing."""
        bench.bench.cache_clear()
        stream = TextIOWrapper(BytesIO(), "utf-8")
        with redirect_stdout(stream):
            code = answer()
            stream.flush()
        told = stream.buffer.getvalue().decode()  # pyright: ignore[reportAttributeAccessIssue] - as it was made above
        return None if code is None else without_moments(told)

    def short(self) -> str | None:
        return self.told(lambda: quick.answer(WORDS))

    def long(self) -> str | None:
        return self.told(lambda: run(WORDS))

    def anew(self) -> str | None:
        """The same without anything that was kept."""
        with pytest.MonkeyPatch.context() as patched, tempfile.TemporaryDirectory() as cache:
            patched.setenv("REFLOAT_CACHE_DIR", cache)
            return self.long()

    def agrees(self) -> bool:
        """Hold the roads against each other; whether the shorter ones answered."""
        before = self.short()
        if before is not None:
            assert self.short() == before
        whole = self.long()
        assert whole == self.anew()
        assert before is None or whole == before
        return before is not None


def codex_row(n: int, kind: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    return {"timestamp": f"2025-09-05T16:{n // 60:02d}:{n % 60:02d}.000Z", "type": kind, "payload": payload}


def add(path: Path, *values: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(b"".join(json.dumps(value).encode() + b"\n" for value in values))


def without_moments(text: str) -> str:
    # The boot is told to a second, and moves with the clock.
    text = re.sub(r"started anew at [^,]+", "started anew at …", text)
    return re.sub(r'"pid":(null|\d+),"at":"[^"]+"', r'"pid":\1,"at":"…"', text)


def nobody(_: object) -> tuple[()]:
    return ()


def nobody_carries(_: str) -> bool:
    return False


@contextmanager
def machine_in(place: Path) -> Generator[Machine]:
    """A machine on which no agent runs, with two sessions of each."""
    with pytest.MonkeyPatch.context() as patched:
        made = Machine(place)
        for name, value in (("HOME", made.home), ("REFLOAT_CACHE_DIR", place / "cache"), ("TMPDIR", place / "other")):
            patched.setenv(name, str(value))
        patched.setattr(quick, "running_programs", list)
        patched.setattr(quick, "may_carry", nobody_carries)
        patched.setattr("refloat.machine.processes.LinuxProcesses.all", nobody)
        for session in CLAUDE[:2]:
            made.begin_claude(session)
        for session in CODEX[:2]:
            made.begin_codex(session)
        made.long()
        yield made
    bench.bench.cache_clear()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with machine_in(tmp_path) as made:
        yield made


HAPPENINGS: dict[str, Callable[[Machine, int], None]] = {
    "grows": lambda on, at: on.grow(CLAUDE[at]),
    "goes on": lambda on, at: on.grow(CLAUDE[at], "assistant"),
    "goes on elsewhere": lambda on, at: on.grow(CLAUDE[at], cwd=str(on.place / "other")),
    "calls": lambda on, at: on.call(CLAUDE[at]),
    "tells a secret": lambda on, at: on.grow(CLAUDE[at], text=f"Use {KEY}"),
    "is named": lambda on, at: on.add_raw(
        on.claude(CLAUDE[at]),
        json.dumps({"type": "custom-title", "customTitle": f"Key {KEY}", "sessionId": CLAUDE[at]}).encode() + b"\n",
    ),
    "a torn row": lambda on, at: on.add_raw(on.claude(CLAUDE[at]), b'{"type":"user","uuid":"half'),
    "a line end": lambda on, at: on.add_raw(on.claude(CLAUDE[at]), b"\n"),
    "damage": lambda on, at: on.add_raw(on.claude(CLAUDE[at]), b"\x00\xff{}[\n"),
    "begins": lambda on, at: on.begin_claude(CLAUDE[at]),
    "a fork begins": lambda on, at: on.begin_claude(CLAUDE[at], of=CLAUDE[0]),
    "copies the first": lambda on, at: on.grow(CLAUDE[at], of=CLAUDE[0]),
    "is shortened": lambda on, at: on.shorten(on.claude(CLAUDE[at])),
    "is rewritten": lambda on, at: on.rewrite(on.claude(CLAUDE[at])),
    "is deleted": lambda on, at: on.claude(CLAUDE[at]).unlink(missing_ok=True),
    "is renamed": lambda on, at: on.rename(on.claude(CLAUDE[at]), on.claude(CLAUDE[4])),
    "a sub-agent": lambda on, at: on.subagent(CLAUDE[at]),
    "a register": lambda on, at: on.write(
        ".claude/sessions/41.json",
        json.dumps({"pid": 41, "sessionId": CLAUDE[at], "cwd": str(on.work), "procStart": "1", "version": "2.1.270"}),
    ),
    "no register": lambda on, at: (on.home / ".claude/sessions/41.json").unlink(missing_ok=True),
    "a rollout begins": lambda on, at: on.begin_codex(CODEX[at]),
    "a forked rollout": lambda on, at: on.begin_codex(CODEX[at], of=CODEX[0]),
    "a rollout asks": lambda on, at: on.ask_codex(CODEX[at]),
    "a rollout ends": lambda on, at: on.end_codex(CODEX[at]),
    "a rollout is torn": lambda on, at: on.add_raw(on.codex(CODEX[at]), b'{"timestamp":"2025'),
    "a rollout is shortened": lambda on, at: on.shorten(on.codex(CODEX[at])),
    "a rollout is deleted": lambda on, at: on.codex(CODEX[at]).unlink(missing_ok=True),
    "a lock": lambda on, at: on.write(f".codex/thread-writer-locks/{CODEX[at]}.lock", ""),
    "a name": lambda on, at: add(
        on.home / ".codex/session_index.jsonl", {"id": CODEX[at], "thread_name": f"Named {on.next()}"}
    ),
    "a secret name": lambda on, at: add(
        on.home / ".codex/session_index.jsonl", {"id": CODEX[at], "thread_name": f"Use {KEY} {on.next()}"}
    ),
    "a title beside": lambda on, at: on.write(
        f".claude/projects/p/{CLAUDE[at]}/custom-title.json", json.dumps({"customTitle": f"Called {on.next()}"})
    ),
    "a prompt": lambda on, at: add(
        on.home / ".claude/history.jsonl", {"display": "x", "sessionId": CLAUDE[at], "project": str(on.work)}
    ),
    "nothing": lambda on, at: None,
}
GROWS = ["grows", "goes on", "calls", "a sub-agent", "a rollout asks", "a rollout ends"]
SCRIPTS = st.lists(
    st.tuples(st.sampled_from([*sorted(HAPPENINGS), *GROWS * 4]), st.integers(0, 3), st.booleans()),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60)
@given(script=SCRIPTS)
def test_it_says_what_a_look_at_everything_says(script: list[tuple[str, int, bool]]) -> None:
    place = Path(tempfile.mkdtemp(prefix="regrow-"))
    try:
        with machine_in(place) as machine:
            answered = 0
            for what, at, looks in [*script, ("nothing", 0, True)]:
                HAPPENINGS[what](machine, at)
                if looks:
                    answered += machine.agrees()
            event(f"{min(answered, 3)} or more short answers")
    finally:
        shutil.rmtree(place)


@pytest.mark.parametrize(
    "what", ["grows", "goes on", "goes on elsewhere", "calls", "is named", "a torn row", "a rollout asks"]
)
def test_a_session_that_grew_is_read_on_alone(machine: Machine, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    HAPPENINGS[what](machine, 1)
    monkeypatch.setattr(finder, "sight", None)  # nobody looks at everything
    first = machine.short()
    assert first is not None
    HAPPENINGS[what](machine, 1)
    second = machine.short()
    assert second not in {None, first}
    assert KEY not in (second or "")


@pytest.mark.parametrize("what", ["tells a secret", "is named", "a secret name"])
def test_no_secret_is_kept(machine: Machine, what: str) -> None:
    HAPPENINGS[what](machine, 1)
    machine.agrees()
    machine.grow(CLAUDE[1])
    machine.ask_codex(CODEX[1])
    machine.agrees()
    kept = [file for file in (machine.place / "cache").rglob("*") if file.is_file()]
    assert kept
    assert not [file.name for file in kept if KEY.encode() in file.read_bytes()]


@pytest.mark.parametrize("what", ["a name", "a title beside"])
def test_a_new_name_is_told_though_the_transcript_is_as_it_was(machine: Machine, what: str) -> None:
    for _ in range(2):
        HAPPENINGS[what](machine, 1)
        assert machine.long() == machine.anew()


def test_a_sub_agent_that_grew_is_read_on_with_its_session(machine: Machine) -> None:
    machine.subagent(CLAUDE[0])
    assert not machine.agrees()
    machine.subagent(CLAUDE[0])
    machine.grow(CLAUDE[1])
    assert machine.agrees()


def test_what_a_list_has_read_on_is_searched_all_the_same(machine: Machine) -> None:
    search = ["search", "marzipan", "--json"]
    assert '"hits":[]' in (machine.told(lambda: run(search)) or "")
    machine.long()
    machine.grow(CLAUDE[1], text="Nobody spoke of marzipan")
    assert machine.short() is not None
    assert machine.told(lambda: seeking.answer(search)) is None, "no index holds it yet"
    found = machine.told(lambda: run(search)) or ""
    assert (found.count('"item":'), '"complete":true' in found) == (1, True)


def test_it_says_nothing_where_the_index_of_threads_changed(machine: Machine) -> None:
    database = machine.home / ".codex" / "state_5.sqlite"
    for name in ("Retries", "Importer"):
        connection = sqlite3.connect(database)
        connection.execute("CREATE TABLE IF NOT EXISTS threads (id TEXT, rollout_path TEXT, name TEXT)")
        connection.execute("DELETE FROM threads")
        connection.execute("INSERT INTO threads VALUES (?, ?, ?)", (CODEX[1], str(machine.codex(CODEX[1])), name))
        connection.commit()
        connection.close()
        machine.grow(CLAUDE[0])
        assert machine.short() is None
        assert f'"title":"{name}"' in (machine.long() or "")
        machine.grow(CLAUDE[0])
        assert machine.agrees()


@pytest.mark.parametrize(
    "what",
    ["begins", "is shortened", "is deleted", "is renamed", "a register", "a lock", "a name", "a prompt"],
)
def test_it_says_nothing_where_others_may_be_told_otherwise(machine: Machine, what: str) -> None:
    HAPPENINGS[what](machine, 2 if what == "begins" else 1)
    assert machine.short() is None


def test_it_says_nothing_of_a_session_that_a_fork_shares_rows_with(machine: Machine) -> None:
    machine.begin_claude(CLAUDE[2], of=CLAUDE[0])
    machine.long()
    machine.grow(CLAUDE[0])
    assert machine.short() is None
    machine.long()
    machine.grow(CLAUDE[1])
    assert machine.agrees()


def test_it_says_nothing_while_work_of_the_session_runs_on(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "may_carry", CLAUDE[1].__eq__)
    machine.grow(CLAUDE[0])
    assert machine.short() is not None
    machine.grow(CLAUDE[1])
    assert machine.short() is None


def test_it_says_nothing_of_a_record_of_just_now(machine: Machine) -> None:
    from refloat.machine.moment import now

    machine.grow(CLAUDE[0], timestamp=now())
    assert machine.short() is None


def test_it_keeps_nothing_where_another_look_came_between(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.grow(CLAUDE[0])

    def other(_: str) -> bool:
        with pytest.MonkeyPatch.context() as patched:
            patched.undo()
            machine.grow(CLAUDE[1])
            assert run(["list", "--all", "--json"]) == 0
        return False

    monkeypatch.setattr(quick, "may_carry", other)
    assert machine.short() is None


def test_it_looks_at_no_process_and_loads_no_other_reader(machine: Machine) -> None:
    machine.grow(CLAUDE[0])
    program = (
        "import sys\n"
        "from refloat_tui.cli import quick; quick.running_programs = list; quick.may_carry = lambda text: False\n"
        "code = quick.answer(['list', '--all'])\n"
        "print(code, *sorted(sys.modules), file=sys.stderr)"
    )
    tops = os.pathsep.join(str(Path(module.__file__ or "").parents[up]) for module, up in ((quick, 2), (rows, 2)))
    core = str(Path(sys.modules["refloat"].__file__ or "").parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((core, tops))}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    code, *loaded = done.stderr.split()
    assert code == "0"
    assert not set(loaded) & {"msgspec", "psutil", "click", "refloat.usecases.finder", "refloat.readers.codex.parser"}
    assert "refloat.readers.claude_code.rows" in loaded
