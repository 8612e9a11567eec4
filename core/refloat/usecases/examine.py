"""One session examined whole: its story, the checkout, the triage. Shared by several commands and the app."""

from collections.abc import Sequence
from dataclasses import dataclass

from refloat.model.checkout import Checkout, Warned
from refloat.model.session import Session
from refloat.model.story import Story
from refloat.model.triage import Triage
from refloat.readers.contract import Found, Reader
from refloat.usecases.compare_checkout import compare_checkout
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
    others, warnings = find_other_stories(bench, located, story)
    checkout = compare_checkout(bench, story, others=others, warnings=warnings)
    triage = triage_session(bench, story, checkout, located.session)
    return Examined(located.session, located.reader, located.found, story, checkout, triage)


def find_other_stories(bench: Workbench, located: Located, story: Story) -> tuple[Sequence[Story], Sequence[Warned]]:
    """Other sessions that edited files of this checkout: they may own what is dirty."""
    neighbours, warnings = find_neighbours(bench, located, story)
    return [read_story(neighbour.reader, neighbour.found) for neighbour in neighbours], warnings
