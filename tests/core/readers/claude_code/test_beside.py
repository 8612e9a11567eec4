"""Everything that nobody said: background work, sub-agents, plans, compactions, titles, and what is skipped."""

import pytest

from refloat.model.transcript import Fact, Marker, Queued, Touched, Unknown
from refloat.testing.claude_talk import CWD, ClaudeTalk, events_of, story_of

BASH = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False}


def notice(task: str, status: str, summary: str = "done", result: str = "") -> str:
    return (
        f"<task-notification>\n<task-id>{task}</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>{status}</status>\n"
        f"<summary>{summary}</summary>\n<result>{result}</result>\n</task-notification>"
    )


def open_work(talk: ClaudeTalk) -> list[tuple[str, str, str, int | None]]:
    return [(w.background.id, w.background.kind, w.background.what, w.step) for w in story_of(talk).open_work]


def facts(talk: ClaudeTalk, key: str) -> list[str]:
    return [event.value for event in events_of(talk) if isinstance(event, Fact) and event.key == key]


def marks(talk: ClaudeTalk) -> list[tuple[str, str]]:
    return [(event.kind, event.text) for event in events_of(talk) if isinstance(event, Marker)]


def in_background(talk: ClaudeTalk, command: str, name: str = "b1") -> None:
    talk.call("Bash", f"t-{name}", command=command, run_in_background=True)
    talk.result(f"t-{name}", f"Command running in background with ID: {name}", BASH | {"backgroundTaskId": name})


def test_background_shells():
    talk = ClaudeTalk()
    in_background(talk, "make all", "b1")
    in_background(talk, "npm run dev", "b2")
    in_background(talk, "pytest --watch", "b3")
    assert open_work(talk) == [
        ("b1", "background_shell", "make all", 1),
        ("b2", "dev_server", "npm run dev", 2),
        ("b3", "watcher", "pytest --watch", 3),
    ]


def test_an_old_build_names_the_shell_in_words():
    talk = ClaudeTalk(version="2.0.14")
    talk.call("Bash", "t1", command="make", run_in_background=True)
    talk.result("t1", "Command running in background with ID: bash_1. Output is being written to: /tmp/x")
    assert open_work(talk) == [("bash_1", "background_shell", "make", 1)]
    assert [step.exit_code for step in story_of(talk).steps] == [None]
    assert [work.background.output for work in story_of(talk).open_work] == ["/tmp/x"]


def test_the_file_of_the_output_is_kept_however_the_shell_is_told_of_later():
    talk = ClaudeTalk()
    said = "Command running in background with ID: b1. Output is being written to: /tmp/c/tasks/b1.output. You will"
    talk.call("Bash", "t1", command="make", run_in_background=True)
    talk.result("t1", said, BASH | {"backgroundTaskId": "b1"})
    talk.call("TaskOutput", "t2", task_id="b1")
    talk.result("t2", "x", {"retrieval_status": "timeout", "task": DONE | {"status": "running"}})
    assert [work.background.output for work in story_of(talk).open_work] == ["/tmp/c/tasks/b1.output"]


@pytest.mark.parametrize("status", ["completed", "failed", "killed"])
def test_a_notification_ends_background_work(status: str):
    talk = ClaudeTalk()
    in_background(talk, "make")
    talk.user(notice("b1", status), origin={"kind": "task-notification"})
    assert open_work(talk) == []
    assert marks(talk) == [("notice", "done")]


DONE = {"task_id": "b1", "task_type": "local_bash", "status": "completed", "exitCode": 0}
SHELL = {"shellId": "b1", "command": "make", "status": "failed", "exitCode": 1}


@pytest.mark.parametrize(
    ("tool", "given", "said", "told"),
    [
        ("TaskOutput", {"task_id": "b1"}, "x", {"retrieval_status": "success", "task": DONE}),
        ("BashOutput", {"bash_id": "b1"}, "x", SHELL),
        ("TaskOutput", {"task_id": "b1"}, "<task_id>b1</task_id>\n<status>completed</status>", None),
        ("BashOutput", {"bash_id": "b1"}, "<status>killed</status>", None),
        ("KillShell", {"shell_id": "b1"}, "killed", {"message": "ok"}),
        ("TaskStop", {"task_id": "b1"}, "stopped", None),
    ],
)
def test_tools_that_tell_of_its_end(tool: str, given: dict[str, object], said: str, told: object):
    talk = ClaudeTalk()
    in_background(talk, "make")
    talk.call(tool, "o", **given)
    talk.result("o", said, told)
    assert open_work(talk) == []


def test_other_rows_that_tell_of_its_end():
    for row in range(3):
        talk = ClaudeTalk()
        in_background(talk, "make")
        if row == 0:
            talk.attach("task_status", taskId="b1", taskType="local_bash", status="completed", description="make")
        elif row == 1:
            talk.attach("queued_command", prompt=notice("b1", "completed"), commandMode="task-notification")
        else:
            talk.metadata("queue-operation", operation="enqueue", content=notice("b1", "killed"))
        assert open_work(talk) == []


def test_a_shell_that_still_runs():
    talk = ClaudeTalk()
    in_background(talk, "make")
    talk.call("TaskOutput", "o", task_id="b1", block=False)
    talk.result("o", "", {"retrieval_status": "not_ready", "task": {"task_id": "b1", "status": "running"}})
    talk.attach("task_status", taskId="b1", taskType="local_bash", status="running")
    assert open_work(talk) == [("b1", "background_shell", "make", 1)]


def test_background_agents():
    talk = ClaudeTalk()
    talk.call("Agent", "t1", description="find callers", prompt="List", run_in_background=True)
    talk.result(
        "t1", "launched", {"isAsync": True, "status": "async_launched", "agentId": "a1", "description": "find callers"}
    )
    assert open_work(talk) == [("a1", "subagent", "find callers", 1)]
    talk.user(notice("a1", "completed", 'Agent "find callers" finished', "4 callers"))
    assert open_work(talk) == []
    assert marks(talk) == [("subagent", 'Agent "find callers" finished\n4 callers')]


def test_a_foreground_agent_names_its_file():
    talk = ClaudeTalk()
    talk.call("Task", "t1", description="find", prompt="List")
    talk.result("t1", [{"type": "text", "text": "4"}], {"status": "completed", "agentId": "a1", "content": []})
    (step,) = story_of(talk).steps
    assert step.background is not None
    assert (step.background.id, step.background.kind, step.background.running) == ("a1", "subagent", False)


def test_timers():
    talk = ClaudeTalk()
    talk.call("ScheduleWakeup", "toolu_1", delaySeconds=60, reason="look again")
    talk.result("toolu_1", "ok", {"scheduledFor": 1})
    talk.call("CronCreate", "toolu_2", cron="* * * * *", prompt="check")
    talk.result("toolu_2", "ok", {"id": "c1"})
    assert open_work(talk) == [("toolu_1", "timer", "look again", 1), ("c1", "timer", "check", 2)]
    talk.system("scheduled_task_fire", taskId="c1", cron="* * * * *", prompt="check")
    talk.system("scheduled_task_fire", prompt="look again")
    assert open_work(talk) == [("c1", "timer", "check", 2)]
    talk.call("CronDelete", "toolu_3", id="c1")
    talk.result("toolu_3", "ok")
    assert open_work(talk) == []


def test_plans():
    talk = ClaudeTalk()
    talk.call("TodoWrite", "t0", todos=[{"content": "a", "status": "completed", "activeForm": "A"}])
    plan = story_of(talk).plan
    assert plan is not None
    assert plan.entries == (("a", "completed"),)
    talk.call("TaskCreate", "t1", subject="one")
    talk.result("t1", "Task #1 created successfully: one", {"task": {"id": "1", "subject": "one"}})
    talk.call("TaskCreate", "t2", subject="two")
    talk.result("t2", "Task #2 created successfully: two")
    talk.call("TaskCreate", "t3", subject="three")
    talk.result("t3", "Task #3 created successfully: three")
    talk.call("TaskUpdate", "t4", taskId="1", status="completed")
    talk.result("t4", "Updated task #1", {"success": True, "taskId": "1", "updatedFields": ["status"]})
    talk.call("TaskUpdate", "t5", taskId="2", status="in_progress", subject="two and a half")
    talk.result("t5", "Updated task #2")
    talk.call("TaskUpdate", "t6", taskId="3", status="deleted")
    talk.result("t6", "Updated task #3", {"success": True})
    talk.call("TaskUpdate", "t7", taskId="2", status="completed")
    talk.result("t7", "no", {"success": False, "error": "no"})
    plan = story_of(talk).plan
    assert plan is not None
    assert plan.entries == (("one", "completed"), ("two and a half", "in_progress"))


def test_a_compaction():
    talk = ClaudeTalk(version="2.1.39")
    talk.prompt("go")
    talk.say("half")
    talk.system(
        "compact_boundary",
        parentUuid=None,
        logicalParentUuid=talk.parent,
        content="Conversation compacted",
        compactMetadata={"trigger": "auto"},
    )
    talk.attach("environment", snapshot={})
    talk.user("This session is being continued … Tests pass.", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    talk.call("Bash", "t1", command="ls")
    markers = [event for event in events_of(talk) if isinstance(event, Marker)]
    assert [(m.kind, m.claim) for m in markers] == [("compaction", False), ("context", True)]
    summary = story_of(talk).summary
    assert (summary.prompts, summary.ending.turn, summary.ending.dangling) == (1, "open", 1)


def test_a_summary_without_its_boundary():
    talk = ClaudeTalk()
    talk.user("This session is being continued …", isCompactSummary=True)
    markers = [event for event in events_of(talk) if isinstance(event, Marker)]
    assert [(m.kind, m.claim) for m in markers] == [("compaction", True)]


def test_titles():
    talk = ClaudeTalk()
    talk.prompt("Make the importer retry")
    assert story_of(talk).summary.title == "Make the importer retry"
    talk.rows.insert(
        0, {"type": "summary", "summary": "Of another file", "leafUuid": "00000000-0000-4000-8000-0000000000ff"}
    )
    assert story_of(talk).summary.title == "Make the importer retry"
    talk.rows.insert(
        0, {"type": "summary", "summary": "Importer loop", "leafUuid": "00000000-0000-4000-8000-000000000001"}
    )
    assert story_of(talk).summary.title == "Importer loop"
    talk.metadata("ai-title", aiTitle="Retry loop")
    assert story_of(talk).summary.title == "Retry loop"
    talk.metadata("custom-title", customTitle="importer retries")
    talk.metadata("ai-title", aiTitle="Retry loop again")
    assert story_of(talk).summary.title == "importer retries"


def test_where_a_session_works():
    talk = ClaudeTalk()
    talk.prompt("go")
    talk.row("user", message={"content": "x"}, isMeta=True, cwd=f"{CWD}/sub", gitBranch="HEAD")
    talk.metadata("worktree-state", worktreeSession={"originalCwd": CWD, "worktreePath": f"{CWD}/.claude/worktrees/r"})
    summary = story_of(talk).summary
    assert (summary.workspace, summary.cwd, summary.worktree, summary.branch) == (
        CWD,
        f"{CWD}/sub",
        f"{CWD}/.claude/worktrees/r",
        None,
    )
    assert ("cwd_change", f"{CWD}/sub") in marks(talk)
    talk.metadata("worktree-state", worktreeSession=None)
    assert story_of(talk).summary.worktree is None
    talk.metadata("relocated", relocatedCwd="/home/ada/src/api")
    assert story_of(talk).summary.workspace == "/home/ada/src/api"


def test_worktrees_by_tool():
    talk = ClaudeTalk()
    talk.call("EnterWorktree", "t1", name="r")
    talk.result("t1", "ok", {"worktreePath": "/w/r", "message": "ok"})
    assert story_of(talk).summary.worktree == "/w/r"
    talk.call("ExitWorktree", "t2", action="keep")
    talk.result("t2", "ok", {"action": "keep", "originalCwd": CWD})
    assert story_of(talk).summary.worktree is None


def test_a_session_that_goes_on_elsewhere():
    talk = ClaudeTalk()
    talk.prompt("go")
    talk.metadata("continued-in", timestamp="2026-08-20T09:30:00.000Z", continuedInSessionId="other")
    talk.system("informational", content="bye")
    assert story_of(talk).summary.continued_in == "other"
    talk.prompt("still here")
    assert story_of(talk).summary.continued_in == ""


def test_forks():
    talk = ClaudeTalk()
    talk.prompt("go", forkedFrom={"sessionId": "source", "messageUuid": "m"})
    talk.say("a", forkedFrom={"sessionId": "source", "messageUuid": "n"})
    talk.prompt("own")
    assert facts(talk, "parent") == ["source"]
    assert ("fork", "source") in marks(talk)


def test_copies_share_their_lineage():
    talk = ClaudeTalk()
    talk.metadata("ai-title", aiTitle="x")
    first = talk.prompt("go")
    talk.say("done")
    assert facts(talk, "lineage") == [first]
    assert facts(talk, "started") == ["2026-08-20T09:10:00.000Z"]


def test_evidence_of_git():
    talk = ClaudeTalk()
    talk.metadata("pr-link", prNumber=41, prUrl="https://example.org/pull/41", timestamp="2026-08-20T09:20:00.000Z")
    talk.call("Bash", "t1", command="./ship")
    git = {
        "commit": {"sha": "9c1e0f2", "kind": "committed", "branch": "main"},
        "pr": {"number": 41, "url": "u", "action": "created"},
    }
    talk.result("t1", "", BASH | {"gitOperation": git})
    assert marks(talk) == [
        ("pull_request", "https://example.org/pull/41"),
        ("notice", "committed 9c1e0f2 main"),
        ("pull_request", "created u"),
    ]
    assert [step.kind for step in story_of(talk).steps] == ["external"]


def test_metadata_is_no_activity():
    talk = ClaudeTalk()
    talk.prompt("go")
    late = "2026-08-21T00:00:00.000Z"
    talk.metadata("queue-operation", operation="enqueue", timestamp=late, content="x")
    talk.metadata("pr-link", prNumber=1, timestamp=late)
    talk.metadata("continued-in", timestamp=late, continuedInSessionId="other")
    talk.metadata(
        "file-history-delta", timestamp=late, trackingPath="a", backup={"backupFileName": None, "backupTime": late}
    )
    talk.metadata("last-prompt", lastPrompt="go", leafUuid=talk.parent)
    assert story_of(talk).summary.last_activity_at == "2026-08-20T09:10:00.000Z"
    assert any(isinstance(event, Queued) for event in events_of(talk))
    assert any(isinstance(event, Touched) for event in events_of(talk))


@pytest.mark.parametrize(
    "row",
    [
        {"type": "attachment", "attachment": {"type": "prompt_snapshot", "text": "secret system prompt"}},
        {"type": "attachment", "attachment": {"type": "session_context", "email": "ada@example.org"}},
        {"type": "attachment", "attachment": {"type": "hook_success", "stdout": "x"}},
        {"type": "attachment", "attachment": {"type": "brand_new"}},
        {"type": "attachment", "attachment": None},
        {"type": "progress", "data": {"type": "agent_progress", "message": {}}},
        {"type": "progress"},
        {"type": "system", "subtype": "bridge_status"},
        {"type": "system", "subtype": "file_snapshot"},
        {"type": "system", "subtype": "task_started"},
        {"type": "system", "subtype": "turn_duration"},
    ],
)
def test_rows_that_only_show_life(row: dict[str, object]):
    talk = ClaudeTalk()
    talk.prompt("go")
    talk.clock = 60
    kind = str(row.pop("type"))
    talk.row(kind, **row)
    found = events_of(talk)
    assert not any(isinstance(event, (Marker, Unknown)) for event in found)
    assert story_of(talk).summary.last_activity_at == "2026-08-20T09:11:00.000Z"
    assert "secret" not in repr(found)
    assert "example.org" not in repr(found)


@pytest.mark.parametrize(
    ("row", "mark"),
    [
        ({"type": "system", "content": "old notice", "level": "info"}, ("notice", "old notice")),
        ({"type": "system", "subtype": "informational", "content": "x"}, ("notice", "x")),
        ({"type": "system", "subtype": "away_summary", "content": "x"}, ("notice", "x")),
        (
            {"type": "system", "subtype": "local_command", "content": "<command-name>/cost</command-name>"},
            ("notice", "/cost"),
        ),
        ({"type": "system", "subtype": "memory_saved", "writtenPaths": ["/m"]}, ("notice", "/m")),
        ({"type": "system", "subtype": "agents_killed", "content": "2 agents"}, ("notice", "2 agents")),
        ({"type": "system", "subtype": "permission_retry", "commands": ["ls"]}, ("notice", "ls")),
        ({"type": "system", "subtype": "microcompact_boundary", "content": "trimmed"}, ("context", "trimmed")),
        ({"type": "system", "subtype": "stop_hook_summary", "hookErrors": ["no"]}, ("hook", "no")),
        ({"type": "attachment", "attachment": {"type": "plan_mode"}}, ("notice", "plan mode")),
        ({"type": "attachment", "attachment": {"type": "auto_mode"}}, ("notice", "auto mode")),
        (
            {
                "type": "attachment",
                "attachment": {"type": "hook_blocking_error", "hookName": "Stop", "blockingError": "no"},
            },
            ("hook", "Stop blocking error: no"),
        ),
        (
            {"type": "attachment", "attachment": {"type": "hook_cancelled", "hookName": "Stop"}},
            ("hook", "Stop cancelled"),
        ),
        (
            {"type": "user", "isMeta": True, "message": {"content": "Continue from where you left off."}},
            ("resume", "Continue from where you left off."),
        ),
        ({"type": "user", "message": {"content": "<bash-input>ls</bash-input>"}}, ("notice", "! ls")),
    ],
)
def test_rows_that_become_markers(row: dict[str, object], mark: tuple[str, str]):
    talk = ClaudeTalk()
    talk.row(str(row.pop("type")), **row)
    assert marks(talk) == [mark]


@pytest.mark.parametrize(
    "kind",
    """agent-name agent-color agent-setting tag mode permission-mode cost-state content-replacement bridge-session
    frame-link artifact-link checkpoint derived-from data-flow-records data-flow-incomplete api-request
    api-request-shape api-request-blob api-request-resumed fork-context-ref resume-head-vouch ended-by-model
    history-suppression attribution-snapshot repl-mode isolation-latch session-owner hybrid-organization dev-mods
    memory-mode atis-latch tools-used observer-ref host-row last-prompt""".split(),  # noqa: SIM905 - as the format lists them
)
def test_rows_skipped_by_name(kind: str):
    talk = ClaudeTalk()
    talk.metadata(kind, accountUuid="private")
    assert events_of(talk) == []


def test_unknown_types_are_counted():
    talk = ClaudeTalk()
    talk.prompt("go")
    talk.metadata("hologram")
    talk.metadata("hologram")
    talk.system("brand_new")
    talk.rows += [17, None, [], "x", {}, {"type": 3}]
    summary = story_of(talk).summary
    assert summary.unknown == {
        "hologram": 2,
        "system/brand_new": 1,
        "int": 1,
        "NoneType": 1,
        "list": 1,
        "str": 1,
        "no type": 2,
    }
    assert summary.last_activity_at == "2026-08-20T09:10:01.000Z"
