"""Work beside this thread gives back what it made, or raises what it raised."""

import threading

import pytest

from refloat.together import Running, can_start_threads


def test_the_result_comes_once_it_is_there() -> None:
    may_end = threading.Event()
    running = Running(lambda: may_end.wait(60) and threading.current_thread())
    may_end.set()
    assert running.result() is not threading.current_thread()
    assert running.result() is running.result()


def test_what_went_wrong_is_raised_where_the_result_is_wanted() -> None:
    def fail() -> None:
        raise KeyError("x")

    running = Running(fail)
    for _ in range(2):
        with pytest.raises(KeyError):
            running.result()


def test_where_no_thread_can_be_started_the_work_is_done_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    def fail() -> None:
        raise KeyError("x")

    monkeypatch.setattr(threading.Thread, "start", start)
    assert Running(threading.current_thread).result() is threading.current_thread()
    failed = Running(fail)
    with pytest.raises(KeyError):
        failed.result()


def test_whether_threads_can_be_had_is_tried_and_none_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    before, begin, begun = threading.active_count(), threading.Thread.start, list[threading.Thread]()

    def start(thread: threading.Thread) -> None:
        if len(begun) == 2:
            raise RuntimeError("can't start new thread")
        begun.append(thread)
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    assert can_start_threads(2)
    begun.clear()
    assert not can_start_threads(3)
    assert threading.active_count() == before
