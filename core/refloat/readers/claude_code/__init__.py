"""Claude Code's records, as `formats/claude-code.md` describes them: what this package knows, nobody else need know.

`layout` finds files, `rows` reads them, `registers` and `processes` tell of what runs. It writes nothing, ever.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from refloat.late import stand_in
from refloat.model.liveness import Holder, ProcessInfo
from refloat.model.problem import Problem
from refloat.model.session import RecordGone
from refloat.readers.claude_code import layout
from refloat.readers.contract import CleanUp, Found, FoundSubagent, Identity, OwnDoor, Parser, SourceFile, Walk

if TYPE_CHECKING:
    from pathlib import Path

    from refloat.model.stopping import Asking
    from refloat.readers.claude_code import processes, registers
else:  # who reads transcripts on asks nothing of what runs
    processes = stand_in(partial(import_module, "refloat.readers.claude_code.processes"))
    registers = stand_in(partial(import_module, "refloat.readers.claude_code.registers"))

__all__ = ["ClaudeCode"]


class ClaudeCode:
    """The reader; see `readers.contract.Reader` for what each method is for."""

    agent: str = "claude-code"
    title: str = "Claude Code"
    torn_heads: tuple[bytes, ...] = (b'{"parentUuid":', b'{"type":')
    chooses_id: bool = True
    turn_marks: tuple[bytes, ...] = (b'"role":"user","content":"', b'"role":"user","content":[{"type":"text"')

    late_marks: tuple[bytes, ...] = (
        b'{"type":"custom-title"',
        b'{"type":"ai-title"',
        b'{"type":"worktree-state"',
        b'{"type":"relocated"',
    )

    pairs: tuple[bytes, bytes] = (b'"type":"tool_use"', b'"tool_use_id":"')
    ended: bytes = b'"stop_reason":"end_turn"'
    aside: bytes = b'{"type":"'

    def walks(self, home: Path, environment: Mapping[str, str]) -> Sequence[Walk]:
        """`projects`, registers, jobs and the history of prompts below the program's directory."""
        return layout.walks(home, environment)

    def identify(self, file: SourceFile) -> Identity:
        """By its path; its head tells when it began and where it was forked from."""
        return layout.identify(file)

    def recognise(self, path: Path) -> Sequence[SourceFile] | None:
        """By its first rows, wherever it lies."""
        return layout.recognise(path)

    def group(self, files: Sequence[tuple[SourceFile, Identity]], side: Sequence[SourceFile] = ()) -> Sequence[Found]:
        """By session id, which is the file's name, across project directories."""
        return layout.group(files, side)

    def parser(
        self,
        found: Found,
        subagent: FoundSubagent | None = None,
        frozen: Mapping[str, object] | None = None,
        *,
        skim: bool = False,
    ) -> Parser:
        """A parser for the session or one of its sub-agents."""
        from refloat.readers.claude_code.rows import Rows  # most who look around open no transcript

        return Rows(
            found.session_id,
            subagent=subagent is not None,
            root=subagent.id if subagent is not None and _is_inline(subagent) else "",
            frozen=frozen,
            relatives=found.relatives if subagent is None else (),
            skim=skim,
        )

    def texts_parser(self, found: Found) -> Parser:
        """A parser for rows of the session of which the texts are wanted."""
        from refloat.readers.claude_code.rows import Rows

        return Rows(found.session_id, relatives=found.relatives, skim=True, inputs=True)

    def find_holders(self, home: Path, environment: Mapping[str, str]) -> Sequence[Holder | Problem]:
        """`sessions/<pid>.json`, and jobs of the daemon."""
        return registers.find_holders(home, environment)

    def find_gone(
        self, home: Path, environment: Mapping[str, str], known: Collection[str]
    ) -> Sequence[RecordGone | Problem]:
        """What `history.jsonl`, a register or `.claude.json` names and no transcript holds."""
        return registers.find_gone(home, environment, known)

    def is_agent(self, process: ProcessInfo) -> bool:
        """`claude`, or a runtime with its script."""
        return processes.is_agent(process)

    def session_on_command_line(self, process: ProcessInfo) -> str | None:
        """`--resume ID`, `--session-id ID`."""
        return processes.session_on_command_line(process)

    def child_variables(self) -> Sequence[str]:
        """Since 2.1.132, in the environment of every command."""
        return ("CLAUDE_CODE_SESSION_ID",)

    def marks_children(self, version: str) -> bool:
        """Since 2.1.132."""
        return processes.marks_children(version)

    def explains_silence(self, version: str, entrypoint: str) -> bool:
        """Since 2.1.139, for interactive runs."""
        return processes.explains_silence(version, entrypoint)

    def takes_id(self, session_id: str) -> bool:
        """A UUID: whatever else stands behind `--resume` is searched for."""
        return processes.takes_id(session_id)

    def continue_command(self, session_id: str, prompt: str | None) -> Sequence[str]:
        """`claude --resume ID`."""
        return processes.continue_command(session_id, prompt)

    def new_command(self, brief: str, prompt: str | None = None, session_id: str | None = None) -> Sequence[str]:
        """`claude --session-id UUID "Read FILE …"`."""
        return processes.new_command(brief, prompt, session_id)

    def own_door(self, session_id: str, owner: ProcessInfo, holder: Holder | None) -> OwnDoor | None:
        """`claude attach ID`, for sessions in the background."""
        return processes.own_door(session_id, owner, holder)

    def asks_to_end(self, process: ProcessInfo) -> Sequence[Asking]:
        """SIGINT, then SIGTERM: the program ends on the first of either."""
        return processes.asks_to_end(process)

    def stop_command(self, holder: Holder) -> Sequence[str] | None:
        """`claude stop ID` for background sessions, which a daemon looks after."""
        return processes.stop_command(holder)

    def find_beside(self, found: Found, home: Path, environment: Mapping[str, str]) -> Sequence[str]:
        """The session's own directory, `file-history`, `todos`, `tasks`."""
        from refloat.readers.claude_code import leftovers

        return leftovers.find_beside(found, home, environment)

    def clean_up(self, home: Path, environment: Mapping[str, str]) -> CleanUp | None:
        """`cleanupPeriodDays`, by default 30."""
        from refloat.readers.claude_code import leftovers

        return leftovers.clean_up(home, environment)

    def turn_before(self, rows: bytes) -> Sequence[Mapping[str, object]]:
        """A prompt, at the time of the first row."""
        return layout.turn_before(rows)


def _is_inline(subagent: FoundSubagent) -> bool:
    return any(segment.identity is not None and segment.identity.role == "main" for segment in subagent.segments)
