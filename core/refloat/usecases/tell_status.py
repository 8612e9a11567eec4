"""Where one session stands, with what it lost: asks the checkout where the answer can depend on it.

A session that must not get a second writer is not held against its checkout: its next operation is another.
"""

from __future__ import annotations

import os
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from refloat.errors import RefloatError
from refloat.model.session import Session, State
from refloat.model.status import Status
from refloat.usecases.examine import compare_with_others
from refloat.usecases.explain_end import explain_end
from refloat.usecases.find_sessions import Located
from refloat.usecases.linked import standing_of
from refloat.usecases.place_words import only_told, under_another_user
from refloat.usecases.read_session import read_story
from refloat.usecases.recovered import brief_of_recovery, find_recoveries
from refloat.usecases.show_status import show_status
from refloat.usecases.workbench import Workbench

if TYPE_CHECKING:
    from refloat.model.attempts import Standing
    from refloat.model.checkout import Checkout
    from refloat.model.story import Story
    from refloat.readers.contract import Reader
    from refloat.usecases.act import Actor


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
    session = replace(session, parent=parent)
    status = advised_status(bench, actor, located.reader, session, story, checkout, standing)
    return status if actor is None else _with_a_way(bench, actor, status)


def _with_a_way(bench: Workbench, actor: Actor, status: Status) -> Status:
    """What sends nobody to a terminal that nothing leads to: the same look as `attach` takes, in its words."""
    session, then = status.session, status.next
    if then.operation != "attach" or then.command is None or session.state is not State.LIVE:
        return status
    from refloat.usecases.attach_session import plan_attach

    try:
        refused = plan_attach(bench, actor, session.ref, bench.machine.places.home).refused
    except RefloatError:
        return status  # asked for it, `attach` says why
    if refused is None:
        return status
    why = f"it runs, and nothing leads there from here: {refused.why}; do not start a second one on it"
    return replace(status, next=replace(then, command=None, why=why))


def advised_status(
    bench: Workbench,
    actor: Actor | None,
    reader: Reader,
    session: Session,
    story: Story,
    checkout: Checkout | None,
    standing: Standing | None,
) -> Status:
    """The status of what was read, by the guard's word on everybody who is at it now."""
    seen, doubt = None, ""
    if actor is not None:
        from refloat.usecases.act import Wish, situation_now

        try:
            wish = Wish("continue", session.ref, bench.machine.places.home)
            seen = situation_now(bench, actor, wish, session, lambda: standing)
        except RefloatError as error:
            doubt = f"nobody can tell who is at it ({error}); else: "
    recovered, unfinished = find_recoveries(bench, session.name)
    brief = brief_of_recovery(recovered, session.name)
    status = show_status(reader, session, story, checkout, standing, seen, brief)
    status = _with_unfinished(replace(status, recovered=recovered, unfinished=unfinished))
    uid = os.getuid() if actor is None else actor.uid
    theirs = _of_another_user(bench, session, uid) if status.next.operation == "attach" else ""
    if theirs:
        why = f"{theirs}, or end it; do not start a second one on it"
        return replace(status, next=replace(status.next, command=None, why=why))
    return replace(status, next=replace(status.next, why=f"{doubt}{status.next.why}")) if doubt else status


def _with_unfinished(status: Status) -> Status:
    """A recovery that is open is told with the next operation, and how it goes on."""
    begun, then = status.unfinished, status.next
    if begun is None or not status.recovery_first:
        return status
    told = f"its recovery is open at page {begun.page} of {begun.of}"
    why = f"{told}: `refloat recover {quote(status.session.ref)}` goes on with it; {then.why}"
    return replace(status, next=replace(then, why=why))


def _of_another_user(bench: Workbench, session: Session, uid: int) -> str:
    """Why only somebody else can go to a session, in the words of `attach`; empty where one of its owners is ours."""
    told = ""
    for pid in session.liveness.owners:
        row = bench.machine.processes.get(pid)
        place = None if row is None else under_another_user(bench.machine, row, uid)
        if place is None:
            return ""
        told = told or only_told(place, session.name)
    return told
