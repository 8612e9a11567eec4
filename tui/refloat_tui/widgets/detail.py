"""The right side of the desk: one session's head, tabs and panes, as much of it as was read so far.

The panes come after the first paint (`import_panes`, then `build`): what they are made of takes as long to load as all
that stands there first.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import ContentSwitcher, Static

from refloat.text import inert
from refloat_tui.messages import message
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.head import Head
from refloat_tui.widgets.panes import JumpTo, JumpToChange, Pane, Unreachable
from refloat_tui.widgets.tab_line import Tab, TabLine

if TYPE_CHECKING:
    from refloat.model.brief import WrittenBrief
    from refloat.model.checkout import Checkout
    from refloat.model.recovery import Given
    from refloat.model.session import Session
    from refloat.model.stamp import Stamp
    from refloat.model.triage import Triage
    from refloat_tui.library import Opened
    from refloat_tui.widgets.brief_pane import BriefPane
    from refloat_tui.widgets.checkout_pane import CheckoutPane
    from refloat_tui.widgets.history_pane import HistoryPane
    from refloat_tui.widgets.record_pane import RecordPane
    from refloat_tui.widgets.triage_pane import TriagePane

_JUMPS = 100
"""Jumps that are remembered."""
READ = ("recap", "history", "checkout", "triage", "brief")
"""Panes that show what was read of the session; the record is read for itself."""
TABS = (*READ, "record")


class Detail(Vertical):
    """Owns what is known of the chosen session. A part that failed says so in its pane; the others stand."""

    DEFAULT_CSS = """
    Detail { height: 1fr; }
    Detail > TabLine { margin: 1 0 0 0; height: 2; border-bottom: solid $rule; }
    Detail > ContentSwitcher { height: 1fr; }
    Detail > #reading { display: none; padding: 1 1; color: $quiet; }
    Detail.-reading > ContentSwitcher { display: none; }
    Detail.-reading > #reading { display: block; }
    """

    @message
    class TabShown(Message):
        """Another pane is shown."""

        name: str

    def __init__(self, glyphs: Glyphs, home: str, *, id: str) -> None:
        super().__init__(id=id, classes="-reading")
        self.glyphs = glyphs
        self._home = home
        self.session: Session | None = None
        self.opened: Opened | None = None
        self.checkout: Checkout | None = None
        self.triage: Triage | None = None
        self._given: Given | None = None
        self.written: WrittenBrief | None = None
        self._first_tab: tuple[str, bool] = ("recap", False)
        """What to show once there are panes, and whether it gets the keys."""
        self._goes_to: tuple[int, int | None] | None = None
        """An item to show once it is there, with its line."""
        self._came_from: list[tuple[str, object, str]] = []
        """Where the person stood before each jump: a pane, and the place in it; and the pane that it led to."""

    def compose(self) -> ComposeResult:
        """Head, tabs, panes."""
        yield Head(self.glyphs, self._home, id="head")
        yield TabLine(self.glyphs, id="tabs")
        yield Static(id="reading", markup=False)
        yield ContentSwitcher()

    def on_mount(self) -> None:
        """Begin with the answer."""
        self._draw_tabs()

    @property
    def is_awaited(self) -> bool:
        """Whether the keyboard is at a pane, or was led to one before there was any, and nothing stands in it yet."""
        led_here = self._first_tab[1] or self.has_focus_within
        return led_here and self.session is not None and self.has_class("-reading")

    @property
    def is_built(self) -> bool:
        """Whether there are panes."""
        return any(switcher.children for switcher in self.query(ContentSwitcher))

    async def build(self) -> None:
        """Make the panes. Before that, what is told of a session goes to the head alone."""
        if self.is_built:
            return
        panes = _make_panes(self.glyphs, self._home)
        for pane in panes:
            pane.display = False
        await self.query_one(ContentSwitcher).mount(*panes)
        if not all(pane.is_attached for pane in panes):
            return  # the screen was left while they were made
        name, focus = self._first_tab
        self.show_tab(name, focus=focus)
        self.record_pane.begin(self.session)

    @property
    def given(self) -> Given:
        """What a person said to it."""
        if self._given is None:
            from refloat.model.recovery import Given

            self._given = Given()
        return self._given

    @given.setter
    def given(self, given: Given) -> None:
        self._given = given

    @property
    def head(self) -> Head:
        """The head."""
        return self.query_one(Head)

    @property
    def shown(self) -> str:
        """The name of the shown pane."""
        return self.query_one(ContentSwitcher).current or self._first_tab[0]

    def pane(self, name: str) -> Pane:
        """A pane by name."""
        return self.query_one(f"#{name}", Pane)

    def show_tab(self, name: str, *, focus: bool) -> None:
        """Show another pane."""
        self.query_one(TabLine).chosen = name
        if not self.is_built:
            self._first_tab = (name, focus)
            return
        self.query_one(ContentSwitcher).current = name
        if focus:
            self.call_after_refresh(self.pane(name).take_focus)
        self.post_message(self.TabShown(name))

    # ── what is known ────────────────────────────────────────────────────────────────────────────────────────────────

    def begin(self, session: Session | None, now: Stamp) -> None:
        """Another session: what was known of the former is forgotten."""
        self.session, self.opened = session, None
        self.checkout, self.triage, self.written = None, None, None
        self._given = None
        self._came_from.clear()
        self._goes_to = None
        if self.is_built:
            self.history.forget()
            self._brief.written = None
            self.record_pane.begin(session)
        self.head.take(session, None, now)
        self._draw_tabs()
        if session is not None:
            self.query_one("#reading", Static).update(
                f"Reading {session.transcript.bytes:,} bytes{self.glyphs.ellipsis}"
            )
            self.add_class("-reading")

    def tell(self, session: Session, now: Stamp) -> None:
        """The same session, seen anew by the list."""
        self.session = session
        self.head.take(session, self.opened.status if self.opened else None, now)

    def take_opened(self, opened: Opened, now: Stamp) -> None:
        """It was read."""
        from refloat_tui.present.recap import root_of

        fresh = self.opened is None
        self.opened = opened
        self.remove_class("-reading")
        self.session = opened.status.session
        self.head.take(self.session, opened.status, now)
        self.history.take(opened.story.items, root=root_of(opened.story), fresh=fresh)
        if fresh:
            wait = self.glyphs.ellipsis
            self.pane("checkout").say(((f"Comparing the checkout with what was recorded{wait}", "$quiet"),))
            self.pane("triage").say(((f"Sorting into saved, claimed and gone{wait}", "$quiet"),))
            self.pane("brief").say(((f"Writing the brief{wait}", "$quiet"),))
        self._draw_recap()
        self._draw_tabs()
        if self._goes_to is not None:
            self.show_item(*self._goes_to)

    # ── a long history ───────────────────────────────────────────────────────────────────────────────────────────────

    def take_long(self, size: int) -> None:
        """Its history can be asked for, before the whole is read."""
        if self.opened is None:
            begun = self.history.is_long
            self.history.begin_long(size)
            self.remove_class("-reading")
            if not begun:
                self.wait_for_whole(f"Reading {size:,} bytes{self.glyphs.ellipsis}")
            if self._goes_to is not None:
                self.show_item(*self._goes_to)

    def wait_for_whole(self, *sentences: str) -> None:
        """What the panes wait for that need the whole."""
        if self.opened is None:
            for name in READ:
                if name != "history":
                    self.pane(name).say(*(((sentence, "$quiet"),) for sentence in sentences))

    def tell_long(self, doing: str, done: int, size: int) -> None:
        """How far something is that a long session takes."""
        wait, part = self.glyphs.ellipsis, f"{100 * done // max(1, size)}%"
        if doing == "unread":
            self.wait_for_whole(
                f"This transcript holds {size:,} bytes. Its history is there; this here needs all of it read,",
                "which takes minutes and about as much memory. Press ctrl+r to read it.",
            )
        elif doing == "reading":
            self.wait_for_whole(f"Reading {size:,} bytes: {part}{wait}")
            self.history.tell_progress(f"reading all of it {part}{wait}" if done < size else "")
        elif done >= size:
            self.history.tell_progress("")
            self.history.know_more()
        else:
            what = "counting lines" if doing == "counting" else "items get their numbers"
            self.history.tell_progress(f"{what} {part}{wait}")

    def show_item(self, item: int, line: int | None = None) -> None:
        """Show an item of the history: at once, or as soon as it was read."""
        if self.opened is None and not (self.is_built and self.history.is_long):
            self._goes_to = (item, line)
            return
        self._goes_to = None
        self.history.show_item(item, line)
        self.show_tab("history", focus=True)

    @property
    def history(self) -> HistoryPane:
        """The history."""
        return cast("HistoryPane", self.pane("history"))

    @property
    def record_pane(self) -> RecordPane:
        """The record."""
        return cast("RecordPane", self.pane("record"))

    @property
    def _checkout(self) -> CheckoutPane:
        return cast("CheckoutPane", self.pane("checkout"))

    @property
    def _triage(self) -> TriagePane:
        return cast("TriagePane", self.pane("triage"))

    @property
    def _brief(self) -> BriefPane:
        return cast("BriefPane", self.pane("brief"))

    def take_checkout(self, checkout: Checkout) -> None:
        """The checkout was compared."""
        self.checkout = checkout
        if self.opened is not None:
            self.head.learn(self.opened.status)
            self._checkout.take(checkout, self.opened.story)
        self._draw_recap()
        self._draw_tabs()

    def take_triage(self, triage: Triage, given: Given) -> None:
        """It was sorted; what a person said to it stands beside."""
        self.triage, self.given = triage, given
        if self.opened is not None:
            self._triage.take(triage, given, self.opened.story)
        self._draw_recap()
        self._draw_tabs()

    def take_given(self, given: Given) -> None:
        """A person said something to it."""
        if self.triage is not None:
            self.take_triage(self.triage, given)

    def take_brief(self, written: WrittenBrief) -> None:
        """The brief stands ready."""
        self.written = written
        self._brief.take(written)

    def take_failure(self, part: str, why: str) -> None:
        """One part could not be had."""
        hint = "The list and the other sessions are not touched. Press ctrl+r to look again."
        if part != "story":
            hint = "The other panes stand. Press ctrl+r to look again."
        self.remove_class("-reading")
        for name in READ if part == "story" else (part,):
            self.pane(name).say(((inert(why), "$pile-gone"),), ((hint, "$quiet"),))

    def _draw_recap(self) -> None:
        if self.opened is not None:
            story, status = self.opened.story, self.opened.status
            from refloat_tui.present.recap import recap_rows
            from refloat_tui.widgets.recap_pane import RecapPane

            rows = recap_rows(story, status, self.checkout, self.triage, self.glyphs)
            self.query_one("#recap", RecapPane).take(rows, story, status.session.state)

    def _draw_tabs(self) -> None:
        items = f"{len(self.opened.story.items):,}" if self.opened else ""
        dirty, piles, dot = "", "", self.glyphs.dot
        if self.checkout is not None:
            from refloat_tui.widgets.checkout_pane import dirty_count

            dirty = str(dirty_count(self.checkout))
        if self.triage is not None:
            from refloat.model.recovery import PILES
            from refloat.usecases.recover import cards_of

            found = cards_of(self.triage, self.given)
            piles = dot.join(str(sum(card.pile == pile for card in found)) for pile in PILES)
        counts = {"history": items, "checkout": dirty, "triage": piles}
        line = self.query_one(TabLine)
        line.tabs = tuple(Tab(name, name.capitalize(), counts.get(name, "")) for name in TABS)
        line.chosen = self.shown

    # ── messages of the parts ────────────────────────────────────────────────────────────────────────────────────────

    def on_tab_line_picked(self, event: TabLine.Picked) -> None:
        """By the mouse."""
        event.stop()
        self.show_tab(event.name, focus=True)

    # ── jumps, and the way back ──────────────────────────────────────────────────────────────────────────────────────

    @property
    def can_return(self) -> bool:
        """Whether a jump led here."""
        return bool(self._came_from)

    @property
    def is_at_a_jump(self) -> bool:
        """Whether the last jump led to the pane that is shown: nobody went on to another one by themselves."""
        return bool(self._came_from) and self._came_from[-1][2] == self.shown

    def on_jump_to(self, event: JumpTo) -> None:
        """Show an item of the history."""
        event.stop()
        self._came_from = [*self._came_from[1 - _JUMPS :], (self.shown, self.pane(self.shown).place(), "history")]
        self.history.go_to(event.item)
        self.show_tab("history", focus=True)

    def on_jump_to_change(self, event: JumpToChange) -> None:
        """Show what a step changed or checked."""
        event.stop()
        came_from = (self.shown, self.pane(self.shown).place(), "checkout")
        pane = self._checkout
        if self.checkout is None:
            self.post_message(Unreachable("The checkout is still being compared; it takes a moment."))
        elif pane.show_step(event.step, event.subagent, event.path):
            self._came_from = [*self._came_from[1 - _JUMPS :], came_from]
            self.show_tab("checkout", focus=True)
        else:
            self.post_message(Unreachable(f"Checkout holds nothing of step {event.step}."))

    def forget_jumps(self) -> None:
        """What comes next is where a person came to by another way."""
        self._came_from.clear()

    def go_back(self) -> None:
        """To where the last jump began."""
        if self._came_from:
            name, place, _ = self._came_from.pop()
            self.show_tab(name, focus=False)
            self.call_after_refresh(self.pane(name).return_to, place)


def import_panes() -> None:
    """Load what the panes are made of; in a thread, so that nobody waits for it."""
    for name in ("brief_pane", "checkout_pane", "history_pane", "recap_pane", "record_pane", "triage_pane"):
        import_module(f"refloat_tui.widgets.{name}")


def _make_panes(glyphs: Glyphs, home: str) -> tuple[Pane, ...]:
    """The panes, in the order of the tabs."""
    from refloat_tui.widgets.brief_pane import BriefPane
    from refloat_tui.widgets.checkout_pane import CheckoutPane
    from refloat_tui.widgets.history_pane import HistoryPane
    from refloat_tui.widgets.recap_pane import RecapPane
    from refloat_tui.widgets.record_pane import RecordPane
    from refloat_tui.widgets.triage_pane import TriagePane

    return (
        RecapPane(glyphs, id="recap"),
        HistoryPane(glyphs, id="history"),
        CheckoutPane(glyphs, id="checkout"),
        TriagePane(glyphs, id="triage"),
        BriefPane(glyphs, home, id="brief"),
        RecordPane(glyphs, id="record"),
    )
