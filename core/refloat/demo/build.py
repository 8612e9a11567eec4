"""Builds the demo: a home, two small repositories, and sessions of both agents in every state.

Everything is invented and lies below one directory; nothing outside it is touched. The live and the unresolved session
have a harmless process each (a `cat` under the agent's name), which ends with Refloat.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from refloat.demo import scenes
from refloat.errors import NotDone
from refloat.model.stamp import Stamp, later, seconds_of
from refloat.ports import Machine


@dataclass(frozen=True, slots=True)
class Demo:
    """A finished demo."""

    home: Path
    workspace: Path
    """The repository to open the app in."""
    pids: tuple[int, ...]
    """Its processes."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository being made, with the clock that its commits are dated by."""

    machine: Machine
    path: Path
    now: Stamp

    def git(self, *words: str, seconds: float = 0) -> str:
        """Run git as the demo's invented person, `seconds` from now.

        Raises:
            NotDone: git is missing or refuses.
        """
        when = later(self.now, seconds)
        who = "Ada Example"
        settings = [f"GIT_{role}_{key}" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL", "DATE")]
        values = [who, "ada@example.invalid", when] * 2
        pairs = [f"{name}={value}" for name, value in zip(settings, values, strict=True)]
        clean = ["GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", f"HOME={self.path.parent}"]
        answer = self.machine.launcher.run(["env", *clean, *pairs, "git", *words], self.path, 30)
        if answer.code:
            raise NotDone(f"the demo needs git, and `git {words[0]}` said: {answer.err.strip() or answer.code}")
        return answer.out.decode("utf-8", "replace").strip()

    def write(self, name: str, content: str, seconds: float) -> None:
        """Write a file of it, touched last `seconds` from now."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        moment = seconds_of(later(self.now, seconds))
        os.utime(path, (moment, moment))

    def commit(self, message: str, seconds: float) -> str:
        """Commit everything; the commit's id is returned."""
        self.git("add", "-A", seconds=seconds)
        self.git("-c", "commit.gpgsign=false", "commit", "-q", "-m", message, seconds=seconds)
        return self.git("rev-parse", "HEAD")


def build_demo(machine: Machine, home: Path, *, processes: bool = True) -> Demo:
    """Build the demo below `home`, which must be empty or not there yet.

    Raises:
        NotDone: `home` holds something already, or git is missing.
    """
    if home.exists() and any(home.iterdir()):
        raise NotDone(f"{home} is not empty; name a new directory for the demo")
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    now = machine.clock.now()
    ledgerly = _repository(machine, home / "src" / "ledgerly", now)
    billing = _repository(machine, home / "src" / "billing", now)
    heads = scenes.fill_repositories(ledgerly, billing)
    live, candidate = scenes.write_transcripts(home, ledgerly, billing, heads, now)
    pids = _start(machine, home, live, candidate) if processes else ()
    return Demo(home, ledgerly.path, pids)


def _repository(machine: Machine, path: Path, now: Stamp) -> Repository:
    path.mkdir(parents=True)
    made = Repository(machine, path, now)
    made.git("init", "-q", "--template=", "-b", "main")
    made.git("config", "gc.auto", "0")
    return made


def _start(machine: Machine, home: Path, live: scenes.Owned, candidate: Path) -> tuple[int, ...]:
    """Start the two harmless processes, and register the one that owns a session."""
    owner = machine.launcher.start(["claude"], live.workspace, executable="cat")
    stranger = machine.launcher.start(["codex"], candidate, executable="cat")
    pids: Sequence[int | None] = (owner, stranger)
    process = machine.processes.get(owner) if owner else None
    if owner and process:
        live.transcript.register(home, owner, process.start_token)
    return tuple(pid for pid in pids if pid)
