"""Values to JSON documents: the one place that knows the names and the order of keys (design, section 7).

Refuses to mask, cut or escape: `refloat.wire.writing` does, on the way out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from refloat.wire.people import lease, recovered, unfinished
from refloat.wire.writing import Long

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from refloat.model.brief import BriefCheck, BriefPreview, Line, WrittenBrief
    from refloat.model.checkout import Checkout, CheckRun, DirtyHunk, EditedFile, FoundIn, Operation, OtherChange
    from refloat.model.liveness import Liveness
    from refloat.model.problem import Problem
    from refloat.model.record import Lease
    from refloat.model.salvage import Salvage
    from refloat.model.search import Found, Hit
    from refloat.model.session import Failure, RecordGone, Session
    from refloat.model.status import Recap, Status
    from refloat.model.transcript import Item, Marker, Step
    from refloat.model.triage import DoNotRepeat, Finding, StillOpen, Triage

SCHEMA: Final = "refloat/1"
CUT: Final = 4_000
"""Characters of a step's input and output, each, unless the whole is asked for."""

Document = dict[str, object]


class Listed(Protocol):
    """What `refloat list` answers."""

    @property
    def sessions(self) -> Sequence[Session]:
        """In the order in which they are listed."""
        ...

    @property
    def records_gone(self) -> Sequence[RecordGone]:
        """Sessions without a transcript."""
        ...

    @property
    def problems(self) -> Sequence[Problem]:
        """What could not be read."""
        ...


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def listing(value: Listed, held: Mapping[str, Lease] | None = None) -> Document:
    """`refloat list`. `held`: who else is at a session, by its name; such a one says so in a key of its own."""
    by = held or {}
    return {
        "schema": SCHEMA,
        "sessions": [
            {**session(row), "held": lease(by[row.name])} if row.name in by else session(row) for row in value.sessions
        ],
        "records_gone": [record_gone(row) for row in value.records_gone],
        "problems": [problem(row) for row in value.problems],
    }


def record_gone(value: RecordGone) -> Document:
    """A session whose transcript no longer exists."""
    return {
        "agent": value.agent,
        "session_id": value.session_id,
        "workspace": value.workspace,
        "prompts": value.prompts,
        "why": value.why,
    }


def problem(value: Problem) -> Document:
    """PROBLEM."""
    return {"path": value.path, "line": value.line, "offset": value.offset, "what": value.what}


def session(value: Session) -> Document:
    """SESSION, whole and unmasked: `dump` masks, and the catalogue keeps it as it is for `read_session`.

    A provisional one says so in a key of its own, and its counts are null; so does a repaired copy.
    """
    if value.provisional:
        return {**_session(value), **dict.fromkeys(_COUNTS), "provisional": True}
    return {**_session(value), "repaired": True} if value.repaired else _session(value)


_COUNTS: Final = ("turns", "prompts", "steps", "dangling", "edits")


def _session(value: Session) -> Document:
    return {
        "agent": value.agent,
        "session_id": value.session_id,
        "title": value.title,
        "workspace": value.workspace,
        "repo": value.repo,
        "branch": value.branch,
        "model": value.model,
        "started_at": value.started_at,
        "last_activity_at": value.last_activity_at,
        "state": value.state,
        "activity": value.activity,
        "failure": failure(value.failure),
        "liveness": liveness(value.liveness),
        "turns": value.turns,
        "prompts": value.prompts,
        "steps": value.steps,
        "dangling": value.dangling,
        "edits": value.edits,
        "parent": value.parent,
        "superseded_by": value.superseded_by,
        "subagents": [{"id": row.id, "state": row.state, "dangling": row.dangling} for row in value.subagents],
        "worktree": value.worktree,
        "transcript": {
            "paths": list(value.transcript.paths),
            "bytes": value.transcript.bytes,
            "problems": [problem(row) for row in value.transcript.problems],
        },
        "kept": None
        if value.kept is None
        else {"at": value.kept.at, "bytes": value.kept.bytes, "original_gone": value.kept.original_gone},
    }


def failure(value: Failure | None) -> Document | None:
    """Why a session failed, or null."""
    return None if value is None else {"kind": value.kind, "detail": value.detail, "at": value.at}


def liveness(value: Liveness) -> Document:
    """The verdict with its evidence."""
    return {
        "verdict": value.verdict,
        "evidence": [{"kind": row.kind, "detail": row.detail, "pid": row.pid, "at": row.at} for row in value.evidence],
    }


# ── what happened ────────────────────────────────────────────────────────────────────────────────────────────────────


def status(value: Status, *, full: bool = False) -> Document:
    """`refloat status`."""
    pending, after = value.pending_request, value.next
    return {
        "schema": SCHEMA,
        "session": session(value.session),
        "last_completed_step": None
        if value.last_completed_step is None
        else step(value.last_completed_step, full=full),
        "open_steps": [step(row, full=full) for row in value.open_steps],
        "pending_request": None
        if pending is None
        else {"kind": pending.kind, "step": pending.step, "text": pending.text, "at": pending.at},
        "next": {
            "operation": after.operation,
            "command": None if after.command is None else list(after.command),
            "workspace": after.workspace,
            "why": after.why,
        },
        "recovered": None if value.recovered is None else recovered(value.recovered),
        "unfinished_recovery": None if value.unfinished is None else unfinished(value.unfinished),
    }


def step(value: Step, *, full: bool = False) -> Document:
    """STEP; that of a sub-agent carries `subagent`."""
    made: Document = {
        "n": value.n,
        "id": value.id,
        "kind": value.kind,
        "tool": value.tool,
        "summary": value.summary,
        "at": value.at,
        "ended_at": value.ended_at,
        "outcome": value.outcome,
        "exit_code": value.exit_code,
        "files": list(value.files),
        "message": value.message,
        "input": _long(value.input, full=full),
        "output": _long(value.output, full=full),
        "output_bytes": value.output_bytes,
        "line": value.line,
    }
    return made if value.subagent is None else {**made, "subagent": value.subagent}


def _long(text: str, *, full: bool) -> object:
    return text if full else Long(text, CUT)


def item(value: Item, *, full: bool = False) -> Document:
    """ITEM: one line of `refloat history --json`."""
    made: Document = {"n": value.n, "type": value.type, "at": value.at}
    if value.step is not None:
        made["step"] = step(value.step, full=full)
    elif value.marker is not None:
        made["marker"] = marker(value.marker)
    else:
        made["text"] = value.text or ""
    return made


def marker(value: Marker) -> Document:
    """A point that is neither message nor step."""
    return {
        "kind": value.kind,
        "text": value.text,
        "at": value.at,
        "path": value.place.path,
        "line": value.place.line,
    }


def search(value: Found) -> Document:
    """`refloat search`."""
    return {
        "schema": SCHEMA,
        "query": value.query,
        "hits": [hit(row) for row in value.hits],
        "complete": value.complete,
        "unread": value.unread,
        "more": value.more,
    }


def hit(value: Hit) -> Document:
    """One place that holds what was sought; `marks` are the stretches of the excerpt that do."""
    marks: list[list[int]] = []
    at = 0
    for text, sought in value.excerpt:
        if sought:
            marks.append([at, at + len(text)])
        at += len(text)
    return {
        "session": session(value.session),
        "item": value.item,
        "line": value.line,
        "excerpt": "".join(text for text, _ in value.excerpt),
        "score": value.score,
        "kind": value.kind,
        "at": value.at,
        "marks": marks,
    }


def recap(value: Recap, *, full: bool = False) -> Document:
    """`refloat recap`."""
    return {
        "schema": SCHEMA,
        "session": value.session,
        "bounds": {"limit": value.limit, "shown": value.shown, "omitted": value.omitted},
        "items": [item(row, full=full) for row in value.items],
    }


# ── checkout ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def checkout(value: Checkout) -> Document:
    """`refloat checkout`."""
    return {
        "schema": SCHEMA,
        "session": value.session,
        "repo": value.repo,
        "head": value.head,
        "branch": value.branch,
        "base": {"head": value.base.head, "how": value.base.how},
        "operation": operation(value.operation),
        "warnings": [{"what": row.what, "path": row.path} for row in value.warnings],
        "files": [edited_file(row) for row in value.files],
        "other_changes": [other_change(row) for row in value.other_changes],
        "checks": [check_run(row) for row in value.checks],
    }


def salvage(value: Salvage) -> Document:
    """`refloat salvage`. To be written without a masker: the patch is exact."""
    return {
        "schema": SCHEMA,
        "session": value.session,
        "patch": value.patch,
        "files": [{"path": row.path, "in_patch": row.in_patch, "why": row.why} for row in value.files],
        "secrets": value.secrets,
    }


def operation(value: Operation | None) -> Document | None:
    """The operation under way, or null."""
    if value is None:
        return None
    return {
        "kind": value.kind,
        "branch": value.branch,
        "onto": value.onto,
        "conflicts": list(value.conflicts),
        "index_lock": value.index_lock,
    }


def edited_file(value: EditedFile) -> Document:
    """A file that the session edited."""
    return {
        "path": value.path,
        "state": value.state,
        "why": value.why,
        "recorded": value.recorded,
        "confirmed": value.confirmed,
        "owner": value.owner,
        "session": value.session,
        "found_in": [found_in(row) for row in value.found_in],
        "edits": [
            _with_subagent({"step": row.step, "fate": row.fate, "commit": row.commit, "by": row.by}, row.subagent)
            for row in value.edits
        ],
        "hunks": [hunk(row) for row in value.hunks],
    }


def _with_subagent(document: Document, subagent: str | None) -> Document:
    """Its step number counts in that sub-agent."""
    return document if subagent is None else {**document, "subagent": subagent}


def found_in(value: FoundIn) -> Document:
    """One place where recorded content stands."""
    return {"where": value.where, "path": value.path, "ref": value.ref, "commit": value.commit}


def hunk(value: DirtyHunk) -> Document:
    """One dirty place with its owner."""
    return {
        "old_start": value.old_start,
        "old_lines": value.old_lines,
        "new_start": value.new_start,
        "new_lines": value.new_lines,
        "lines": list(value.lines),
        "owner": value.owner,
        "session": value.session,
    }


def other_change(value: OtherChange) -> Document:
    """A dirty file that the session did not edit."""
    return {
        "path": value.path,
        "status": value.status,
        "owner": value.owner,
        "session": value.session,
        "why": value.why,
        "hunks": [hunk(row) for row in value.hunks],
    }


def check_run(value: CheckRun) -> Document:
    """A check, and whether it still speaks of this tree."""
    return {
        "step": value.step,
        "outcome": value.outcome,
        "exit_code": value.exit_code,
        "head": value.head,
        "freshness": value.freshness,
        "stale_because": value.stale_because,
        "note": value.note,
        "proved": value.proved,
    }


# ── triage ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def triage(value: Triage) -> Document:
    """`refloat triage`."""
    return {
        "schema": SCHEMA,
        "session": value.session,
        "saved": [finding(row) for row in value.saved],
        "claimed": [finding(row) for row in value.claimed],
        "gone": [finding(row) for row in value.gone],
        "still_open": [still_open(row) for row in value.still_open],
        "do_not_repeat": [do_not_repeat(row) for row in value.do_not_repeat],
        "inspect": [do_not_repeat(row) for row in value.inspect],
    }


def finding(value: Finding) -> Document:
    """FINDING; `confirmed` where it was asked, `subagent` where the steps are a sub-agent's."""
    where = value.where
    made: Document = {
        "what": value.what,
        "kind": value.kind,
        "files": list(value.files),
        "steps": list(value.steps),
        "message": value.message,
        "verdict": value.verdict,
        "where": None if where is None else {"place": where.place, "ref": where.ref, "commit": where.commit},
        "recoverable_from": [
            {"from": row.source, "ref": row.ref, "commit": row.commit} for row in value.recoverable_from
        ],
        "claim": value.claim,
        "why": value.why,
    }
    if value.confirmed is not None:
        made["confirmed"] = value.confirmed
    return _with_subagent(made, value.subagent)


def still_open(value: StillOpen) -> Document:
    """Work beside the conversation."""
    return {
        "what": value.what,
        "kind": value.kind,
        "step": value.step,
        "pid": value.pid,
        "running": value.running,
        "why": value.why,
        "output": value.output,
    }


def do_not_repeat(value: DoNotRepeat) -> Document:
    """An action outside the checkout."""
    made: Document = {
        "step": value.step,
        "action": value.action,
        "outcome": value.outcome,
        "times": value.times,
        "probe": None if value.probe is None else list(value.probe),
        "place": value.place,
    }
    return _with_subagent(made, value.subagent)


# ── brief, check ─────────────────────────────────────────────────────────────────────────────────────────────────────


def brief(value: WrittenBrief) -> Document:
    """`refloat brief`."""
    from refloat.model.brief import SECTIONS

    sections: Document = {"title": value.brief.title}
    for name, _ in SECTIONS:
        lines: tuple[Line, ...] = getattr(value.brief, name)
        sections[name] = [
            {
                "text": line.text,
                "confidence": line.confidence,
                "steps": list(line.steps),
                "by": line.by,
                "receipt": line.receipt,
            }
            for line in lines
        ]
    return {
        "schema": SCHEMA,
        "session": value.session,
        "brief": sections,
        "markdown": value.markdown,
        "masked": value.masked,
        "omitted": value.omitted,
    }


def preview(value: BriefPreview) -> Document:
    """What of a brief is masked, and what of it will age: `refloat brief --preview`."""
    return {
        "masked": [
            {
                "kind": row.kind,
                "length": row.length,
                "value": row.value,
                "section": row.section,
                "line": row.line,
            }
            for row in value.masked
        ],
        "ages": [{"kind": row.kind, "what": row.what, "now": row.now} for row in value.ages],
    }


def check(value: BriefCheck) -> Document:
    """`refloat check`."""
    return {
        "schema": SCHEMA,
        "holds": value.holds,
        "moved": [{"what": row.what, "was": row.was, "now": row.now} for row in value.moved],
    }
