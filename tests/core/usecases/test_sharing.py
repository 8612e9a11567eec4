"""Work that two processes share comes to the same as in one, row for row, whatever becomes of the other one."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from refloat.forking import may_fork
from refloat.usecases import sharing, sighting
from refloat.usecases.sharing import Shared
from refloat.usecases.sighting import sight

HERE = os.getpid()


@pytest.fixture
def may_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a thread of another test lives still, no copy is made, and here is nothing to see."""
    if not may_fork():
        pytest.skip("only on Linux, and with one thread")
    monkeypatch.setattr(sharing, "processors", lambda: 2)


beside = pytest.mark.usefixtures("may_copy")


def squares(numbers: Sequence[int]) -> list[int]:
    return [number * number for number in numbers]


@beside
@pytest.mark.parametrize("many", [0, 1, 15, 16, 17, 1000, 70_000])
def test_results_come_row_for_row(many: int):
    with Shared(squares, range(many), 0) as shared:
        assert shared.result() == squares(range(many))


@beside
def test_both_take_their_part_from_their_own_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sharing, "_PIECE", 1)
    begun, begin = os.pipe()
    held, let = os.pipe()

    def work(rows: Sequence[int]) -> list[tuple[int, bool]]:
        here = os.getpid() == HERE
        if here:
            os.write(let, b"x")
        else:
            os.write(begin, b"x")
            os.read(held, 1)  # until this process has done one
        return [(row, here) for row in rows]

    with Shared(work, range(5), 0) as shared:
        os.read(begun, 1)
        told = shared.result()
    assert [row for row, _ in told] == list(range(5))
    assert (told[0][1], told[-1][1]) == (False, True)
    for descriptor in (begun, begin, held, let):
        os.close(descriptor)


def die(row: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return row


def fail(row: int) -> int:
    raise ValueError(row)


def make_untold(row: int) -> Iterator[int]:
    return (row for _ in range(1))  # no Python pickles a generator


@beside
@pytest.mark.parametrize("do", [die, fail, make_untold])
def test_what_the_other_one_does_not_tell_is_done_here(do: Callable[[int], Any]):
    begun, begin = os.pipe()

    def work(rows: Sequence[int]) -> list[Any]:
        if os.getpid() == HERE:
            return list(rows)
        os.write(begin, b"x")
        return [do(row) for row in rows]

    with Shared(work, range(100), 0) as shared:
        os.read(begun, 1)
        assert shared.result() == list(range(100))
    os.close(begun)
    os.close(begin)


@beside
def test_a_fault_of_the_work_is_told():
    def refuse(rows: Sequence[int]) -> list[int]:
        raise ValueError(rows)

    with Shared(refuse, range(3), 0) as shared, pytest.raises(ValueError, match="range"):
        shared.result()


@pytest.mark.parametrize("door", ["pipe", "fork"])
@beside
def test_where_nothing_can_be_begun_all_is_done_here(door: str, monkeypatch: pytest.MonkeyPatch):
    def none_to_be_had() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, door, none_to_be_had)
    with Shared(squares, range(50), 0) as shared:
        assert shared.result() == squares(range(50))


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@beside
def test_what_is_given_up_leaves_no_process_and_no_open_file():
    before = open_files(), psutil.Process().children()
    with Shared(squares, range(100), 0):
        pass
    assert (open_files(), psutil.Process().children()) == before


def sessions(home: Any) -> None:
    for n in range(1, 6):
        name = f"{n}1111111-0000-4000-8000-00000000000{n}"
        home.write(name, *home.talk(name, prompt=f"Ask {n}"))


@beside
def test_many_files_are_asked_alike_what_they_are(home: Any, monkeypatch: pytest.MonkeyPatch):
    sessions(home)
    alone = sight(home.bench, dict)
    monkeypatch.setattr(sighting, "WORTH_SHARING", 1)
    monkeypatch.setattr(sharing, "_PIECE", 1)
    assert plain(sight(home.bench, dict)) == plain(alone)


def plain(seen: sighting.Sighting) -> list[object]:
    """What was seen, without the readers that saw it."""
    return [[found for _, found in seen.found], seen.ids, seen.fingerprint, seen.seen, seen.identified]
