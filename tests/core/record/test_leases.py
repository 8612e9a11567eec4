"""One holder at a time: for a while, until it is given back, or until the holder is proved dead."""

import threading
from collections.abc import Callable

import pytest

from refloat.model.record import Lease
from refloat.model.saving import Runner
from refloat.model.stamp import Stamp, later
from refloat.record.leases import Claim, Held, find_leases, get_lease, release_lease, renew_lease, take_lease
from refloat.record.store import Record

NOW = Stamp("2026-09-14T14:00:00.000Z")
ADA = Claim("codex:1", "ada@here", Runner("here", 10, "a"), 60)
BOB = Claim("codex:1", "bob@there", Runner("there", 20, "b"), 60, "a crash")


def alive(runner: Runner) -> bool:
    del runner
    return False


def dead(runner: Runner) -> bool:
    return runner.host == "here"


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
