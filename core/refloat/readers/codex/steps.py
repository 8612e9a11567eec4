"""Calls and how they ended: from call rows, output rows and the events that tell of the same call.

Decides what is one call, which processes go on behind an answered call, and what a program in code mode ran.
"""

from __future__ import annotations

from collections.abc import Iterator

from refloat.model.repaired import is_made_output
from refloat.model.transcript import Background, Call, Event, FileEdit, Marker, Outcome, Result, StepKind, Unknown
from refloat.readers.codex.calls import Asked, read_custom, read_function, read_local_shell, shell, web_query
from refloat.readers.codex.items import Done
from refloat.readers.codex.outputs import Told, read_output
from refloat.readers.codex.shape import Json, as_id, finger
from refloat.readers.codex.state import OpenCall
from refloat.readers.codex.talk import ROW, Talk
from refloat.readers.running import kind_of_running


class Steps(Talk):
    """What is done."""

    def _call_row(self, kind: str, payload: Json, out: list[Event]) -> None:
        self._work(out)
        cwd = self._s.cwd
        call = as_id(payload.get("call_id")) or as_id(payload.get("id"))
        match kind:
            case "function_call":
                asked = read_function(payload, cwd, skim=self._skim)
            case "custom_tool_call":
                asked = read_custom(payload, cwd, skim=self._skim)
            case "local_shell_call":
                asked = read_local_shell(payload, cwd)
            case "web_search_call":
                query = web_query(payload.get("action"))
                if self._s.fresh("w", ROW, query or call):
                    self._told_only(Asked("web_search", StepKind.WEB, query or "web_search", query), call, out)
                return
            case "tool_search_call" if as_id(payload.get("call_id")):
                asked = Asked("tool_search", StepKind.SEARCH, "tool_search", "")
            case _:
                name = kind.removesuffix("_call")
                self._told_only(Asked(name, StepKind.OTHER, name, ""), call, out)
                return
        self._call(call or f"call:{self._place.offset}", asked, out)
        self._again(out)

    def _told_only(self, asked: Asked, call: str, out: list[Event]) -> None:
        """A call that gets no output row."""
        name = call or f"{asked.tool}:{self._place.offset}"
        if name not in self._s.open and name not in self._s.closed:
            self._call(name, asked, out, needs_result=False)
            self._s.close(name, self._s.open.pop(name, OpenCall(asked.tool)))
        self._again(out)

    def _call(self, call: str, asked: Asked, out: list[Event], *, needs_result: bool = True) -> None:
        s = self._s
        early = s.closed.get(call)
        if call in s.open or (early is not None and early.tool):
            return
        known = OpenCall(asked.tool, asked.session, asked.summary, asked.command or "", asked.kind, bool(asked.edits))
        if early is None:
            s.open[call] = known
        else:
            s.close(call, known)  # its answer stood before it
        edits, files = asked.edits, asked.files
        if edits and not files:
            files = tuple(dict.fromkeys(edit.path for edit in edits))
        out.append(
            Call(
                call, asked.tool, asked.kind, asked.summary, asked.input, self._at, self._place, asked.command,
                asked.cwd, files, edits, "", asked.pending, needs_result, s.superseded,
            )
        )  # fmt: skip
        s.active = True

    def _output_row(self, payload: Json, out: list[Event]) -> None:
        s = self._s
        self._work(out)
        call = as_id(payload.get("call_id")) or as_id(payload.get("id"))
        if not call:
            out.append(Unknown("output without an id"))
            return
        told = read_output(payload.get("output", payload.get("tools")))
        if is_made_output(told.text):
            out.append(Result(call, Outcome.DANGLING, self._at, self._place, output=told.text, made=True))
            return
        known = s.open.pop(call, None) or s.closed.get(call) or OpenCall()
        background = self._started(call, known, told)
        edits: tuple[FileEdit, ...] | None = () if told.outcome is Outcome.DENIED or told.nothing_done else None
        failed_patch = known.edits and told.outcome is Outcome.ERROR and not told.nothing_done
        kind = StepKind.COMMAND if known.nested else None
        out.append(
            Result(
                call, told.outcome, self._at, self._place, told.exit_code, told.text, edits, kind,
                told.effects_unknown or failed_patch, background=background, never_ran=told.never_ran,
            )
        )  # fmt: skip
        known.answered = True
        s.close(call, known)
        if known.session and not told.running and (told.exit_code is not None or known.session.startswith("cell ")):
            self._process_ended(known.session, told, call, out)
        self._again(out)

    def _started(self, call: str, known: OpenCall, told: Told) -> Background | None:
        """The process that an output leaves running, or saw end."""
        if told.running:
            origin = self._s.running.setdefault(told.running, call)
            what = known.command or known.summary if origin == call else ""
            return Background(told.running, kind_of_running(what), what, running=True)
        if known.session and (told.exit_code is not None or known.session.startswith("cell ")):
            return Background(known.session, "background_shell", "", running=False)
        return None

    def _process_ended(self, session: str, told: Told, call: str, out: list[Event]) -> None:
        """What began the process learns how it ended: "running" was no success."""
        origin = self._s.running.pop(session, None)
        if origin is None or origin == call:
            return
        ended = Background(session, "background_shell", "", running=False)
        out.append(
            Result(
                origin, told.outcome, self._at, self._place, told.exit_code, effects_unknown=told.effects_unknown,
                background=ended, partial=True,
            )
        )  # fmt: skip

    def _user_shell(self, command: str, result: str, out: list[Event]) -> None:
        if not self._s.fresh("u", ROW, command):
            return
        call = f"user_shell:{self._place.offset}"
        self._call(call, shell("user_shell", command, command, self._s.cwd), out)
        told = read_output(result)
        out.append(Result(call, told.outcome, self._at, self._place, told.exit_code, told.text))
        self._s.open.pop(call, None)

    def _done(self, done: Done, source: int, out: list[Event]) -> None:
        """An event about a call; where no row has that id (code mode), it is a call of its own."""
        s = self._s
        self._work(out)
        call, asked = done.id or f"{done.asked.tool}:{self._place.offset}", done.asked
        if asked.tool == "web_search":
            if s.fresh("w", source, asked.input or done.id):
                self._told_only(asked, done.id, out)
            return
        if asked.tool == "user_shell" and not s.fresh("u", source, asked.summary):
            return
        known = s.open.get(call) or s.closed.get(call)
        if known is None:
            self._call(call, asked, out)
            known = s.open.pop(call, OpenCall(asked.tool))
            self._nest(asked)
        else:
            s.open.pop(call, None)
        s.close(call, known)
        ended = self._stopped(call) if s.running else None
        output = "" if known.answered and done.outcome is Outcome.OK else done.output
        out.append(
            Result(
                call, done.outcome, self._at, self._place, done.exit_code, output, done.edits, done.kind,
                done.effects_unknown, background=ended, partial=True,
            )
        )  # fmt: skip
        self._again(out)

    def _stopped(self, call: str) -> Background | None:
        """The process that a call left running, where it did."""
        running = self._s.running
        session = next((name for name, origin in running.items() if origin == call), None)
        if session is None:
            return None
        del running[session]
        return Background(session, "background_shell", "", running=False)

    def _nest(self, asked: Asked) -> None:
        """A unit without a call row ran inside the code-mode program that is open now."""
        for call in reversed(self._s.open.values()):
            if call.tool == "exec":
                call.nested.append(finger(asked.command or asked.summary))
                return

    def _possibly_run(self) -> Iterator[Marker]:
        """What programs without an answer name, apart from what is known to have finished."""
        for call in self._s.open.values():
            left = [line for line in call.command.split("\n") if line and finger(line) not in call.nested]
            if call.tool == "exec" and left:
                yield Marker("notice", "may have run, in part or whole: " + "; ".join(left), None, self._place)
