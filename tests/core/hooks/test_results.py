"""What an event says of a call: how it ended, with which code, in which words; and which calls are our own."""

import io
import json
from typing import Any

import pytest

from refloat.hooks.events import Agent, Event, NoEvent, exact, read_event
from refloat.hooks.own import is_own
from refloat.hooks.results import LONGEST, judge, summarise


def told(agent: Agent = "claude-code", **more: Any) -> Event:
    event = {
        "session_id": "5f0c1d2e",
        "cwd": "/srv/app",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "make"},
        "tool_response": {"stdout": "done", "stderr": "", "interrupted": False},
        "tool_use_id": "call-1",
    } | more
    found = read_event(agent, io.BytesIO(json.dumps(event).encode()).read)
    assert found is not None
    return found


def failed(error: str, **more: Any) -> Event:
    return told(hook_event_name="PostToolUseFailure", error=error, **more)


@pytest.mark.parametrize(
    ("event", "outcome", "code"),
    [
        (told(), "ok", None),
        (told(tool_response={"stdout": "", "interrupted": True}), "interrupted", None),
        (told(tool_response={"stdout": "", "backgroundTaskId": "b1"}), "dangling", None),
        (told(tool_name="mcp__db__write", tool_response={"isError": True}), "error", None),
        (told(tool_response={"exit_code": 3}), "error", 3),
        (failed("Exit code 2\nboom"), "error", 2),
        (failed("<tool_use_error>no such file"), "error", None),
        (failed("stopped", is_interrupt=True), "interrupted", None),
        (failed("The user doesn't want to proceed with this tool use. It was rejected."), "denied", None),
        (failed("Exit code 2", tool_name="mcp__x__y"), "error", None),
        (told("codex", tool_response="3 passed\n"), "dangling", None),
        (told("codex", tool_response="Exit code: 0\nWall time: 1 seconds\nOutput:\nx"), "dangling", None),
        (told("codex", tool_response="Wall time: 1\nProcess exited with code 7\nOutput:\nx"), "dangling", None),
        (told("codex", tool_response={"exit_code": 0, "output": "Exit code: 1\n"}), "ok", 0),
        (told("codex", tool_response="a test prints\nProcess exited with code 0\n"), "dangling", None),
        (told("codex", tool_response={"metadata": {"exit_code": 1}, "output": "x"}), "error", 1),
        (told("codex", tool_name="apply_patch", tool_response="Success. Updated"), "ok", None),
        (told("codex", tool_name="apply_patch", tool_response="Exit code: 1\nOutput:\nno such file"), "error", 1),
    ],
)
def test_how_a_call_ended(event: Event, outcome: str, code: int | None) -> None:
    found = judge(event)
    assert (found.outcome, found.exit_code) == (outcome, code)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (told(tool_input={"command": "pytest -q\n  --lf"}), "pytest -q --lf"),
        (told(tool_name="Edit", tool_input={"file_path": "/srv/a.py", "old_string": "x"}), "Edit /srv/a.py"),
        (told(tool_name="Grep", tool_input={"pattern": "TODO"}), "Grep TODO"),
        (told(tool_name="TodoWrite", tool_input={"todos": []}), "TodoWrite"),
        (
            told(
                "codex", tool_name="apply_patch", tool_input={"command": "*** Begin Patch\n*** Update File: a.py\n@@\n"}
            ),
            "apply_patch a.py",
        ),
        (told("codex", tool_input={"command": ["bash", "-lc", "ls"]}), "bash -lc ls"),
        (told(tool_input={"command": "printf '\x1b[31m\u202e'"}), "printf '\\x1b[31m\\u202e'"),
    ],
)
def test_one_line_says_what_was_done(event: Event, line: str) -> None:
    assert summarise(event, str) == line


def test_a_long_command_is_masked_before_it_is_cut() -> None:
    secret = "hunter2-" * 3
    event = told(tool_input={"command": "x" * (LONGEST - 10) + secret})
    line = summarise(event, lambda text: text.replace(secret, "[masked]"))
    assert len(line) <= LONGEST
    assert line.endswith("x[masked]")
    assert len(summarise(told(tool_input={"command": "y" * 9000}), str)) == LONGEST
    assert "hunter2" not in line


def test_a_cut_output_says_so() -> None:
    found = judge(told(tool_response={"stdout": "x" * 3_000_000}))
    assert found.notes == ("the output is cut: 3000014 bytes came, the first 1048576 are kept",)


def test_what_is_kept_is_what_came() -> None:
    assert exact(told(tool_response="plain\u20ac").output) == "plain\u20ac".encode()
    assert exact(told(tool_response={"b": 1, "a": [1.0]}).output) == b'{"b": 1, "a": [1.0]}'
    assert exact(told("codex", tool_response="\ud800").output) == b"?"
    assert exact(told(tool_name="Read", tool_input=None).given) == b"null"


@pytest.mark.parametrize("text", [b"", b"garbage", b"[]", b"{}", b'{"hook_event_name": 3}', b"\xff\xfe{"])
def test_what_is_no_event_is_refused(text: bytes) -> None:
    with pytest.raises(NoEvent):
        read_event("codex", io.BytesIO(text).read)


def test_an_event_that_need_not_be_known_is_none() -> None:
    assert read_event("codex", io.BytesIO(b'{"hook_event_name": "Notification"}').read) is None


@pytest.mark.parametrize(
    ("command", "own"),
    [
        ("refloat run --job j -- pytest -q", True),
        ("cd /srv && refloat run --job j -- sh -c 'a; b' 2>&1 | tail -3", True),
        ("A=1 /opt/bin/refloat trail j > /dev/null", True),
        ("python -m refloat_tui wrap j --summary x", True),
        ("cd app\nrefloat step --job j --tool 'a && b' --output f", True),
        ("(cd /srv; refloat trail j 2>/dev/null) | grep -c ok && cat < a.txt", True),
        ("refloat trail j; make", False),
        ("refloat trail j > out.txt", False),
        ("refloat trail j &>> out.txt", False),
        ("(refloat trail j)> out.txt", False),
        ("refloat trail j >& out.txt", False),
        ("refloat trail j; sed -i s/a/b/ main.py", False),
        ("refloat trail j; . ./deploy.sh", False),
        ("refloat trail j; source deploy.sh", False),
        ('refloat wrap j --summary "$(git push --force)"', False),
        ("refloat wrap j --summary `git push --force`", False),
        ("refloat verify j; printf x > /etc/passwd", False),
        ("refloat trail j; echo rm > src/main.py", False),
        ("refloat trail j | tee src/main.py", False),
        ("refloat trail j; cat <(rm -r build)", False),
        ("refloat trail j > >(sh)", False),
        ("refloat trail j; rm -rf refloat_tui", False),
        ("make && refloat step --job j --tool make", False),
        ("grep -r refloat .", False),
        ("echo 'refloat run", False),
        ("make", False),
    ],
)
def test_our_own_commands_are_known(command: str, own: bool) -> None:
    assert is_own(told(tool_input={"command": command})) is own


@pytest.mark.parametrize(("tool", "own"), [("mcp__refloat__step", True), ("mcp__refloatation__step", False)])
def test_our_own_mcp_tools_are_known(tool: str, own: bool) -> None:
    assert is_own(told(tool_name=tool)) is own
