"""A real repository in a temporary folder, at times that a test chooses."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from refloat.machine.git import HardenedGit
from refloat.model.checkout import Checkout, EditedFile, OtherChange
from refloat.model.stamp import Stamp, later, seconds_of
from refloat.model.story import Story
from refloat.testing.fakes import fake_machine
from refloat.testing.stories import START, StoryBuilder
from refloat.usecases.compare_checkout import compare_checkout
from refloat.usecases.memory import narrowed
from refloat.usecases.workbench import Workbench


def bench_in(directory: Path) -> Workbench:
    """A workbench with the real, hardened git and nothing else."""
    machine = fake_machine(directory, environment={"PATH": os.environ["PATH"]})
    git = HardenedGit(machine.places)
    return Workbench(fake_machine(directory, git=git, environment={"PATH": os.environ["PATH"]}), ())


@dataclass(slots=True)
class Repo:
    """Times are seconds after the session's start; negative ones lie before it."""

    root: Path
    bench: Workbench

    def git(
        self, *words: str, at: float = -1000, cwd: Path | None = None, check: bool = True, stdin: str | None = None
    ) -> str:
        when = f"{int(seconds_of(later(START, at)))} +0000"
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root.parent),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
            "GIT_EDITOR": "true",
        }
        done = subprocess.run(
            ["git", *words],
            cwd=cwd or self.root,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            input=stdin,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout.strip()

    def write(self, name: str, content: str | bytes, at: float = -1000) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        seconds = seconds_of(later(START, at))
        os.utime(path, (seconds, seconds))
        return str(path)

    def commit(self, message: str, at: float = -1000) -> str:
        self.git("add", "-A", at=at)
        self.git("commit", "-q", "-m", message, at=at)
        return self.git("rev-parse", "HEAD")

    def path(self, name: str) -> str:
        return str(self.root / name)

    def story(
        self, session_id: str = "5f0c1d2e-0000-4000-8000-000000000001", agent: str = "claude-code"
    ) -> StoryBuilder:
        return StoryBuilder(agent=agent, session_id=session_id, workspace=str(self.root))

    def compare(self, story: StoryBuilder | Story, *others: StoryBuilder) -> Checkout:
        made = story.build() if isinstance(story, StoryBuilder) else story
        stories = [other.build() for other in others]
        found = compare_checkout(self.bench, made, others=stories)
        if stories:  # what is remembered of the others says all that they have to say
            assert compare_checkout(self.bench, made, others=list(map(narrowed, stories))) == found
        return found


@pytest.fixture
def bare(tmp_path: Path) -> Repo:
    """A folder that is no repository."""
    root = tmp_path / "work"
    root.mkdir()
    return Repo(root, bench_in(tmp_path))


@pytest.fixture
def repo(bare: Repo) -> Repo:
    """A repository with one commit, made before the session began."""
    bare.git("init", "-q", "-b", "main")
    bare.write("README.md", "# Work\n")
    bare.commit("start")
    return bare


def file_of(checkout: Checkout, path: str) -> EditedFile:
    return next(file for file in checkout.files if file.path == path)


def change_of(checkout: Checkout, path: str) -> OtherChange:
    return next(change for change in checkout.other_changes if change.path == path)


def at(seconds: float) -> Stamp:
    return later(START, seconds)
