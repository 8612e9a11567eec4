"""Repositories with payloads that leave a mark when they run: a whole comparison runs none of them and tells each."""

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo, bench_in, file_of

from refloat.model.checkout import Checkout, FileState, Owner
from refloat.testing.stories import edited, written

OLD = "one\ntwo\nthree\n"
NEW = "one\ntwo and a half\nthree\n"


@dataclass(frozen=True, slots=True)
class Trap:
    """A repository with work of a session in every shape, and a program that must never run."""

    repo: Repo
    evil: Path
    mark: Path

    @property
    def config(self) -> Path:
        return self.repo.root / ".git" / "config"

    def set(self, *pairs: tuple[str, str]) -> None:
        for key, value in pairs:
            self.repo.git("config", "--add", key, value)

    def compare(self) -> Checkout:
        """Everything that a comparison asks: places of lost work, commits, tracked files, checks."""
        story = self.repo.story()
        story.edit(edited(self.repo.path("a.txt"), OLD, NEW))
        story.edit(edited(self.repo.path("lost.txt"), OLD, OLD + "lost\n"))
        story.edit(written(self.repo.path("gone.txt"), "gone\n", existed=False))
        story.edit(written(self.repo.path("clean.txt"), OLD, existed=True))
        story.run("pytest")
        return self.repo.compare(story)


@pytest.fixture
def trap(repo: Repo, tmp_path: Path) -> Trap:
    mark = tmp_path / "MARK"
    evil = tmp_path / "evil.sh"
    evil.write_text(f'#!/bin/sh\necho "$0 $*" >> {mark}\ncat 2>/dev/null\nexit 0\n')
    evil.chmod(0o755)
    for name in ("a.txt", "lost.txt", "clean.txt"):
        repo.write(name, OLD)
    repo.write(".gitattributes", "*.txt filter=evil diff=evil merge=evil\n")
    repo.commit("files")
    repo.write("a.txt", NEW, 12)
    repo.git("stash", at=20)
    repo.git("stash", "apply", at=20)
    repo.write("a.txt", NEW, 12)
    os.utime(repo.path("clean.txt"), (1, 1))  # git would note the new time in its index, and call a hook for it
    return Trap(repo, evil, mark)


def hooks(trap: Trap, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name in ("post-index-change", "reference-transaction", "post-checkout", "pre-commit", "fsmonitor-watchman"):
        (folder / name).write_text(trap.evil.read_text())
        (folder / name).chmod(0o755)


def included(trap: Trap, key: str) -> None:
    more = trap.repo.root / ".git" / "more"
    more.write_text(f'[diff]\n\texternal = {trap.evil}\n[filter "evil"]\n\tclean = {trap.evil}\n')
    trap.set((key, "more"))


def of_worktree(trap: Trap) -> None:
    trap.set(("extensions.worktreeConfig", "true"))
    more = trap.repo.root / ".git" / "config.worktree"
    more.write_text(f'[diff]\n\texternal = {trap.evil}\n[filter "evil"]\n\tclean = {trap.evil}\n\trequired = true\n')


def alternate(trap: Trap) -> None:
    other = trap.repo.root.parent / "other.git"
    trap.repo.git("clone", "-q", "--bare", str(trap.repo.root), str(other))
    (trap.repo.root / ".git/objects/info/alternates").write_text(f"{other}/objects\n")
    trap.set(("core.alternateRefsCommand", str(trap.evil)))


Setup = Callable[[Trap], None]


def setting(key: str, value: str = "EVIL") -> Setup:
    return lambda trap: trap.set((key, value.replace("EVIL", str(trap.evil))))


PAYLOADS: dict[str, tuple[Setup, str]] = {
    "fsmonitor hook": (setting("core.fsmonitor"), "core.fsmonitor"),
    "fsmonitor daemon": (setting("core.fsmonitor", "true"), "core.fsmonitor"),
    "hooks": (lambda trap: hooks(trap, trap.repo.root / ".git/hooks"), "post-index-change"),
    "hooks elsewhere": (
        lambda trap: (hooks(trap, trap.evil.parent / "h"), trap.set(("core.hooksPath", str(trap.evil.parent / "h"))))[
            1
        ],
        "core.hookspath",
    ),
    "hook by setting": (
        lambda trap: trap.set(("hook.x.command", str(trap.evil)), ("hook.x.event", "post-index-change")),
        "hook.x.command",
    ),
    "external diff": (setting("diff.external"), "diff.external"),
    "diff command": (setting("diff.evil.command"), "diff.evil.command"),
    "textconv": (setting("diff.evil.textconv"), "diff.evil.textconv"),
    "clean": (setting("filter.evil.clean"), "filter.evil.clean"),
    "smudge": (setting("filter.evil.smudge"), "filter.evil.smudge"),
    "process": (
        lambda trap: trap.set(("filter.evil.process", str(trap.evil)), ("filter.evil.required", "true")),
        "filter.evil.process",
    ),
    "merge driver": (setting("merge.evil.driver", "EVIL %A"), "merge.evil.driver"),
    "pager": (lambda trap: trap.set(("core.pager", str(trap.evil)), ("pager.log", str(trap.evil))), "pager.log"),
    "alias": (lambda trap: trap.set(("alias.status", f"!{trap.evil}"), ("alias.log", f"!{trap.evil}")), "alias.status"),
    "include": (lambda trap: included(trap, "include.path"), "include.path"),
    "conditional include": (
        lambda trap: included(trap, f"includeIf.gitdir:{trap.repo.root}/.path"),
        "includeif.gitdir:",
    ),
    "settings of the worktree": (of_worktree, "filter.evil.clean"),
    "ssh command": (setting("core.sshCommand"), "core.sshcommand"),
    "credential helper": (setting("credential.helper", "!EVIL"), "credential.helper"),
    "credential helper of a place": (
        setting("credential.https://example.org.helper", "!EVIL"),
        "credential.https://example.org.helper",
    ),
    "askpass": (setting("core.askPass"), "core.askpass"),
    "git proxy": (setting("core.gitProxy"), "core.gitproxy"),
    "editor": (setting("core.editor"), "core.editor"),
    "signatures": (
        lambda trap: trap.set(("log.showSignature", "true"), ("gpg.program", str(trap.evil))),
        "gpg.program",
    ),
    "submodule update": (setting("submodule.x.update", "!EVIL"), "submodule.x.update"),
    "remote helper": (setting("remote.origin.url", "ext::EVIL"), "remote.origin.url"),
    "foreign remote": (setting("remote.origin.vcs", "evil"), "remote.origin.vcs"),
    "rewritten addresses": (setting("url.ext::EVIL .insteadOf", "https://"), "insteadof"),
    "pack hook": (setting("uploadpack.packObjectsHook"), "uploadpack.packobjectshook"),
    "upload pack": (setting("remote.origin.uploadpack"), "remote.origin.uploadpack"),
    "alternate references": (alternate, "core.alternaterefscommand"),
    "alternate objects": (alternate, "objects from another place"),
    "submodule settings": (
        lambda trap: trap.set(
            ("status.submoduleSummary", "true"), ("diff.submodule", "log"), ("alias.submodule", f"!{trap.evil}")
        ),
        "alias.submodule",
    ),
    "trailer": (setting("trailer.x.command"), "trailer.x.command"),
}


@pytest.mark.parametrize("name", PAYLOADS)
def test_no_payload_runs_and_each_is_told(trap: Trap, name: str) -> None:
    setup, word = PAYLOADS[name]
    before = trap.compare()
    setup(trap)
    trap.mark.unlink(missing_ok=True)
    trap.repo.bench = bench_in(trap.evil.parent)  # settings are taken as known for a moment
    made = trap.compare()
    assert not trap.mark.exists(), trap.mark.read_text()
    assert any(word in warned.what for warned in made.warnings), made.warnings
    assert str(trap.evil) not in repr(made.warnings)
    assert not any(word in warned.what for warned in before.warnings)
    assert (made.files, made.other_changes) == (before.files, before.other_changes)
    assert {file.path: file.state for file in made.files} == {
        "a.txt": FileState.PRESENT,
        "lost.txt": FileState.REVERTED,
        "gone.txt": FileState.DELETED,
        "clean.txt": FileState.PRESENT,
    }


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fsmonitor hook", ("status",)),
        ("hooks", ("status",)),
        ("hooks elsewhere", ("status",)),
        ("external diff", ("diff",)),
        ("diff command", ("diff",)),
        ("textconv", ("diff",)),
        ("clean", ("diff",)),
        ("process", ("diff",)),
        ("include", ("diff",)),
        ("conditional include", ("diff",)),
        ("settings of the worktree", ("diff",)),
    ],
)
def test_the_payloads_are_loaded(trap: Trap, name: str, words: tuple[str, ...]) -> None:
    """An unhardened git runs them for the same questions: the test above can fail."""
    PAYLOADS[name][0](trap)
    trap.mark.unlink(missing_ok=True)
    trap.repo.git(*words, check=False)
    assert trap.mark.exists()


def test_a_setting_that_names_another_worktree_is_not_followed(trap: Trap, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "private.txt").write_text("private\n")
    trap.set(("core.worktree", str(victim)))
    made = trap.compare()
    assert made.repo == str(trap.repo.root)
    assert file_of(made, "a.txt").owner is Owner.THIS_SESSION
    assert "private" not in repr(made.other_changes)
    assert any("core.worktree" in warned.what for warned in made.warnings)


def test_a_repository_of_somebody_else_is_compared_and_told(trap: Trap) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    for path in (trap.repo.root, trap.repo.root / ".git"):
        os.chown(path, 65534, 65534)
    made = trap.compare()
    assert file_of(made, "a.txt").owner is Owner.THIS_SESSION
    assert any("another user" in warned.what for warned in made.warnings)


def test_the_callers_variables_are_not_obeyed_and_told(trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = trap.mark.with_name("trace")
    variables = {
        "GIT_DIR": "/nowhere",
        "GIT_WORK_TREE": "/",
        "GIT_EXTERNAL_DIFF": str(trap.evil),
        "GIT_SSH_COMMAND": str(trap.evil),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "diff.external",
        "GIT_CONFIG_VALUE_0": str(trap.evil),
        "GIT_TRACE": str(trace),
        "GIT_TRACE2_EVENT": str(trace),
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    bench = trap.repo.bench
    places = replace(bench.machine.places, environment={**bench.machine.places.environment, **variables})
    from refloat.machine.git import HardenedGit

    trap.repo.bench = replace(bench, machine=replace(bench.machine, places=places, git=HardenedGit(places)))
    made = trap.compare()
    assert file_of(made, "a.txt").owner is Owner.THIS_SESSION
    assert not trap.mark.exists()
    assert not trace.exists()
    (told,) = [warned.what for warned in made.warnings if "variables" in warned.what]
    assert all(name in told for name in variables)
    assert str(trap.evil) not in told


def test_a_git_in_the_checkout_is_not_started(trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("git", "env", "git-status", "sh"):
        (trap.repo.root / name).write_text(trap.evil.read_text())
        (trap.repo.root / name).chmod(0o755)
    path = f".::bin:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    monkeypatch.chdir(trap.repo.root)
    trap.repo.bench = bench_in(trap.evil.parent)
    made = trap.compare()
    assert file_of(made, "a.txt").owner is Owner.THIS_SESSION
    assert not trap.mark.exists()


def test_a_partial_clone_is_compared_without_fetching(trap: Trap, tmp_path: Path) -> None:
    trap.repo.git("config", "uploadpack.allowFilter", "true")
    part = tmp_path / "part"
    words = ("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{trap.repo.root}", str(part))
    trap.repo.git("-c", "protocol.file.allow=always", *words)
    clone = Repo(part, trap.repo.bench)
    clone.git("config", "remote.origin.uploadpack", str(trap.evil))
    clone.git("config", "remote.origin.promisor", "true")
    clone.write("a.txt", NEW, 12)
    trap.mark.unlink(missing_ok=True)
    story = clone.story()
    story.edit(edited(clone.path("a.txt"), OLD, NEW))
    made = clone.compare(story)
    assert not trap.mark.exists()
    assert file_of(made, "a.txt").state is FileState.PRESENT
    assert any("remote.origin.promisor" in warned.what for warned in made.warnings)


def test_payloads_of_another_repository_that_the_session_edited_are_told(trap: Trap, tmp_path: Path) -> None:
    second = Repo(tmp_path / "second", trap.repo.bench)
    second.root.mkdir()
    second.git("init", "-q", "-b", "main")
    second.write("b.txt", OLD)
    second.commit("b")
    second.git("config", "core.fsmonitor", str(trap.evil))
    second.write("b.txt", NEW, 12)
    trap.mark.unlink(missing_ok=True)
    story = trap.repo.story()
    story.edit(edited(second.path("b.txt"), OLD, NEW))
    made = trap.repo.compare(story)
    assert not trap.mark.exists()
    told = [warned.path for warned in made.warnings if "core.fsmonitor" in warned.what]
    assert told == [str(second.root / ".git/config")]


def test_a_nested_bare_repository_with_payloads_runs_none(trap: Trap) -> None:
    """A folder that looks like a bare repository is one for git: its settings count when git is asked inside it."""
    inner = trap.repo.root / "assets"
    trap.repo.git("init", "-q", "--bare", str(inner))
    for key in ("core.fsmonitor", "core.pager", "diff.external", "alias.status"):
        subprocess.run(["git", "config", "--file", str(inner / "config"), key, str(trap.evil)], check=True)
    (inner / "config").write_text((inner / "config").read_text().replace("bare = true", "bare = false"))
    trap.repo.write("assets/note.txt", NEW, 12)
    story = trap.repo.story()
    story.workspace = str(inner)
    story.edit(written(trap.repo.path("assets/note.txt"), NEW, existed=False))
    made = trap.repo.compare(story)
    assert not trap.mark.exists()
    assert made.files[0].state is FileState.PRESENT


def test_a_setting_that_never_ends_costs_a_time_limit_and_no_more(trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    """A named pipe among the included files would have git wait for ever."""
    os.mkfifo(trap.repo.root / ".git" / "pipe")
    trap.set(("include.path", "pipe"))
    monkeypatch.setattr("refloat.machine.git._ASIDE", 0.5)
    made = trap.compare()
    assert made.files
    assert made.warnings


def test_a_comparison_takes_no_lock_and_leaves_the_index_alone(trap: Trap) -> None:
    folder = trap.repo.root / ".git"
    trap.repo.write("staged.txt", NEW, 12)
    trap.repo.git("add", "staged.txt")
    os.utime(trap.repo.path("staged.txt"), (1, 1))
    index = (folder / "index").read_bytes()
    os.utime(folder, (1, 1))
    trap.compare()
    assert (folder / "index").read_bytes() == index
    assert folder.stat().st_mtime == 1, "a lock was taken"
