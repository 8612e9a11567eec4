"""Whether what is stored of a job is what was sealed: every field, every byte, every place in the chain.

Pure but for the reading of contents, which comes in as a function: the record and an exported file are judged alike.
Decides what is altered, missing or unchecked, and names the step and the field. Refuses to say that anything is right.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from refloat.model.record import Fault, Signature, Signed, Verdict, Verified
from refloat.model.saving import LinkKind
from refloat.record.engine import Row
from refloat.record.keys import Known, no_keys
from refloat.record.receipts import altered_fields, altered_opening
from refloat.record.rows import get_text, number, text
from refloat.record.whole import WholeJob

_ENDED = ("output_sha256", "outcome", "ended_at", "previous", "digests", "receipt", "signer", "signature")
_BADNESS: Final[Mapping[Signature, int]] = {"valid": 0, "unsigned": 1, "unknown_key": 2, "invalid": 3}


class ContentFault(NamedTuple):
    """What is wrong with a saved input or output."""

    verdict: Verdict
    what: str


CheckContent = Callable[[str, int | None], ContentFault | None]
"""SHA-256 and size of a content to what is wrong with it; None where its bytes are what was saved."""


class _Place(NamedTuple):
    """A sealed link in its chain."""

    sealed: int
    kind: LinkKind
    row: Row
    intact: bool


def judge_job(
    job: WholeJob,
    check: CheckContent,
    known: Known,
    only: str | None = None,
    looked: Callable[[], None] = lambda: None,
) -> Verified:
    """Judge a whole job; with `only`, a receipt, just that link, its bytes and its place. `looked` is called after
    each link.

    Raises:
        KeyUnusable: something is signed, and the known keys cannot be read.

    """
    faults: list[Fault] = []
    if job.row is None:
        faults.append(Fault(None, "job", "the job's own row is missing", "missing"))
    places: list[_Place] = []
    for place, told in _judge_links(job, check, only):
        places += [] if place is None else [place]
        faults += told
        looked()
    places.sort(key=lambda place: place.sealed)
    faults += [fault for fault, receipt in _judge_chain(places) if only is None or receipt == only]
    if only is None and job.row is not None:
        faults += _judge_numbers(job.row, places, [row for kind, row in job.links if kind == "step"])
    chosen = [place for place in places if only is None or place.row["receipt"] == only]
    keys = known() if _any_signed(chosen) else no_keys()
    signatures = _judge_signatures(chosen, keys)
    faults += _badly_signed(chosen, signatures)
    in_flight = [number(row, "seq") or 0 for kind, row in job.links if _is_open(kind, row)]
    return Verified(
        job.name,
        len(chosen),
        tuple(sorted(in_flight)) if only is None else (),
        _one_for_the_job(faults),
        max(signatures, key=_BADNESS.__getitem__) if signatures else "unsigned",
        _signers(chosen, signatures, keys),
    )


def _badly_signed(chosen: Sequence[_Place], signatures: Sequence[Signature]) -> list[Fault]:
    return [
        _fault(place.kind, place.row, "signature", "it is not its signer's signature of this receipt")
        for place, signature in zip(chosen, signatures, strict=True)
        if signature == "invalid"
    ]


def _is_open(kind: LinkKind, row: Row) -> bool:
    return kind == "step" and row["sealed"] is None


def _judge_links(
    job: WholeJob, check: CheckContent, only: str | None
) -> Iterator[tuple[_Place | None, Sequence[Fault]]]:
    """Each link's place in the chain, none of a step in flight, and what is wrong with it where that is asked."""
    created_at = None if job.row is None else job.row["created_at"]
    for kind, row in job.links:
        if _is_open(kind, row):
            yield None, _judge_open(row, created_at, check) if only is None else ()
            continue
        altered = altered_fields(kind, row, created_at)
        faults: list[Fault] = []
        if only is None or row["receipt"] == only:
            faults += [_fault(kind, row, field) for field in altered]
            if row["signature"] is not None and row["signer"] is None:
                faults.append(_fault(kind, row, "signature", "it is signed, and nobody is named who signed it"))
            faults += _judge_contents(kind, row, check)
        yield _Place(number(row, "sealed") or 0, kind, row, not altered), faults


def _judge_open(row: Row, created_at: object, check: CheckContent) -> list[Fault]:
    faults = [_fault("step", row, field) for field in altered_opening(row, created_at)]
    ended = next((name for name in _ENDED if row.get(name) is not None), None)
    if ended is not None:
        seq = number(row, "seq")
        faults.append(Fault(seq, "sealed", f"it has no place in the chain, and has {ended} like a sealed step"))
    return faults + _judge_content(row, "input", check)


def _judge_contents(kind: LinkKind, row: Row, check: CheckContent) -> list[Fault]:
    if kind != "step":
        return []
    return [*_judge_content(row, "input", check), *_judge_content(row, "output", check)]


def _judge_content(row: Row, what: str, check: CheckContent) -> list[Fault]:
    name = row[f"{what}_sha256"]
    if name is None:
        return []
    found = check(text(row, f"{what}_sha256"), number(row, f"{what}_bytes"))
    return [] if found is None else [Fault(number(row, "seq"), what, found.what, found.verdict)]


def _judge_chain(places: Sequence[_Place]) -> list[tuple[Fault, object]]:
    """Faults of order, each with the receipt of the link that it is found at."""
    faults: list[tuple[Fault, object]] = []
    receipt: object = ""
    at, before = 0, None
    for place in places:
        if place.sealed == at:
            what = f"two links are sealed as number {at}"
            faults.append((_fault(place.kind, place.row, "sealed", what), place.row["receipt"]))
            continue
        if place.sealed != at + 1:
            missing = (
                f"number {at + 1} of the chain"
                if place.sealed == at + 2
                else (f"numbers {at + 1} to {place.sealed - 1} of the chain")
            )
            fault = Fault(number(place.row, "seq"), "chain", f"{missing} missing before it", "missing")
            faults.append((fault, place.row["receipt"]))
        elif place.intact and place.row["previous"] != receipt and (before is None or before.intact):
            faults.append((_unchained(place, before), place.row["receipt"]))
        at, receipt, before = place.sealed, place.row["receipt"], place
    return faults


def _unchained(place: _Place, before: _Place | None) -> Fault:
    """Both fit their own receipts, and the later one was sealed after another: the earlier one was replaced whole."""
    blamed = place if before is None else before
    return _fault(blamed.kind, blamed.row, "receipt", "it is not the link that the next one was sealed after")


def _judge_numbers(job: Row, places: Sequence[_Place], steps: Sequence[Row]) -> list[Fault]:
    faults: list[Fault] = []
    last = places[-1] if places else None
    at = last.sealed if last else 0
    if job["last_sealed"] != at:
        what = f"the job counts {job['last_sealed']} sealed links, and {at} is the last that is there"
        faults.append(Fault(None, "last_sealed", what, "missing"))
    elif job["head"] != (last.row["receipt"] if last else ""):
        intact = last is None or last.intact
        what = "the job's head is not the receipt of its last link"
        faults.append(Fault(number(last.row, "seq") if last and intact else None, "head", what))
    numbers = {number(row, "seq") for row in steps}
    last_seq = number(job, "last_seq") or 0
    most = max((seq for seq in numbers if seq is not None), default=0)
    gone = [seq for seq in range(1, min(last_seq, most + 1000) + 1) if seq not in numbers]
    faults += [Fault(seq, "step", "the step is gone", "missing") for seq in gone]
    if most > last_seq:
        faults.append(Fault(None, "last_seq", f"the job counts {last_seq} steps, and there is a number {most}"))
    return faults


def judge_mentions(job: WholeJob) -> tuple[Fault, ...]:
    """What links speak of and is not there: a file from which the last steps or a wrap were taken speaks of them on."""
    if job.row is None:
        return ()
    last_seq = number(job.row, "last_seq") or 0
    wraps = {text(row, "id") for kind, row in job.links if kind == "wrap"}
    faults: list[Fault] = []
    for kind, row in job.links:
        spoken = number(row, "last_seq") or 0 if kind == "wrap" else 0
        if spoken > last_seq:
            faults.append(Fault(spoken, "step", f"a wrap speaks of {spoken} steps, {last_seq} are counted", "missing"))
        if kind == "pickup" and row.get("wrap") is not None and text(row, "wrap") not in wraps:
            what = f"a pickup took the wrap {text(row, 'wrap')[:12]}, which is not there"
            faults.append(Fault(None, "wrap", what, "missing"))
    return tuple(faults)


def _fault(kind: LinkKind, row: Row, field: str, what: str = "it is not what was sealed") -> Fault:
    if kind == "step":
        return Fault(number(row, "seq"), field, what)
    return Fault(None, f"{kind}.{field}", f"{what} ({kind} {text(row, 'id')[:8]})")


def _one_for_the_job(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """A job's own altered field is bound by every link, and told once."""
    rest = [fault for fault in faults if not fault.field.endswith("job_created_at")]
    if len(rest) == len(faults):
        return tuple(rest)
    return (Fault(None, "created_at", "it is not what every link of the job was sealed with"), *rest)


def _judge_signatures(places: Sequence[_Place], keys: Mapping[str, str]) -> Sequence[Signature]:
    if not _any_signed(places):
        return ["unsigned" for _ in places]
    from refloat.record.signing import judge_signature

    rows = [place.row for place in places]
    return [judge_signature(row["signer"], row["receipt"], row["signature"], keys) for row in rows]


def _any_signed(places: Sequence[_Place]) -> bool:
    """Where nothing is signed, nothing of what signs is loaded."""
    return any(place.row["signer"] is not None or place.row["signature"] is not None for place in places)


def _signers(places: Sequence[_Place], signatures: Sequence[Signature], keys: Mapping[str, str]) -> tuple[Signed, ...]:
    counted: Counter[tuple[str | None, Signature]] = Counter()
    for place, signature in zip(places, signatures, strict=True):
        counted[get_text(place.row, "signer"), signature] += 1
    return tuple(Signed(key, keys.get(key or ""), word, links) for (key, word), links in counted.most_common())
