"""Where a session lives and how one gets there, on a machine that holds still."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from refloat.brief.masks import Masker
from refloat.errors import NotDone
from refloat.model.liveness import ProcessInfo
from refloat.model.saving import Runner
from refloat.model.stamp import Stamp
from refloat.model.terminals import Attachment, Login
from refloat.ports import GitAnswer, Machine
from refloat.readers.registry import load
from refloat.testing.fakes import FakeLauncher, FakeTerminals, fake_machine, process
from refloat.usecases.act import Actor, Wish, act, actor_of
from refloat.usecases.attach_session import go, mask_screen, plan_attach
from refloat.usecases.find_sessions import resolve
from refloat.usecases.start_agent import Order, plan_start
from refloat.usecases.tell_status import tell_status
from refloat.usecases.workbench import Workbench

ONE = "5f0c1d2e-0000-4000-8000-000000000001"
OWN, OTHER = Runner("testhost", 500, "a"), Runner("testhost", 600, "b")
SERVER = process(10, "tmux: server", ["tmux"], terminal=None)
SHELL = process(11, "bash", ppid=10, terminal="pts/3")
REFLOAT = process(500, "refloat", ppid=499, terminal="pts/50")


@dataclass(slots=True)
class Says(FakeLauncher):
    """Answers by a word of the question; what it does not know fails."""

    said: Mapping[str, GitAnswer] = field(default_factory=dict[str, GitAnswer])

    def run(self, argv: Sequence[str], cwd: Path, seconds: float) -> GitAnswer:
        del seconds
        self.started.append((tuple(argv), cwd))
        return next((answer for word, answer in self.said.items() if word in argv), GitAnswer(1, b"", "what?"))


class Scene:
    """A live session of a home, its process, and whatever else is told."""

    def __init__(self, home: Any) -> None:
        self.home = home
        home.write(ONE, *home.talk(ONE))
        self.terminals = FakeTerminals(users={1000: "ana", 1001: "bob"})
        self.launcher = Says({name: f"/usr/bin/{name}" for name in ("tmux", "screen", "zellij", "claude")})
        self.environment: dict[str, str] = {}
        self.agent()

    def agent(self, *more: ProcessInfo, **how: Any) -> None:
        """The owner, and other processes."""
        place: dict[str, Any] = {"cwd": str(self.home.work), "ppid": 11, "terminal": "pts/3"} | how
        owner = process(12, argv=["claude", "--resume", ONE], **place)
        self.home.processes.rows = [owner, SERVER, SHELL, REFLOAT, process(499, "bash", terminal="pts/50"), *more]

    def tmux(self, rows: str = "/dev/pts/3|$0|@0|%0|0|5|1|1|0|0|0|10|work", clients: str = "") -> None:
        """A tmux server answers."""
        self.terminals.listening = {10: ["/tmp/tmux-1000/default"]}
        self.launcher.said = {
            "list-panes": GitAnswer(0, rows.encode(), ""),
            "list-clients": GitAnswer(0, clients.encode(), ""),
            "capture-pane": GitAnswer(0, b"one  \n\x1b[31mtwo\n\n\n", ""),
        }

    @property
    def machine(self) -> Machine:
        home = self.home
        return fake_machine(
            home.directory, clock=home.clock, processes=home.processes, launcher=self.launcher,
            terminals=self.terminals, environment=self.environment,
        )  # fmt: skip

    @property
    def bench(self) -> Workbench:
        return Workbench(self.machine, [load("claude-code")])

    def actor(self, runner: Runner = OWN, name: str = "") -> Actor:
        actor = actor_of(self.machine, runner, lambda _: True)
        own = actor.own
        return Actor(type(own)(name or own.holder, own.producer, runner, own.is_running), actor.make, actor.peek, 1000)

    def plan(self, *, peek: bool = False) -> Attachment:
        return plan_attach(self.bench, self.actor(), ONE, self.home.work, peek=peek)

    def register(self, **fields: object) -> None:
        """What Claude Code itself wrote of the process."""
        path = self.home.directory / "home" / ".claude" / "sessions" / "12.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"pid": 12, "sessionId": ONE, "procStart": "100", "version": "2.1.270", **fields}))


@pytest.fixture
def scene(home: Any) -> Scene:
    return Scene(home)


def why(plan: Attachment) -> str:
    assert plan.refused is not None
    assert plan.command is None
    return plan.refused.why


def kind(plan: Attachment) -> str:
    assert plan.place is not None
    return plan.place.kind


def test_a_pane_of_tmux(scene: Scene) -> None:
    scene.tmux()
    plan = scene.plan()
    assert plan.refused is None
    assert plan.place is not None
    assert plan.place.words == "in tmux /tmp/tmux-1000/default, session work, window 0, pane 0"
    assert plan.command is not None
    assert plan.command[:3] == ("tmux", "-S", "/tmp/tmux-1000/default")


def test_somebody_elses_lease_forbids_going_and_not_looking(scene: Scene) -> None:
    scene.tmux()
    other = scene.actor(OTHER, "bob@testhost")
    with act(scene.bench, other, Wish("recover", ONE, scene.home.work)):
        plan = scene.plan()
        assert "bob@testhost" in why(plan)
        assert plan.refused is not None
        assert plan.refused.holder == "bob@testhost"
        with pytest.raises(NotDone, match="bob@testhost"):
            go(scene.machine, plan, stays=True)
        looked = scene.plan(peek=True)
        assert looked.screen == ("one", "\x1b[31mtwo")
        assert looked.command is None
        scene.agent(terminal=None)
        assert "without a terminal" in why(scene.plan(peek=True)), "no lease forbids a look"


@pytest.mark.parametrize(("more", "theirs"), [((), True), ((process(13, argv=["claude", "--resume", ONE]),), False)])
def test_status_sends_nobody_where_attach_does_not_lead(
    more: tuple[ProcessInfo, ...], theirs: bool, scene: Scene
) -> None:
    """The owner is another user's: both say so, in the same words. A second owner of one's own can be gone to."""
    own = tuple(replace(row, uid=os.getuid()) for row in more)
    scene.agent(*own, uid=os.getuid() + 1)
    scene.terminals.users = {os.getuid() + 1: "bob"}
    then = tell_status(scene.bench, resolve(scene.bench, ONE, scene.home.work)).next
    assert (then.command is None, "runs under another user, bob: only they can go to it" in then.why) == (
        theirs,
        theirs,
    )
    if theirs:
        assert "only they can go to it" in why(scene.plan())


def test_one_without_a_process_is_refused(scene: Scene) -> None:
    scene.home.processes.rows = []
    assert "no process runs" in why(scene.plan())


def test_a_candidate_is_not_gone_to(scene: Scene) -> None:
    scene.home.processes.rows = [process(12, cwd=str(scene.home.work))]
    assert "find out before attaching" in why(scene.plan())


def test_another_users_process_is_told(scene: Scene) -> None:
    scene.agent(uid=1001)
    plan = scene.plan()
    assert kind(plan) == "other_user"
    assert "under another user, bob" in why(plan)
    assert scene.launcher.started == []


def test_another_users_server_is_not_spoken_with(scene: Scene) -> None:
    scene.tmux()
    scene.agent()
    theirs = process(10, "tmux: server", ["tmux"], terminal=None, uid=1001)
    scene.home.processes.rows = [theirs if row.pid == 10 else row for row in scene.home.processes.rows]
    assert "the tmux that shows it belongs to bob" in why(scene.plan())
    assert scene.launcher.started == []


def test_a_socket_of_somebody_else_is_not_opened(scene: Scene) -> None:
    scene.tmux()
    scene.terminals.listening = {}
    scene.environment = {"TMUX": "/home/bob/socket,10,0"}
    assert "its socket is gone" in why(scene.plan())
    assert scene.launcher.started == []


def test_a_server_of_another_version_is_asked_with_its_own_program(scene: Scene) -> None:
    scene.tmux()
    answers = scene.launcher.said
    old = GitAnswer(1, b"", "protocol version mismatch (client 8, server 7)")
    scene.launcher.said = {
        "/proc/10/exe": answers["list-panes"],
        "list-panes": old,
        "list-clients": answers["list-clients"],
    }
    plan = scene.plan()
    assert plan.command is not None
    assert plan.command[0] == "/proc/10/exe"


def test_without_the_program_it_is_said(scene: Scene) -> None:
    scene.tmux()
    scene.launcher.programs = {}
    assert "tmux is not on the path" in why(scene.plan())


def test_where_no_process_tells_the_server_all_of_this_users_are_asked(scene: Scene) -> None:
    scene.tmux()
    scene.terminals.listening = {}
    scene.terminals.directories = {"/tmp/tmux-1000": ["/tmp/tmux-1000/default"]}
    scene.home.processes.rows = [row for row in scene.home.processes.rows if row.pid not in {10, 11}]
    scene.home.processes.rows = [
        process(12, argv=["claude", "--resume", ONE], cwd=str(scene.home.work), terminal="pts/3")
    ]
    assert kind(scene.plan()) == "tmux"


def test_streams_stand_for_a_terminal_that_it_left(scene: Scene) -> None:
    scene.tmux()
    scene.agent(terminal=None)
    scene.terminals.leads = {12: ["/dev/null", "/dev/pts/3"]}
    assert kind(scene.plan()) == "tmux"


def test_a_popup_is_told(scene: Scene) -> None:
    scene.tmux("/dev/pts/4|$0|@0|%0|0|5|1|1|0|0|0|10|work")
    assert "in a popup of tmux" in why(scene.plan())


def test_a_session_in_the_background_has_a_door_of_its_own(scene: Scene) -> None:
    scene.register(kind="bg", jobId="ab12")
    scene.agent(terminal=None)
    plan = scene.plan()
    assert kind(plan) == "agent"
    assert plan.command == ("claude", "attach", "ab12")
    assert go(scene.machine, plan, stays=True) == 0
    assert scene.terminals.taken == [("claude", "attach", "ab12")]


def test_a_register_that_names_another_pane_is_told_and_not_believed(scene: Scene) -> None:
    scene.tmux()
    scene.register(kind="interactive", tmux="work:@0.%7")
    plan = scene.plan()
    assert plan.place is not None
    assert plan.place.pane == "%0"
    assert "its register names the tmux pane work:@0.%7, and its terminal is not that one" in plan.place.notes
    scene.register(kind="interactive", tmux="work:@0.%0")
    plan = scene.plan()
    assert plan.place is not None
    assert plan.place.notes == ()


def test_a_suspended_job_of_this_terminal(scene: Scene) -> None:
    scene.agent(terminal="pts/50", ppid=499, stopped=True)
    plan = scene.plan()
    assert kind(plan) == "here"
    assert "in this very terminal: it is suspended: `fg` brings it back" in why(plan)


def test_a_command_that_the_agent_itself_started(scene: Scene) -> None:
    scene.agent(process(500, "refloat", ppid=12, terminal=None))
    scene.home.processes.rows = [row for row in scene.home.processes.rows if row is not REFLOAT]
    assert "around this command, which it started itself" in why(scene.plan())


def test_a_login_is_told_with_its_user_its_host_and_its_time(scene: Scene) -> None:
    since = Stamp("2026-09-14T08:00:00.000Z")
    scene.terminals.logged_in = [Login("pts/7", "ana", "laptop.example", since)]
    scene.agent(process(20, "sshd", ["sshd: ana@pts/7"], terminal=None), terminal="pts/7", ppid=20)
    plan = scene.plan()
    assert plan.place is not None
    assert (plan.place.user, plan.place.host, plan.place.since) == ("ana", "laptop.example", since)
    assert "on pts/7, an SSH login (process 20), user ana, from laptop.example, since 2026-09-14T08:00:00" in why(plan)


def test_a_window_of_an_emulator_names_it_and_not_the_login_that_its_shell_remembers(scene: Scene) -> None:
    scene.home.processes.environments = {12: {"SSH_CONNECTION": "203.0.113.7 1 10.0.0.2 22"}}
    scene.agent(process(20, "kitty", terminal=None), terminal="pts/7", ppid=20)
    plan = scene.plan()
    assert plan.place is not None
    assert (plan.place.program, plan.place.host) == ("kitty (process 20)", None)


def test_where_no_program_is_known_the_environment_is_asked(scene: Scene) -> None:
    scene.home.processes.environments = {12: {"TERM_PROGRAM": "NewTerm\x1b[2J"}}
    scene.agent(terminal="pts/7", ppid=1)
    assert "its environment names NewTerm\\x1b[2J" in why(scene.plan())


@pytest.mark.parametrize(("ppid", "words"), [(1, "taken over by process 1"), (499, "a child of process 499 (bash)")])
def test_a_terminal_that_is_gone(scene: Scene, ppid: int, words: str) -> None:
    scene.agent(terminal=None, ppid=ppid)
    scene.terminals.leads = {12: ["/dev/pts/9 (deleted)"]}
    plan = scene.plan()
    assert kind(plan) == "hung_up"
    assert (
        f"its terminal pts/9 is gone (a dropped connection or a closed window), and process 12 lives on, {words}"
        in why(plan)
    )
    assert f"`refloat stop claude-code:{ONE}` ends it" in why(plan)


def test_no_terminal_at_all(scene: Scene) -> None:
    scene.agent(terminal=None, ppid=1)
    assert kind(scene.plan()) == "no_terminal"
    then = tell_status(scene.bench, resolve(scene.bench, ONE, scene.home.work), scene.actor()).next
    assert (then.operation, then.command) == ("attach", None), "nobody is sent where `attach` refuses"
    assert then.why.startswith("it runs, and nothing leads there from here: process 12 lives without a terminal")


def test_status_sends_one_where_attach_leads(scene: Scene) -> None:
    scene.tmux()
    then = tell_status(scene.bench, resolve(scene.bench, ONE, scene.home.work), scene.actor()).next
    assert then.command == ("refloat", "attach", f"claude-code:{ONE}")


@pytest.mark.parametrize("operation", ["continue", "new"])
def test_nobody_is_sent_to_a_terminal_that_nothing_leads_to(scene: Scene, operation: Any) -> None:
    order = Order(Wish(operation, ONE, scene.home.work))
    scene.tmux()
    shown = plan_start(scene.bench, scene.actor(), order).ruling
    assert (shown.instead, "`refloat attach " in shown.why) == ("attach", True)
    scene.agent(terminal=None, ppid=1)
    ruling = plan_start(scene.bench, scene.actor(), order).ruling
    assert not ruling.allowed
    assert ruling.instead == "stop"
    assert "`refloat attach " not in ruling.why
    assert f"`refloat stop claude-code:{ONE}` ends it" in ruling.why
    scene.agent(terminal=None, ppid=1, uid=1001)
    assert plan_start(scene.bench, scene.actor(), order).ruling.instead is None, "another user's process"


def test_out_of_a_tmux_that_nobody_looks_at_nothing_is_switched(scene: Scene) -> None:
    scene.tmux("/dev/pts/3|$0|@0|%0|0|5|1|1|0|0|0|10|work\n/dev/pts/50|$0|@1|%1|0|5|0|1|0|1|0|10|work")
    scene.agent(process(510, "bash", ppid=10, terminal="pts/50"))
    assert "nobody looks at the tmux that this command runs in" in why(scene.plan())


def test_a_secret_that_a_program_wrapped_in_a_box_is_masked(scene: Scene) -> None:
    token = "gh" + "p_" + "a1B2c3D4e5" * 4
    box = [
        f"│ {part} │" for part in ("The token is", token[:20], token[20:40], token[40:].ljust(20), "and that is all.")
    ]
    scene.tmux()
    scene.launcher.said = {**scene.launcher.said, "capture-pane": GitAnswer(0, "\n".join(box).encode(), "")}
    shown = mask_screen(scene.plan(peek=True), Masker()).screen
    assert shown is not None
    assert len(shown) == 5
    assert (shown[0], shown[4]) == (box[0], box[4])
    assert not any(token[at : at + 12] in line for line in shown for at in range(len(token) - 12))
    assert mask_screen(scene.plan(), Masker()).screen is None


# ── zellij ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def in_zellij(scene: Scene) -> Scene:
    server = process(10, "zellij", ["zellij", "--server", "/run/user/1000/zellij/0.44.3/shy-lion"], terminal=None)
    scene.home.processes.environments = {11: {"ZELLIJ_PANE_ID": "4"}}
    scene.home.processes.rows = [server if row.pid == 10 else row for row in scene.home.processes.rows]
    scene.launcher.said = {"focus-pane-id": GitAnswer(0, b"", ""), "dump-screen": GitAnswer(0, b"all\n", "")}
    return scene


def test_a_pane_of_zellij_is_focused_and_entered(in_zellij: Scene) -> None:
    plan = in_zellij.plan(peek=True)
    assert plan.way is not None
    assert plan.way.commands == (
        ("zellij", "--session", "shy-lion", "action", "focus-pane-id", "terminal_4"),
        ("zellij", "attach", "--", "shy-lion"),
    )
    assert plan.screen == ("all",)
    assert go(in_zellij.machine, plan, stays=True) == 0
    assert in_zellij.terminals.taken == [("zellij", "attach", "--", "shy-lion")]


def test_an_old_zellij_that_knows_no_panes_is_entered_all_the_same(in_zellij: Scene) -> None:
    in_zellij.launcher.said = {}
    plan = in_zellij.plan()
    assert go(in_zellij.machine, plan, stays=True) == 0
    assert in_zellij.plan(peek=True).screen is None


# ── going ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_without_a_terminal_nothing_is_run_and_the_command_is_told(scene: Scene) -> None:
    scene.tmux()
    plan = scene.plan()
    scene.terminals.here = False
    with pytest.raises(NotDone, match="there is no terminal here to show it in; in one: tmux -S"):
        go(scene.machine, plan, stays=True)
    assert scene.terminals.taken == []


def test_a_switch_that_fails_is_told_with_what_tmux_said(scene: Scene) -> None:
    scene.tmux(
        "/dev/pts/3|$0|@0|%0|1|5|1|1|0|0|0|10|work\n/dev/pts/50|$0|@1|%1|1|5|0|1|0|1|0|10|work", "/dev/pts/1|$0|5"
    )
    scene.agent(process(510, "bash", ppid=10, terminal="pts/50"))
    plan = scene.plan()
    assert plan.way is not None
    assert not plan.way.takes_terminal
    assert plan.command is not None
    assert plan.command[3:] == ("select-window", "-t", "$0:@0", ";", "select-pane", "-t", "%0")
    with pytest.raises(NotDone, match=r"failed: what\?"):
        go(scene.machine, plan, stays=True)


def test_a_program_that_cannot_be_become_is_told(scene: Scene) -> None:
    scene.tmux()
    with pytest.raises(NotDone, match="cannot be started: a fake machine becomes nothing"):
        go(scene.machine, scene.plan(), stays=False)
