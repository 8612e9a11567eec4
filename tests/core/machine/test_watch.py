"""Watching real directories."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.core.machine.conftest import until

from refloat.machine import watch
from refloat.machine.mounts import Mount
from refloat.machine.watch import FileWatch
from refloat.ports import Change


class Watching:
    """A watch in a thread of its own."""

    def __init__(self, files: FileWatch, roots: list[Path]) -> None:
        self.files = files
        self.seen: list[Change] = []
        self.error: BaseException | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(roots,))
        self._thread.start()

    def _run(self, roots: list[Path]) -> None:
        try:
            for change in self.files.changes(roots, self._stop.is_set):
                self.seen.append(change)
        except BaseException as error:  # noqa: BLE001 - told to the test
            self.error = error

    def starts(self) -> int:
        return sum(change.overflow for change in self.seen)

    def paths(self) -> set[str]:
        return {path for change in self.seen for path in change.paths}

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(20)
        assert not self._thread.is_alive()
        assert self.error is None


@pytest.fixture
def watching(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Watching]:
    how = getattr(request, "param", {})
    one = Watching(FileWatch(recheck_ms=100, poll_ms=50, **how), [tmp_path / "root", tmp_path / "later"])
    yield one
    one.stop()


def test_changes_below_a_root(tmp_path: Path, watching: Watching) -> None:
    root = tmp_path / "root"
    (root / "deep").mkdir(parents=True)
    until(lambda: watching.starts() >= 1, "the beginning")
    if sys.platform == "linux":
        assert watching.files.how() == "inotify"
    (root / "deep" / "one.jsonl").write_text("x")
    until(lambda: str(root / "deep" / "one.jsonl") in watching.paths(), "the change")


def test_a_burst_is_few_changes(tmp_path: Path, watching: Watching) -> None:
    root = tmp_path / "root"
    root.mkdir()
    until(lambda: watching.starts() >= 1, "the beginning")
    for n in range(200):
        (root / str(n)).write_text("x")
    until(lambda: {str(root / str(n)) for n in range(200)} <= watching.paths(), "all of them")
    assert len(watching.seen) < 20


def test_a_root_that_comes_and_one_that_is_replaced(tmp_path: Path, watching: Watching) -> None:
    root, late = tmp_path / "root", tmp_path / "later"
    root.mkdir()
    until(lambda: watching.starts() == 1, "the beginning")
    late.mkdir()
    until(lambda: watching.starts() == 2, "the second root")
    (late / "a").write_text("x")
    until(lambda: str(late / "a") in watching.paths(), "a change below it")
    late.rename(tmp_path / "away")
    late.mkdir()
    until(lambda: watching.starts() >= 3, "the replaced root")
    until(lambda: not watching.starts() < 3, "settled")
    (late / "b").write_text("x")
    until(lambda: str(late / "b") in watching.paths(), "a change below the new one")


def test_stopping_without_any_root(tmp_path: Path) -> None:
    one = Watching(FileWatch(), [tmp_path / "never"])
    until(lambda: "waiting" in one.files.how(), "the waiting")
    one.stop()
    assert one.files.how() == "not watching"
    assert one.seen == []


def test_a_remote_file_system_is_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "root").mkdir()
    monkeypatch.setattr(watch, "read_mounts", lambda: (Mount("/", "nfs4", "0:1"),))
    one = Watching(FileWatch(poll_ms=50), [tmp_path / "root"])
    until(lambda: one.starts() == 1, "the beginning")
    assert one.files.how() == "polling every 0.05 s (/ is nfs4)"
    (tmp_path / "root" / "a").write_text("x")
    until(lambda: str(tmp_path / "root" / "a") in one.paths(), "the change")
    one.stop()


def test_a_directory_that_may_not_be_read_is_no_end(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (tmp_path / "root" / "closed").mkdir(parents=True)
    (tmp_path / "root" / "closed").chmod(0)
    one = Watching(FileWatch(poll_ms=50), [tmp_path / "root"])
    until(lambda: one.starts() == 1, "the beginning")
    (tmp_path / "root" / "a").write_text("x")
    until(lambda: str(tmp_path / "root" / "a") in one.paths(), "the change")
    one.stop()
    (tmp_path / "root" / "closed").chmod(0o700)


def test_where_polling_gives_up_a_whole_look_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    monkeypatch.setattr(watch, "read_mounts", lambda: (Mount("/", "nfs4", "0:1"),))
    (tmp_path / "root" / "closed").mkdir(parents=True)
    (tmp_path / "root" / "closed").chmod(0)
    one = Watching(FileWatch(poll_ms=50), [tmp_path / "root"])
    until(lambda: one.starts() >= 3, "looks that are asked for")
    assert one.files.how() == "looking every 0.05 s (a directory may not be read)"
    one.stop()
    (tmp_path / "root" / "closed").chmod(0o700)


OUT_OF_INOTIFY = """
import sys, threading
from pathlib import Path
from refloat.machine.watch import FileWatch
files, root, stop = FileWatch(poll_ms=50), Path(sys.argv[1]), threading.Event()
for change in files.changes([root], stop.is_set):
    if change.overflow:
        print(files.how(), flush=True)
        (root / "made").write_text("x")
    elif str(root / "made") in change.paths:
        print("seen", flush=True)
        break
"""


@pytest.mark.skipif(sys.platform != "linux", reason="inotify")
@pytest.mark.parametrize("limit", ["max_inotify_instances", "max_inotify_watches"])
def test_a_system_without_free_watches_is_polled(tmp_path: Path, limit: str) -> None:
    """The limit is that of a user namespace of its own, so that nobody else feels it."""
    shell = f'echo 0 > /proc/sys/user/{limit} && exec {sys.executable} -c "$0" {tmp_path}'
    answer = subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c", shell, OUT_OF_INOTIFY],
        env=dict(os.environ) | {"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    if "unshare" in answer.stderr or "/proc/sys" in answer.stderr:
        pytest.skip("no user namespaces here")
    assert answer.stderr == ""
    how, seen = answer.stdout.splitlines()
    assert how.startswith("polling every 0.05 s (out of inotify ")
    assert seen == "seen"
