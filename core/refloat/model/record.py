"""What the record keeps of a job: steps, wraps, pickups, decisions, leases, and what a check of them found."""

from dataclasses import dataclass
from typing import Literal

from refloat.model.saving import Ending, Opening, Release, Runner, Status
from refloat.model.stamp import Stamp

Verdict = Literal["unchanged", "altered", "missing", "not_checked"]
"""Of what was saved, against its receipt. `unchanged` never means correct."""
Signature = Literal["unsigned", "valid", "invalid", "unknown_key"]


@dataclass(frozen=True, slots=True)
class Link:
    """A place in a job's chain."""

    sealed: int
    """1 for the first thing sealed on the job."""
    previous: str
    """The receipt sealed before it; empty for the first."""
    receipt: str
    signer: str | None = None
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class SavedStep:
    """A step on a job, in flight (`link` is None) or sealed."""

    id: str
    seq: int
    opening: Opening
    input_sha256: str | None
    input_bytes: int | None
    output_sha256: str | None
    output_bytes: int | None
    ending: Ending | None
    link: Link | None
    verdict: Verdict = "not_checked"
    running: bool | None = None
    """Of a step in flight, whether its process still runs; None where that cannot be told."""


@dataclass(frozen=True, slots=True)
class Wrap:
    """A handover: what was done, what for, to whom, and what comes next."""

    id: str
    job: str
    at: Stamp
    producer: str
    summary: str
    goal: str
    recipient: str | None
    next_steps: tuple[str, ...]
    not_checked: tuple[str, ...]
    last_seq: int
    """The newest step of the job when it was written."""
    automatic: bool
    """Made by a hook; it never buries a person's own."""
    note: str | None
    link: Link
    verdict: Verdict = "not_checked"


@dataclass(frozen=True, slots=True)
class Checked:
    """One receipt that was looked at when a job was picked up."""

    seq: int
    receipt: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Pickup:
    """Somebody's acceptance of a wrap, or of a job that has none."""

    id: str
    job: str
    at: Stamp
    producer: str
    wrap: str | None
    checked: tuple[Checked, ...]
    continue_at: int | None
    """The first step that is absent or could not be confirmed; one past the last where all stand."""
    automatic: bool
    note: str | None
    link: Link
    verdict: Verdict = "not_checked"


@dataclass(frozen=True, slots=True)
class Decision:
    """Accepted, pending or declined: by whom, when, and whether it may be released."""

    id: str
    job: str
    at: Stamp
    status: Status
    decided_by: str
    release: Release | None
    about: str | None
    """The receipt that it speaks of; None for the job as a whole."""
    automatic: bool
    note: str | None
    link: Link
    verdict: Verdict = "not_checked"
    at_step: int | None = None
    """Of one on the job as a whole: the last step that was sealed when it was made."""
    since: int = 0
    """Of such a one: steps that were not sealed then. It does not cover them."""


@dataclass(frozen=True, slots=True)
class Job:
    """One row of `jobs`."""

    name: str
    created_at: Stamp
    steps: int
    in_flight: int
    wraps: int
    last_at: Stamp | None
    """The newest start, end, wrap, pickup or decision."""
    status: Status | None
    """Of the newest decision on the job as a whole."""
    status_at: int | None = None
    """The last step that was sealed when that was made."""
    status_since: int = 0
    """Steps that were not sealed then, and that it does not cover."""
    status_verdict: Verdict = "unchanged"
    """Whether that decision is as it was sealed."""


TiedBy = Literal["session", "workspace"]
"""How a session is on a job: it saved something there, or somebody did from its workspace."""


@dataclass(frozen=True, slots=True)
class TiedJob:
    """A job as one session sees it."""

    job: Job
    tie: TiedBy | None
    """None: neither the session nor its workspace has to do with it."""
    title: str = ""
    """Of the job of a recovery: what its session is called."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A claim on a session or a job until a moment."""

    subject: str
    token: str
    """Whoever holds it may renew and release the lease."""
    holder: str
    """`user@host`."""
    runner: Runner
    since: Stamp
    renewed_at: Stamp
    until: Stamp
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that does not hold."""

    seq: int | None
    """The step's number; None for another link, which `what` names, and for the job as a whole."""
    field: str
    """`output`, `exit_code`, `wrap.goal`, `chain`, …"""
    what: str
    verdict: Verdict = "altered"


@dataclass(frozen=True, slots=True)
class Signed:
    """How many of the links that were checked one key signed."""

    key: str | None
    """The public key as the links name it; None for those that nobody signed."""
    name: str | None
    """What it is called here, where it is known."""
    signature: Signature
    links: int


@dataclass(frozen=True, slots=True)
class Verified:
    """What a check of a job, of one receipt or of a file found."""

    job: str | None
    checked: int
    """Links that were re-hashed."""
    in_flight: tuple[int, ...]
    problems: tuple[Fault, ...]
    """`altered` and `missing` ones make it fail; `not_checked` ones where nothing was checked."""
    signature: Signature
    """The worst of all: `invalid`, `unknown_key`, `unsigned`, `valid`."""
    signers: tuple[Signed, ...] = ()
    by_itself: bool = False
    """A file was compared with itself alone: whoever wrote it can have written all of it."""
    remarks: tuple[str, ...] = ()
    """What this check could not tell."""

    @property
    def ok(self) -> bool:
        """Nothing is altered or missing, and where something could not be checked, something was."""
        if any(fault.verdict in {"altered", "missing"} for fault in self.problems):
            return False
        return self.checked > 0 or not self.problems


@dataclass(frozen=True, slots=True)
class Trail:
    """What a newcomer must know first."""

    job: str
    goal: str | None
    steps: tuple[SavedStep, ...]
    """In flight, load-bearing, the last failures, then the newest; by number."""
    load_bearing: tuple[int, ...]
    """What most later steps rest on, and ended well, and is as it was saved."""
    wraps: tuple[Wrap, ...]
    pickups: tuple[Pickup, ...]
    decisions: tuple[Decision, ...]
    omitted: int
    """Steps that are not shown."""
    outcomes: tuple[tuple[str, int], ...]
    """How many sealed steps ended how, of all; those that are shown and not as they were saved count as `altered`."""
    resting: tuple[int, ...] = ()
    """How many later steps rest on each of `load_bearing`; 0 for one that was the last to change the checkout."""
    in_flight: int = 0
    """Of all steps, shown or not."""
    reconstructed: int = 0
    """Steps that a transcript told, of all."""


def bearing(trail: Trail) -> tuple[SavedStep, ...]:
    """What most rests on; where nothing is known to rest on anything, the newest that ended well, best with output."""
    if trail.load_bearing:
        return tuple(step for seq in trail.load_bearing for step in trail.steps if step.seq == seq)
    well = [step for step in trail.steps if step.ending and step.ending.outcome == "ok" and step.verdict == "unchanged"]
    return tuple(sorted(well, key=lambda step: not step.output_bytes)[:1])
