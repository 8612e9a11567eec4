"""Where one session stands, with what it lost: asks the checkout where the answer can depend on it.

A session that must not get a second writer is not held against its checkout: its next operation is another.
"""

import os
from dataclasses import replace

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


def tell_status(bench: Workbench, located: Located, *, full: bool = False) -> Status:
    """State, evidence, how it ended, and the next operation with what whoever goes on must know.

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
    theirs = _of_another_user(bench, session) if status.next.operation == "attach" else ""
    if not theirs:
        return status
    why = f"{theirs}, or end it; do not start a second one on it"
    return replace(status, next=replace(status.next, command=None, why=why))


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
