"""The first moves of a pickup: read end to end, verify what most rests on, go on at the first step that is not done.

Decides how they are laid before a person. Refuses to pick up: whoever opened it does, on a yes.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from refloat.model.record import SavedStep, Trail
from refloat.text import inert_line, one_line
from refloat_tui.actions import bindings
from refloat_tui.base import RefloatScreen
from refloat_tui.present.age import timed
from refloat_tui.present.markdown import MarkdownLine
from refloat_tui.present.record import bearing_words, handover_words, link_facts, step_sign, step_state, step_what
from refloat_tui.present.saved_words import ending_words
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.key_line import KeyLine
from refloat_tui.widgets.text_lines import TextLines


def pickup_lines(trail: Trail, remarks: Sequence[str], glyphs: Glyphs) -> Iterator[MarkdownLine]:
    """What to mind, then the three moves; the first holds the newest wrap whole, then the trail from its beginning to
    its end.
    """
    for remark in remarks:
        yield MarkdownLine(((timed(remark), "bold"),), lead="MIND  ", style="$state-unresolved bold")
    if remarks:
        yield MarkdownLine(())
    yield MarkdownLine((("1  Read it end to end", "$accent bold"),))
    if trail.wraps:
        for label, words in link_facts(trail.wraps[0], trail.wraps[0].verdict):
            yield MarkdownLine(((one_line(words), ""),), lead=f"   {label:<9}", style="$quiet")
    else:
        yield MarkdownLine((("nobody wrapped this job: the trail is all there is", "$quiet"),), lead="   ")
    yield MarkdownLine(())
    if trail.omitted:
        words = f"{trail.omitted:,} older steps are not shown here: the pane shows more"
        yield MarkdownLine(((words, "$quiet"),), lead="   ")
    for step in reversed(trail.steps):
        yield _step_line(step, glyphs)
    for decision in reversed(trail.decisions):
        yield MarkdownLine(handover_words(decision), lead="   ")
    yield MarkdownLine(())
    yield MarkdownLine((("2  Verify what most rests on", "$accent bold"),))
    yield MarkdownLine(((bearing_words(trail), ""),), lead="   ")
    yield MarkdownLine(())
    yield MarkdownLine((("3  Go on", "$accent bold"),))
    yield MarkdownLine(
        (("at the first step that is absent, in flight, or could not be verified. Enter verifies and tells.", ""),),
        lead="   ",
    )


def _step_line(step: SavedStep, glyphs: Glyphs) -> MarkdownLine:
    sign, style = step_sign(step, glyphs)
    state, state_style = step_state(step, step.verdict)
    ended = (f"  {ending_words(step)}", style)
    return MarkdownLine((*step_what(step), ended, (f"  {state}", state_style)), lead=f"   {sign} #{step.seq:<5}")


class PickupScreen(RefloatScreen[bool]):
    """Comes back with yes when a person picks it up."""

    CSS = """
    PickupScreen > #pickup-head { height: 1; padding: 0 1; margin: 0 0 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("pickup")]

    def __init__(self, trail: Trail, remarks: Sequence[str] = (), *, glyphs: Glyphs) -> None:
        """`remarks`: what whoever picks it up must know first."""
        super().__init__(glyphs=glyphs)
        self._trail = trail
        self._remarks = remarks

    def compose(self) -> ComposeResult:
        """Heading, moves, keys."""
        words = (("Pick up ", "bold $accent"), (inert_line(self._trail.job), "bold"))
        yield Static(content(words), id="pickup-head", markup=False)
        yield TextLines(self.glyphs, id="pickup-moves")
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Begin to read."""
        text = self.query_one(TextLines)
        text.take(tuple(pickup_lines(self._trail, self._remarks, self.glyphs)))
        text.focus()

    def action_pickup_take(self) -> None:
        """Verify, and go on."""
        self.dismiss(True)

    def action_pickup_leave(self) -> None:
        """Leave it."""
        self.dismiss(False)
