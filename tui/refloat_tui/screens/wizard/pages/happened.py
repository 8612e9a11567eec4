"""Page 2: what happened?"""

from collections.abc import Sequence

from refloat.model.recovery import Page, Said, SaidHappened
from refloat.text import cut, inert, one_line
from refloat.usecases.recover import Recovery, happened_of
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.age import absolute
from refloat_tui.present.evidence import proves
from refloat_tui.screens.wizard.pages.view import (
    PERSON,
    Field,
    Look,
    PageView,
    Row,
    gap,
    labelled_rows,
    several,
    text_lines,
)


class HappenedPage(PageView):
    """What was asked, what was done, how it ended."""

    page = Page.HAPPENED
    title = "What happened"
    ask = "Is this what happened?"
    section = "previous_attempt"
    offers = frozenset({"edit", "undo"})
    list_first = True

    def so_far(self, recovery: Recovery) -> str:
        """The sentence."""
        return one_line(happened_of(recovery))

    def reason(self, look: Look) -> Pieces:
        """Where it comes from."""
        session = look.recovery.session
        when = absolute(session.last_activity_at) or "at a time that is not recorded"
        return ((f"From the record of {inert(session.agent)}; its last entry: {when}.", QUIET),)

    def rows(self, look: Look) -> Sequence[Row]:
        """How it ended, and the little around it that matters."""
        recovery, width = look.recovery, look.width
        session, own = recovery.session, recovery.given.happened is not None
        done = ", ".join(
            (several(session.turns, "turn"), several(session.steps, "step"), several(session.edits, "edit"))
        )
        rows = labelled_rows("ended", "ENDED", ((one_line(happened_of(recovery)), PERSON if own else STRONG),), width)
        parts: list[tuple[str, str]] = [
            ("ASKED", cut(one_line(recovery.asked), 240) or "nothing is recorded"),
            ("DONE", done),
            ("SAID", cut(one_line(recovery.said), 240) or "nothing is recorded"),
            ("OPEN", several(session.dangling, "call") + " without a result" if session.dangling else "nothing"),
        ]
        for label, text in parts:
            rows += [gap(f"{label} "), *labelled_rows(label, label, ((text, ""),), width, stop=False)]
        for at, fact in enumerate(session.liveness.of_the_end):
            words: Pieces = ((one_line(fact.detail), ""), (f"  {proves(fact)}", QUIET))
            rows += [gap(f"cause {at} "), *labelled_rows(f"cause {at}", "WHY", words, width, stop=False)]
        return rows

    def detail(self, look: Look, key: str) -> Sequence[Pieces]:
        """The observed words."""
        del key
        failure = look.recovery.session.failure
        lines: list[Pieces] = []
        if failure is not None and look.recovery.given.happened is not None:
            lines.append((("The record says: ", QUIET), (one_line(failure.detail), "")))
        problems = look.recovery.session.transcript.problems
        for problem in problems[:5]:
            where = f"line {problem.line}: " if problem.line else ""
            lines += text_lines(f"{where}{problem.what}", QUIET)
        return lines

    def field(self, look: Look, key: str) -> Field | None:
        """The sentence."""
        del key
        return Field("What happened, in your words", happened_of(look.recovery))

    def typed(self, look: Look, key: str, text: str) -> Said | None:
        """Keep it; nothing typed takes it back."""
        del look, key
        return SaidHappened(text if text.strip() else None)

    def undo(self, look: Look, key: str) -> Said | None:
        """Back to the record."""
        del key
        return None if look.recovery.given.happened is None else SaidHappened(None)
