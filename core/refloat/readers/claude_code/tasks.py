"""Background work: which result began it, which row tells that it ended, and how the call that began it went.

Decides that a command which was left running went as its end says (formats/claude-code, section 5.4): "running in the
background" was no result. Refuses to end a call twice, and to call a server that somebody stopped interrupted.
"""

from __future__ import annotations

import re
from typing import Final

from refloat.model.light import light
from refloat.model.transcript import Background, BackgroundSeen, Marker, Outcome, Result
from refloat.patterns import late
from refloat.readers.claude_code import talk
from refloat.readers.claude_code.here import Here
from refloat.readers.claude_code.results import OpenCall
from refloat.readers.claude_code.state import RECENT, State
from refloat.readers.claude_code.tools import AGENTS, SHELLS, background
from refloat.readers.claude_code.values import NOTHING, Row, mapping, number, text
from refloat.readers.running import kind_of_running

STOPPERS: Final = frozenset({"TaskStop", "KillShell", "KillBash"})
ASKERS: Final = frozenset({"TaskOutput", "BashOutput", "AgentOutputTool"})
_IN_BACKGROUND: Final = late(r"Command running in background with ID: ([^\s.,]+)")
_WRITTEN_TO: Final = late(r"Output is being written to: (/\S+)")
_TASK_TEXT: Final = late(r"<(task_id|status|exit_code)>(.*?)</\1>", re.DOTALL)
_TASK_OUTPUT: Final = late(r"<(output|stdout)>\n?(.*)</\1>", re.DOTALL)
_EXIT_TOLD: Final = late(r"(?:\(exit code |with exit code )(-?\d{1,10})\)?\.?\s*$")
_RUNNING: Final = frozenset({"running", "pending", "in_progress"})
_KILLED: Final = frozenset({"killed", "stopped", "cancelled", "timed_out"})
_FAILED: Final = frozenset({"failed", "error"})
_ENDED: Final = frozenset({"completed"}) | _KILLED | _FAILED
_MEANT_TO_BE_STOPPED: Final = frozenset({"dev_server", "watcher", "timer"})


@light
class _Told:
    """What one row says of a task."""

    name: str
    status: str
    what: str = ""
    exit_code: int | None = None
    output: str = ""


def notified(state: State, said: str, here: Here) -> None:
    """The program tells the agent that background work ended, or what it says meanwhile."""
    fields, agent = hear(state, said, here)
    shown = "\n".join(filter(None, (fields.get("summary", ""), fields.get("result", "")))) or said
    here.events.append(Marker("subagent" if agent else "notice", shown, here.at, here.place))


def hear(state: State, said: str, here: Here) -> tuple[dict[str, str], bool]:
    """What a notice tells of a task is an event; its fields, and whether it is about a sub-agent."""
    fields = talk.notification(said)
    name, summary, status = fields.get("task-id", ""), fields.get("summary", ""), fields.get("status", "")
    known = state.background.get(name)
    agent = known[0] == "subagent" if known else summary.startswith(("Agent", "Task"))
    if name and (status in _ENDED or status == "running"):
        code = _EXIT_TOLD.search(summary)
        told = _Told(name, status, summary, int(code[1]) if code else None)
        seen(state, _of_task(state, told, here, "subagent" if agent else "background_shell"), here)
    return fields, agent


def task_status(state: State, held: Row, here: Here) -> None:
    """An attachment that tells how a task stands."""
    name, status = text(held.get("taskId")), text(held.get("status"))
    if name and status:
        kind = "subagent" if "agent" in text(held.get("taskType")) else "background_shell"
        seen(state, _of_task(state, _Told(name, status, text(held.get("description"))), here, kind), here)


def seen(state: State, work: Background, here: Here) -> None:
    """Background work was told of outside the result that started it."""
    _remember(state, work)
    here.events.append(BackgroundSeen(work, here.at))


def told_by_result(state: State, name: str, call: OpenCall, told: object, output: str, here: Here) -> Background | None:
    """The background work that a good result started, or saw at its end; how what began it went is an event."""
    work = _begun(state, name, call, mapping(told), output) or _ended(state, call, told, output, here)
    if work is not None:
        _remember(state, work, name)
    return work


def _remember(state: State, work: Background, call: str = "") -> None:
    if work.running:
        before = state.background.get(work.id)
        state.background[work.id] = [work.kind, work.what, before[2] if before else call]
    else:
        state.background.pop(work.id, None)


# ── how it began ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _begun(state: State, name: str, call: OpenCall, result: Row, output: str) -> Background | None:
    tool = call.tool
    if task := text(result.get("backgroundTaskId")):
        return _shell(task, call, output)
    if tool in SHELLS and (match := _IN_BACKGROUND.match(output)):
        return _shell(match[1], call, output)
    if tool in AGENTS or (not tool and "agentId" in result):
        return _agent(call, result)
    if tool == "Monitor":
        task = text(result.get("taskId")) or text(result.get("task_id")) or name
        return background(task, "watcher", call.command, running=True)
    if tool in {"ScheduleWakeup", "CronCreate"}:
        task = text(result.get("id")) or name
        state.wakeups.append(task)
        del state.wakeups[:-RECENT]
        return background(task, "timer", call.command, running=True)
    return None


def _shell(task: str, call: OpenCall, output: str) -> Background:
    written = _WRITTEN_TO.search(output)
    place = written[1].rstrip(".") if written else ""
    kind = "watcher" if call.tool == "Monitor" else kind_of_running(call.command)
    return background(task, kind, call.command, running=True, output=place)


def _agent(call: OpenCall, result: Row) -> Background | None:
    named = (text(result.get(key)) for key in ("agentId", "agent_id", "runId", "taskId"))
    name = next(filter(None, named), "")
    if not name:
        return None
    running = result.get("isAsync") is True or text(result.get("status")) in {"async_launched", "teammate_spawned"}
    return background(name, "subagent", text(result.get("description")) or call.command, running=running)


# ── how it ended ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _ended(state: State, call: OpenCall, told: object, output: str, here: Here) -> Background | None:
    if call.tool == "CronDelete" and call.command:
        return background(call.command, "timer", "", running=False)
    if call.tool in STOPPERS and call.command:
        return _of_task(state, _Told(call.command, "killed"), here)
    found = _structured(told)
    if found is None and call.tool in ASKERS and not isinstance(told, dict):
        found = _in_words(call.command, output)
    return None if found is None else _of_task(state, found, here)


def _structured(told: object) -> _Told | None:
    """What a TaskOutput or BashOutput result tells of a task."""
    result = mapping(told)
    task = mapping(result.get("task")) or (result if "shellId" in result else NOTHING)
    name = text(task.get("task_id")) or text(task.get("shellId"))
    status = text(task.get("status"))
    if not name or not status:
        return None
    parts = (text(task.get(key)) for key in ("output", "stdout", "stderr"))
    what = text(task.get("description")) or text(task.get("command"))
    return _Told(name, status, what, number(task.get("exitCode")), "\n".join(filter(None, parts)))


def _in_words(asked: str, output: str) -> _Told | None:
    fields = dict(_TASK_TEXT.findall(output[:4000]))
    name, status, code = fields.get("task_id", asked), fields.get("status", ""), fields.get("exit_code", "").strip()
    if not name or status not in {*_ENDED, "running"}:
        return None
    printed = _TASK_OUTPUT.search(output)
    whole = code.removeprefix("-").isdecimal() and len(code) < 11
    return _Told(name, status, "", int(code) if whole else None, printed[2] if printed else "")


def _of_task(state: State, told: _Told, here: Here, kind: str = "background_shell") -> Background:
    """The work that a row tells of; where that says how it ended, what began it learns how it went."""
    kind, what, call = state.background.get(told.name) or [kind, told.what, ""]
    work = background(told.name, kind, what, running=told.status in _RUNNING)
    if call and not work.running and kind != "subagent":
        outcome = _outcome(told, kind)
        unsure = outcome is Outcome.INTERRUPTED
        here.events.append(
            Result(
                call, outcome, here.at, here.place, told.exit_code, told.output, effects_unknown=unsure,
                background=work, partial=True,
            )
        )  # fmt: skip
    return work


def _outcome(told: _Told, kind: str) -> Outcome:
    if told.status in _KILLED:
        return Outcome.OK if kind in _MEANT_TO_BE_STOPPED else Outcome.INTERRUPTED
    return Outcome.ERROR if told.status in _FAILED or told.exit_code else Outcome.OK
