"""What a tool call says for itself: its kind, its object, the edits that it asks for.

Decides from the tool's name and arguments alone. Refuses to decide what came of it (`results`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from refloat.model.light import light
from refloat.model.session import PendingKind
from refloat.model.stamp import Stamp
from refloat.model.transcript import Background, FileEdit, Hunk, StepKind
from refloat.readers.claude_code.values import Row, json_text, objects, text
from refloat.readers.patch import absolute
from refloat.readers.shell import read_shell

SHELLS: Final = frozenset({"Bash", "PowerShell"})
FILE_EDITORS: Final = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})
AGENTS: Final = frozenset({"Task", "Agent", "Workflow"})

_KINDS: Final = {
    **dict.fromkeys(FILE_EDITORS, StepKind.EDIT),
    **dict.fromkeys(("Read", "NotebookRead", "LS"), StepKind.READ),
    **dict.fromkeys(("TaskOutput", "BashOutput", "AgentOutputTool"), StepKind.READ),
    **dict.fromkeys(("Glob", "Grep", "LSP", "ToolSearch"), StepKind.SEARCH),
    **dict.fromkeys(("WebFetch", "WebSearch", "web_search", "web_fetch"), StepKind.WEB),
    **dict.fromkeys((*AGENTS, "SendMessage", "TeamCreate", "TeamDelete"), StepKind.SUBAGENT),
    **dict.fromkeys(("TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"), StepKind.PLAN),
    **dict.fromkeys(("EnterPlanMode", "ExitPlanMode", "exit_plan_mode"), StepKind.PLAN),
    **dict.fromkeys(("RemoteTrigger", "PushNotification", "Artifact"), StepKind.EXTERNAL),
}
_PENDING: Final[dict[str, PendingKind]] = {
    "AskUserQuestion": "input",
    "ExitPlanMode": "approval",
    "exit_plan_mode": "approval",
}
_OBJECTS: Final = (
    "file_path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "subject",
    "skill",
    "command",
    "path",
    "task_id",
    "bash_id",
    "shell_id",
    "taskId",
    "name",
    "message",
    "prompt",
    "plan",
)
"""Arguments that say what a call is about, the most telling first."""
_RANK: Final = {name: rank for rank, name in enumerate(_OBJECTS)}

_TELLING: Final = 200
"""Characters of each argument that tell one call from another."""


@light
class Asked:
    """What a call asks for."""

    kind: StepKind
    summary: str
    command: str | None = None
    files: tuple[str, ...] = ()
    edits: tuple[FileEdit, ...] = ()
    pending: PendingKind | None = None


def read_call(tool: str, given: Row, cwd: str, *, skim: bool = False) -> Asked:
    """What a call of `tool` with the arguments `given` asks for; `cwd` is the directory of its row."""
    if tool in SHELLS:
        return _command(tool, text(given.get("command")), cwd, skim=skim)
    if tool in FILE_EDITORS:
        return _editor(tool, given, cwd, skim=skim)
    kind = _KINDS.get(tool) or _other_kind(tool, skim=skim)
    path = text(given.get("file_path")) or text(given.get("notebook_path"))
    files = (absolute(path, cwd),) if path and kind is StepKind.READ else ()
    return Asked(kind, _summary(tool, given), files=files, pending=_PENDING.get(tool))


def telling(tool: str, given: Row, at: Stamp | None) -> str:
    """A copied row keeps its time and its input; a row of the same id with another of either is another call."""
    told = f"{at or ''}\0{tool}"
    for value in given.values():
        if isinstance(value, str):
            told += f"\0{len(value)}:{value[:_TELLING]}"
    return told


def _other_kind(tool: str, *, skim: bool) -> StepKind:
    if skim or not tool.startswith("mcp__"):
        return StepKind.OTHER
    from refloat.commands import mcp_kind  # a shell's grammar, which who only counts does not need

    return mcp_kind(tool)


def _kind_of(command: str) -> StepKind:
    from refloat.commands import classify  # as above

    return classify(command)


def _command(tool: str, command: str, cwd: str, *, skim: bool) -> Asked:
    edits, only = read_shell(command, cwd) if tool == "Bash" else ((), False)
    kind = StepKind.EDIT if only else StepKind.COMMAND if skim else _kind_of(command)
    files = tuple(dict.fromkeys(edit.path for edit in edits))
    return Asked(kind, command, command=command, files=files, edits=edits)


def _editor(tool: str, given: Row, cwd: str, *, skim: bool) -> Asked:
    path = text(given.get("file_path")) or text(given.get("notebook_path")) or text(given.get("path"))
    if not path:
        return Asked(StepKind.EDIT, tool)
    if skim:
        return _touched(path, cwd)
    whole = absolute(path, cwd)
    return Asked(StepKind.EDIT, path, files=(whole,), edits=(_wanted(tool, given, whole),))


@lru_cache(maxsize=256)
def _touched(path: str, cwd: str) -> Asked:
    """An edit of a file of which nothing but that is wanted."""
    whole = absolute(path, cwd)
    return Asked(StepKind.EDIT, path, files=(whole,), edits=(FileEdit(whole, "update"),))


def _wanted(tool: str, given: Row, path: str) -> FileEdit:
    match tool:
        case "Write":
            content = given.get("content")
            return FileEdit(path, "create", after=content if isinstance(content, str) else None)
        case "MultiEdit":
            changes = list(objects(given.get("edits")))
            return FileEdit(
                path,
                "update",
                hunks=tuple(replacement(text(c.get("old_string")), text(c.get("new_string"))) for c in changes),
                replace_all=bool(changes) and all(c.get("replace_all") is True for c in changes),
            )
        case "Edit":
            old, new = text(given.get("old_string")), text(given.get("new_string"))
            if not old:
                return FileEdit(path, "create", after=new)
            return FileEdit(
                path, "update", hunks=(replacement(old, new),), replace_all=given.get("replace_all") is True
            )
        case _:
            return FileEdit(path, "update")


def replacement(old: str, new: str) -> Hunk:
    """A hunk without a place: `old` becomes `new`. A line end that both end with is left out."""
    if old.endswith("\n") and (new.endswith("\n") or not new):
        old, new = old[:-1], new[:-1]
    gone = old.split("\n") if old else []
    came = new.split("\n") if new else []
    lines = ["-" + line for line in gone] + ["+" + line for line in came]
    return Hunk(None, len(gone), None, len(came), tuple(lines))


def _summary(tool: str, given: Row) -> str:
    if tool == "AskUserQuestion":
        asked = [text(question.get("question")) for question in objects(given.get("questions"))]
        return "\n".join(filter(None, asked)) or tool
    if tool == "TodoWrite":
        return "\n".join(text(todo.get("content")) for todo in objects(given.get("todos"))) or tool
    if tool == "SlashCommand":
        return text(given.get("command")) or tool
    if tool == "Skill":
        return " ".join(filter(None, (text(given.get("skill")), text(given.get("args"))))) or tool
    said, best = "", len(_RANK)
    for name, value in given.items():
        rank = _RANK.get(name, best)
        if rank < best and isinstance(value, str) and value:
            said, best = value, rank
    if tool.startswith("mcp__"):
        return " ".join([*filter(None, tool.split("__")[1:]), said or json_text(given)])
    return said or tool


def background(name: str, kind: str, what: str, *, running: bool, output: str = "") -> Background:
    """A Background of a kind that came back out of frozen state as plain text."""
    match kind:
        case "watcher" | "dev_server" | "timer" | "subagent" | "queued_prompt":
            return Background(name, kind, what, running, output=output)
        case _:
            return Background(name, "background_shell", what, running, output=output)
