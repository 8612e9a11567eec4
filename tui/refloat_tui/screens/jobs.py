"""Every job of the record in a list; one of them can be opened."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from refloat.model.record import TiedJob
from refloat.model.stamp import Stamp
from refloat.text import inert
from refloat_tui.actions import bindings
from refloat_tui.base import RefloatScreen
from refloat_tui.present.record import tied_row
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, content, row
from refloat_tui.widgets.key_line import KeyLine
from refloat_tui.widgets.row_list import RowList

_LESSON = (
    "No job yet. A job is a name that you choose; steps saved on it outlive every session:\n\n"
    "  refloat run --job JOB -- COMMAND          saves a step as it happens\n"
    "  refloat reconstruct SESSION --job JOB     puts a session on a job, from its transcript"
)


class JobList(RowList[TiedJob]):
    """Jobs, a line each."""

    def __init__(self, glyphs: Glyphs, now: Stamp, *, id: str) -> None:  # noqa: A002 - Textual's own name
        super().__init__(glyphs, id=id)
        self._now = now

    def key_of(self, row: TiedJob) -> str:
        """Its name."""
        return row.job.name

    def draw_row(self, row: TiedJob, width: int, *, chosen: bool) -> Content:
        """Name, steps, what is decided or in flight, age."""
        del chosen
        return _drawn(row, self._now, width, self.glyphs)


def _drawn(tied: TiedJob, now: Stamp, width: int, glyphs: Glyphs) -> Content:
    name, steps, state, old = tied_row(tied, now)
    cells = (Cell(name), Cell(((steps, "$quiet"),), 12, "right"), Cell(state, 13), Cell(((old, "$quiet"),), 4, "right"))
    return row(cells, width, glyphs)


class JobsScreen(RefloatScreen[str]):
    """The list. Comes back with the name of a job, or with nothing."""

    CSS = """
    JobsScreen > #jobs-head { height: 1; padding: 0 1; margin: 0 0 1 0; }
    JobsScreen > #jobs-none { height: auto; padding: 0 2; color: $quiet; }
    JobsScreen > Vertical { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("jobs")]

    def __init__(self, jobs: Sequence[TiedJob], why: str | None, now: Stamp, *, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self._jobs = jobs
        self._why = why
        self._now = now

    def compose(self) -> ComposeResult:
        """Heading, jobs, keys."""
        count = f"   {len(self._jobs):,}, those of this session first" if self._jobs else ""
        yield Static(content((("Jobs", "bold"), (count, "$quiet"))), id="jobs-head", markup=False)
        if self._jobs:
            with Vertical():
                yield JobList(self.glyphs, self._now, id="jobs")
        else:
            yield Static(inert(self._why or _LESSON), id="jobs-none", markup=False)
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Begin at the first."""
        for jobs in self.query(JobList):
            jobs.set_rows(self._jobs)
            jobs.focus()

    def on_row_list_entered(self, event: JobList.Entered) -> None:
        """Open it."""
        event.stop()
        self.dismiss(event.key)

    def action_jobs_leave(self) -> None:
        """Back."""
        self.dismiss(None)
