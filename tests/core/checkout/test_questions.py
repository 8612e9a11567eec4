"""A comparison asks git a fixed number of questions, however many files there are."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo

from refloat.model.checkout import FileState, Warned
from refloat.ports import Git, GitAnswer
from refloat.testing.stories import edited, replaced


@dataclass(slots=True)
class Counting:
    """A git that writes down what it is asked."""

    git: Git
    asked: list[str] = field(default_factory=list[str])

    def run(
        self,
        directory: Path,
        *words: str,
        stdin: bytes | None = None,
        index: bytes | None = None,
        seconds: float = 30,
    ) -> GitAnswer:
        self.asked.append(" ".join(words[:2]))
        return self.git.run(directory, *words, stdin=stdin, index=index, seconds=seconds)

    def version(self) -> str | None:
        return self.git.version()

    def why_not(self) -> str | None:
        return self.git.why_not()

    def not_obeyed(self, directory: Path) -> Sequence[Warned]:
        self.asked.append("not obeyed")
        return self.git.not_obeyed(directory)


@pytest.mark.parametrize("lost", [False, True])
def test_the_number_of_questions_does_not_grow_with_the_files(repo: Repo, *, lost: bool) -> None:
    asked: list[list[str]] = []
    for count in (4, 40):
        names = [f"d{n % 3}/f{n}.txt" for n in range(count)]
        for name in names:
            repo.write(name, f"{name}\none\ntwo\n")
            repo.write(f"more/{name}", f"{name}\none\ntwo\n")
            repo.write(f"gone/{name}", f"{name}\none\n")
        repo.git("add", "-A")
        repo.git("commit", "-q", "--allow-empty", "-m", f"{count} files")
        one, two = repo.story(), repo.story("5f0c1d2e-0000-4000-8000-000000000002")
        for name in names:
            before, after = f"{name}\none\ntwo\n", f"{name}\none\nthree\n"
            one.edit(edited(repo.path(name), before, after))
            two.edit(replaced(repo.path(f"more/{name}"), "one", "four"))
            repo.write(name, before + "typed\n" if lost else after, 50)
            repo.write(f"more/{name}", f"{name}\nfour\ntwo\n", 50)
            (repo.root / "gone" / name).rename(repo.root / "gone" / f"{name}.moved")
        git = Counting(repo.bench.machine.git)
        repo.bench = replace(repo.bench, machine=replace(repo.bench.machine, git=git))
        made = repo.compare(one, two)
        assert len(made.files) == count
        assert len(made.other_changes) == 3 * count
        for thread in threading.enumerate():
            if thread is not threading.current_thread():
                thread.join(60)  # what was begun early, and nobody came to need, asks on
        asked.append(list(git.asked))
        repo.git("reset", "-q", "--hard")
        repo.git("clean", "-q", "-fd")
    assert sorted(asked[0]) == sorted(asked[1])  # some are asked at the same time


@pytest.mark.parametrize("lost", [False, True])
def test_what_nothing_names_is_sought_once_and_only_for_what_seems_lost(repo: Repo, *, lost: bool) -> None:
    names = [f"f{n}.txt" for n in range(3)]
    for name in names:
        repo.write(name, f"{name}\none\n")
    repo.commit("files")
    story = repo.story()
    for name in names:
        story.edit(edited(repo.path(name), f"{name}\none\n", f"{name}\ntwo\n"))
        repo.write(name, f"{name}\ntwo\n", 50)
    repo.git("commit", "-q", "-a", "-m", "done", at=60)
    if lost:
        repo.git("reset", "-q", "--hard", "HEAD~", at=70)
    git = Counting(repo.bench.machine.git)
    repo.bench = replace(repo.bench, machine=replace(repo.bench.machine, git=git))
    made = repo.compare(story)
    assert {file.state for file in made.files} == {FileState.REVERTED if lost else FileState.PRESENT}
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(60)
    asked = [words for words in git.asked if words.startswith("cat-file --batch-check=")]
    assert len(asked) == lost
