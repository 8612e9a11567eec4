"""Page 2: what happened?"""

from collections.abc import Sequence
from typing import Final

from refloat.model.checkout import Fate
from refloat.model.fate_words import FATE_WORDS
from refloat.model.recovery import Page, Said, SaidHappened
from refloat.text import cut, inert, one_line
from refloat.usecases.recover import Recovery, happened_of
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.age import absolute, timed_line
from refloat_tui.present.evidence import proves
from refloat_tui.present.triage import what_words
from refloat_tui.screens.wizard.pages.view import (
    PERSON,
    WARN,
    Field,
    Look,
    PageView,
    Row,
    gap,
    labelled_rows,
    several,
    text_lines,
)
from refloat_tui.theme import Glyphs


class HappenedPage(PageView):
    """What was asked, what was done, how it ended."""

    page = Page.HAPPENED
    title = "What happened"
    ask = "Is this what happened?"
    section = "previous_attempt"
    offers = frozenset({"edit", "undo"})
    list_first = True

    def so_far(self, look: Look) -> str:
        """The sentence."""
        return timed_line(happened_of(look.recovery))

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
        against = {"DONE": _gone(recovery), "SAID": _not_so(recovery, look.glyphs)}
        rows = labelled_rows("ended", "ENDED", ((timed_line(happened_of(recovery)), PERSON if own else STRONG),), width)
        parts: list[tuple[str, str]] = [
            ("ASKED", cut(one_line(recovery.asked), 240) or "nothing is recorded"),
            ("DONE", done),
            ("SAID", cut(one_line(recovery.said), 240) or _last_words(contrary=bool(against["SAID"]))),
            ("OPEN", several(session.dangling, "call") + " without a result" if session.dangling else "nothing"),
        ]
        for label, text in parts:
            rows += [gap(f"{label} "), *labelled_rows(label, label, ((text, ""),), width, stop=False)]
            for at, contrary in enumerate(against.get(label, ())):
                rows += labelled_rows(f"{label} {at}", "", ((contrary, WARN),), width, stop=False)
        for at, fact in enumerate(session.liveness.of_the_end):
            words: Pieces = ((timed_line(fact.detail), ""), (f"  {proves(fact)}", QUIET))
            rows += [gap(f"cause {at} "), *labelled_rows(f"cause {at}", "WHY", words, width, stop=False)]
        return rows

    def detail(self, look: Look, key: str) -> Sequence[Pieces]:
        """The observed words."""
        del key
        failure = look.recovery.session.failure
        lines: list[Pieces] = []
        if failure is not None and look.recovery.given.happened is not None:
            lines.append((("The record says: ", QUIET), (timed_line(failure.detail), "")))
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


def _last_words(*, contrary: bool) -> str:
    """Where the talk does not end with words of the agent; what it claimed before stands below."""
    return "no last words are recorded; what it claimed before:" if contrary else "nothing is recorded"


_NAMED: Final = 6
"""Files or claims that are named."""


def _gone(recovery: Recovery) -> list[str]:
    """Edits that were recorded and are not in the checkout."""
    found: list[str] = []
    for fate, where in ((Fate.LOST, " from the checkout"), (Fate.REVERTED, "")):
        files = [one_line(file.path) for file in recovery.checkout.files if file.edits and file.edits[-1].fate is fate]
        if files:
            more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
            found.append(f"{FATE_WORDS[fate]}{where}: {', '.join(files[:_NAMED])}{more}")
    return found


def _not_so(recovery: Recovery, glyphs: Glyphs) -> list[str]:
    """Claims that no step proves, or that one contradicts, with what is known of each."""
    unproved = [finding for finding in recovery.triage.claimed if finding.claim]
    return [f"{what_words(finding, glyphs)} {timed_line(finding.why)}" for finding in unproved[:_NAMED]]
