"""Reading many sessions: worker processes bring what one process would, in the order asked for."""

import gc
import io
import multiprocessing
import sys
import threading
from collections.abc import Mapping, Sequence
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

import pytest

from refloat.catalogue.pack import Packed
from refloat.readers.claude_code import ClaudeCode
from refloat.readers.contract import Found, Reader, Segment, SourceFile
from refloat.readers.story import Assembler
from refloat.search.shards import Together, close_writers
from refloat.usecases import read_many
from refloat.usecases.digesting import Digester
from refloat.usecases.read_many import read_each
from refloat.usecases.recall import Recall
from refloat.usecases.sighting import sight

IDS = [f"{digit * 8}-0000-4000-8000-000000000001" for digit in "12345"]


class Homebound(ClaudeCode):
    """A reader that does not travel."""

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError("it stays")


@pytest.fixture
def unread(home: Any) -> list[tuple[Reader, Found]]:
    for session in IDS:
        home.write(session, *home.talk(session))
    return list(sight(home.bench, dict).found)


def read(unread: Sequence[tuple[Reader, Found]], worth: int, left: int = 100) -> list[tuple[Found, Packed]]:
    got: list[tuple[Found, Packed]] = []
    for one in read_each(Recall(), unread, lambda: len(got) >= left, worth):
        got.append(one)  # noqa: PERF402 - the stop above looks at it
    return got


def test_workers_bring_what_one_process_brings(
    unread: list[tuple[Reader, Found]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_many, "processors", lambda: 2)
    monkeypatch.setattr(read_many, "_PIECE", 1)
    asked = [(unread[at], at) for at in (3, 0, 4, 1, 2)]
    order = [pair for pair, _ in asked]
    by_workers = read(order, worth=0)
    assert by_workers == read(order, worth=1 << 60)
    assert [found for found, _ in by_workers] == [found for _, found in order]


def test_pieces_are_large_at_first_and_small_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_many, "_PIECE", 4)
    monkeypatch.setattr(read_many, "_LARGEST", 16)
    sizes = [1] * 300 + [90] + [1] * 60
    tasks = [_task_of(size) for size in sizes]
    pieces = list(read_many._pieces(tasks, 2))
    assert [task for piece in pieces for task in piece] == tasks
    told = [sum(read_many.size_of(task.found) for task in piece) for piece in pieces]
    assert told[:10] == [16] * 10
    assert max(told[-4:]) == 4
    assert max(told) == 90
    assert [size for size in told if size < 90 and size > 16] == []


def _task_of(size: int) -> read_many._Task:
    files = (Segment(SourceFile("/t/one.jsonl", size, 0, 0, 0)),)
    return read_many._Task(ClaudeCode(), Found("claude-code", "one", files), {})


def test_a_worker_keeps_nothing_of_what_it_read(unread: list[tuple[Reader, Found]], tmp_path: Path) -> None:
    """Nor does it look for cycles by itself: tens of thousands of sessions are read by one."""
    task = read_many._Task(*unread[0], {}, Digester(tmp_path))
    gc.collect()
    gc.disable()
    try:
        before = sum(isinstance(each, Assembler) for each in gc.get_objects())
        assert len(read_many._do([task] * 3)) == 3
        assert sum(isinstance(each, Assembler) for each in gc.get_objects()) == before
    finally:
        gc.enable()
        close_writers()


def test_what_a_worker_wrote_and_lost_counts_for_nothing(
    unread: list[tuple[Reader, Found]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [read_many._Task(reader, found, {}, Digester(tmp_path)) for reader, found in unread]
    assert all(made.digest for made in read_many._do(tasks))
    monkeypatch.setattr(Together, "__exit__", lose)
    assert not any(made.digest for made in read_many._do(tasks))
    close_writers()


def lose(rows: Together, *_: object) -> None:
    close_writers()
    rows.kept = False


def test_a_reading_that_is_given_up_ends_its_workers(
    unread: list[tuple[Reader, Found]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_many, "processors", lambda: 2)
    monkeypatch.setattr(read_many, "_PIECE", 1)
    assert len(read(unread, worth=0, left=1)) == 1
    assert not multiprocessing.active_children()


def test_what_does_not_travel_is_read_here(
    unread: list[tuple[Reader, Found]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(read_many, "processors", lambda: 2)
    stays: Mapping[str, Reader] = {found.session_id: Homebound() for _, found in unread}
    here = [(stays[found.session_id], found) for _, found in unread]
    assert read(here, worth=0) == read(unread, worth=1 << 60)


def test_workers_start_while_a_terminal_app_holds_the_error_stream(
    unread: list[tuple[Reader, Found]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Captured(io.StringIO):
        """As Textual captures what is printed."""

        def fileno(self) -> int:
            return -1

    monkeypatch.setattr(read_many, "processors", lambda: 2)
    monkeypatch.setattr(read_many, "_PIECE", 1)
    monkeypatch.setattr(resource_tracker, "_resource_tracker", tracker := resource_tracker.ResourceTracker())
    monkeypatch.setattr(resource_tracker, "ensure_running", tracker.ensure_running)
    monkeypatch.setattr(resource_tracker, "getfd", tracker.getfd)
    monkeypatch.setattr(resource_tracker, "register", tracker.register)
    monkeypatch.setattr(resource_tracker, "unregister", tracker.unregister)
    monkeypatch.setattr(sys, "stderr", Captured())
    ended = threading.Event()
    beside = threading.Thread(target=ended.wait)  # a process with threads is not copied, but spawned
    beside.start()
    try:
        assert len(read(unread, worth=0)) == len(IDS)
    finally:
        ended.set()
        beside.join()
