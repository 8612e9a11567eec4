"""Receipts: SHA-256 over the canonical JSON of every stored field of a link, chained to the one sealed before.

Pure. Decides what is bound and how an altered field is found. A receipt proves that what was saved was not changed
since; it does not prove that the step happened, or that it was right.

One hash over many fields tells that something was altered, not what. So each link carries eight hex digits of each
field's own hash (`digests`, in the order of the fields' names), bound by the receipt like any other field.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final

from refloat.model.saving import LinkKind
from refloat.record.canonical import canonical

_UNBOUND: Final = frozenset(("digests", "receipt", "signature"))
"""What is made from the rest. A signature is over the receipt."""
_SIZE: Final = 8
_WHOLE: Final = 64
OPENED: Final = (
    "id",
    "job",
    "seq",
    "origin",
    "producer",
    "tool",
    "summary",
    "workspace",
    "host",
    "pid",
    "pid_started",
    "automatic",
    "input_sha256",
    "input_bytes",
    "started_at",
    "head_before",
    "worktree_before",
    "unknown_before",
    "rests_on",
)
"""Fields that stand when a step begins: `opened` binds them while it is in flight."""

Fields = Mapping[str, object]


def bound_fields(kind: LinkKind, row: Fields, job_created_at: object) -> dict[str, object]:
    """What a receipt of this link speaks of: every column but those that are made from it."""
    bound = {name: value for name, value in row.items() if name not in _UNBOUND}
    return bound | {"kind": kind, "job_created_at": job_created_at}


def digests(bound: Fields) -> str:
    """The short hashes of the fields, by name. A value without a canonical form has none that could be right."""
    return "".join([_digest(bound[name]) for name in sorted(bound)])


def receipt(bound: Fields, short: object) -> str:
    """The receipt of a link with these fields and these `digests`; empty where they have no canonical form."""
    try:
        return sha256(canonical({**bound, "digests": short})).hexdigest()
    except ValueError:
        return ""


def opened(row: Fields, job_created_at: object) -> str:
    """What binds a step in flight: one hash of all that stands when it begins, then the digests of its fields."""
    bound = _opening_of(row, job_created_at)
    try:
        whole = sha256(canonical(bound)).hexdigest()
    except ValueError:
        return ""
    return whole + digests(bound)


def altered_opening(row: Fields, job_created_at: object) -> tuple[str, ...]:
    """The fields of a step in flight that are not as they were when it began; empty where all are."""
    kept, fresh = row["opened"], opened(row, job_created_at)
    if kept == fresh != "":
        return ()
    if not isinstance(kept, str) or kept[:_WHOLE] == fresh[:_WHOLE] != "":
        return ("opened",)
    bound = _opening_of(row, job_created_at)
    return _differing(sorted(bound), kept[_WHOLE:], digests(bound)) or ("opened",)


def _opening_of(row: Fields, job_created_at: object) -> dict[str, object]:
    return {name: row[name] for name in OPENED} | {"job_created_at": job_created_at}


def seal(kind: LinkKind, row: Fields, job_created_at: object) -> dict[str, object]:
    """The row with its `digests` and its `receipt`."""
    bound = bound_fields(kind, row, job_created_at)
    short = digests(bound)
    return {**row, "digests": short, "receipt": receipt(bound, short)}


def altered_fields(kind: LinkKind, row: Fields, job_created_at: object) -> tuple[str, ...]:
    """The fields of a sealed row that are not as they were sealed; empty where the receipt fits.

    Raises:
        KeyError: the row lacks `digests` or `receipt` altogether.

    """
    bound = bound_fields(kind, row, job_created_at)
    kept, said = row["digests"], row["receipt"]
    if said and receipt(bound, kept) == said:
        return ()
    fresh = digests(bound)
    if receipt(bound, fresh) == said:
        return ("digests",)
    if not isinstance(kept, str) or len(kept) != len(fresh):
        return _foreign(bound, kept, said) or ("digests",)
    return _differing(sorted(bound), kept, fresh) or ("receipt",)


def _foreign(bound: Fields, kept: object, said: object) -> tuple[str, ...]:
    """The field without which the receipt fits: a file may have one that the link never had."""
    return tuple(
        name for name in bound if receipt({each: bound[each] for each in bound if each != name}, kept) == said
    )[:1]


def _differing(names: Sequence[str], kept: str, fresh: str) -> tuple[str, ...]:
    places = ((name, slice(at * _SIZE, (at + 1) * _SIZE)) for at, name in enumerate(names))
    return tuple([name for name, place in places if kept[place] != fresh[place]])


def _digest(value: object) -> str:
    try:
        return sha256(canonical(value)).hexdigest()[:_SIZE]
    except ValueError:
        return "?" * _SIZE
