"""A new file: private, whole or not at all, never through a link and never over another one."""

import errno
import os
import signal
import stat
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

import pytest

from refloat.errors import NotDone, UsageError
from refloat.repair.place import put_new


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.rglob("*"))


def test_directories_between_are_made_and_all_of_it_is_private(tmp_path: Path) -> None:
    path = put_new(tmp_path, ("2026", "09", "x.jsonl"), [b"one\n", b"two\n"])
    assert path.read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert names(tmp_path) == ["09", "2026", "x.jsonl"]


@pytest.mark.parametrize("kind", ["file", "link", "dangling"])
def test_nothing_that_is_there_is_replaced(tmp_path: Path, kind: str) -> None:
    there, elsewhere = tmp_path / "x.jsonl", tmp_path / "elsewhere"
    if kind == "file":
        there.write_text("kept")
    else:
        there.symlink_to(elsewhere)
    if kind == "link":
        elsewhere.write_text("kept")
    with pytest.raises(NotDone, match="is there already"):
        put_new(tmp_path, ("x.jsonl",), [b"new"])
    assert kind == "dangling" or there.read_text() == "kept"
    assert not any(name.endswith(".tmp") for name in names(tmp_path))
    assert kind != "dangling" or not elsewhere.exists()


def test_a_link_on_the_way_leads_nowhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    inside = tmp_path / "projects"
    inside.mkdir()
    (inside / "p").symlink_to(outside)
    with pytest.raises(NotDone, match="is a link"):
        put_new(inside, ("p", "x.jsonl"), [b"new"])
    assert names(outside) == []


def test_the_agents_directory_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real" / "p").mkdir(parents=True)
    (tmp_path / "projects").symlink_to(tmp_path / "real")
    put_new(tmp_path / "projects", ("p", "x.jsonl"), [b"new"])
    assert (tmp_path / "real" / "p" / "x.jsonl").read_bytes() == b"new"


def test_a_fault_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"one"
        raise NotDone("it changed")

    with pytest.raises(NotDone, match="it changed"):
        put_new(tmp_path, ("x.jsonl",), chunks())
    assert names(tmp_path) == []


def test_where_there_are_no_hard_links_the_file_is_still_never_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    assert put_new(tmp_path, ("x.jsonl",), [b"new"]).read_bytes() == b"new"
    with pytest.raises(NotDone, match="is there already"):
        put_new(tmp_path, ("x.jsonl",), [b"newer"])
    assert (tmp_path / "x.jsonl").read_bytes() == b"new"
    assert names(tmp_path) == ["x.jsonl"]


def test_a_place_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        put_new(tmp_path / "missing", ("x.jsonl",), [b""])


def _write_until_killed(place: str, named: bool) -> None:
    if named:
        del os.O_TMPFILE

    def chunks() -> Iterator[bytes]:
        yield b"x" * 3_000_000
        os.kill(os.getpid(), signal.SIGKILL)

    put_new(Path(place), ("x.jsonl",), chunks())


@pytest.mark.parametrize("named", [False, True])
def test_a_kill_leaves_nothing_that_the_next_one_does_not_remove(tmp_path: Path, named: bool) -> None:
    writer = get_context("spawn").Process(target=_write_until_killed, args=(str(tmp_path), named))
    writer.start()
    writer.join(100)
    assert writer.exitcode == -signal.SIGKILL
    left = names(tmp_path)
    assert len(left) == (1 if named or not hasattr(os, "O_TMPFILE") else 0)
    put_new(tmp_path, ("y.jsonl",), [b"new"])
    assert names(tmp_path) == ["y.jsonl"]


def test_what_another_one_still_writes_and_what_is_not_ours_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    (tmp_path / ".other.tmp").write_text("kept")
    (tmp_path / ".a.refloat.tmp").symlink_to(tmp_path / ".other.tmp")

    def chunks() -> Iterator[bytes]:
        yield b"one"
        put_new(tmp_path, ("second.jsonl",), [b"two"])
        yield b"more"

    put_new(tmp_path, ("first.jsonl",), chunks())
    assert (tmp_path / "first.jsonl").read_bytes() == b"onemore"
    assert names(tmp_path) == [".a.refloat.tmp", ".other.tmp", "first.jsonl", "second.jsonl"]


def test_where_an_unnamed_file_cannot_be_named_it_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def refuse(source: str, name: str, **how: object) -> None:
        if source.startswith("/proc"):
            raise OSError(errno.ENOENT, "no /proc here")
        link(source, name, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "link", refuse)
    assert put_new(tmp_path, ("x.jsonl",), [b"new"]).read_bytes() == b"new"
    assert names(tmp_path) == ["x.jsonl"]
