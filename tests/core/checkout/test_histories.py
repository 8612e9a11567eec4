r"""Random edit histories over random files: folding equals making them, and a salvage brings all of it back.

The oracle is a dictionary of texts changed by plain string operations; it knows nothing of the code under test. Lines
end at `\n` alone, so the alphabet holds what other functions split at.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.core.checkout.conftest import Repo

from refloat.checkout.compare import judge
from refloat.checkout.files import Content
from refloat.checkout.fold import fold
from refloat.checkout.recorded import OtherRecords
from refloat.checkout.trees import Trees
from refloat.model.checkout import FileState
from refloat.model.session import SessionName
from refloat.model.transcript import FileEdit, Hunk
from refloat.testing.stories import StoryBuilder, hunks_between, replaced, written
from refloat.usecases.salvage import salvage

LINES = st.sampled_from(
    [
        "alpha",
        "beta",
        "alpha",
        "    return x",
        "",
        "",
        "}",
        "\ttab",
        "a\x0cb",
        "a\u2028b",
        "a\x85b",
        "\x1cé ☃",
        "x = 1\r",
    ]
)
NAMES = ("a.txt", "b c.txt", "dir/ü.txt", "dir/d.txt")


def joined(lines: list[str], end: str) -> str:
    return "\n".join(lines) + end


def windows(text: str) -> str:
    return text.replace("\r", "").replace("\n", "\r\n")


UNIX = st.builds(joined, st.lists(LINES, max_size=12), st.sampled_from(["", "\n", "\n"]))
TEXTS = st.one_of(UNIX, UNIX, st.builds(windows, UNIX))
OPERATIONS = ("write", "exact", "patch", "replace", "every", "append", "delete", "rename", "moving patch", "codex")


@dataclass
class History:
    """Files as they really are, and the record of how they came about."""

    root: str
    files: dict[str, str]
    story: StoryBuilder = field(default_factory=StoryBuilder)
    known: set[str] = field(default_factory=set[str])
    """Of which the record holds the whole text."""

    def path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def make(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(NAMES), "file")
        if name not in self.files:
            self.create(name, data.draw(TEXTS, "text"))
            return
        before = self.files[name]
        how = data.draw(st.sampled_from(OPERATIONS if name in self.known else ("write", "exact", "delete")), "how")
        match how:
            case "write":
                self._set(name, data.draw(TEXTS), lambda after: FileEdit(self.path(name), "update", before, after))
            case "exact":
                self._set(name, data.draw(TEXTS), lambda after: self._patch(name, before, after, data, exact=True))
            case "patch":
                self._set(name, data.draw(TEXTS), lambda after: self._patch(name, before, after, data, exact=False))
            case "replace" | "every":
                self._replace(name, data, every=how == "every")
            case "append":
                line = data.draw(LINES)
                hunk = Hunk(None, 0, None, 1, ("+" + line,))
                self._set(name, before + line + "\n", lambda _: FileEdit(self.path(name), "update", hunks=(hunk,)))
            case "delete":
                self.delete(name)
            case "codex":
                self._codex(name, data)
            case _:
                self._rename(name, data, patched=how == "moving patch")

    def create(self, name: str, text: str) -> None:
        self.story.edit(written(self.path(name), text, existed=False))
        self.files[name] = text
        self.known.add(name)

    def delete(self, name: str) -> None:
        self.story.edit(FileEdit(self.path(name), "delete", before=self.files.pop(name), existed=True))

    def _set(self, name: str, after: str, edit: Callable[[str], FileEdit]) -> None:
        if after != self.files[name]:
            self.story.edit(edit(after))
            self.files[name] = after
            self.known.add(name)

    def _patch(self, name: str, before: str, after: str, data: st.DataObject, *, exact: bool) -> FileEdit:
        hunks = hunks_between(before, after, data.draw(st.integers(0, 3), "context"))
        return FileEdit(self.path(name), "update", before=before if exact else None, hunks=hunks, existed=True)

    def _replace(self, name: str, data: st.DataObject, *, every: bool) -> None:
        """As an edit tool does: the old text stands there once, whatever the line ends, or all of it is meant."""
        before = self.files[name]
        start = data.draw(st.integers(0, len(before)), "from")
        old = before[start : start + data.draw(st.integers(1, 12), "length")]
        plain = before.replace("\r", "")
        if not old.strip("\r\n") or "\r" in old or (not every and plain.count(old) != 1):
            return
        new = data.draw(st.sampled_from(["", "new", "one\ntwo", old + old, "x\n"]), "new")
        if not every and before.count(old) != 1:
            return
        count = -1 if every else 1
        self._set(name, before.replace(old, new, count), lambda _: replaced(self.path(name), old, new, every=every))

    def _codex(self, name: str, data: st.DataObject) -> None:
        """As `apply_patch` does: the first place at which all old lines stand."""
        lines = self.files[name].split("\n")
        if len(lines) < 3 or "\r" in self.files[name]:
            return
        at = data.draw(st.integers(0, len(lines) - 3), "line")
        old = lines[at : at + 2]
        first = next(i for i in range(len(lines)) if lines[i : i + 2] == old)
        new = data.draw(st.lists(LINES.filter(lambda line: "\r" not in line), max_size=2), "lines")
        hunk = Hunk(None, 2, None, 1 + len(new), (" " + old[0], "-" + old[1], *("+" + line for line in new)))
        after = "\n".join([*lines[: first + 1], *new, *lines[first + 2 :]])
        self._set(name, after, lambda _: FileEdit(self.path(name), "update", hunks=(hunk,), existed=True))

    def _rename(self, name: str, data: st.DataObject, *, patched: bool) -> None:
        target = next((other for other in NAMES if other not in self.files), None)
        if target is None:
            return
        before = self.files.pop(name)
        after = data.draw(TEXTS) if patched else before
        hunks = hunks_between(before, after) if after != before else ()
        to = self.path(target)
        self.story.edit(FileEdit(self.path(name), "update", before=before, hunks=hunks, moved_to=to, existed=True))
        self.files[target] = after
        self.known.add(target)


@settings(max_examples=200)
@given(st.data())
def test_folding_a_history_leaves_what_making_it_leaves(data: st.DataObject) -> None:
    history = History("/w", {})
    for _ in range(data.draw(st.integers(1, 8), "edits")):
        history.make(data)
    folded = fold(history.story.steps)
    for name in NAMES:
        file = folded.get(history.path(name))
        if file is None:
            continue
        assert file.deleted == (name not in history.files)
        if name in history.files:
            assert file.text == history.files[name]
            assert judge(file, Content("text", history.files[name])).state is FileState.PRESENT


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whoever_removed_a_line_is_among_those_that_may_have(data: st.DataObject, bare: Repo) -> None:
    history = History("/w", {})
    for _ in range(data.draw(st.integers(1, 8), "edits")):
        history.make(data)
    story = history.story.build()
    trees = Trees(bare.bench.machine.git, None, "/w")
    others = OtherRecords([story], SessionName("claude-code:own"), map(history.path, NAMES), trees)
    assert [record.folded for record in others] == [fold(story.every_step)]
    (other,) = others
    for path, file in other.folded.items():
        for line in file.traces.removed:
            assert list(others.that_may_have_removed(line, path)) == list(others)


def test_a_line_put_together_from_parts_or_moved_here_may_have_been_removed(bare: Repo) -> None:
    story = StoryBuilder()
    story.edit(written("/w/a.txt", "one two\n", existed=False))
    story.edit(replaced("/w/a.txt", "two", "three", every=False))
    story.edit(FileEdit("/w/a.txt", "delete", existed=True))
    story.edit(written("/w/b.txt", "moved\n", existed=False))
    story.edit(FileEdit("/w/b.txt", "update", moved_to="/w/c.txt", existed=True))
    story.edit(FileEdit("/w/c.txt", "delete", existed=True))
    paths = ["/w/a.txt", "/w/c.txt"]
    others = OtherRecords(
        [story.build()], SessionName("claude-code:own"), paths, Trees(bare.bench.machine.git, None, "/w")
    )
    (other,) = others
    for path, line in zip(paths, ["one three", "moved"], strict=True):
        assert line in other.folded[path].traces.removed
        assert list(others.that_may_have_removed(line, path)) == list(others)


def test_of_edits_with_positions_only_those_that_hold_a_line_may_have_removed_it(bare: Repo) -> None:
    story = StoryBuilder()
    story.edit(FileEdit("/w/a.txt", "update", hunks=hunks_between("alpha\nbeta\n", "gamma\nbeta\n"), existed=True))
    others = OtherRecords(
        [story.build()], SessionName("claude-code:own"), ["/w/a.txt"], Trees(bare.bench.machine.git, None, "/w")
    )
    assert list(others.that_may_have_removed("alpha", "/w/a.txt")) == list(others)
    assert list(others.that_may_have_removed("delta", "/w/a.txt")) == []
    assert list(others.that_may_have_removed("alpha", "/w/b.txt")) == []


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("histories")


def fresh(place: Path, files: Mapping[str, str]) -> Repo:
    from tests.core.checkout.conftest import bench_in

    root = place / "work"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    repo = Repo(root, bench_in(place))
    repo.git("init", "-q", "-b", "main")
    repo.write("README.md", "# Work\n")
    for name, text in files.items():
        repo.write(name, text)
    repo.commit("start")
    return repo


def contents(repo: Repo) -> dict[str, bytes]:
    files = (path for path in repo.root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(repo.root)): path.read_bytes() for path in files if path.name != "README.md"}


STARTS = st.dictionaries(st.sampled_from(NAMES[:3]), TEXTS, max_size=3)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(STARTS, st.data())
def test_a_salvage_of_a_reverted_session_restores_every_byte(
    place: Path, start: dict[str, str], data: st.DataObject
) -> None:
    """The session's edits were all undone: the tree is as it was before. `git apply` brings back what they left."""
    history = History(str(place / "work"), dict(start))
    for _ in range(data.draw(st.integers(1, 6), "edits")):
        history.make(data)
    _salvaged(place, start, history)


def test_a_salvage_tells_a_mere_deletion_that_was_undone_and_does_not_make_it_again(place: Path) -> None:
    """The counterexample that the property found: nothing shows that it was not put back on purpose."""
    for text in ("", "alpha\n"):
        history = History(str(place / "work"), {"a.txt": text})
        history.delete("a.txt")
        _salvaged(place, {"a.txt": text}, history)


def test_a_deletion_went_with_the_rest_although_a_file_was_left_as_it_was_found(place: Path) -> None:
    """What was changed and changed back, or made and deleted, stands the same in a tree that lost everything."""
    start = {"a.txt": "alpha\n", "b c.txt": "beta\n"}
    history = History(str(place / "work"), dict(start))
    path = history.path("b c.txt")
    history.story.edit(FileEdit(path, "update", "beta\n", "other\n"), FileEdit(path, "update", "other\n", "beta\n"))
    history.create("gone.txt", "x\n")
    history.delete("gone.txt")
    history.create("dir/d.txt", "made\n")
    history.delete("a.txt")
    _salvaged(place, start, history)


@pytest.mark.parametrize("deleted", [False, True])
def test_a_file_moved_away_with_the_text_that_it_began_with_is_no_file_left_as_it_was_found(
    place: Path, deleted: bool
) -> None:
    """The counterexample that the property found: all was lost, and so the old path is deleted again."""
    text = "alpha\nalpha\nalpha"
    start = {"a.txt": text}
    history = History(str(place / "work"), dict(start))
    old, new = history.path("a.txt"), history.path("b c.txt")
    history.story.edit(FileEdit(old, "update", text, ""))
    moved = FileEdit(old, "update", before="", hunks=hunks_between("", text), moved_to=new, existed=True)
    history.story.edit(moved)
    history.files = {"b c.txt": text}
    if deleted:
        history.delete("b c.txt")
        history.create("dir/d.txt", "made\n")
    _salvaged(place, start, history)


def _salvaged(place: Path, start: Mapping[str, str], history: History) -> None:
    """Hold a salvage of a history against it, in a tree that shows nothing of it."""
    repo = fresh(place, start)
    history.story.workspace = str(repo.root)
    found = salvage(repo.bench, history.story.build())
    beside = [file.path for file in found.files if not file.in_patch]
    if any(start.get(name) != text for name, text in history.files.items()):
        assert [(file.path, file.why) for file in found.files if not file.in_patch] == []
    else:
        # Deletions and no content were undone: they may have been on purpose. They are told, and not made again.
        assert (sorted(beside), found.patch) == (sorted(set(start) - set(history.files)), "")
    if found.patch:
        patch = place / "lost.patch"
        patch.write_bytes(found.patch.encode())
        repo.git("apply", "--whitespace=nowarn", str(patch))
    left = history.files if not beside else start
    assert contents(repo) == {name: text.encode() for name, text in left.items()}


DISTINCT = st.lists(st.integers(0, 30), min_size=1, max_size=14, unique=True)


def numbered(numbers: list[int], end: str) -> str:
    return "".join(f"line {number}{end}" for number in numbers)


def without_returns(versions: list[list[int]]) -> list[list[int]]:
    gone: set[int] = set()
    kept: list[list[int]] = []
    for version in versions:
        kept.append([number for number in version if number not in gone])
        gone |= set(kept[-2] if len(kept) > 1 else ()) - set(kept[-1])
    return kept


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(DISTINCT, min_size=2, max_size=4), st.sampled_from(["\n", "\r\n"]), st.booleans())
@example([[1, 2, 3], [1, 4, 3]], "\r\n", True)
@example([[1], [2], [1], [0]], "\r\n", True)
def test_mere_hunks_are_enough_where_lines_are_distinct(
    place: Path, versions: list[list[int]], end: str, blind: bool
) -> None:
    """The record has no whole content; a `blind` one has no carriage returns either.

    No line comes back once it is gone: mere hunks cannot tell it from one that was never touched.
    """
    texts = [numbered(numbers, end) for numbers in without_returns(versions)]
    repo = fresh(place, {"a.txt": texts[0]})
    story = repo.story()
    for before, after in pairwise(texts):
        told = (before.replace("\r", ""), after.replace("\r", "")) if blind else (before, after)
        if before != after:
            story.edit(FileEdit(repo.path("a.txt"), "update", hunks=hunks_between(*told), existed=True))
    found = salvage(repo.bench, story.build())
    if found.patch:
        patch = place / "lost.patch"
        patch.write_bytes(found.patch.encode())
        repo.git("apply", "--whitespace=nowarn", str(patch))
    assert contents(repo) == {"a.txt": texts[-1].encode()}
