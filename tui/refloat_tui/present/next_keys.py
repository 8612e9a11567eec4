"""Which actions do the next step of a session, and which keys lead along its attempts."""

from __future__ import annotations

from typing import Final

from refloat.model.attempts import InChain
from refloat.model.session import FailureKind, State
from refloat.model.status import Operation, Status
from refloat_tui.present import Pieces

_BY_OPERATION: Final[dict[Operation, tuple[str, ...]]] = {
    "attach": ("desk.attach", "desk.peek", "desk.stop"),
    "resolve_liveness": ("desk.evidence", "desk.stop"),
    "continue": ("desk.continue", "desk.new"),
    "new_linked": ("desk.recover", "desk.new"),
    "prompt": ("desk.continue",),
}


def leads_there(status: Status) -> bool:
    """Whether the next step is to go to where this very session runs."""
    return status.next.operation == "attach" and status.session.state is State.LIVE


def next_actions(status: Status, *, no_way: bool = False, held: bool = False) -> tuple[str, ...]:
    """Ids of the actions that do what NEXT says, the likeliest first. `no_way`: nothing leads to where it runs; `held`:
    somebody is at it, and its process is gone.
    """
    salvage = ("desk.salvage",) if status.next.salvage else ()
    first = ("desk.recover",) if status.recovery_first and not held else ()
    return tuple(dict.fromkeys((*first, *_steps(status, no_way=no_way, held=held), *salvage)))


def _steps(status: Status, *, no_way: bool, held: bool) -> tuple[str, ...]:
    if held:
        return ("desk.evidence",)
    if no_way:
        return ("desk.evidence", "desk.stop")
    session, following = status.session, status.next.operation
    if following == "attach" and session.state is not State.LIVE:
        return ("desk.newer",)  # it runs, and it is another session than this one
    if following == "attach" and status.next.command is None:
        return ("desk.evidence", "desk.peek")  # somebody else is at it, or it is another user's
    if following == "resolve_liveness" and (session.state is not State.UNRESOLVED or status.next.command is None):
        return ("desk.evidence",)  # its process is gone, and somebody else is at it; or no process is named to be ended
    if following == "new_linked" and status.next.workspace is None:
        return ("desk.recover",)  # there is no place here to start anything in
    failure = session.failure
    if failure is not None and failure.kind is FailureKind.TRANSCRIPT_DAMAGED:
        return ("desk.repair", *_BY_OPERATION[following])
    return _BY_OPERATION[following]


def chain_words(chain: InChain, older: str, newer: str, *, repaired: bool = False) -> Pieces:
    """`attempt 2 of 3`, and the keys that lead to the others. `repaired`: a copy, with which nobody went on."""
    words = "repaired copy of the one before" if repaired else f"attempt {chain.n} of {chain.of}"
    pieces: list[tuple[str, str]] = [(words, "$person bold")]
    if chain.previous is not None:
        pieces += [("   ", ""), (older, "$key bold"), (" the one before", "$quiet")]
    if chain.following is not None:
        pieces += [("   ", ""), (newer, "$key bold"), (" the next one", "$quiet")]
    return tuple(pieces)
