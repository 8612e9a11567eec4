"""One holder at a time: for a while, until it is given back, or until the holder is proved dead."""

import threading
from collections.abc import Callable

import pytest

from refloat.model.record import Lease
from refloat.model.saving import Runner
from refloat.model.stamp import Stamp, later
from refloat.record.leases import (
    Claim,
    Held,
    find_leases,
    get_lease,
    hand_leases,
    release_lease,
    renew_lease,
    take_lease,
    take_leases,
)
from refloat.record.store import Record

NOW = Stamp("2026-09-14T14:00:00.000Z")
ADA = Claim("codex:1", "ada@here", Runner("here", 10, "a"), 60)
BOB = Claim("codex:1", "bob@there", Runner("there", 20, "b"), 60, "a crash")


def alive(runner: Runner) -> bool | None:
    """Nobody can look at the processes of another host."""
    del runner
    return None


def dead(runner: Runner) -> bool | None:
    return False if runner.host == "here" else None


def seen(runner: Runner) -> bool | None:
    return True if runner.host == "here" else None


def test_the_second_is_refused_and_told_who_holds_it(record: Record) -> None:
    lease = take_lease(record, ADA, NOW, alive)
    with pytest.raises(Held, match="ada@here holds codex:1 until 2026-09-14T14:01:00") as told:
        take_lease(record, BOB, later(NOW, 59), alive)
    assert told.value.lease == lease == get_lease(record, "codex:1", NOW, alive)
    take_lease(record, BOB._replace(subject="codex:2"), NOW, alive)


def test_it_runs_out_by_itself(record: Record) -> None:
    take_lease(record, ADA, NOW, alive)
    assert get_lease(record, "codex:1", later(NOW, 60), alive) is None
    assert take_lease(record, BOB, later(NOW, 60), alive).holder == "bob@there"


def test_a_holder_that_is_seen_to_run_holds_beyond_its_time(record: Record) -> None:
    take_lease(record, ADA, NOW, seen)
    with pytest.raises(Held):
        take_lease(record, BOB, later(NOW, 3600), seen)
    assert get_lease(record, "codex:1", later(NOW, 3600), seen) is not None


def test_a_clock_that_goes_backwards_frees_nothing_and_keeps_nothing_from_a_dead_holder(record: Record) -> None:
    take_lease(record, ADA, NOW, alive)
    with pytest.raises(Held):
        take_lease(record, BOB, later(NOW, -3600), alive)
    assert take_lease(record, BOB, later(NOW, -3600), dead).holder == "bob@there"


def test_a_holder_without_a_start_time_is_not_taken_for_dead(record: Record) -> None:
    lease = take_lease(record, ADA._replace(runner=Runner("here", 10, None)), NOW, alive)
    (kept,) = find_leases(record)
    assert kept == lease
    assert kept.runner.pid_started is None


def test_several_are_taken_all_or_none(record: Record) -> None:
    place = ADA._replace(subject="workspace:here:/src")
    take_lease(record, BOB._replace(subject=place.subject), NOW, alive)
    with pytest.raises(Held):
        take_leases(record, [ADA, place], NOW, alive)
    assert [lease.subject for lease in find_leases(record)] == [place.subject]


def test_another_process_stands_for_a_lease_that_was_handed_to_it(record: Record) -> None:
    lease, agent = take_lease(record, ADA, NOW, alive), Runner("here", 11, "b")
    (handed,) = hand_leases(record, [lease], agent)
    assert find_leases(record) == (handed,)
    assert handed.runner == agent
    assert get_lease(record, "codex:1", NOW, lambda runner: runner == agent) == handed, "whatever became of process 10"
    assert renew_lease(record, handed, later(NOW, 50), 60) is not None, "who took it beats on"
    take_lease(record, BOB, NOW, alive, force=True)
    with pytest.raises(Held, match="bob@there"):
        hand_leases(record, [handed], agent)


def test_it_is_void_when_its_holder_is_proved_dead(record: Record) -> None:
    take_lease(record, ADA, NOW, alive)
    assert get_lease(record, "codex:1", NOW, dead) is None
    assert take_lease(record, BOB, NOW, dead).reason == "a crash"


def test_force_takes_it_and_the_first_one_notices(record: Record) -> None:
    first = take_lease(record, ADA, NOW, alive)
    second = take_lease(record, BOB, NOW, alive, force=True)
    assert renew_lease(record, first, NOW, 60) is None
    release_lease(record, first)
    assert get_lease(record, "codex:1", NOW, alive) == second


def test_renewing_holds_on_and_giving_back_frees(record: Record) -> None:
    lease = take_lease(record, ADA, NOW, alive)
    renewed = renew_lease(record, lease, later(NOW, 50), 60)
    assert renewed is not None
    assert (renewed.since, renewed.until) == (NOW, later(NOW, 110))
    assert find_leases(record) == (renewed,)
    release_lease(record, renewed)
    assert find_leases(record) == ()


def test_of_many_that_ask_at_once_one_gets_it(opened: Callable[[], Record]) -> None:
    opened()
    start, got, refused = threading.Barrier(6), list[Lease](), list[Held]()

    def ask(n: int) -> None:
        own = opened()
        start.wait()
        try:
            got.append(take_lease(own, ADA._replace(holder=f"p{n}"), NOW, alive))
        except Held as held:
            refused.append(held)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(got), len(refused)) == (1, 5)
    assert {held.lease.holder for held in refused} == {got[0].holder}
