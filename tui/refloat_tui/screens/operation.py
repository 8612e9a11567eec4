"""The one question before anything is done to a session: the exact command, what it does, what stands against it.

Decides how it is asked, and that it is looked at once more after a yes. Refuses to judge: the offer says what is
possible. What ends here comes back to whoever asked as one sentence.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, Final, Literal

from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import BindingType
from textual.getters import query_one
from textual.timer import Timer
from textual.widgets import Static

from refloat.errors import RefloatError
from refloat.model.stopping import Stopped
from refloat.text import inert
from refloat_tui.actions import bindings
from refloat_tui.base import TOO_SOON
from refloat_tui.operations import Asked, Offer, Operations, Planned, Repaired, Salvaged
from refloat_tui.present import Pieces
from refloat_tui.present.age import lasted
from refloat_tui.present.markdown import MarkdownLine
from refloat_tui.present.offer_lines import chosen_of, offer_lines, salvaged_lines, stopped_lines
from refloat_tui.present.path import from_home
from refloat_tui.screens.operation_work import Done, OperationWork
from refloat_tui.theme import UNICODE, Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.key_line import KeyLine
from refloat_tui.widgets.text_lines import TextLines
from refloat_tui.widgets.words import Words

_WINDOW, _HERE = "a new tmux window", "this terminal"
_PLACE, _FILE = "where its agent finds it", "a file"
MOVED: Final = "It is not as it was a moment ago. Look again, then say yes or no."
NO_SUSPEND: Final = "This terminal cannot be handed over. Copy the command (y) and run it in another one."
Phase = Literal["looking", "asking", "checking", "running", "done"]


def _nothing() -> None:
    """Nobody has to step aside."""


class OperationScreen(OperationWork):
    """Ask, look again, do, tell. Left without a yes it returns None and nothing was done."""

    CSS_PATH = "operation.tcss"
    YES = frozenset({"operation_yes"})
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("operation")]

    text = query_one("#offer", TextLines)
    words = query_one(Words)

    def __init__(
        self,
        operations: Operations,
        asked: Asked,
        *,
        glyphs: Glyphs,
        home: str,
        step_aside: Callable[[], None] = _nothing,
    ) -> None:
        """`step_aside` gives back what this very process holds; called from a worker, once a yes still holds."""
        super().__init__(operations, step_aside, glyphs=glyphs)
        self._asked, self._home = asked, home
        self._phase: Phase = "looking"
        self._planned: Planned | None = None
        self._problem = ""
        self._changed = ""
        self._beside: bool | None = None
        """Whether it opens beside Refloat; None until that is known to be possible."""
        self._progress: list[tuple[str, float]] = []
        self._ended: float | None = None
        self._result: list[MarkdownLine] = []
        self._done: Done | None = None
        self._applies: str | None = None
        """The command that takes the written patch."""
        self._ticks: Timer | None = None

    def compose(self) -> ComposeResult:
        """The question, all that there is to know, a field, the keys."""
        yield Static(id="question", markup=False)
        yield TextLines(self.glyphs, id="offer")
        yield Words()
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Look first."""
        self.text.focus()
        self._ask(self._asked)

    @property
    def offer(self) -> Offer | None:
        """What is asked about."""
        return self._planned.offer if self._planned is not None else None

    @property
    def phase(self) -> Phase:
        """How far it is."""
        return self._phase

    # ── looking ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _ask(self, asked: Asked) -> None:
        if asked.operation != self._asked.operation:
            self._planned, self._beside = None, None
        self._asked, self._changed = asked, ""
        self._wait("looking")
        self._look(asked, None)

    def _wait(self, phase: Phase) -> None:
        """Nothing is asked until it was looked at."""
        self._phase, self.asked_at, self.passed_over = phase, math.inf, False
        self._draw()

    def say_passed_over(self) -> None:
        """Beside the question."""
        self._draw()

    def on_operation_work_looked(self, event: OperationWork.Looked) -> None:
        """Show it; after a yes that still holds, do it."""
        if event.asked != self._asked:
            return
        self._problem = inert(event.why)
        self._planned = event.planned
        self._phase = "asking"
        if event.planned is not None:
            self._beside = event.planned.offer.window if self._beside is None else self._beside
        self._changed = MOVED if event.same is False else ""
        if event.same and event.planned is not None:
            self._do(event.planned)
        self.stand()
        self._draw()

    # ── drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _draw(self) -> None:
        offer = self.offer
        question = offer.question if offer is not None else ("It cannot be done" if self._problem else "Looking")
        wait = self.glyphs.ellipsis if self._phase in {"looking", "checking", "running"} else ""
        for quote, sign in zip(UNICODE.quotes, self.glyphs.quotes, strict=True):
            question = question.replace(quote, sign)
        soon = f"  {TOO_SOON}" if self.passed_over else ""
        self.query_one("#question", Static).update(
            content(((f"{question}{wait and ' ' + wait}", "bold"), (soon, "$quiet")))
        )
        self.text.take(self._lines(offer))
        self.refresh_bindings()
        self.call_after_refresh(self.refresh_bindings)  # by then it is known whether there is more below

    def _lines(self, offer: Offer | None) -> list[MarkdownLine]:
        if offer is None:
            return [MarkdownLine(((self._problem, ""),))]
        if self._phase in {"running", "done"}:
            return [
                *offer_lines(replace(offer, rows=(), will=(), will_not=(), notes=()), self._home, ()),
                *self._progress_lines(),
            ]
        return offer_lines(offer, self._home, self._choices(offer), self._changed)

    def _progress_lines(self) -> list[MarkdownLine]:
        lines = [MarkdownLine(())]
        ends = [at for _, at in self._progress[1:]] + [self._ended or time.monotonic()]
        for (words, began), ended in zip(self._progress, ends, strict=True) if self._progress else ():
            lines.append(MarkdownLine(((inert(words), ""),), lead=f"{int(ended - began):>6} s  ", style="$quiet"))
        if self._cancelled.is_set() and self._phase == "running":
            lines.append(MarkdownLine((("Stopping before the next signal.", "$state-unresolved bold"),)))
        return [*lines, *self._result]

    def _choices(self, offer: Offer) -> list[tuple[str, Pieces]]:
        asked, found = self._asked, list[tuple[str, Pieces]]()
        own = asked.session.partition(":")[0]
        if asked.operation == "new":
            at = asked.agent or own
            found.append(
                ("AGENT", chosen_of(dict.fromkeys((at, *offer.agents)) if offer.agents else (at,), at, self.glyphs))
            )
            if asked.brief is not None:
                found.append(("BRIEF", ((from_home(str(asked.brief), self._home), ""),)))
        if asked.operation in {"continue", "new"}:
            found.append(("PROMPT", ((asked.prompt, ""),) if asked.prompt else (("none; e types one", "$quiet"),)))
        if offer.window:
            found.append(("WHERE", chosen_of((_WINDOW, _HERE), _WINDOW if self._beside else _HERE, self.glyphs)))
        if asked.operation == "repair":
            found.append(("WHERE", chosen_of((_PLACE, _FILE), _FILE if asked.out is not None else _PLACE, self.glyphs)))
        if asked.out is not None or asked.operation == "salvage":
            words = (asked.out, "") if asked.out is not None else ("a new one, outside of the checkout", "")
            found.append(("FILE", (words, ("  e changes it", "$quiet"))))
        if offer.pids:
            found.append(("PROCESS", chosen_of(map(str, offer.pids), str(asked.pid), self.glyphs)))
        if asked.force is not None:
            found.append(("REASON", ((asked.force, ""), ("  kept in the record", "$quiet"))))
        return found

    # ── what is possible ─────────────────────────────────────────────────────────────────────────────────────────────

    def is_idle(self, action: str) -> bool:
        """Keys of choices that there are none of."""
        offer, operation = self.offer, self._asked.operation
        if action in {"operation_yes", "operation_no"}:
            return action == "operation_yes" and self._phase == "running"
        if offer is None or self._phase in {"running", "done"}:
            return not (action == "operation_copy" and self._applies is not None)
        match action:
            case "operation_instead":
                return offer.instead is None
            case "operation_where":
                return not (offer.window or operation == "repair")
            case "operation_agent":
                return operation != "new" or not set(offer.agents) - {self._asked.agent or self._own_agent}
            case "operation_process":
                return not offer.pids
            case "operation_words":
                return not (operation in {"continue", "new", "salvage"} or self._asked.out is not None)
            case "operation_force":
                return not (offer.force_helps or self._asked.force is not None)
            case _:
                return False

    def is_kept(self, action: str) -> bool:
        """Nobody agrees to what is below the edge without a word that there is more."""
        return action == "rows_down" and self.text.max_scroll_y > 0

    def word_of(self, action: str) -> str | None:
        """A question that is answered, or that no yes can answer, is closed."""
        refused = self.offer.refused if self.offer is not None else bool(self._problem)
        if self._phase != "done" and not (self._phase == "asking" and refused):
            return None
        return {"operation_yes": "", "operation_no": "close"}.get(action)

    def why_not(self, action: str) -> str | None:
        """A refusal says itself; a command that there is not cannot be copied."""
        offer = self.offer
        if self._phase == "done":
            return None
        if action == "operation_yes":
            if self._phase in {"looking", "checking"}:
                return "It is being looked at; a moment."
            if offer is None:
                return self._problem or None
            return f"It is refused: {inert(offer.guard)}." if offer.refused else None
        if action == "operation_copy" and offer is not None and not offer.copied:
            return "There is no command to copy: nothing leads there."
        return None

    @property
    def _own_agent(self) -> str:
        return self._asked.session.partition(":")[0]

    # ── doing ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def action_operation_yes(self) -> None:
        """Look once more, then do it."""
        if self._phase == "done":
            self.dismiss(self._done)
        elif self._phase == "asking" and self.offer is not None and not self.offer.refused:
            self._wait("checking")
            self._look(self._asked, self.offer)

    def _do(self, planned: Planned) -> None:
        offer = planned.offer
        self._phase = "running"
        if offer.asked.operation == "stop":
            self._stop_now(planned)
        elif offer.asked.operation == "repair":
            self._repair_now(planned)
        elif offer.asked.operation == "salvage":
            self._salvage_now(planned)
        elif self._beside or not offer.takes_terminal:
            self._open_beside(planned)
        else:
            self.call_next(self._hand_over, planned)
            return
        self._ticks = self.set_interval(1.0, self._draw)

    def _hand_over(self, planned: Planned) -> None:
        """Step off the terminal until the other program ends. Nothing of Refloat is drawn or heard meanwhile."""
        began, offer = time.monotonic(), planned.offer
        try:
            with self.app.suspend():
                code = planned.in_terminal()
        except SuspendNotSupported:
            self._phase = "asking"
            self._changed = NO_SUSPEND
            self._draw()
            return
        except RefloatError as error:
            self._finish(Done(inert(str(error)), bad=True))
            return
        after = f" after {lasted(time.monotonic() - began)}"
        what = "You are back" if offer.asked.operation == "attach" else f"{offer.commands[0].split()[0]} ended"
        self._finish(Done(f"{what}{after}, exit code {code}.", bad=code != 0))

    def on_operation_work_told(self, event: OperationWork.Told) -> None:
        """One line more."""
        self._progress.append((event.progress.words, time.monotonic()))
        self._draw()

    def on_operation_work_ended(self, event: OperationWork.Ended) -> None:
        """Say what came of it: a stop and a patch stay to be read, all else goes back."""
        if self._ticks is not None:
            self._ticks.stop()
        match event.result:
            case Stopped() as stopped:
                self._ended = time.monotonic()
                self._result = stopped_lines(stopped)
                self._phase = "done"
                self.stand()
                word = stopped.result.replace("_", " ")
                self._done = Done(inert(f"{word}: {stopped.why}."), bad=stopped.result != "stopped")
                self._draw()
            case Repaired(path, copy):
                told = f"It is {copy} now; the original stays as it is." if copy else "No agent looks for it there."
                self._finish(Done(f"The copy is {from_home(path, self._home)}. {told}", show=copy))
            case Salvaged(written, apply):
                self._result = salvaged_lines(event.result, self._home)
                self._applies = apply
                self._phase = "done"
                self.stand()
                where = from_home(written[0], self._home) if written else "nowhere: no file was written"
                self._done = Done(inert(f"The lost work is in {where}. The checkout is as it was."))
                self._draw()
            case str(words):
                self._finish(Done(inert(f"{words}.")))
            case None:
                self._finish(Done(inert(event.why), bad=True))

    def _finish(self, done: Done) -> None:
        self._done, self._phase = done, "done"
        self.dismiss(done)

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def action_operation_no(self) -> None:
        """Leave; end a stop before its next signal."""
        if self._phase == "running":
            if self._asked.operation == "stop":
                self._cancelled.set()
                self._draw()
            else:
                self.tell("It is being done; a moment.")
            return
        self.dismiss(self._done)

    def action_operation_copy(self) -> None:
        """Copy the command; once a patch is written, the one that applies it."""
        if self._applies is not None:
            self.app.copy_to_clipboard(self._applies)
            self.tell("The command that applies the patch is copied. The checkout is as it was.")
        elif self.offer is not None:
            self.app.copy_to_clipboard(self.offer.copied)
            if self.offer.elsewhere:
                then = "run it where the program is."
            else:
                then = "it is refused here, for the reason above." if self.offer.refused else "enter does it."
            self.tell(f"The command is copied, and nothing is done: {then}")

    def action_operation_instead(self) -> None:
        """Ask about what is possible."""
        if self.offer is not None and self.offer.instead is not None:
            self._ask(Asked(self.offer.instead, self._asked.session))

    def action_operation_where(self) -> None:
        """Elsewhere."""
        if self._asked.operation != "repair":
            self._beside = not self._beside
            self._draw()
        elif self._asked.out is not None:
            self._ask(replace(self._asked, out=None))
        else:
            name = "".join(letter for letter in self._asked.session if letter.isalnum() or letter in "-_")
            self._ask(replace(self._asked, out=f"~/{name[:40]}-repaired.jsonl", force=None))

    def action_operation_agent(self) -> None:
        """The next agent."""
        if self.offer is not None:
            at, agents = self._asked.agent or self._own_agent, self.offer.agents
            following = agents[(agents.index(at) + 1) % len(agents)] if at in agents else agents[0]
            self._ask(replace(self._asked, agent=None if following == self._own_agent else following))

    def action_operation_process(self) -> None:
        """The next process; behind the last one none is named."""
        if self.offer is not None:
            row = (None, *self.offer.pids)
            at = row.index(self._asked.pid) if self._asked.pid in row else 0
            self._ask(replace(self._asked, pid=row[(at + 1) % len(row)]))

    def action_operation_words(self) -> None:
        """Type."""
        if self._asked.operation == "repair":
            self.words.open("out", "Write the copy to this new file", self._asked.out or "", lines=False)
        elif self._asked.operation == "salvage":
            self.words.open("out", "Write the patch to this new file", self._asked.out or "~/", lines=False)
        else:
            self.words.open("prompt", "What the agent is asked first", self._asked.prompt or "", lines=True)

    def action_operation_force(self) -> None:
        """Ask for the reason."""
        self.words.open("force", "Why is it right all the same? This is recorded", self._asked.force or "", lines=False)

    def on_words_typed(self, event: Words.Typed) -> None:
        """Nothing is asked while somebody types."""
        event.stop()

    def on_words_left(self, event: Words.Left) -> None:
        """Look anew with what was typed."""
        event.stop()
        self.text.focus()
        self.words.let_go()
        said = event.text.strip() or None
        if not event.kept or (not event.changed and said is not None):
            return
        if event.key == "out":
            if said is not None:
                self._ask(replace(self._asked, out=said))
        elif event.key == "prompt":
            self._ask(replace(self._asked, prompt=said))
        else:
            self._ask(replace(self._asked, force=said))
