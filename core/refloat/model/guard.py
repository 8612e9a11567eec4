"""The guard: may this operation act on this session now? Pure, and the only place that says so.

Decides by the tables of the design, sections 3 and 9: each row is one `Branch`, and each has one sentence that a tired
person understands, naming what forbids it. Refuses to look: the facts come in as a `Situation`, and whoever acts asks
twice, before and after it holds the leases. `--force` overrules rows that are about other writers and about a record
that ends badly; it never makes a process, a workspace or a transcript out of nothing.
"""

from collections.abc import Iterator
from shlex import quote
from typing import Final, assert_never

from refloat.model.light import light, replace
from refloat.model.record import Lease
from refloat.model.session import Failure, FailureKind, State, place_here
from refloat.model.situation import Branch, Instead, Ruling, Situation
from refloat.model.stamp import Stamp, seconds_of
from refloat.text import inert_line

CAN_GO_ON: Final = frozenset(
    {FailureKind.RATE_LIMIT, FailureKind.OUT_OF_CREDIT, FailureKind.AUTH, FailureKind.API_ERROR}
)
"""Failures of the provider: the conversation itself is whole, so the agent's own resume goes on with it."""
MENDED: Final = frozenset(FailureKind) - {FailureKind.CONTEXT_LIMIT}
"""Failures after which a repaired copy can be gone on with: in it the agent reads which calls' outcome is unknown."""
_WEAKER: Final[dict[Branch, Branch]] = {"owner_is_running": "owner_may_be_running"}
"""Who overruled the first has overruled the second: an owner that has just ended, and is named no more, may still seem
to be there.
"""
_INSTEAD: Final[dict[Branch, tuple[Instead, ...]]] = {
    "nothing_runs": ("continue", "new", "brief"),
    "nothing_to_stop": ("continue", "new", "brief"),
    "owner_is_running": ("attach",),
    "owner_may_be_running": ("stop",),
    "resolve_before_attaching": ("stop",),
    "only_a_copy_is_left": ("new", "brief"),
    "no_id_of_the_agent": ("new", "brief"),
    "no_workspace": ("brief",),
    "ended_badly": ("new",),
}
"""What to do where a row says no: the first of these that may be done."""
_WAYS: Final[dict[Instead, str]] = {
    "attach": "`refloat attach {}` goes to it where its terminal can be reached",
    "stop": "`refloat stop {}` ends it",
    "continue": "`refloat continue {}` goes on with it",
    "new": "`refloat new --parent {}` starts a linked session with the brief",
    "brief": "`refloat brief {}` hands it over",
}
_NEVER_OWNERS: Final = frozenset({"child", "zombie", "hint"})
"""Evidence whose process may not be taken for the session's own."""


@light
class _Forbids:
    branch: Branch
    why: str
    holder: str | None = None
    hard: bool = False
    """No force overrules it."""
    about: tuple[str, ...] = ("",)
    """Whom it is about: process numbers, the lease, the session."""

    @property
    def marks(self) -> Iterator[tuple[Branch, str]]:
        """The row and whom it is about, in a form that does not change with time."""
        return ((self.branch, one) for one in self.about)


def judge(seen: Situation) -> Ruling:
    """Whether the operation may act, and why; where it may not, what may be done instead."""
    rows = list(_forbidding(seen))
    for row in rows:
        if row.hard:
            return _refuse(seen, row)
    if rows and not (seen.force or "").strip():
        return _refuse(seen, rows[0])
    warnings = tuple(_warnings(seen))
    if rows:
        return Ruling(
            branch="forced",
            allowed=True,
            why=f"forced: {inert_line((seen.force or '').strip())}",
            holder=rows[0].holder,
            overruled=tuple(row.why for row in rows),
            against=tuple(mark for row in rows for mark in row.marks),
            warnings=warnings,
            pids=_targets(seen),
        )
    branch, why = _allowing(seen)
    return Ruling(branch, allowed=True, why=why, warnings=warnings, pids=_targets(seen))


def judge_again(seen: Situation, before: Ruling) -> Ruling:
    """The answer of a later look, for whoever relied on an earlier one: a force overrules what that one showed, and
    nothing and nobody that came since.
    """
    ruling = judge(seen)
    known = set(before.against)
    for branch, one in before.against:
        known |= {(_WEAKER.get(branch, branch), one), (_WEAKER.get(branch, branch), "")}
    if not ruling.allowed or known.issuperset(ruling.against):
        return ruling
    row = next(row for row in _forbidding(seen) if not known.issuperset(row.marks))
    return _refuse(
        seen, replace(row, why=f"{row.why}. That came while this was being prepared, so it was not overruled")
    )


def judge_taken(seen: Situation, lease: Lease) -> Ruling:
    """The answer where somebody took a lease between the look and the taking, whatever was to be overruled."""
    row = _held(seen, lease) if lease.subject == seen.session else _workspace_held(seen, lease)
    return _refuse(seen, row)


def _refuse(seen: Situation, row: _Forbids) -> Ruling:
    way = _instead(seen, row.branch)
    # Nobody is told to stop what is perhaps another's process before the question named it.
    why = (
        row.why
        if way is None or way == "stop"
        else f"{row.why}; {way_words(way, seen.ref or seen.session, unasked=seen.state is State.UNBOUND)}"
    )
    return Ruling(
        row.branch,
        allowed=False,
        why=why,
        holder=row.holder,
        because=row.why,
        instead=way,
        force_helps=not row.hard,
    )


def _instead(seen: Situation, branch: Branch) -> Instead | None:
    """The first way of the row's that would be let through; a stop may still have to be told of which process."""
    for way in _INSTEAD.get(branch, ()):
        if way == "brief":
            return way if seen.lease is None else None  # nobody hands over what somebody is at
        rows = [row.branch for row in _forbidding(replace(seen, operation=way, force=None, pid=None))]
        if not rows or (rows == ["name_the_process"] and tied_to(seen)):
            return way
    return None


# ── what forbids ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _forbidding(seen: Situation) -> Iterator[_Forbids]:
    match seen.operation:
        case "attach":
            yield from _about_attaching(seen)
        case "stop":
            yield from _about_stopping(seen)
        case "continue" | "new":
            yield from _about_a_place(seen)
            yield from _about_processes(seen)
            yield from _about_the_lease(seen)
            yield from _about_the_workspace(seen)
            yield from _about_a_newer_attempt(seen)
            if seen.operation == "continue":
                yield from _about_the_end(seen)
        case "install":
            yield from _about_processes(seen)
            yield from _about_the_lease(seen)
        case "recover":
            yield from _about_the_lease(seen)
        case _:
            assert_never(seen.operation)


def _about_attaching(seen: Situation) -> Iterator[_Forbids]:
    match seen.state:
        case State.LIVE:
            if seen.lease is not None and seen.lease.holder != seen.own:
                yield _held(seen, seen.lease)
        case State.UNRESOLVED:
            why = f"nobody can prove which process owns {seen.session}{_candidates(seen)}: find out before attaching"
            yield _Forbids("resolve_before_attaching", why, hard=True)
        case State.FAILED | State.STOPPED | State.UNBOUND:
            why = f"no process runs for {seen.session}, so there is no terminal to go to{_at_work(seen)}"
            yield _Forbids("nothing_runs", why, hard=True)
        case _:
            assert_never(seen.state)


def _about_stopping(seen: Situation) -> Iterator[_Forbids]:
    match seen.state:
        case State.LIVE:
            owners = seen.liveness.owners
            if not owners:
                why = f"a process owns {seen.session}, and it cannot be seen from here: nothing can be signalled"
                yield _Forbids("owner_unseen", why, hard=True)
            elif seen.pid is not None and seen.pid not in owners:
                why = f"process {seen.pid} does not own {seen.session}: {_pids(owners)} does"
                yield _Forbids("process_is_not_tied", why, hard=True)
        case State.UNRESOLVED:
            tied = tied_to(seen)
            if seen.pid is None:
                name = f"; name one with --pid {tied[0]}" if tied else ""
                why = f"nobody can prove which process owns {seen.session}{_candidates(seen)}{name}"
                yield _Forbids("name_the_process", why, hard=True)
            elif seen.pid not in tied:
                why = f"nothing ties process {seen.pid} to {seen.session}{_candidates(seen)}"
                yield _Forbids("process_is_not_tied", why, hard=True)
        case State.FAILED | State.STOPPED | State.UNBOUND:
            why = f"no process runs for {seen.session}: there is nothing to stop{_at_work(seen)}"
            yield _Forbids("nothing_to_stop", why, hard=True)
        case _:
            assert_never(seen.state)
    if seen.lease is not None and seen.lease.holder != seen.own:
        yield _held(seen, seen.lease)


def _about_a_place(seen: Situation) -> Iterator[_Forbids]:
    if seen.operation == "continue" and seen.copy_only:
        why = (
            f"the agent's own transcript of {seen.session} is gone and only Refloat's copy is left, which the agent "
            "cannot continue"
        )
        yield _Forbids("only_a_copy_is_left", why, hard=True)
    if seen.operation == "continue" and not seen.takes_id:
        why = f"{seen.session} has no id of that agent's form, and its command would take it for something else"
        yield _Forbids("no_id_of_the_agent", why, hard=True)
    if seen.workspace is not None and place_here(seen.workspace) is None:
        why = (
            f"the record of {seen.session} names the workspace {inert_line(seen.workspace)!r}, which is no absolute "
            "path of this machine"
        )
        yield _Forbids("no_workspace", why, hard=True)
    elif seen.workspace is None:
        yield _Forbids("no_workspace", f"the record of {seen.session} names no workspace to run it in", hard=True)
    elif not seen.workspace_there:
        why = f"the workspace {inert_line(seen.workspace)} is not there any more (a checkout put there again would do)"
        yield _Forbids("no_workspace", why, hard=True)


def _about_processes(seen: Situation) -> Iterator[_Forbids]:
    if seen.state is State.LIVE:
        owners = seen.liveness.owners
        who = f"{_pids(owners)} owns" if owners else "a process owns"
        why = f"{who} {seen.session} and runs, and two writers spoil the work"
        about = tuple(map(str, owners)) or ("",)
        yield _Forbids("owner_is_running", why, f"process {owners[0]}" if owners else None, about=about)
    elif seen.state is State.UNRESOLVED:
        tied = tied_to(seen)
        why = (
            f"a process may own {seen.session}, or its absence cannot be proved{_candidates(seen)}: "
            f"`refloat status {quote(seen.ref or seen.session)}` shows the evidence"
        )
        about = tuple(map(str, tied)) or ("",)
        yield _Forbids("owner_may_be_running", why, f"process {tied[0]}" if tied else None, about=about)


def _about_the_lease(seen: Situation) -> Iterator[_Forbids]:
    if seen.lease is not None:
        yield _held(seen, seen.lease)


def _held(seen: Situation, lease: Lease) -> _Forbids:
    words = _holder_words(lease, seen.now)
    whose = (
        f"{seen.session} is theirs" if lease.holder != seen.own else "that is you, in another terminal; leave it there"
    )
    return _Forbids("session_is_held", f"{words}: {whose}", lease.holder, about=(lease.token,))


def _about_the_workspace(seen: Situation) -> Iterator[_Forbids]:
    for lease in seen.workspace_leases:
        yield _workspace_held(seen, lease)
    for near in seen.bystanders:
        if not near.mine:
            why = f"process {near.pid} ({near.agent}) of another user works in {inert_line(seen.workspace or '')}"
            yield _Forbids("another_person_works_there", why, f"process {near.pid}", about=(str(near.pid),))


def _workspace_held(seen: Situation, lease: Lease) -> _Forbids:
    place = inert_line(lease.subject.partition(":")[2].partition(":")[2])
    whose = "another session of yours works" if lease.holder == seen.own else "somebody else works"
    doing = _holder_words(lease, seen.now)
    if seen.lease is None or seen.lease.runner != lease.runner:
        doing = doing.replace(" this", " another session", 1)  # whoever took it spoke of the session that it was for
    why = f"{doing}: {whose} in {place}, and two writers spoil the work"
    return _Forbids("workspace_is_held", why, lease.holder, about=(lease.token,))


def _about_a_newer_attempt(seen: Situation) -> Iterator[_Forbids]:
    newer = seen.newer
    if newer is None or newer.newest == seen.session or newer.state not in {State.LIVE, State.UNRESOLVED}:
        return
    runs = "runs" if newer.state is State.LIVE else "may still run"
    why = (
        f"{newer.newest} went on from {seen.session} (attempt {newer.chain.of} of {newer.chain.of}) and {runs}: "
        f"`refloat status {newer.newest}` shows how it stands"
    )
    yield _Forbids("newer_attempt_is_running", why, newer.newest, about=(newer.newest,))


def _about_the_end(seen: Situation) -> Iterator[_Forbids]:
    if seen.state is State.FAILED and not goes_on(seen.failure, seen.dangling, repaired=seen.repaired):
        what = seen.failure.kind.replace("_", " ") if seen.failure else "nothing says why"
        calls = f", {_calls(seen.dangling)} without a result" if seen.dangling else ""
        why = (
            f"the record of {seen.session} ends badly ({what}{calls}), and the agent would go on without knowing what "
            "took effect"
        )
        yield _Forbids("ended_badly", why)


def goes_on(failure: Failure | None, dangling: int, *, repaired: bool) -> bool:
    """Whether a failed session is one that its agent can continue: the provider failed, and no call is open; or it is
    a repaired copy, in which each open call is closed as one of unknown outcome.
    """
    if failure is None:
        return False
    return failure.kind in MENDED if repaired else failure.kind in CAN_GO_ON and not dangling


def going_on_words(failure: Failure | None, dangling: int, *, repaired: bool) -> str:
    """Why a failed session can go on all the same."""
    if repaired:
        calls = f" that the outcome of {_calls(dangling)} is unknown" if dangling else " how its record ended"
        return f"it is a repaired copy, which its agent can load, and in which it reads{calls}"
    kind = failure.kind.replace("_", " ") if failure else "for an unknown reason"
    return f"the provider ended the turn ({kind}): once that is mended it can go on"


# ── what allows ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _allowing(seen: Situation) -> tuple[Branch, str]:
    match seen.operation:
        case "attach":
            return "attach_to_the_owner", f"{_pids(seen.liveness.owners)} owns it"
        case "stop":
            if seen.state is State.LIVE:
                return "stop_the_owner", f"{_pids(_targets(seen))} owns it"
            return "stop_the_named_process", f"process {seen.pid} may own it, and was named"
        case "continue":
            return _continuing(seen)
        case "new":
            return "start_anew", "its process is gone: a linked session starts with the brief"
        case "install":
            return "install_the_copy", "its process is gone, and the copy is a session of its own"
        case "recover":
            if seen.state in {State.LIVE, State.UNRESOLVED}:
                return "recover_beside_a_process", "the wizard starts no writer; the next session is asked for again"
            return "recover", "its process is gone"
        case _:
            assert_never(seen.operation)


def _continuing(seen: Situation) -> tuple[Branch, str]:
    """Of a session whose process is gone: all else is forbidden, and so forced or refused before."""
    if seen.state is State.STOPPED:
        return "go_on_where_it_stopped", "its process is gone and its last turn ended"
    if seen.state is State.UNBOUND:
        return "ask_for_the_first_time", "it exists, and nothing was ever asked of it"
    why = going_on_words(seen.failure, seen.dangling, repaired=seen.repaired)
    return "go_on_with_the_repaired_copy" if seen.repaired else "go_on_after_the_provider_failed", why


def _warnings(seen: Situation) -> Iterator[str]:
    if seen.operation == "continue" and seen.repaired and seen.dangling:
        what = f"{_calls(seen.dangling)} of unknown outcome {'stands' if seen.dangling == 1 else 'stand'} in it"
        yield f"{what}: `refloat triage {quote(seen.ref or seen.session)}` says what to look at before it is repeated"
    if seen.operation in {"continue", "new"}:
        for near in seen.bystanders:
            if near.mine:
                what = f", on {near.session}" if near.session else ""
                yield f"process {near.pid} ({near.agent}) of yours works in this workspace, too{what}"
    if seen.operation == "recover" and seen.state is State.LIVE:
        yield f"{_pids(seen.liveness.owners)} owns the session and runs: what you read here may move"
    beside = seen.lease is not None and seen.lease.runner.pid not in seen.liveness.owners
    if seen.operation in {"attach", "stop"} and beside and seen.lease is not None and seen.lease.holder == seen.own:
        yield f"{_holder_words(seen.lease, seen.now)}, in another process of yours"


# ── words ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def way_words(way: Instead, session: str, *, unasked: bool = False) -> str:
    """What to do instead, as a command and what it does. `unasked`: nothing was ever asked of it."""
    if way == "continue" and unasked:
        return f'`refloat continue {quote(session)} "PROMPT"` asks it something'
    return _WAYS[way].format(quote(session))


def _targets(seen: Situation) -> tuple[int, ...]:
    if seen.operation not in {"attach", "stop"}:
        return ()
    return seen.liveness.owners if seen.pid is None else (seen.pid,)


def tied_to(seen: Situation) -> tuple[int, ...]:
    """Processes that the evidence names as perhaps the owner."""
    facts = (fact.pid for fact in seen.liveness.evidence if fact.kind not in _NEVER_OWNERS)
    return tuple(dict.fromkeys(pid for pid in facts if pid))


def _candidates(seen: Situation) -> str:
    tied = tied_to(seen)
    if tied:
        return f" ({_pids(tied)} may)"
    fact = next((fact.detail for fact in seen.liveness.evidence if fact.kind not in _NEVER_OWNERS), "")
    return f" ({inert_line(fact)})" if fact else ""


def _pids(pids: tuple[int, ...]) -> str:
    return f"process {pids[0]}" if len(pids) == 1 else f"one of the processes {', '.join(map(str, pids))}"


def _calls(count: int) -> str:
    return "1 call" if count == 1 else f"{count} calls"


def _holder_words(lease: Lease, now: Stamp) -> str:
    """`ana@devbox is recovering this (process 12), for 14 minutes`."""
    doing = inert_line(lease.reason or "").partition(";")[0] or "holds this"
    process = f" (process {lease.runner.pid})" if lease.runner.pid else ""
    return f"{inert_line(lease.holder)} {doing}{process}, {_for(lease.since, now)}"


def _at_work(seen: Situation) -> str:
    """Whose lease stands on a session without a process: a program that its agent's records do not show yet."""
    return "" if seen.lease is None else f"; {_holder_words(seen.lease, seen.now)}"


def _for(since: Stamp, now: Stamp) -> str:
    seconds = int(seconds_of(now) - seconds_of(since))
    for size, word in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"for {count} {word}{'' if count == 1 else 's'}"
    return "since a moment ago" if seconds >= 0 else f"since {since} by their clock"
