"""The sections "Previous attempt" and "Current artifact"."""

from collections.abc import Iterator
from typing import Final, assert_never

from refloat.brief.facts import Facts, counted, line, said, short
from refloat.model.brief import Confidence, Line
from refloat.model.checkout import EditedFile, Operation, Owner
from refloat.model.fate_words import OWNER_WORDS
from refloat.model.liveness import LIKELY, OF_THE_END, Evidence, Verdict
from refloat.model.session import Failure, FailureKind, Session, State

VERIFIED, RECORDED, UNKNOWN = Confidence.VERIFIED, Confidence.RECORDED, Confidence.UNKNOWN

_EVIDENCE_SHOWN: Final = 3
_OWNERS: Final = frozenset(owner.value for owner in Owner)
_OUR_WORDS: Final = frozenset(
    {
        FailureKind.PROCESS_EXIT,
        FailureKind.HOST_RESTART,
        FailureKind.INTERRUPTED_BY_USER,
        FailureKind.TRANSCRIPT_DAMAGED,
    }
)
"""Kinds whose detail Refloat wrote itself."""
_NOBODY_NOTED: Final = frozenset({FailureKind.PROCESS_EXIT, FailureKind.HOST_RESTART, FailureKind.TRANSCRIPT_DAMAGED})
"""Ends that the record does not tell: they are inferred from what is missing."""


def previous_attempt(facts: Facts) -> Iterator[Line]:
    """Who worked where on what, why it stopped, and what is known of its process."""
    session, quote = facts.session, facts.quote
    model = f", model {quote.code(session.model)}" if session.model else ""
    yield line(f"Session {quote.code(session.name)} of agent {session.agent}{model}", RECORDED, 98)
    if session.workspace:
        entered = f", in the worktree {quote.code(session.worktree)}" if session.worktree else ""
        yield line(f"Workspace {quote.code(session.workspace)}{entered}", RECORDED, 97)
    else:
        yield line("Workspace: the record names none", UNKNOWN, 97)
    if facts.answers.goal:
        yield said(facts, "goal", f"Goal: {quote.words(facts.answers.goal, 600)}", 96)
    yield from _asks(facts)
    yield line(f"Stopped because: {_reason(facts)}", _how_known(facts), 99)
    if session.repaired:
        yield from _copied(facts)
    yield _process(facts)
    if session.superseded_by:
        yield line(
            f"Its whole content is carried on by {quote.code(session.superseded_by)}: take that session up instead",
            RECORDED, 99,
        )  # fmt: skip
    yield line(f"The record holds {_amount(facts)}", RECORDED, 20)


def _copied(facts: Facts) -> Iterator[Line]:
    """What a copy is, and what of its original it leaves out."""
    original, quote = facts.original, facts.quote
    whose = quote.code(facts.session.parent) if facts.session.parent else "a session that the record does not name"
    yield line(
        f"It is a repaired copy of {whose}, where all of this was done; nobody went on with it yet", RECORDED, 98
    )
    if original is not None and original.subagents:
        told = quote.words(_subagents(original))
        yield line(f"Left out of the copy, and whole in the original: {told}", RECORDED, 60)


def _asks(facts: Facts) -> Iterator[Line]:
    asks = facts.asks
    if not asks:
        yield line("Nothing was ever asked of it", RECORDED, 90)
        return
    first, last = asks[0], asks[-1]
    words = "It was asked" if first is last else "It was asked first"
    yield line(f"{words} (history item {first.n}):{facts.quote.quote(first.text or '')}", RECORDED, 90)
    if first is not last:
        ordinal = f"the last of {len(asks)} asks"
        yield line(f"And last (history item {last.n}, {ordinal}):{facts.quote.quote(last.text or '')}", RECORDED, 91)


def _reason(facts: Facts) -> str:
    session = facts.session
    when = f", last record {session.last_activity_at}" if session.last_activity_at else ""
    if session.failure is not None:
        failure = session.failure
        last = failure.at == session.last_activity_at
        when = "" if last else when
        # Of an end that nobody noted only the last record has a time.
        before = ", after the last record at" if failure.kind in _NOBODY_NOTED and last else " at"
        at = f"{before} {failure.at}" if failure.at else ""
        return f"{failure.kind.value.replace('_', ' ')}{at}: {_detail(facts, failure)}{when}"
    match session.state:
        case State.LIVE:
            doing = f" and is {session.activity.value.replace('_', ' ')}" if session.activity else ""
            return f"it did not stop: it is live{doing}{when}"
        case State.UNRESOLVED:
            return f"unknown: nobody has proved that it stopped{when}"
        case State.STOPPED:
            how = "the user interrupted it" if facts.story.summary.ending.user_interrupted else "its last turn ended"
            return f"{how}, nothing failed{when}"
        case State.FAILED:
            return f"unknown: its record ends badly and names no cause{when}"
        case State.UNBOUND:
            return f"it never began{when}"
        case _:
            assert_never(session.state)


def _how_known(facts: Facts) -> Confidence:
    """How the reason is known: an end is recorded only where somebody wrote it down."""
    session = facts.session
    kind = session.failure.kind if session.failure is not None else FailureKind.UNKNOWN
    match session.state:
        case State.LIVE:
            return VERIFIED
        case State.UNRESOLVED:
            return UNKNOWN
        case State.FAILED if kind is FailureKind.UNKNOWN:
            return UNKNOWN
        case State.FAILED if kind in _NOBODY_NOTED and not session.liveness.of_the_end:
            return Confidence.RECONSTRUCTED
        case _:
            return RECORDED


def _detail(facts: Facts, failure: Failure) -> str:
    """Sentences of ours stand as they are; what an agent or a provider wrote stands as a quotation."""
    if not failure.detail:
        return "no words recorded"
    if failure.kind in _OUR_WORDS:
        return facts.quote.words(failure.detail, 320)
    return facts.quote.code(failure.detail, 320)


def _process(facts: Facts) -> Line:
    if facts.session.repaired and facts.original is None:
        return line("Original process: unresolved, the session that this copy was made from is not there", UNKNOWN, 100)
    alive = (facts.original or facts.session).liveness
    rows = [row for row in alive.evidence if row.kind not in OF_THE_END]  # that stands in the reason already
    evidence = "; ".join(facts.quote.words(_of_itself(row), 160) for row in rows[:_EVIDENCE_SHOWN])
    proof = f" ({evidence})" if evidence else ""
    match alive.verdict:
        case Verdict.GONE:
            return line(f"Original process: verified stopped{proof}", VERIFIED, 99)
        case Verdict.RUNNING:
            return line(f"Original process: still running{proof}", VERIFIED, 100)
        case Verdict.CANDIDATE:
            likely = ", and is likely its own" if any(LIKELY in row.detail for row in alive.evidence) else ""
            return line(f"Original process: unresolved, a process may own the session{likely}{proof}", UNKNOWN, 100)
        case Verdict.UNKNOWABLE:
            return line(f"Original process: unresolved, its absence cannot be proved{proof}", UNKNOWN, 100)
        case _:
            assert_never(alive.verdict)


def _of_itself(row: Evidence) -> str:
    """A fact without the processes of other sessions that it names: who goes on has no use for what runs meanwhile."""
    return row.detail.partition(": ")[0] if row.kind == "no_process" else row.detail


def _amount(facts: Facts) -> str:
    session = facts.session
    parts = [counted(session.turns, "turn"), counted(session.steps, "step"), counted(session.edits, "edit")]
    if session.dangling:
        parts.append(f"{counted(session.dangling, 'call')} without a result")
    if session.subagents:
        parts.append(facts.quote.words(_subagents(session)))
    return ", ".join(parts)


def _subagents(session: Session) -> str:
    told = ", ".join(f"{row.id} ({row.state})" for row in session.subagents[:4])
    return f"{counted(len(session.subagents), 'sub-agent')}: {told}"


# ── current artifact ─────────────────────────────────────────────────────────────────────────────────────────────────


def current_artifact(facts: Facts) -> Iterator[Line]:
    """The checkout as it stands: what is under way, the revision, what is dirty and whose it is."""
    checkout, quote = facts.checkout, facts.quote
    if checkout.operation is not None:
        yield line(f"Under way, before anything else: {operation_words(facts, checkout.operation)}", VERIFIED, 100)
    if checkout.repo is None:
        yield line(
            f"No repository: nothing here is under version control ({quote.words(checkout.base.how)})", VERIFIED, 96
        )
    else:
        branch = f"branch {quote.code(checkout.branch)}" if checkout.branch else "no branch (detached HEAD)"
        there = "" if checkout.repo == facts.session.workspace else f", in {quote.code(checkout.repo)}"
        yield line(f"Revision {short(checkout.head)} on {branch}{there}", VERIFIED, 97)
        base = checkout.base
        if base.head and base.head != checkout.head:
            yield line(f"HEAD was {short(base.head)} when the session began ({quote.words(base.how)})", RECORDED, 40)
    yield from _dirty(facts)
    for warned in checkout.warnings:
        where = f" ({quote.code(warned.path)})" if warned.path else ""
        yield line(f"Met and not obeyed, or not looked at: {quote.words(warned.what)}{where}", VERIFIED, 15)


def operation_words(facts: Facts, operation: Operation) -> str:
    """An operation under way, in words."""
    if operation.kind == "index_lock":
        return "a left-over index.lock: git refuses to write until it is gone"
    match operation.kind:
        case "conflicts":
            what = "unresolved conflicts"
        case "am":
            what = "patches being applied (am)"
        case kind:
            what = f"a {kind.replace('_', '-')}"
    branch = f" of {facts.quote.code(operation.branch)}" if operation.branch else ""
    onto = f" onto {facts.quote.code(operation.onto)}" if operation.onto else ""
    conflicts = f", conflicts in {facts.quote.codes(operation.conflicts)}" if operation.conflicts else ""
    lock = "; a left-over index.lock blocks git" if operation.index_lock else ""
    return f"{what}{branch}{onto}{conflicts}{lock}"


def is_dirty(file: EditedFile) -> bool:
    """Whether an edited file differs from HEAD."""
    return bool(file.hunks) or file.owner is not None


def _dirty(facts: Facts) -> Iterator[Line]:
    checkout = facts.checkout
    dirty = [file for file in checkout.files if is_dirty(file)]
    for file in dirty:
        owner = _owner(facts, file.path, file.owner, file.session)
        yield from ([owner] if isinstance(owner, Line) else [
            line(f"Uncommitted: {facts.quote.code(file.path)}, {owner}", VERIFIED, 80)
        ])  # fmt: skip
    for change in checkout.other_changes:
        owner = _owner(facts, change.path, change.owner, change.session)
        if isinstance(owner, Line):
            yield owner
            continue
        why = f" ({facts.quote.words(change.why, 120)})" if change.why else ""
        if change.owner in {Owner.THIS_SESSION, Owner.COMMAND}:  # a file that it moved, or had made
            yield line(f"Uncommitted: {facts.quote.code(change.path)}, {owner}{why}", VERIFIED, 80)
            continue
        keep = 75 if change.owner in {Owner.PREDATES, Owner.UNKNOWN, Owner.MIXED} else 60
        # Only the file's time speaks for it where nobody's record does.
        sure = RECORDED if change.owner is Owner.PREDATES else VERIFIED
        yield line(f"Preserve, unrelated to this work: {facts.quote.code(change.path)}, {owner}{why}", sure, keep)
    if checkout.repo is not None and not dirty and not checkout.other_changes:
        yield line("The working tree is clean", VERIFIED, 70)


def _owner(facts: Facts, path: str, owner: Owner | None, session: str | None) -> str | Line:
    if path in facts.answers.owners:
        told = facts.answers.owners[path]
        known = told.replace(" ", "_")
        made = (
            _owner_words(facts, Owner(known), None) if known in _OWNERS else f"made by {facts.quote.words(told, 200)}"
        )
        return said(facts, f"owner {path}", f"Uncommitted: {facts.quote.code(path)}, {made}", 80)
    return _owner_words(facts, owner, session)


def _owner_words(facts: Facts, owner: Owner | None, session: str | None) -> str:
    match owner:
        case Owner.THIS_SESSION:
            return "made by this session"
        case Owner.OTHER_SESSION:
            return f"made by another session{f' ({facts.quote.code(session)})' if session else ''}"
        case Owner.COMMAND:
            return "made by a command that the session ran"
        case Owner.PREDATES:
            return "there before the session began"
        case Owner.MIXED:
            return "made by several"
        case Owner.UNKNOWN | None:
            return f"owner {OWNER_WORDS[Owner.UNKNOWN]}"
        case _:
            assert_never(owner)
