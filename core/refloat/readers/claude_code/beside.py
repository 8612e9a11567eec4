"""Everything that nobody said: `system`, `attachment` and `progress` rows, and rows of metadata.

Decides which of them tell something about the work; the rest is skipped by name, so that only what nobody described
counts as unknown. Never shows `prompt_snapshot`, `session_context` or `bridge-session`: they hold private things.
"""

from __future__ import annotations

import posixpath
from typing import Final, Literal

from refloat.model.session import Failure, FailureKind
from refloat.model.stamp import Stamp, read_stamp
from refloat.model.transcript import Event, Fact, Marker, Queued, TakenBack, Touched, TurnEnded, Unknown
from refloat.readers.claude_code import spoken, talk, tasks
from refloat.readers.claude_code.here import Here
from refloat.readers.claude_code.state import State
from refloat.readers.claude_code.tools import background
from refloat.readers.claude_code.tree import key_of
from refloat.readers.claude_code.values import Row, mapping, strings, text
from refloat.readers.patch import absolute

_SYSTEM_SKIPPED: Final = frozenset({"bridge_status", "file_snapshot"})
_SYSTEM_NOTICES: Final = frozenset({"informational", "agents_killed", "permission_retry"})
SKIPPED: Final = frozenset(
    [
        "agent-name",
        "agent-color",
        "agent-setting",
        "tag",
        "mode",
        "permission-mode",
        "cost-state",
        "content-replacement",
        "bridge-session",
        "frame-link",
        "checkpoint",
        "derived-from",
        "data-flow-records",
        "data-flow-incomplete",
        "api-request",
        "api-request-shape",
        "api-request-blob",
        "api-request-resumed",
        "fork-context-ref",
        "resume-head-vouch",
        "ended-by-model",
        "history-suppression",
        "attribution-snapshot",
        "repl-mode",
        "isolation-latch",
        "session-owner",
        "hybrid-organization",
        "dev-mods",
        "memory-mode",
        "atis-latch",
        "tools-used",
        "observer-ref",
        "host-row",
    ]
)
ATTACHMENTS: Final = frozenset(
    [
        "queued_command",
        "edited_text_file",
        "task_status",
        "hook_blocking_error",
        "hook_non_blocking_error",
        "hook_cancelled",
        "hook_permission_decision",
        "plan_mode",
        "plan_mode_exit",
        "auto_mode",
        "max_turns_reached",
    ]
)
"""Types that `attachment` reads; the rest tells nothing."""
_STARTED: Final = frozenset({"bash_progress", "mcp_progress", "agent_progress"})
_WAITING_BACKUPS: Final = 1000
_WAITING_TITLES: Final = 100


# ── system ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def system(state: State, row: Row, here: Here) -> None:
    """A row of the program's own."""
    subtype = row.get("subtype")
    content = text(row.get("content"))
    if retracted := strings(row.get("retractedMessageUuids")):
        calls = tuple(call for of, call in state.recent if of in retracted)
        here.events.append(TakenBack(rows=(*retracted, *calls), at=here.at))
    match subtype:
        case "turn_duration":
            spoken.ended_normally(state, here)
        case "stop_hook_summary":
            _stop_hook(state, row, here)
        case "compact_boundary":
            state.tree.compacted(here.row, here.size)
            here.placed = state.compacted = True
            _mark(here, "compaction", content or "Conversation compacted")
        case "microcompact_boundary":
            _mark(here, "context", content or "old results trimmed")
        case "api_error":
            _retry(state, row, here)
        case "model_refusal_fallback" | "model_refusal_no_fallback" | "model_fallback":
            _model(state, row, content, here)
        case "local_command":
            _mark(here, "notice", talk.command_line(content) if content.startswith("<command-") else content)
        case "away_summary":
            _mark(here, "notice", content, claim=True)
        case "memory_saved":
            _mark(here, "notice", "\n".join(strings(row.get("writtenPaths"))) or content)
        case "scheduled_task_fire":
            _fired(state, row, here)
        case None:
            _mark(here, "notice", content)
        case str() as name if name in _SYSTEM_NOTICES:
            _mark(here, "notice", content or "\n".join(strings(row.get("commands"))))
        case str() as name if name in _SYSTEM_SKIPPED or name.startswith("task_"):
            pass
        case _:
            here.events.append(Unknown(f"system/{subtype}"))


def _mark(here: Here, kind: str, said: str, *, claim: bool = False) -> None:
    if said:
        here.events.append(Marker(kind, said, here.at, here.place, claim=claim))


def _stop_hook(state: State, row: Row, here: Here) -> None:
    _mark(here, "hook", "\n".join(strings(row.get("hookErrors"))))
    if row.get("preventedContinuation") is not True:
        spoken.ended_normally(state, here)


def _retry(state: State, row: Row, here: Here) -> None:
    failure = talk.retry_failure(row, here.at)
    state.retry = [failure.kind.value, failure.detail, here.at]
    _mark(here, talk.marker_kind(failure), failure.detail or "api error")


def _model(state: State, row: Row, content: str, here: Here) -> None:
    before, after = text(row.get("originalModel")), text(row.get("fallbackModel"))
    _mark(here, "model_change", f"{before} → {after}" if after else content or before)
    if row.get("subtype") == "model_refusal_no_fallback":
        state.status = "failed"
        failure = Failure(FailureKind.UNKNOWN, content or "the model refused", here.at)
        here.events.append(TurnEnded("failed", here.at, failure=failure))


def _fired(state: State, row: Row, here: Here) -> None:
    _mark(here, "notice", text(row.get("prompt")) or text(row.get("content")))
    task = text(row.get("taskId"))
    due = [task] if task in state.wakeups else [name for name in state.wakeups if name.startswith("toolu_")]
    for name in due:
        if text(row.get("cron")):
            continue  # it comes again
        state.wakeups.remove(name)
        tasks.seen(state, background(name, "timer", "", running=False), here)


# ── attachments and progress ─────────────────────────────────────────────────────────────────────────────────────────


def attachment(state: State, row: Row, here: Here) -> None:
    """Something that the program put beside the talk. All types but these are skipped."""
    held = mapping(row.get("attachment"))
    match text(held.get("type")):
        case "queued_command":
            _queued_command(state, row, held, here)
        case "edited_text_file":
            if path := text(held.get("filename")):
                here.events.append(Touched(absolute(path, state.cwd), "changed_outside", here.at))
        case "task_status":
            tasks.task_status(state, held, here)
        case "hook_blocking_error" | "hook_non_blocking_error" | "hook_cancelled" | "hook_permission_decision" as kind:
            _mark(here, "hook", _hook(kind, held))
        case "plan_mode" | "plan_mode_exit" | "auto_mode" as kind:
            _mark(here, "notice", kind.replace("_", " "))
        case "max_turns_reached":
            state.status = "failed"
            failure = Failure(FailureKind.UNKNOWN, "max_turns_reached", here.at)
            _mark(here, "notice", "max turns reached")
            here.events.append(TurnEnded("failed", here.at, failure=failure))
        case _:
            pass


def _queued_command(state: State, row: Row, held: Row, here: Here) -> None:
    said = talk.prompt_text(held.get("prompt"))
    mode = held.get("commandMode")
    if mode == "task-notification" or said.lstrip().startswith("<task-notification>"):
        tasks.notified(state, said, here)
        return
    # The same tests as for a prompt in a row of its own.
    alike: Row = {"isMeta": row.get("isMeta") is True or held.get("isMeta") is True}
    alike["origin"] = held.get("origin") or row.get("origin")
    kind = talk.kind_of(alike, held.get("prompt"), said)
    if mode == "prompt" and kind == "prompt":
        spoken.queued_prompt(state, said, here)
    elif kind == "command":
        _mark(here, "notice", talk.command_line(said))
    elif kind != "meta":
        _mark(here, "notice", said)


def _hook(kind: str, held: Row) -> str:
    error = held.get("blockingError")
    said = (
        text(mapping(error).get("blockingError"))
        or text(error)
        or text(held.get("stderr"))
        or text(held.get("stdout"))
        or text(held.get("content"))
        or text(held.get("decision"))
    )
    name = text(held.get("hookName")) or text(held.get("hookEvent"))
    return " ".join(filter(None, (name, kind.removeprefix("hook_").replace("_", " ")))) + (f": {said}" if said else "")


def progress(state: State, row: Row, here: Here) -> None:
    """A call shows that it runs. Nested messages of sub-agents are read from their own files."""
    del here
    if text(mapping(row.get("data")).get("type")) in _STARTED:
        for key in ("toolUseID", "parentToolUseID"):
            name = row.get(key)
            if isinstance(name, str) and name in state.calls:
                state.calls[name].started = True


# ── metadata ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def metadata(state: State, row: Row, kind: str, here: Here) -> bool:
    """A row without a place in the talk; False when nobody described its type."""
    events = here.events
    match kind:
        case "custom-title":
            _fact(events, "title_set", row.get("customTitle"))
        case "ai-title":
            _fact(events, "title_made", row.get("aiTitle"))
        case "summary":
            _summary(state, text(row.get("summary")), text(row.get("leafUuid")), here)
        case "last-prompt":
            if row.get("rewound") is True:
                spoken.take_back(state.tree.rewound(text(row.get("leafUuid")), text(row.get("cutUuid"))), here)
        case "worktree-state":
            _worktree(row, here)
        case "relocated":
            _fact(events, "workspace", row.get("relocatedCwd"))
        case "continued-in":
            if name := text(row.get("continuedInSessionId")):
                state.continued = True
                events.append(Fact("continued_in", name, _calm(state, row.get("timestamp"))))
        case "pr-link":
            said = text(row.get("prUrl")) or f"#{row.get('prNumber')}"
            events.append(Marker("pull_request", said, _calm(state, row.get("timestamp")), here.place))
        case "queue-operation":
            here.at = _calm(state, row.get("timestamp"))
            _queue(state, row, here)
        case "file-history-snapshot":
            _snapshot(state, mapping(row.get("snapshot")), here)
        case "file-history-delta":
            here.at = _calm(state, row.get("timestamp"))
            _backup(state, text(row.get("trackingPath")), mapping(row.get("backup")), here)
        case _:
            return kind in SKIPPED or kind.startswith("artifact-")
    return True


def _fact(events: list[Event], key: Literal["title_set", "title_made", "workspace"], value: object) -> None:
    if isinstance(value, str) and value:
        events.append(Fact(key, value))


def _calm(state: State, value: object) -> Stamp | None:
    """A time of metadata, never later than the talk itself: metadata is no activity of the session."""
    at = read_stamp(value)
    return at if at is not None and at <= state.last_at else Stamp(state.last_at) if state.last_at else None


def _summary(state: State, title: str, leaf: str, here: Here) -> None:
    """A branch's title: this session's only when its leaf is here; a summary often stands in another file."""
    if not title:
        return
    if not leaf or state.tree.knows(leaf):
        here.events.append(Fact("title_summary", title))
        return
    state.summaries[str(key_of(leaf))] = title
    if len(state.summaries) > _WAITING_TITLES:
        del state.summaries[next(iter(state.summaries))]


def title_of_leaf(state: State, row: str, here: Here) -> None:
    """The leaf that a summary named has come."""
    if row and (title := state.summaries.pop(str(key_of(row)), "")):
        here.events.append(Fact("title_summary", title))


def _worktree(row: Row, here: Here) -> None:
    entered = row.get("worktreeSession")
    if entered is None:
        here.events.append(Fact("worktree", ""))
    elif path := text(mapping(entered).get("worktreePath")):
        here.events.append(Fact("worktree", path))


def _queue(state: State, row: Row, here: Here) -> None:
    """Keep the queue as the program does: first in, first out; `popAll` gives all of it back to the input line."""
    content = talk.prompt_text(row.get("content"))
    queue = state.queue
    match row.get("operation"):
        case "enqueue":
            state.queued += 1
            notice = content.lstrip().startswith("<task-notification>")
            name = text(row.get("commandUuid")) or f"queued-{state.queued}"
            queue.append([name, "" if notice else content])
            if notice:
                tasks.hear(state, content, here)
            elif content:
                here.events.append(Queued(content, name, waiting=True, at=here.at))
        case "dequeue" | "remove":
            named = text(row.get("commandUuid"))
            found = [
                at
                for at, (name, said) in enumerate(queue)
                if (named and name == named) or (content and said == content)
            ]
            if found or queue:
                _unqueue(queue.pop(found[0] if found else 0), here)
        case "popAll":
            for entry in queue:
                _unqueue(entry, here)
            queue.clear()
        case _:
            here.events.append(Unknown("queue-operation/other"))


def _unqueue(entry: list[str], here: Here) -> None:
    if entry[1]:
        here.events.append(Queued(entry[1], entry[0], waiting=False, at=here.at))


# ── the program's own backups ────────────────────────────────────────────────────────────────────────────────────────


def _snapshot(state: State, snapshot: Row, here: Here) -> None:
    here.at = _calm(state, snapshot.get("timestamp"))
    for path, backup in mapping(snapshot.get("trackedFileBackups")).items():
        _backup(state, path, mapping(backup), here)


def _backup(state: State, path: str, backup: Row, here: Here) -> None:
    name = backup.get("backupFileName")
    if not path or "backupFileName" not in backup or not (name is None or isinstance(name, str)):
        return
    at = _calm(state, backup.get("backupTime")) or here.at
    if not posixpath.isabs(path) and not state.first_cwd:
        state.waiting_backups.append([path, name, at])
        del state.waiting_backups[:-_WAITING_BACKUPS]
        return
    told = name or ""
    if state.backups.get(path) == told:
        return  # each snapshot tells all files again
    state.backups[path] = told
    source = posixpath.join(here.backups, told) if told and "/" not in told else ""
    here.events.append(Touched(absolute(path, state.first_cwd), "backup", at, source=source))


def late_backups(state: State, here: Here) -> None:
    """The directory is known now that relative paths of earlier snapshots are meant from."""
    waiting, state.waiting_backups = state.waiting_backups, []
    for path, name, at in waiting:
        _backup(state, path or "", {"backupFileName": name, "backupTime": at}, here)
