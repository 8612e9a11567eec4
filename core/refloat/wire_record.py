"""The JSON of the record's answers: names and order of keys (design, section 7).

Beside `wire`, not in it: short commands print these, and that package loads every word of a session, at the price of
three interpreter starts. Rows are links as they are stored (`record.chain.Sealed.row`).
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from refloat.model.saving import RULE, RULE_RECONSTRUCTED
from refloat.text import escape_json

if TYPE_CHECKING:  # `run` and `step` print none of these
    from refloat.model.record import Decision, Fault, Job, Link, Pickup, SavedStep, Trail, Verified, Wrap

SCHEMA: Final = "refloat/1"
Document = dict[str, object]
T = TypeVar("T")


class Reconstructed(Protocol):
    """What `refloat reconstruct` did."""

    @property
    def session(self) -> str:
        """`agent:id`."""
        ...

    @property
    def receipts(self) -> Sequence[str]:
        """Of every step put on the job, the first being the one that says so."""
        ...

    @property
    def gaps(self) -> Sequence[str]:
        """What the transcript does not hold."""
        ...


class PickedUp(Protocol):
    """A job in new hands."""

    @property
    def pickup(self) -> "Pickup":
        """The link that says so."""
        ...

    @property
    def wrap(self) -> "Wrap | None":
        """What was picked up."""
        ...

    @property
    def problems(self) -> "Sequence[Fault]":
        """Of the receipts that were verified."""
        ...

    @property
    def unsettled(self) -> "Sequence[SavedStep]":
        """What nobody may take for done."""
        ...

    @property
    def why(self) -> str:
        """Why work goes on at the step that the pickup names."""
        ...

    @property
    def remarks(self) -> Sequence[str]:
        """What whoever takes the wrap should know of it."""
        ...


class Key(Protocol):
    """A public key that is known here."""

    @property
    def key(self) -> str:
        """In hex."""
        ...

    @property
    def name(self) -> str:
        """What it is called here."""
        ...

    @property
    def own(self) -> bool:
        """This machine signs with it."""
        ...


class Tied(Protocol):
    """A tie of a directory: `refloat.record.ties.Tie`."""

    @property
    def workspace(self) -> str:
        """The directory."""
        ...

    @property
    def job(self) -> str:
        """Where its steps go."""
        ...

    @property
    def tied_by(self) -> str:
        """`human:NAME`, or an agent's session."""
        ...

    @property
    def tied_at(self) -> str:
        """A Stamp."""
        ...


class Masks(Protocol):
    """What masks secrets: `refloat.brief.masks.Masker`."""

    def tree(self, value: T) -> T:
        """A copy with every string masked."""
        ...


def dump(value: Document, masker: Masks) -> str:
    """One JSON document on one line: every string masked, then escaped. The record holds no broken text."""
    return dump_exact(masker.tree(value))


def dump_exact(value: Document) -> str:
    """One JSON document on one line, escaped and not masked: what a receipt is over must stay exact."""
    return escape_json(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) + "\n"


_STEP: Final = (
    "seq",
    "id",
    "producer",
    "tool",
    "summary",
    "outcome",
    "exit_code",
    "started_at",
    "ended_at",
    "input_sha256",
    "output_sha256",
    "output_bytes",
    "head_before",
    "worktree_before",
    "unknown_before",
    "head_after",
    "worktree_after",
    "unknown_after",
    "sealed",
    "previous",
    "receipt",
    "signer",
    "signature",
)


def saved_step(job: str, row: Mapping[str, object]) -> Document:
    """The answer of `run` and `step`."""
    step = {name: row.get(name) for name in _STEP}
    return {"schema": SCHEMA, "job": job, "step": {**step, "state": "sealed"}}


def trail(value: "Trail") -> Document:
    """The answer of `trail`."""
    return {
        "schema": SCHEMA,
        "job": value.job,
        "goal": value.goal,
        "rule": f"{RULE} {RULE_RECONSTRUCTED}" if value.reconstructed else RULE,
        "steps": [step(each) for each in value.steps],
        "load_bearing": list(value.load_bearing),
        "wraps": [wrap(each) for each in value.wraps],
        "pickups": [pickup(each) for each in value.pickups],
        "decisions": [decision(each) for each in value.decisions],
        "outcomes": dict(value.outcomes),
        "resting": list(value.resting),
        "in_flight": value.in_flight,
        "reconstructed": value.reconstructed,
        "omitted": value.omitted,
    }


def step(value: "SavedStep") -> Document:
    """A step of a trail."""
    opening, ending, link = value.opening, value.ending, value.link
    return {
        "seq": value.seq,
        "id": value.id,
        "producer": opening.producer,
        "tool": opening.tool,
        "summary": opening.summary,
        "origin": opening.origin,
        "state": "in_flight" if link is None else "sealed",
        "running": value.running,
        "outcome": ending.outcome if ending else None,
        "exit_code": ending.exit_code if ending else None,
        "started_at": opening.started_at,
        "ended_at": ending.ended_at if ending else None,
        "workspace": opening.workspace,
        "head_before": opening.tree.head,
        "worktree_before": opening.tree.worktree,
        "head_after": ending.tree.head if ending else None,
        "worktree_after": ending.tree.worktree if ending else None,
        "note": ending.note if ending else None,
        "input_sha256": value.input_sha256,
        "output_sha256": value.output_sha256,
        "output_bytes": value.output_bytes,
        "sealed": link.sealed if link else None,
        "receipt": link.receipt if link else None,
        "signer": link.signer if link else None,
        "verdict": value.verdict,
    }


def wrap(value: "Wrap") -> Document:
    """A wrap."""
    return {
        "id": value.id,
        "at": value.at,
        "producer": value.producer,
        "summary": value.summary,
        "goal": value.goal,
        "recipient": value.recipient,
        "next_steps": list(value.next_steps),
        "not_checked": list(value.not_checked),
        "last_seq": value.last_seq,
        "automatic": value.automatic,
        "note": value.note,
        **_link(value.link),
        "verdict": value.verdict,
    }


def pickup(value: "Pickup") -> Document:
    """A pickup."""
    return {
        "id": value.id,
        "at": value.at,
        "producer": value.producer,
        "wrap": value.wrap,
        "checked": [{"seq": each.seq, "receipt": each.receipt, "verdict": each.verdict} for each in value.checked],
        "continue_at": value.continue_at,
        "automatic": value.automatic,
        "note": value.note,
        **_link(value.link),
        "verdict": value.verdict,
    }


def decision(value: "Decision") -> Document:
    """A decision."""
    return {
        "id": value.id,
        "at": value.at,
        "status": value.status,
        "decided_by": value.decided_by,
        "decided_at": value.at,
        "release": value.release,
        "about": value.about,
        "at_step": value.at_step,
        "since": value.since,
        "automatic": value.automatic,
        "note": value.note,
        **_link(value.link),
        "verdict": value.verdict,
    }


def link_answer(job: str, kind: str, link: Document) -> Document:
    """The answer of `wrap`, `pickup` and `decide`."""
    return {"schema": SCHEMA, "job": job, kind: link}


def picked_up(value: PickedUp) -> Document:
    """The answer of `pickup`."""
    answer = link_answer(value.pickup.job, "pickup", pickup(value.pickup))
    answer["wrap"] = wrap(value.wrap) if value.wrap else None
    answer["unsettled"] = [step(each) for each in value.unsettled]
    answer["problems"] = [fault(each) for each in value.problems]
    answer["why"] = value.why
    answer["remarks"] = list(value.remarks)
    return answer


def verified(value: "Verified") -> Document:
    """The answer of `verify`."""
    return {
        "schema": SCHEMA,
        "job": value.job,
        "ok": value.ok,
        "checked": value.checked,
        "in_flight": list(value.in_flight),
        "problems": [fault(each) for each in value.problems],
        "by_itself": value.by_itself,
        "remarks": list(value.remarks),
        "signature": value.signature,
        "signers": [
            {"key": each.key, "name": each.name, "signature": each.signature, "links": each.links}
            for each in value.signers
        ],
    }


def known_key(value: Key) -> Document:
    """The answer of `record key`, `record trust` and `record untrust`."""
    return {"schema": SCHEMA, "key": {"key": value.key, "name": value.name, "own": value.own}}


def known_keys(values: Sequence[Key]) -> Document:
    """The answer of `record keys`."""
    return {"schema": SCHEMA, "keys": [{"key": each.key, "name": each.name, "own": each.own} for each in values]}


def fault(value: "Fault") -> Document:
    """One thing that does not hold."""
    return {"seq": value.seq, "field": value.field, "what": value.what, "verdict": value.verdict}


def jobs(values: "tuple[Job, ...]", ties: "Sequence[Tied]") -> Document:
    """The answer of `jobs`."""
    return {
        "schema": SCHEMA,
        "jobs": [
            {
                "job": job.name,
                "created_at": job.created_at,
                "last_at": job.last_at,
                "steps": job.steps,
                "in_flight": job.in_flight,
                "wraps": job.wraps,
                "status": job.status,
                "status_at": job.status_at,
                "status_since": job.status_since,
                "status_verdict": job.status_verdict if job.status else None,
            }
            for job in values
        ],
        "ties": [tie(each) for each in ties],
    }


def tie(value: "Tied") -> Document:
    """A directory and its job."""
    return {"workspace": value.workspace, "job": value.job, "tied_by": value.tied_by, "tied_at": value.tied_at}


def reconstruction(job: str, value: "Reconstructed") -> Document:
    """The answer of `reconstruct`."""
    return {
        "schema": SCHEMA,
        "job": job,
        "session": value.session,
        "label": "reconstruction",
        "steps": len(value.receipts) - 1,
        "receipts": list(value.receipts),
        "gaps": list(value.gaps),
    }


def exported(job: str, form: str, path: str, secrets: int) -> Document:
    """The answer of `export --out FILE --json`."""
    return {"schema": SCHEMA, "job": job, "format": form, "path": path, "secrets": secrets}


def backed_up(path: str, missing: Sequence[str]) -> Document:
    """The answer of `record backup`; hashes of outputs that were not there to be taken along."""
    return {"schema": SCHEMA, "path": path, "missing": list(missing)}


def _link(value: "Link") -> Document:
    return {"sealed": value.sealed, "previous": value.previous, "receipt": value.receipt, "signer": value.signer}
