"""Who is at a session: the second is told, a dead holder holds nothing, and taking over is recorded."""

from pathlib import Path

import pytest

from refloat.model.record import SavedStep
from refloat.model.saving import Runner
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp, later
from refloat.record.chain import add_step
from refloat.record.leases import find_leases
from refloat.record.store import Record, open_record
from refloat.record.trails import load_trail
from refloat.testing.jobs import ENDING, NOW, OPENING
from refloat.usecases.hold_session import SECONDS, Held, Holder, Holding, find_holders
from refloat.usecases.verify_saved import verify_whole

SESSION = SessionName("codex:1")
ADA = Holder("ada@here", "human:ada", Runner("here", 10, "a"), lambda _: None)
BOB = Holder("bob@there", "human:bob", Runner("there", 20, "b"), lambda _: None)


class World:
    """A record in a directory, and a clock that is set by hand."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.now = NOW

    def open(self) -> Record:
        return open_record(self.directory, self.now)

    def tell(self) -> Stamp:
        return self.now

    def holding(self, own: Holder) -> Holding:
        return Holding(self.open, self.tell, own, SESSION, "is recovering this")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def steps(world: World, job: str) -> tuple[SavedStep, ...]:
    with world.open() as record:
        return load_trail(record, job).steps


def test_the_second_is_told_who_and_since_when(world: World):
    world.holding(ADA).take()
    with pytest.raises(Held) as told:
        world.holding(BOB).take()
    assert (told.value.lease.holder, told.value.lease.since) == ("ada@here", NOW)
    with world.open() as record:
        assert list(find_holders(record, NOW, BOB)) == [SESSION]
        assert find_holders(record, NOW, ADA) == {}, "nobody is a stranger to themselves"


def test_one_process_does_not_stand_in_its_own_way(world: World):
    world.holding(ADA).take()
    world.holding(ADA).take()


def test_a_holder_that_is_proved_dead_holds_nothing(world: World):
    world.holding(ADA).take()
    knows = Holder(BOB.holder, BOB.producer, BOB.runner, lambda runner: runner != ADA.runner)
    with world.open() as record:
        assert find_holders(record, NOW, knows) == {}
    world.holding(knows).take()


def test_taking_over_is_told_in_the_lease_and_in_the_chain_of_its_job(world: World):
    with world.open() as record:
        add_step(record, OPENING._replace(producer=SESSION), ENDING)
        add_step(record, OPENING._replace(job="other"), ENDING)
    first, second = world.holding(ADA), world.holding(BOB)
    first.take()
    world.now = later(NOW, 10)
    second.take(force=True)
    taker = first.renew()
    assert taker is not None
    assert taker.holder == "bob@there"
    assert taker.reason == f"is recovering this; taken over from ada@here, who held it since {NOW}"
    newest = steps(world, "retry")[0]
    assert (newest.opening.tool, newest.opening.origin, newest.opening.producer) == (
        "take over",
        "recovery",
        "human:bob",
    )
    assert newest.opening.summary.startswith("take over from ada@here: "), "who lost it stands where no cut falls"
    assert [step.opening.tool for step in steps(world, f"recovery:{SESSION}")] == ["take over"]
    assert len(steps(world, "other")) == 1
    with world.open() as record:
        assert verify_whole(record, "retry", lambda done, of: None).ok


def test_force_without_a_holder_takes_nothing_from_anybody(world: World):
    holding = world.holding(ADA)
    holding.take(force=True)
    assert holding.lease is not None
    assert holding.lease.reason == "is recovering this"


def test_beats_hold_on_and_giving_back_frees(world: World):
    holding = world.holding(ADA)
    holding.take()
    world.now = later(NOW, SECONDS - 1)
    assert holding.renew() is None
    world.now = later(NOW, SECONDS + 1)
    with pytest.raises(Held):
        world.holding(BOB).take()
    holding.release()
    holding.release()
    world.holding(BOB).take()


def test_who_slept_too_long_goes_on_where_the_other_is_gone_again(world: World):
    slept, other = world.holding(ADA), world.holding(BOB)
    slept.take()
    world.now = later(NOW, SECONDS + 1)
    other.take()
    other.release()
    assert slept.renew() is None
    with world.open() as record:
        assert [lease.holder for lease in find_leases(record)] == ["ada@here"]


@pytest.mark.parametrize("stop_at", [1, 3])
def test_a_check_tells_how_far_it_is_and_can_be_stopped(world: World, stop_at: int):
    class Enough(Exception):  # noqa: N818
        pass

    with world.open() as record:
        for _ in range(4):
            add_step(record, OPENING, ENDING)
        told: list[tuple[int, int]] = []

        def stop(done: int, of: int) -> None:
            told.append((done, of))
            if done == stop_at:
                raise Enough

        with pytest.raises(Enough):
            verify_whole(record, "retry", stop)
        assert told[-1] == (stop_at, 4)
        told.clear()
        assert verify_whole(record, "retry", lambda done, of: told.append((done, of))).checked == 4
        assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
