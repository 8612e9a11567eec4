"""The hardened git against a repository that tries everything it may to have a program run."""

import os
import subprocess
from pathlib import Path

import pytest

from refloat.checkout.porcelain import read_diff
from refloat.machine.git import HardenedGit, read_origins, read_personal
from refloat.machine.git_options import harden, neutralised, programs_of
from refloat.machine.places import find_places

IDENTITY = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@x", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@x"}


def git(directory: Path, *words: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    answer = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *words],
        cwd=directory,
        env=clean | IDENTITY | {"HOME": str(directory), "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return answer.stdout


def tool(tmp_path: Path, environment: dict[str, str] | None = None) -> HardenedGit:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return HardenedGit(find_places({"HOME": str(home), "PATH": os.environ["PATH"]} | (environment or {})))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    place = tmp_path / "repo"
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    (place / "a.txt").write_text("one\n")
    (place / "b.dat").write_text("two\n")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "start")
    return place


HOSTILE = (
    "core.fsmonitor",
    "core.pager",
    "core.sshCommand",
    "core.askPass",
    "core.editor",
    "core.alternateRefsCommand",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.a=b.clean",
    "interactive.diffFilter",
    "gpg.program",
    "pager.status",
    "pager.log",
)


@pytest.fixture
def hostile(repo: Path, tmp_path: Path) -> Path:
    """Every setting runs a program that leaves a mark; the files are such that git would ask for it."""
    program = tmp_path / "evil.sh"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/PWNED\ncat 2>/dev/null\nexit 0\n')
    program.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout"):
        (hooks / hook).write_text(program.read_text())
        (hooks / hook).chmod(0o755)
    (repo / ".gitattributes").write_text("*.txt diff=evil filter=evil\n*.dat filter=a=b diff=evil\n")
    (repo / "sub.txt").write_text("x\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "attributes")
    for key in HOSTILE:
        git(repo, "config", key, str(program))
    included = repo / ".git" / "more"
    included.write_text(f'[filter "far"]\n\tprocess = {program}\n\trequired = true\n')
    git(repo, "config", "include.path", "more")
    git(repo, "config", "core.hooksPath", str(hooks))
    git(repo, "config", "log.showSignature", "true")
    git(repo, "config", "alias.status", f"!{program}")
    git(repo, "config", "alias.grab", f"!{program}")
    git(repo, "config", "filter.evil.required", "true")
    git(repo, "config", "color.ui", "always")
    git(repo, "config", "diff.noprefix", "true")
    git(repo, "config", "status.submoduleSummary", "true")
    (repo / "a.txt").write_text("one\nchanged\n")
    (repo / "b.dat").write_text("two\nchanged\n")
    (repo / "c.txt").write_text("new\n")
    (tmp_path / "PWNED").unlink(missing_ok=True)
    return repo


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("core.fsmonitor", ("status",)),
        ("diff.external", ("diff",)),
        ("diff.evil.command", ("diff",)),
        ("diff.evil.textconv", ("diff",)),
        ("diff.evil.textconv", ("blame", "a.txt")),
        ("filter.evil.clean", ("diff",)),
        ("filter.a=b.clean", ("diff",)),
        ("core.alternateRefsCommand", ("rev-list", "--all", "--alternate-refs")),
    ],
)
def test_the_trap_works(hostile: Path, tmp_path: Path, key: str, words: tuple[str, ...]) -> None:
    """Without the hardening the same repository runs its programs: the other tests prove something."""
    git(tmp_path, "clone", "-q", "--bare", str(hostile), "alternate")
    (hostile / ".git/objects/info/alternates").write_text(f"{tmp_path}/alternate/objects\n")
    (tmp_path / "PWNED").unlink(missing_ok=True)
    settings = hostile / ".git" / "config"
    settings.write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
    (hostile / ".gitattributes").write_text(f"* diff=evil filter={'a=b' if '=' in key else 'evil'}\n")
    git(hostile, "config", key, str(tmp_path / "evil.sh"))
    git(hostile, *words)
    assert (tmp_path / "PWNED").exists()
    (tmp_path / "PWNED").unlink()
    assert tool(tmp_path).run(hostile, *words).code == 0
    assert not (tmp_path / "PWNED").exists()


def test_nothing_of_a_hostile_repository_runs(hostile: Path, tmp_path: Path) -> None:
    ask = tool(tmp_path)
    index = hostile / ".git" / "index"
    os.utime(index, ns=(1, 1))
    before = index.read_bytes()
    for words in (
        ("status", "--porcelain=v2", "-z", "--branch"),
        ("status",),
        ("diff",),
        ("diff", "HEAD"),
        ("diff", "--cached"),
        ("diff-files", "-p"),
        ("diff-index", "-p", "HEAD"),
        ("diff-tree", "-p", "HEAD"),
        ("log", "-p", "--all"),
        ("show", "HEAD"),
        ("blame", "a.txt"),
        ("grep", "one"),
        ("stash", "list"),
        ("reflog", "show", "HEAD"),
        ("worktree", "list", "--porcelain"),
        ("ls-files", "-m", "-o", "--exclude-standard"),
        ("hash-object", "a.txt"),
        ("cat-file", "-p", "HEAD:a.txt"),
        ("rev-list", "--all", "--alternate-refs"),
        ("fsck", "--no-reflogs"),
        ("for-each-ref",),
    ):
        answer = ask.run(hostile, *words)
        assert answer.code == 0, (words, answer)
        assert b"\x1b" not in answer.out, words
        assert not (tmp_path / "PWNED").exists(), words
    assert index.read_bytes() == before
    assert index.stat().st_mtime_ns == 1
    assert not list((hostile / ".git").glob("*.lock"))


def test_answers_are_those_of_a_plain_repository(hostile: Path, tmp_path: Path) -> None:
    ask = tool(tmp_path)
    status = ask.run(hostile, "status", "--porcelain", "-z").out.split(b"\0")
    assert status == [b" M a.txt", b" M b.dat", b"?? c.txt", b""]
    assert b"--- a/a.txt\n+++ b/a.txt\n" in ask.run(hostile, "diff", "--", "a.txt").out


def test_what_was_not_obeyed_is_told_by_name_and_file(hostile: Path, tmp_path: Path) -> None:
    (hostile / "deep").mkdir()
    told = tool(tmp_path).not_obeyed(hostile / "deep")
    words = " ".join(warned.what for warned in told)
    for key in (
        "core.fsmonitor",
        "diff.external",
        "filter.evil.clean",
        "filter.far.process",
        "alias.grab",
        "pager.log",
    ):
        assert f" {key} " in f"{words} "
    assert {warned.path for warned in told} == {str(hostile / ".git/config"), str(hostile / ".git/more")}
    assert "evil.sh" not in words


def test_a_harmless_repository_has_nothing_to_tell(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "core.fsmonitor", "false")
    assert tool(tmp_path).not_obeyed(repo) == ()
    assert tool(tmp_path).not_obeyed(tmp_path) == ()


def test_hooks_that_would_run_are_told(repo: Path, tmp_path: Path) -> None:
    hooks = repo / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name, mode in (("pre-commit", 0o755), ("pre-push.sample", 0o755), ("notes", 0o644)):
        (hooks / name).write_text("#!/bin/sh\n")
        (hooks / name).chmod(mode)
    (told,) = tool(tmp_path).not_obeyed(repo)
    assert (told.what, told.path) == ("git hooks were met and not run: pre-commit", str(hooks))


def test_nothing_runs_inside_a_submodule(repo: Path, tmp_path: Path, hostile: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "--quiet", "add", str(repo), "inner")
    git(outer, "commit", "-q", "-m", "with a submodule")
    inner = outer / "inner"
    for key in HOSTILE:
        git(outer, "config", "--file", str(outer / ".git/modules/inner/config"), key, str(tmp_path / "evil.sh"))
    git(outer, "config", "diff.submodule", "diff")
    git(outer, "config", "submodule.inner.ignore", "none")
    (inner / "a.txt").write_text("dirty\n")
    (tmp_path / "PWNED").unlink(missing_ok=True)
    ask = tool(tmp_path)
    for words in (("status", "--porcelain"), ("status",), ("diff",), ("diff", "HEAD"), ("diff-index", "HEAD")):
        assert ask.run(outer, *words).code == 0
        assert not (tmp_path / "PWNED").exists(), words


def test_a_partial_clone_fetches_nothing(repo: Path, tmp_path: Path) -> None:
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo}", "part")
    part = tmp_path / "part"
    git(part, "config", "remote.origin.uploadpack", f"touch {tmp_path}/PWNED; git-upload-pack")
    ask = tool(tmp_path)
    answer = ask.run(part, "cat-file", "-p", "HEAD:a.txt", seconds=20)
    assert answer.code != 0
    assert not answer.timed_out
    assert not (tmp_path / "PWNED").exists()
    assert any("promisor" in warned.what for warned in ask.not_obeyed(part))


def test_the_callers_git_variables_do_not_leak(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "PWNED"
    for name, value in {
        "GIT_DIR": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere",
        "GIT_EXTERNAL_DIFF": f"touch {mark}",
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_CONFIG_PARAMETERS": f"'diff.external'='touch {mark}'",
    }.items():
        monkeypatch.setenv(name, value)
    (repo / "a.txt").write_text("x\n")
    ask = tool(tmp_path, dict(os.environ) | {"HOME": str(tmp_path / "home")})
    assert b"+x" in ask.run(repo, "diff").out
    assert not mark.exists()
    assert not (tmp_path / "trace").exists()


def test_replaced_objects_are_shown_as_they_were(repo: Path, tmp_path: Path) -> None:
    (repo / "a.txt").write_text("forged\n")
    git(repo, "replace", git(repo, "rev-parse", "HEAD:a.txt").strip(), git(repo, "hash-object", "-w", "a.txt").strip())
    assert tool(tmp_path).run(repo, "cat-file", "-p", "HEAD:a.txt").out == b"one\n"


def test_output_is_bytes_to_the_last_and_input_goes_in(repo: Path, tmp_path: Path) -> None:
    ask = tool(tmp_path)
    (repo / "bin").write_bytes(b"\xff\x00\n\n")
    answer = ask.run(repo, "hash-object", "--stdin", stdin=b"\xff\x00\n\n")
    assert answer.out == ask.run(repo, "hash-object", "bin").out
    git(repo, "add", "bin")
    assert ask.run(repo, "cat-file", "-p", ":bin").out == b"\xff\x00\n\n"


def test_a_repository_of_somebody_else_still_answers(repo: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    for path in (repo, repo / ".git"):
        os.chown(path, 65534, 65534)
    assert tool(tmp_path).run(repo, "rev-parse", "HEAD").code == 0


def test_the_persons_own_ignore_list_counts_and_their_programs_do_not(repo: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "ignore").write_text("*.own\n")
    (home / ".gitconfig").write_text(f"[diff]\n\texternal = touch {tmp_path}/PWNED\n[core]\n\tautocrlf = input\n")
    (repo / "x.own").write_text("")
    (repo / "a.txt").write_text("x\n")
    ask = tool(tmp_path)
    assert ask.run(repo, "status", "--porcelain").out == b" M a.txt\n"
    assert ask.run(repo, "diff").code == 0
    assert not (tmp_path / "PWNED").exists()
    assert ask.run(repo, "config", "--get", "core.autocrlf").out == b"input\n"


def test_a_git_in_the_inspected_directory_is_never_started(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "git").write_text(f"#!/bin/sh\ntouch {tmp_path}/PWNED\n")
    (repo / "git").chmod(0o755)
    monkeypatch.chdir(repo)
    path = f"::.:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    assert tool(tmp_path, {"PATH": path}).run(repo, "rev-parse", "HEAD").code == 0
    assert not (tmp_path / "PWNED").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("commit",),
        ("gc",),
        ("grab",),
        ("stash", "push"),
        ("stash",),
        ("worktree", "add", "x"),
        ("reflog", "expire"),
        ("branch", "new"),
        ("config", "a.b", "c"),
        ("hash-object", "-w", "f"),
        ("diff", "--output=x"),
        ("diff", "--ext-diff"),
        ("cat-file", "--textconv", "HEAD:a"),
        ("fsck", "--lost-found"),
        ("symbolic-ref", "-q", "HEAD", "refs/heads/x"),
        ("apply", "p"),
        ("status", "-vv"),
        ("status", "-sv"),
    ],
)
def test_what_is_no_question_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="git"):
        harden(words)


@pytest.mark.parametrize(
    "words",
    [
        ("diff", "-w", "--", "--output=x"),
        ("symbolic-ref", "-q", "HEAD"),
        ("branch", "--show-current"),
        ("stash", "list", "-z"),
        ("ls-files", "-d"),
    ],
)
def test_questions_pass(words: tuple[str, ...]) -> None:
    assert [word for word in harden(words) if word in words] == list(words)


def test_which_settings_start_programs() -> None:
    keys = ["core.bare", "user.name", "filter.x.y.clean", "filter.clean", "diff.a.textconv", "alias.st", "diff.context"]
    assert programs_of(keys) == ("filter.x.y.clean", "diff.a.textconv", "alias.st")
    assert dict(neutralised(keys))["filter.x.y.clean"] == ""
    assert "filter.clean" not in dict(neutralised(keys))


def test_origins_leave_out_what_refloat_itself_gave(tmp_path: Path) -> None:
    listing = b"file:.git/config\0core.bare\nfalse\0command line:\0core.pager\ncat\0file:/x\0a.b\0"
    assert read_origins(listing, tmp_path) == {"core.bare": str(tmp_path / ".git/config"), "a.b": "/x"}


def test_personal_settings_are_few(tmp_path: Path) -> None:
    places = find_places({"HOME": "/h"})
    assert read_personal(b"core.excludesfile\n~/i\0core.pager\nless\0core.autocrlf\0", places) == {
        "core.excludesfile": "/h/i",
        "core.autocrlf": "true",
    }


@pytest.mark.parametrize(
    "words",
    [
        ("diff", "-U0", "HEAD"),
        ("diff", "--cached", "HEAD"),
        ("diff",),
        ("status", "--porcelain=v2", "--branch"),
        ("diff-index", "-p", "HEAD"),
        ("ls-files", "-v"),
        ("stash", "list"),
        ("worktree", "list"),
    ],
    ids=" ".join,
)
def test_a_question_neither_locks_nor_rewrites_the_index(tmp_path: Path, repo: Path, words: tuple[str, ...]) -> None:
    (repo / "b.dat").write_text("three\n")
    git(repo, "add", "b.dat")
    for name in ("a.txt", "b.dat"):
        os.utime(repo / name, (1, 1))  # git would like to note the new times
    index = (repo / ".git" / "index").read_bytes()
    os.utime(repo / ".git", (1, 1))
    assert tool(tmp_path).run(repo, *words).code == 0
    assert (repo / ".git" / "index").read_bytes() == index
    assert (repo / ".git").stat().st_mtime == 1, "a lock was taken"


def test_a_file_that_only_has_a_new_time_has_no_dirty_place(tmp_path: Path, repo: Path) -> None:
    os.utime(repo / "a.txt", (1, 1))
    answer = tool(tmp_path).run(repo, "diff", "-U0", "HEAD")
    assert answer.code == 0
    assert read_diff(answer.out) == {}


def test_a_git_that_cannot_be_started_is_told_from_none_and_asked_again(tmp_path: Path) -> None:
    fake = tmp_path / "git"
    fake.write_bytes(b"\x00no program")
    fake.chmod(0o755)
    ask = tool(tmp_path, {"PATH": str(tmp_path)})
    assert ask.version() is None
    assert (ask.why_not() or "").startswith("git could not be started: ")
    assert ask.run(tmp_path, "status").err == ask.why_not()
    fake.write_text("#!/bin/sh\necho git version 2.39.5\n")
    assert ask.version() == "2.39.5"
    assert ask.why_not() is None


def test_no_git_at_all_says_so(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    assert tool(tmp_path, {"PATH": str(tmp_path / "bare")}).why_not() == "there is no git on the path"
