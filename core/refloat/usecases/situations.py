"""What the session itself tells the guard, before anybody else is looked at.

Decides where a session goes on. Refuses to look at processes and leases: `usecases.act` adds who else is at it.
"""

import os
from typing import Final

from refloat.model.guard import judge
from refloat.model.session import Session, State, place_here
from refloat.model.situation import Guarded, Situation
from refloat.model.stamp import Stamp
from refloat.readers.contract import Reader

ENDED: Final = frozenset({State.FAILED, State.STOPPED, State.UNBOUND})
"""States of a session whose process is gone."""
_NO_TIME: Final = Stamp("")
"""The age of a lease is told by it, and here is none."""


def would_continue(reader: Reader, session: Session) -> bool:
    """Whether `continue` would accept a session, as far as the session itself tells."""
    return judge(plain_situation("continue", session, reader)).allowed


def plain_situation(operation: Guarded, session: Session, reader: Reader) -> Situation:
    """What is to be judged of a session, before anybody else is looked at, and whoever asks."""
    place = place_of(session)
    return Situation(
        operation=operation,
        session=session.name,
        ref=session.ref,
        state=session.state,
        liveness=session.liveness,
        now=_NO_TIME,
        own="",
        failure=session.failure,
        dangling=session.dangling,
        repaired=session.repaired,
        takes_id=reader.takes_id(session.session_id),
        copy_only=session.kept is not None and session.kept.original_gone,
        workspace=place or session.worktree or session.workspace,
        workspace_there=place is not None and os.path.isdir(place),  # noqa: PTH112 - text stays text
    )


def place_of(session: Session) -> str | None:
    """Where a session goes on: its worktree, else (or where that is gone) its workspace. None: no place here."""
    worktree, workspace = place_here(session.worktree), place_here(session.workspace)
    if worktree and (workspace is None or os.path.isdir(worktree)):  # noqa: PTH112
        return worktree
    return workspace
