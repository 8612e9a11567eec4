"""Agents that are started in a window of tmux, and what a terminal sends them."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.tui.cli.test_start import PATIENCE, World, until

from refloat.machine.processes import system_processes
from refloat.record.attempts import find_attempts
from refloat.record.leases import find_leases
from refloat_tui.cli.commands.start import continue_, new


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path.resolve())
    yield made
    made.close()


@pytest.fixture
def tmux(world: World, tmp_path: Path) -> Iterator[Callable[..., str]]:
    """A server of this test's own, with a session `work`."""
    (tmp_path / "sockets").mkdir()
    world.environment["TMUX_TMPDIR"] = str(tmp_path / "sockets")

    def ask(*words: str) -> str:
        argv = ["tmux", "-f", "/dev/null", *words]
        done = subprocess.run(argv, env=world.environment, check=True, timeout=PATIENCE, stdout=subprocess.PIPE)
        return done.stdout.decode()

    ask("new-session", "-d", "-s", "work", "cat")
    yield ask
    ask("kill-server")


def test_a_window_of_tmux_goes_the_same_road(world: World, tmux: Callable[..., str]) -> None:
    code, out, said = world.run("continue", world.talk.session_id, "--tmux=work", "--", "-x")
    assert (code, said) == (0, "")
    assert "goes on in tmux window work:1" in out
    agent = world.one_runs()
    assert agent["argv"] == ["--resume", world.talk.session_id, "--", "-x"]
    assert agent["tty"]
    world.let_end()
    code, _, said = world.run("continue", world.talk.session_id, "--tmux=nowhere")
    assert (code, "tmux opened no window" in said) == (1, True)
    until(lambda: tmux("list-windows", "-t", "work").count("\n") == 1, "the window closed with its agent")


def test_keys_reach_the_agent_and_a_terminal_that_is_closed_ends_it(world: World, tmux: Callable[..., str]) -> None:
    world.run("continue", world.talk.session_id, "--tmux=work")
    world.one_runs()
    tmux("send-keys", "-t", "work:1", "C-c")
    heard = Path(f"{world.log}.heard")
    until(lambda: heard.exists() and heard.read_text() == "SIGINT\n", "the key reached the agent")
    tmux("kill-window", "-t", "work:1")

    def ended() -> bool:
        with world.record() as record:
            return find_attempts(record)[0].ended is not None and find_leases(record) == ()

    until(ended, "the attempt ended, and gave back what it held")
    with world.record() as record:
        assert find_attempts(record)[0].exit_code == 128 + signal.SIGHUP


def test_a_window_that_was_refused_stays_until_it_is_read(world: World, tmux: Callable[..., str]) -> None:
    world.run("continue", world.talk.session_id, "--tmux=work")
    world.one_runs()
    world.let_end(3)
    until(lambda: "press enter" in tmux("capture-pane", "-p", "-t", "work:1"), "it says how to close it")
    tmux("send-keys", "-t", "work:1", "Enter")
    until(lambda: tmux("list-windows", "-t", "work").count("\n") == 1, "the window closed")


def test_a_suspended_agent_gives_the_terminal_back(world: World, tmux: Callable[..., str]) -> None:
    tmux("new-window", "-t", "work", "bash", "--norc", "-i")
    words = f"{sys.executable} -m refloat_tui continue {world.talk.session_id}"
    tmux("send-keys", "-t", "work:1", f"cd {world.workspace} && clear && {words}", "Enter")
    agent = world.one_runs()
    tmux("send-keys", "-t", "work:1", "C-z")
    until(lambda: "Stopped" in tmux("capture-pane", "-p", "-t", "work:1"), "the shell has the terminal")
    row = system_processes().get(agent["pid"])
    assert row is not None
    assert row.stopped
    tmux("send-keys", "-t", "work:1", "fg", "Enter")
    until(lambda: not (system_processes().get(agent["pid"]) or row).stopped, "it goes on")
    world.let_end()
    until(lambda: tmux("display", "-p", "-t", "work:1", "#{pane_current_command}").strip() == "bash", "it ended")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--tmux", "5f0c", "last"], ("", "5f0c", "last")),
        (["5f0c", "--tmux", "last"], ("", "5f0c", "last")),
        (["5f0c", "--tmux"], ("", "5f0c", None)),
        (["--tmux=work", "5f0c"], ("work", "5f0c", None)),
        (["--tmux=", "5f0c"], ("", "5f0c", None)),
        (["5f0c", "--", "--tmux"], (None, "5f0c", "--tmux")),
        (["5f0c", "last"], (None, "5f0c", "last")),
    ],
)
def test_the_word_behind_tmux_is_no_session_of_tmuxs(words: list[str], told: tuple[str | None, ...]) -> None:
    given = continue_.make_context("continue", list(words)).params
    assert (given["tmux"], given["session"], given["prompt"]) == told
    given = new.make_context("new", ["--parent", *words]).params if words[0] == "5f0c" else None
    assert given is None or given["parent"] == "5f0c"


@pytest.mark.parametrize("who", ["refloat", "agent"])
def test_a_suspended_process_still_holds(world: World, who: str) -> None:
    first = world.start("continue", world.talk.session_id)
    agent = world.one_runs()
    os.kill(first.pid if who == "refloat" else agent["pid"], signal.SIGSTOP)
    code, _, said = world.run("continue", world.talk.session_id)
    assert (code, f"process {agent['pid']}" in said) == (1, True)
    os.kill(agent["pid"], signal.SIGCONT)
    os.kill(first.pid, signal.SIGCONT)
    world.let_end()
    assert first.wait(PATIENCE) == 0


def test_a_signal_for_refloat_goes_to_its_agent(world: World) -> None:
    process = world.start("continue", world.talk.session_id)
    world.one_runs()
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 128 + signal.SIGTERM
