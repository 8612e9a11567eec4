"""The wizard's screen: one page at a time, the rail at the left, the brief growing at the right.

Decides layout and keys. What pages ask and what answers mean is `pages` and `refloat.usecases.recover`; what is kept
and when is `keeping`, what touches the outside is `outside`.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, get_args

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.getters import query_one
from textual.widgets import Static

from refloat.model.recovery import EditedLine, LineEdit, Page, SaidWrap, WentOn, WentTo
from refloat.text import inert, inert_line, one_line
from refloat.usecases.draft_wrap import FIELDS, draft_wrap
from refloat.usecases.recover import Recovery, answer, goal_of, previous_page
from refloat.usecases.rescue import Rescue
from refloat_tui.actions import bindings
from refloat_tui.base import TOO_SOON
from refloat_tui.library import SavedRecord
from refloat_tui.operations import Operations
from refloat_tui.present import Pieces
from refloat_tui.present.age import clock_time, local_times, stamps_again
from refloat_tui.present.holder import holder_name
from refloat_tui.screens.wizard.farewell import Farewell
from refloat_tui.screens.wizard.outside import PATH, Outside
from refloat_tui.screens.wizard.pages import VIEWS
from refloat_tui.screens.wizard.pages.brief import brief_rows, section_key
from refloat_tui.screens.wizard.pages.uncertain import can_look, why_no_look
from refloat_tui.screens.wizard.pages.view import Look, PageView, Verb
from refloat_tui.screens.wizard.rail import Rail
from refloat_tui.screens.wizard.rows import PageRows
from refloat_tui.screens.wrap import Fields
from refloat_tui.screens.wrap_asks import WrapAsks, WrapWanted
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.key_line import KeyLine
from refloat_tui.widgets.words import Words

WIDE = 100
"""Columns from which the brief stands at the right."""

_ADD = "add "
_ANSWERS = frozenset(
    f"wizard_{verb}" for verb in ("choose", "edit", "move", "probe", "undo", "write", "wrap", "command", "add", "drop")
)
"""What only whoever holds the session may do."""
_UNREAD = "Left before the session was read: nothing was answered now, and answers that were saved before stand."


class WizardScreen(Outside, WrapAsks[Farewell]):
    """Seven pages, and out with a brief."""

    CSS_PATH = "screen.tcss"
    YES = frozenset({"wizard_next", "wizard_write"})
    STANDS = 0.0
    """Who goes on from page to page is not slowed: a page is passed over by a key that is held, or came before it."""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("wizard")]

    side = query_one("#side-rows", PageRows)
    rail = query_one(Rail)

    def __init__(
        self,
        open_rescue: Callable[[], Rescue],
        *,
        glyphs: Glyphs,
        record: SavedRecord | None = None,
        operations: Operations | None = None,
    ) -> None:
        super().__init__(open_rescue, glyphs=glyphs)
        self._operations = operations
        self._record = record
        self._shown: dict[str, object] = {}
        """What stands where, so that only what changed is laid out and drawn again."""

    # ── layout ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def compose(self) -> ComposeResult:
        """Head, rail, page, brief, keys."""
        with Horizontal(id="head"):
            yield Static("", id="head-title", markup=False)
            yield Static("", id="head-saved", markup=False)
        with Horizontal(id="body"):
            yield Rail(self.glyphs)
            with Vertical(id="page"):
                yield Static("", id="page-changed", markup=False)
                yield Static("", id="page-ask", markup=False)
                yield Static("", id="page-reason", markup=False)
                yield PageRows(self.glyphs, id="page-rows")
                with VerticalScroll(id="page-detail", can_focus=True):
                    yield Static("", id="page-evidence", markup=False)
                yield Words()
            with Vertical(id="side"):
                yield Static("The brief so far", id="side-head")
                yield PageRows(self.glyphs, id="side-rows")
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Read what is needed, in a worker."""
        self.side.can_focus = False
        self.side.has_mark = False
        wait = "Nothing is asked before it is read: a key pressed now answers nothing."
        self._say("page-ask", ((f"Reading the session{self.glyphs.ellipsis} {wait}", "$quiet"),))
        self._take_up()

    def on_resize(self) -> None:
        """Rows are laid out for a width."""
        self.set_class(self.app.size.width >= WIDE, "-wide")
        self.call_after_refresh(self.show)

    def _say(self, where: str, pieces: Pieces) -> None:
        if self._shown.get(where) != pieces:
            self._shown[where] = pieces
            said = self.query_one(f"#{where}", Static)
            said.update(content(pieces))
            said.display = bool(pieces)

    # ── what is shown ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def _view(self) -> PageView:
        return VIEWS[Page.PROCESS if self._recovery is None else self._recovery.given.page]

    def _look(self, recovery: Recovery, width: int) -> Look:
        return Look(recovery, self.glyphs, max(20, width), self._written, self._path(recovery), self._home)

    def _page_look(self) -> Look | None:
        if self._recovery is None:
            return None
        return self._look(self._recovery, self.rows.size.width - 2)

    def show(self, *, fresh: bool = False) -> None:
        """Draw everything anew. `fresh`: the page has just been come to."""
        look = self._page_look()
        if look is None or not self.is_mounted:
            return
        view = self._view
        self.set_class(view.list_first, "-list-first")
        self.set_class(view.page is Page.BRIEF, "-last")
        number = list(VIEWS).index(view.page) + 1
        self._say("page-ask", ((f"{number}  ", "$accent bold"), (view.ask, "bold")))
        self._say("page-reason", view.reason(look))
        self._say("page-changed", self._changed_words())
        rows = view.rows(look)
        self.rows.show(rows)
        if not view.list_first:
            self.rows.styles.height = min(len(rows), max(3, self.query_one("#page").size.height * 2 // 5))
        else:
            self.rows.styles.height = "1fr"
        if fresh:
            if self.pace:
                self.stand()
            self.rows.focus()
            first = view.first(look)
            self.rows.go_to(first) if first is not None else self.rows.action_rows_first()
            self.query_one("#page-detail").scroll_home(animate=False)
        self._show_detail()
        self._show_side()
        self.rail.show(look)
        self.show_saved()
        self.refresh_bindings()

    def say_passed_over(self) -> None:
        """Where it is said that an answer was saved."""
        self.show_saved()

    def refuse(self, why: str) -> None:
        """Say that there is nothing to recover."""
        self._say("page-ask", (("This session cannot be recovered here.", "bold $state-failed"),))
        self._say("page-reason", ((inert(why), ""),))

    def _changed_words(self) -> Pieces:
        if self._lost is not None:
            return ((self.lost_words(), "$state-failed bold"),)
        if not self._changed:
            return ()
        shown = "; ".join(inert_line(sentence) for sentence in self._changed[:3])
        more = f"; and {len(self._changed) - 3} more" if len(self._changed) > 3 else ""
        return ((f"Since your last answer: {shown}{more}.", "$state-unresolved"),)

    def _show_detail(self) -> None:
        look, key = self._page_look(), self.rows.cursor_key
        lines = self._view.detail(look, key) if look is not None and key is not None else ()
        if self._shown.get("evidence") == tuple(lines):
            return
        self._shown["evidence"] = tuple(lines)
        self.query_one("#page-evidence", Static).update(Content("\n").join(content(line) for line in lines))
        self.query_one("#page-detail").display = bool(lines)

    def _show_side(self) -> None:
        if self._recovery is not None and self.has_class("-wide") and not self.has_class("-last"):
            rows = brief_rows(self._look(self._recovery, self.side.size.width - 1))
            self.side.show([replace(row, stop=False) for row in rows])
            head = next((at for at, row in enumerate(rows) if row.key == f"{self._view.section} head"), 0)
            self.side.scroll_to(y=head, animate=False, force=True)

    def show_saved(self) -> None:
        """The title, and when the last answer was saved."""
        if self._recovery is None:
            return
        title = one_line(self._recovery.session.title) or "untitled session"
        self._say("head-title", (("Recover", "bold $accent"), (f" {self.glyphs.dot} ", "$quiet"), (title, "bold")))
        self._say("head-saved", self._saved_words())

    def _saved_words(self) -> Pieces:
        if self._lost is not None:
            return ((f"taken over by {holder_name(self._lost)}", "$state-failed bold"),)
        if self._unsaved_why is not None:
            return (("not saved", "$state-unresolved bold"),)
        if self._rescue is not None and self._rescue.why_memory is not None:
            return (("kept in memory only", "$state-unresolved"),)
        if self._before is not None:
            return ((f"finished {clock_time(self._before.updated_at)}, begun anew", "$pile-saved"),)
        if self.passed_over:
            return ((TOO_SOON, "$quiet"),)
        if self._saved_at is None:
            return ()
        return ((f"saved {clock_time(self._saved_at)}", "$quiet"),)

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    _VERBS: ClassVar[dict[str, Verb]] = {f"wizard_{verb}": verb for verb in get_args(Verb)}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what this page has no use for; dim what is impossible now."""
        verb = self._VERBS.get(action)
        if verb is not None and verb not in self._view.offers:
            return False
        if action == "wizard_retake":
            return self._lost is not None
        if action == "wizard_brief" and (self._view.page is Page.BRIEF):
            return False
        return super().check_action(action, parameters)

    def word_of(self, action: str) -> str | None:
        """A look is offered where it may tell of something on the page; its key says of each row why not. Where words
        are still wanted, the key that goes on says so.
        """
        look = self._page_look() if action in {"wizard_probe", "wizard_next"} else None
        if look is not None and action == "wizard_probe" and not can_look(look):
            return ""
        if look is not None and action == "wizard_next" and self._view.still_asks(look) is not None:
            return "say why"
        return super().word_of(action)

    def why_not(self, action: str) -> str | None:
        """Why a key does nothing now."""
        if action == "wizard_leave" or not action.startswith("wizard_"):
            return None
        look = self._page_look()
        if look is None:
            # The page itself says so of the key that goes on: a notice would stand over the page that comes.
            return None if action in {"wizard_back", "wizard_next"} else "The session is still being read."
        if self._lost is not None and action in _ANSWERS:
            return self.lost_words()
        return self._why_not(action, look, self.rows.cursor_key)

    def _why_not(self, action: str, look: Look, key: str | None) -> str | None:
        view = self._view
        match action:
            case "wizard_choose" | "wizard_move" | "wizard_edit" | "wizard_probe" | "wizard_undo" if key is None:
                return "There is nothing to answer on this page: enter goes on."
            case "wizard_edit" if view.field(look, key or "") is None:
                return {
                    Page.TRIAGE: "Move it to another pile first (m), then say why.",
                    Page.UNCERTAIN: "A claim is judged on page 4: m moves it there.",
                }.get(view.page, "Nothing of it is dirty.")
            case "wizard_choose" if view.choose(look, key or "") is None:
                return "Nothing of it is dirty: there is no owner to name."
            case "wizard_undo" if view.undo(look, key or "") is None:
                return "It says what the evidence says already."
            case "wizard_probe":
                row = self._uncertain()
                if self._probing:
                    return "A look is running; it answers within 20 seconds."
                if row is None:
                    return "No read-only command tells whether a claim is true: its evidence stands below."
                if no_look := why_no_look(row, look):
                    return f"No look from here can tell: {one_line(no_look)}."
                # Where there is one, git is asked whether it can be run: by the key, in a worker, not here.
                return self._rescue.may_probe(row) if self._rescue is not None and row.probe is None else None
            case "wizard_copy" | "wizard_brief" | "wizard_preview" if self._written is None:
                return "The brief is being written; it takes a moment."
            case "wizard_wrap" if self._record is None:
                return "The record is not part of this start of Refloat."
            case "wizard_command" if self._operations is None:
                return "Nothing can be started in this start of Refloat."
            case "wizard_command" if look.recovery.given.written is None:
                return "Write the brief first (w): the next session is started with its file."
            case "wizard_drop" if key == "title" or view.field(look, key or "") is None:
                return "A brief keeps its title."
            case _:
                return None

    def on_row_list_moved(self, event: PageRows.Moved) -> None:
        """Evidence for the row under the cursor."""
        event.stop()
        if event.rows is self.rows:
            self.query_one("#page-detail").scroll_home(animate=False)
            self._show_detail()
            self.refresh_bindings()

    def action_wizard_next(self) -> None:
        """On; on the last page: write, then leave."""
        if self._recovery is None:
            return
        page = self._view.page
        if page is Page.BRIEF:
            self._finish()
            return
        look = self._page_look()
        asked = None if look is None else self._view.still_asks(look)
        if asked is not None and self.rows.go_to(asked):
            self.action_wizard_edit()
            return
        self._changed = ()
        self._turn_to(WentOn(page))

    def _turn_to(self, said: WentOn | WentTo) -> None:
        if self._recovery is None:
            return
        self.hush()
        self._recovery, self._typing = answer(self._recovery, said), False
        self.show(fresh=True)
        self.call_after_refresh(self.show)
        self._save()

    def _finish(self) -> None:
        """Leave with the brief; write it first."""
        if self._recovery is None:
            return
        written = self._recovery.given.written
        if self._lost is not None:
            self.action_wizard_leave()
            return
        gone = written is not None and self._rescue is not None and self._rescue.instead(Path(written[0])) is not None
        if written is None or gone or self._recovery.given.stale:
            self.action_wizard_write()
            return
        self._recovery = answer(self._recovery, WentOn(Page.BRIEF))
        self._leave(Farewell(f"The brief is in {inert_line(written[0])}.", written[0]))

    def action_wizard_back(self) -> None:
        """To the page before."""
        page = previous_page(self._view.page)
        if self._recovery is None or page is None:
            self.action_wizard_leave()
            return
        self._turn_to(WentTo(page))

    def on_rail_chosen(self, event: Rail.Chosen) -> None:
        """To a page that was come to before; those ahead are reached one by one."""
        if self._recovery is not None and event.page in self._recovery.given.passed:
            self._turn_to(WentTo(event.page))

    def on_key(self, event: events.Key) -> None:
        """`q` leaves everywhere else, and here it would be one slip from a question: say what leaves."""
        if event.key == "q" and "q" not in self.active_bindings:
            event.stop()
            own = (active.binding for active in self.active_bindings.values() if active.binding.id == "wizard.leave")
            keys = [binding.key_display or self.app.get_key_display(binding) for binding in own]
            self.tell(f"{keys[0] if keys else '^c'} leaves the wizard; every answer is saved as it is given.")

    def action_wizard_leave(self) -> None:
        """Leave; everything is saved, and how to come back is said."""
        if self._recovery is None:
            self.dismiss(Farewell(_UNREAD))
            return
        if self._farewell is not None:  # asked twice: saving hangs, and leaving must work
            self._go(self._farewell)
            return
        if (left := self.words.close(kept=False)) is not None:
            self._take_words(left)
        name = inert_line(self._recovery.session.name)
        keeps = self._rescue is None or self._rescue.why_memory is None
        if keeps:
            again = "The answers are saved: Recover goes on where you stood."
            self._leave(Farewell(f"Come back with: refloat recover {name}", on_desk=again))
        else:
            self._leave(Farewell("The answers were kept in memory only."))

    def action_wizard_choose(self) -> None:
        """What `space` says on this page."""
        look, key = self._page_look(), self.rows.cursor_key
        if look is not None and key is not None:
            self._hear(self._view.choose(look, key), rounds="choose" in self._view.rounds)

    def action_wizard_undo(self) -> None:
        """Take the word on this row back."""
        look, key = self._page_look(), self.rows.cursor_key
        if look is not None and key is not None:
            self._hear(self._view.undo(look, key))

    def action_wizard_move(self) -> None:
        """To the next pile; why is asked for before the page is left."""
        look, key = self._page_look(), self.rows.cursor_key
        if look is not None and key is not None:
            self._hear(self._view.move(look, key), rounds="move" in self._view.rounds)

    def action_wizard_edit(self) -> None:
        """Open the field for this row."""
        look, key = self._page_look(), self.rows.cursor_key
        if look is None or key is None or (field := self._view.field(look, key)) is None:
            return
        self.words.open(key, field.label, local_times(inert(field.text)), lines=field.lines)

    def action_wizard_add(self) -> None:
        """A line of one's own, in this section."""
        key = self.rows.cursor_key
        if key is not None:
            self.words.open(_ADD + key, "A line of yours", "", lines=False)

    def action_wizard_drop(self) -> None:
        """This line goes."""
        look, key = self._page_look(), self.rows.cursor_key
        if look is not None and key is not None:
            self._hear(self._view.typed(look, key, ""))

    @property
    def record(self) -> SavedRecord | None:
        """The record."""
        return self._record

    def action_wizard_wrap(self) -> None:
        """Hand over in the record, filled in from the brief, or with what was typed before."""
        recovery, written = self._recovery, self._written
        if recovery is None or self._rescue is None:
            return
        session, typed = recovery.session, recovery.given.wrap

        def draft(job: str | None) -> Fields:
            fields = dict(draft_wrap(session, written.brief if written else None, goal_of(recovery), job))
            return {**fields, **{field: typed[field] for field in FIELDS if field in typed}}

        def keep(fields: Fields | None) -> None:
            self._hear(SaidWrap(tuple((fields or {}).items())))

        self.open_soon(self.ask_to_wrap(WrapWanted(session, draft, keep)))

    # ── words that are typed ─────────────────────────────────────────────────────────────────────────────────────────

    def on_words_typed(self, event: Words.Typed) -> None:
        """Save as they are typed, where the row says so."""
        event.stop()
        look = self._page_look()
        if look is None or self._lost is not None or event.key == PATH or event.key.startswith(_ADD):
            return
        field = self._view.field(look, event.key)
        if field is not None and field.live:
            self._hear(self._view.typed(look, event.key, stamps_again(event.text, field.text)), typing=True)

    def warn_typing(self) -> str:
        """Say in an open field that it is not kept; the words of one that was just left. An open one stays: what is
        being typed must not fall on the page as keys.
        """
        if self.words.is_open:
            self.words.warn("not kept: it was taken over")
            return ""
        return self.words.area.text if self._recovery is not self._stands else ""

    def on_words_left(self, event: Words.Left) -> None:
        """Keep what is not saved as it is typed."""
        event.stop()
        self.rows.focus()
        if self._lost is not None:
            self._unkept = event.text if event.changed else ""
            self.tell(self.lost_words(), bad=True)
        else:
            self._take_words(event)
            if (look := self._page_look()) is not None and self._view.still_asks(look) == event.key:
                self.tell("No reason is given yet: it goes into the brief. e says it, u takes the move back.")
        self._settle()
        self.show()
        self.words.let_go()

    def _take_words(self, event: Words.Left) -> None:
        look = self._page_look()
        if look is None:
            return
        if event.key == PATH:
            if event.kept:
                self._write_to(event.text.strip())
        elif event.key.startswith(_ADD):
            if event.kept and event.text.strip():
                line = LineEdit("", one_line(event.text))
                self._hear(EditedLine(section_key(event.key.removeprefix(_ADD)), line))
        elif event.changed:
            # Also what was typed live: with fast keys, enter overtakes the message of the last change.
            field = self._view.field(look, event.key)
            text = event.text if field is None else stamps_again(event.text, field.text)
            if field is not None and (event.kept or field.live) and field.text != text:
                self._hear(self._view.typed(look, event.key, text))
