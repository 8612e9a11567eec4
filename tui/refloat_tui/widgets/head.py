"""The head of a session: its name, the verdict as a sentence, and the one next step. Unfolds the evidence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from refloat.model.session import State
from refloat.text import UNTITLED, cut, inert_line, one_line
from refloat_tui.actions import load_action
from refloat_tui.present import Pieces
from refloat_tui.present.age import absolute, clock_time, local_times, zone
from refloat_tui.present.evidence import evidence_row, liveness_sentence
from refloat_tui.present.holder import holder_words
from refloat_tui.present.in_vain import in_vain
from refloat_tui.present.next_keys import chain_words, leads_there, next_actions
from refloat_tui.present.path import from_home
from refloat_tui.present.recovered import recovered_words, unfinished_words
from refloat_tui.present.state import broken_step, next_parts, verdict, verdict_detail
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, content, row, wrapped

if TYPE_CHECKING:
    from pathlib import Path

    from refloat.model.attempts import InChain
    from refloat.model.record import Lease
    from refloat.model.session import Session, SessionName
    from refloat.model.stamp import Stamp
    from refloat.model.status import Status

_LOOKED, _WHEN = 22, 8
_ABOVE_NEXT = ("holder", "recovered", "chain", "next")
"""Lines that are made once they say something, in their order, and the one that stands below them."""
_NEXT, _DETAIL, _VERDICT = 3, 2, 2
"""Rows that the next step may take, what hangs, and the verdict."""
_CLAUSE: Final = re.compile(r"(?<=[.;:]) ")
"""Where a sentence may end before it is whole."""


def _from_here(command: str, home: str) -> str:
    """A command as it is shown: its directory from home. What is copied stays whole."""
    return inert_line(command.replace(f"cd {home}/", "cd ~/", 1) if home else command)


class Head(Vertical):
    """Always in sight above the panes."""

    DEFAULT_CSS = """
    Head { height: auto; min-height: 7; padding: 0 1; }
    Head > #name { height: 1; text-overflow: ellipsis; text-wrap: nowrap; }
    Head > #verdict { height: auto; max-height: 2; }
    Head > #detail { height: auto; max-height: 2; }
    Head > #holder, Head > #recovered, Head > #chain { height: 1; display: none; }
    Head > #holder, Head > #recovered, Head > #chain { text-overflow: ellipsis; text-wrap: nowrap; }
    Head.-held > #holder, Head.-recovered > #recovered, Head.-chained > #chain { display: block; }
    Head > #next { height: auto; max-height: 3; margin: 1 0 0 0; }
    Head.-grown > #next { margin: 0; }
    Head > #keys { height: 1; display: none; text-overflow: ellipsis; text-wrap: nowrap; }
    Head.-keyed > #keys { display: block; }
    Head > #evidence { height: auto; max-height: 12; margin: 1 0 0 0; display: none; }
    Head.-unfolded > #evidence { display: block; }
    Head #facts { height: auto; }
    """

    def __init__(self, glyphs: Glyphs, home: str, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="-keyed")
        self.glyphs = glyphs
        self._home = home
        self._session: Session | None = None
        self._status: Status | None = None
        self._now: Stamp | None = None
        self._holder: Lease | None = None
        self._chain: InChain | None = None
        self._no_way: tuple[SessionName, str] | None = None
        self._no_view = False
        self._shown: dict[str, Pieces] = {}
        self._rows: dict[str, int] = {}
        """Rows that a line of this session took."""
        self._above: int | None = None
        """Rows above the next step when the session was first told."""
        self._facts: Static | None = None
        """The evidence, once it was asked for."""

    def compose(self) -> ComposeResult:
        """Name, verdict, what hangs, what next. What few sessions have is made once one has it."""
        for name in ("name", "verdict", "detail", "next", "keys"):
            yield Static(id=name, markup=False)

    def take(self, session: Session | None, status: Status | None, now: Stamp) -> None:
        """Show a session; what was read of it may come later."""
        if session is None or self._session is None or session.name != self._session.name:
            self._let_go()
        self._session, self._status, self._now = session, status, now
        self._draw()

    def learn(self, status: Status) -> None:
        """More is known of where the session stands."""
        self._status = status
        self._draw()

    def take_holder(self, lease: Lease | None) -> None:
        """Somebody else is at it, or nobody."""
        if lease != self._holder:
            self._holder = lease
            self.set_class(lease is not None, "-held")
            words: Pieces = ((holder_words(lease), "$person bold"),) if lease is not None else ()
            self._put("holder", words)
            self._draw()

    def take_chain(self, chain: InChain | None) -> None:
        """Which attempt it is, and which keys lead along them."""
        if chain != self._chain:
            self._chain = chain
            self.set_class(chain is not None, "-chained")
            keys = self._key_of("desk.older"), self._key_of("desk.newer")
            repaired = self._session is not None and self._session.repaired
            self._put("chain", chain_words(chain, *keys, repaired=repaired) if chain is not None else ())

    def take_no_way(self, name: SessionName, why: str, *, no_view: bool = False) -> None:
        """Why nothing leads to where a live session runs; empty: something does. `no_view`: nor is it to be seen."""
        self._no_way = (name, local_times(why)) if why else None
        self._no_view = no_view
        self._draw()

    @property
    def no_way(self) -> str:
        """Why nothing leads to where it runs, as far as that was looked at."""
        session, status = self._session, self._status
        if session is None or status is None or self._no_way is None or self._no_way[0] != session.name:
            return ""
        return self._no_way[1] if leads_there(status) else ""

    def is_vain(self, action: str) -> bool:
        """Whether an operation on the session would be refused, as far as it was looked at."""
        no_way = bool(self.no_way)
        return action in in_vain(self._session, self._status, self._holder, no_way=no_way, no_view=self._no_view)

    @property
    def can_salvage(self) -> bool:
        """Whether lost work can be had again."""
        return self._status is not None and self._status.next.salvage is not None

    @property
    def _held(self) -> str:
        """Who is at it since the status was made, or was then already; empty where a process owns the session."""
        session, holder = self._session, self._holder
        ended = session is not None and session.state not in {State.LIVE, State.UNRESOLVED}
        return holder_words(holder) if ended and holder is not None else ""

    def fold(self) -> bool:
        """Fold the evidence away; whether it was open."""
        was_open = self.has_class("-unfolded")
        self.remove_class("-unfolded")
        return was_open

    def unfold(self) -> None:
        """Show the evidence, or fold it away."""
        self.toggle_class("-unfolded")
        self._draw()

    @property
    def command(self) -> str | None:
        """The next command, as a line for a shell. Refloat's own wherever it has one: it asks who is at the session and
        lets no second writer in, and an agent's knows nothing of that.
        """
        status = self._status
        if status is None or status.next.command is None or self.no_way or self._held:
            return None
        import shlex

        words = status.next.guarded(status.session.name) or status.next.command
        place = status.next.workspace
        where = f"cd {shlex.quote(place)} && " if place and words[0] != "refloat" else ""
        return where + shlex.join(words)

    @property
    def brief(self) -> Path | None:
        """The brief that NEXT names, which a person may have written: a question about a new session takes the same."""
        status = self._status
        from pathlib import Path

        words = status.next.command if status is not None and status.next.operation == "new_linked" else None
        return Path(words[words.index("--brief") + 1]) if words is not None and "--brief" in words else None

    def _put(self, name: str, pieces: Pieces) -> None:
        # An update lays the whole screen out anew.
        if self._shown.get(name) != pieces:
            self._shown[name] = pieces
            self._line(name).update(content(pieces))

    def _put_standing(self, name: str, pieces: Pieces, most: int) -> None:
        """Say something that never takes fewer rows again for this session: below it somebody reads."""
        self._put(name, pieces)
        rows = min(most, len(wrapped(pieces, self.size.width))) if self.size.width > 0 else 1
        if rows > self._rows.get(name, 1):
            self._rows[name] = rows
            self._line(name).styles.min_height = rows

    def _let_go(self) -> None:
        """Another session, or another width: every line takes what it needs."""
        for name in self._rows:
            self._line(name).styles.min_height = 1
        self._rows.clear()
        self._above = None
        self.remove_class("-grown")

    def _keep_below(self) -> None:
        """The first row that is needed more is the blank one: what stands below stays where somebody reads it."""
        rows = sum(self._rows.get(name, 1) for name in ("verdict", "detail")) + self.has_class("-recovered")
        self._above = rows if self._above is None else self._above
        self.set_class(rows > self._above, "-grown")

    def _line(self, name: str) -> Static:
        """A line of the head; one that stands above the next step is made when it first says something."""
        for line in self.query_children(f"#{name}").results(Static):
            return line
        line = Static(id=name, markup=False)
        below = _ABOVE_NEXT[_ABOVE_NEXT.index(name) + 1 :]
        self.mount(line, before=f"#{next(one for one in below if one == 'next' or one in self._shown)}")
        return line

    def _draw(self) -> None:
        session, status, now = self._session, self._status, self._now
        self.display = session is not None
        if session is None or now is None:
            return
        dot = f"  {self.glyphs.dot}  "
        facts = [session.agent, session.branch or "", from_home(session.workspace, self._home)]
        title = one_line(session.title) or UNTITLED
        self._put("name", ((title, "bold"), (dot + dot.join(inert_line(fact) for fact in facts if fact), "$quiet")))
        self._draw_recovered(status)
        broken = broken_step(status) if status else None
        said = verdict(session, broken.n if broken else None, now, self.glyphs)
        if 0 < self.size.width < content(said).cell_length:  # the time of day stands in the recap, too
            said = verdict(session, broken.n if broken else None, now, self.glyphs, brief=True)
        self._put_standing("verdict", said, _VERDICT)
        reading: Pieces = (("reading it" + self._ellipsis, "$quiet"),)
        detail = self._fitting(verdict_detail(status, self.glyphs)) if status else reading
        self._put_standing("detail", detail, _DETAIL)
        if status is not None:
            self._keep_below()
        # Before it is read the rows that most sessions need are there already: what stands below does not move.
        unread: Pieces = (("NEXT  ", "$accent bold"), (self._ellipsis, "$quiet"))
        self._put_standing("next", self._next(status) if status else unread, _NEXT)
        keys = self._keys(status) if status else ((" ", ""),)
        self.set_class(bool(keys), "-keyed")
        self._put("keys", keys)
        if self.has_class("-unfolded"):
            self._draw_evidence(session, status, now)

    def _draw_recovered(self, status: Status | None) -> None:
        """Who recovered it, and what they left: somebody else need not do it again. One that is open comes first."""
        recovered = status.recovered if status is not None else None
        begun = status.unfinished if status is not None else None
        pieces: list[tuple[str, str]] = []
        if begun is not None:
            told = f"{unfinished_words(begun, self._moment)}; "
            pieces += [(f"{self.glyphs.partly} RECOVERY OPEN  ", "$pile-claimed bold"), (told, "$person")]
            pieces += [(self._key_of("desk.recover"), "$key bold"), (" goes on", "$quiet")]
        if recovered is not None:
            told = recovered_words(recovered, self._moment, self._home)
            gap = "   " if pieces else ""
            pieces += [(f"{gap}{self.glyphs.ok} RECOVERED  ", "$pile-saved bold"), (told, "$person")]
        self.set_class(bool(pieces), "-recovered")
        if pieces:
            self._put("recovered", tuple(pieces))

    def _moment(self, at: Stamp) -> str:
        """The time of day, with the date where that is another one."""
        today = self._now is not None and absolute(self._now)[:10] == absolute(at)[:10]
        return f"{'' if today else absolute(at)[:11]}{clock_time(at, seconds=False)}{zone(at)}"

    def _fitting(self, pieces: Pieces) -> Pieces:
        """What stands in the rows of a detail, with a sign where it goes on: its longest part is cut."""
        width, parts = self.size.width - 2, list(pieces)
        at = max(range(len(parts)), key=lambda index: len(parts[index][0]))
        text, style = parts[at]
        room = min(len(text), _DETAIL * width)
        while width > 0 and room > 1 and len(wrapped(tuple(parts), width)) > _DETAIL:
            room -= 1
            parts[at] = (cut(text, room, self._ellipsis), style)
        return tuple(parts)

    def _next(self, status: Status) -> Pieces:
        told, step = next_parts(status, self.no_way, self._held)
        width = self.size.width - 2

        def lines_with(words: str) -> Pieces:
            return (("NEXT  ", "$accent bold"), (f"{words} " if words else "", "bold"), (step, "bold"))

        known = min(len(told), _NEXT * width) if width > 0 else len(told)
        while width > 0 and known > 1 and len(wrapped(lines_with(cut(told, known, self._ellipsis)), width)) > _NEXT:
            known -= 1  # the step itself is never cut
        ends = [found.start() for found in _CLAUSE.finditer(told) if known // 2 <= found.start() < known]
        if known < len(told) and ends:
            return lines_with(f"{told[: ends[-1]].rstrip('.;:')}{self._ellipsis}")  # a clause is told whole, or not
        return lines_with(cut(told, known, self._ellipsis))

    def _keys(self, status: Status) -> Pieces:
        command, no_way, held = self.command, bool(self.no_way), bool(self._held)
        if command is None and not no_way and not held:
            return ()
        lines: list[tuple[str, str]] = []
        copying = ("desk.copy",) if command is not None else ()
        for action in (*next_actions(status, no_way=no_way, held=held), *copying):
            lines += [(self._key_of(action), "$key bold"), (f" {load_action(action).word}  ", "$quiet")]
        room = self.size.width - 2 - sum(len(text) for text, _ in lines)
        shown = _from_here(command or "", self._home)
        lines.append((cut(shown, max(1, room), self._ellipsis) if room < len(shown) else shown, "$quiet"))
        return tuple(lines)

    @property
    def _ellipsis(self) -> str:
        return self.glyphs.ellipsis

    def _key_of(self, action: str) -> str:
        """The key that does it here, which may be a person's own."""
        for active in self.screen.active_bindings.values():
            if active.binding.id == action:
                return active.binding.key_display or self.app.get_key_display(active.binding)
        row = load_action(action)
        return row.shown_key or row.key

    def _draw_evidence(self, session: Session, status: Status | None, now: Stamp) -> None:
        width = max(40, self.size.width - 4)
        lines: list[Content] = []
        # How it ended is looked up when a session is opened, never for a list.
        opened = status is not None and status.session.state is session.state
        for fact in (*session.liveness.evidence, *(status.session.liveness.of_the_end if status and opened else ())):
            looked, seen, when, worth = evidence_row(fact, now, self._home)
            cells = (Cell(((looked, "$quiet"),), _LOOKED), Cell(((worth, "bold"),)), Cell(((when, "$quiet"),), _WHEN))
            lines.append(row(cells, width, self.glyphs))
            lines += [content(((" " * (_LOOKED + 1), ""),)) + part for part in wrapped(seen, width - _LOOKED - 1)]
        if not session.liveness.evidence:
            lines.append(content((("nothing was seen, and everything could be looked at", "$quiet"),)))
        lines.append(content(liveness_sentence(session)))
        lines.append(content((("last record ", "$quiet"), (absolute(session.last_activity_at) or "undated", ""))))
        told = Content("\n").join(lines)
        if self._facts is None:
            self._facts = Static(told, id="facts", markup=False)
            self.mount(VerticalScroll(self._facts, id="evidence", can_focus=False))
        else:
            self._facts.update(told)

    def on_resize(self) -> None:
        """Cut to the new width."""
        self._let_go()
        self._draw()
