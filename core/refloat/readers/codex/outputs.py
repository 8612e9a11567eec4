"""How a call ended, from the words that stand in its output row (formats/codex, section 5.2).

Decides by the header alone: a command's own output may hold the same words. Without a header a call is `ok` unless it
begins with an error text that is known.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from refloat.model.light import light
from refloat.model.transcript import Outcome
from refloat.patterns import late
from refloat.readers.codex.shape import as_dict, as_int, as_text, is_dict, is_list, parse_object, texts

_END: Final = r"(?=\r*(?:\n|\Z))"
_HEADER: Final = late(
    r"(?:(?:Chunk ID: |Wall time:? |Original token count: |Total output lines: "
    rf"|Exit code: (?P<exit>-?\d{{1,10}}){_END}|Process exited with code (?P<code>-?\d{{1,10}}){_END}"
    rf"|Process running with session ID (?P<running>\d{{1,18}}){_END}"
    r"|(?P<timeout>command timed out after )|(?P<aborted>aborted by user)"
    r"|Script (?P<script>completed|failed|terminated)|Script running with cell ID (?P<cell>\S{1,64}))[^\n]*\n?){0,10}"
)
"""The lines before an output; of each thing that they say, what the last of them says."""
_REFUSED: Final = late(
    r"(?:exec command|patch) rejected by user|rejected by user approval settings|user rejected MCP tool call"
    r"|This action was rejected due to unacceptable risk"
    r"|(?:exec_command|apply_patch) failed.{0,2000}[Rr]ejected by user",
    re.DOTALL,
)
_ABORTED: Final = late(r"aborted by user(?: after [\d.]+s)?|aborted\s*$")
_FAILED: Final = late(
    r"failed in sandbox|exec_command failed|execution error|failed to parse function arguments"
    r"|unsupported (?:call|tool)"
    r"|apply_patch verification failed|command timed out after |write_stdin failed|tool call (?:error|failed)"
    r"|Mcp error|MCP error|Failed to |error: |Error: |err: |collab spawn failed|unified exec error|sandbox error"
)
_NOT_BEGUN: Final = late(
    r"apply_patch verification failed|failed to parse function arguments|unsupported (?:call|tool)"
)
"""A patch is checked as a whole before its first file is written."""
_SANDBOX_EXIT: Final = late(r"failed in sandbox.{0,400}?exit code: (-?\d{1,10})", re.DOTALL)


@light
class Told:
    """What an output row tells."""

    outcome: Outcome
    text: str
    exit_code: int | None = None
    effects_unknown: bool = False
    nothing_done: bool = False
    """The agent looked at what was asked and did not begin."""
    running: str = ""
    """The agent's name for the process that goes on."""

    @property
    def never_ran(self) -> bool:
        """Whether it is the agent's own word, and not a command's, that nothing was begun."""
        return self.nothing_done and self.exit_code is None and _not_begun(self.text)


def read_output(value: object) -> Told:
    """The outcome in `output`: a string, a string that holds JSON, an array of content items, or an object."""
    if isinstance(value, str):
        return _from_string(value)
    if is_list(value):
        return _judge("\n".join(part for part in texts(value) if part))
    if not is_dict(value):
        return Told(Outcome.OK, "")
    told = read_output(value["content"]) if "content" in value else _judge(as_text(value.get("text")))
    if value.get("success") is False and told.outcome is Outcome.OK:
        return Told(Outcome.ERROR, told.text, told.exit_code)
    return told


def _from_string(text: str) -> Told:
    if text[:1] == "{" and text.rstrip()[-1:] == "}":
        inner = parse_object(text)
        if isinstance(inner.get("output"), str):
            return _from_json(as_text(inner["output"]), as_int(as_dict(inner.get("metadata")).get("exit_code")))
        if inner.get("isError") is True or inner.get("is_error") is True:
            return Told(Outcome.ERROR, text)
    return _judge(text)


def _from_json(output: str, code: int | None) -> Told:
    """The exit code decides; the words beside it are the command's own, unless it failed or has no code."""
    if code == 0:
        return Told(Outcome.OK, output, 0)
    if code is None:
        return _judge(output)
    if _ABORTED.match(output):
        return Told(Outcome.INTERRUPTED, output, code, effects_unknown=True)
    if _REFUSED.match(output):
        return Told(Outcome.DENIED, output, code)
    late = output.startswith("command timed out after ")
    return Told(Outcome.ERROR, output, code, effects_unknown=late, nothing_done=_not_begun(output))


class _Header(NamedTuple):
    """What the lines before an output say of it."""

    end: int
    """Where they end; 0 where there are none."""
    exit_code: int | None
    running: str
    script: str
    timeout: bool
    aborted: bool


_NO_HEADER: Final = _Header(0, None, "", "", timeout=False, aborted=False)


def _read_header(text: str) -> _Header:
    found = _HEADER.match(text)
    if found is None or not found.end():
        return _NO_HEADER
    end, code = found.end(), found["exit"] if found.start("exit") > found.start("code") else found["code"]
    running = found["running"] or ""
    if found.start("cell") > found.start("running"):
        running = f"cell {found['cell']}"
    return _Header(
        end if text[end - 1] == "\n" else text.rfind("\n", 0, end) + 1,
        None if code is None else int(code),
        running,
        found["script"] or "",
        found["timeout"] is not None,
        found["aborted"] is not None,
    )


def _judge(text: str) -> Told:
    """Read the header lines; without one, look for known beginnings."""
    end, exit_code, running, script, timeout, aborted = _read_header(text)
    body = text[end:]
    if aborted or _ABORTED.match(text):
        return Told(Outcome.INTERRUPTED, text, exit_code, effects_unknown=True)
    if not end or not body.startswith("Output:"):
        if _REFUSED.match(body):
            return Told(Outcome.DENIED, text, exit_code)
        if exit_code is None and not running and not script and _FAILED.match(body):
            return _known_failure(text, body)
    if timeout or script == "terminated":
        return Told(Outcome.ERROR, text, exit_code, effects_unknown=True)
    if script == "failed" or exit_code:
        return Told(Outcome.ERROR, text, exit_code, nothing_done=_not_begun(body.removeprefix("Output:").lstrip()))
    return Told(Outcome.OK, text, exit_code, running=running)


def _known_failure(text: str, body: str) -> Told:
    told = _SANDBOX_EXIT.match(body)
    late = body.startswith("command timed out")
    code = int(told[1]) if told else None
    return Told(Outcome.ERROR, text, code, effects_unknown=late, nothing_done=_not_begun(body))


def _not_begun(body: str) -> bool:
    return _NOT_BEGUN.match(body) is not None
