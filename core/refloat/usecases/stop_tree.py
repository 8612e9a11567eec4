"""The tree of a session's owners while it is stopped: who is of it, who still runs, who is sent what, in which order.

Decides that owners are asked first and alone, that what they started gets a moment to end with them, and that the rest
is terminated and then killed. Holds on to each process, so that a signal reaches it or nobody. Refuses to signal what
belongs to another user, and anything below an owner that it has no hold on: nothing is taken from under a process that
goes on. Judges nothing of what it came to.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from refloat.liveness.evidence import ancestry
from refloat.liveness.family import begun_before, family_of, is_same
from refloat.model.light import light
from refloat.model.liveness import ProcessInfo
from refloat.model.stopping import Kin, Left, Progress, Sent, SignalWord, StopPlan
from refloat.ports import Grip, Machine
from refloat.usecases.stop_plan import heads_of

KILL_ROUNDS: Final = 3
"""SIGKILL is sent again to what began meanwhile, so often."""
_ROLES: Final = {
    "owner": "it owns the session",
    "named": "it was named",
    "child": "started by the session's process",
    "group": "in the process group that the session's process leads",
    "session": "in the session of processes that the session's process leads",
}

Tell = Callable[[Progress], None]


@light
class Patience:
    """How long a stop waits, in seconds."""

    rest: float = 2.0
    """For what an owner started to end by itself, when the owner has ended."""
    end: float = 5.0
    """After SIGTERM, to what is left."""
    kill: float = 5.0
    """After each SIGKILL, to what is left then."""
    quiet: float = 2.0
    """Looking whether anything goes on."""


class Tree:
    """Processes that are stopped together. `release` it when the stop is over."""

    def __init__(self, machine: Machine, plan: StopPlan, uid: int, patience: Patience, tell: Tell) -> None:
        self.machine, self.plan, self.patience, self.tell = machine, plan, patience, tell
        self.heads = heads_of(plan)
        self.sent: list[Sent] = []
        self.first: Mapping[int, ProcessInfo] = {}
        """The process table as it was before anything was sent."""
        self._uid = uid
        self._kin: dict[int, Kin] = {kin.process.pid: kin for kin in plan.kin}
        self._grips: dict[int, Grip] = {}
        self._older: set[int] = set()
        """What is not the agent's, though its process started it: once told, it stays so when its parent has ended."""
        self._foreign: dict[int, str] = {}
        """Of the tree, what may not be signalled: why."""

    def release(self) -> None:
        """Let go of every process."""
        for grip in self._grips.values():
            grip.release()

    def take(self, kin: Sequence[Kin]) -> None:
        """Take in what a fresh look found."""
        for each in kin:
            self._kin.setdefault(each.process.pid, each)
        self.walk()

    def walk(self) -> None:
        """Look who belongs to it now, and take hold of those that are new."""
        table = {row.pid: row for row in self.machine.processes.all()}
        self.first = self.first or table
        self._older |= begun_before(self.heads, table).keys()
        for kin in family_of(self.heads, table, tuple(self._kin.values()), ancestry(table) | self._older):
            row = kin.process
            if row.pid in self._grips or row.pid in self._foreign:
                if is_same(self._kin[row.pid].process, row):
                    continue
                self._let_go(row.pid)  # that one has ended, and its number is a newer one's
                self._foreign.pop(row.pid, None)
            self._kin[row.pid] = kin
            if row.uid is not None and row.uid != self._uid:
                self._foreign[row.pid] = f"belongs to another user (uid {row.uid})"
            elif (grip := self.machine.signals.grip(row)) is not None:
                self._grips[row.pid] = grip

    def _let_go(self, pid: int) -> None:
        grip = self._grips.pop(pid, None)
        if grip is not None:
            grip.release()

    def alive(self) -> tuple[Kin, ...]:
        """Who of it still runs, owners first."""
        heads = {head.process.pid for head in self.heads}
        running = {pid: self._kin[pid] for pid, grip in self._grips.items() if not grip.has_ended()}
        foreign = {pid: self._kin[pid] for pid in self._foreign if self._runs(self._kin[pid].process)}
        beyond = {head.process.pid: head for head in self.out_of_reach()}
        return tuple(sorted((running | foreign | beyond).values(), key=lambda kin: kin.process.pid not in heads))

    def out_of_reach(self) -> tuple[Kin, ...]:
        """Owners that run on without a hold on them: then nothing below them may be signalled either."""
        return tuple(head for head in self.heads if head.process.pid not in self._grips and self._runs(head.process))

    def _runs(self, row: ProcessInfo) -> bool:
        seen = self.machine.processes.get(row.pid)
        return seen is not None and is_same(seen, row) and not seen.zombie

    def left(self) -> tuple[Left, ...]:
        """Who of it runs on, and why it was of it."""
        return tuple(
            Left(kin.process.pid, kin.process.name, self._foreign.get(kin.process.pid) or _ROLES[kin.role])
            for kin in self.alive()
        )

    def why_not(self) -> str:
        """Why nothing may be sent; empty where it may."""
        beyond = self.out_of_reach()
        if not beyond:
            return ""
        return f"there is no hold on {names_of(beyond)}: nothing is signalled that may be another process, or below one"

    def stop(self) -> None:
        """Ask the owners, then terminate what is left, then kill it. Ends where an owner cannot be reached any more."""
        self._ask_owners()
        if not self.out_of_reach():
            self._end_the_rest()
        self.tell(Progress("ended", f"{names_of(self.alive())} still runs" if self.alive() else "all of it has ended"))

    def _ask_owners(self) -> None:
        for ask in self.plan.asks:
            self.walk()
            owners = [head.process.pid for head in self.heads if head.process.pid in self._targets()]
            if not owners or self.out_of_reach():
                return
            self._send(ask.signal, owners if ask.signal == "SIGINT" else self._targets())
            self._wait(owners, ask.grace)

    def _end_the_rest(self) -> None:
        if not any(head.process.pid in self._targets() for head in self.heads):
            self._wait(self._targets(), self.patience.rest)
        self.walk()
        asked = {sent.pid for sent in self.sent if sent.signal == "SIGTERM"}
        if unasked := [pid for pid in self._targets() if pid not in asked]:
            self._send("SIGTERM", unasked)
            self._wait(self._targets(), self.patience.end)
        for _ in range(KILL_ROUNDS):
            self.walk()
            if not self._targets():
                break
            self._send("SIGKILL", self._targets())
            self._wait(self._targets(), self.patience.kill)

    def _targets(self) -> list[int]:
        """What may be signalled and still runs, owners first."""
        return [kin.process.pid for kin in self.alive() if kin.process.pid in self._grips]

    def _wait(self, pids: Sequence[int], seconds: float) -> None:
        held = [self._grips[pid] for pid in pids if pid in self._grips]
        if held:
            self.machine.signals.wait(held, seconds)

    def _send(self, signal: SignalWord, pids: Sequence[int]) -> None:
        names = ", ".join(f"{pid} ({self._kin[pid].process.name})" for pid in pids)
        self.tell(Progress("signal", f"{signal} to {names}"))
        for pid in pids:
            if self.out_of_reach():
                return
            if self._reach(signal, pid) and signal != "SIGKILL" and self._is_suspended(pid):
                self._reach("SIGCONT", pid)  # else it could not react

    def _reach(self, signal: SignalWord, pid: int) -> bool:
        # Noted first: whoever ends the stop in this very moment must not be told that nothing was sent.
        self.sent.append(Sent(signal, pid, self.machine.clock.now()))
        answer = self._grips[pid].send(signal)
        if answer != "sent":
            self.sent.pop()
        if answer == "forbidden":
            self._foreign[pid] = "the system does not let you signal it"
            self._let_go(pid)
        return answer == "sent"

    def _is_suspended(self, pid: int) -> bool:
        row = self.machine.processes.get(pid)
        return row is not None and row.stopped


def names_of(kin: Sequence[Kin]) -> str:
    """Processes as a sentence names them."""
    return ", ".join(f"process {each.process.pid} ({each.process.name})" for each in kin)


def words_of(sent: Sequence[Sent]) -> str:
    """Signals as a sentence names them."""
    return ", ".join(dict.fromkeys(f"{each.signal} to {each.pid}" for each in sent if each.signal != "SIGCONT"))
