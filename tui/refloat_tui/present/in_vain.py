"""Operations that the guard would refuse now, for the footer: it does not offer them, and their keys still say why.

Decides by the session, who holds it, and what was read of it so far, which may be nothing. Refuses to be the guard: the
question behind each key looks again, and asks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from refloat.model.session import State

if TYPE_CHECKING:
    from refloat.model.record import Lease
    from refloat.model.session import Session
    from refloat.model.situation import Guarded
    from refloat.model.status import Status

_TO_A_PROCESS: Final = frozenset({"desk_attach", "desk_peek"})
_GO_ON: Final[dict[str, Guarded]] = {"desk_continue": "continue", "desk_new": "new"}
_NEVER_ASKED_OF: Final = frozenset({"child", "zombie", "hint"})


def in_vain(
    session: Session | None, status: Status | None, holder: Lease | None, *, no_way: bool, no_view: bool = False
) -> frozenset[str]:
    """Names of actions that would be refused. `no_way`: nothing leads to where it runs; `no_view`: nor is its screen to
    be seen. Before any session is known: those of one that failed, which stands on top, so that no key moves when it
    comes.
    """
    if session is None:
        return _TO_A_PROCESS | {"desk_stop", "desk_continue"}
    match session.state:
        case State.LIVE:
            there = {"desk_attach": no_way, "desk_peek": no_way and no_view}
            return frozenset(_GO_ON) | {action for action, closed in there.items() if closed}
        case State.UNRESOLVED:
            named = any(fact.pid and fact.kind not in _NEVER_ASKED_OF for fact in session.liveness.evidence)
            return _TO_A_PROCESS | frozenset(_GO_ON) | (frozenset() if named else frozenset({"desk_stop"}))
        case _:
            return _TO_A_PROCESS | {"desk_stop"} | _of_an_ended(session, status, holder)


def _of_an_ended(session: Session, status: Status | None, holder: Lease | None) -> frozenset[str]:
    if holder is not None:
        return frozenset(_GO_ON)
    if status is None:  # the guard is loaded with what was read
        return frozenset({"desk_continue"}) if session.state is State.FAILED else frozenset()
    if status.next.operation in {"attach", "resolve_liveness"}:
        return frozenset(_GO_ON)  # somebody works in its place, or a newer attempt runs
    from refloat.model.guard import judge
    from refloat.model.situation import Situation
    from refloat.model.stamp import Stamp

    place = status.next.workspace
    refused = {
        action
        for action, operation in _GO_ON.items()
        if not judge(
            Situation(
                operation=operation,
                session=session.name,
                state=session.state,
                liveness=session.liveness,
                now=Stamp(""),
                own="",
                failure=session.failure,
                dangling=session.dangling,
                repaired=session.repaired,
                copy_only=session.kept is not None and session.kept.original_gone,
                workspace=place or session.workspace,
                workspace_there=place is not None,
            )
        ).allowed
    }
    return frozenset(refused)
