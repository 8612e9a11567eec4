"""Operations over a real workbench: what is offered, what is masked, what is run."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from refloat.demo.transcripts import ClaudeTranscript
from refloat.errors import NotDone
from refloat.model.liveness import ProcessInfo
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp, later
from refloat.testing.fakes import NOW, FakeLauncher, FakeProcesses, FakeTerminals, fake_machine, process
from refloat.usecases.open_bench import open_bench
from refloat_tui.bench_operations import DEMO, BenchOperations
from refloat_tui.operations import Asked, Offer

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Bench:
    """One session in a home, and an app's operations over it."""

    def __init__(self, place: Path, processes: Sequence[ProcessInfo] = (), *, starts: bool = True, **more: str) -> None:
        self.workspace = place / "ws"
        self.workspace.mkdir(parents=True)
        self.terminals = FakeTerminals()
        self.launcher = FakeLauncher()
        machine = fake_machine(
            place,
            processes=FakeProcesses(tuple(processes)),
            terminals=self.terminals,
            launcher=self.launcher,
            environment=more,
        )
        self.talk = ClaudeTranscript(place / "home", "one", self.workspace, Stamp(later(NOW, -36_000)))
        self.talk.prompt("Make the importer retry")
        self.name = SessionName(f"claude-code:{self.talk.session_id}")
        self.operations = BenchOperations(open_bench(machine), self.workspace, ("/opt/refloat",), starts=starts)

    def ended(self) -> "Bench":
        self.talk.reply("Done.")
        self.talk.write()
        return self

    def offer(self, operation: str, **more: object) -> Offer:
        return self.operations.plan(Asked(operation, self.name, **more)).offer  # pyright: ignore[reportArgumentType] - by name, for tests


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def which(launcher: FakeLauncher, name: str) -> str:
        del launcher
        return f"/usr/bin/{name}"

    monkeypatch.setattr(FakeLauncher, "which", which)


@pytest.mark.usefixtures("installed")
def test_continue_shows_the_agents_own_command_and_runs_refloats(tmp_path: Path) -> None:
    bench = Bench(tmp_path).ended()
    planned = bench.operations.plan(Asked("continue", bench.name, prompt="Go on"))
    offer = planned.offer
    assert offer.commands == (f"claude --resume {bench.talk.session_id} 'Go on'",)
    assert not offer.refused
    assert offer.guard == "its process is gone and its last turn ended"
    assert offer.workspace == str(bench.workspace)
    assert bench.terminals.taken == []
    assert planned.in_terminal() == 0
    assert bench.terminals.taken == [("/opt/refloat", "continue", "--hold", bench.name, "--", "Go on")]


@pytest.mark.usefixtures("installed")
def test_two_looks_at_the_same_are_the_same_yes_although_ids_are_made_anew(tmp_path: Path) -> None:
    bench = Bench(tmp_path).ended()
    one, two = bench.offer("new"), bench.offer("new")
    assert one.commands != two.commands
    assert one.rests_on == two.rests_on
    assert one.agents[:2] == ("claude-code", "codex")


@pytest.mark.usefixtures("installed")
def test_a_secret_in_a_prompt_is_masked_to_the_eye_and_handed_on_whole(tmp_path: Path) -> None:
    bench = Bench(tmp_path).ended()
    planned = bench.operations.plan(Asked("continue", bench.name, prompt=f"use {SECRET}"))
    shown = replace(planned.offer, asked=Asked("continue", bench.name), rests_on=())
    assert SECRET not in repr(shown)
    planned.in_terminal()
    assert f"use {SECRET}" in bench.terminals.taken[0]


@pytest.mark.usefixtures("installed")
def test_in_tmux_a_window_is_offered(tmp_path: Path) -> None:
    assert not Bench(tmp_path / "out").ended().offer("continue").window
    assert Bench(tmp_path / "in", TMUX="/tmp/x,1,0").ended().offer("continue").window


def test_a_program_that_is_not_here_is_no_yes(tmp_path: Path) -> None:
    offer = Bench(tmp_path).ended().offer("continue")
    assert offer.refused
    assert "claude is not installed here" in offer.guard
    assert offer.copied.startswith("cd ")
    assert not offer.force_helps


def test_where_the_program_is_not_here_the_command_that_is_shown_writes_the_brief_that_it_reads(tmp_path: Path) -> None:
    bench = Bench(tmp_path).ended()
    offer = bench.offer("new")
    assert offer.commands == (offer.copied,)
    brief = next(word for word in offer.copied.split() if word.endswith(".md"))
    assert f"refloat brief {bench.name} --out {brief} && claude " in offer.copied
    assert f"the command writes the brief first, private: {brief}" in offer.notes
    assert offer.elsewhere
    assert not Bench(tmp_path / "demo", starts=False).ended().offer("new").elsewhere


@pytest.mark.usefixtures("installed")
def test_in_the_demo_nothing_is_started(tmp_path: Path) -> None:
    offer = Bench(tmp_path, starts=False).ended().offer("continue")
    assert offer.refused
    assert offer.guard == DEMO


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("operation", ["continue", "new"])
def test_the_demo_hides_no_refusal_of_the_guard(tmp_path: Path, operation: str) -> None:
    row = process(4711, argv=("claude",), cwd=str(tmp_path / "demo" / "ws"), uid=os.getuid())
    demo, real = (Bench(tmp_path / name, [row], starts=name == "real").ended() for name in ("demo", "real"))
    live(demo)
    live(real)
    offer = demo.offer(operation)
    assert offer.refused
    assert DEMO not in offer.guard
    assert "4711" in offer.guard
    assert (offer.guard, offer.instead) == (real.offer(operation).guard, "stop"), "it has no terminal"


def test_the_demo_does_not_say_that_a_missing_program_would_run(tmp_path: Path) -> None:
    offer = Bench(tmp_path, starts=False).ended().offer("continue")
    assert offer.refused
    assert (
        offer.guard
        == "this is the demo, where no agent is started; and claude is not installed here, or not on the PATH"
    )


@pytest.mark.usefixtures("installed")
def test_what_ended_badly_is_started_anew_instead(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.talk.write()
    offer = bench.offer("continue")
    assert offer.refused
    assert offer.instead == "new"
    assert offer.force_helps
    assert not bench.offer("continue", force="I know").refused
    assert bench.offer("attach").instead == "new"


@pytest.mark.usefixtures("installed")
def test_nothing_runs_so_there_is_nothing_to_attach_to_or_to_stop(tmp_path: Path) -> None:
    bench = Bench(tmp_path).ended()
    for operation in ("attach", "stop"):
        offer = bench.offer(operation)
        assert offer.refused, operation
        assert offer.instead == "continue", operation
        assert not offer.force_helps, operation


def live(bench: Bench) -> None:
    """A register that says that process 4711 owns it."""
    place = bench.workspace.parent / "home" / ".claude" / "sessions"
    place.mkdir(parents=True)
    register = {"pid": 4711, "sessionId": bench.talk.session_id, "cwd": str(bench.workspace), "procStart": "100"}
    (place / "4711.json").write_text(json.dumps(register | {"version": "2.1.200", "kind": "interactive"}))


def test_a_register_that_a_dead_process_left_names_nobody_to_stop(tmp_path: Path) -> None:
    bench = Bench(tmp_path).ended()
    live(bench)
    offer = bench.offer("stop")
    assert offer.refused
    assert offer.pids == ()


@pytest.mark.usefixtures("installed")
def test_a_live_one_is_ended_first_and_its_stop_names_whom_it_signals(tmp_path: Path) -> None:
    argv = ("claude", "--api-key", SECRET)
    row = process(4711, argv=argv, cwd=str(tmp_path / "ws"), uid=os.getuid())
    bench = Bench(tmp_path, [row]).ended()
    live(bench)
    assert bench.offer("continue").instead == "stop", "it has no terminal to go to"
    offer = bench.offer("stop")
    assert not offer.refused
    assert offer.commands == (f"refloat stop {bench.name}",)
    assert "send SIGINT to 4711 (claude) and wait 10 s" in offer.will
    assert [(row.first, row.second) for row in offer.rows] == [("4711", "owner")]
    assert SECRET not in repr(offer)


def test_a_sound_transcript_needs_no_repair(tmp_path: Path) -> None:
    offer = Bench(tmp_path).ended().offer("repair")
    assert offer.refused
    assert "sound" in offer.guard
    assert not offer.force_helps


def damaged(bench: Bench) -> Bench:
    bench.talk.reply("Done.")
    bench.talk.write()
    with bench.talk.path.open("ab") as file:
        file.write(b'{"half a line\n')
    return bench


def test_a_repair_is_a_table_and_a_copy_where_its_agent_finds_it(tmp_path: Path) -> None:
    bench = damaged(Bench(tmp_path))
    before = bench.talk.path.read_bytes()
    planned = bench.operations.plan(Asked("repair", bench.name))
    offer = planned.offer
    assert not offer.refused
    assert offer.rows
    assert offer.rows[0].first.startswith("line ")
    done = planned.repair()
    assert done.copy is not None
    assert Path(done.path).parent == bench.talk.path.parent
    assert bench.talk.path.read_bytes() == before


def test_a_repair_into_a_file_asks_nobody(tmp_path: Path) -> None:
    bench = damaged(Bench(tmp_path))
    planned = bench.operations.plan(Asked("repair", bench.name, out="~/c.jsonl"))
    assert planned.offer.commands == (f"refloat repair {bench.name} --out {tmp_path / 'home' / 'c.jsonl'}",)
    done = planned.repair()
    assert done.copy is None
    assert done.path == str(tmp_path / "home" / "c.jsonl")


def test_a_transcript_that_moved_since_the_look_is_not_written(tmp_path: Path) -> None:
    bench = damaged(Bench(tmp_path))
    planned = bench.operations.plan(Asked("repair", bench.name))
    with bench.talk.path.open("ab") as file:
        file.write(b'{"another half\n')
    with pytest.raises(NotDone, match="changed since"):
        planned.repair()


@pytest.mark.usefixtures("installed")
def test_what_an_operation_is_not_for_is_refused(tmp_path: Path) -> None:
    planned = Bench(tmp_path).ended().operations.plan(Asked("continue", SessionName("last")))
    with pytest.raises(NotDone):
        planned.stop(lambda _: None)
    with pytest.raises(NotDone):
        planned.repair()
