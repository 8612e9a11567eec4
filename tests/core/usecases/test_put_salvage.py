"""Where a salvage may be written, and that nothing leads out of there."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from refloat.errors import NotDone, UsageError
from refloat.model.salvage import Salvage, SalvagedFile
from refloat.model.session import SessionName
from refloat.readers.registry import load_all
from refloat.testing.fakes import fake_machine
from refloat.usecases.put_salvage import put_salvage
from refloat.usecases.workbench import Workbench

NAME = SessionName("claude-code:5f0c1d2e-0000-4000-8000-000000000001")
PATCHED = SalvagedFile("a.py", in_patch=True, why="restores it")


def make(*files: SalvagedFile, patch: str = "diff --git a/a.py b/a.py\n") -> Salvage:
    return Salvage(NAME, "/w", patch, files, 0)


def left(path: str, content: bytes | None = b"x\n") -> SalvagedFile:
    return SalvagedFile(path, in_patch=False, why="it lies elsewhere", beside=content)


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    readers, _ = load_all()
    return Workbench(fake_machine(tmp_path), readers)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def below(directory: Path) -> Sequence[str]:
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


def test_all_of_it_is_private(bench: Workbench, tmp_path: Path) -> None:
    put = put_salvage(bench, make(PATCHED, left("dir/b.py"), left("none.py", None)), tmp_path / "lost.patch")
    assert put.patch == tmp_path / "lost.patch"
    assert put.patch is not None
    assert put.patch.read_text() == '<!-- refloat/1 {"wrote":"patch"} -->\ndiff --git a/a.py b/a.py\n'
    assert put.beside is not None
    assert put.listing is not None
    files = [put.patch, put.listing, put.beside / "dir/b.py"]
    assert {mode(path) for path in files} == {0o600}
    assert {mode(path) for path in (put.beside, put.beside / "dir")} == {0o700}
    told = put.listing.read_text()
    assert "dir/b.py" in told
    assert "it lies elsewhere" in told
    assert "none.py\n  content: not known whole" in told
    assert "a.py\n" not in told


def test_recorded_paths_never_lead_out(bench: Workbench, tmp_path: Path) -> None:
    names = ["../../up.py", "/etc/passwd", "a/../../b", "./.", "x" * 300, "a", "a/b", "new\nline", "zero\0byte"]
    put = put_salvage(bench, make(*map(left, names), patch=""), tmp_path / "lost.patch")
    assert put.patch is None
    assert put.beside is not None
    made = below(put.beside)
    assert len(made) == len(names)
    assert "outside/etc/passwd" in made
    assert "up.py" in made
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lost.patch.files", "lost.patch.files.txt"]


def test_nothing_found_writes_nothing(bench: Workbench, tmp_path: Path) -> None:
    put = put_salvage(bench, make(patch=""), tmp_path / "lost.patch")
    assert (put.patch, put.beside, put.listing) == (None, None, None)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays_unless_told(bench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "lost.patch"
    path.write_text("mine\n")
    with pytest.raises(NotDone, match="is there already"):
        put_salvage(bench, make(PATCHED), path)
    assert path.read_text() == "mine\n"
    (tmp_path / "new.patch").touch()
    assert put_salvage(bench, make(PATCHED), tmp_path / "new.patch").patch is not None
    put_salvage(bench, make(PATCHED), path, overwrite=True)
    assert path.read_text().endswith("\ndiff --git a/a.py b/a.py\n")


def test_a_link_in_its_place_is_replaced_or_refused_never_followed(bench: Workbench, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / "lost.patch.files").symlink_to(target)
    with pytest.raises(UsageError):
        put_salvage(bench, make(left("b.py"), patch=""), tmp_path / "lost.patch", overwrite=True)
    (tmp_path / "lost.patch.files").unlink()
    (tmp_path / "lost.patch.files").mkdir()
    (tmp_path / "lost.patch.files" / "b.py").symlink_to(target / "b.py")
    (tmp_path / "lost.patch.files" / "dir").symlink_to(target)
    put_salvage(bench, make(left("b.py"), left("dir/c.py"), patch=""), tmp_path / "lost.patch", overwrite=True)
    assert list(target.iterdir()) == []
    assert (tmp_path / "lost.patch.files" / "b.py").read_bytes() == b"x\n"


@pytest.mark.parametrize(
    "place", ["home/.claude", "home/.claude/projects/p", "home/.codex/sessions", "repo/.git", "link"]
)
def test_never_among_an_agents_records_nor_in_a_git_directory(bench: Workbench, tmp_path: Path, place: str) -> None:
    (tmp_path / "home/.claude/projects/p").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "home/.claude/projects")
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    with pytest.raises(UsageError, match="name another place"):
        put_salvage(bench, make(PATCHED), tmp_path / place / "lost.patch")
    assert not (tmp_path / place / "lost.patch").exists()


def test_a_home_is_no_agents_directory(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    assert put_salvage(bench, make(PATCHED), tmp_path / "home" / "lost.patch").patch is not None


@pytest.mark.parametrize("name", ["lost.patch.files", "lost.patch.files.txt"])
def test_nothing_is_written_where_what_goes_beside_could_not_be(bench: Workbench, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    for overwrite in (False, True):
        with pytest.raises(UsageError, match="name another"):
            put_salvage(bench, make(PATCHED, left("b.py")), tmp_path / "lost.patch", overwrite=overwrite)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_only_an_agents_own_directories_are_its_own(tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = {"CLAUDE_CONFIG_DIR": str(tmp_path / "srv/claude"), "CODEX_SQLITE_HOME": str(home / ".local/codex")}
    readers, _ = load_all()
    bench = Workbench(fake_machine(tmp_path, environment=environment), readers)
    for place in ("srv", "home/.local"):
        (tmp_path / place).mkdir(parents=True)
        assert put_salvage(bench, make(PATCHED), tmp_path / place / "lost.patch").patch is not None
    for place in ("srv/claude", "home/.local/codex", "home/.codex"):
        (tmp_path / place).mkdir(parents=True)
        with pytest.raises(UsageError, match="among the records"):
            put_salvage(bench, make(PATCHED), tmp_path / place / "lost.patch")
