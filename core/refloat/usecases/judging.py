"""One look at the machine, and what it says of each session's state.

Joins the liveness package to what was read. Decides only how a sub-agent stands: it lives by its session's process and
ends by its own record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from refloat.catalogue.pack import Packed
from refloat.liveness.evidence import Facts, look, subject_of, unowned, with_verified_end
from refloat.liveness.verdict import RECENT_SECONDS, judge_liveness, judge_many, judge_state, judge_subagent
from refloat.model.light import light, replace
from refloat.model.liveness import Liveness, Verdict
from refloat.model.problem import Problem
from refloat.model.session import Activity, Failure, FailureKind, Session, SessionName, State
from refloat.model.stamp import Stamp, later
from refloat.model.story import Summary
from refloat.readers.contract import Found

if TYPE_CHECKING:
    from refloat.usecases.workbench import Workbench

_PASSING: Final = frozenset({"child", "zombie", "not_inspectable", "cwd", "open_file", "command_line"})
"""Evidence that names a process of this moment."""

_FRESH: Final = frozenset({"recent", "growing"})
"""Evidence that a verified end takes away."""


@light
class Judged:
    """What a session's end and its process add up to."""

    state: State
    activity: Activity | None
    failure: Failure | None
    liveness: Liveness
    subagents: Mapping[str, State]


class Judge:
    """Judges sessions by one look at processes, registers and locks."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._look = look(bench.machine, bench.readers)
        self.recent = later(self._look.at, -RECENT_SECONDS)
        """From when on activity counted as recent."""

    @property
    def at(self) -> Stamp:
        """The moment of the look."""
        return self._look.at

    @property
    def boot(self) -> Stamp | None:
        """When the machine booted."""
        return self._look.boot

    @property
    def problems(self) -> Sequence[Problem]:
        """Registers and locks that could not be read."""
        return self._look.problems

    @property
    def claimed(self) -> Collection[SessionName]:
        """Sessions that a register or a lock names."""
        return {SessionName(f"{agent}:{session_id}") for agent, session_id in self._look.claims}

    @property
    def any_agent_runs(self) -> bool:
        """Whether a process of any agent runs."""
        return any(self._look.agents.values())

    def told(self, names: Collection[str]) -> tuple[object, ...]:
        """What was seen of processes, registers and locks, and of transcripts of these names that processes hold open:
        where it compares equal, only time may change a verdict.
        """
        return self._look.told(names)

    def judge(self, found: Found, packed: Packed, *, grew: bool) -> Judged:
        """Judge one session alone. `grew`: two looks of this Refloat saw its transcript grow."""
        facts = self._look.facts_for(subject_of(found, packed.summary, grew=grew))
        liveness = judge_liveness(facts)
        if (after_stop := self._after_stop(facts, liveness)) is not facts:
            liveness = judge_liveness(after_stop)
        return _judge(packed, liveness, facts.status)

    def judge_among(
        self, found: Found, packed: Packed, others: Callable[[], Iterable[tuple[Found, Summary]]]
    ) -> Judged:
        """Judge one session. `others`: those that one process may own as well, asked only where that is so."""
        judged = self.judge(found, packed, grew=False)
        if judged.liveness.verdict is not Verdict.CANDIDATE or all(
            row.kind != "cwd" for row in judged.liveness.evidence
        ):
            return judged
        facts = self._look.facts_for(subject_of(found, packed.summary))
        facts = self._after_stop(facts, judged.liveness)
        rivals = [self._look.facts_for(subject_of(*other)) for other in others()]
        return replace(judged, liveness=judge_many([facts, *rivals])[0])

    def judge_all(self, sessions: Sequence[tuple[Found, Packed, bool]]) -> list[Judged]:
        """Judge the sessions of a whole look together: one process may be a candidate for several."""
        facts = [self._look.facts_for(subject_of(found, packed.summary, grew=grew)) for found, packed, grew in sessions]
        judged = judge_many(facts)
        after_stops = [self._after_stop(each, liveness) for each, liveness in zip(facts, judged, strict=True)]
        if any(after is not each for after, each in zip(after_stops, facts, strict=True)):
            judged = judge_many(after_stops)
        rows = zip(sessions, facts, judged, strict=True)
        return [_judge(packed, liveness, each.status) for (_, packed, _), each, liveness in rows]

    def _after_stop(self, facts: Facts, liveness: Liveness) -> Facts:
        """The facts as they count where Refloat itself saw the owner end: asked only where a record of just now, or a
        transcript that grew, speaks for a writer that nobody sees.
        """
        if not is_fresh(liveness):
            return facts
        from refloat.usecases.verified_end import saw_end  # most look at no such session, and need no record

        return with_verified_end(facts) if saw_end(self._bench, facts.subject) else facts


def judge_unowned(found: Found, packed: Packed, at: Stamp, boot: Stamp | None, locks: str | None) -> Judged:
    """Judge a session that no register and no lock names, where no agent runs and nothing that any started.
    `locks`: the directory of the agent's locks, where it exists.
    """
    facts = unowned(subject_of(found, packed.summary), at, boot, locks)
    return _judge(packed, judge_liveness(facts), facts.status)


def is_fresh(liveness: Liveness) -> bool:
    """Whether a record of just now, or one that grew, is among the evidence: time alone takes that away."""
    return any(fact.kind in _FRESH for fact in liveness.evidence)


def may_pass(session: Session, recent: Stamp) -> bool:
    """Whether what was judged of a session may become another thing though no file changed and the same processes run.
    `recent`: the moment from which on activity counted as recent in that look.
    """
    last = session.last_activity_at
    return is_fresh(session.liveness) or not is_settled(session.liveness) or (last is not None and last > recent)


def is_settled(liveness: Liveness) -> bool:
    """Whether the verdict holds until a file changes, the machine restarts or a process of an agent begins."""
    kinds = {evidence.kind for evidence in liveness.evidence}
    match liveness.verdict:
        case Verdict.GONE:
            return not kinds & _PASSING
        case Verdict.UNKNOWABLE:
            return not kinds & (_PASSING | {"lock"})
        case Verdict.RUNNING | Verdict.CANDIDATE:
            return False


def _judge(packed: Packed, liveness: Liveness, status: tuple[str, str]) -> Judged:
    summary = packed.summary
    state, activity, failure = judge_state(
        summary.ending, liveness, last_activity=summary.last_activity_at, status=status
    )
    if state is State.UNBOUND and (why := _why_nothing_read(packed)):
        state, failure = State.FAILED, Failure(FailureKind.TRANSCRIPT_DAMAGED, why, None)
    return Judged(
        state,
        activity,
        failure,
        liveness,
        {
            key: judge_subagent(sub.ending, liveness, last_activity=sub.last_activity_at)
            for key, sub in packed.subagents.items()
        },
    )


def _why_nothing_read(packed: Packed) -> str:
    """What is wrong with a transcript that is there and of which nothing could be read: nobody knows that nothing was
    ever prompted. "" where anything could, and where there is nothing in it.
    """
    summary = packed.summary
    if summary.last_activity_at is not None or summary.steps or not summary.problems:
        return ""
    return f"nothing of the transcript could be read: {summary.problems[0].what}"
