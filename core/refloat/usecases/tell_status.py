"""Where one session stands, with what it lost: asks the checkout where the answer can depend on it.

A session that must not get a second writer is not held against its checkout: its next operation is another.
"""

from dataclasses import replace

from refloat.model.session import State
from refloat.model.status import Status
from refloat.usecases.examine import compare_with_others
from refloat.usecases.explain_end import explain_end
from refloat.usecases.find_sessions import Located
from refloat.usecases.linked import standing_of
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
    return show_status(located.reader, replace(session, parent=parent), story, checkout, standing)
