"""`user` and `assistant` rows: prompts, replies, calls, results, and how turns end.

Decides who speaks (with `talk`) and how a turn ends. Refuses to count as a prompt what no person wrote.
"""

from collections.abc import Mapping
from typing import Final

from refloat.model.session import Failure, FailureKind
from refloat.model.transcript import (
    Call,
    Fact,
    Marker,
    Message,
    Outcome,
    Queued,
    Result,
    StepKind,
    TakenBack,
    Touched,
    TurnBegan,
    TurnEnded,
    Unknown,
)
from refloat.patterns import late
from refloat.readers.claude_code import talk, tasks
from refloat.readers.claude_code.here import Here
from refloat.readers.claude_code.results import (
    UNKNOWN_CALL,
    OpenCall,
    judge,
    recorded_edits,
    told_of,
)  # fmt: skip
from refloat.readers.claude_code.state import RECENT, State
from refloat.readers.claude_code.tools import AGENTS, SHELLS, Asked, read_call, telling
from refloat.readers.claude_code.values import Row, json_text, listed, mapping, number, objects, text, version_of, words
from refloat.readers.patch import absolute

SYNTHETIC: Final = "<synthetic>"
ENDS: Final = frozenset({"end_turn", "stop_sequence"})
_STOP_ALWAYS_TOLD: Final = (2, 1, 97)
"""Since then a null stop reason says that a later block of the message never came; 2.1.38 wrote null on all rows."""
_TASK_NUMBER: Final = late(r"Task #(\S+) created")
_BASH_INPUT: Final = late(r"</?bash-input>")

# ── the agent ────────────────────────────────────────────────────────────────────────────────────────────────────────


def assistant(state: State, row: Row, here: Here) -> None:
    """One row of the agent's: mostly one block of a message."""
    message = mapping(row.get("message"))
    model = text(message.get("model"))
    content = message.get("content")
    if model == SYNTHETIC or row.get("isApiErrorMessage") is True:
        _synthetic(state, row, words(content), here)
        return
    _answered(state, here)
    if model and model != state.model:
        here.events.append(Fact("model", model, here.at))
        if state.model:
            here.events.append(Marker("model_change", f"{state.model} → {model}", here.at, here.place))
        state.model = model
    stop = message.get("stop_reason")
    said, called = _blocks(state, message, content, here)
    if isinstance(stop, str):
        state.tells_stop = state.version
    if called or row.get("isAbortedMidStream") is True:
        return
    if stop == "refusal":
        state.status = "failed"
        failure = Failure(FailureKind.UNKNOWN, said or "refusal", here.at)
        here.events.append(TurnEnded("failed", here.at, failure=failure))
    elif (isinstance(stop, str) and stop in ENDS) or (stop is None and said and null_may_end(state)):
        state.status = "completed"
        here.events.append(TurnEnded("completed", here.at))


def null_may_end(state: State) -> bool:
    """Whether words without a stop reason may end a turn."""
    return state.tells_stop != state.version and version_of(state.version) < _STOP_ALWAYS_TOLD


def _answered(state: State, here: Here) -> None:
    """The agent does something: whatever was said of the turn's end is over."""
    state.status, state.shut, state.retry, state.unanswered = "", False, None, False
    if state.command_at is not None:
        here.events.append(TurnBegan("", here.at))
        state.command_at = None


def _blocks(state: State, message: Row, content: object, here: Here) -> tuple[str, bool]:
    """The blocks of one row: its text, and whether it calls a tool."""
    name = text(message.get("id"))
    said: list[str] = [content] if isinstance(content, str) else []
    thought: list[str] = []
    calls: list[Row] = []
    for block in listed(content):
        block_row = mapping(block)
        match block_row.get("type"):
            case "text":
                said.append(text(block_row.get("text")))
            case "thinking":
                thought.append(text(block_row.get("thinking")))
            case "tool_use" | "server_tool_use":
                calls.append(block_row)
            case "redacted_thinking":
                pass
            case "fallback":
                models = f"{text(block_row.get('from'))} → {text(block_row.get('to'))}"
                here.events.append(Marker("model_change", models, here.at, here.place))
            case str() as kind if kind.endswith("_tool_result"):
                _server_result(block_row, here)
            case kind:
                here.events.append(Unknown(f"assistant/{kind}" if isinstance(kind, str) else "assistant/no type"))
    if thinking := "\n".join(filter(None, thought)):
        here.events.append(Message("thinking", thinking, here.at, here.place, name, here.row))
    reply = "\n".join(filter(None, said))
    if reply:
        here.events.append(Message("reply", reply, here.at, here.place, name, here.row))
    for block in calls:
        _call(state, block, name, here)
    return reply, bool(calls)


def _call(state: State, block: Row, message: str, here: Here) -> None:
    name, tool = text(block.get("id")), text(block.get("name"))
    if not name:
        here.events.append(Unknown("tool_use without an id"))
        return
    given = mapping(block.get("input"))
    asked = read_call(tool, given, state.cwd, skim=here.skim)
    server = block.get("type") == "server_tool_use"
    here.events.append(
        Call(
            name,
            tool,
            asked.kind,
            asked.summary,
            json_text(block.get("input")) if here.inputs else "",
            here.at,
            here.place,
            command=asked.command,
            cwd=state.cwd or None,
            files=asked.files,
            edits=asked.edits,
            message=message,
            pending=asked.pending,
            needs_result=not server,
            told=telling(tool, given, here.at),
        )
    )
    if server:
        return
    state.calls[name] = _open(tool, asked, given, state.cwd)
    state.recent.append([here.row, name])
    if len(state.recent) > RECENT:
        del state.recent[0]


def _open(tool: str, asked: Asked, given: Row, cwd: str) -> OpenCall:
    """What must be known of a call until its answer comes."""
    call = OpenCall(tool, asked.kind.value, cwd, writes=bool(asked.edits) and tool in SHELLS)
    if asked.command is not None:
        call.command = asked.command
    elif (
        tool in AGENTS
        or tool in tasks.STOPPERS
        or tool in tasks.ASKERS
        or tool in {"Monitor", "CronCreate", "CronDelete"}
    ):
        call.command = asked.summary
    if tool in {"TaskCreate", "TaskUpdate"}:
        call.task = [str(given.get("taskId") or ""), text(given.get("subject")), text(given.get("status"))]
    if tool == "CronDelete":
        call.command = text(given.get("id"))
    if tool == "ScheduleWakeup":
        call.command = text(given.get("reason")) or text(given.get("prompt"))
    return call


def _server_result(block: Row, here: Here) -> None:
    """The answer to a call that the provider itself carried out, inside the same message."""
    name = text(block.get("tool_use_id"))
    if not name:
        return
    content = block.get("content")
    failed = text(mapping(content).get("type")).endswith("_error")
    outcome = Outcome.ERROR if failed else Outcome.OK
    here.events.append(Result(name, outcome, here.at, here.place, output=words(content) or json_text(content)))


def _synthetic(state: State, row: Row, said: str, here: Here) -> None:
    """A row that the program wrote in the agent's place: an error that ended the turn, a notice, or filler."""
    if talk.is_error(row, said):
        _answered(state, here)
        failure = talk.failure_of(row, said, here.at)
        state.status = "failed"
        here.events.append(Marker(talk.marker_kind(failure), said, here.at, here.place))
        here.events.append(TurnEnded("failed", here.at, failure=failure))
    elif said.strip() and said.strip() != talk.FILLER:
        here.events.append(Marker("notice", said, here.at, here.place))


# ── the other side ───────────────────────────────────────────────────────────────────────────────────────────────────


def user(state: State, row: Row, here: Here) -> None:
    """One row of the other side's: a person, a tool's result, or the program itself."""
    content = mapping(row.get("message")).get("content")
    said = talk.prompt_text(content)
    compacted, state.compacted = state.compacted, False
    if talk.has_results(content):
        _results(state, row, content, here)
        if said.startswith(talk.INTERRUPTED):
            _interrupted(state, row, said, here)
        return
    match talk.kind_of(row, content, said):
        case "prompt":
            take_prompt(state, said, here, queued=row.get("promptSource") == "queued")
        case "summary":
            kind = "context" if compacted else "compaction"
            here.events.append(Marker(kind, said, here.at, here.place, claim=True))
        case "interruption":
            _interrupted(state, row, said, here)
        case "meta":
            state.compacted = compacted
            if said.startswith(talk.RESUMED):
                here.events.append(Marker("resume", said, here.at, here.place))
        case "task":
            tasks.notified(state, said, here)
        case "agent":
            here.events.append(Marker("notice", said, here.at, here.place))
        case "command":
            here.events.append(Marker("notice", talk.command_line(said), here.at, here.place))
            state.command_at = here.at or ""
        case "local":
            state.command_at = None
            shown = "! " + _BASH_INPUT.sub("", said) if said.startswith("<bash-input>") else said
            here.events.append(Marker("notice", shown, here.at, here.place))
        case "other":
            state.compacted = compacted


def take_prompt(state: State, said: str, here: Here, *, queued: bool) -> None:
    """What a person typed, or had queued, or an agent said to a sub-agent."""
    take_back(state.tree.add_prompt(here.row, here.parent, here.size, unanswered=state.unanswered), here)
    here.placed = True
    _new_ask(state)
    by = "agent" if here.subagent else "queue" if queued else "human"
    delivered(state, said, here)
    here.events.append(Message("prompt", said, here.at, here.place, row=here.row, by=by))


def queued_prompt(state: State, said: str, here: Here) -> None:
    """A prompt that was typed while the agent worked, and delivered in the middle of its turn."""
    state.tree.add_queued(here.row, here.parent, here.size)
    here.placed = True
    _new_ask(state)
    delivered(state, said, here)
    here.events.append(Message("prompt", said, here.at, here.place, row=here.row, by="queue"))


def _new_ask(state: State) -> None:
    state.status, state.shut, state.retry, state.command_at = "", False, None, None
    state.recent = []
    state.unanswered = True


def take_back(asks: int, here: Here) -> None:
    """So many of the last asks were withdrawn."""
    if asks:
        here.events.append(Marker("rewind", "", here.at, here.place))
        here.events.append(TakenBack(turns=asks, at=here.at))


def delivered(state: State, said: str, here: Here) -> None:
    """A prompt that was waiting is with the agent now."""
    for at, (name, waiting) in enumerate(state.queue):
        if waiting and waiting == said:
            del state.queue[at]
            here.events.append(Queued(waiting, name, waiting=False, at=here.at))
            return


def _interrupted(state: State, row: Row, said: str, here: Here) -> None:
    ending = row.get("interruptedByShutdown") is True or state.shut
    here.events.append(Marker("interruption", said, here.at, here.place))
    state.status = "open" if ending else "interrupted"
    state.retry = None
    here.events.append(TurnEnded("open" if ending else "interrupted", here.at))


# ── results ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _results(state: State, row: Row, content: object, here: Here) -> None:
    blocks = [block for block in objects(content) if block.get("type") == "tool_result"]
    told = told_of(row, len(blocks))
    state.retry, state.unanswered = None, False
    for block in blocks:
        _result(state, row, block, told, here)


def _result(state: State, row: Row, block: Row, told: object, here: Here) -> None:
    name = text(block.get("tool_use_id"))
    if not name:
        here.events.append(Unknown("tool_result without an id"))
        return
    call = state.calls.get(name) or UNKNOWN_CALL
    output = words(block.get("content"))
    if not output:
        output = "\n".join(filter(None, (text(mapping(told).get("stdout")), text(mapping(told).get("stderr")))))
    verdict = judge(row, block, told, output, call=call, version=version_of(state.version))
    ok = verdict.outcome is Outcome.OK
    work = tasks.told_by_result(state, name, call, told, output, here) if ok else None
    told_edits = recorded_edits(told, call, skim=here.skim) if ok or call.writes else None
    here.events.append(
        Result(
            name,
            verdict.outcome,
            here.at,
            here.place,
            exit_code=verdict.exit_code,
            output=output,
            edits=() if verdict.nothing_done else told_edits,
            kind=_better_kind(told),
            effects_unknown=verdict.effects_unknown,
            shutdown=verdict.shutdown,
            placeholder=verdict.placeholder,
            made=verdict.made,
            background=work,
            pushed=bool(mapping(mapping(told).get("gitOperation")).get("push")),
            never_ran=verdict.nothing_done,
        )
    )
    state.shut = state.shut or verdict.shutdown
    if ok:
        _followed_by(state, name, call, told, output, here=here)
    if not (verdict.placeholder or verdict.shutdown):
        state.calls.pop(name, None)


def _better_kind(told: object) -> StepKind | None:
    git = mapping(mapping(told).get("gitOperation"))
    return StepKind.EXTERNAL if git.get("push") or git.get("pr") else None


def _followed_by(state: State, name: str, call: OpenCall, told: object, output: str, *, here: Here) -> None:
    """What else a good result tells: a file's whole content, a new directory, a pull request, the task list."""
    result = mapping(told)
    file = mapping(result.get("file"))
    if file and result.get("type") == "text":
        _read(state, name, call, file, here)
    if git := mapping(result.get("gitOperation")):
        _git(git, here)
    if call.tool == "EnterWorktree" and (path := text(result.get("worktreePath"))):
        here.events.append(Fact("worktree", path, here.at))
    elif call.tool == "ExitWorktree":
        here.events.append(Fact("worktree", "", here.at))
    elif call.tool in {"TaskCreate", "TaskUpdate"}:
        _task(state, call, result, output, here)


def _read(state: State, name: str, call: OpenCall, file: Row, here: Here) -> None:
    content, path = file.get("content"), text(file.get("filePath"))
    lines, total = number(file.get("numLines")), number(file.get("totalLines"))
    if isinstance(content, str) and path and file.get("startLine") == 1 and lines is not None and lines == total:
        where = absolute(path, call.cwd or state.cwd)
        here.events.append(Touched(where, "read", here.at, content=content, call=name))


def _git(git: Mapping[str, object], here: Here) -> None:
    commit, request = mapping(git.get("commit")), mapping(git.get("pr"))
    if sha := text(commit.get("sha")):
        said = " ".join(filter(None, (text(commit.get("kind")) or "committed", sha, text(commit.get("branch")))))
        here.events.append(Marker("notice", said, here.at, here.place))
    if request:
        said = " ".join(filter(None, (text(request.get("action")), text(request.get("url")))))
        here.events.append(Marker("pull_request", said or str(request.get("number")), here.at, here.place))


def _task(state: State, call: OpenCall, result: Row, output: str, here: Here) -> None:
    """The task list is told piece by piece: keep it, and tell the whole."""
    if len(call.task) != 3:
        return
    name, subject, status = call.task
    if call.tool == "TaskCreate":
        made = mapping(result.get("task"))
        match = _TASK_NUMBER.search(output[:200])
        name = str(made.get("id") or "") or (match[1] if match else "")
        subject = text(made.get("subject")) or subject
        status = "pending"
    elif result.get("success") is False:
        return
    if not name:
        return
    if status == "deleted":
        state.tasks.pop(name, None)
    else:
        before = state.tasks.get(name, ["", "pending"])
        state.tasks[name] = [subject or before[0], status or before[1]]
    todos = [{"content": content or f"#{task}", "status": how} for task, (content, how) in state.tasks.items()]
    here.events.append(Marker("plan", json_text({"todos": todos}), here.at, here.place))


def ended_normally(state: State, here: Here) -> None:
    """The record says that the turn ended by itself; what was said before of an error or an interruption stands."""
    if state.status not in {"failed", "interrupted", "open"}:
        state.status = "completed"
        state.retry = None
        here.events.append(TurnEnded("completed", here.at))
