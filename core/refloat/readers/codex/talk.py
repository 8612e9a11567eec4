"""Words of the person and of the agent, each told once although the record holds them two or three times.

Decides by equal text within a turn, and by the agent's message ids. A prompt that stands only in a row of the model's
own input waits until its event comes or the agent goes on: rows like it are also used for injected context.
"""

from __future__ import annotations

from refloat.model.problem import Place
from refloat.model.stamp import Stamp
from refloat.model.transcript import Event, Message, TurnEnded
from refloat.readers.codex.prompts import IMAGE, looks_like_a_tag, person_text
from refloat.readers.codex.state import State
from refloat.readers.contract import Line

ROW, EVENT, ITEM, LAST = 0, 1, 2, 3
"""Where one fact may stand: a response item, an event, a finished item, the last word in a turn's end."""


class Talk:
    """What is said. The lowest of the parser's layers: it holds the memory and the row being read."""

    def __init__(self, state: State, *, skim: bool = False) -> None:
        self._s = state
        self._skim = skim
        self._at: Stamp | None = None
        self._line = Line("", 0, 0, None)

    @property
    def _place(self) -> Place:
        return Place(self._line.path, self._line.line, self._line.offset)

    def _say(self, text: str, source: int, row: str, phase: str, out: list[Event]) -> None:
        self._work(out)
        s = self._s
        if not text.strip():
            return
        s.said = s.active = True
        if row and row in s.said_rows:
            s.count("r", source, text)
            return
        if row:
            s.said_rows.append(row)
        if s.fresh("r", source, text):
            out.append(Message("reply", text, self._at, self._place, row=row, superseded=s.superseded))
            if not s.lifecycle and phase != "commentary" and not s.superseded and s.aborted_at is None:
                s.status = "completed"
                out.append(TurnEnded("completed", self._at))
        self._again(out)

    def _think(self, text: str, source: int, out: list[Event]) -> None:
        if text.strip() and self._s.fresh("t", source, text):
            out.append(Message("thinking", text, self._at, self._place, superseded=self._s.superseded))

    def _prompt(self, text: str, source: int, row: str, out: list[Event]) -> None:
        """A prompt that an event or an item tells of: surely a person's."""
        s = self._s
        text = person_text(text) or IMAGE
        held = s.release(text)
        if s.fresh("p", source, text):
            self._ask(text, self._at, self._place, row, out)
        elif held is not None:
            self._ask(text, *held, out)

    def _ask(self, text: str, at: Stamp | None, place: Place, row: str, out: list[Event]) -> None:
        s = self._s
        s.asked = s.active = True
        s.aborted_at = None
        s.status = "open"
        if not s.lifecycle:
            s.new_turn_texts(prompts=False)
        out.append(Message("prompt", text, at, place, row=row, superseded=s.superseded))

    def _resolve(self, out: list[Event]) -> None:
        """Prompts whose event did not come before the agent went on are prompts all the same."""
        s = self._s
        if not s.held:
            return
        for text, at, place, row, sure in s.waiting():
            if sure or not (s.has_events and looks_like_a_tag(text)):
                self._ask(text, at, place, row, out)
        s.held.clear()

    def _work(self, out: list[Event]) -> None:
        """The agent goes on."""
        s = self._s
        if s.held:
            self._resolve(out)
        s.last_word = ""
        if not s.lifecycle:
            s.forget_prompts()

    def _again(self, out: list[Event]) -> None:
        """Builds of 2025 wrote a stopped turn's own rows behind the row that says that it was stopped."""
        s = self._s
        if s.aborted_at is not None and not s.lifecycle and not s.superseded:
            out.append(TurnEnded("interrupted", Stamp(s.aborted_at) if s.aborted_at else None))
