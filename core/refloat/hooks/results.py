"""What a tool's result says: how it ended, with which code, and one line on what was done.

Decides from what stands in the event alone. Refuses to take silence for success where the agent is silent about
failures, too: how such a command ended is told as unknown (`dangling`).
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from refloat.hooks.events import Event, mapping, value_of
from refloat.model.saving import SavedOutcome
from refloat.text import cut, one_line

LONGEST: Final = 2000
"""Characters of a summary."""
_TOLD: Final = (
    "file_path",
    "notebook_path",
    "path",
    "pattern",
    "url",
    "query",
    "description",
    "skill",
)
"""What of a tool's input says best what it does, in this order."""
_FILE: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_CODEX_CODE: Final = re.compile(r"Exit code: (-?\d{1,10})\n")
"""The head that some builds of Codex write above a patch's result (formats: codex)."""
_CLAUDE_CODE: Final = re.compile(r"Exit code (\d{1,3})(?:\n|$)")
_REFUSED: Final = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission to use ",
    "Permission for this ",
)
_SHELLS: Final = frozenset({"Bash", "shell", "local_shell", "exec_command", "shell_command", "unified_exec"})


class Result(NamedTuple):
    """How a tool's call ended."""

    outcome: SavedOutcome
    exit_code: int | None
    notes: tuple[str, ...]


def judge(event: Event) -> Result:
    """How a call ended, as far as its event tells."""
    notes = tuple(
        f"the {what} is cut: {member.size} bytes came, the first {len(member.raw)} are kept"
        for what, member in (("input", event.given), ("output", event.output))
        if member.is_cut
    )
    value = value_of(event.output)
    code = _exit_code(event, value)
    if event.failed:
        return Result(_failure(event, value), code, notes)
    told = mapping(value)
    if told.get("interrupted") is True or event.interrupted:
        return Result("interrupted", code, notes)
    if code or told.get("is_error") is True or told.get("isError") is True or told.get("success") is False:
        return Result("error", code, notes)
    if told.get("backgroundTaskId"):
        return Result("dangling", None, (*notes, "it was started in the background; its end was not told to the hook"))
    if event.agent == "codex" and event.tool in _SHELLS and code is None:
        return Result("dangling", None, (*notes, "Codex tells a hook the output alone: how it ended is not known"))
    return Result("ok", code, notes)


def summarise(event: Event, mask: Callable[[str], str]) -> str:
    """One line on what was done. `mask` is called before a long one is cut: half a secret is not found any more."""
    told = _what(event)
    line = one_line(told)
    return line if len(line) <= LONGEST else cut(one_line(mask(told)), LONGEST)


def command_of(event: Event) -> str | None:
    """The shell command of a call; None where it is no such call, or cut."""
    told = mapping(value_of(event.given))
    command = next((told[key] for key in ("command", "cmd") if key in told), None)
    if isinstance(command, list):
        return " ".join(str(word) for word in command)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - text of any kind
    return command if isinstance(command, str) else None


def _what(event: Event) -> str:
    command = command_of(event)
    if event.tool == "apply_patch":
        return f"apply_patch {', '.join(_FILE.findall(command or ''))}".strip()
    if command is not None:
        return command
    told: Mapping[str, object] = mapping(value_of(event.given))
    said = next((text for key in _TOLD if isinstance(text := told.get(key), str) and text), "")
    return f"{event.tool} {said}".strip()


def _exit_code(event: Event, value: object) -> int | None:
    told = mapping(value)
    for place in (told, mapping(told.get("metadata"))):
        for name in ("exit_code", "exitCode"):
            code = place.get(name)
            if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31:
                return code
    if not isinstance(value, str):
        return None
    if event.agent == "codex":  # of a shell it tells the command's own output alone, whose head is that command's word
        found = _CODEX_CODE.match(value) if event.tool not in _SHELLS else None
    else:
        found = _CLAUDE_CODE.match(value) if event.failed and event.tool == "Bash" else None
    return int(found[1]) if found and abs(int(found[1])) < 2**31 else None


def _failure(event: Event, value: object) -> SavedOutcome:
    if event.interrupted:
        return "interrupted"
    return "denied" if isinstance(value, str) and value.startswith(_REFUSED) else "error"
