"""One session examined whole: its story, the checkout, the triage. Shared by several commands and the app."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from refloat.late import LateSequence
from refloat.model.checkout import Checkout, Fate, PlaceKind, Warned
from refloat.model.light import light
from refloat.model.session import Session
from refloat.model.story import Story
from refloat.readers.contract import Found, Reader
from refloat.usecases.ahead import Ahead
from refloat.usecases.compare_checkout import Scene, begin_comparison, compare_checkout, see_scene
from refloat.usecases.find_sessions import Located, find_neighbours
from refloat.usecases.neighbours import find_witnesses
from refloat.usecases.read_session import finished, read_story
from refloat.usecases.workbench import Workbench

if TYPE_CHECKING:
    from refloat.model.triage import Triage


@light
class Examined:
    """Everything known of one session now."""

    session: Session
    reader: Reader
    found: Found
    story: Story
    checkout: Checkout
    triage: "Triage"


def examine(bench: Workbench, located: Located, ahead: Ahead | None = None) -> Examined:
    """Read the session, hold it against its checkout and sort what it left; `ahead` are looks that were begun already.

    Raises:
        Unreadable: nothing of the transcript could be read.
    """
    from refloat.usecases.explain_end import explain_end
    from refloat.usecases.triage_session import triage_session

    story, checkout = examine_checkout(bench, located, ahead)
    session = explain_end(bench, located.session, story)
    triage = triage_session(bench, story, checkout, session)
    return Examined(session, located.reader, located.found, story, checkout, triage)


def examine_checkout(bench: Workbench, located: Located, ahead: Ahead | None = None) -> tuple[Story, Checkout]:
    """The same without the sorting.

    Raises:
        Unreadable: nothing of the transcript could be read.
    """
    if located.story is not None:
        story = finished(located.found, located.story)
    else:
        story = read_story(located.reader, located.found, placed=None if ahead is None else ahead.begin)
    return story, compare_with_others(bench, located, story, ahead)


def compare_with_others(bench: Workbench, located: Located, story: Story, ahead: Ahead | None = None) -> Checkout:
    """Hold the record against its checkout. Other sessions that edited its files may own what is dirty."""
    begun = begin_comparison(bench, story)
    scene, others = see_with_others(bench, located, story, ahead)
    checkout = compare_checkout(bench, story, others=others, warnings=others.warnings, scene=scene, begun=begun)
    if not is_stashed_by_nobody(checkout):
        return checkout
    known = {f"{other.summary.agent}:{other.summary.session_id}" for other in others}
    witnesses = find_witnesses(bench, located, story)
    more = [bench.memory.read(one.reader, one.found) for one in witnesses if one.name not in known]
    return compare_checkout(bench, story, others=[*others, *more], warnings=others.warnings) if more else checkout


def is_stashed_by_nobody(checkout: Checkout) -> bool:
    """Whether work lies in a stash, and no record that was read says who put it there."""
    return any(
        any(place.where is PlaceKind.STASH for place in file.found_in)
        and any(edit.fate in {Fate.REVERTED, Fate.LOST} and edit.by is None for edit in file.edits)
        for file in checkout.files
    )


def _own_part(story: Story) -> Story:
    """Of a repaired copy what was done since it was made: all before that is its original's. Other sessions whole."""
    made = story.summary.repaired
    if not made:
        return story
    own = tuple(item for item in story.items if (item.at or "") > made)
    touched = tuple(row for row in story.touched if (row.at or "") > made)
    return replace(story, items=own, touched=touched)


class Others(LateSequence[Story]):
    """Other sessions that edited a session's files, found and read when they are first looked at."""

    def __init__(self, find: Callable[[], tuple[Sequence[Story], Sequence[Warned]]]) -> None:
        self.warnings: list[Warned] = []
        """What could not be looked through; nothing as long as nobody looked."""
        warnings = self.warnings  # alone: what is made by its own owner would live until somebody looks for cycles

        def make() -> Sequence[Story]:
            stories, told = find()
            warnings.extend(told)
            return stories

        super().__init__(make)


def see_with_others(
    bench: Workbench, located: Located, story: Story, ahead: Ahead | None = None
) -> tuple[Scene, Others]:
    """Where a session worked, and the other sessions that edited its files, found and read once they are asked for."""
    scene = see_scene(bench, story, ahead)

    def find() -> tuple[Sequence[Story], Sequence[Warned]]:
        neighbours, warnings = find_neighbours(bench, located, story, scene.repository)
        stories = bench.memory.read_all([(each.reader, each.found) for each in neighbours])
        return [_own_part(story) for story in stories], warnings

    return scene, Others(find)
