"""Where one session stands, with what it lost: asks the checkout where the answer can depend on it.

A session that must not get a second writer is not held against its checkout: its next operation is another.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from refloat.errors import RefloatError
from refloat.model.session import Session, State
from refloat.model.status import Status
from refloat.usecases.examine import compare_with_others
from refloat.usecases.explain_end import explain_end
from refloat.usecases.find_sessions import Located
from refloat.usecases.linked import standing_of
from refloat.usecases.place_words import only_told, under_another_user
from refloat.usecases.read_session import read_story
from refloat.usecases.show_status import show_status
from refloat.usecases.workbench import Workbench

if TYPE_CHECKING:
    from refloat.usecases.act import Actor


_WRITERS: Final = frozenset({"continue", "prompt", "new_linked"})
"""Next operations that make a writer."""
_SOMEBODY: Final = frozenset({"session_is_held", "workspace_is_held", "another_person_works_there"})


def tell_status(bench: Workbench, located: Located, actor: Actor | None = None, *, full: bool = False) -> Status:
    """State, evidence, how it ended, and the next operation with what whoever goes on must know. `actor`: who asks;
    then nothing is advised that the guard would keep them from because somebody else is at it.

    Raises:
        Unreadable: nothing of the transcript could be read.
    """
    story = read_story(located.reader, located.found, full=full)
    session = explain_end(bench, located.session, story)
    asks = session.state in {State.STOPPED, State.FAILED} and story.summary.edits > 0
    checkout = compare_with_others(bench, located, story) if asks else None
    standing = standing_of(bench, session)
    parent = standing.chain.parent if standing is not None and session.parent is None else session.parent
    status = show_status(located.reader, replace(session, parent=parent), story, checkout, standing)
    if actor is not None and status.next.operation in _WRITERS:
        return _unless_held(bench, actor, session, status)
    theirs = _of_another_user(bench, session) if status.next.operation == "attach" else ""
    if not theirs:
        return status
    why = f"{theirs}, or end it; do not start a second one on it"
    return replace(status, next=replace(status.next, command=None, why=why))


def _unless_held(bench: Workbench, actor: Actor, session: Session, status: Status) -> Status:
    from refloat.usecases.act import Wish, judge_now

    then = status.next
    wish = Wish("new" if then.operation == "new_linked" else "continue", session.name, bench.machine.places.home)
    try:
        ruling = judge_now(bench, actor, wish, session)
    except RefloatError as error:
        why = f"nobody can tell who is at it ({error}); else: {then.why}"
        return replace(status, next=replace(then, why=why))
    if ruling.allowed or ruling.branch not in _SOMEBODY:
        return status
    why = f"{ruling.why}: agree with them first; then: {then.why}"
    return replace(status, next=replace(then, operation="resolve_liveness", command=None, why=why))


def _of_another_user(bench: Workbench, session: Session) -> str:
    """Why only somebody else can go to a session, in the words of `attach`; empty where one of its owners is ours."""
    told = ""
    for pid in session.liveness.owners:
        row = bench.machine.processes.get(pid)
        place = None if row is None else under_another_user(bench.machine, row, os.getuid())
        if place is None:
            return ""
        told = told or only_told(place, session.name)
    return told
