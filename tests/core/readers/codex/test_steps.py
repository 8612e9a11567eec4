"""Calls, how they ended, and what they changed."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from refloat.model.transcript import Outcome, StepKind

if TYPE_CHECKING:
    from tests.core.readers.codex.conftest import CodexHome


CWD = "/home/ada/src/ledgerly"


@pytest.mark.parametrize(
    ("output", "outcome", "code"),
    [
        ("Chunk ID: 1f0c\nWall time: 2.1 seconds\nProcess exited with code 0\nOutput:\nok", Outcome.OK, 0),
        ("Wall time: 2.1 seconds\nProcess exited with code 3\nOriginal token count: 12\nOutput:\n", Outcome.ERROR, 3),
        ("Exit code: 1\nWall time: 2 seconds\nTotal output lines: 3\nOutput:\nfailed", Outcome.ERROR, 1),
        ("Exit code: 0\nWall time: 2 seconds\nOutput:\nExit code: 9\naborted by user", Outcome.OK, 0),
        ('{"output":"3 passed\\n","metadata":{"exit_code":0,"duration_seconds":0.4}}', Outcome.OK, 0),
        ('{"output":"Error: rejected by user","metadata":{"exit_code":0}}', Outcome.OK, 0),
        ('{"output":"boom","metadata":{"exit_code":"2"}}', Outcome.ERROR, 2),
        ("exec command rejected by user", Outcome.DENIED, None),
        ("patch rejected by user", Outcome.DENIED, None),
        ("This action was rejected due to unacceptable risk: no", Outcome.DENIED, None),
        ('exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }', Outcome.DENIED, None),
        ("aborted by user after 3.2s", Outcome.INTERRUPTED, None),
        ("Wall time: 3.2 seconds\naborted by user", Outcome.INTERRUPTED, None),
        ("aborted", Outcome.INTERRUPTED, None),
        ("failed to parse function arguments: missing field `cmd`", Outcome.ERROR, None),
        ("unsupported call: frobnicate", Outcome.ERROR, None),
        ("command timed out after 1000 milliseconds", Outcome.ERROR, None),
        (
            "failed in sandbox LinuxSeccomp with execution error: exit code: 101, stdout: , stderr: no",
            Outcome.ERROR,
            101,
        ),
        ([{"type": "input_text", "text": "Script failed\nWall time 1.0 seconds\nOutput:\n"}], Outcome.ERROR, None),
        ({"content": "fine", "success": False}, Outcome.ERROR, None),
        ({"type": "text", "text": "fine"}, Outcome.OK, None),
        ('{"content":[{"type":"text","text":"no"}],"isError":true}', Outcome.ERROR, None),
        ("just words that speak of errors and of what was rejected by user", Outcome.OK, None),
        (None, Outcome.OK, None),
        (17, Outcome.OK, None),
    ],
)
def test_an_output_tells_how_a_call_ended(codex: "CodexHome", output: object, outcome: Outcome, code: int | None):
    codex.rollout().meta().prompt("x").run("c1", "pytest -q").answer("c1", output).end().save()
    step = codex.steps()["c1"]
    assert (step.outcome, step.exit_code) == (outcome, code)
    assert step.effects_unknown == (outcome is Outcome.INTERRUPTED or str(output).startswith("command timed out"))


@pytest.mark.parametrize(
    ("output", "never"),
    [
        ("failed to parse function arguments: missing field `cmd`", True),
        ("unsupported call: exec_command", True),
        ("Wall time: 1.0 seconds\nProcess exited with code 1\nOutput:\nfailed to parse function arguments: x", False),
        ('{"output":"unsupported call: x","metadata":{"exit_code":1}}', False),
        ("Script failed\nWall time 1.0 seconds\nOutput:\nunsupported call: x", False),
        ("command timed out after 1000 milliseconds", False),
    ],
)
def test_what_never_ran(codex: "CodexHome", output: str, never: bool):
    codex.rollout().meta().prompt("x").run("c1", "git push").answer("c1", output).end().save()
    assert codex.steps()["c1"].never_ran is never


def test_a_call_without_output_dangles(codex: "CodexHome"):
    codex.rollout().meta().prompt("x").run("c1", "git push").event("token_count", info=None, rate_limits=None).save()
    story = codex.story()
    assert next(story.steps).outcome is Outcome.DANGLING
    assert (story.summary.ending.turn, story.summary.ending.dangling) == ("open", 1)


def test_a_call_left_behind_by_a_crash_dangles_for_good(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").run("c1", "git push")
    file.prompt("go on", "turn-2").said("assistant", "Fine.").end("Fine.", "turn-2").save()
    story = codex.story()
    assert story.summary.dangling == 1
    assert (story.summary.ending.turn, story.summary.ending.dangling) == ("completed", 0)


@pytest.mark.parametrize("order", [("c1", "c2", "c3"), ("c3", "c1", "c2"), ("c2", "c3", "c1")])
def test_parallel_calls_pair_in_any_order(codex: "CodexHome", order: tuple[str, ...]):
    file = codex.rollout().meta().prompt("x")
    for call in ("c1", "c2", "c3"):
        file.run(call, f"echo {call}")
    for call in order:
        file.exited(call, int(call[1]), call)
    file.end().save()
    assert {id_: (step.exit_code, step.output[-2:]) for id_, step in codex.steps().items()} == {
        "c1": (1, "c1"), "c2": (2, "c2"), "c3": (3, "c3")
    }  # fmt: skip


def test_an_output_before_its_call_pairs_too(codex: "CodexHome"):
    codex.rollout().meta().prompt("x").exited("c1", 0, "early").run("c1", "ls").end().save()
    assert codex.steps()["c1"].outcome is Outcome.OK


@pytest.mark.parametrize(
    ("name", "arguments", "command", "cwd"),
    [
        ("shell", {"command": ["bash", "-lc", "pytest -q"], "workdir": "sub"}, "pytest -q", f"{CWD}/sub"),
        ("shell", {"command": ["zsh", "-lc", "pytest -q"]}, "pytest -q", CWD),
        ("shell", {"command": ["powershell.exe", "-Command", "dir"]}, "dir", CWD),
        ("shell_command", {"command": "pytest -q", "workdir": "/elsewhere"}, "pytest -q", "/elsewhere"),
        ("exec_command", {"cmd": "pytest -q", "tty": True}, "pytest -q", CWD),
        ("exec_command", {"cmd": 7}, None, CWD),
    ],
)
def test_commands_are_unwrapped(codex: "CodexHome", name: str, arguments: object, command: str | None, cwd: str):
    codex.rollout().meta().prompt("x").call("c1", name, arguments).save()
    step = codex.steps()["c1"]
    assert (step.command, step.cwd) == (command, cwd)


def test_a_local_shell_call_is_a_command(codex: "CodexHome"):
    action = {"type": "exec", "command": ["bash", "-lc", "ls"], "working_directory": "/w", "env": {}}
    codex.rollout().meta().prompt("x").item("local_shell_call", call_id="c1", status="completed", action=action).save()
    assert (codex.steps()["c1"].command, codex.steps()["c1"].cwd) == ("ls", "/w")


def test_arguments_that_are_no_json_make_a_step_all_the_same(codex: "CodexHome"):
    codex.rollout().meta().prompt("x").call("c1", "exec_command", '{"cmd": "ls').save()
    assert codex.steps()["c1"].input == '{"cmd": "ls'


def test_kinds_of_tools(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x")
    file.call("plan", "update_plan", {"plan": [{"step": "Add retry", "status": "in_progress"}]}).answer(
        "plan", "Plan updated"
    )
    file.call("image", "view_image", {"path": "shot.png"}).answer("image", "attached")
    file.call("ask", "request_user_input", {"questions": [{"question": "Which?"}]})
    file.call("permissions", "request_permissions", {"permissions": {"network": True}})
    file.call("spawn", "spawn_agent", {"message": "look"}).answer("spawn", "{}")
    file.call("mcp", "mcp__tracker__create_issue", {"title": "Retry"})
    file.item("function_call", name="list_issues", namespace="mcp__tracker", arguments="{}", call_id="list")
    file.item("web_search_call", status="completed", action={"type": "search", "query": "retry"}, id="ws_1")
    file.event("web_search_end", call_id="ws_1", query="retry").save()
    steps = codex.steps()
    assert {name: step.kind for name, step in steps.items()} == {
        "plan": StepKind.PLAN,
        "image": StepKind.READ,
        "ask": StepKind.OTHER,
        "permissions": StepKind.OTHER,
        "spawn": StepKind.SUBAGENT,
        "mcp": StepKind.EXTERNAL,
        "list": StepKind.READ,
        "ws_1": StepKind.WEB,
    }
    assert steps["image"].files == (f"{CWD}/shot.png",)
    assert steps["ask"].pending == "input"
    assert steps["permissions"].pending == "approval"
    assert steps["ws_1"].outcome is Outcome.OK
    assert steps["list"].tool == "mcp__tracker__list_issues"
    plan = codex.story().plan
    assert plan is not None
    assert plan.entries == (("Add retry", "in_progress"),)


PATCH = "*** Update File: importer.py\n@@ def run():\n-    fetch()\n+    retry(fetch)"
CHANGES = {
    f"{CWD}/importer.py": {
        "type": "update",
        "unified_diff": "@@ -1,2 +1,2 @@\n def run():\n-    fetch()\n+    retry(fetch)\n",
        "move_path": None,
    }
}


def test_a_patch_with_nothing_but_its_text(codex: "CodexHome"):
    out = '{"output":"Success. Updated the following files:\\nM importer.py\\n","metadata":{"exit_code":0}}'
    file = codex.rollout().meta().prompt("x").patch("p1", PATCH)
    file.item("custom_tool_call_output", call_id="p1", output=out).end().save()
    step = codex.steps()["p1"]
    assert (step.kind, step.outcome, step.files) == (StepKind.EDIT, Outcome.OK, (f"{CWD}/importer.py",))
    assert step.edits[0].hunks[0].lines == ("-    fetch()", "+    retry(fetch)")
    assert step.edits[0].hunks[0].anchor == "def run():"


@pytest.mark.parametrize("event_first", [True, False])
def test_what_was_really_changed_comes_from_the_event(codex: "CodexHome", event_first: bool):
    file = codex.rollout().meta().prompt("x").patch("p1", PATCH)
    rows: list[Callable[[], object]] = [
        lambda: file.event(
            "patch_apply_end", call_id="p1", success=True, changes=CHANGES, status="completed", stdout="S"
        ),
        lambda: file.item("custom_tool_call_output", call_id="p1", output="Success. Updated the following files:\nM x"),
    ]
    for row in rows if event_first else reversed(rows):
        row()
    file.end().save()
    story = codex.story()
    (step,) = story.steps
    assert step.edits[0].hunks[0].old_start == 1
    assert step.output.startswith("Success.")
    assert (story.summary.steps, story.summary.edits, step.outcome) == (1, 1, Outcome.OK)


def test_a_refused_patch_changed_nothing_and_a_failed_one_perhaps_something(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").patch("p1", PATCH).patch("p2", PATCH).patch("p3", PATCH)
    file.event("patch_apply_end", call_id="p1", success=False, changes=CHANGES, status="declined")
    file.event("patch_apply_end", call_id="p2", success=False, changes=CHANGES, status="failed")
    file.item("custom_tool_call_output", call_id="p3", output="patch rejected by user").end().save()
    steps = codex.steps()
    assert (steps["p1"].outcome, steps["p1"].edits) == (Outcome.DENIED, ())
    assert (steps["p2"].outcome, len(steps["p2"].edits), steps["p2"].effects_unknown) == (Outcome.ERROR, 1, True)
    assert (steps["p3"].outcome, steps["p3"].edits) == (Outcome.DENIED, ())


def test_added_deleted_and_moved_files(codex: "CodexHome"):
    changes = {
        "file:///home/ada/a%20b.py": {"type": "add", "content": "x\n"},
        "/home/ada/old.py": {"type": "delete", "content": "was\n"},
        "rel.py": {"type": "update", "unified_diff": "", "move_path": "moved.py"},
    }
    codex.rollout(paginated=True).meta().prompt("x").done(
        "FileChange", "exec-1", changes=changes, status="completed"
    ).save()
    (step,) = codex.story().steps
    assert [(edit.path, edit.op, edit.before, edit.after, edit.moved_to) for edit in step.edits] == [
        ("/home/ada/a b.py", "create", None, "x\n", None),
        ("/home/ada/old.py", "delete", "was\n", None, None),
        (f"{CWD}/rel.py", "update", None, None, f"{CWD}/moved.py"),
    ]


def test_edits_hidden_in_the_shell(codex: "CodexHome"):
    heredoc = "cat > notes.md <<'EOF'\nhello\nEOF"
    patch = f"apply_patch <<'EOF'\n*** Begin Patch\n{PATCH}\n*** End Patch\nEOF"
    file = codex.rollout().meta().prompt("x").run("c1", heredoc).exited("c1", 0).run("c2", f"cd sub && {patch}")
    file.exited("c2", 0).call("c3", "shell", {"command": ["apply_patch", f"*** Begin Patch\n{PATCH}\n*** End Patch"]})
    file.save()
    steps = codex.steps()
    assert {step.kind for step in steps.values()} == {StepKind.EDIT}
    assert steps["c1"].edits[0].after == "hello\n"
    assert steps["c2"].edits[0].path == f"{CWD}/sub/importer.py"
    assert steps["c3"].edits[0].path == f"{CWD}/importer.py"


def test_an_item_beside_its_rows_is_one_step(codex: "CodexHome"):
    item = {"command": ["/bin/bash", "-lc", "pytest -q"], "cwd": f"file://{CWD}", "status": "failed", "exit_code": 1}
    file = codex.rollout(paginated=True).meta().prompt("x").run("c1", "pytest -q")
    file.done("CommandExecution", "c1", aggregated_output="1 failed\n", **item).exited(
        "c1", 1, "1 failed\n"
    ).end().save()
    (step,) = codex.story().steps
    assert (step.outcome, step.exit_code) == (Outcome.ERROR, 1)


def test_an_item_alone_answers_its_call(codex: "CodexHome"):
    file = codex.rollout(paginated=True).meta().prompt("x").run("c1", "ls")
    file.done(
        "CommandExecution", "c1", command=["ls"], cwd="file:///w", status="completed", exit_code=0, stdout="a"
    ).save()
    (step,) = codex.story().steps
    assert (step.outcome, step.output) == (Outcome.OK, "a")
    assert codex.story().summary.dangling == 0


def test_items_of_other_tools(codex: "CodexHome"):
    file = codex.rollout(paginated=True).meta().prompt("x")
    file.done(
        "McpToolCall", "m1", server="tracker", tool="get_issue", arguments={}, status="failed", error={"message": "no"}
    )
    file.done("McpToolCall", "m2", server="tracker", tool="sync", arguments={}, status="completed", readOnlyHint=True)
    file.done("DynamicToolCall", "d1", tool="js", arguments={}, status="completed", success=False)
    file.done(
        "CollabAgentToolCall", "g1", tool="spawn_agent", status="completed", agents_states={"t": {"completed": "hi"}}
    )
    file.done("ImageView", "v1", path="file:///w/a.png")
    file.done("WebSearch", "w1", query="retry")
    file.done("Sleep", "s1").done("Extension", "e1").done("Brand", "b1").save()
    steps = codex.steps()
    assert {name: (step.kind, step.outcome) for name, step in steps.items()} == {
        "m1": (StepKind.READ, Outcome.ERROR),
        "m2": (StepKind.READ, Outcome.OK),
        "d1": (StepKind.OTHER, Outcome.ERROR),
        "g1": (StepKind.SUBAGENT, Outcome.OK),
        "v1": (StepKind.READ, Outcome.OK),
        "w1": (StepKind.WEB, Outcome.OK),
        "s1": (StepKind.OTHER, Outcome.OK),
    }
    assert codex.story().summary.unknown == {"item Brand": 1}


def test_older_events_beside_their_calls(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").call("m1", "mcp__tracker__create_issue", {}).run("c1", "pytest")
    file.event(
        "mcp_tool_call_end",
        call_id="m1",
        invocation={"server": "tracker", "tool": "create_issue"},
        result={"Err": "no"},
    )
    file.answer("m1", "Wall time: 1 seconds\nOutput:\nno")
    file.event(
        "exec_command_end",
        call_id="c1",
        command=["bash", "-lc", "pytest"],
        exit_code=2,
        aggregated_output="bad",
        status="failed",
    )
    file.save()
    steps = codex.steps()
    assert (steps["m1"].outcome, steps["c1"].outcome, steps["c1"].exit_code) == (Outcome.ERROR, Outcome.ERROR, 2)
    assert len(steps) == 2


def test_a_process_that_goes_on_is_no_success_yet(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").run("c1", "npm run dev")
    file.answer("c1", "Wall time: 10.0 seconds\nProcess running with session ID 4121\nOutput:\nlistening\n").save()
    story = codex.story()
    (work,) = story.open_work
    assert (work.background.id, work.background.what, work.step) == ("4121", "npm run dev", 1)


def test_the_end_of_a_process_is_told_to_what_began_it(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").run("c1", "pytest -q")
    file.answer("c1", "Wall time: 10.0 seconds\nProcess running with session ID 4121\nOutput:\n")
    file.call("c2", "write_stdin", {"session_id": 4121, "chars": ""})
    file.answer("c2", "Wall time: 5.0 seconds\nProcess running with session ID 4121\nOutput:\n")
    file.call("c3", "write_stdin", {"session_id": 4121, "chars": ""}).exited("c3", 1, "1 failed").save()
    story, steps = codex.story(), codex.steps()
    assert story.open_work == ()
    assert (steps["c1"].outcome, steps["c1"].exit_code) == (Outcome.ERROR, 1)
    assert steps["c2"].outcome is Outcome.OK


def test_an_item_ends_a_process_as_well(codex: "CodexHome"):
    file = codex.rollout(paginated=True).meta().prompt("x").run("c1", "sleep 20")
    file.answer("c1", "Wall time: 10.0 seconds\nProcess running with session ID 9\nOutput:\n")
    file.done("CommandExecution", "c1", command=["sleep", "20"], cwd=CWD, status="completed", exit_code=0).save()
    assert codex.story().open_work == ()


def test_code_mode_units_are_steps_of_their_own(codex: "CodexHome"):
    script = 'await tools.exec_command({cmd: "git push origin retry"}); await tools.exec_command({cmd: "pytest -q"});'
    file = codex.rollout(paginated=True).meta().prompt("x")
    file.item("custom_tool_call", call_id="x1", name="exec", input=script, status="completed")
    item = {"command": ["/bin/bash", "-lc", "git push origin retry"], "cwd": CWD, "status": "completed", "exit_code": 0}
    file.done("CommandExecution", "exec-1", **item).save()
    story = codex.story()
    assert [(step.id, step.outcome) for step in story.steps] == [("x1", Outcome.DANGLING), ("exec-1", Outcome.OK)]
    notes = [item.marker.text for item in story.items if item.marker and item.marker.kind == "notice"]
    assert notes == ["may have run, in part or whole: pytest -q"]


def test_a_finished_program_is_not_told_twice(codex: "CodexHome"):
    script = 'const r = await tools.exec_command({cmd: "git push origin retry"});'
    out = [
        {"type": "input_text", "text": "Script completed\nWall time 3.9 seconds\nOutput:\n"},
        {"type": "input_text", "text": "To x"},
    ]
    file = codex.rollout(paginated=True).meta().prompt("x")
    file.item("custom_tool_call", call_id="x1", name="exec", input=script)
    file.done("CommandExecution", "exec-1", command=["git", "push"], cwd=CWD, status="completed", exit_code=0)
    file.item("custom_tool_call_output", call_id="x1", output=out).save()
    assert codex.steps()["x1"].kind is StepKind.COMMAND


def test_a_cell_that_runs_on(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").item("custom_tool_call", call_id="x1", name="exec", input="await sleep()")
    file.item(
        "custom_tool_call_output", call_id="x1", output="Script running with cell ID 7\nWall time 1 seconds\nOutput:\n"
    )
    assert len(file.save() and codex.story().open_work) == 1
    file.call("x2", "wait", {"cell_id": "7"}).answer("x2", "Script completed\nWall time 2 seconds\nOutput:\n").save()
    assert codex.story().open_work == ()


def test_snapshots_of_the_tree_before_a_turn(codex: "CodexHome"):
    commit = {"id": "ab" * 20, "parent": None, "preexisting_untracked_files": ["notes.txt"]}
    codex.rollout().meta().prompt("x").item("ghost_snapshot", ghost_commit=commit).save()
    assert [(row.kind, row.path, row.source) for row in codex.story().touched] == [
        ("snapshot_commit", CWD, "ab" * 20),
        ("dirty_before", f"{CWD}/notes.txt", ""),
    ]


def test_raw_input_stays_as_recorded(codex: "CodexHome"):
    codex.rollout().meta().prompt("x").run("c1", "ls").save()
    assert json.loads(codex.steps()["c1"].input) == {"cmd": "ls", "workdir": CWD}


@pytest.mark.parametrize(
    "said",
    [
        "apply_patch verification failed: Failed to find expected lines in m.py:\nline 55",
        "Exit code: 1\nWall time: 0 seconds\nOutput:\napply_patch verification failed: no such lines",
        '{"output":"apply_patch verification failed: no such lines","metadata":{"exit_code":1}}',
        "unsupported call: apply_patch",
    ],
)
def test_a_patch_that_was_not_begun_changed_nothing(codex: "CodexHome", said: str):
    patch = "*** Begin Patch\n*** Update File: m.py\n@@\n-a\n+b\n*** Add File: z.py\n+z\n*** End Patch"
    rollout = codex.rollout().meta().prompt("x")
    rollout.item("custom_tool_call", call_id="c1", name="apply_patch", input=patch)
    rollout.item("custom_tool_call_output", call_id="c1", output=said).end().save()
    step = codex.steps()["c1"]
    assert (step.outcome, step.edits, step.effects_unknown) == (Outcome.ERROR, (), False)
    assert step.files == (f"{CWD}/m.py", f"{CWD}/z.py")


def test_a_patch_that_failed_while_it_was_written_may_have_changed_something(codex: "CodexHome"):
    patch = "*** Begin Patch\n*** Add File: z.py\n+z\n*** End Patch"
    rollout = codex.rollout().meta().prompt("x")
    rollout.item("custom_tool_call", call_id="c1", name="apply_patch", input=patch)
    rollout.item("custom_tool_call_output", call_id="c1", output="Exit code: 1\nOutput:\nNo space left").end().save()
    step = codex.steps()["c1"]
    assert (step.outcome, step.effects_unknown, len(step.edits)) == (Outcome.ERROR, True, 1)
