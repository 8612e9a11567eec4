"""Builds transcripts as Claude Code writes them, row by row, for tests: of this reader and of whatever stands on it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import orjson

from refloat.model.stamp import Stamp, later
from refloat.model.story import Story
from refloat.model.transcript import Event
from refloat.readers.claude_code.rows import Rows
from refloat.readers.contract import Line
from refloat.readers.story import Assembler

SESSION: Final = "5f0c1d2e-0000-4000-8000-000000000001"
CWD: Final = "/home/ada/src/ledgerly"
START: Final = Stamp("2026-08-20T09:10:00.000Z")
REFUSED: Final = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). "
)


class ClaudeTalk:
    """One transcript. Each conversation row comes a second after the one before and hangs on it."""

    def __init__(self, session: str = SESSION, cwd: str = CWD, version: str = "2.1.270", **envelope: object) -> None:
        self.session = session
        self.rows: list[object] = []
        self.envelope: dict[str, object] = {
            "isSidechain": False,
            "userType": "external",
            "entrypoint": "cli",
            "cwd": cwd,
            "sessionId": session,
            "version": version,
            "gitBranch": "main",
            **envelope,
        }
        self.parent: str | None = None
        self.clock = 0
        self._made = 0

    def row(self, kind: str, **fields: object) -> str:
        """Any conversation row; its uuid."""
        self._made += 1
        uuid = f"00000000-0000-4000-8000-{self._made:012x}"
        made: dict[str, object] = {
            "parentUuid": self.parent,
            **self.envelope,
            "type": kind,
            "uuid": uuid,
            "timestamp": later(START, self.clock),
        }
        made.update(fields)
        self.clock += 1
        self.rows.append(made)
        self.parent = str(made["uuid"])
        return self.parent

    def metadata(self, kind: str, **fields: object) -> None:
        """A row without a place in the talk."""
        self.rows.append({"type": kind, **fields, "sessionId": self.session})

    def user(self, content: object, **fields: object) -> str:
        """A `user` row."""
        return self.row("user", message={"role": "user", "content": content}, **fields)

    def prompt(self, said: str, **fields: object) -> str:
        """What a person asks."""
        return self.user(said, **{"origin": {"kind": "human"}, "promptSource": "typed", **fields})

    def assistant(
        self, blocks: Sequence[Mapping[str, object]], stop: str | None = None, message: str = "", **fields: object
    ) -> str:
        """An `assistant` row."""
        held = {
            "model": "claude-sonnet-5",
            "id": message or f"msg_{self._made + 1}",
            "type": "message",
            "role": "assistant",
            "content": list(blocks),
            "stop_reason": stop,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return self.row("assistant", message=held, **fields)

    def say(self, said: str, stop: str | None = "end_turn", message: str = "", **fields: object) -> str:
        """What the agent says."""
        return self.assistant([{"type": "text", "text": said}], stop, message, **fields)

    def call(self, tool: str, name: str, message: str = "", /, **given: object) -> str:
        """A tool call with the id `name`."""
        block = {"type": "tool_use", "id": name, "name": tool, "input": given}
        return self.assistant([block], "tool_use", message)

    def result(self, name: str, content: object = "", told: object = None, **fields: object) -> str:
        """A call's answer; `failed=True` marks it as an error, `told` is the structured form."""
        block: dict[str, object] = {"tool_use_id": name, "type": "tool_result", "content": content}
        if fields.pop("failed", False):
            block["is_error"] = True
        if told is not None:
            fields["toolUseResult"] = told
        return self.user([block], **fields)

    def ran(self, command: str, out: str = "", code: int = 0) -> str:
        """A Bash call with its answer; the call's id."""
        name = f"toolu_{self._made + 1}"
        self.call("Bash", name, command=command)
        if code:
            said = f"Exit code {code}\n{out}"
            self.result(name, said, f"Error: {said}", failed=True)
        else:
            self.result(name, out, {"stdout": out, "stderr": "", "interrupted": False, "isImage": False})
        return name

    def system(self, subtype: str, **fields: object) -> str:
        """A `system` row."""
        return self.row("system", subtype=subtype, **fields)

    def attach(self, kind: str, **fields: object) -> str:
        """An `attachment` row."""
        return self.row("attachment", attachment={"type": kind, **fields})

    def lines(self, path: str = "/t/projects/p/s.jsonl") -> Iterator[Line]:
        """The rows as a reader gets them."""
        offset = 0
        for number, row in enumerate(self.rows, start=1):
            raw = orjson.dumps(row)
            yield Line(path, number, offset, orjson.loads(raw), size=len(raw) + 1)
            offset += len(raw) + 1

    def write(self, directory: Path, name: str = "") -> Path:
        """Write the file as the program would name it."""
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"{name or self.session}.jsonl"
        path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in self.rows))
        return path


def events_of(talk: ClaudeTalk, *, subagent: bool = False) -> list[Event]:
    """What the reader's parser makes of a transcript."""
    rows = Rows(talk.session, subagent=subagent)
    found = [event for line in talk.lines() for event in rows.feed(line)]
    return [*found, *rows.finish()]


def story_of(talk: ClaudeTalk) -> Story:
    """What the transcript adds up to."""
    assembler = Assembler("claude-code", talk.session, keep_items=True, kept=None)
    assembler.take(events_of(talk))
    return assembler.story({})
