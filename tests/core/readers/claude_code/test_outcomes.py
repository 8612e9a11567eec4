"""How calls went, by the format's own table."""

import pytest

from refloat.model.transcript import Outcome, Step
from refloat.testing.claude_talk import REFUSED, ClaudeTalk, story_of

OK, ERROR, DENIED, INTERRUPTED = Outcome.OK, Outcome.ERROR, Outcome.DENIED, Outcome.INTERRUPTED
BASH = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False}
NO = "User rejected tool use"


def only_step(talk: ClaudeTalk) -> Step:
    (step,) = story_of(talk).steps
    return step


def bash(
    content: object, told: object = None, version: str = "2.1.270", command: str = "make", /, **fields: object
) -> Step:
    talk = ClaudeTalk(version=version)
    talk.call("Bash", "t1", command=command)
    talk.result("t1", content, told, **fields)
    return only_step(talk)


@pytest.mark.parametrize(
    ("content", "told", "fields", "outcome", "unsure"),
    [
        ("", BASH, {}, OK, False),
        ("Error: everything is fine", BASH, {}, OK, False),
        (REFUSED, BASH | {"stdout": REFUSED}, {}, OK, False),
        ("Exit code 1\nno", "Error: Exit code 1\nno", {"failed": True}, ERROR, False),
        ("anything", None, {"failed": True}, ERROR, True),
        ("PreToolUse:Bash hook error: [x]: no", "Error: no", {"failed": True}, ERROR, False),
        ("<tool_use_error>InputValidationError", "InputValidationError", {"failed": True}, ERROR, False),
        ("<tool_use_error>Sibling tool call errored", None, {"failed": True}, ERROR, False),
        ("[Tool call skipped: x", None, {"failed": True}, INTERRUPTED, False),
        ("late", None, {"failed": True, "toolCallEnded": "not_started"}, INTERRUPTED, False),
        (REFUSED, NO, {"failed": True, "interruptedByShutdown": True}, INTERRUPTED, True),
        (
            "[Tool call interrupted: the session ended before this call's result was recorded]",
            None,
            {},
            INTERRUPTED,
            True,
        ),
        ("[Agent call interrupted: the process running this conversation stopped]", None, {}, INTERRUPTED, True),
        ("[Request interrupted: the session ended before this agent finished]", None, {}, INTERRUPTED, True),
        ("[Tool call result not in this copy: x]", None, {}, INTERRUPTED, True),
        ("[Tool call did not complete: x]", None, {"failed": True}, INTERRUPTED, True),
        ("[Tool call not completed: x]", None, {}, INTERRUPTED, True),
        (
            REFUSED + "Correction to the text above: this call was stopped while running, not refused before it ran",
            NO,
            {"failed": True},
            INTERRUPTED,
            True,
        ),
        (REFUSED + "STOP", NO, {"failed": True, "toolDenialKind": "user-rejected"}, DENIED, True),
        (REFUSED + "To tell you how to proceed, the user said:\nno", NO, {"failed": True}, DENIED, False),
        (REFUSED, NO, {"failed": True, "userFeedback": "not that"}, DENIED, False),
        (REFUSED, NO, {"failed": True, "permissionDecision": {"decision": "accept"}}, INTERRUPTED, True),
        (REFUSED, NO, {"failed": True, "permissionDecision": {"decision": "reject"}}, DENIED, True),
        ("x", None, {"failed": True, "toolDenialKind": "permission-rule"}, DENIED, False),
        ("x", None, {"failed": True, "toolDenialKind": "automode-blocked"}, DENIED, False),
        ("x", None, {"failed": True, "toolDenialKind": "automode-unavailable"}, DENIED, False),
        ("x", None, {"failed": True, "toolDenialKind": "automode-parsing-error"}, DENIED, False),
        ("x", None, {"failed": True, "toolDenialKind": "interrupted"}, INTERRUPTED, True),
        ("x", None, {"failed": True, "toolDenialKind": "cancelled"}, INTERRUPTED, True),
        ("Permission to use Bash with command x has been denied.", None, {"failed": True}, DENIED, False),
        ("Permission for this action was denied", None, {"failed": True}, DENIED, False),
        ("The user doesn't want to take this action right now.", None, {"failed": True}, DENIED, True),
        (
            "part\n<error>Command was aborted before completion</error>",
            BASH | {"interrupted": True},
            {},
            INTERRUPTED,
            True,
        ),
        ("part\n<error>Command was aborted before completion</error>", None, {"failed": True}, INTERRUPTED, True),
        ("part\n<error>Command was aborted before completion</error>", None, {}, INTERRUPTED, True),
    ],
)
def test_table(content: str, told: object, fields: dict[str, object], outcome: Outcome, *, unsure: bool):
    step = bash(content, told, **fields)
    assert (step.outcome, step.effects_unknown) == (outcome, unsure)


def test_no_result_at_all():
    talk = ClaudeTalk()
    talk.call("Bash", "t1", command="make")
    assert only_step(talk).outcome is Outcome.DANGLING


def test_progress_shows_that_a_refused_call_ran():
    talk = ClaudeTalk(version="2.1.39")
    talk.call("Bash", "t1", command="make")
    talk.row("progress", data={"type": "bash_progress", "output": "x"}, toolUseID="bash-0", parentToolUseID="t1")
    talk.result("t1", REFUSED, NO, failed=True)
    assert only_step(talk).outcome is INTERRUPTED


def test_a_hook_before_the_tool_shows_nothing():
    talk = ClaudeTalk(version="2.1.39")
    talk.call("Bash", "t1", command="make")
    talk.row(
        "progress", data={"type": "hook_progress", "hookEvent": "PreToolUse"}, toolUseID="t1", parentToolUseID="t1"
    )
    talk.result("t1", REFUSED, NO, failed=True)
    assert only_step(talk).outcome is DENIED


@pytest.mark.parametrize(
    ("content", "told", "version", "fields", "code"),
    [
        ("ok", BASH, "2.1.270", {}, 0),
        ("No matches found", BASH | {"returnCodeInterpretation": "No matches found"}, "2.1.270", {}, 1),
        ("Exit code 2\nno", "Error: Exit code 2\nno", "2.0.76", {"failed": True}, 2),
        ("no", "Error: Exit code 7\nno", "2.0.76", {"failed": True}, 7),
        ("Exit code 143\nCommand timed out after 2m", None, "2.1.270", {"failed": True}, 143),
        ("no", "Error: no", "2.0.14", {"failed": True}, None),
        ("ok", None, "2.1.270", {}, 0),
        ("running", BASH | {"backgroundTaskId": "b1"}, "2.1.270", {}, None),
        ("aborted", BASH | {"interrupted": True}, "2.1.270", {}, None),
    ],
)
def test_exit_codes(content: str, told: object, version: str, fields: dict[str, object], code: int | None):
    assert bash(content, told, version, **fields).exit_code == code


def test_an_old_error_without_a_code_came_from_a_command():
    assert not bash("no", "Error: no", "2.0.14", failed=True).effects_unknown


def test_a_search_without_a_structured_result_may_have_found_nothing():
    assert bash("", None, "2.1.270", "grep -r x .").exit_code is None


def test_a_real_answer_replaces_a_placeholder():
    placeholder = "[Tool call interrupted: the session ended before this call's result was recorded]"
    talk = ClaudeTalk()
    talk.call("Bash", "t1", command="make")
    talk.result("t1", placeholder)
    talk.result("t1", "made", BASH | {"stdout": "made"})
    talk.result("t1", placeholder + " ")
    step = only_step(talk)
    assert (step.outcome, step.exit_code, step.output) == (OK, 0, "made")


def test_a_real_answer_replaces_that_of_a_shutdown():
    talk = ClaudeTalk()
    talk.prompt("go")
    talk.call("Bash", "t1", command="make")
    talk.result("t1", REFUSED, NO, failed=True, interruptedByShutdown=True)
    talk.result("t1", "made", BASH)
    assert (only_step(talk).outcome, story_of(talk).summary.ending.shutdown) == (OK, False)


def test_an_answer_may_come_first():
    talk = ClaudeTalk()
    talk.result("t1", "made", BASH)
    talk.call("Bash", "t1", command="make")
    step = only_step(talk)
    assert (step.outcome, step.exit_code) == (OK, 0)


def test_an_orphan_answer_is_no_step():
    talk = ClaudeTalk()
    talk.prompt("go")
    talk.result("nobody", "made")
    assert list(story_of(talk).steps) == []


def test_several_answers_in_one_row():
    talk = ClaudeTalk()
    for name in ("t1", "t2"):
        talk.call("Bash", name, "m", command="make")
    blocks = [{"type": "tool_result", "tool_use_id": name, "content": name} for name in ("t2", "t1")]
    talk.user(blocks, toolUseResult=BASH)
    assert [step.output for step in story_of(talk).steps] == ["t1", "t2"]


def test_output_as_blocks_and_from_the_structured_form():
    blocks = [{"type": "text", "text": "a"}, {"type": "image", "source": {}}, {"type": "text", "text": "b"}]
    assert bash(blocks, BASH).output == "a\nb"
    assert bash(None, BASH | {"stdout": "a", "stderr": "b"}).output == "a\nb"


def test_searches_of_the_provider_never_dangle():
    talk = ClaudeTalk()
    talk.assistant([{"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "retry"}}])
    assert (only_step(talk).kind, only_step(talk).outcome) == ("web", OK)
    talk.assistant(
        [{"type": "web_search_tool_result", "tool_use_id": "s1", "content": {"type": "web_search_tool_result_error"}}]
    )
    assert only_step(talk).outcome is ERROR


def test_reading_leaves_no_traces():
    talk = ClaudeTalk()
    talk.call("Read", "t1", file_path="/a")
    talk.result("t1", REFUSED, NO, failed=True, interruptedByShutdown=True)
    assert not only_step(talk).effects_unknown


@pytest.mark.parametrize(
    ("tool", "given", "kind", "summary"),
    [
        ("PowerShell", {"command": "Get-Item x"}, "command", "Get-Item x"),
        ("Edit", {"file_path": "/a"}, "edit", "/a"),
        ("NotebookEdit", {"notebook_path": "/a.ipynb"}, "edit", "/a.ipynb"),
        ("Read", {"file_path": "/a", "offset": 1}, "read", "/a"),
        ("LS", {"path": "/a"}, "read", "/a"),
        ("Glob", {"pattern": "**/*.py"}, "search", "**/*.py"),
        ("Grep", {"pattern": "x", "path": "/a"}, "search", "x"),
        ("WebFetch", {"url": "https://example.org", "prompt": "p"}, "web", "https://example.org"),
        ("WebSearch", {"query": "q"}, "web", "q"),
        ("Task", {"description": "find", "prompt": "p"}, "subagent", "find"),
        ("Agent", {"description": "find", "prompt": "p"}, "subagent", "find"),
        ("Workflow", {"name": "w"}, "subagent", "w"),
        ("TaskOutput", {"task_id": "b1"}, "read", "b1"),
        ("BashOutput", {"bash_id": "b1"}, "read", "b1"),
        ("TaskStop", {"task_id": "b1"}, "other", "b1"),
        ("SendMessage", {"message": "hi"}, "subagent", "hi"),
        ("TodoWrite", {"todos": [{"content": "a"}, {"content": "b"}]}, "plan", "a\nb"),
        ("TaskCreate", {"subject": "a"}, "plan", "a"),
        ("ExitPlanMode", {"plan": "do"}, "plan", "do"),
        ("AskUserQuestion", {"questions": [{"question": "Which?"}]}, "other", "Which?"),
        ("Skill", {"skill": "pdf", "args": "x"}, "other", "pdf x"),
        ("SlashCommand", {"command": "/review"}, "other", "/review"),
        ("REPL", {"code": "x"}, "other", "REPL"),
        ("mcp__github__create_issue", {"name": "x"}, "external", "github create_issue x"),
        ("mcp__github__get_issue", {"query": "41"}, "read", "github get_issue 41"),
        ("mcp__github__list_issues", {}, "read", "github list_issues {}"),
        ("mcp__docs__search", {"query": "x"}, "search", "docs search x"),
        ("mcp__db__getOrCreateUser", {}, "external", "db getOrCreateUser {}"),
        ("mcp__x__", {}, "external", "x {}"),
        ("Unheard", {}, "other", "Unheard"),
    ],
)
def test_tools(tool: str, given: dict[str, object], kind: str, summary: str):
    talk = ClaudeTalk()
    talk.call(tool, "t1", **given)
    step = only_step(talk)
    assert (step.kind, step.summary) == (kind, summary)


def test_a_push_that_the_result_names_is_external():
    step = bash("ok", BASH | {"gitOperation": {"push": {"branch": "main"}}}, "2.1.270", "./release.sh")
    assert step.pushed
    assert step.kind == "external"


def test_rows_that_were_appended_again_count_once():
    talk = ClaudeTalk()
    talk.prompt("go")
    talk.ran("ls")
    talk.say("done")
    talk.rows += talk.rows
    summary = story_of(talk).summary
    assert (summary.prompts, summary.steps, summary.turns, summary.ending.turn) == (1, 1, 1, "completed")


@pytest.mark.parametrize(
    ("content", "fields", "never"),
    [
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", {"toolCallEnded": "not_started"}, True),
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", {}, True),
        ("[Tool call skipped: a message arrived]", {}, True),
        ("late", {"toolCallEnded": "not_started"}, True),
        ("<tool_use_error>InputValidationError: Bash failed</tool_use_error>", {}, True),
        ("PreToolUse:Bash hook error: [guard.sh]: no", {}, True),
        ("not on a Friday", {"permissionDecision": {"decision": "reject", "source": "hook"}}, True),
        ("x", {"toolDenialKind": "permission-rule"}, True),
        (REFUSED, {"userFeedback": "not that"}, True),
        (REFUSED, {}, False),
        ("x", {"toolDenialKind": "interrupted"}, False),
        ("Exit code 1\nno", {}, False),
        ("anything", {}, False),
        ("[Tool call did not complete: x]", {}, False),
    ],
)
def test_what_never_ran(content: str, fields: dict[str, object], never: bool) -> None:
    assert bash(content, None, failed=True, **fields).never_ran is never


STARTED = "Command running in background with ID: b1. Output is being written to: /tmp/x"
NOTICE = (
    "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>{}</status>\n"
    "<summary>{}</summary>\n</task-notification>"
)
TASK: dict[str, object] = {"task_id": "b1", "task_type": "local_bash", "description": "x"}
IN_WORDS = "<task_id>b1</task_id>\n<status>failed</status>\n<exit_code>2</exit_code>\n<output>\n1 failed\n</output>"


def left_running(command: str = "pytest -q", told: object = BASH | {"backgroundTaskId": "b1"}) -> ClaudeTalk:
    talk = ClaudeTalk()
    talk.call("Bash", "t1", command=command, run_in_background=True)
    talk.result("t1", STARTED, told)
    return talk


def asked(tool: str, said: str, told: object) -> ClaudeTalk:
    talk = left_running()
    talk.call(tool, "t2", task_id="b1")
    talk.result("t2", said, told)
    return talk


def noticed(status: str, summary: str, command: str = "pytest -q", told: object = None) -> ClaudeTalk:
    talk = left_running(command, told or BASH | {"backgroundTaskId": "b1"})
    talk.user(NOTICE.format(status, summary), origin={"kind": "task-notification"})
    return talk


@pytest.mark.parametrize(
    ("talk", "outcome", "code", "output"),
    [
        (noticed("completed", 'Background command "x" completed (exit code 0)'), OK, 0, STARTED),
        (noticed("completed", "done", told=STARTED), OK, None, STARTED),
        (noticed("failed", 'Background command "x" failed with exit code 3'), ERROR, 3, STARTED),
        (noticed("killed", 'Background command "x" was killed'), INTERRUPTED, None, STARTED),
        (noticed("killed", "stopped", "npm run dev"), OK, None, STARTED),
        (
            asked("TaskOutput", "x", {"task": TASK | {"status": "completed", "exitCode": 0, "output": "3 passed"}}),
            OK,
            0,
            "3 passed",
        ),
        (
            asked("TaskOutput", "x", {"task": TASK | {"status": "completed", "exitCode": 1, "output": "1 failed"}}),
            ERROR,
            1,
            "1 failed",
        ),
        (asked("TaskOutput", IN_WORDS, None), ERROR, 2, "1 failed\n"),
        (
            asked("BashOutput", "x", {"shellId": "b1", "status": "completed", "exitCode": 0, "stdout": "3 passed"}),
            OK,
            0,
            "3 passed",
        ),
        (asked("KillShell", "killed", {"message": "ok"}), INTERRUPTED, None, STARTED),
    ],
)
def test_the_end_of_a_background_command_is_how_its_call_went(
    talk: ClaudeTalk, outcome: Outcome, code: int | None, output: str
):
    step = next(story_of(talk).steps)
    assert (step.outcome, step.exit_code, step.output) == (outcome, code, output)
    assert step.background is not None
    assert not step.background.running
    assert step.effects_unknown is (outcome is INTERRUPTED)


def test_a_task_that_runs_on_has_no_end():
    talk = asked("TaskOutput", "x", {"task": TASK | {"status": "running", "output": "collecting"}})
    step = next(story_of(talk).steps)
    assert (step.outcome, step.exit_code, step.output) == (OK, None, STARTED)
    assert step.background is not None
    assert step.background.running


def test_a_later_notice_of_the_same_end_changes_nothing():
    talk = asked("TaskOutput", "x", {"task": TASK | {"status": "completed", "exitCode": 1, "output": "1 failed"}})
    talk.user(NOTICE.format("completed", "finished"), origin={"kind": "task-notification"})
    step = next(story_of(talk).steps)
    assert (step.outcome, step.exit_code, step.output) == (ERROR, 1, "1 failed")


def test_the_first_notice_waits_in_the_queue():
    talk = left_running()
    notice = NOTICE.format("failed", 'Background command "x" failed with exit code 1')
    talk.metadata("queue-operation", operation="enqueue", content=notice)
    step = next(story_of(talk).steps)
    assert (step.outcome, step.exit_code) == (ERROR, 1)
