"""How a call went: outcome, exit code and the edits that its result records.

Decides by the order of evidence in the format's own table: the program's shutdown, texts that say that nobody knows,
refusals, errors. Texts count only where the result is no structured success: output may quote any of them.
"""

from __future__ import annotations

from typing import Final

from refloat.model.light import field, light, slotted
from refloat.model.repaired import is_made_output
from refloat.model.transcript import FileEdit, Hunk, Outcome, StepKind
from refloat.patterns import late
from refloat.readers.claude_code.tools import FILE_EDITORS, SHELLS, replacement
from refloat.readers.claude_code.values import NOTHING, Row, mapping, number, objects, strings, text
from refloat.readers.patch import absolute
from refloat.readers.shell import shell_edits

_NOBODY_KNOWS: Final = (
    "[Tool call interrupted: the session ended before this call's result was recorded",
    "[Agent call interrupted: the process running this conversation stopped",
    "[Request interrupted: the session ended before this agent finished",
    "[Tool call result not in this copy:",
    "[Tool call did not complete:",
    "[Tool call not completed:",
    "[This turn ended before it finished.]",
    "[Request interrupted by user",
)
_STOPPED_WHILE_RUNNING: Final = "this call was stopped while running, not refused before it ran"
_SKIPPED: Final = ("[Tool call skipped:", "<tool_use_error>Sibling tool call errored")
_REFUSED: Final = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission to use ",
    "Permission for this ",
)
_REASON: Final = "the user said:"
_DENIED_BY_RULE: Final = frozenset(
    {"permission-rule", "automode-blocked", "automode-unavailable", "automode-parsing-error"}
)
ABORTED: Final = "<error>Command was aborted before completion</error>"
_EXIT: Final = late(r"(?:Error: )?Exit code (-?\d{1,10})\b")
_ERRORS_TELL_EXIT: Final = (2, 0, 76)
"""Since then an error of Bash that does not begin with its exit code came from no finished command."""
_ONE_IS_NO_ERROR: Final = late(r"\b(?:grep|rg|diff|find|test)\b|\[")


@slotted
class OpenCall:
    """What is remembered of a call until its answer comes."""

    tool: str = ""
    kind: str = ""
    cwd: str = ""
    command: str = ""
    writes: bool = False
    """Its command writes files (heredocs and the like)."""
    started: bool = False
    """Progress was seen: it ran."""
    task: list[str] = field(default_factory=list[str])
    """For TaskCreate and TaskUpdate: id, subject, status."""

    @property
    def leaves_traces(self) -> bool:
        """Whether it may have done something that nobody sees from here."""
        return not self.tool or self.kind not in {StepKind.READ, StepKind.SEARCH, StepKind.WEB, StepKind.PLAN}


UNKNOWN_CALL: Final = OpenCall()


@light
class Verdict:
    """How a call went."""

    outcome: Outcome
    effects_unknown: bool = False
    nothing_done: bool = False
    shutdown: bool = False
    placeholder: bool = False
    made: bool = False
    """A repair wrote it: it says nothing."""
    exit_code: int | None = None


def judge(row: Row, block: Row, told: object, output: str, *, call: OpenCall, version: tuple[int, ...]) -> Verdict:
    """How the call of one `tool_result` block went; `told` is the row's `toolUseResult`, where it is this block's."""
    if is_made_output(output):
        return Verdict(Outcome.DANGLING, placeholder=True, made=True)
    unsure = call.leaves_traces
    if row.get("interruptedByShutdown") is True:
        return Verdict(Outcome.INTERRUPTED, effects_unknown=unsure, shutdown=True)
    failed = block.get("is_error") is True
    structured = mapping(told) is not NOTHING
    if (failed or not structured) and (verdict := _by_text(row, told, output, call, failed=failed)):
        return verdict
    if failed:
        return _error(output, told, call, version)
    if call.tool in SHELLS or (not call.tool and "stdout" in mapping(told)):
        return _finished(mapping(told), output, call)
    return Verdict(Outcome.OK)


def _by_text(row: Row, told: object, output: str, call: OpenCall, *, failed: bool) -> Verdict | None:
    unsure = call.leaves_traces
    start = output[:400].lstrip()
    if start.startswith(_NOBODY_KNOWS) and (failed or start.startswith("[")):
        return Verdict(Outcome.INTERRUPTED, effects_unknown=unsure, placeholder=True)
    if _STOPPED_WHILE_RUNNING in output and (failed or start.startswith(_REFUSED)):
        return Verdict(Outcome.INTERRUPTED, effects_unknown=unsure)
    if row.get("toolCallEnded") == "not_started" or start.startswith(_SKIPPED):
        outcome = Outcome.ERROR if start.startswith("<tool_use_error>") else Outcome.INTERRUPTED
        return Verdict(outcome, nothing_done=True)
    denial = text(row.get("toolDenialKind"))
    if denial in _DENIED_BY_RULE:
        return Verdict(Outcome.DENIED, nothing_done=True)
    if denial in {"interrupted", "cancelled"}:
        return Verdict(Outcome.INTERRUPTED, effects_unknown=unsure)
    if denial == "user-rejected" or told == "User rejected tool use" or start.startswith(_REFUSED):
        return _refused(row, output, call)
    if mapping(row.get("permissionDecision")).get("decision") == "reject" and row.get("toolDenialAfterRun") is not True:
        return Verdict(Outcome.ERROR, nothing_done=True)
    return None


def _refused(row: Row, output: str, call: OpenCall) -> Verdict:
    """Refused in the dialog, or stopped with Esc while it ran: the program writes the same words for both."""
    allowed = mapping(row.get("permissionDecision")).get("decision") == "accept"
    if allowed or call.started or row.get("toolDenialAfterRun") is True:
        return Verdict(Outcome.INTERRUPTED, effects_unknown=call.leaves_traces)
    person = bool(row.get("userFeedback")) or _REASON in output or row.get("toolDenialBeforeRun") is True
    by_rule = output.startswith("Permission ")
    commandlike = call.tool in SHELLS or call.kind in {StepKind.EXTERNAL, StepKind.SUBAGENT} or not call.tool
    unsure = commandlike and not person and not by_rule
    return Verdict(Outcome.DENIED, effects_unknown=unsure, nothing_done=not unsure)


def _error(output: str, told: object, call: OpenCall, version: tuple[int, ...]) -> Verdict:
    if output.startswith("<tool_use_error>") or call.tool in FILE_EDITORS:
        return Verdict(Outcome.ERROR, nothing_done=True)
    if output[-200:].rstrip().endswith(ABORTED):
        return Verdict(Outcome.INTERRUPTED, effects_unknown=call.leaves_traces)
    if match := _EXIT.match(output) or (_EXIT.match(told) if isinstance(told, str) else None):
        # Part of a command line may have run before the part that failed.
        return Verdict(Outcome.ERROR, effects_unknown=call.writes, exit_code=int(match[1]))
    if output.startswith("PreToolUse:"):
        return Verdict(Outcome.ERROR, nothing_done=True)
    unsure = call.tool in SHELLS and version >= _ERRORS_TELL_EXIT
    return Verdict(Outcome.ERROR, effects_unknown=unsure or call.writes)


def _finished(told: Row, output: str, call: OpenCall) -> Verdict:
    if told.get("interrupted") is True or output[-200:].rstrip().endswith(ABORTED):
        return Verdict(Outcome.INTERRUPTED, effects_unknown=call.leaves_traces)
    if text(told.get("backgroundTaskId")) or output.startswith("Command running in background with ID:"):
        return Verdict(Outcome.OK)
    if text(told.get("returnCodeInterpretation")):
        return Verdict(Outcome.OK, exit_code=1)
    if told or not _ONE_IS_NO_ERROR.search(call.command):
        return Verdict(Outcome.OK, exit_code=0)
    return Verdict(Outcome.OK)


# ── edits ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def recorded_edits(told: object, call: OpenCall, *, skim: bool = False) -> tuple[FileEdit, ...] | None:
    """The edits that a structured result records, `skim`: their paths; None where it records none."""
    result = mapping(told)
    if not result:
        return None
    if "bashEditDiff" in result:
        return _by_command(mapping(result.get("bashEditDiff")), call)
    if "notebook_path" in result:
        return _notebook(result, call.cwd)
    path = text(result.get("filePath"))
    if not path or (call.tool and call.tool not in FILE_EDITORS):
        return None
    path = absolute(path, call.cwd)
    if skim:
        known = "content" in result or "oldString" in result or "edits" in result
        return (FileEdit(path, "update"),) if known else None
    if "content" in result and "oldString" not in result:
        return (_write(result, path),)
    if "oldString" in result or "edits" in result:
        return (_edit(result, path),)
    return None


def _write(result: Row, path: str) -> FileEdit:
    content, before = result.get("content"), result.get("originalFile")
    created = result.get("type") == "create" or (before is None and result.get("type") != "update")
    return FileEdit(
        path,
        "create" if created else "update",
        before=before if isinstance(before, str) else None,
        after=content if isinstance(content, str) else None,
        hunks=hunks_of(result.get("structuredPatch")),
        existed=False if result.get("type") == "create" else True if result.get("type") == "update" else None,
    )


def _edit(result: Row, path: str) -> FileEdit:
    many = list(objects(result.get("edits"))) if "edits" in result else None
    before = result.get("originalFile") if many is None else result.get("originalFileContents")
    whole = before if isinstance(before, str) else None
    patch = hunks_of(result.get("structuredPatch"))
    if many is None:
        changes = [(text(result.get("oldString")), text(result.get("newString")), result.get("replaceAll") is True)]
    else:
        changes = [(text(c.get("old_string")), text(c.get("new_string")), c.get("replace_all") is True) for c in many]
    created = many is None and not changes[0][0] and not whole
    if created:
        after: str | None = changes[0][1]
    elif whole is None:
        after = None
    else:
        # A person may have changed the proposal: then the patch tells, and the strings do not.
        after = None if result.get("userModified") is True else _replaced(whole, changes)
        after = after if after is not None else _patched(whole, patch)
    return FileEdit(
        path,
        "create" if created else "update",
        before=whole,
        after=after,
        hunks=patch or tuple(replacement(old, new) for old, new, _ in changes),
        replace_all=not patch and bool(changes) and all(every for *_, every in changes),
        existed=False if created and before is None else True if whole is not None or patch else None,
    )


def _replaced(whole: str, changes: list[tuple[str, str, bool]]) -> str | None:
    for old, new, every in changes:
        if not old:
            whole = whole or new
        elif old not in whole:
            return None
        else:
            whole = whole.replace(old, new) if every else whole.replace(old, new, 1)
    return whole


def _patched(whole: str, hunks: tuple[Hunk, ...]) -> str | None:
    """`whole` with positioned hunks applied; None where they do not fit."""
    if not hunks or "\r" in whole:
        return None
    lines = whole.split("\n")
    made: list[str] = []
    at = 0
    for hunk in hunks:
        if hunk.old_start is None:
            return None
        start = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        old = [line[1:] for line in hunk.lines if line[:1] in {" ", "-"}]
        if start < at or lines[start : start + len(old)] != old:
            return None
        made += lines[at:start]
        made += [line[1:] for line in hunk.lines if line[:1] in {" ", "+"}]
        at = start + len(old)
    return "\n".join(made + lines[at:])


def hunks_of(patch: object) -> tuple[Hunk, ...]:
    """`structuredPatch` as hunks."""
    return tuple(
        [
            Hunk(
                number(hunk.get("oldStart")),
                number(hunk.get("oldLines")) or 0,
                number(hunk.get("newStart")),
                number(hunk.get("newLines")) or 0,
                strings(hunk.get("lines")),
            )
            for hunk in objects(patch)
        ]
    )


def _notebook(result: Row, cwd: str) -> tuple[FileEdit, ...]:
    if result.get("error"):
        return ()
    before, after = result.get("original_file"), result.get("updated_file")
    return (
        FileEdit(
            absolute(text(result.get("notebook_path")), cwd),
            "update",
            before=before if isinstance(before, str) else None,
            after=after if isinstance(after, str) else None,
            existed=True if isinstance(before, str) else None,
        ),
    )


def _by_command(diff: Row, call: OpenCall) -> tuple[FileEdit, ...] | None:
    """What a command changed in the tree, by the program's own diff; whole contents from its heredocs stay."""
    asked = {edit.path: edit for edit in (shell_edits(call.command, call.cwd) if call.writes else ())}
    found: dict[str, FileEdit] = {}
    for file in objects(diff.get("files")):
        if path := text(file.get("filePath")):
            edit = _changed(absolute(path, call.cwd), file)
            whole = asked.get(edit.path)
            found[edit.path] = edit if whole is None or whole.after is None else _with_content(edit, whole.after)
    for path, edit in asked.items():
        found.setdefault(path, edit)
    return tuple(found.values()) or None


def _changed(path: str, file: Row) -> FileEdit:
    hunks = hunks_of(file.get("hunks"))
    if file.get("deleted") is True:
        return FileEdit(path, "delete", hunks=hunks, existed=True)
    if file.get("created") is True:
        return FileEdit(path, "create", hunks=hunks, existed=False)
    return FileEdit(path, "update", hunks=hunks, existed=True)


def _with_content(edit: FileEdit, after: str) -> FileEdit:
    return FileEdit(edit.path, edit.op, after=after, hunks=edit.hunks, existed=edit.existed)


def told_of(row: Row, results: int) -> object:
    """The row's `toolUseResult`, when it holds one result only; else nothing says whose it is."""
    return row.get("toolUseResult") if results == 1 else None
