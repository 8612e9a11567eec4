"""Acting on a session without ever making a second writer: look, take the leases, look again, act, beat, give back.

Decides the order, and what is looked at: processes, registers, locks and leases as they are now, never as a catalogue
remembers them. Whether the operation may act is the guard's alone (`model.guard`); it is asked before the leases are
taken, so that a refusal changes nothing, and again under them, so that nothing comes in between. `attach` and `stop`
start no writer and take no lease. A force that had to overrule something is a receipted step on the session's jobs.
"""

import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from refloat.errors import NotDone, NoThreads, RefloatError, UsageError
from refloat.model.attempts import Standing
from refloat.model.guard import judge, judge_again, judge_taken
from refloat.model.record import Lease
from refloat.model.saving import Runner
from refloat.model.session import Session, SessionName
from refloat.model.situation import Bystander, Guarded, Ruling, Situation
from refloat.ports import Machine
from refloat.record.leases import find_leases, holds
from refloat.record.store import Record
from refloat.usecases.find_sessions import Located, resolve
from refloat.usecases.hold_session import BEAT, Held, Holder, Holding, tell_jobs
from refloat.usecases.linked import standing_of
from refloat.usecases.rescue import who
from refloat.usecases.saved_record import NothingSaved, open_saved
from refloat.usecases.situations import ENDED, place_of, plain_situation
from refloat.usecases.tie_job import find_record
from refloat.usecases.workbench import Workbench

DOING: Final[dict[Guarded, str]] = {
    "continue": "is continuing this",
    "new": "is starting a session from this",
    "install": "is installing a repaired copy of this",
    "recover": "is recovering this",
}
"""What a lease says that its holder does. Operations that are not named take none."""
WRITES_THERE: Final = frozenset[Guarded]({"continue", "new"})
"""Operations that put a writer into the workspace, and so take its lease, too."""
_RUNNING: Final = frozenset[Guarded]({"attach", "stop"})


class Refused(NotDone):
    """The guard says no; `ruling` says why, and who forbids it."""

    def __init__(self, ruling: Ruling) -> None:
        super().__init__(ruling.sentence)
        self.ruling = ruling


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, and how they come to the record."""

    own: Holder
    make: Callable[[], Record]
    """Opens the record, making it where there is none."""
    peek: Callable[[], Record]
    """Opens the record that is there; raises `NothingSaved`."""
    uid: int


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to do with a session."""

    operation: Guarded
    ref: str
    """SESSION, as `find_sessions.resolve` takes it."""
    cwd: Path
    """Where that is resolved from."""
    force: str | None = None
    pid: int | None = None

    def __post_init__(self) -> None:
        """Whoever overrules says why.

        Raises:
            UsageError: the reason is blank.

        """
        if self.force is not None and not self.force.strip():
            raise UsageError("--force wants a reason: it is recorded with what it overruled")


@dataclass(frozen=True, slots=True)
class Seen:
    """One look, and what the guard says of it."""

    located: Located
    session: Session
    place: str | None
    """The directory to run in: the session's worktree, else its workspace."""
    situation: Situation
    ruling: Ruling


@dataclass(slots=True)
class Acting:
    """An operation that may act, and holds what it must."""

    seen: Seen
    """The look under the leases."""
    overruled: tuple[str, ...]
    """What a force overruled, in both looks."""
    holding: Holding | None
    tell_force: Callable[[], None]
    """Records what a force overruled, and its reason. `act` calls it unless somebody else beats: then they do, as soon
    as nothing but the act itself is left.
    """
    lost: Lease | None = None
    """Set when somebody took a lease away while the operation ran: it must tell its person."""

    @property
    def pids(self) -> tuple[int, ...]:
        """Of `attach` and `stop`: the processes to go to, or to signal."""
        return self.seen.ruling.pids

    def hand_to(self, runner: Runner) -> None:
        """Have a process that is about to run the agent stand for the leases; they then outlive this process.

        Raises:
            Refused: somebody took one meanwhile: do not start it.

        """
        if self.holding is None:
            return
        try:
            self.holding.hand_to(runner)
        except Held as held:
            raise Refused(judge_taken(self.seen.situation, held.lease)) from held

    def beat(self) -> Lease | None:
        """Hold the leases on; whoever took one meanwhile, the first time that this is seen."""
        if self.holding is None:
            return None
        try:
            taker = self.holding.renew()
        except RefloatError:  # the leases run on for a while; the next beat asks again
            return None
        if taker is not None:
            self.lost = taker
        return taker


def actor_of(machine: Machine, runner: Runner, is_running: Callable[[Runner], bool | None]) -> Actor:
    """Who this process is; `runner` and `is_running` are `machine.here`'s, which a front end passes in."""
    places = machine.places
    name = who(machine)

    def make() -> Record:
        return find_record(places.data, places.config, places.environment, machine.clock.now())

    def peek() -> Record:
        return open_saved(places.data, places.config, places.environment, machine.clock.now())

    return Actor(Holder(name, f"human:{name.partition('@')[0]}", runner, is_running), make, peek, os.getuid())


def look(bench: Workbench, actor: Actor, wish: Wish) -> Seen:
    """Look at a session as it is now, and ask the guard. Changes nothing.

    Raises:
        NoSuchSession: none, or more than one, fits.
        Unreadable: the record cannot be opened, so nobody knows who holds what.

    """
    located = resolve(bench, wish.ref, wish.cwd)
    session = located.session
    situation = situation_now(bench, actor, wish, session)
    return Seen(located, session, place_of(session), situation, judge(situation))


def situation_now(
    bench: Workbench, actor: Actor, wish: Wish, session: Session, standing: Callable[[], Standing | None] | None = None
) -> Situation:
    """What is to be judged of a session that was looked at just now, with who else is at it. `standing`: where it
    stands among the attempts, for whoever knows that already.

    Raises:
        Unreadable: the record cannot be opened, so nobody knows who holds what.

    """
    # Whoever would go to one that ended, or stop it, is told whether it can go on instead.
    writes = wish.operation in WRITES_THERE or (wish.operation in _RUNNING and session.state in ENDED)
    place = place_of(session)
    leases = _leases(bench, actor)
    own = actor.own.holder
    return replace(
        plain_situation(wish.operation, session, bench.reader(session.agent)),
        now=bench.machine.clock.now(),
        own=own,
        lease=next((lease for lease in leases if lease.subject == session.name), None),
        workspace_leases=tuple(_about_place(leases, workspace_subject(actor, place), own)) if place else (),
        bystanders=tuple(_bystanders(bench, session, place, actor.uid)) if writes else (),
        newer=(standing() if standing else standing_of(bench, session)) if writes else None,
        force=wish.force,
        pid=wish.pid,
    )


def would_accept(bench: Workbench, actor: Actor, session: Session) -> bool:
    """Whether `continue` would let a session through that was looked at just now, whoever else is at it."""
    try:
        return judge(
            situation_now(bench, actor, Wish("continue", session.name, bench.machine.places.home), session)
        ).allowed
    except RefloatError:
        return False  # nobody knows who holds what: `continue` says so


def workspace_subject(actor: Actor, place: str) -> str:
    """What the lease on a directory is called. With the host: a shared record knows directories of many."""
    return f"workspace:{actor.own.runner.host or ''}:{os.path.realpath(place)}"


@contextmanager
def act(
    bench: Workbench, actor: Actor, wish: Wish, *, beats: bool = True, known: Ruling | None = None
) -> Generator[Acting]:
    """Act while nobody else may. `beats`: a thread holds the leases on; without, the caller calls `Acting.beat` every
    `hold_session.BEAT` seconds (before a fork there must be no thread), and `Acting.tell_force` once. `known`: what
    the person was shown before; a force overrules nothing else.

    Raises:
        Refused: the guard says no.
        NoSuchSession: none, or more than one, fits.
        NotWritten: the record did not take the leases.

    """
    first = look(bench, actor, wish)
    _must(first.ruling if known is None else judge_again(first.situation, known))
    if wish.operation not in DOING:
        yield _acting(bench, actor, wish, first, None, at_once=True)
        return
    holding = _holding(bench, actor, wish, first)
    try:
        _take(holding, first)
        second = look(bench, actor, _same(wish, first))
        _must(judge_again(second.situation, first.ruling))
        acting = _acting(bench, actor, wish, second, holding, first.ruling.overruled, at_once=beats)
        with _beating(acting) if beats else nullcontext():
            yield acting
    finally:
        holding.release()


def _must(ruling: Ruling) -> None:
    if not ruling.allowed:
        raise Refused(ruling)


def _same(wish: Wish, seen: Seen) -> Wish:
    """The wish for the session that was seen: a word such as `last` may mean another one by now."""
    ref = wish.ref if seen.located.found.by_path else seen.session.name
    return replace(wish, ref=ref)


def _holding(bench: Workbench, actor: Actor, wish: Wish, seen: Seen) -> Holding:
    beside = [workspace_subject(actor, seen.place)] if wish.operation in WRITES_THERE and seen.place else []
    doing, name = DOING[wish.operation], seen.session.name
    return Holding(actor.make, bench.machine.clock.now, actor.own, name, doing, beside=beside)


def _take(holding: Holding, seen: Seen) -> None:
    """Take what the first look saw free. A force takes from those whom it saw, and from nobody who came since."""
    situation = seen.situation
    over = [lease.token for lease in (situation.lease, *situation.workspace_leases) if lease is not None]
    try:
        holding.take(over=over, tell=False)
    except Held as held:
        raise Refused(judge_taken(situation, held.lease)) from held


def _acting(
    bench: Workbench,
    actor: Actor,
    wish: Wish,
    seen: Seen,
    holding: Holding | None,
    before: Sequence[str] = (),
    *,
    at_once: bool,
) -> Acting:
    """`before`: what a force overruled in the look before. It is recorded before anything is done."""
    overruled = tuple(dict.fromkeys((*before, *seen.ruling.overruled)))
    name: SessionName = seen.session.name
    words = f"{wish.operation} of {name} was forced: {(wish.force or '').strip()}; {'; '.join(overruled)}"

    def tell() -> None:
        if overruled:
            with actor.make() as record:
                tell_jobs(record, actor.own, name, f"force {wish.operation}", words, bench.machine.clock.now())

    if at_once:
        tell()
    return Acting(seen, overruled, holding, tell)


@contextmanager
def _beating(acting: Acting) -> Generator[None]:
    over = threading.Event()

    def beat() -> None:
        while not over.wait(BEAT):
            acting.beat()

    thread = threading.Thread(target=beat, name="beat", daemon=True)
    try:
        thread.start()
    except RuntimeError as fault:  # "can't start new thread": the leases would run out under the work
        raise NoThreads("keeping a lease") from fault
    try:
        yield
    finally:
        over.set()
        thread.join()


# ── what is looked at beside the session ─────────────────────────────────────────────────────────────────────────────


def _leases(bench: Workbench, actor: Actor) -> Sequence[Lease]:
    """Leases of others that hold now."""
    try:
        record = actor.peek()
    except NothingSaved:
        return ()
    now = bench.machine.clock.now()
    with record:
        return [lease for lease in find_leases(record) if holds(lease, now, actor.own.runs)]


def _about_place(leases: Sequence[Lease], subject: str, own: str) -> Iterator[Lease]:
    """Leases on the directory, and those of other people on one around it or inside it."""
    for lease in leases:
        theirs = lease.holder != own and lease.subject.startswith("workspace:")
        if lease.subject == subject or (theirs and _overlap(lease.subject, subject)):
            yield lease


def _overlap(one: str, other: str) -> bool:
    return _is_in(one, other) or _is_in(other, one)


def _is_in(path: str, place: str) -> bool:
    return path == place or path.startswith(place.rstrip("/") + "/")


def _bystanders(bench: Workbench, session: Session, place: str | None, uid: int) -> Iterator[Bystander]:
    """Processes of agents that work in the directory, apart from those that the session's own evidence names."""
    if place is None:
        return
    real = os.path.realpath(place)
    own = {fact.pid for fact in session.liveness.evidence}
    rows = [row for row in bench.machine.processes.all() if not row.zombie and row.cwd and _is_in(row.cwd, real)]
    for reader in bench.readers:
        mine = [row for row in rows if reader.is_agent(row) and row.pid not in own]
        pids = {row.pid for row in mine}
        for row in mine:
            if row.ppid not in pids:  # a wrapper and the program that it runs are one
                named = reader.session_on_command_line(row)
                yield Bystander(
                    row.pid, reader.agent, row.uid in {uid, None}, f"{reader.agent}:{named}" if named else ""
                )
