"""Every line of the design's table on liveness, on a machine that holds still."""
# ruff: noqa: S106 - a start token is a start time, no password

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from refloat.liveness.evidence import Facts, Look, Subject, is_foreign_domain, is_foreign_path, look
from refloat.liveness.verdict import judge_liveness, judge_many
from refloat.model.liveness import Holder, Liveness, ProcessInfo, Verdict
from refloat.model.problem import Problem
from refloat.model.session import RecordGone
from refloat.model.stamp import Stamp, later, seconds_of
from refloat.ports import Machine
from refloat.readers.contract import Found, FoundSubagent, Identity, Parser, SourceFile, Walk
from refloat.testing.fakes import DOMAIN, NOW, FakeProcesses, fake_machine, process

LAST = Stamp("2026-09-14T09:00:00.000Z")
WORK = "/src/ledgerly"
FILE = "/h/.agent/one.jsonl"


@dataclass
class StubReader:
    """An agent whose processes are called `claude`, and that says what a test has it say."""

    agent: str = "claude-code"
    title: str = "Claude Code"
    torn_heads: tuple[bytes, ...] = ()
    chooses_id: bool = False
    holders: Sequence[Holder | Problem] = ()
    complete: bool = False
    ledgers: Sequence[Walk] = ()
    program: str = "claude"

    def walks(self, home: Path, environment: Mapping[str, str]) -> Sequence[Walk]:
        return self.ledgers

    def find_holders(self, home: Path, environment: Mapping[str, str]) -> Sequence[Holder | Problem]:
        return self.holders

    def is_agent(self, process: ProcessInfo) -> bool:
        return process.name == self.program

    def session_on_command_line(self, process: ProcessInfo) -> str | None:
        words = process.argv
        return words[words.index("--resume") + 1] if "--resume" in words else None

    def takes_id(self, session_id: str) -> bool:
        return bool(session_id)

    def child_variables(self) -> Sequence[str]:
        return ("AGENT_SESSION",)

    def marks_children(self, version: str) -> bool:
        del version
        return True

    def explains_silence(self, version: str, entrypoint: str) -> bool:
        return self.complete and version >= "2" and entrypoint == "cli"

    def identify(self, file: SourceFile) -> Identity:
        raise AssertionError

    def recognise(self, path: Path) -> Sequence[SourceFile] | None:
        raise AssertionError

    def group(self, files: Sequence[tuple[SourceFile, Identity]], side: Sequence[SourceFile] = ()) -> Sequence[Found]:
        raise AssertionError

    def parser(
        self,
        found: Found,
        subagent: FoundSubagent | None = None,
        frozen: Mapping[str, object] | None = None,
        *,
        skim: bool = False,
    ) -> Parser:
        raise AssertionError

    def find_gone(
        self, home: Path, environment: Mapping[str, str], known: Collection[str]
    ) -> Sequence[RecordGone | Problem]:
        raise AssertionError

    def continue_command(self, session_id: str, prompt: str | None) -> Sequence[str]:
        raise AssertionError

    def new_command(self, brief: str, prompt: str | None = None, session_id: str | None = None) -> Sequence[str]:
        raise AssertionError


SUBJECT = Subject(
    agent="claude-code",
    session_id="one",
    directories=(WORK,),
    paths=(FILE,),
    last_activity=LAST,
    version="2",
    entrypoint="cli",
)


@dataclass
class Scene:
    """A machine with one agent; `judge()` looks once and judges the session `one`."""

    directory: Path
    processes: FakeProcesses = field(default_factory=FakeProcesses)
    reader: StubReader = field(default_factory=StubReader)
    subject: Subject = SUBJECT

    @property
    def machine(self) -> Machine:
        return fake_machine(self.directory, processes=self.processes)

    def look(self) -> Look:
        return look(self.machine, [self.reader])

    def facts(self) -> Facts:
        return self.look().facts_for(self.subject)

    def judge(self) -> Liveness:
        return judge_liveness(self.facts())


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def register(pid: int | None = 7, session_id: str = "one", **more: object) -> Holder:
    base = Holder("claude-code", session_id, "register", f"/h/.agent/sessions/{pid}.json", pid, start_token="100")
    return replace(base, **more)  # pyright: ignore[reportArgumentType] - a test's keywords


def lock(session_id: str = "one") -> Holder:
    return Holder("claude-code", session_id, "lock", f"/h/.agent/locks/{session_id}.lock")


def kinds(liveness: Liveness) -> list[str]:
    return [evidence.kind for evidence in liveness.evidence]


def text(liveness: Liveness) -> str:
    return "\n".join(evidence.detail for evidence in liveness.evidence)


# ── running ──


def test_a_register_whose_process_started_when_it_says(scene: Scene) -> None:
    scene.processes.rows = [process(7, cwd="/elsewhere")]
    scene.reader.holders = [register(status="busy")]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.RUNNING
    assert kinds(liveness) == ["register"]
    assert liveness.evidence[0].pid == 7
    assert liveness.evidence[0].at == NOW
    assert "/h/.agent/sessions/7.json" in text(liveness)


def test_an_owner_without_a_terminal_is_remarked_once(scene: Scene) -> None:
    scene.processes.rows = [process(7, terminal=None, argv=["claude", "--resume", "one"])]
    scene.reader.holders = [register()]
    said = text(scene.judge())
    assert (
        said.count("runs without a terminal (its parent is process 1); do not start a second one on this session") == 1
    )


def test_what_an_earlier_process_left_is_a_hint_beside_an_owner(scene: Scene) -> None:
    scene.processes.rows = [process(8, "sleep"), process(7)]
    scene.processes.environments = {8: {"AGENT_SESSION": "one"}}
    scene.reader.holders = [register(5), register()]
    liveness = scene.judge()
    assert kinds(liveness) == ["register", "hint", "child"]
    assert liveness.owners == (7,)
    scene.processes.rows = []
    assert scene.judge().owners == ()


def test_a_suspended_owner_still_owns(scene: Scene) -> None:
    scene.processes.rows = [process(7, stopped=True)]
    scene.reader.holders = [register()]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.RUNNING
    assert "suspended" in text(liveness)


def test_the_transcript_held_open_by_the_agent(scene: Scene) -> None:
    scene.processes.rows = [process(7, cwd="/elsewhere")]
    scene.processes.files = {7: frozenset({FILE})}
    assert scene.judge().verdict is Verdict.RUNNING
    assert kinds(scene.judge()) == ["open_file"]


def test_the_transcript_held_open_by_an_editor_is_nothing(scene: Scene) -> None:
    scene.processes.rows = [process(7, "vim", cwd=WORK)]
    scene.processes.files = {7: frozenset({FILE})}
    assert scene.judge().verdict is Verdict.GONE


def test_the_id_on_the_command_line(scene: Scene) -> None:
    scene.processes.rows = [process(7, argv=["claude", "--resume", "one"], cwd=None)]
    assert scene.judge().verdict is Verdict.RUNNING
    assert kinds(scene.judge()) == ["command_line"]


def test_the_register_beats_an_old_command_line(scene: Scene) -> None:
    """A process that was started on one session and has moved on to another owns the other."""
    scene.processes.rows = [process(7, argv=["claude", "--resume", "one"], cwd=WORK)]
    scene.reader.holders = [register(session_id="two")]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.GONE
    assert "process 7 owns two" in text(liveness)


def test_a_lock_that_the_lock_table_has(scene: Scene) -> None:
    scene.processes.rows = [process(7, "renamed", cwd="/")]
    scene.reader.holders = [lock()]
    scene.processes.locks = {lock().path: frozenset({7})}
    liveness = scene.judge()
    assert liveness.verdict is Verdict.RUNNING
    assert kinds(liveness) == ["lock"]


def test_an_old_register_with_a_start_that_fits(scene: Scene) -> None:
    scene.processes.rows = [process(7, started=1000.0)]
    scene.reader.holders = [register(start_token=None, started_ms=1_003_000)]
    assert scene.judge().verdict is Verdict.RUNNING


# ── gone ──


def test_no_process_of_the_agent(scene: Scene) -> None:
    scene.processes.rows = [process(7, "bash", cwd=WORK)]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.GONE
    assert kinds(liveness) == ["no_process"]


def test_a_register_left_by_a_dead_process(scene: Scene) -> None:
    scene.reader.holders = [register()]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.GONE
    assert kinds(liveness) == ["register", "no_process"]
    assert "left behind" in text(liveness)


def test_a_register_whose_number_was_reused(scene: Scene) -> None:
    scene.processes.rows = [process(1, "init", start_token="3")]
    scene.reader.holders = [register(1)]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.GONE
    assert kinds(liveness) == ["register", "no_process"]
    assert "in use by another program" in text(liveness)


def test_a_zombie_is_not_live(scene: Scene) -> None:
    scene.processes.rows = [process(7, zombie=True, cwd=None)]
    scene.reader.holders = [register()]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.GONE
    assert kinds(liveness) == ["zombie", "no_process"]


def test_a_lock_left_behind(scene: Scene) -> None:
    scene.reader.holders = [lock()]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.GONE
    assert kinds(liveness) == ["lock", "no_process"]


def test_no_lock_where_locks_are_kept(scene: Scene, tmp_path: Path) -> None:
    scene.reader.ledgers = [Walk(str(tmp_path), (".lock",), 0, "locks")]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.GONE
    assert kinds(liveness) == ["hint", "no_process"]
    assert "closed cleanly" in text(liveness)


def test_locks_that_cannot_be_read_are_not_absent(scene: Scene, tmp_path: Path) -> None:
    scene.reader.ledgers = [Walk(str(tmp_path), (".lock",), 0, "locks")]
    scene.reader.holders = [Problem(str(tmp_path), None, None, "may not be read")]
    assert "closed cleanly" not in text(scene.judge())


def test_a_process_that_works_elsewhere(scene: Scene) -> None:
    scene.processes.rows = [process(7, cwd="/src/ledgerly-two"), process(8, cwd="/src")]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.GONE
    assert "process 7 works in /src/ledgerly-two" in text(liveness)


def test_a_process_that_owns_another_session(scene: Scene) -> None:
    scene.processes.rows = [process(7, cwd=WORK)]
    scene.reader.holders = [register(session_id="two")]
    assert scene.judge().verdict is Verdict.GONE


def test_a_complete_register_explains_its_silence(scene: Scene) -> None:
    scene.processes.rows = [process(7, cwd=WORK), process(8, cwd=None, inspectable=False)]
    scene.reader.complete = True
    liveness = scene.judge()
    assert liveness.verdict is Verdict.GONE
    assert "would be named by this session's register or lock" in text(liveness)


def test_a_boot_after_the_last_record(scene: Scene) -> None:
    scene.processes.boot = later(LAST, 60)
    scene.processes.rows = [process(7, cwd=None, inspectable=False, uid=5)]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.GONE
    assert kinds(liveness) == ["boot", "not_inspectable"]


def test_a_missing_workspace_proves_nothing(scene: Scene) -> None:
    scene.subject = replace(scene.subject, directories=("/never/was",))
    scene.processes.rows = [process(7, argv=["claude", "--resume", "one"], cwd="/x")]
    assert scene.judge().verdict is Verdict.RUNNING
    scene.processes.rows = []
    assert scene.judge().verdict is Verdict.GONE


# ── candidate ──


@pytest.mark.parametrize("cwd", [WORK, WORK + "/deep/inside"])
def test_a_process_in_the_workspace(scene: Scene, cwd: str) -> None:
    scene.processes.rows = [process(7, cwd=cwd)]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.CANDIDATE
    assert kinds(liveness) == ["cwd"]


def test_a_process_in_the_worktree_that_it_entered(scene: Scene) -> None:
    scene.subject = replace(scene.subject, directories=(WORK, "/trees/fix"))
    scene.processes.rows = [process(7, cwd="/trees/fix")]
    assert scene.judge().verdict is Verdict.CANDIDATE


def test_a_workspace_behind_a_link(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    scene.subject = replace(scene.subject, directories=(str(tmp_path / "link"),))
    scene.processes.rows = [process(7, cwd=str(tmp_path / "real"))]
    assert scene.judge().verdict is Verdict.CANDIDATE


def test_one_that_started_after_the_last_record_outweighs_a_boot(scene: Scene) -> None:
    scene.processes.boot = later(LAST, 60)
    scene.processes.rows = [process(7, cwd=WORK, started=seconds_of(LAST) + 90)]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.CANDIDATE
    assert "started after the last record" in text(liveness)


def test_a_session_of_unknown_workspace(scene: Scene) -> None:
    scene.subject = replace(scene.subject, directories=())
    scene.processes.rows = [process(7, cwd="/x")]
    assert scene.judge().verdict is Verdict.CANDIDATE


@pytest.mark.parametrize("why", ["old version", "other entrypoint", "unread register", "no register directory"])
def test_silence_that_nothing_explains(scene: Scene, why: str) -> None:
    scene.processes.rows = [process(7, cwd=WORK)]
    scene.reader.complete = True
    match why:
        case "old version":
            scene.subject = replace(scene.subject, version="1")
        case "other entrypoint":
            scene.subject = replace(scene.subject, entrypoint="sdk-cli")
        case "unread register":
            scene.reader.holders = [Problem("/h/.agent/sessions", None, None, "may not be read")]
        case _:
            scene.reader.ledgers = [Walk("/never/was", (".json",), 0, "registers")]
    assert scene.judge().verdict is Verdict.CANDIDATE


def test_an_old_register_that_proves_nothing(scene: Scene) -> None:
    scene.processes.rows = [process(7, cwd="/x", started=5000.0)]
    scene.reader.holders = [register(start_token=None, started_ms=1_000_000)]
    assert scene.judge().verdict is Verdict.CANDIDATE
    scene.reader.holders = [register(start_token=None)]
    assert scene.judge().verdict is Verdict.CANDIDATE
    scene.processes.rows = [process(7, "sshd")]
    assert scene.judge().verdict is Verdict.GONE


def test_a_daemon_may_resume_it(scene: Scene) -> None:
    scene.reader.holders = [register(background=True, daemon_pid=5)]
    liveness = scene.judge()
    assert liveness.verdict is Verdict.CANDIDATE
    assert liveness.evidence[0].pid == 5


@pytest.mark.parametrize(
    ("age", "verdict"),
    [
        (0, Verdict.CANDIDATE),
        (29, Verdict.CANDIDATE),
        (30, Verdict.GONE),
        (-25, Verdict.CANDIDATE),
        (-7200, Verdict.GONE),
    ],
)
def test_a_record_of_just_now(scene: Scene, age: int, verdict: Verdict) -> None:
    scene.subject = replace(scene.subject, last_activity=later(NOW, -age))
    assert scene.judge().verdict is verdict


def test_a_transcript_that_grows(scene: Scene) -> None:
    scene.subject = replace(scene.subject, grew=True)
    assert scene.judge().verdict is Verdict.CANDIDATE
    assert kinds(scene.judge()) == ["growing"]


def test_growth_counts_for_nothing_after_a_verified_end(scene: Scene) -> None:
    scene.subject = replace(scene.subject, grew=True, last_activity=later(NOW, -1), end_verified=True)
    assert scene.judge().verdict is Verdict.GONE


# ── unknowable ──


def test_children_are_work_and_no_owners(scene: Scene) -> None:
    scene.processes.rows = [process(9, "sleep", cwd=WORK), process(10, "claude", cwd="/x")]
    scene.processes.environments = {9: {"AGENT_SESSION": "one"}, 10: {"AGENT_SESSION": "one"}}
    liveness = scene.judge()
    assert liveness.verdict is Verdict.GONE
    assert [(e.kind, e.pid) for e in liveness.evidence if e.kind == "child"] == [("child", 9)]


def test_refloat_itself_is_nobodys_child(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getpid", lambda: 30)
    scene.processes.rows = [process(20, "bash", ppid=1), process(30, "python", ppid=20), process(31, "sleep", ppid=20)]
    scene.processes.environments = {pid: {"AGENT_SESSION": "one"} for pid in (20, 30, 31)}
    assert [e.pid for e in scene.judge().evidence if e.kind == "child"] == [31]


def test_of_several_sessions_the_newest_is_the_likely_one(scene: Scene) -> None:
    scene.processes.rows = [process(7, cwd=WORK)]
    seen = scene.look()
    older = replace(scene.subject, session_id="zero", last_activity=later(LAST, -60))
    old, new = judge_many([seen.facts_for(older), seen.facts_for(scene.subject)])
    assert old.verdict is new.verdict is Verdict.CANDIDATE
    assert "claude-code:one is newer and more likely" in text(old)
    assert "the likely one" in text(new)
    (alone,) = judge_many([seen.facts_for(scene.subject)])
    assert "likely" not in text(alone)


def test_the_table_is_read_once_for_many_sessions(scene: Scene) -> None:
    seen = scene.look()
    for n in range(50):
        seen.facts_for(replace(scene.subject, session_id=str(n)))
    assert scene.processes.looks == 1


def test_the_register_says_what_it_waits_for(scene: Scene) -> None:
    scene.processes.rows = [process(7)]
    scene.reader.holders = [register(status="waiting", waiting_for="permission prompt")]
    assert scene.facts().status == ("waiting", "permission prompt")
    scene.processes.rows = []
    assert scene.facts().status == ("", "")


@pytest.mark.parametrize(
    ("there", "here", "foreign"),
    [
        ("", DOMAIN, False),
        ("linux::pid:[4026531836]", DOMAIN, False),
        ("darwin:abc", DOMAIN, True),
        ("linux:a:pid:[1]", "darwin:host", True),
        ("darwin:x", "darwin:y", False),
    ],
)
def test_domains(there: str, here: str, foreign: bool) -> None:
    assert is_foreign_domain(there, here) is foreign


@pytest.mark.parametrize(
    ("path", "foreign"),
    [("/src", False), ("C:\\src", True), ("c:/src", True), ("\\\\host\\share\\x", True), ("src", False)],
)
def test_foreign_paths(path: str, foreign: bool) -> None:
    assert is_foreign_path(path) is foreign
