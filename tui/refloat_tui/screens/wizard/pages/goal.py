"""Page 6: what for, what next, and when is it done?"""

from collections.abc import Iterable, Iterator, Sequence

from refloat.model.recovery import Page, Said, SaidDoneWhen, SaidGoal, SaidNext
from refloat.text import inert, one_line
from refloat.usecases.recover import done_when_of, goal_of, next_of
from refloat_tui.present import QUIET, Pieces
from refloat_tui.screens.wizard.pages.view import (
    PERSON,
    Field,
    Look,
    PageView,
    Row,
    gap,
    labelled_rows,
    statement_words,
)


def _criteria(statements: Iterable[str]) -> Iterator[str]:
    """What was quoted, line by line, where a statement quotes; else the statement."""
    for text in statements:
        first, *quoted = text.split("\n")
        yield from (row.removeprefix("> ") for row in quoted or [first])


def _next(look: Look) -> str:
    return next_of(look.recovery, look.written.brief if look.written is not None else None)


def _done_when(look: Look) -> tuple[str, ...]:
    return done_when_of(look.recovery, look.written.brief if look.written is not None else None)


class GoalPage(PageView):
    """The three sentences that the next attempt steers by."""

    page = Page.GOAL
    title = "Goal and next step"
    ask = "What is it for, what comes next, and when is it done?"
    section = "next_step"
    offers = frozenset({"edit", "undo"})
    list_first = True

    def so_far(self, look: Look) -> str:
        """The next step."""
        return one_line(_next(look))

    def reason(self, look: Look) -> Pieces:
        """Where the three come from."""
        del look
        return (("From what was asked and from what stands open. Every one can be put in your own words.", QUIET),)

    def rows(self, look: Look) -> Sequence[Row]:
        """Three fields."""
        recovery, width = look.recovery, look.width
        given = recovery.given
        done = "\n".join(statement_words(line, look.glyphs) for line in _done_when(look))
        rows: list[Row] = []
        for key, label, text, own in (
            ("goal", "GOAL", goal_of(recovery), given.goal is not None),
            ("next", "NEXT STEP", _next(look), given.next_step is not None),
            ("done", "DONE WHEN", done, given.done_when is not None),
        ):
            if rows:
                rows.append(gap(f"{key} gap"))
            shown = (
                inert(statement_words(text, look.glyphs) if key == "next" else text).strip()
                or "not recorded; it stays open in the brief"
            )
            style = PERSON if own else QUIET if not text.strip() else ""
            rows += labelled_rows(key, label, ((shown, style),), width)
        return rows

    def detail(self, look: Look, key: str) -> Sequence[Pieces]:
        """Whose words they are."""
        given = look.recovery.given
        own = {"goal": given.goal, "next": given.next_step, "done": given.done_when}.get(key) is not None
        found = {
            "goal": "From the first thing that was asked.",
            "next": "From what stands open.",
            "done": "From the words of the person who asked; nothing is inferred.",
        }
        return [(("Your words.", PERSON),) if own else ((found.get(key, ""), QUIET),)]

    def field(self, look: Look, key: str) -> Field | None:
        """One of the three."""
        recovery = look.recovery
        match key:
            case "goal":
                return Field("Goal", goal_of(recovery), lines=True)
            case "next":
                return Field("The one next step", statement_words(_next(look), look.glyphs), lines=True)
            case _:
                return Field("Done when, one a line", "\n".join(_criteria(_done_when(look))), lines=True)

    def typed(self, look: Look, key: str, text: str) -> Said | None:
        """Keep it; nothing typed takes it back."""
        del look
        said = text if text.strip() else None
        match key:
            case "goal":
                return SaidGoal(said)
            case "next":
                return SaidNext(said)
            case _:
                lines = tuple(line.strip() for line in text.split("\n") if line.strip())
                return SaidDoneWhen(lines or None)

    def undo(self, look: Look, key: str) -> Said | None:
        """Back to what was found."""
        given = look.recovery.given
        match key:
            case "goal":
                return None if given.goal is None else SaidGoal(None)
            case "next":
                return None if given.next_step is None else SaidNext(None)
            case _:
                return None if given.done_when is None else SaidDoneWhen(None)
