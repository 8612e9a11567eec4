"""The hunks of dirty files, told on an index of these alone, are those that `git diff` tells of the whole worktree."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo

from refloat.checkout.index_file import index_file
from refloat.checkout.porcelain import DiffHunk, read_diff
from refloat.checkout.repository import Repository, load_repository
from refloat.machine.git import HardenedGit
from refloat.ports import GitAnswer

WHOLE = ("diff", "--no-renames", "-U0", "--ignore-submodules=all", "--diff-algorithm=histogram", "HEAD")
LONG = "long/" + "n" * 180 + "/" + "m" * 180


class Asked(HardenedGit):
    """A git that remembers the first words of its questions."""

    words: list[str]

    def run(
        self,
        directory: Path,
        *words: str,
        stdin: bytes | None = None,
        index: bytes | None = None,
        seconds: float = 30,
    ) -> GitAnswer:
        self.words.append(words[0])
        return super().run(directory, *words, stdin=stdin, index=index, seconds=seconds)


def look(repo: Repo) -> tuple[Repository, list[str]]:
    """The repository as it is loaded, and what of its hunks was asked."""
    git = Asked(repo.bench.machine.places)
    git.words = []
    loaded = load_repository(git, repo.root)
    assert loaded is not None
    assert not loaded.warnings
    return loaded, [word for word in git.words if word in ("diff", "diff-files")]


def whole(repo: Repo) -> dict[str, Sequence[DiffHunk]]:
    """What git tells of the whole worktree."""
    return dict(read_diff(repo.bench.machine.git.run(repo.root, *WHOLE).out))


@pytest.fixture
def many(repo: Repo) -> Repo:
    """A repository whose files are dirty in many ways, and nothing of them staged."""
    repo.write(".gitattributes", "*.dos text eol=crlf\n*.raw -diff\n")
    names = ["plain.py", "gone.py", 'ümlaut "q"\t.py', "a b/c d.py", "mode.sh", "turned.dos", "blob.bin", "x.raw", LONG]
    for name in [*names, "link.py", "clean.py", "touched.py", "open.py"]:
        repo.write(name, "".join(f"{name} {n}\n" for n in range(30)))
    repo.commit("many")
    for name in ["plain.py", names[2], names[3], "x.raw", LONG]:
        repo.write(name, "".join(f"{name} {n}\n" if n % 7 else f"other {n}\n" for n in range(33)), 40)
    repo.write("turned.dos", "".join(f"turned.dos {n}\r\n" for n in range(30)) + "new\r\n", 40)
    repo.write("blob.bin", b"a\0b", 40)
    repo.write("open.py", "no end", 40)
    repo.write("touched.py", (repo.root / "touched.py").read_bytes(), 40)
    repo.write("new.py", "untracked\n", 40)
    (repo.root / "gone.py").unlink()
    (repo.root / "mode.sh").chmod(0o755)
    (repo.root / "link.py").unlink()
    (repo.root / "link.py").symlink_to("plain.py")
    return repo


def test_dirty_files_are_compared_alone(many: Repo) -> None:
    expected = whole(many)
    loaded, asked = look(many)
    assert asked == ["diff-files"]
    assert loaded.hunks == expected
    assert {"plain.py", "gone.py", 'ümlaut "q"\t.py', "link.py", "open.py", LONG} <= set(expected)
    assert [len(hunk.lines) for hunk in loaded.hunks["turned.dos"]] == [1]


def test_attributes_that_are_gone_from_the_disk_still_hold(many: Repo) -> None:
    (many.root / ".gitattributes").unlink()
    loaded, asked = look(many)
    assert asked == ["diff-files"]
    assert loaded.hunks == whole(many)


def _stage(repo: Repo) -> None:
    repo.git("add", "plain.py")


def _add(repo: Repo) -> None:
    repo.git("add", "new.py")


def _mean_to_add(repo: Repo) -> None:
    repo.git("add", "-N", "new.py")


def _forget(repo: Repo) -> None:
    repo.git("rm", "-q", "--cached", "clean.py")


def _sparse(repo: Repo) -> None:
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!clean.py")


@pytest.mark.parametrize("change", [_stage, _add, _mean_to_add, _forget, _sparse])
def test_what_is_not_as_in_head_is_asked_of_the_whole(many: Repo, change: Callable[[Repo], None]) -> None:
    change(many)
    loaded, asked = look(many)
    assert "diff" in asked
    assert "diff-files" not in asked
    assert loaded.hunks == whole(many)


def no_index(_rows: object, _algorithm: str) -> bytes:
    return b"no index"


def test_a_git_that_takes_no_index_of_ours_is_asked_of_the_whole(many: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("refloat.checkout.repository.index_file", no_index)
    loaded, asked = look(many)
    assert asked == ["diff-files", "diff"]
    assert loaded.hunks == whole(many)


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_git_reads_the_index_as_it_was_meant(bare: Repo, algorithm: str) -> None:
    bare.git("init", "-q", "-b", "main", f"--object-format={algorithm}")
    oid = ("ab" * 32)[: 40 if algorithm == "sha1" else 64]
    name = os.fsdecode(b"caf\xe9")
    rows = [
        (LONG, "100644", oid),
        ("b", "100755", oid),
        ("a/b", "120000", oid),
        (name, "100644", oid),
        ("a", "100644", oid),
    ]
    answer = bare.bench.machine.git.run(bare.root, "ls-files", "-s", "-z", index=index_file(rows, algorithm))
    told = os.fsdecode(answer.out).split("\0")
    assert answer.err == ""
    assert told == [f"{mode} {oid} 0\t{path}" for path, mode, oid in sorted(rows, key=lambda r: os.fsencode(r[0]))] + [
        ""
    ]
    assert not (bare.root / ".git" / "index").exists()
    assert bare.bench.machine.git.run(bare.root, "fsck", "--no-progress", index=index_file([], algorithm)).code == 0
