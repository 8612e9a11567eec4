"""What is written to a job: steps begun and sealed, and links of any kind, each in one transaction.

Decides the numbers: `seq` when a step begins, `sealed` when a link is sealed, both taken from the job's own row, which
also holds its chain's head. That row is written first in every transaction, so writers of one job take turns on either
engine. Refuses to seal a step twice, and to change anything sealed.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from refloat.errors import NotDone, UsageError
from refloat.model.saving import Ending, LinkKind, Opening
from refloat.model.stamp import Stamp
from refloat.record.contents import Content, put
from refloat.record.engine import Connection, Row, Value, new_id
from refloat.record.receipts import opened, seal
from refloat.record.rows import get_text, number, text
from refloat.record.store import NotWritten, Record

if TYPE_CHECKING:
    from refloat.record.signing import Signer

LONGEST_NAME: Final = 200
"""Characters of a job's name."""
_BACK: Final = 50
"""Steps of unknown beginning that are looked through for the one that left a checkout."""
_NOT_STORED: Final = re.compile("[\0\ud800-\udfff]")


class AlreadySealed(NotDone):
    """The step is sealed, or was never begun here."""


class Begun(NamedTuple):
    """A step in flight."""

    id: str
    job: str
    seq: int


class Sealed(NamedTuple):
    """A link that stands."""

    kind: LinkKind
    id: str
    job: str
    sealed: int
    receipt: str
    row: Mapping[str, object]
    """As it is stored."""


def check_name(job: str) -> str:
    """A job's name as it is.

    Raises:
        UsageError: it is empty, too long, or holds what no line can show.

    """
    if not job.strip() or len(job) > LONGEST_NAME or not job.isprintable():
        raise UsageError(f"a job's name is 1 to {LONGEST_NAME} printable characters; {job[:40]!r} is not")
    return job


def begin_step(record: Record, opening: Opening, given: Content | None = None) -> Begun:
    """Write a step before it starts. `given` is its input.

    Raises:
        NotWritten: the record did not take it.

    """
    with record.writing() as connection:
        return _begin(connection, opening, given)


def seal_step(record: Record, begun: Begun, ending: Ending, output: Content | None = None) -> Sealed:
    """Seal a step that ended: its output, its end, its receipt.

    Raises:
        AlreadySealed: it is sealed already.
        NotWritten: the record did not take it; the step stays in flight.

    """
    signer = record.signer()
    with record.writing() as connection:
        return _end(connection, begun, ending, output, signer)


def add_step(
    record: Record, opening: Opening, ending: Ending, given: Content | None = None, output: Content | None = None
) -> Sealed:
    """Save a step that ended elsewhere: begun and sealed in one transaction.

    Raises:
        NotWritten: the record did not take it.

    """
    return add_steps(record, [(opening, ending, given, output)])[0]


def add_steps(
    record: Record, steps: Sequence[tuple[Opening, Ending, Content | None, Content | None]]
) -> tuple[Sealed, ...]:
    """Save many such steps in one transaction, in their order: all of them or none.

    Raises:
        NotWritten: the record did not take them.

    """
    signer = record.signer()
    with record.writing() as connection:
        return tuple(add_within(connection, *step, signer) for step in steps)


def add_within(
    connection: Connection,
    opening: Opening,
    ending: Ending,
    given: Content | None,
    output: Content | None,
    signer: "Signer | None",
) -> Sealed:
    """`add_step` as a part of somebody else's transaction; `signer` is the record's, asked for before it began."""
    return _end(connection, _begin(connection, opening, given), ending, output, signer)


def add_step_once(
    record: Record, step_id: str, opening: Opening, ending: Ending, given: Content | None, output: Content | None
) -> Sealed | None:
    """`add_step` under an id that its teller made from what it tells of; None where that is saved already.

    Raises:
        NotWritten: the record did not take it.

    """
    signer = record.signer()
    try:
        with record.writing() as connection:
            return _end(connection, _begin(connection, opening, given, step_id), ending, output, signer)
    except AlreadySealed:
        return None


def storable(row: Mapping[str, Value]) -> dict[str, Value]:
    """A row that every engine takes and every JSON reader reads: no zero character, no half of a surrogate pair."""
    return {name: _NOT_STORED.sub("\ufffd", value) if isinstance(value, str) else value for name, value in row.items()}


def _begin(connection: Connection, opening: Opening, given: Content | None, step_id: str | None = None) -> Begun:
    job = take_turn(connection, check_name(opening.job), opening.started_at, "jobs.take_seq")
    if step_id is not None and connection.row("links.step", id=step_id) is not None:
        raise AlreadySealed(f"step {step_id} is saved already")
    if given is not None:
        put(connection, given)
    begun = Begun(step_id or new_id(), opening.job, number(job, "last_seq") or 0)
    row: dict[str, Value] = {
        "id": begun.id,
        "job": begun.job,
        "seq": begun.seq,
        "origin": opening.origin,
        "producer": opening.producer,
        "tool": opening.tool,
        "summary": opening.summary,
        "workspace": opening.workspace,
        "host": opening.runner.host,
        "pid": opening.runner.pid,
        "pid_started": opening.runner.pid_started,
        "automatic": int(opening.automatic),
        "input_sha256": given.sha256 if given else None,
        "input_bytes": given.size if given else None,
        "started_at": opening.started_at,
        "head_before": opening.tree.head,
        "worktree_before": opening.tree.worktree,
        "unknown_before": opening.tree.unknown,
        "rests_on": None,
    }
    row = storable(row)
    row["rests_on"] = _rests_on(connection, row, given)
    connection.run("links.begin_step", **row, opened=opened(row, job["created_at"]))
    return begun


def _rests_on(connection: Connection, step: Row, given: Content | None) -> int | None:
    """The step that left the checkout which this one starts from; else the one whose output is its input."""
    job, head, worktree = text(step, "job"), get_text(step, "head_before"), get_text(step, "worktree_before")
    if head is not None and worktree is not None:
        known, left_by = _left_by(connection, job, head, worktree)
        if known:
            return left_by
    if given is None or not given.size:
        return None
    row = connection.row("links.printed", job=job, content=given.sha256)
    return None if row is None else number(row, "seq")


def _left_by(connection: Connection, job: str, head: str, worktree: str) -> tuple[bool, int | None]:
    """Whether a step of the job left that checkout, and which one made it.

    A step that was saved when it had ended does not know the checkout before: the one that the step before it left
    stands for that. So a note that changed nothing is never what others rest on.
    """
    below, found = 2**62, False
    for _ in range(_BACK):
        row = connection.row("links.left_behind", job=job, worktree=worktree, head=head, below=below)
        if row is None:
            break
        found, below = True, number(row, "seq") or 0
        before = (row["head_before"], row["worktree_before"])
        if None not in before:
            return True, below if before != (head, worktree) else number(row, "rests_on")
        prior = connection.row("links.known_before", job=job, below=below)
        if prior is not None and (prior["head_after"], prior["worktree_after"]) != (head, worktree):
            return True, below
    return found, None


def _end(
    connection: Connection, begun: Begun, ending: Ending, output: Content | None, signer: "Signer | None"
) -> Sealed:
    job = take_turn(connection, begun.job, ending.ended_at, "jobs.take_sealed")
    row = connection.row("links.step", id=begun.id)
    if row is None or row["sealed"] is not None:
        raise AlreadySealed(f"step {begun.seq} of {begun.job} is sealed already")
    if output is not None:
        put(connection, output)
    ended: dict[str, Value] = {
        "output_sha256": output.sha256 if output else None,
        "output_bytes": output.size if output else None,
        "outcome": ending.outcome,
        "exit_code": ending.exit_code,
        "ended_at": ending.ended_at,
        "head_after": ending.tree.head,
        "worktree_after": ending.tree.worktree,
        "unknown_after": ending.tree.unknown,
        "note": ending.note,
    }
    sealed = _sealed("step", job, {**row, **storable(ended)}, signer)
    values = _values(sealed.row)
    names = ("id", *ended, "sealed", "previous", "digests", "receipt", "signer", "signature")
    connection.run("links.seal_step", **{name: values[name] for name in names})
    connection.run("jobs.set_head", job=begun.job, head=sealed.receipt)
    return sealed


def take_turn(connection: Connection, job: str, now: Stamp, take: str) -> Row:
    """The job's row, with the number taken; from here to the end of the transaction no other writer has the job."""
    check_name(job)
    if not connection.run(take, job=job):
        connection.run("jobs.make", job=job, now=now)
        connection.run(take, job=job)
    row = connection.row("jobs.one", job=job)
    if row is None:
        raise NotDone(f"the job {job} was taken away meanwhile")
    return row


def add_link(
    connection: Connection,
    kind: LinkKind,
    statement: str,
    job: Row,
    row: Mapping[str, Value],
    signer: "Signer | None",
) -> Sealed:
    """Seal a link that is not a step; `job` is the row that `take_turn` gave."""
    sealed = _sealed(kind, job, storable(row), signer)
    connection.run(statement, **_values(sealed.row))
    connection.run("jobs.set_head", job=text(job, "name"), head=sealed.receipt)
    return sealed


def _sealed(kind: LinkKind, job: Row, row: Row, signer: "Signer | None") -> Sealed:
    """The link as it is stored. One without a receipt would leave every later one unchained.

    Raises:
        NotWritten: it has a value without a canonical form.

    """
    place = number(job, "last_sealed") or 0
    own = {"signer": signer.public if signer else None, "signature": None}
    done = seal(kind, {**row, "sealed": place, "previous": job["head"], **own}, job["created_at"])
    if not done["receipt"]:
        raise NotWritten(f"this {kind} has a value that no receipt can speak of: a number beyond 2^53, or no text")
    if signer is not None:
        done["signature"] = signer.sign(text(done, "receipt"))
    return Sealed(kind, text(done, "id"), text(job, "name"), place, text(done, "receipt"), done)


def _values(row: Mapping[str, object]) -> dict[str, Value]:
    return {name: value if isinstance(value, str | int | bytes) else None for name, value in row.items()}
