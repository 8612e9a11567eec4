"""The chains of attempts as a note of the catalogue, so that the first rows stand where the desk will have them.

Decides the form of the note. Refuses to be the truth: the record is, and the next look reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import orjson

from refloat.model.attempts import InChain
from refloat.model.session import SessionName

NOTE: Final = "chains"
"""The name of the note."""


def write_chains(chains: Mapping[SessionName, InChain]) -> str:
    """As JSON: a row of the fields of each, by session."""
    rows = {
        name: (one.n, one.of, one.parent, one.continued_by, one.newest, one.previous, one.following)
        for name, one in sorted(chains.items())
    }
    return orjson.dumps(rows).decode()


def read_chains(text: str) -> Mapping[SessionName, InChain]:
    """What `write_chains` wrote; a note of another form tells nothing."""
    try:
        rows = cast("dict[SessionName, list[object]]", orjson.loads(text)) if text else {}  # our own, or of no use
        return {name: InChain(*row) for name, row in rows.items()}  # pyright: ignore[reportArgumentType] - the same
    except (ValueError, TypeError, AttributeError):
        return {}
