"""No path leads to two writers: random operations of two people, interleaved at every touch of the record.

The machine is a fake, the record and the reading are real. Each operation runs in a thread of its own that stands still
wherever it opens the record, until the script lets it go on, or kills it there as `kill -9` does.
"""

import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refloat.demo.transcripts import ClaudeTranscript
from refloat.errors import RefloatError
from refloat.model.saving import Ended, Runner
from refloat.model.stamp import Stamp, later
from refloat.readers.registry import load
from refloat.record.store import Record
from refloat.testing.fakes import FakeClock, FakeLauncher, FakeProcesses, fake_machine, process
from refloat.usecases.act import Actor, Wish, actor_of
from refloat.usecases.start_agent import Order, plan_start, start_agent
from refloat.usecases.workbench import Workbench

PATIENCE = 100
MOVES = 40
LOOKS = 4
"""Touches of the record after which an operation has looked at the processes for the last time."""


class Killed(BaseException):
    """Refloat's own process was killed: nothing of it runs any more, no `finally` either."""


class World:
    """One machine: its process table, and who writes where."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.clock, self.processes = FakeClock(), FakeProcesses()
        machine = fake_machine(
            directory,
            clock=self.clock,
            processes=self.processes,
            launcher=FakeLauncher({"claude": "/bin/claude"}),
        )
        self.bench = Workbench(machine, [load("claude-code")])
        self.alive: set[Runner] = set()
        self.writers: dict[int, tuple[str, str]] = {}
        """Agents that run: process number → (session, directory)."""
        self.seen: list[str] = []
        """What came of each operation."""
        self._last = 100
        places = ("one", "two"), ("one", "three"), ("other", "four")
        self.sessions = [self._session(*place) for place in places]
        self.places = dict(zip(self.sessions, ("one", "one", "other"), strict=True))

    def _session(self, place: str, name: str) -> str:
        workspace = self.directory / place
        workspace.mkdir(exist_ok=True)
        home = self.bench.machine.places.home
        talk = ClaudeTranscript(home, name, workspace, Stamp("2026-09-14T09:00:00.000Z"))
        talk.prompt("Make it retry")
        talk.reply("Done.")
        talk.write()
        return talk.session_id

    def runner(self) -> Runner:
        self._last += 1
        runner = Runner("testhost", self._last, str(self._last))
        self.alive.add(runner)
        return runner

    def begin(self, agent: Runner, argv: Sequence[str], place: Path) -> None:
        """An agent becomes itself."""
        words = list(argv)
        named = words[words.index("--resume" if "--resume" in words else "--session-id") + 1]
        for session, where in self.writers.values():
            assert session != named, "two writers on one session"
            assert where != str(place), "two writers in one directory"
        self.writers[agent.pid or 0] = (named, str(place))
        row = process(agent.pid or 0, argv=argv, cwd=str(place), start_token=agent.pid_started or "")
        self.processes.rows = [*self.processes.rows, row]

    def by_hand(self, session: str) -> None:
        """Somebody starts the agent without Refloat, where nobody writes yet."""
        place = self.directory / self.places[session]
        if all(session != named and str(place) != where for named, where in self.writers.values()):
            agent = self.runner()
            self.begin(agent, ["claude", "--resume", session], place)
            self.writers[agent.pid or 0] = (session, "")  # another session of one's own beside it: told, not refused

    def end(self, agent: Runner) -> None:
        self.alive.discard(agent)
        self.writers.pop(agent.pid or 0, None)
        self.processes.rows = [row for row in self.processes.rows if row.pid != agent.pid]


class Player:
    """One operation of one person, in a process of its own."""

    def __init__(self, world: World, person: str, operation: Any, session: str) -> None:
        self.world, self.me, self.person = world, world.runner(), person
        self.wish = Wish(operation, session, world.directory)
        self.agent: Runner | None = None
        self.touches = 0
        self.killed, self.over = False, False
        self.fault: BaseException | None = None
        self._go, self._stands = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()
        self._wait()

    def _wait(self) -> None:
        assert self._stands.acquire(timeout=PATIENCE), "an operation neither stands still nor ends"

    def step(self) -> None:
        """Let it go on to the next touch of the record."""
        self._go.release()
        self._wait()
        if self.fault is not None:
            raise self.fault

    def kill(self) -> None:
        self.killed = True
        self.world.alive.discard(self.me)
        self.step()

    def _pause(self) -> None:
        if self.killed:
            raise Killed
        self.touches += 1
        self._stands.release()
        self._go.acquire()
        if self.killed:
            raise Killed

    def _through(self, open_it: Callable[[], Record]) -> Callable[[], Record]:
        def opened() -> Record:
            self._pause()
            return open_it()

        return opened

    def _actor(self) -> Actor:
        actor = actor_of(self.world.bench.machine, self.me, lambda one: one in self.world.alive)
        own = replace(actor.own, holder=f"{self.person}@testhost")
        return Actor(own, self._through(actor.make), self._through(actor.peek), 1000)

    def _play(self) -> None:
        try:
            self._pause()
            actor = self._actor()
            plan = plan_start(self.world.bench, actor, Order(self.wish))
            start_agent(self.world.bench, actor, plan, self._run, lambda told: None)
            self.world.seen.append("ran")
        except RefloatError as error:
            self.world.seen.append(type(error).__name__)
        except Killed:
            self.world.seen.append("killed")
        except BaseException as fault:  # noqa: BLE001 - it is raised in the test's own thread
            self.fault = fault
        finally:
            self.world.alive.discard(self.me)
            self.over = True
            self._stands.release()

    def _run(self, argv: Sequence[str], cwd: Path, stands: Callable[[Runner], None], beat: Any, every: float) -> Ended:
        del every
        agent = self.world.runner()
        try:
            stands(agent)
            self._pause()  # written down, and not let through yet
        except BaseException:
            self.world.alive.discard(agent)
            raise
        self.agent = agent
        self.world.begin(agent, argv, cwd)
        while agent in self.world.alive:
            self._pause()
            beat()
        return Ended(0)


def play(world: World, script: Sequence[tuple[int, int, int]]) -> None:
    """Each move: what, who, and on which session."""
    players: list[Player] = []
    for what, who, where in script:
        running = [player for player in players if not player.over]
        match what:
            case 0 if len(running) < 4:
                person, operation = ("ada", "bob")[who % 2], ("continue", "new")[who // 2 % 2]
                players.append(Player(world, person, operation, world.sessions[where % 3]))
            case 1 if running:
                running[who % len(running)].kill()
            case 2 if world.writers:
                pid = sorted(world.writers)[who % len(world.writers)]
                world.end(next(runner for runner in world.alive if runner.pid == pid))
            case 3:
                world.clock.moment = later(world.clock.moment, (30, 200, -500)[where % 3])
            case 4 if all(player.touches < LOOKS or player.agent for player in running):
                world.by_hand(world.sessions[where])
            case 5 if running:
                player = running[who % len(running)]
                for _ in range(1 + 4 * where):
                    if not player.over:
                        player.step()
            case _:
                pass
    while running := [player for player in players if not player.over]:
        for runner in [runner for runner in world.alive if runner.pid in world.writers]:
            world.end(runner)
        for player in running:
            player.step()


script = st.lists(
    # Mostly steps: an operation takes eight of them to its agent.
    st.tuples(st.sampled_from([0, 0, 1, 2, 3, 4, *[5] * 8]), st.integers(0, 3), st.integers(0, 2)),
    min_size=MOVES,
    max_size=MOVES,
)


@given(script)
@settings(max_examples=60)
def test_two_people_never_make_two_writers(moves: list[tuple[int, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        play(World(Path(directory)), moves)


@pytest.mark.parametrize("operations", [("continue", "continue"), ("continue", "new"), ("new", "new")])
def test_two_step_by_step_at_once(tmp_path: Path, operations: tuple[str, str]) -> None:
    world = World(tmp_path)
    players = [
        Player(world, person, op, world.sessions[0]) for person, op in zip(("ada", "bob"), operations, strict=True)
    ]
    for _ in range(20):
        for player in players:
            if not player.over:
                player.step()
    assert len(world.writers) == 1
    for player in players:
        if player.agent is not None:
            world.end(player.agent)
        while not player.over:
            player.step()
    assert sorted(world.seen) == ["Refused", "ran"]


def test_two_sessions_in_one_directory_and_one_elsewhere(tmp_path: Path) -> None:
    world = World(tmp_path)
    players = [Player(world, "ada", "continue", session) for session in world.sessions]
    for _ in range(20):
        for player in players:
            if not player.over:
                player.step()
    assert sorted(where.rpartition("/")[2] for _, where in world.writers.values()) == ["one", "other"]
    for player in players:
        if not player.over:
            player.kill()


def test_what_a_killed_refloat_started_keeps_its_directory(tmp_path: Path) -> None:
    world = World(tmp_path)
    first = Player(world, "ada", "new", world.sessions[0])
    while first.agent is None:
        first.step()
    first.kill()
    for person in ("ada", "bob"):
        second = Player(world, person, "continue", world.sessions[1])
        while not second.over:
            second.step()
    assert world.seen == ["killed", "Refused", "Refused"]


@pytest.mark.parametrize("touches", range(1, LOOKS))
def test_an_agent_that_is_started_by_hand_between_two_looks_is_seen(tmp_path: Path, touches: int) -> None:
    world = World(tmp_path)
    player = Player(world, "ada", "continue", world.sessions[0])
    while player.touches < touches:
        player.step()
    world.by_hand(world.sessions[0])
    while not player.over:
        player.step()
    assert world.seen == ["Refused"]


def test_the_script_can_fail(tmp_path: Path) -> None:
    """The machine notices a second writer."""
    world = World(tmp_path)
    agent = world.runner()
    world.begin(agent, ["claude", "--resume", world.sessions[0]], tmp_path / "one")
    with pytest.raises(AssertionError, match="two writers in one directory"):
        world.begin(world.runner(), ["claude", "--resume", world.sessions[1]], tmp_path / "one")
