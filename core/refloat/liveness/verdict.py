"""Judges facts: is a process behind the session, and what state is the session in. Pure.

Decides by the table of the design, section 3. Refuses to round: a bare candidate is never `live`, and nothing is
`failed` or `stopped` whose process is not proved gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from refloat.liveness.evidence import Claim, Facts, Rival, Subject
from refloat.model.light import light, replace
from refloat.model.liveness import LIKELY, Evidence, Liveness, ProcessInfo, Verdict
from refloat.model.session import Activity, Failure, FailureKind, State
from refloat.model.stamp import Stamp, seconds_of
from refloat.model.transcript import Ending
from refloat.text import inert_line

RECENT_SECONDS: Final = 30.0
"""A record younger than this may have a writer that nobody sees yet."""
_CLOCK_SECONDS: Final = 3600.0
"""A record of a moment that has not come is younger than any other, unless that is too far ahead to mean anything."""
_LISTED: Final = 5
"""Processes named one by one in the evidence; the rest is counted."""

NO_TERMINAL: Final = "runs without a terminal"
DO_NOT_START: Final = "do not start a second one on this session"


# ── liveness ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def judge_liveness(facts: Facts) -> Liveness:
    """The verdict on the session's process, with every fact that it rests on."""
    owned = _owners(facts)
    hints = [*_left_behind(facts), *_children(facts)]
    if owned:
        # What an earlier process left behind says nothing of this one.
        past = [replace(hint, kind="hint") if hint.kind in _LEFT else hint for hint in hints]
        return Liveness(Verdict.RUNNING, (*owned, *past))
    unknowable = _unknowable(facts)
    candidates = _candidates(facts)
    if unknowable:
        return Liveness(Verdict.UNKNOWABLE, tuple(unknowable + candidates + hints))
    fresh = _fresh(facts)
    if candidates or fresh:
        return Liveness(Verdict.CANDIDATE, tuple(candidates + fresh + hints))
    boot = _booted_after(facts)
    hidden = _uninspectable(facts)
    if hidden and not boot:
        return Liveness(Verdict.UNKNOWABLE, tuple(hidden + hints))
    nobody = _nobody(facts) if not hidden else []
    return Liveness(Verdict.GONE, (*boot, *hints, *_lock_absent(facts), *hidden, *nobody))


def _owners(facts: Facts) -> list[Evidence]:
    """Verified owners, each by its strongest evidence first."""
    found: list[Evidence] = []
    tell = _Teller(facts)
    remarked: set[int] = set()
    for claim in facts.claims:
        if claim.matches and claim.process is not None:
            found.append(tell(claim.holder.how, _claim_words(claim), claim.process.pid))
            found += _remark(tell, claim.process, remarked)
    for rival in facts.rivals:
        pid = rival.process.pid
        if rival.opens:
            found.append(tell("open_file", f"process {pid} ({rival.process.name}) holds the transcript open", pid))
        if rival.named:
            words = f"process {pid} ({rival.process.name}) was started with the session's id on its command line"
            found.append(tell("command_line", words, pid))
        if rival.opens or rival.named:
            found += _remark(tell, rival.process, remarked)
    return found


def owners_of(facts: Facts) -> tuple[ProcessInfo, ...]:
    """Verified owners, strongest evidence first."""
    claimed = [claim.process for claim in facts.claims if claim.matches and claim.process is not None]
    found = [*claimed, *(rival.process for rival in facts.rivals if rival.opens or rival.named)]
    return tuple({process.pid: process for process in found}.values())


def _claim_words(claim: Claim) -> str:
    holder, process = claim.holder, claim.process
    pid = process.pid if process is not None else holder.pid
    if holder.how == "lock":
        return f"process {pid} holds the lock {holder.path} (system's lock table)"
    status = f", and calls it {holder.status}" if holder.status else ""
    waiting = f" ({holder.waiting_for})" if holder.waiting_for else ""
    return f"register {holder.path} names process {pid}, which runs and started when the register says{status}{waiting}"


def _remark(tell: _Teller, process: ProcessInfo, remarked: set[int]) -> list[Evidence]:
    """What a person must know of an owner that is not as one expects it."""
    if process.pid in remarked:
        return []
    remarked.add(process.pid)
    found: list[Evidence] = []
    if process.terminal is None:
        parent = f"its parent is process {process.ppid}"
        found.append(tell("hint", f"process {process.pid} {NO_TERMINAL} ({parent}); {DO_NOT_START}", process.pid))
    if process.stopped:
        words = f"process {process.pid} is suspended (SIGSTOP or Ctrl-Z): it still owns the session and does nothing"
        found.append(tell("hint", words, process.pid))
    return found


def _unknowable(facts: Facts) -> list[Evidence]:
    """Why the absence of a process could not be proved even if none is seen."""
    tell = _Teller(facts)
    found: list[Evidence] = []
    for claim in facts.claims:
        holder = claim.holder
        if holder.foreign:
            where = f" ({holder.domain})" if holder.domain else ""
            words = f"register {holder.path} was written on another host or in another process namespace{where}"
            found.append(tell("other_host", words, holder.pid))
        elif holder.how == "lock" and holder.held is None:
            found.append(
                tell("lock", f"lock {holder.path} is there, and this system cannot tell whether it is held", None)
            )
        elif claim.inherited and claim.process is not None:
            heir, name = claim.process.pid, inert_line(claim.process.name)
            found.append(tell("lock", f"lock {holder.path} is held by process {heir} ({name}), no owner", None))
            words = f"process {heir} ({name}) got the lock from one that ended, and keeps {facts.subject.agent} out"
            found.append(tell("child", f"{words} until it ends, too", heir))
        elif claim.owner_unseen:
            whom = f"process {holder.pid}, which is not" if holder.pid else "a process that cannot be"
            found.append(tell("lock", f"lock {holder.path} is held by {whom} seen from here", holder.pid))
    if facts.subject.by_path:
        words = "the transcript was given by path from outside the agent's directories: it may be written elsewhere"
        found.append(tell("by_path", words, None))
    if facts.foreign_path is not None:
        words = f"its workspace {facts.foreign_path} is written as on another system"
        found.append(tell("other_host", words, None))
    return found


def _candidates(facts: Facts) -> list[Evidence]:
    tell = _Teller(facts)
    found = [tell("cwd", _candidate_words(facts, rival), rival.process.pid) for rival in candidates_of(facts)]
    for claim in facts.claims:
        holder, process = claim.holder, claim.process
        if claim.matches or holder.how != "register" or holder.foreign:
            continue
        if holder.background:
            words = f"register {holder.path} says that it runs in the background: its daemon may resume it by itself"
            found.append(tell("register", words, holder.daemon_pid or holder.pid))
        elif process is not None and _in_doubt(facts, claim):
            words = (
                f"register {holder.path} names process {process.pid}, a running {facts.subject.agent}, and holds "
                "nothing that proves it to be the same one"
            )
            found.append(tell("register", words, process.pid))
    return found


def _in_doubt(facts: Facts, claim: Claim) -> bool:
    """An old register without an exact start that names a running process of the agent: neither proved nor refuted."""
    pid = claim.holder.pid
    named = any(rival.process.pid == pid and not rival.elsewhere for rival in facts.rivals)
    return named and claim.holder.how == "register" and not claim.holder.start_token


def processes_in_doubt(facts: Facts) -> tuple[Claim, ...]:
    """Registers without an exact start that name a running process of the agent."""
    return tuple(claim for claim in facts.claims if not claim.matches and _in_doubt(facts, claim))


def candidates_of(facts: Facts) -> tuple[Rival, ...]:
    """Processes of the agent that may own the session without anything that verifies it."""
    if facts.explained:
        return ()
    return tuple(
        rival
        for rival in facts.rivals
        if not rival.elsewhere
        and not rival.opens
        and not rival.named
        and (rival.inside or (rival.inside is None and rival.process.inspectable))
    )


def _candidate_words(facts: Facts, rival: Rival) -> str:
    process = rival.process
    words = f"process {process.pid} ({process.name}) runs in {process.cwd or 'a directory that is not known'}"
    if rival.inside is None:
        words += ", and where the session worked is not recorded"
    last = facts.subject.last_activity
    if last is not None and process.started > seconds_of(last):
        words += "; it started after the last record and may have resumed the session"
    return words + "; nothing verifies that it owns the session"


def _fresh(facts: Facts) -> list[Evidence]:
    """Signs of a writer that is not seen: a record of just now, a transcript that grows."""
    subject = facts.subject
    if subject.end_verified:
        return []
    tell = _Teller(facts)
    found: list[Evidence] = []
    if subject.last_activity is not None:
        age = seconds_of(facts.at) - seconds_of(subject.last_activity)
        if -_CLOCK_SECONDS <= age < RECENT_SECONDS:
            old = (
                f"{age:.0f} s old" if age >= 0 else f"of {-age:.0f} s from now (the clock was set back, or is another)"
            )
            found.append(tell("recent", f"the last record is {old} and no owner is seen", None))
    if subject.grew:
        found.append(tell("growing", "the transcript grew between two looks and no owner is seen", None))
    return found


def _booted_after(facts: Facts) -> list[Evidence]:
    last = facts.subject.last_activity
    if facts.boot is None or last is None or not last < facts.boot <= facts.at:
        return []
    words = (
        f"the machine was started anew at {facts.boot}, after the last record at {last}; the process may have ended "
        "before that"
    )
    return [_Teller(facts)("boot", words, None)]


def _uninspectable(facts: Facts) -> list[Evidence]:
    """Processes of the agent that may be the owner and cannot be looked into (another user's)."""
    if facts.explained:
        return []
    tell = _Teller(facts)
    return [
        tell(
            "not_inspectable",
            f"process {rival.process.pid} ({rival.process.name}, user {rival.process.uid}) may not be looked into",
            rival.process.pid,
        )
        for rival in facts.rivals
        if not rival.process.inspectable and not rival.elsewhere
    ]


def _left_behind(facts: Facts) -> list[Evidence]:
    """Registers and locks without their process: the strongest evidence of a crash."""
    tell = _Teller(facts)
    found: list[Evidence] = []
    for claim in facts.claims:
        holder, process = claim.holder, claim.process
        if claim.matches or holder.foreign or _in_doubt(facts, claim):
            continue
        if holder.how == "lock":
            if holder.held is False:
                words = f"lock {holder.path} was left behind and nobody holds it: its last writer did not end cleanly"
                found.append(tell("lock", words, None))
        elif holder.pid is None:
            found.append(tell("hint", f"register {holder.path} names the session and no process", None))
        elif process is None:
            words = f"register {holder.path} was left behind: process {holder.pid}, which it names, no longer runs"
            found.append(tell("register", words, holder.pid))
        elif process.zombie:
            words = f"process {holder.pid}, which register {holder.path} names, has ended and is kept as a zombie"
            found.append(tell("zombie", words, holder.pid))
        elif claim.comparable:
            words = (
                f"register {holder.path} was left behind: process number {holder.pid} is in use by another program now "
                f"({process.name}, started at another time than the register says)"
            )
            found.append(tell("register", words, holder.pid))
        else:
            words = f"register {holder.path} names process number {holder.pid} and no start time: that proves nothing"
            found.append(tell("hint", words, holder.pid))
    return found


def _lock_absent(facts: Facts) -> list[Evidence]:
    if facts.lock_directory is None or any(claim.holder.how == "lock" for claim in facts.claims):
        return []
    words = f"no lock for it in {facts.lock_directory}: closed cleanly, or never opened by a version with locks"
    return [_Teller(facts)("hint", words, None)]


def _children(facts: Facts) -> list[Evidence]:
    tell = _Teller(facts)
    return [
        tell(
            "child",
            f"background work still runs: process {child.pid} ({child.name}) carries the session's id in its "
            "environment; it is no owner",
            child.pid,
        )
        for child in facts.children[:_LISTED]
    ]


def _nobody(facts: Facts) -> list[Evidence]:
    """The sentence that stands for an empty search."""
    agent, count = facts.subject.agent, len(facts.rivals)
    if not count:
        words = f"no process of {agent} runs"
    else:
        named = "; ".join(_excused(facts, rival) for rival in facts.rivals[:_LISTED])
        more = f"; and {count - _LISTED} more" if count > _LISTED else ""
        running = f"1 process of {agent} runs" if count == 1 else f"{count} processes of {agent} run"
        words = f"{running}, and not for this session: {named}{more}"
    return [_Teller(facts)("no_process", words, None)]


def _excused(facts: Facts, rival: Rival) -> str:
    pid = rival.process.pid
    if rival.elsewhere:
        return f"process {pid} owns {rival.elsewhere}"
    if facts.explained:
        return f"process {pid} would be named by this session's register or lock if it owned it"
    return f"process {pid} works in {rival.process.cwd or 'no known directory'}"


@light
class _Teller:
    """Makes evidence of one look."""

    facts: Facts

    def __call__(self, kind: str, detail: str, pid: int | None) -> Evidence:
        return Evidence(kind=kind, detail=detail, pid=pid, at=self.facts.at)


def judge_many(facts: Sequence[Facts]) -> tuple[Liveness, ...]:
    """Judge the sessions of one look together: of several that one process may own, the newest is the likely one."""
    judged = [judge_liveness(each) for each in facts]
    newest: dict[tuple[str, int], Subject] = {}
    rivals: dict[tuple[str, int], int] = {}
    for each, liveness in zip(facts, judged, strict=True):
        for pid in _candidate_pids(liveness):
            key = (each.subject.agent, pid)
            rivals[key] = rivals.get(key, 0) + 1
            if key not in newest or _newness(each.subject) > _newness(newest[key]):
                newest[key] = each.subject
    likely = {key: subject for key, subject in newest.items() if rivals[key] > 1}
    return tuple(_with_likely(each, liveness, likely) for each, liveness in zip(facts, judged, strict=True))


def _candidate_pids(liveness: Liveness) -> set[int]:
    if liveness.verdict is not Verdict.CANDIDATE:
        return set()
    return {evidence.pid for evidence in liveness.evidence if evidence.kind == "cwd" and evidence.pid is not None}


def _newness(subject: Subject) -> tuple[str, str]:
    return (subject.last_activity or "", subject.session_id)


def _with_likely(facts: Facts, liveness: Liveness, likely: dict[tuple[str, int], Subject]) -> Liveness:
    if liveness.verdict is not Verdict.CANDIDATE:
        return liveness

    def say(evidence: Evidence) -> Evidence:
        subject = likely.get((facts.subject.agent, evidence.pid or 0)) if evidence.kind == "cwd" else None
        if subject is None:
            return evidence
        own = subject.session_id == facts.subject.session_id
        words = (
            f"of the sessions that it may own, {LIKELY}"
            if own
            else (f"{subject.agent}:{subject.session_id} is newer and more likely its session")
        )
        return replace(evidence, detail=f"{evidence.detail}; {words}")

    return replace(liveness, evidence=tuple(map(say, liveness.evidence)))


_LEFT: Final = frozenset(("register", "lock", "zombie"))
"""Kinds of evidence that stand, beside the verdict `gone`, for something that a crashed process left behind."""

# ── state ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def judge_state(
    ending: Ending,
    liveness: Liveness,
    *,
    last_activity: Stamp | None = None,
    status: tuple[str, str] = ("", ""),
) -> tuple[State, Activity | None, Failure | None]:
    """The session's state from the end of its record and the verdict on its process.

    `status` is the register's own word and what it waits for (`Facts.status`); it speaks for a live session only.
    """
    match liveness.verdict:
        case Verdict.RUNNING:
            return State.LIVE, judge_activity(ending, status), None
        case Verdict.CANDIDATE | Verdict.UNKNOWABLE:
            return State.UNRESOLVED, None, None
        case Verdict.GONE:
            failure = judge_failure(ending, liveness, last_activity)
            if failure is not None:
                return State.FAILED, None, failure
            unbound = ending.prompts == 0 and ending.turn == "none"
            return (State.UNBOUND if unbound else State.STOPPED), None, None
        case _:
            assert_never(liveness.verdict)


def judge_subagent(ending: Ending, parent: Liveness, *, last_activity: Stamp | None = None) -> State:
    """The state of a sub-agent: it lives in its parent's process, and outlives its own end in no process at all."""
    ended_well = ending.turn in {"completed", "interrupted", "none"} and not ending.dangling and not ending.cut
    if ended_well and ending.failure is None:
        return State.STOPPED
    if ending.turn == "failed":
        return State.FAILED
    return judge_state(ending, parent, last_activity=last_activity)[0]


def judge_activity(ending: Ending, status: tuple[str, str] = ("", "")) -> Activity:
    """What a live session does. A permission dialog stands in no record: there the register's word counts."""
    word, waits_for = status
    if word == "waiting":
        return Activity.AWAITING_APPROVAL if "permission" in waits_for.lower() else Activity.AWAITING_INPUT
    match ending.pending:
        case "approval":
            return Activity.AWAITING_APPROVAL
        case "input":
            return Activity.AWAITING_INPUT
        case None:
            pass
    return Activity.WORKING if ending.turn == "open" or ending.dangling else Activity.IDLE


def judge_failure(ending: Ending, liveness: Liveness, last_activity: Stamp | None) -> Failure | None:
    """Why a session whose process is gone failed; None when its record ends well."""
    told = ending.failure is not None and ending.turn != "completed" and not ending.user_interrupted
    if ending.turn == "failed" or told:
        return ending.failure or Failure(
            FailureKind.UNKNOWN, "the record says that its last turn failed", last_activity
        )
    torn = ending.cut or ending.shutdown
    if ending.user_interrupted and not torn:
        if not ending.dangling:
            return None
        words = f"the user interrupted the turn; {_dangling(ending.dangling)}"
        return Failure(FailureKind.INTERRUPTED_BY_USER, words, last_activity)
    if not (torn or ending.dangling or ending.turn == "open"):
        return None
    return Failure(_exit_kind(ending, liveness), _exit_words(ending, liveness), last_activity or ending.open_since)


def _exit_kind(ending: Ending, liveness: Liveness) -> FailureKind:
    kinds = {evidence.kind for evidence in liveness.evidence}
    if "boot" in kinds and "zombie" not in kinds:  # a zombie died under this very boot
        return FailureKind.HOST_RESTART
    if ending.turn == "open" or ending.shutdown or kinds & _LEFT:
        return FailureKind.PROCESS_EXIT
    if ending.cut and not ending.dangling:
        return FailureKind.TRANSCRIPT_DAMAGED
    return FailureKind.UNKNOWN


def _exit_words(ending: Ending, liveness: Liveness) -> str:
    parts = ["the process is gone"]
    if ending.turn == "open":
        parts.append("the last turn is open")
    if ending.shutdown:
        parts.append("the program was shutting down while a step ran")
    elif ending.dangling:
        parts.append(_dangling(ending.dangling))
    if ending.cut:
        parts.append("the last record is cut")
    told = [
        _left_words(evidence) for evidence in liveness.evidence if evidence.kind == "boot" or evidence.kind in _LEFT
    ]
    return "; ".join([*parts, *dict.fromkeys(told)])


def _left_words(evidence: Evidence) -> str:
    """What was left, without where: the evidence itself names the place."""
    match evidence.kind:
        case "register":
            return "its agent's register of running sessions still names it"
        case "lock":
            return "its lock file was left behind"
        case "zombie":
            return "its process is a zombie"
        case _:
            return evidence.detail


def _dangling(count: int) -> str:
    return "1 call has no recorded result" if count == 1 else f"{count} calls have no recorded result"
