"""Stopping a session's process: its whole tree, asked before it is made to, and then what is verified of its end.

Decides what counts as stopped: every process of the tree has ended, no new one has begun, nobody else owns the session,
and its transcript stays as it is. Anything less is `not_verified`, with what is left. `stop_plan` says whom it is
about, `stop_tree` who is sent what.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final, Self

from refloat.errors import RefloatError
from refloat.liveness.family import is_same
from refloat.liveness.verdict import judge_liveness, owners_of
from refloat.model.liveness import Verdict
from refloat.model.saving import Ending, Opening
from refloat.model.saving import Tree as Checkout
from refloat.model.session import Activity, State
from refloat.model.stopping import Left, Progress, Stopped, StopPlan
from refloat.ports import Machine, Processes
from refloat.readers.contract import Found
from refloat.record.chain import Begun, begin_step, seal_step
from refloat.record.contents import hold
from refloat.record.store import Record
from refloat.usecases import act
from refloat.usecases.act import Actor, Refused, Wish
from refloat.usecases.find_sessions import Located
from refloat.usecases.hold_session import jobs_of
from refloat.usecases.stop_plan import Sight, heads_of, plan_for, plan_stop, take_sight
from refloat.usecases.stop_tree import Patience, Tell, Tree, names_of, words_of
from refloat.usecases.verified_end import STOP_ORIGIN, STOP_TOOL
from refloat.usecases.workbench import Workbench

TURN_LOOK: Final = 2.0
"""Seconds between two looks at whether a turn has ended."""
_UNSEEN: Final = Checkout(unknown="not looked at")


def _say_nothing(progress: Progress) -> None:
    del progress


def wait_for_turn(bench: Workbench, actor: Actor, wish: Wish, tell: Tell = _say_nothing) -> None:
    """Wait until the session works on nothing: its turn has ended, or it waits for a person. Sends nothing.

    Raises:
        NoSuchSession: it is not there any more.
        Unreadable: the record cannot be opened.

    """
    told = False
    while True:
        session = act.look(bench, actor, wish).session
        if session.state is not State.LIVE or session.activity is not Activity.WORKING:
            return
        if not told:
            tell(Progress("waiting", "it works; waiting for its turn to end. Ctrl-C leaves it alone"))
            told = True
        rows = [bench.machine.processes.get(pid) for pid in session.liveness.owners]
        grips = [grip for row in rows if row is not None and (grip := bench.machine.signals.grip(row)) is not None]
        with ExitStack() as held:
            for grip in grips:
                held.callback(grip.release)
            bench.machine.signals.wait(grips, TURN_LOOK)


def plan_after_turn(bench: Workbench, actor: Actor, wish: Wish, plan: StopPlan, tell: Tell = _say_nothing) -> StopPlan:
    """Wait for the turn's end, and plan anew; the same plan where all that it is about has ended by itself meanwhile:
    its end can still be verified, and a look of just then could prove nothing.

    Raises:
        NoSuchSession: it is not there any more.
        Unreadable: the record cannot be opened.

    """
    if plan.refused is not None:
        return plan
    wish = replace(wish, ref=plan.ref)
    wait_for_turn(bench, actor, wish, tell)
    again = plan_stop(bench, actor, wish)
    rows = [bench.machine.processes.get(head.process.pid) for head in heads_of(plan)]
    runs = any(
        row is not None and is_same(row, head.process) and not row.zombie
        for row, head in zip(rows, heads_of(plan), strict=True)
    )
    return again if again.refused is None or runs else plan


def stop_session(
    bench: Workbench,
    actor: Actor,
    wish: Wish,
    plan: StopPlan,
    tell: Tell = _say_nothing,
    patience: Patience = Patience(),  # noqa: B008 - a frozen value
) -> Stopped:
    """Stop what a plan of just now names, and verify it. A person who had to be asked has said yes to `plan.confirm`.

    Looks anew before anything is sent: when another process owns the session by now, nothing is. Ctrl-C ends the stop
    where it stands, and the answer says where that is; so does a `tell` that raises `KeyboardInterrupt`.

    Raises:
        NoSuchSession: it is not there any more.
        Unreadable: the record cannot be opened, so nobody knows who holds what.

    """
    if plan.refused is not None:
        return Stopped(plan.session, "refused", (), plan.left, plan.refused)
    wish = replace(wish, ref=plan.ref)
    located = act.look(bench, actor, wish).located
    with ExitStack() as held:
        tree = Tree(bench.machine, plan, actor.uid, patience, tell)
        held.callback(tree.release)
        tree.walk()
        if tree.alive():
            refused = tree.why_not() or _refuse(bench, actor, wish, tree, held)
            if refused and tree.alive():
                return Stopped(plan.session, "refused", (), plan.left, refused)
        with _Receipt(actor, plan, bench.machine) as receipt:
            stopped = receipt.seal(_stopped(bench, located, wish, tree))
    return _with_the_turn(bench, actor, wish, stopped)


def _with_the_turn(bench: Workbench, actor: Actor, wish: Wish, stopped: Stopped) -> Stopped:
    """Say how the session is listed from here on, where that is another word than the stop's: `stopped` there says that
    the last turn ended.
    """
    if stopped.result != "stopped":
        return stopped
    try:
        state = act.look(bench, actor, wish).session.state
    except RefloatError:
        return stopped  # it is verified; how it is listed, a list says
    if state is not State.FAILED:
        return stopped
    return replace(stopped, why=f"{stopped.why}; its turn did not end: it is listed as failed")


def _refuse(bench: Workbench, actor: Actor, wish: Wish, tree: Tree, held: ExitStack) -> str:
    """Look once more; why nothing may be sent, empty where it may. What began meanwhile is taken into the tree."""
    try:
        acting = held.enter_context(act.act(bench, actor, wish, known=tree.plan.ruling))
    except Refused as no:
        return str(no)
    fresh = plan_for(take_sight(bench, acting.seen.located, wish), acting.seen.ruling, actor)
    if fresh.refused is not None:
        return fresh.refused
    if not all(any(is_same(head.process, one.process) for one in tree.heads) for head in heads_of(fresh)):
        return "another process owns it than a moment ago: look again, and stop that one"
    tree.take(fresh.kin)
    return ""


def _stopped(bench: Workbench, located: Located, wish: Wish, tree: Tree) -> Stopped:
    try:
        if tree.alive():
            tree.stop()
        tree.tell(Progress("verifying", f"looking for {tree.patience.quiet:.0f} s whether anything goes on"))
        return _verified(bench, located, wish, tree)
    except KeyboardInterrupt:
        alive = tree.alive()
        where = f"after {words_of(tree.sent)}" if tree.sent else "before anything was sent"
        then = f"{names_of(alive)} still runs" if alive else "its processes have ended, and nothing more was looked at"
        left = (*tree.left(), *tree.plan.left)
        why = f"you ended the stop {where}: {then}"
        return Stopped(tree.plan.session, "not_verified", tuple(tree.sent), left, why, by_person=True)


# ── what is verified ─────────────────────────────────────────────────────────────────────────────────────────────────


def _verified(bench: Workbench, located: Located, wish: Wish, tree: Tree) -> Stopped:
    """Look for a while at what is left, and say what is verified."""
    sizes = {path: _size(path) for path in _paths(located.found)}
    bench.machine.signals.wait((), tree.patience.quiet)
    grown = [path for path, size in sizes.items() if _size(path) != size]
    tree.walk()
    sight = take_sight(bench, located, wish)
    doubts = list(_doubts(tree, sight, grown))
    left = (
        *tree.left(),
        *_new_work(tree, sight),
        *_writers(bench.machine.processes, sight, grown),
        *tree.plan.left,
    )
    return Stopped(
        session=tree.plan.session,
        result="not_verified" if doubts else "stopped",
        signals=tuple(tree.sent),
        left=_each_once(left),
        why="; ".join(doubts) or _how(tree),
        notes=tuple(_notes(tree, sight)),
    )


def _each_once(left: Sequence[Left]) -> tuple[Left, ...]:
    found: dict[int, Left] = {}
    for row in left:
        found.setdefault(row.pid, row)
    return tuple(found.values())


def _doubts(tree: Tree, sight: Sight, grown: Sequence[str]) -> Iterator[str]:
    alive = tree.alive()
    if alive:
        yield f"{names_of(alive)} still runs{f' after {words_of(tree.sent)}' if tree.sent else ''}"
    known = {kin.process.pid for kin in alive}
    for owner in owners_of(sight.facts) if sight.wish.pid is None else ():
        if owner.pid not in known:
            yield f"process {owner.pid} ({owner.name}) owns the session now"
    for claim in sight.facts.claims:
        if claim.owner_unseen:
            yield f"lock {claim.holder.path} is still held, by a process that cannot be told"
        elif claim.inherited and claim.process is not None and claim.process.pid not in known:
            yield f"lock {claim.holder.path} is still held, by process {claim.process.pid} ({claim.process.name})"
    if grown:
        yield f"{grown[0]} still changes: somebody writes to it"
    for row in _new_work(tree, sight):
        yield f"process {row.pid} ({row.name}) of the session was started meanwhile"


def _new_work(tree: Tree, sight: Sight) -> list[Left]:
    """Processes that carry the session's id and were not there before anything was sent."""
    known = {kin.process.pid for kin in tree.alive()}
    return [
        Left(row.pid, row.name, "carries the session's id, and was started while it was being stopped")
        for row in sight.facts.children
        if row.pid not in known and not (row.pid in tree.first and is_same(row, tree.first[row.pid]))
    ]


def _writers(processes: Processes, sight: Sight, grown: Sequence[str]) -> Iterator[Left]:
    """Who holds open a transcript that grows."""
    for row in sight.seen.processes.values() if grown else ():
        if not (processes.open_files(row.pid) or frozenset()).isdisjoint(grown):
            yield Left(row.pid, row.name, "holds the transcript open, which still changes")


def _notes(tree: Tree, sight: Sight) -> Iterator[str]:
    liveness = judge_liveness(sight.facts)
    if liveness.verdict is Verdict.RUNNING:
        yield from (f"process {owner.pid} ({owner.name}) owns the session" for owner in owners_of(sight.facts))
    else:
        yield from (fact.detail for fact in liveness.evidence if fact.kind in {"register", "lock", "cwd"})
    for kin in tree.plan.kin:
        row = sight.seen.processes.get(kin.process.pid)
        if row is not None and is_same(row, kin.process) and row.zombie:
            yield f"process {row.pid} ({kin.process.name}) has ended and is kept as a zombie by its parent {row.ppid}"


def _how(tree: Tree) -> str:
    if not tree.sent:
        return "it had ended by itself before anything was sent; nothing of it runs or writes"
    heads = {head.process.pid for head in tree.heads}
    last = [sent.signal for sent in tree.sent if sent.pid in heads and sent.signal != "SIGCONT"]
    count = len(tree.plan.kin)
    whole = "its process has" if count == 1 else f"its {count} processes have"
    own = f", the session's own after {last[-1]}" if last else ""
    return f"{whole} ended{own}; nothing of it runs or writes"


def _paths(found: Found) -> frozenset[str]:
    """Its transcript's files, those of its sub-agents too."""
    parts = [*found.segments, *(segment for sub in found.subagents for segment in sub.segments)]
    return frozenset(segment.file.path for segment in parts)


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return -1


# ── what is saved ────────────────────────────────────────────────────────────────────────────────────────────────────


class _Receipt:
    """The stop as a step of the session's jobs: in flight before the first signal, sealed with what was verified.

    What cannot be saved stops no stop: the answer says so.
    """

    def __init__(self, actor: Actor, plan: StopPlan, machine: Machine) -> None:
        self._actor, self._plan, self._machine = actor, plan, machine
        self._record: Record | None = None
        self._begun: list[Begun] = []
        self._trouble = ""

    def __enter__(self) -> Self:
        own, name, now = self._actor.own, self._plan.session, self._machine.clock.now()
        pids = [kin.process.pid for kin in self._plan.kin]
        words = f"stop process {', '.join(map(str, pids))} of {name}"
        given = hold(json.dumps({"session": name, "processes": pids}).encode())
        try:
            self._record = self._actor.make()
            for job in jobs_of(self._record, name):
                opening = Opening(job, own.producer, STOP_TOOL, words, STOP_ORIGIN, now, None, _UNSEEN, own.runner)
                self._begun.append(begin_step(self._record, opening, given))
        except RefloatError as error:
            self._trouble = f"this stop is not saved: {error}"
        return self

    def __exit__(self, *_: object) -> None:
        if self._record is not None:
            self._record.close()

    def seal(self, stopped: Stopped) -> Stopped:
        """Save what it came to; the same, with a note where that could not be saved."""
        told = {
            "result": stopped.result,
            "signals": [{"signal": sent.signal, "pid": sent.pid, "at": sent.at} for sent in stopped.signals],
            "left": [{"pid": row.pid, "name": row.name, "why": row.why} for row in stopped.left],
            "why": stopped.why,
        }
        outcome = "interrupted" if stopped.by_person else "ok" if stopped.result == "stopped" else "error"
        ending = Ending(outcome, self._machine.clock.now(), None, _UNSEEN, stopped.why)
        try:
            for begun in self._begun:
                if self._record is not None:
                    seal_step(self._record, begun, ending, hold(json.dumps(told).encode()))
        except RefloatError as error:
            self._trouble = self._trouble or f"the end of this stop is not saved: {error}"
        return replace(stopped, notes=(*stopped.notes, self._trouble)) if self._trouble else stopped
