"""Acting: the look is of now, it is taken twice around the leases, and a force is recorded."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from refloat.errors import NoThreads, UsageError
from refloat.model.liveness import ProcessInfo
from refloat.model.saving import Runner
from refloat.model.session import SessionName
from refloat.model.stamp import later
from refloat.record.leases import find_leases
from refloat.record.trails import load_trail
from refloat.testing.fakes import process
from refloat.usecases.act import Acting, Actor, Refused, Wish, act, actor_of, look, workspace_subject, would_accept
from refloat.usecases.find_sessions import resolve
from refloat.usecases.hold_session import SECONDS, Holding
from refloat.usecases.tell_status import tell_status

ONE, TWO = "5f0c1d2e-0000-4000-8000-000000000001", "5f0c1d2e-0000-4000-8000-000000000002"
NAME = SessionName(f"claude-code:{ONE}")
ADA, BOB = Runner("testhost", 10, "a"), Runner("testhost", 20, "b")


class People:
    """Two people on one machine, whose processes run until one is killed."""

    def __init__(self, home: Any) -> None:
        self.home = home
        self.dead: set[Runner] = set()

    def actor(self, runner: Runner, name: str = "") -> Actor:
        actor = actor_of(self.home.bench.machine, runner, lambda one: one not in self.dead)
        own = actor.own
        return Actor(type(own)(name or own.holder, own.producer, runner, own.is_running), actor.make, actor.peek, 1000)

    def wish(self, operation: Any = "continue", ref: str = ONE, **more: Any) -> Wish:
        return Wish(operation, ref, self.home.work, **more)

    def leases(self) -> dict[str, str]:
        with self.actor(ADA).make() as record:
            return {lease.subject: lease.holder for lease in find_leases(record)}


@pytest.fixture
def people(home: Any) -> People:
    home.write(ONE, *home.talk(ONE))
    return People(home)


def owner(people: People) -> ProcessInfo:
    return process(7, argv=["claude", "--resume", ONE], cwd=str(people.home.work))


def test_both_leases_are_held_inside_and_given_back(people: People) -> None:
    ada = people.actor(ADA, "ada@testhost")
    place = workspace_subject(ada, str(people.home.work))
    with act(people.home.bench, ada, people.wish()) as acting:
        assert people.leases() == {NAME: "ada@testhost", place: "ada@testhost"}
        assert acting.seen.place == str(people.home.work)
    assert people.leases() == {}


def test_where_no_thread_can_hold_the_leases_on_nothing_is_begun_and_none_is_kept(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(NoThreads), act(people.home.bench, people.actor(ADA), people.wish()):
        raise AssertionError
    assert people.leases() == {}


def test_a_refusal_changes_nothing(people: People) -> None:
    people.home.processes.rows = [owner(people)]
    data = people.home.bench.machine.places.data
    with pytest.raises(Refused) as told, act(people.home.bench, people.actor(ADA), people.wish()):
        raise AssertionError
    assert told.value.ruling.branch == "owner_is_running"
    assert not data.exists()


@pytest.mark.parametrize("operation", ["continue", "new", "install", "recover"])
def test_the_second_person_is_refused_by_name(people: People, operation: Any) -> None:
    bench = people.home.bench
    with act(bench, people.actor(ADA, "ada@testhost"), people.wish("recover")):
        with pytest.raises(Refused) as told, act(bench, people.actor(BOB), people.wish(operation)):
            raise AssertionError
        assert told.value.ruling.holder == "ada@testhost"


@pytest.mark.parametrize("mine", [True, False])
def test_another_session_in_the_same_workspace_is_a_second_writer(people: People, mine: bool) -> None:
    people.home.write(TWO, *people.home.talk(TWO))
    bench = people.home.bench
    with act(bench, people.actor(ADA, "ada@testhost"), people.wish()):
        other = people.actor(BOB, "ada@testhost" if mine else "bob@testhost")
        with pytest.raises(Refused) as told, act(bench, other, people.wish("new", TWO)):
            raise AssertionError
        assert told.value.ruling.branch == "workspace_is_held"
        with act(bench, other, people.wish("install", TWO)):
            pass  # nobody writes in the workspace


def test_another_person_in_a_directory_inside_it_is_a_second_writer_and_another_one_of_ones_own_is_not(
    people: People,
) -> None:
    inside = people.home.work / "sub"
    inside.mkdir()
    people.home.write(TWO, *people.home.talk(TWO, cwd=str(inside)))
    bench = people.home.bench
    with act(bench, people.actor(ADA, "ada@testhost"), people.wish()):
        with pytest.raises(Refused), act(bench, people.actor(BOB, "bob@testhost"), people.wish(ref=TWO)):
            raise AssertionError
        with act(bench, people.actor(BOB, "ada@testhost"), people.wish(ref=TWO)):
            pass


def test_a_holder_proved_dead_stands_in_nobodys_way_and_a_suspended_one_does(people: People) -> None:
    bench = people.home.bench
    with act(bench, people.actor(ADA), people.wish()):
        people.home.clock.moment = later(people.home.clock.moment, 10 * SECONDS)
        with pytest.raises(Refused), act(bench, people.actor(BOB), people.wish()):
            raise AssertionError
        people.dead.add(ADA)
        with act(bench, people.actor(BOB), people.wish()):
            pass


def test_a_process_that_came_between_the_looks_is_seen(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    take: Callable[..., None] = Holding.take

    def slow(self: Holding, **more: bool) -> None:
        take(self, **more)
        people.home.processes.rows = [owner(people)]

    monkeypatch.setattr(Holding, "take", slow)
    with pytest.raises(Refused, match="process 7"), act(people.home.bench, people.actor(ADA), people.wish()):
        raise AssertionError
    assert people.leases() == {}


def test_who_took_it_between_look_and_taking_is_named(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    take: Callable[..., None] = Holding.take
    bench, bob = people.home.bench, people.actor(BOB, "bob@testhost")
    theirs = Holding(bob.make, bench.machine.clock.now, bob.own, NAME, "is recovering this")

    def late(self: Holding, **more: bool) -> None:
        if self is not theirs:
            take(theirs)
        take(self, **more)

    monkeypatch.setattr(Holding, "take", late)
    with pytest.raises(Refused) as told, act(bench, people.actor(ADA), people.wish(force="I know better")):
        raise AssertionError
    assert told.value.ruling.holder == "bob@testhost", "a force takes from those whom it saw alone"
    assert people.leases() == {NAME: "bob@testhost"}


def test_a_force_is_a_step_on_the_sessions_job_and_says_why(people: People) -> None:
    people.home.processes.rows = [owner(people)]
    bench = people.home.bench
    with act(bench, people.actor(ADA), people.wish(force="It hangs \x1b[31m")) as acting:
        assert [why for why in acting.overruled if "process 7" in why]
        with people.actor(ADA).make() as record:
            (step,) = load_trail(record, f"recovery:{NAME}").steps
    assert step.opening.tool == "force continue"
    assert "It hangs" in step.opening.summary
    assert "process 7 owns" in step.opening.summary


def test_a_force_overrules_no_writer_that_came_between_the_looks(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reason was about what the first look showed: here that the session ended badly."""
    talk = people.home.talk(TWO)
    people.home.write(TWO, talk[0])
    take: Callable[..., None] = Holding.take

    def slow(self: Holding, **more: bool) -> None:
        take(self, **more)
        people.home.processes.rows = [process(7, argv=["claude", "--resume", TWO], cwd=str(people.home.work))]

    bench, wish = people.home.bench, people.wish(ref=TWO, force="it ended badly")
    assert [branch for branch, _ in look(bench, people.actor(ADA), wish).ruling.against] == ["ended_badly"]
    monkeypatch.setattr(Holding, "take", slow)
    with pytest.raises(Refused, match="process 7 owns") as told, act(bench, people.actor(ADA), wish):
        raise AssertionError
    assert told.value.ruling.branch == "owner_is_running"
    assert people.leases() == {}
    with people.actor(ADA).make() as record, pytest.raises(Exception, match="recovery"):
        load_trail(record, f"recovery:claude-code:{TWO}")


def test_a_force_overrules_only_what_its_person_was_shown(people: People) -> None:
    bench, bob = people.home.bench, people.actor(BOB, "bob@testhost")
    wish = people.wish("new", force="I know better")
    shown = look(bench, bob, wish).ruling
    with act(bench, people.actor(ADA, "ada@testhost"), people.wish("recover")):
        with pytest.raises(Refused) as told, act(bench, bob, wish, known=shown):
            raise AssertionError
        assert told.value.ruling.holder == "ada@testhost"
        with act(bench, bob, wish, known=look(bench, bob, wish).ruling):
            assert people.leases()[NAME] == "bob@testhost"


def test_who_lost_the_leases_before_the_agent_began_is_told_by_the_guard(people: People) -> None:
    """And no step says that something was forced which never began."""
    people.home.processes.rows = [owner(people)]
    bench, bob = people.home.bench, people.actor(BOB, "bob@testhost")
    wish = people.wish(force="It hangs")
    with act(bench, people.actor(ADA), wish, beats=False) as acting:
        Holding(bob.make, bench.machine.clock.now, bob.own, NAME, "is recovering this").take(force=True, tell=False)
        with pytest.raises(Refused, match="bob@testhost is recovering this") as told:
            acting.hand_to(Runner("testhost", 11, "c"))
        assert told.value.ruling.force_helps
    with people.actor(ADA).make() as record, pytest.raises(Exception, match="recovery"):
        load_trail(record, f"recovery:{NAME}")
    acting.tell_force()
    with people.actor(ADA).make() as record:
        assert len(load_trail(record, f"recovery:{NAME}").steps) == 1


@pytest.mark.parametrize("operation", ["continue", "new", "stop", "install"])
def test_a_force_wants_a_reason(people: People, operation: Any) -> None:
    with pytest.raises(UsageError, match="wants a reason"):
        people.wish(operation, force=" \t")


@pytest.mark.parametrize("operation", ["continue", "new", "recover"])
def test_status_advises_no_second_writer_while_somebody_holds_it(people: People, operation: Any) -> None:
    """No process of the agent is seen: the lease is all that tells. Whoever holds it is advised to go on."""
    bench, ada, bob = people.home.bench, people.actor(ADA, "ada@testhost"), people.actor(BOB, "bob@testhost")
    before = tell_status(bench, resolve(bench, ONE, people.home.work), bob).next
    assert (before.operation, before.command is None) == ("continue", False)
    with act(bench, ada, people.wish(operation)):
        located = resolve(bench, ONE, people.home.work)
        then = tell_status(bench, located, bob).next
        assert (then.operation, then.command) == ("resolve_liveness", None)
        assert "ada@testhost is " in then.why
        assert not would_accept(bench, bob, located.session), "what `continue` refuses, `list --resumable` leaves out"
        assert tell_status(bench, located, ada).next == before
    assert tell_status(bench, resolve(bench, ONE, people.home.work), bob).next == before


def test_a_force_that_overrules_nothing_is_no_step(people: People) -> None:
    with act(people.home.bench, people.actor(ADA), people.wish(force="just in case")) as acting:
        assert acting.overruled == ()
    with people.actor(ADA).make() as record, pytest.raises(Exception, match="recovery"):
        load_trail(record, f"recovery:{NAME}")


def test_attach_and_stop_take_no_lease_and_get_the_owners(people: People) -> None:
    people.home.processes.rows = [owner(people)]
    for operation in ("attach", "stop"):
        with act(people.home.bench, people.actor(ADA), people.wish(operation)) as acting:
            assert acting.pids == (7,)
            assert people.leases() == {}


def test_an_agent_that_stands_for_the_leases_holds_them_when_refloat_dies(people: People) -> None:
    bench, agent = people.home.bench, Runner("testhost", 11, "c")
    with act(bench, people.actor(ADA), people.wish(), beats=False) as acting:
        acting.hand_to(agent)
        people.dead.add(ADA)
        with pytest.raises(Refused), act(bench, people.actor(BOB), people.wish()):
            raise AssertionError
        assert acting.beat() is None
        people.dead.add(agent)
        with act(bench, people.actor(BOB), people.wish(), beats=False) as later_one:
            assert acting.beat() is not None, "who slept through it is told"
            assert acting.lost is not None
            assert later_one.beat() is None


def test_neighbours_are_told(people: People) -> None:
    people.home.processes.rows = [
        process(8, argv=["claude", "--resume", TWO], cwd=str(people.home.work)),
        process(9, argv=["claude", "--resume", TWO], cwd="/elsewhere"),
        process(10, argv=["claude", "--resume", TWO], cwd=str(people.home.work), ppid=8),
    ]
    seen = look(people.home.bench, people.actor(ADA), people.wish())
    assert [near.pid for near in seen.situation.bystanders] == [8]
    assert seen.ruling.warnings[0].endswith(f"on claude-code:{TWO}")
    people.home.processes.rows = [process(8, argv=["claude", "--resume", TWO], cwd=str(people.home.work), uid=2)]
    assert look(people.home.bench, people.actor(ADA), people.wish()).ruling.branch == "another_person_works_there"


def test_a_word_such_as_last_means_one_session_to_both_looks(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    take: Callable[..., None] = Holding.take

    def slow(self: Holding, **more: bool) -> None:
        take(self, **more)
        people.home.write(TWO, *people.home.talk(TWO, minute=30))

    monkeypatch.setattr(Holding, "take", slow)
    with act(people.home.bench, people.actor(ADA), people.wish(ref="last")) as acting:
        assert acting.seen.session.name == NAME


def test_a_workspace_that_is_gone_is_told(people: People) -> None:
    people.home.work.rename(f"{people.home.work}-moved")
    assert look(people.home.bench, people.actor(ADA), people.wish()).ruling.branch == "no_workspace"


def test_beats_hold_the_leases_on(people: People) -> None:
    def until(acting: Acting) -> str:
        assert acting.holding is not None
        assert acting.holding.lease is not None
        return acting.holding.lease.until

    with act(people.home.bench, people.actor(ADA), people.wish(), beats=False) as acting:
        before = until(acting)
        people.home.clock.moment = later(people.home.clock.moment, 60)
        assert acting.beat() is None
        assert until(acting) > before
