"""The JSON of the record's answers: names and order of keys (design, section 7).

Beside `wire`, not in it: short commands print these, and that package loads every word of a session, at the price of
three interpreter starts. Rows are links as they are stored (`record.chain.Sealed.row`).
"""

import json
from collections.abc import Mapping
from typing import Final, Protocol, TypeVar

from refloat.text import escape_json

SCHEMA: Final = "refloat/1"
Document = dict[str, object]
T = TypeVar("T")


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
)


def saved_step(job: str, row: Mapping[str, object]) -> Document:
    """The answer of `run` and `step`."""
    step = {name: row.get(name) for name in _STEP}
    return {"schema": SCHEMA, "job": job, "step": {**step, "state": "sealed"}}
