"""What finished units tell: `item_completed` of paginated threads, and the older events that say the same.

Each becomes a `Done`: the call's id, how it went, and what to make of it when no call row has that id (code mode).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from refloat.model.light import light, replace
from refloat.model.transcript import FileEdit, Outcome, StepKind
from refloat.readers.codex.calls import (
    Asked,
    as_json,
    asked,
    changed_files,
    full_name,
    item_cwd,
    parsed_kind,
    shell,
    web_query,
)
from refloat.readers.codex.shape import Json, as_dict, as_id, as_int, as_list, as_text, texts

_KNOWN: Final = Asked("exec_command", StepKind.COMMAND, "", "")
_STATUS: Final[dict[str, Outcome]] = {
    "completed": Outcome.OK,
    "failed": Outcome.ERROR,
    "declined": Outcome.DENIED,
    "interrupted": Outcome.INTERRUPTED,
}


@light
class Done:
    """A finished unit of work."""

    id: str
    asked: Asked
    outcome: Outcome
    exit_code: int | None = None
    output: str = ""
    edits: tuple[FileEdit, ...] | None = None
    kind: StepKind | None = None
    effects_unknown: bool = False


def read_item(item: Json, cwd: str, known: str | None = None) -> Done | None:
    """A tool item of `item_completed`; None for items that are no tool calls. `known`: the kind of its call's row."""
    match as_text(item.get("type")):
        case "CommandExecution":
            return command(item, as_id(item.get("id")), cwd, known)
        case "FileChange":
            return file_change(item, as_id(item.get("id")), cwd)
        case "McpToolCall":
            return _mcp_item(item, cwd)
        case "DynamicToolCall":
            return _dynamic(item, as_id(item.get("id")), cwd)
        case "CollabAgentToolCall":
            return _collab(item, cwd)
        case "ImageView":
            return _plain(item, asked("view_image", {"path": item_cwd(item.get("path"), cwd)}, as_json(item), cwd))
        case "WebSearch":
            return _plain(item, _web(as_text(item.get("query")) or web_query(item.get("action"))))
        case "ImageGeneration":
            return _plain(item, Asked("image_generation", StepKind.OTHER, "image_generation", as_json(item)))
        case "Sleep":
            return _plain(item, Asked("sleep", StepKind.OTHER, "sleep", as_json(item)))
        case _:
            return None


def read_event(payload: Json, cwd: str) -> Done | None:
    """One of the older `*_end` events; None for any other."""
    call = as_id(payload.get("call_id"))
    match as_text(payload.get("type")):
        case "patch_apply_end":
            return file_change(payload, call, cwd)
        case "exec_command_end":
            return command(payload, call, cwd)
        case "mcp_tool_call_end":
            return _mcp_event(payload, call, cwd)
        case "web_search_end":
            return Done(call, _web(as_text(payload.get("query")) or web_query(payload.get("action"))), Outcome.OK)
        case "image_generation_end":
            return Done(
                call, Asked("image_generation", StepKind.OTHER, "image_generation", as_json(payload)), Outcome.OK
            )
        case "view_image_tool_call":
            return Done(call, asked("view_image", {"path": payload.get("path")}, as_json(payload), cwd), Outcome.OK)
        case "dynamic_tool_call_response":
            return _dynamic(payload, call, cwd)
        case _:
            return None


def command(item: Json, call: str, cwd: str, known: str | None = None) -> Done:
    """`CommandExecution` or `exec_command_end`; with the kind of a `known` call its command is not read again."""
    user = item.get("source") == "user_shell"
    if known is None or user:
        where = item_cwd(item.get("cwd"), cwd)
        name = "user_shell" if user else "exec_command"
        request = shell(name, item.get("command"), as_json(item.get("command")), where)
        known = request.kind
    else:
        request = _KNOWN
    kind = parsed_kind(item.get("parsed_cmd")) if known == StepKind.COMMAND else None
    if kind is not None:
        request = replace(request, kind=kind)
    code = as_int(item.get("exit_code"))
    outcome = _outcome(item, Outcome.ERROR if code else Outcome.OK)
    output = next((text for key in ("aggregated_output", "formatted_output") if (text := as_text(item.get(key)))), "")
    output = output or as_text(item.get("stdout")) + as_text(item.get("stderr"))
    refused = outcome is Outcome.DENIED
    # The item is written when a process ends; one that says "in progress" was written because its turn was stopped.
    stopped = outcome is Outcome.INTERRUPTED
    return Done(call, request, outcome, code, output, () if refused else None, kind, stopped)


def file_change(item: Json, call: str, cwd: str) -> Done:
    """`FileChange` or `patch_apply_end`: the record of what was really changed."""
    edits = changed_files(item.get("changes"), cwd)
    names = ", ".join(dict.fromkeys(edit.path for edit in edits))
    request = Asked(
        "apply_patch", StepKind.EDIT, names or "apply_patch", as_json(item.get("changes")), None, cwd, (), edits
    )
    success = item.get("success")
    outcome = _outcome(item, Outcome.ERROR if success is False else Outcome.OK)
    if outcome is Outcome.OK and success is False:
        outcome = Outcome.ERROR
    output = as_text(item.get("stdout")) + as_text(item.get("stderr"))
    if outcome is Outcome.DENIED:
        return Done(call, request, outcome, None, output, ())
    # A failed patch may have been applied up to the file that it failed on.
    return Done(call, request, outcome, None, output, edits or None, effects_unknown=outcome is not Outcome.OK)


def _outcome(item: Json, otherwise: Outcome) -> Outcome:
    status = as_text(item.get("status"))
    if status == "declined":
        return Outcome.DENIED
    if status in {"in_progress", "inProgress"} and as_int(item.get("exit_code")) is None:
        return Outcome.INTERRUPTED
    if status in _STATUS:
        told = _STATUS[status]
        return otherwise if told is Outcome.OK else told
    return otherwise


def _mcp_item(item: Json, cwd: str) -> Done:
    server, tool = as_text(item.get("server")), as_text(item.get("tool"))
    result, error = as_dict(item.get("result")), as_dict(item.get("error"))
    bad = bool(error) or result.get("isError") is True
    output = as_text(error.get("message")) or "\n".join(part for part in texts(result.get("content")) if part)
    kind = StepKind.READ if item.get("readOnlyHint") is True else None
    request = asked(full_name(tool, f"mcp__{server}"), {}, as_json(item.get("arguments")), cwd)
    request = replace(request, kind=kind or request.kind)
    outcome = _outcome(item, Outcome.ERROR if bad else Outcome.OK)
    return Done(as_id(item.get("id")), request, outcome, None, output, None, kind, outcome is Outcome.INTERRUPTED)


def _mcp_event(payload: Json, call: str, cwd: str) -> Done:
    told = as_dict(payload.get("invocation"))
    tool = full_name(as_text(told.get("tool")), f"mcp__{as_text(told.get('server'))}")
    request = asked(tool, {}, as_json(told.get("arguments")), cwd)
    result = as_dict(payload.get("result"))
    if "Err" in result:
        said = as_json(result["Err"])
        refused = "user rejected" in said[:200] or "rejected by user" in said[:200]
        return Done(call, request, Outcome.DENIED if refused else Outcome.ERROR, None, said)
    good = as_dict(result.get("Ok"))
    bad = good.get("isError") is True or good.get("is_error") is True
    output = "\n".join(part for part in texts(good.get("content")) if part)
    return Done(call, request, Outcome.ERROR if bad else Outcome.OK, None, output)


def _dynamic(item: Json, call: str, cwd: str) -> Done:
    tool = full_name(as_text(item.get("tool")), as_text(item.get("namespace"))) or "dynamic_tool"
    arguments = item.get("arguments")
    request = asked(tool, as_dict(arguments), as_json(arguments), cwd)
    error = item.get("error")
    said = as_text(error) or as_text(as_dict(error).get("message"))
    bad = item.get("success") is False or bool(error)
    output = "\n".join(part for part in texts(item.get("content_items")) if part) or said
    return Done(call, request, _outcome(item, Outcome.ERROR if bad else Outcome.OK), None, output)


def _collab(item: Json, cwd: str) -> Done:
    tool = as_text(item.get("tool")) or "spawn_agent"
    request = asked(tool, {"prompt": item.get("prompt")}, as_json(item), cwd)
    request = replace(request, kind=StepKind.SUBAGENT)
    states = as_dict(item.get("agents_states"))
    output = "\n".join(f"{thread}: {_agent_state(state)}" for thread, state in states.items())
    return Done(as_id(item.get("id")), request, _outcome(item, Outcome.OK), None, output or receivers(item))


def receivers(item: Mapping[str, object]) -> str:
    """The threads that a call to other agents spoke to."""
    return ", ".join(as_text(thread) for thread in as_list(item.get("receiver_thread_ids")))


def _agent_state(state: object) -> str:
    told = as_dict(state)
    return ", ".join(f"{key}: {as_text(text)}" for key, text in told.items()) if told else as_text(state)


def _web(query: str) -> Asked:
    return Asked("web_search", StepKind.WEB, query or "web_search", query)


def _plain(item: Json, request: Asked) -> Done:
    return Done(as_id(item.get("id")), request, Outcome.OK)
