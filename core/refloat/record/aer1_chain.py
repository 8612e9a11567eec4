"""What Refloat's own receipts in a file of AER-1 tell of their chain: each names its place and the one before it.

Decides what contradicts another one, and what is only not there. AER-1 holds steps alone: a number that is missing may
be a wrap, a pickup, a decision, a step of another file, or one that was taken away. Nobody can tell which from here.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from refloat.model.record import Fault
from refloat.record.rows import number, text


class Link(NamedTuple):
    """One of them, which holds by itself."""

    seq: int
    """Its place in the file, from 1."""
    row: Mapping[str, object]


def find_broken(links: Sequence[Link]) -> Iterator[Fault]:
    """Links that cannot stand in one chain."""
    for _, chain in _chains(links):
        for before, link in pairwise(chain):
            at, last = number(link.row, "sealed"), number(before.row, "sealed")
            if at == last and link.row.get("receipt") != before.row.get("receipt"):
                yield Fault(link.seq, "refloat.sealed", f"another one in the file is sealed as number {at}, too")
            elif last is not None and at == last + 1 and link.row.get("previous") != before.row.get("receipt"):
                what = f"it was sealed after another than the number {last} in the file"
                yield Fault(link.seq, "refloat.previous", what)


def find_unknown(links: Sequence[Link]) -> Iterator[str]:
    """What is to be asked where the chain has gaps, or stands in another order."""
    for job, chain in _chains(links):
        numbers = [number(link.row, "sealed") or 0 for link in chain]
        gaps = [
            str(last + 1) if at == last + 2 else f"{last + 1} to {at - 1}"
            for last, at in pairwise((0, *numbers))
            if at > last + 1
        ]
        if gaps:
            yield (
                f"what stood at {', '.join(gaps)} of the chain of {job}: wraps, pickups and decisions are not in such "
                "a file, and a step that was left away looks the same"
            )
        places = [link.seq for link in chain]
        if places != sorted(places):
            yield f"why the steps of {job} stand in another order than they were sealed in"


def _chains(links: Sequence[Link]) -> Iterator[tuple[str, list[Link]]]:
    """Each job's, in the order in which they were sealed."""
    ordered = sorted(links, key=lambda link: (text(link.row, "job"), number(link.row, "sealed") or 0))
    for job, chain in groupby(ordered, lambda link: text(link.row, "job")):
        yield job, list(chain)
