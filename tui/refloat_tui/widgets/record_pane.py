"""Record: the chain of a job that this session is on, its verdicts, where the crash sits, what is decided and waits.

Decides which job is shown and how much of it. Refuses to read or write: its screen does, and hands values down.
"""

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static

from refloat.model.record import TiedJob, Trail, Verdict, Verified
from refloat.model.session import Session
from refloat.model.stamp import Stamp
from refloat.text import inert, inert_line, one_line
from refloat_tui.actions import bindings
from refloat_tui.messages import message
from refloat_tui.present import QUIET, Pieces
from refloat_tui.present.record import AnyLink, check_line, checking_line, goal_line, job_line, link_facts, waits_line
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content, wrapped
from refloat_tui.widgets.chain_list import MORE, ChainList, ChainRow, chain_rows
from refloat_tui.widgets.panes import Pane, Unreachable

FIRST: Final = 200
"""Steps of a trail that are read at first, and how many more each time."""
_SHORT_BELOW: Final = 22
_LABEL: Final = 10


class RecordPane(Pane):
    """One job of the record."""

    DEFAULT_CSS = """
    RecordPane > #job { height: auto; max-height: 5; padding: 0 1; }
    RecordPane > #chain { height: 1fr; min-height: 3; border-top: solid $rule; }
    RecordPane > #link { height: auto; max-height: 8; padding: 0 1; border-top: solid $rule; }
    RecordPane.-short > #link { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("record")]

    @message
    class Wanted(Message):
        """Another job, or more of it, is wanted."""

    @message
    class Verify(Message):
        """Re-hash this job."""

        job: str

    @message
    class StopVerifying(Message):
        """That is enough."""

    @message
    class WrapUp(Message):
        """Hand this job over, or the session that is on none."""

        job: str | None

    @message
    class PickUp(Message):
        """Pick this job up."""

        trail: Trail

    @message
    class Show(Message):
        """The whole of one link."""

        link: AnyLink
        verdict: Verdict

    chain = query_one(ChainList)

    def __init__(self, glyphs: Glyphs, *, id: str, job: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self.session: Session | None = None
        self.wanted: str | None = job
        """The job that is to be shown; None: the first that the session is on."""
        self.limit = FIRST
        self.jobs: tuple[TiedJob, ...] = ()
        self.trail: Trail | None = None
        self.progress: tuple[int, int] | None = None
        """How far a check has come, while one goes on."""
        self._verified: tuple[Verified, Stamp] | None = None
        self._words: Content | None = None

    def compose(self) -> ComposeResult:
        """The job, its chain, the whole of the chosen link."""
        yield self.said
        yield Static(id="job", markup=False)
        yield ChainList(self.glyphs, id="chain")
        yield Static(id="link", markup=False)

    # ── what is known ────────────────────────────────────────────────────────────────────────────────────────────────

    def begin(self, session: Session | None) -> None:
        """Another session."""
        self.session, self.wanted, self.limit = session, None, FIRST
        self.jobs, self.trail, self._verified, self.progress = (), None, None, None
        self.say(((f"Reading the record{self.glyphs.ellipsis}", QUIET),))

    @property
    def tied(self) -> Sequence[TiedJob]:
        """The jobs that this session, or its workspace, is on; every job where there is no session."""
        return [tied for tied in self.jobs if tied.tie is not None or self.session is None]

    def take(self, jobs: tuple[TiedJob, ...], trail: Trail | None, why: str | None) -> None:
        """Show what was read. `why`: it could not be."""
        self.jobs = jobs
        if why is not None:
            self.trail = None
            hint = "Everything else goes on. Press ctrl+r to look again; refloat doctor says more."
            self.say(((inert(why), "$pile-gone"),), ((hint, QUIET),))
        elif trail is None:
            self.trail = None
            self.say(*self._lesson())
        else:
            if self.trail is None or self.trail.job != trail.job:
                self._verified = self.progress = None
            self.trail = trail
            self.show()
            self.chain.set_rows(tuple(chain_rows(trail, self._verified[0] if self._verified else None)))
            self._draw()
        self.refresh_bindings()

    def take_progress(self, job: str, done: int, of: int) -> None:
        """A check goes on."""
        if self.trail is not None and self.trail.job == job:
            self.progress = (done, of)
            self._draw()

    def take_verified(self, job: str, verified: Verified | None, at: Stamp) -> None:
        """A check ended; None: it was stopped, or could not be made."""
        if self.trail is None or self.trail.job != job:
            return
        self.progress = None
        self._verified = (verified, at) if verified is not None else self._verified
        self.take(self.jobs, self.trail, None)

    def _lesson(self) -> list[Pieces]:
        name = inert_line(self.session.name) if self.session else "SESSION"
        stands = (
            "What would stand here: every step that was saved outside the session, each with its receipt; who handed "
            "the job to whom; what is decided and what waits; and where a crash sits."
        )
        jobs = (
            f"lists the {len(self.jobs)} other jobs of this record"
            if self.jobs
            else "lists every job, once there is one"
        )
        return [
            (("This session is on no job, and no step was saved from its workspace.", ""),),
            ((stands, QUIET),),
            (("", ""),),
            (("  W  ", "$key"), ("hands this session over: a wrap, with its steps put on a job", QUIET)),
            (("  J  ", "$key"), (jobs, QUIET)),
            (("  refloat run --job JOB -- COMMAND", "$key"),),
            (("     saves a first step, as it happens", QUIET),),
            ((f"  refloat reconstruct {name} --job JOB", "$key"),),
            (("     puts this session on a job, from its transcript", QUIET),),
        ]

    # ── the keys, where there is no row to hold them ─────────────────────────────────────────────────────────────────

    def say(self, *lines: Pieces) -> None:
        """Sentences hold the keys while there is no chain."""
        had = self.chain.has_focus
        super().say(*lines)
        self.can_focus = True
        if had:
            self.focus()

    def show(self) -> None:
        """The chain holds them."""
        super().show()
        had, self.can_focus = self.has_focus, False
        if had:
            self.chain.focus()

    def take_focus(self) -> None:
        """Give the keys to the chain, or keep them."""
        (self if self.can_focus else self.chain).focus()

    # ── drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _draw(self) -> None:
        trail = self.trail
        if trail is None:
            return
        self.set_class(self.size.height < _SHORT_BELOW, "-short")
        tied = self.tied
        at = next((at for at, one in enumerate(tied) if one.job.name == trail.job), 0)
        mine = tied[at] if tied and tied[at].job.name == trail.job else None
        lines = [job_line(mine, trail, at + 1, len(tied) if self.session else 1, self.glyphs), goal_line(trail)]
        if self.progress is not None:
            lines.append(checking_line(*self.progress, self.glyphs))
        else:
            lines.append(check_line(*(self._verified or (None, None))))
        if waits := waits_line(trail):
            lines.append(waits)
        width = max(20, self.size.width - 2)
        drawn = Content("\n").join(self._one(line, width) for line in lines)
        if drawn != self._words:
            self._words = drawn
            self.query_one("#job", Static).update(drawn)
        self._draw_link()

    def _one(self, line: Pieces, width: int) -> Content:
        made = content(line)
        return made.truncate(width, ellipsis=not self.glyphs.ascii) if made.cell_length > width else made

    def _draw_link(self) -> None:
        chosen = self.chain.cursor_row
        lines: list[Content] = []
        if chosen is not None and chosen.link is not None:
            room = max(20, self.size.width - 2 - _LABEL)
            for label, words in link_facts(chosen.link, chosen.verdict):
                head = content(((f"{label:<{_LABEL}}", QUIET),))
                first = wrapped(((one_line(words), ""),), room)[:2]
                lines.append(head + first[0])
                lines += [content(((" " * _LABEL, ""),)) + rest for rest in first[1:]]
        self.query_one("#link", Static).update(Content("\n").join(lines))

    def on_resize(self) -> None:
        """Cut to the new width."""
        self._draw()

    def on_row_list_moved(self, event: ChainList.Moved) -> None:
        """Another link: show the whole of it."""
        event.stop()
        self._draw_link()

    def on_row_list_entered(self, event: ChainList.Entered) -> None:
        """The whole of a link, or more of the chain."""
        event.stop()
        chosen: ChainRow | None = self.chain.cursor_row
        if chosen is None:
            return
        if chosen.link is not None:
            self.post_message(self.Show(chosen.link, chosen.verdict))
        elif chosen.key == MORE:
            self.limit += FIRST * 5
            self.post_message(self.Wanted())

    def place(self) -> str | None:
        """The link under the cursor."""
        return self.chain.cursor_key

    def return_to(self, place: object) -> None:
        """Stand there again."""
        if isinstance(place, str):
            self.chain.go_to(place)
        self.take_focus()

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What needs a job needs one that is shown."""
        del parameters
        match action:
            case "record_verify":
                return self.trail is not None and self.progress is None
            case "record_stop":
                return self.progress is not None
            case "record_pickup":
                return self.trail is not None
            case "record_wrap":
                return self.trail is not None or self.session is not None
            case "record_other":
                return self.session is not None and len(self.tied) > 1
            case _:
                return True

    def action_record_verify(self) -> None:
        """Re-hash everything, from the bytes up."""
        if self.trail is not None:
            self.take_progress(self.trail.job, 0, 0)
            self.refresh_bindings()
            self.post_message(self.Verify(self.trail.job))

    def action_record_stop(self) -> None:
        """Enough."""
        self.post_message(self.StopVerifying())

    def action_record_wrap(self) -> None:
        """Hand it over."""
        self.post_message(self.WrapUp(self.trail.job if self.trail else None))

    def action_record_pickup(self) -> None:
        """Pick it up."""
        if self.trail is not None:
            self.post_message(self.PickUp(self.trail))

    def action_record_other(self) -> None:
        """The next job of this session."""
        names = [tied.job.name for tied in self.tied]
        if self.trail is None or not names:
            self.post_message(Unreachable("There is no other job."))
            return
        at = names.index(self.trail.job) + 1 if self.trail.job in names else 0
        self.wanted, self.limit = names[at % len(names)], FIRST
        self.post_message(self.Wanted())
