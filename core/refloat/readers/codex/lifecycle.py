"""Where turns begin and how they end (formats/codex, sections 3.2, 3.3 and 6.3)."""

from __future__ import annotations

from collections.abc import Iterator

from refloat.model.session import Failure, FailureKind
from refloat.model.stamp import Stamp
from refloat.model.transcript import Event, Marker, TakenBack, TurnBegan, TurnEnded
from refloat.readers.codex.shape import Json, as_dict, as_id, as_text
from refloat.readers.codex.steps import Steps
from refloat.readers.codex.talk import LAST
from refloat.readers.codex.turns import ends_turn, error_name, failure_of, silent_failure


class Lifecycle(Steps):
    """How turns go."""

    def _turn_began(self, turn: str, out: list[Event]) -> None:
        s = self._s
        if s.lifecycle and s.status == "open":
            self._resolve(out)
        s.lifecycle = True
        s.begin_turn(turn)
        if not s.superseded:
            out.append(TurnBegan(turn or f"turn:{self._place.offset}", self._at))

    def _turn_completed(self, payload: Json, out: list[Event]) -> None:
        s = self._s
        self._resolve(out)
        turn = as_id(payload.get("turn_id"))
        last = as_text(payload.get("last_agent_message"))
        error = as_dict(payload.get("error"))
        if turn and s.turn and turn != s.turn:
            return  # the late end of an earlier turn
        failure: Failure | None = None
        if error:
            failure = failure_of(error, s.limit, self._at)
        elif not last and s.error:
            failure = failure_of(s.error, s.limit, self._at)
        elif not last and ((s.limit and s.asked) or (not s.said and s.asked)):
            failure = silent_failure(s.limit, self._at)
        if failure is None and last and not s.said:
            self._say(last, LAST, "", "final_answer", out)
        self._end(TurnEnded("failed" if failure else "completed", self._at, turn, failure), out)
        if error:
            out.append(Marker(_marker_kind(failure), failure.detail if failure else "", self._at, self._place))

    def _turn_aborted(self, payload: Json, out: list[Event]) -> None:
        s = self._s
        self._resolve(out)
        turn, reason = as_id(payload.get("turn_id")), as_text(payload.get("reason"))
        match reason:
            case "budget_limited":
                end = TurnEnded(
                    "failed", self._at, turn, Failure(FailureKind.UNKNOWN, "the token budget was used up", self._at)
                )
            case "review_ended":
                end = TurnEnded("completed", self._at, turn)
            case _:
                end = TurnEnded("interrupted", self._at, turn)
                if not s.lifecycle:
                    s.aborted_at = self._at or ""
        if not (turn and s.turn and turn != s.turn):
            out.append(Marker("interruption", f"the turn was ended: {reason or 'interrupted'}", self._at, self._place))
        self._end(end, out)

    def _unended(self) -> Iterator[TurnEnded]:
        """A turn without an end whose last word is an error, or usage at its limit: the record names what ended it."""
        s = self._s
        if s.superseded or s.open or s.status != "open":
            return
        at = Stamp(s.last) if s.last else None  # also where reading goes on and nothing came
        if s.last_word == "error":
            yield TurnEnded("failed", at, s.turn, failure_of(s.error, s.limit, at))
        elif s.last_word == "limit":
            yield TurnEnded("failed", at, s.turn, silent_failure(s.limit, at))

    def _end(self, end: TurnEnded, out: list[Event]) -> None:
        s = self._s
        if s.superseded or (end.id and s.turn and end.id != s.turn):
            return
        s.status = end.status
        out.append(end)

    def _error(self, payload: Json, out: list[Event]) -> None:
        failure = failure_of(payload, self._s.limit, self._at)
        if ends_turn(payload.get("codex_error_info")):
            self._s.error = {"message": failure.detail, "codex_error_info": error_name(payload.get("codex_error_info"))}
            self._s.last_word = "error"
        out.append(Marker(_marker_kind(failure), failure.detail, self._at, self._place))

    def _rolled_back(self, turns: int, out: list[Event]) -> None:
        if turns > 0:
            out.append(Marker("rewind", f"the last {turns} turns were taken back", self._at, self._place))
            if not self._s.superseded:
                out.append(TakenBack(turns=turns, at=self._at))


def _marker_kind(failure: Failure | None) -> str:
    limits = {FailureKind.RATE_LIMIT, FailureKind.OUT_OF_CREDIT}
    return "rate_limit" if failure is not None and failure.kind in limits else "api_error"
