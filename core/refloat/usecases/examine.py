"""One session examined whole: its story, the checkout, the triage. Shared by several commands and the app."""

from collections.abc import Sequence
from dataclasses import dataclass

from refloat.model.checkout import Checkout, Warned
from refloat.model.session import Session
from refloat.model.story import Story
from refloat.model.triage import Triage
from refloat.readers.contract import Found, Reader
from refloat.usecases.compare_checkout import Scene, compare_checkout, see_scene
from refloat.usecases.explain_end import explain_end
from refloat.usecases.find_sessions import Located, find_neighbours
from refloat.usecases.read_session import read_story
from refloat.usecases.triage_session import triage_session
from refloat.usecases.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Examined:
    """Everything known of one session now."""

    session: Session
    reader: Reader
    found: Found
    story: Story
    checkout: Checkout
    triage: Triage


def examine(bench: Workbench, located: Located) -> Examined:
    """Read the session, hold it against its checkout and sort what it left.

    Raises:
        Unreadable: nothing of the transcript could be read.
    """
    story = read_story(located.reader, located.found)
    checkout = compare_with_others(bench, located, story)
    session = explain_end(bench, located.session, story)
    triage = triage_session(bench, story, checkout, session)
    return Examined(session, located.reader, located.found, story, checkout, triage)


def compare_with_others(bench: Workbench, located: Located, story: Story) -> Checkout:
    """Hold the record against its checkout. Other sessions that edited its files may own what is dirty."""
    scene, others, warnings = see_with_others(bench, located, story)
    return compare_checkout(bench, story, others=others, warnings=warnings, scene=scene)


def see_with_others(
    bench: Workbench, located: Located, story: Story
) -> tuple[Scene, Sequence[Story], Sequence[Warned]]:
    """Where a session worked, the stories of other sessions that edited its files, and what could not be looked at."""
    scene = see_scene(bench, story)
    neighbours, warnings = find_neighbours(bench, located, story, scene.repository)
    return scene, [read_story(neighbour.reader, neighbour.found) for neighbour in neighbours], warnings
