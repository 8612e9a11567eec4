"""A repair from plan to copy: where it goes, what it leaves alone, and what every other view says of the copy."""

import hashlib
import os
import stat
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from refloat.errors import NotDone, Unreadable, UsageError
from refloat.machine.git import HardenedGit
from refloat.model.repair import Repair
from refloat.model.repaired import is_made_output
from refloat.model.saving import Runner
from refloat.model.session import SessionName
from refloat.model.stamp import later
from refloat.model.transcript import Outcome
from refloat.readers.registry import load
from refloat.testing.claude_talk import SESSION, ClaudeTalk
from refloat.testing.fakes import FakeProcesses, fake_machine, process
from refloat.usecases.act import Refused, Wish, actor_of, look
from refloat.usecases.examine import examine
from refloat.usecases.find_sessions import Located, Scope, list_sessions, resolve
from refloat.usecases.keep_session import keep_session
from refloat.usecases.linked import read_attempts
from refloat.usecases.repair_session import draft_repair, install
from refloat.usecases.sessions import listed_title
from refloat.usecases.show_status import show_status
from refloat.usecases.workbench import Workbench
from refloat.usecases.write_brief import write_brief

THREAD = "01a07276-0000-7000-8000-000000000001"


class Stranded:
    """A home with one damaged session of Claude Code and one of Codex."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.work = directory / "work"
        self.work.mkdir()
        self.machine = fake_machine(directory)
        self.home = directory / "home"
        self.bench = Workbench(self.machine, [load("claude-code"), load("codex")])
        talk = ClaudeTalk(cwd=str(self.work))
        talk.prompt("Publish it")
        talk.ran("pytest -q", "3 passed")
        talk.call("Bash", "toolu_push", command="git push origin main")
        self.claude = talk.write(self.home / ".claude" / "projects" / "-work")
        self.claude.write_bytes(self.claude.read_bytes() + b'{"parentUuid":"torn')
        self.codex = self.home / f".codex/sessions/2026/09/05/rollout-2026-09-05T16-00-00-{THREAD}.jsonl"
        self.codex.parent.mkdir(parents=True)
        self.codex.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in self.rollout()))

    def rollout(self) -> list[dict[str, Any]]:
        meta = {"id": THREAD, "timestamp": "2026-09-05T16:00:00.000Z", "cwd": str(self.work), "cli_version": "0.144.0"}
        user = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Publish it"}]}
        event = {"type": "user_message", "message": "Publish it", "images": []}
        call = {"type": "function_call", "name": "exec_command", "call_id": "call_push"}
        pairs: list[tuple[str, dict[str, Any]]] = [
            ("session_meta", {**meta, "originator": "codex_exec", "source": "exec"}),
            ("event_msg", {"type": "task_started", "turn_id": "t1"}),
            ("turn_context", {"turn_id": "t1", "cwd": str(self.work), "model": "gpt-5.6"}),
            ("response_item", user),
            ("event_msg", event),
            ("response_item", {**call, "arguments": '{"cmd":"git push origin main"}'}),
        ]
        return [
            {"timestamp": f"2026-09-05T16:00:{at:02d}.000Z", "type": kind, "payload": payload}
            for at, (kind, payload) in enumerate(pairs)
        ]

    def located(self, ref: str) -> Located:
        return resolve(self.bench, ref, self.work)

    def install(self, ref: str) -> Repair:
        with draft_repair(self.bench, self.located(ref)) as draft:
            return draft.put_in_place()


@pytest.fixture
def stranded(tmp_path: Path) -> Stranded:
    return Stranded(tmp_path)


def test_an_installed_copy_of_claude_code_lies_beside_the_original(stranded: Stranded) -> None:
    done = stranded.install(SESSION)
    assert done.installed
    assert done.written is not None
    path = Path(done.written)
    assert path.parent == stranded.claude.parent
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert done.copy == f"claude-code:{path.stem}"
    assert path.stem[14] == "4"


def test_an_installed_copy_of_codex_has_the_name_of_a_rollout_of_today(stranded: Stranded) -> None:
    done = stranded.install(THREAD)
    assert done.written is not None
    path = Path(done.written)
    thread = str(done.copy).removeprefix("codex:")
    assert path == stranded.home / f".codex/sessions/2026/09/14/rollout-2026-09-14T12-00-00-{thread}.jsonl"
    assert thread[14] == "7"
    assert int(thread[:8] + thread[9:13], 16) == 1789387200000


@pytest.mark.parametrize("ref", [SESSION, THREAD])
def test_the_copy_says_what_is_open_and_whose_it_is(stranded: Stranded, ref: str) -> None:
    before = stranded.located(ref).session
    done = stranded.install(ref)
    listed = {session.name: session for session in list_sessions(stranded.bench, Scope(all_copies=True)).sessions}
    assert done.copy is not None
    copy = listed[done.copy]
    assert copy.parent == before.name
    assert (copy.prompts, copy.steps, copy.dangling) == (before.prompts, before.steps, 1)
    assert copy.state == before.state == "failed"
    assert copy.transcript.problems == ()

    seen = examine(stranded.bench, stranded.located(done.copy))
    push = list(seen.story.steps)[-1]
    assert push.outcome is Outcome.DANGLING
    assert is_made_output(push.output)
    status = show_status(seen.reader, seen.session, seen.story, seen.checkout)
    assert [step.id for step in status.open_steps] == [push.id]
    assert status.next.operation == "continue"
    assert status.next.why.endswith("the outcome of 1 call is unknown")
    assert [row.outcome for row in seen.triage.inspect] == ["unknown"]
    assert [(finding.kind, finding.verdict) for finding in seen.triage.gone] == [("external", "lost")]
    assert "closed by a repair" in seen.triage.gone[0].why
    assert not any(push.n in finding.steps for finding in seen.triage.saved)
    markdown = brief_of(stranded, done.copy)
    assert "Outcome unknown" in markdown
    assert "Do not repeat it before looking" in markdown


def brief_of(stranded: Stranded, ref: str) -> str:
    seen = examine(stranded.bench, stranded.located(ref))
    return write_brief(stranded.bench, seen.session, seen.story, seen.checkout, seen.triage).markdown


def test_a_repaired_check_is_no_result(stranded: Stranded, tmp_path: Path) -> None:
    talk = ClaudeTalk("5f0c1d2e-0000-4000-8000-000000000002", cwd=str(stranded.work))
    talk.prompt("Test it")
    talk.call("Bash", "toolu_t", command="pytest -q")
    talk.write(stranded.claude.parent)
    stranded.claude.unlink()
    done = stranded.install(talk.session)
    assert done.copy is not None
    markdown = brief_of(stranded, done.copy)
    assert "was interrupted and closed by a repair; its outcome is unknown" in markdown


def test_claude_codes_original_gives_way_to_the_copy_in_the_list(stranded: Stranded) -> None:
    done = stranded.install(SESSION)
    listed = {session.name: session for session in list_sessions(stranded.bench, Scope(agent="claude-code")).sessions}
    assert list(listed) == [done.copy]


@pytest.mark.parametrize("way", ["shorter", "last row left out"])
def test_it_does_so_also_where_the_copy_is(stranded: Stranded, way: str) -> None:
    talk = ClaudeTalk(cwd=str(stranded.work))
    talk.prompt("Publish it")
    talk.call("Bash", "toolu_push", command="git push origin main")
    if way == "shorter":
        talk.result("toolu_push", "done", {"stdout": "done", "stderr": ""})
    else:
        talk.result("toolu_push", "done", {"stdout": "done", "stderr": ""})
        talk.result("toolu_push", "The user doesn't want to proceed with", interruptedByShutdown=True)
    talk.write(stranded.claude.parent)
    with stranded.claude.open("ab") as file:
        file.write(b"\0" * 100_000)
    done = stranded.install(SESSION)
    found = list_sessions(stranded.bench, Scope(agent="claude-code", all_copies=True)).sessions
    listed = {session.name: session for session in found}
    assert done.copy is not None
    assert listed[done.copy].superseded_by is None
    assert listed[SessionName(f"claude-code:{SESSION}")].superseded_by == done.copy
    assert (listed[done.copy].steps, listed[done.copy].prompts) == (1, 1)


def test_a_sound_copy_is_not_repaired_again(stranded: Stranded, tmp_path: Path) -> None:
    done = stranded.install(SESSION)
    assert done.copy is not None
    with draft_repair(stranded.bench, stranded.located(done.copy)) as draft:
        assert draft.plan.is_sound
        assert draft.plan.issues == ()
        with pytest.raises(NotDone, match="sound"):
            draft.write(tmp_path / "again.jsonl")
    assert not (tmp_path / "again.jsonl").exists()


def _state(path: Path) -> tuple[str, os.stat_result]:
    return hashlib.sha256(path.read_bytes()).hexdigest(), path.stat()


@pytest.mark.parametrize("ref", [SESSION, THREAD])
def test_the_original_may_be_read_only_in_a_directory_that_is(stranded: Stranded, ref: str, tmp_path: Path) -> None:
    original = stranded.claude if ref == SESSION else stranded.codex
    original.chmod(0o444)
    original.parent.chmod(0o555)
    try:
        before = _state(original)
        with draft_repair(stranded.bench, stranded.located(ref)) as draft:
            done = draft.write(tmp_path)
        assert _state(original) == before
        assert [path.name for path in original.parent.iterdir()] == [original.name]
    finally:
        original.parent.chmod(0o755)
    assert done.written is not None
    assert not done.installed
    assert Path(done.written).parent == tmp_path
    assert Path(done.written).name.endswith(".jsonl")


def test_a_copy_goes_nowhere_among_an_agents_records_unless_installed(stranded: Stranded) -> None:
    with draft_repair(stranded.bench, stranded.located(SESSION)) as draft:
        with pytest.raises(UsageError, match="among the records"):
            draft.write(stranded.claude.parent / "x.jsonl")
        there = stranded.directory / "there.jsonl"
        there.write_text("kept")
        with pytest.raises(NotDone, match="is there already"):
            draft.write(there)
    assert there.read_text() == "kept"


def test_a_transcript_that_grew_is_not_installed(stranded: Stranded) -> None:
    with draft_repair(stranded.bench, stranded.located(SESSION)) as draft:
        with stranded.claude.open("ab") as file:
            file.write(b"\n")
        with pytest.raises(NotDone, match="changed while it was read"):
            draft.put_in_place()
    assert len(list(stranded.claude.parent.iterdir())) == 1


def test_a_transcript_from_elsewhere_can_be_written_and_not_installed(stranded: Stranded, tmp_path: Path) -> None:
    elsewhere = tmp_path / "from" / "a-colleague.jsonl"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(stranded.claude.read_bytes())
    with draft_repair(stranded.bench, stranded.located(str(elsewhere))) as draft:
        with pytest.raises(NotDone, match="outside the agent's directories"):
            draft.put_in_place()
        done = draft.write(tmp_path)
    assert done.written is not None
    assert Path(done.written).stem == str(done.copy).removeprefix("claude-code:")


def test_the_guard_refuses_while_the_owner_runs(stranded: Stranded) -> None:
    runner = Runner("testhost", 10, "a")
    owner = process(7, argv=["claude", "--resume", SESSION], cwd=str(stranded.work))
    stranded.machine = fake_machine(stranded.directory, processes=FakeProcesses([owner]))
    stranded.bench = Workbench(stranded.machine, stranded.bench.readers)
    actor = actor_of(stranded.machine, runner, lambda _: True)
    with draft_repair(stranded.bench, stranded.located(SESSION)) as draft:
        assert draft.may_be_running
        with pytest.raises(Refused, match="process 7 owns"):
            install(stranded.bench, actor, draft, stranded.work)
        assert len(list(stranded.claude.parent.iterdir())) == 1
        done = install(stranded.bench, actor, draft, stranded.work, force="it hangs")
    assert done.installed
    assert len(list(stranded.claude.parent.iterdir())) == 2
    (attempt,) = read_attempts(stranded.bench)
    assert (attempt.parent, attempt.child) == (done.plan.session, done.copy)
    assert (attempt.operation, attempt.forced) == ("install", "it hangs")
    assert attempt.ended is not None


def test_a_kept_copy_of_a_deleted_transcript_is_repaired_to_where_that_was(stranded: Stranded) -> None:
    keep_session(stranded.bench, stranded.located(SESSION))
    stranded.claude.unlink()
    done = stranded.install(SESSION)
    assert done.written is not None
    assert Path(done.written).parent == stranded.claude.parent
    assert stranded.located(str(done.copy)).session.dangling == 1


def test_the_copy_of_a_fork_of_codex_leaves_to_the_forks_parent_what_is_its(stranded: Stranded) -> None:
    fork = "01a0727f-0000-7000-8000-00000000000f"
    rows = stranded.rollout()
    own = {**rows[0]["payload"], "id": fork, "forked_from_id": THREAD}
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "And now?"}]}
    call = {
        "type": "function_call",
        "name": "exec_command",
        "call_id": "call_own",
        "arguments": '{"cmd":"npm publish"}',
    }
    later = [
        ("event_msg", {"type": "task_started", "turn_id": "t9"}),
        ("response_item", asked),
        ("event_msg", {"type": "user_message", "message": "And now?", "images": []}),
        ("response_item", call),
    ]
    head = {"timestamp": "2026-09-06T16:00:00.000Z", "type": "session_meta", "payload": own}
    copied = [{**row, "timestamp": "2026-09-06T16:00:00.100Z"} for row in rows]
    more = [
        {"timestamp": f"2026-09-06T16:05:0{at}.000Z", "type": kind, "payload": payload}
        for at, (kind, payload) in enumerate(later)
    ]
    path = stranded.codex.with_name(f"rollout-2026-09-06T16-00-00-{fork}.jsonl")
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in [head, *copied, *more]))
    before = stranded.located(fork).session
    assert (before.steps, before.dangling) == (1, 1)
    done = stranded.install(fork)
    copy = stranded.located(str(done.copy)).session
    assert copy.parent == f"codex:{fork}"
    assert (copy.steps, copy.dangling, copy.prompts) == (before.steps, before.dangling, before.prompts)


@pytest.mark.parametrize("ref", [SESSION, THREAD])
def test_an_installed_copy_is_what_its_agent_goes_on_with(stranded: Stranded, ref: str) -> None:
    actor = actor_of(stranded.machine, Runner("testhost", 10, "a"), lambda one: True)
    with draft_repair(stranded.bench, stranded.located(ref)) as draft:
        done = install(stranded.bench, actor, draft, stranded.work)
    assert done.copy is not None
    assert done.then == ("refloat", "continue", done.copy)
    ruling = look(stranded.bench, actor, Wish("continue", done.copy, stranded.work)).ruling
    assert (ruling.branch, ruling.allowed) == ("go_on_with_the_repaired_copy", True)
    assert f"`refloat triage {done.copy}`" in ruling.warnings[0]


def test_a_copy_that_crashed_again_is_a_session_like_any_other(stranded: Stranded) -> None:
    done = stranded.install(SESSION)
    assert done.written is not None
    copy = Path(done.written)
    last = orjson.loads(copy.read_bytes().splitlines()[-1])
    at = later(stranded.machine.clock.now(), 60)
    asked = {"type": "user", "uuid": "more", "parentUuid": last["uuid"], "timestamp": at, "sessionId": copy.stem}
    row = {**asked, "cwd": str(stranded.work), "version": "2.1.270", "message": {"role": "user", "content": "go on"}}
    copy.write_bytes(copy.read_bytes() + orjson.dumps(row) + b"\n")
    session = stranded.located(copy.stem).session
    assert not session.repaired


@pytest.mark.parametrize("data", [b"", b"garbage\n", b"\0" * 40, b"\n\n", b"{}\n", b"[]", b'{"parentUuid":null,"typ'])
@pytest.mark.parametrize("ref", [SESSION, THREAD])
def test_of_what_holds_no_record_there_is_no_copy(stranded: Stranded, ref: str, data: bytes) -> None:
    path = stranded.claude if ref == SESSION else stranded.codex
    path.write_bytes(data)
    located = stranded.located(ref)
    with pytest.raises(Unreadable, match="nothing that a copy"), draft_repair(stranded.bench, located):
        raise AssertionError
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_of_a_transcript_with_titles_alone_nothing_is_wrong(stranded: Stranded) -> None:
    stranded.claude.write_bytes(b'{"type":"ai-title","aiTitle":"x","sessionId":"%s"}\n' % SESSION.encode())
    with draft_repair(stranded.bench, stranded.located(SESSION)) as draft:
        assert draft.plan.is_sound


@pytest.mark.parametrize("ref", [SESSION, THREAD])
def test_a_copy_is_listed_as_a_copy_and_as_an_attempt_once_somebody_went_on(stranded: Stranded, ref: str) -> None:
    actor = actor_of(stranded.machine, Runner("testhost", 10, "a"), lambda one: True)
    with draft_repair(stranded.bench, stranded.located(ref)) as draft:
        done = install(stranded.bench, actor, draft, stranded.work)
    listing = list_sessions(stranded.bench, Scope())
    (copy,) = [row for row in listing.sessions if row.name == done.copy]
    chain = listing.chains[copy.name]
    assert listed_title(copy.title, chain, repaired=copy.repaired) == "(repaired copy) Publish it"
    assert listed_title(copy.title, chain) == "(2/2) Publish it"


def test_the_brief_of_a_copy_rests_on_its_originals_process_and_names_what_is_left_out(stranded: Stranded) -> None:
    beside = stranded.claude.parent / SESSION / "subagents"
    beside.mkdir(parents=True)
    helper = ClaudeTalk(cwd=str(stranded.work))
    helper.prompt("Look around", isSidechain=True, agentId="a1")
    helper.write(beside, "agent-a1")
    done = stranded.install(SESSION)
    assert done.copy is not None
    told = brief_of(stranded, done.copy)
    assert f"a repaired copy of `claude-code:{SESSION}`" in told
    assert "1 sub-agent: a1" in told
    assert "Original process: verified stopped" in told
    owner = process(7, argv=["claude", "--resume", SESSION], cwd=str(stranded.work))
    processes = stranded.machine.processes
    assert isinstance(processes, FakeProcesses)
    processes.rows = [owner]
    assert stranded.located(done.copy).session.liveness.verdict == "gone"
    assert "Original process: still running" in brief_of(stranded, done.copy)
    processes.rows = []
    stranded.claude.unlink()
    assert "Original process: unresolved" in brief_of(stranded, done.copy)


def test_what_was_done_before_the_copy_is_owned_by_its_original(stranded: Stranded) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@x.invalid"]
        subprocess.run(["git", *who, *words], cwd=stranded.work, check=True, capture_output=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "start")
    stranded.bench = Workbench(
        replace(stranded.machine, git=HardenedGit(stranded.machine.places)), stranded.bench.readers
    )
    written = str(stranded.work / "made.py")
    talk = ClaudeTalk(cwd=str(stranded.work))
    talk.prompt("Publish it")
    talk.call("Write", "toolu_made", file_path=written, content="made = 1\n")
    told = {"type": "create", "filePath": written, "content": "made = 1\n", "structuredPatch": [], "originalFile": None}
    talk.result("toolu_made", "ok", told)
    talk.call("Bash", "toolu_push", command="git push origin main")
    talk.write(stranded.claude.parent)
    Path(written).write_text("made = 1\n")
    done = stranded.install(SESSION)
    other = "7f0c1111-0000-4000-8000-000000000007"
    later_one = ClaudeTalk(other, cwd=str(stranded.work))
    later_one.prompt("Look at it")
    later_one.write(stranded.claude.parent)
    assert done.copy is not None
    (change,) = examine(stranded.bench, stranded.located(other)).checkout.other_changes
    assert (change.path, change.owner, change.session) == ("made.py", "other_session", f"claude-code:{SESSION}")
    (file,) = examine(stranded.bench, stranded.located(done.copy)).checkout.files
    assert file.owner == "this_session"
