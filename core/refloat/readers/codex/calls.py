"""Tool calls of every era as `Call` values: what a tool is for, its command, its files, the edits that it asks for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import orjson

from refloat.model.light import light
from refloat.model.session import PendingKind
from refloat.model.transcript import FileEdit, StepKind
from refloat.patterns import late
from refloat.readers.codex.shape import Json, as_dict, as_id, as_list, as_text, is_list, parse_object
from refloat.readers.patch import BEGIN, absolute, local_path, parse_patch, parse_unified, touched_by
from refloat.readers.shell import read_shell, unwrap

_PENDING: Final[dict[str, PendingKind]] = {
    "request_user_input": "input",
    "request_user_input_async": "input",
    "request_permissions": "approval",
}
"""Tools that ask a person, and do nothing else."""
_KINDS: Final = {
    "update_plan": StepKind.PLAN,
    "view_image": StepKind.READ,
    "read_file": StepKind.READ,
    "list_mcp_resources": StepKind.READ,
    "list_mcp_resource_templates": StepKind.READ,
    "read_mcp_resource": StepKind.READ,
    "list_dir": StepKind.SEARCH,
    "grep_files": StepKind.SEARCH,
    "tool_search": StepKind.SEARCH,
    "web_search": StepKind.WEB,
    "web__run": StepKind.WEB,
    **dict.fromkeys(
        (
            "spawn_agent", "send_input", "wait", "wait_agent", "close_agent", "resume_agent", "send_message",
            "followup_task", "list_agents", "interrupt_agent",
        ),
        StepKind.SUBAGENT,
    ),
}  # fmt: skip
_SHELLS: Final = frozenset({"shell", "shell_command", "exec_command", "local_shell", "container.exec", "user_shell"})
_SHORT: Final = 200
_NAMED: Final = late(
    r"""\b(?:cmd|command)["']?\s*:\s*("(?:[^"\\\n]|\\.){1,4000}"|'(?:[^'\\\n]|\\.){1,4000}'|`[^`]{1,4000}`)"""
)


@light
class Asked:
    """What a tool row asks for."""

    tool: str
    kind: StepKind
    summary: str
    input: str
    command: str | None = None
    cwd: str | None = None
    files: tuple[str, ...] = ()
    edits: tuple[FileEdit, ...] = ()
    pending: PendingKind | None = None
    session: str = ""
    """The running process that it talks to."""


def as_json(value: object) -> str:
    """Arguments as text: a string as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except (TypeError, orjson.JSONEncodeError):
        return ""


def read_function(payload: Json, cwd: str, *, skim: bool = False) -> Asked:
    """A `function_call` row."""
    tool = full_name(as_text(payload.get("name")), as_text(payload.get("namespace")))
    raw = payload.get("arguments")
    return asked(tool, parse_object(raw), as_json(raw) if raw is not None else "", cwd, skim=skim)


def read_custom(payload: Json, cwd: str, *, skim: bool = False) -> Asked:
    """A `custom_tool_call` row: its input is raw text. `skim`: of edits the paths alone matter."""
    tool = full_name(as_text(payload.get("name")), as_text(payload.get("namespace")))
    raw = as_json(payload.get("input")) if payload.get("input") is not None else ""
    if tool == "apply_patch" or raw.lstrip().startswith(BEGIN):
        return patch(tool, raw, raw, cwd, skim=skim)
    if tool == "exec":
        return script(raw, cwd, skim=skim)
    return asked(tool, parse_object(raw), raw, cwd, skim=skim)


def read_local_shell(payload: Json, cwd: str) -> Asked:
    """A `local_shell_call` row."""
    action = as_dict(payload.get("action"))
    where = as_text(action.get("working_directory"))
    return shell("local_shell", action.get("command"), as_json(action), absolute(where, cwd) if where else cwd)


def full_name(name: str, namespace: str) -> str:
    """`mcp__server__tool`, also where the server stands apart."""
    if not namespace or name.startswith(namespace):
        return name
    return f"{namespace.rstrip('_')}__{name}" if namespace.startswith("mcp__") else name


def asked(tool: str, arguments: Json, raw: str, cwd: str, *, skim: bool = False) -> Asked:
    """A call by the name of its tool and its arguments."""
    if tool in _SHELLS:
        where = as_text(arguments.get("workdir")) or as_text(arguments.get("cwd"))
        command = arguments.get("cmd", arguments.get("command"))
        return shell(tool, command, raw, absolute(where, cwd) if where else cwd, skim=skim)
    if tool == "write_stdin":
        return _stdin(arguments, raw, cwd)
    if tool == "apply_patch":
        return patch(
            tool, as_text(arguments.get("input")) or as_text(arguments.get("patch")) or raw, raw, cwd, skim=skim
        )
    if tool == "wait" and as_id(arguments.get("cell_id")):
        cell = as_id(arguments.get("cell_id"))
        return Asked(tool, StepKind.COMMAND, f"wait for cell {cell}", raw, session=f"cell {cell}", cwd=cwd or None)
    if tool.startswith("mcp__"):
        kind = StepKind.OTHER if skim else _mcp_kind(tool)
        return Asked(tool, kind, _first_line(tool, raw), raw, cwd=cwd or None)
    path = as_text(arguments.get("path")) or as_text(arguments.get("file_path"))
    files = (absolute(path, cwd),) if path else ()
    pending = _PENDING.get(tool)
    kind = _KINDS.get(tool, StepKind.OTHER)
    return Asked(tool, kind, _summary(tool, arguments, path), raw, None, cwd or None, files, (), pending)


def shell(tool: str, command: object, raw: str, cwd: str, *, skim: bool = False) -> Asked:
    """A call that runs a shell command, given as words or as a line. `skim`: the kind matters only if it is `edit`."""
    line = unwrap([as_text(word) for word in as_list(command)]) if is_list(command) else as_text(command)
    cwd = absolute(cwd, "") if cwd else ""
    words = [as_text(word) for word in as_list(command)] if is_list(command) else []
    if len(words) == 2 and words[0] in {"apply_patch", "applypatch"}:
        return Asked(
            tool, StepKind.EDIT, "apply_patch", raw, "apply_patch", cwd or None, (), parse_patch(words[1], cwd)
        )
    kind, edits = _short_shell(line, cwd, skim) if len(line) < _SHORT else _judge_shell(line, cwd, skim)
    return Asked(tool, kind, line, raw, line or None, cwd or None, (), edits)


def _judge_shell(line: str, cwd: str, skim: bool) -> tuple[StepKind, tuple[FileEdit, ...]]:
    edits, only = read_shell(line, cwd) if line else ((), False)
    if skim and not edits:
        return (StepKind.EDIT if only else StepKind.COMMAND), ()
    kind = StepKind.EDIT if only else _classify(line)
    if edits and kind in {StepKind.COMMAND, StepKind.READ, StepKind.SEARCH, StepKind.OTHER}:
        kind = StepKind.EDIT
    return kind, edits


_short_shell = lru_cache(maxsize=512)(_judge_shell)
"""The same few commands are run over and over; long ones are not kept."""


def _classify(line: str) -> StepKind:
    from refloat.commands import classify  # a shell's grammar, which who only counts or searches does not need

    return classify(line)


def _mcp_kind(tool: str) -> StepKind:
    from refloat.commands import mcp_kind  # as above

    return mcp_kind(tool)


def _stdin(arguments: Json, raw: str, cwd: str) -> Asked:
    session = as_id(arguments.get("session_id"))
    chars = as_text(arguments.get("chars"))
    summary = f"write to process {session}: {chars}" if chars else f"look at process {session}"
    return Asked("write_stdin", StepKind.COMMAND, summary, raw, cwd=cwd or None, session=session)


def patch(tool: str, text: str, raw: str, cwd: str, *, skim: bool = False) -> Asked:
    """A call that applies a patch."""
    edits = touched_by(text, cwd) if skim else parse_patch(text, cwd)
    names = ", ".join(dict.fromkeys(edit.path for edit in edits))
    return Asked(tool, StepKind.EDIT, names or tool, raw, None, cwd or None, (), edits)


def script(raw: str, cwd: str, *, skim: bool = False) -> Asked:
    """A program in code mode: its kind is the strongest of what it names."""
    commands = named_commands(raw)
    kinds = set[StepKind]() if skim else {_classify(command) for command in commands}
    kind = next((k for k in (StepKind.EXTERNAL, StepKind.CHECK) if k in kinds), StepKind.COMMAND)
    line = "\n".join(commands)
    return Asked("exec", kind, "; ".join(commands) or _first_line("exec", raw), raw, line or None, cwd or None)


def named_commands(source: str) -> tuple[str, ...]:
    """The commands that a code-mode program names in `cmd: "…"` strings, in their order."""
    return tuple(_unquote(found[1]) for found in _NAMED.finditer(source))


def _unquote(quoted: str) -> str:
    if quoted[0] == '"' and (inner := as_text(parse_object('{"s":' + quoted + "}").get("s"))):
        return inner
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), quoted[1:-1], flags=re.DOTALL)


def _summary(tool: str, arguments: Json, path: str) -> str:
    if tool == "update_plan":
        rows = [as_dict(row) for row in as_list(arguments.get("plan"))]
        now = [as_text(row.get("step")) for row in rows if row.get("status") == "in_progress"]
        return "; ".join(now) or as_text(arguments.get("explanation")) or f"a plan of {len(rows)}"
    for key in ("query", "message", "prompt", "target", "url", "id"):
        if said := as_text(arguments.get(key)):
            return said
    questions = [as_text(as_dict(row).get("question")) for row in as_list(arguments.get("questions"))]
    return path or "; ".join(question for question in questions if question) or tool


def _first_line(tool: str, raw: str) -> str:
    first = raw.strip().partition("\n")[0]
    return f"{tool} {first}" if first and first != "{}" else tool


def web_query(action: object) -> str:
    """What a web search looked for."""
    row = as_dict(action)
    listed = "; ".join(as_text(query) for query in as_list(row.get("queries")))
    return as_text(row.get("query")) or listed or as_text(row.get("url")) or as_text(row.get("pattern"))


def changed_files(changes: object, cwd: str) -> tuple[FileEdit, ...]:
    """The edits in `changes` of `patch_apply_end` or `FileChange`: what was really changed."""
    edits: list[FileEdit] = []
    for name, told in as_dict(changes).items():
        change, path = as_dict(told), absolute(name, cwd)
        match as_text(change.get("type")):
            case "add":
                edits.append(FileEdit(path, "create", after=_content(change)))
            case "delete":
                edits.append(FileEdit(path, "delete", before=_content(change), existed=True))
            case "update":
                moved = as_text(change.get("move_path"))
                hunks = parse_unified(as_text(change.get("unified_diff")))
                to = absolute(moved, cwd) if moved else None
                edits.append(FileEdit(path, "update", hunks=hunks, moved_to=None if to == path else to, existed=True))
            case _:
                continue
    return tuple(edits)


def _content(change: Json) -> str | None:
    content = change.get("content")
    return content if isinstance(content, str) else None


def parsed_kind(parsed: object) -> StepKind | None:
    """The kind that `parsed_cmd` tells, where all of its parts only look."""
    kinds = {as_text(as_dict(part).get("type")) for part in as_list(parsed)}
    if kinds and kinds <= {"read"}:
        return StepKind.READ
    return StepKind.SEARCH if kinds and kinds <= {"read", "list_files", "search"} else None


def item_cwd(value: object, cwd: str) -> str:
    """The directory of an item: a path or a `file://` URI."""
    told = as_text(value)
    return absolute(local_path(told), cwd) if told else cwd
