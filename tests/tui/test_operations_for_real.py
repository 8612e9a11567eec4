"""The app in a real terminal has something done to real processes: continue, stop, attach, refused."""

from __future__ import annotations

import fcntl
import os
import select
import shlex
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from tests.standin.agent import Standin, is_gone, until
from tests.standin.terminals import Tmux, Window, refloat, surroundings
from tests.tui.cli.test_start import World

pytestmark = pytest.mark.timeout(400)


def press_until(press: Callable[[], None], is_taken: Callable[[], bool], what: str) -> None:
    """Press a key until it is taken: a yes counts once its question has stood, and a key held down renews the wait."""

    def pressed() -> bool:
        press()
        return any(is_taken() or select.select([], [], [], 0.1)[0] for _ in range(20))

    until(pressed, what)


class Sitting:
    """Somebody at the app, in a window of a tmux of the test's own."""

    def __init__(self, tmux: Tmux, environment: Mapping[str, str], cwd: Path, *, in_tmux: bool = False) -> None:
        self._tmux = tmux
        given = [word for name, value in environment.items() for word in ("-e", f"{name}={value}")]
        path = f"PATH={environment['PATH']}"  # else tmux takes that of whoever opens the window
        words = ["env", *([] if in_tmux else ["-u", "TMUX"]), path, *refloat()]
        self.pane = tmux.do(
            "new-window", "-P", "-F", "#{pane_id}", *given, "-c", str(cwd), "-t", "$0", shlex.join(words)
        )

    def screen(self) -> str:
        """All that is on it."""
        return self._tmux.do("capture-pane", "-p", "-t", self.pane)

    def sees(self, words: str) -> None:
        """Wait until it says something."""
        try:
            until(lambda: words in self.screen(), f"{words!r} on the screen")
        except AssertionError as error:
            raise AssertionError(f"{error}; there is:\n{self.screen()}") from None

    def agrees(self, question: str) -> None:
        """Answer a question with enter, once it stands there."""
        self.sees(question)
        press_until(lambda: self.press("Enter"), lambda: question not in self.screen(), f"an answer to {question!r}")

    def press(self, *keys: str) -> None:
        """Keys, by tmux' names."""
        self._tmux.do("send-keys", "-t", self.pane, *keys)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path.resolve())
    yield made
    made.close()


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    with Tmux(tmp_path / "tmux-home", "work") as made:
        yield made


def given(home: Path, **more: str) -> dict[str, str]:
    """What the app must know to look at a home of the test's own."""
    kept = surroundings(home)
    names = ("HOME", "PYTHONPATH", "LC_ALL", "REFLOAT_CACHE_DIR", "REFLOAT_DATA_DIR", "REFLOAT_CONFIG_DIR")
    return {name: kept[name] for name in names} | {"PATH": os.environ["PATH"]} | more


def of(world: World) -> dict[str, str]:
    return {**world.environment, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "LC_ALL": "C.UTF-8"}


def test_continue_in_this_terminal_and_come_back(world: World, tmux: Tmux) -> None:
    desk = Sitting(tmux, of(world), world.workspace)
    desk.sees("NEXT  ")
    desk.press("c")
    desk.sees(f"claude --resume {world.talk.session_id}")
    assert not world.started()
    desk.agrees("BECAUSE")
    agent = world.one_runs()
    assert agent["argv"] == ["--resume", world.talk.session_id]
    assert agent["cwd"] == str(world.workspace)
    assert agent["tty"]
    world.let_end()
    desk.sees("exit code 0.")
    desk.sees("Make the importer retry")
    desk.press("q")
    until(lambda: desk.pane not in tmux.do("list-panes", "-a", "-F", "#{pane_id}").split(), "the end of the app")


def test_what_a_person_interrupts_is_the_agent_and_not_the_app(world: World, tmux: Tmux) -> None:
    desk = Sitting(tmux, of(world), world.workspace)
    desk.sees("NEXT  ")
    desk.press("c")
    desk.sees("BECAUSE")
    desk.agrees("BECAUSE")
    world.one_runs()
    desk.press("C-c")
    heard = world.log.with_name(world.log.name + ".heard")
    until(lambda: heard.exists() and "SIGINT" in heard.read_text(), "the agent hears it")
    world.let_end(3)
    desk.sees("exit code 3; press enter")
    desk.press("Enter")
    desk.sees("exit code 3.")


def test_inside_tmux_it_opens_beside_the_app_unless_that_is_changed(world: World, tmux: Tmux) -> None:
    for name in ("STANDIN_LOG", "STANDIN_LEASH"):
        tmux.do("set-environment", "-g", name, world.environment[name])
    desk = Sitting(tmux, of(world), world.workspace, in_tmux=True)
    desk.sees("NEXT  ")
    desk.press("+")
    desk.sees("(•) a new tmux window")
    desk.agrees("(•) a new tmux window")
    world.one_runs()
    assert "claude-code" in tmux.do("list-windows", "-a", "-F", "#{window_name}")
    desk.press("C-r")
    desk.sees("attempt 1 of 2")
    world.let_end()


def test_refused_while_it_runs_with_the_reason_and_what_instead(tmp_path: Path, tmux: Tmux) -> None:
    with Standin(tmp_path / "home", "claude-code", where="pty") as agent:
        before = agent.transcript.read_bytes()
        desk = Sitting(tmux, given(tmp_path / "home"), agent.workspace)
        desk.sees("NEXT  ")
        desk.press("c")
        desk.sees("REFUSED")
        desk.sees(f"process {agent.pid} owns")
        desk.sees("o stop the process first")  # nothing tells which program shows its terminal
        press_until(lambda: desk.press("Enter"), lambda: "It is refused" in desk.screen(), "the refusal")
        assert agent.transcript.read_bytes() == before
        desk.press("o")
        desk.sees(f"send SIGINT to {agent.pid}")


def test_stop_from_the_app(tmp_path: Path, tmux: Tmux) -> None:
    with Standin(tmp_path / "home", "claude-code", where="orphan") as agent:
        child = agent.child()
        desk = Sitting(tmux, given(tmp_path / "home"), agent.workspace)
        desk.sees("NEXT  ")
        desk.press("s")
        desk.sees(f"refloat stop {agent.session}")
        desk.sees(f"send SIGINT to {agent.pid}")
        assert not is_gone(agent.pid)
        press_until(lambda: desk.press("Enter"), lambda: is_gone(agent.pid), "the end of the agent")
        desk.sees("STOPPED")
        assert is_gone(agent.pid)
        assert is_gone(child)
        press_until(lambda: desk.press("Enter"), lambda: "STOPPED" not in desk.screen(), "the way back")
        desk.sees("FAILED · its process ended")


class Watched(Window):
    """A terminal whose output is kept, and that is typed into."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self.said = bytearray()
        super().__init__(words, environment)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def _read(self) -> None:
        with suppress(OSError):
            while self._master in select.select([self._master, self._over], [], [])[0]:
                self.said += os.read(self._master, 65536)

    def sees(self, words: str) -> None:
        """Wait until it was told something since the last key."""
        until(lambda: words.encode() in self.said, f"{words!r} in {bytes(self.said[-3000:])!r}")

    def press(self, key: str) -> None:
        """A key."""
        self.said.clear()
        os.write(self._master, key.encode())


def clients(looks: Sequence[str]) -> list[str]:
    """Terminals that look at a tmux."""
    return subprocess.run(looks, capture_output=True, check=True).stdout.decode().split()


def test_peek_and_attach_to_a_pane_and_come_back(tmp_path: Path) -> None:
    with Standin(tmp_path / "home", "claude-code", where="tmux") as agent:
        assert agent.pane is not None
        words = ["env", "-C", str(agent.workspace), "-u", "TMUX", *refloat()]
        with Watched(words, surroundings(tmp_path / "home", COLORTERM="truecolor")) as desk:
            desk.sees("NEXT")
            desk.press("p")
            desk.sees("look again")
            desk.press("a")
            desk.sees("attach-session")
            agents = ("tmux", "-S", str(agent.pane.socket))
            looks = (*agents, "list-clients", "-F", "#{client_tty}")
            assert clients(looks) == []
            press_until(
                lambda: desk.press("\r"), lambda: clients(looks) == [desk.terminal], "this terminal at the pane"
            )
            subprocess.run((*agents, "detach-client", "-s", agent.pane.session), check=True)
            desk.sees("You are back")
