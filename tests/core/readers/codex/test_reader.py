"""Where things lie, who holds them, what is gone, how to go on."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from refloat.model.liveness import Holder, ProcessInfo
from refloat.model.session import RecordGone
from refloat.readers.codex import Codex
from refloat.readers.registry import load

if TYPE_CHECKING:
    from tests.core.readers.codex.conftest import CodexHome


T1 = "01a07276-0000-7000-8000-000000000001"
T2 = "01a07277-0000-7000-8000-000000000002"


def process(*argv: str, name: str = "codex") -> ProcessInfo:
    return ProcessInfo(
        7, 1, name, argv, "/w", 1.0, "1", 1000, zombie=False, stopped=False, terminal=None, inspectable=True
    )


def test_a_server_is_interrupted_twice_and_anything_else_once():
    def signals(*argv: str) -> list[str]:
        return [ask.signal for ask in Codex().asks_to_end(process(*argv))]

    assert signals("codex", "resume", T1) == ["SIGINT", "SIGTERM"]
    assert signals("/usr/bin/codex", "-c", "a=b", "app-server") == ["SIGINT", "SIGINT", "SIGTERM"]


def test_it_is_in_the_table():
    assert isinstance(load("codex"), Codex)


def test_its_home_may_be_moved():
    roots = {walk.root for walk in Codex().walks(Path("/home/ada"), {"CODEX_HOME": "/elsewhere"})}
    assert roots == {
        "/elsewhere",
        "/elsewhere/sessions",
        "/elsewhere/archived_sessions",
        "/elsewhere/thread-writer-locks",
    }
    assert Codex().walks(Path("/home/ada"), {})[0].root == "/home/ada/.codex/sessions"


@pytest.mark.parametrize(
    ("argv", "name", "is_one"),
    [
        (("codex",), "codex", True),
        (("/usr/bin/codex", "resume", T1), "codex", True),
        (("/opt/codex-x86_64-unknown-linux-musl",), "codex-x86_64-un", True),
        (("node", "/usr/lib/node_modules/@openai/codex/bin/codex.js"), "node", True),
        (("/usr/bin/node", "/home/ada/.local/bin/codex", "exec"), "MainThread", True),
        (("codex-companion",), "codex-companion", False),
        (("node", "/x/codex-companion.mjs"), "node", False),
        (("vim", "codex"), "vim", False),
        (("node",), "node", False),
        ((), "codex", True),
        ((), "bash", False),
    ],
)
def test_which_processes_are_codex(argv: tuple[str, ...], name: str, is_one: bool):
    assert Codex().is_agent(process(*argv, name=name)) is is_one


@pytest.mark.parametrize(
    ("argv", "thread"),
    [
        (("codex", "resume", T1), T1),
        (("codex", "-m", "gpt-6", "resume", T1.upper(), "go on"), T1),
        (("codex", "exec", "--json", "resume", T1, "-"), T1),
        (("node", "/usr/bin/codex", "resume", T1), T1),
        (("codex", "fork", T1), None),
        (("codex", "resume", "--last"), None),
        (("codex", "resume", "my name"), None),
        (("codex", f"look at {T1}"), None),
        ((), None),
    ],
)
def test_the_session_on_a_command_line(argv: tuple[str, ...], thread: str | None):
    assert Codex().session_on_command_line(process(*argv)) == thread


def test_locks_name_their_threads(codex: "CodexHome"):
    place = codex.root / "thread-writer-locks"
    place.mkdir(parents=True)
    for name in (f"{T1}.lock", ".coordination.lock", "other.lock"):
        (place / name).touch()
    (codex.root / "app-server-daemon").mkdir()
    (codex.root / "app-server-daemon/app-server.pid").write_text('{"pid": 41, "processStartTime": "x"}')
    (holder,) = codex.reader.find_holders(codex.home, {})
    assert holder == Holder("codex", T1, "lock", str(place / f"{T1}.lock"), daemon_pid=41)


def test_what_is_gone(codex: "CodexHome"):
    codex.root.mkdir(parents=True)
    rows = [
        {"session_id": T1, "ts": 1788627006, "text": "a"},
        {"session_id": T1, "ts": 1788627007, "text": "b"},
        {"session_id": T2},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (codex.root / "history.jsonl").write_text(
        text + "not json\n" + json.dumps({"session_id": T1, "text": "no line end"})
    )
    (codex.root / "session_index.jsonl").write_text(json.dumps({"id": "named", "thread_name": "x"}) + "\n")
    gone = codex.reader.find_gone(codex.home, {}, {T2})
    assert [(row.session_id, row.prompts) for row in gone if isinstance(row, RecordGone)] == [(T1, 3), ("named", 0)]


def test_nothing_there_is_nothing(codex: "CodexHome"):
    assert codex.reader.find_gone(codex.home, {}, ()) == []
    assert codex.reader.find_holders(codex.home, {}) == []
    assert codex.all() == []


def test_how_to_go_on():
    reader = Codex()
    assert list(reader.continue_command(T1, None)) == ["codex", "resume", T1]
    assert list(reader.continue_command(T1, "go on")) == ["codex", "resume", T1, "go on"]
    assert list(reader.continue_command(T1, "-x")) == ["codex", "resume", T1, "--", "-x"]
    assert list(reader.new_command("HANDOFF.md", "-x", T1)) == ["codex", "Read HANDOFF.md and continue from it. -x"]
    assert list(reader.child_variables()) == ["CODEX_THREAD_ID"]


@pytest.mark.parametrize(
    ("version", "told"),
    [
        ("0.147.0", True),
        ("0.153.4", True),
        ("1.0.0", True),
        ("0.146.0", False),
        ("0.40.0", False),
        ("", False),
        ("x", False),
    ],
)
def test_whose_silence_the_locks_explain(version: str, told: bool):
    assert Codex().explains_silence(version, "codex-tui") is told


def test_a_transcript_is_recognised_by_its_content(codex: "CodexHome", tmp_path: Path):
    file = codex.rollout().meta().prompt("x").save()
    strange = tmp_path / "given.jsonl"
    strange.write_bytes(file.bytes)
    other = tmp_path / "other.jsonl"
    other.write_text('{"type":"user","sessionId":"x"}\n')
    assert [source.path for source in codex.reader.recognise(strange) or ()] == [str(strange)]
    assert [source.path for source in codex.reader.recognise(codex.root) or ()] == [str(file.path)]
    given = codex.reader.recognise(strange) or ()
    assert [codex.reader.identify(source).session_id for source in given] == [T1]
    assert codex.reader.recognise(other) is None
    assert codex.reader.recognise(tmp_path / "missing") is None
    assert codex.reader.recognise(tmp_path / "empty-nothing") is None


def test_a_directory_is_looked_through_as_codex_lays_it_out_and_no_deeper(codex: "CodexHome", tmp_path: Path):
    file = codex.rollout().meta().prompt("x").save()
    day = Path(file.path).parent
    for directory in (day, day.parent, day.parent.parent, codex.root / "sessions", codex.root):
        assert [source.path for source in codex.reader.recognise(directory) or ()] == [str(file.path)]
    assert codex.reader.recognise(codex.root.parent) is None
    disk = tmp_path / "disk" / "home" / "sessions"
    disk.mkdir(parents=True)
    (disk / Path(file.path).name).write_bytes(file.bytes)
    (tmp_path / "disk" / "2026").symlink_to(disk)
    assert codex.reader.recognise(tmp_path / "disk") is None


def test_a_thread_of_an_app_server_is_opened_where_that_belongs():
    server, lock = process("codex", "app-server"), Holder("codex", T1, "lock", "/l", daemon_pid=41)
    door = Codex().own_door(T1, server, lock)
    assert door is not None
    assert door.command is None
    assert "desktop app or an editor" in door.why
    daemon = Codex().own_door(T1, server, Holder("codex", T1, "lock", "/l", daemon_pid=server.pid))
    assert daemon is not None
    assert "own daemon" in daemon.why
    assert Codex().own_door(T1, process("codex", "resume", T1), lock) is None
