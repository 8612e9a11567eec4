"""Which keys do the next step of a session, and which lead along its attempts."""

from __future__ import annotations

from typing import Final

from refloat.model.attempts import InChain
from refloat.model.session import FailureKind, State
from refloat.model.status import Operation, Status
from refloat_tui.present import Pieces

Key = tuple[str, str]
"""A key and one word for what it does, as the table of actions has them (a test compares)."""

_RUNS: Final[tuple[Key, ...]] = (("a", "attach"), ("p", "peek"), ("s", "stop"))
_BY_OPERATION: Final[dict[Operation, tuple[Key, ...]]] = {
    "attach": _RUNS,
    "resolve_liveness": (("e", "evidence"), ("s", "stop")),
    "continue": (("c", "continue"), ("+", "new")),
    "new_linked": (("r", "recover"), ("+", "new")),
    "prompt": (("c", "continue"),),
}


def next_keys(status: Status) -> tuple[Key, ...]:
    """The keys that do what NEXT says, the likeliest first."""
    session, following = status.session, status.next.operation
    if following == "attach" and session.state is not State.LIVE:
        return (("]", "next attempt"),)  # it runs, and it is another session than this one
    failure = session.failure
    if failure is not None and failure.kind is FailureKind.TRANSCRIPT_DAMAGED:
        return (("M", "repair"), *_BY_OPERATION[following])
    return _BY_OPERATION[following]


def chain_words(chain: InChain) -> Pieces:
    """`attempt 2 of 3`, and the keys that lead to the others."""
    pieces: list[tuple[str, str]] = [(f"attempt {chain.n} of {chain.of}", "$person bold")]
    if chain.previous is not None:
        pieces += [("   ", ""), ("[", "$key bold"), (" the one before", "$quiet")]
    if chain.following is not None:
        pieces += [("   ", ""), ("]", "$key bold"), (" the next one", "$quiet")]
    return tuple(pieces)
