"""Page 1: is the original process gone?"""

from collections.abc import Sequence
from typing import Final

from refloat.model.liveness import Verdict
from refloat.model.recovery import PROCESS_SAID, Page, ProcessSaid, Said, SaidProcess
from refloat.text import one_line
from refloat.usecases.recover import Recovery, process_of
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.evidence import VERDICT_WORDS, evidence_row
from refloat_tui.screens.wizard.pages.view import PERSON, WARN, Field, Look, PageView, Row, several
from refloat_tui.widgets.cells import Cell

_CHOICES: Final[dict[ProcessSaid, str]] = {
    "gone": "It is gone",
    "running": "It still runs",
    "unknown": "Nobody can tell",
}
_SHORT: Final[dict[ProcessSaid, str]] = {"gone": "gone", "running": "still runs", "unknown": "not known"}


def _found(recovery: Recovery) -> ProcessSaid:
    match recovery.session.liveness.verdict:
        case Verdict.GONE:
            return "gone"
        case Verdict.RUNNING:
            return "running"
        case Verdict.CANDIDATE | Verdict.UNKNOWABLE:
            return "unknown"


class ProcessPage(PageView):
    """Before anybody starts a second writer."""

    page = Page.PROCESS
    title = "Process"
    ask = "Is the original process gone?"
    section = "previous_attempt"
    offers = frozenset({"choose", "edit", "undo"})

    def so_far(self, look: Look) -> str:
        """`gone, by 3 facts`."""
        said = _SHORT[process_of(look.recovery)]
        if look.recovery.given.process is not None:
            return f"{said}, by your word"
        return f"{said}, by {several(len(look.recovery.session.liveness.evidence), 'fact')}"

    def reason(self, look: Look) -> Pieces:
        """What the facts add up to, and what may not be done while it runs."""
        words = VERDICT_WORDS[look.recovery.session.liveness.verdict]
        sentence: Pieces = ((f"The evidence: {words}.", QUIET),)
        match process_of(look.recovery):
            case "running":
                return (
                    *sentence,
                    (" Two writers would spoil each other's work: attach to it, or stop it first.", WARN),
                )
            case "unknown":
                return (*sentence, (" Find out before a second writer starts.", WARN))
            case "gone" if _found(look.recovery) != "gone":
                return (*sentence, (" The guard goes by that: starting a session will ask why it may.", WARN))
            case "gone":
                return sentence

    def first(self, look: Look) -> str | None:
        """The answer that stands."""
        return process_of(look.recovery)

    def rows(self, look: Look) -> Sequence[Row]:
        """Three answers."""
        said, found = process_of(look.recovery), _found(look.recovery)
        rows: list[Row] = []
        for choice in PROCESS_SAID:
            mark = look.glyphs.chosen if choice == said else look.glyphs.free
            by_person = choice == said and look.recovery.given.process is not None
            note = "your word" if by_person else "by the evidence" if choice == found else ""
            cells = [
                Cell(((mark, "$accent" if choice == said else QUIET),), 3),
                Cell(((_CHOICES[choice], STRONG if choice == said else ""),)),
            ]
            if note:
                cells.append(Cell(((note, PERSON if by_person else QUIET),), 15, "right"))
            rows.append(Row(choice, tuple(cells)))
        return rows

    def detail(self, look: Look, key: str) -> Sequence[Pieces]:
        """Every fact: what was looked at, what was seen, what it proves."""
        del key
        lines: list[Pieces] = []
        if look.recovery.given.process_note:
            lines += [(("Your note  ", QUIET), (one_line(look.recovery.given.process_note), PERSON)), ()]
        for fact in look.recovery.session.liveness.evidence:
            looked, what, at, proves = evidence_row(fact, None, look.home)
            lines.append(((looked, STRONG), (f"  {proves}" + (f", {at.strip()}" if at.strip() else ""), QUIET)))
            lines.append((("  ", ""), *what))
        return lines or [(("No fact was found at all.", QUIET),)]

    def field(self, look: Look, key: str) -> Field | None:
        """A note."""
        del key
        return Field("What do you know of it?", look.recovery.given.process_note)

    def typed(self, look: Look, key: str, text: str) -> Said | None:
        """Keep the note."""
        del key
        return SaidProcess(look.recovery.given.process, text)

    def choose(self, look: Look, key: str) -> Said | None:
        """The answer under the cursor; the evidence's own needs no word of yours."""
        chosen: list[ProcessSaid] = [word for word in PROCESS_SAID if word == key and word != _found(look.recovery)]
        return SaidProcess(chosen[0] if chosen else None, look.recovery.given.process_note)

    def undo(self, look: Look, key: str) -> Said | None:
        """Back to the evidence."""
        del key
        given = look.recovery.given
        return SaidProcess(None) if given.process is not None or given.process_note else None
