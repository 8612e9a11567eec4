"""Whose words a row holds."""

import pytest

from refloat.model.transcript import Fact, Marker, Message, Queued, TurnBegan, Unknown
from refloat.testing.claude_talk import ClaudeTalk, events_of, story_of

NOTICE = (
    "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n<summary>done</summary>\n"
    "</task-notification>"
)


def prompts(talk: ClaudeTalk) -> list[tuple[str, str]]:
    return [(e.text, e.by) for e in events_of(talk) if isinstance(e, Message) and e.type == "prompt"]


@pytest.mark.parametrize(
    ("content", "fields", "said"),
    [
        ("Retry three times", {}, "Retry three times"),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], {}, "one\ntwo"),
        ([{"type": "image", "source": {}}], {}, ""),
        ([{"type": "text", "text": "<ide_opened_file>x</ide_opened_file>"}, {"type": "text", "text": "go"}], {}, "go"),
        ("old rows have no origin", {"promptSource": "sdk"}, "old rows have no origin"),
        ("Exit code 1 is what I got", {}, "Exit code 1 is what I got"),
    ],
)
def test_a_persons_prompt(content: object, fields: dict[str, object], said: str):
    talk = ClaudeTalk()
    talk.user(content, **fields)
    assert prompts(talk) == [(said, "human")]


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        ("This session is being continued from a previous conversation", {"isCompactSummary": True}),
        ("Base directory for this skill: /x", {"isMeta": True}),
        (NOTICE, {"origin": {"kind": "task-notification"}}),
        (NOTICE, {}),
        ("do this next", {"origin": {"kind": "coordinator"}}),
        ("hello from afar", {"origin": {"kind": "peer"}}),
        (
            "<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args></command-args>",
            {},
        ),
        ("<command-message>init</command-message>\n<command-name>/init</command-name>", {}),
        ("<local-command-stdout>Set model</local-command-stdout>", {}),
        ("<local-command-stderr>no</local-command-stderr>", {}),
        ("<local-command-caveat>Caveat</local-command-caveat>", {}),
        ("<bash-input>ls</bash-input>", {}),
        ("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>", {}),
        ("<user-memory-input>use tabs</user-memory-input>", {}),
        ([{"type": "text", "text": "[Request interrupted by user]"}], {}),
        ([{"type": "text", "text": "[Request interrupted by user for tool use]"}], {}),
        ("<system-reminder>be nice</system-reminder>", {}),
        ("shown only", {"isVisibleInTranscriptOnly": True}),
        ("shown only", {"isVirtual": True}),
        ("by the program", {"promptSource": "system"}),
        ("", {}),
        (None, {}),
        (17, {}),
    ],
)
def test_what_no_person_asked(content: object, fields: dict[str, object]):
    talk = ClaudeTalk()
    talk.user(content, **fields)
    assert prompts(talk) == []
    found = events_of(talk)
    assert not any(isinstance(event, Unknown) for event in found)
    assert story_of(talk).summary.last_activity_at == "2026-08-20T09:10:00.000Z"


def test_a_slash_command_that_the_agent_answers_begins_a_turn():
    talk = ClaudeTalk()
    talk.user(
        "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>41</command-args>"
    )
    talk.user("Review the pull request 41.", isMeta=True)
    talk.call("Bash", "t1", command="gh pr view 41")
    found = events_of(talk)
    assert [e.text for e in found if isinstance(e, Marker)] == ["/review 41"]
    assert any(isinstance(event, TurnBegan) for event in found)
    summary = story_of(talk).summary
    assert (summary.prompts, summary.turns, summary.ending.turn, summary.ending.dangling) == (0, 1, "open", 1)


def test_a_local_command_begins_none():
    talk = ClaudeTalk()
    talk.user("<command-name>/cost</command-name>")
    talk.user("<local-command-stdout>$0.10</local-command-stdout>")
    talk.prompt("go")
    talk.say("done")
    summary = story_of(talk).summary
    assert (summary.prompts, summary.turns, summary.ending.turn) == (1, 1, "completed")


def test_a_prompt_typed_while_the_agent_works():
    talk = ClaudeTalk()
    talk.prompt("first")
    talk.call("Bash", "t1", command="ls")
    talk.metadata("queue-operation", operation="enqueue", timestamp="2026-08-20T09:10:02.000Z", content="also this")
    talk.result("t1", "a")
    talk.metadata("queue-operation", operation="remove", timestamp="2026-08-20T09:10:03.000Z", content="also this")
    talk.attach("queued_command", prompt="also this", commandMode="prompt")
    talk.attach("queued_command", prompt=NOTICE, commandMode="task-notification")
    talk.attach("queued_command", prompt="no words of a person", commandMode="prompt", isMeta=True)
    talk.attach("queued_command", prompt=[{"type": "text", "text": "with blocks"}], commandMode="prompt")
    assert prompts(talk) == [("first", "human"), ("also this", "queue"), ("with blocks", "queue")]
    assert story_of(talk).queued == ()


def test_prompts_that_still_wait():
    talk = ClaudeTalk()
    talk.prompt("first")
    talk.metadata("queue-operation", operation="enqueue", timestamp="2026-08-20T09:10:01.000Z", content="a")
    talk.metadata("queue-operation", operation="enqueue", timestamp="2026-08-20T09:10:01.000Z", content=NOTICE)
    talk.metadata("queue-operation", operation="enqueue", timestamp="2026-08-20T09:10:01.000Z", content="b")
    talk.metadata("queue-operation", operation="enqueue", timestamp="2026-08-20T09:10:01.000Z", content="c")
    talk.metadata("queue-operation", operation="dequeue", timestamp="2026-08-20T09:10:01.000Z")
    talk.metadata("queue-operation", operation="dequeue", timestamp="2026-08-20T09:10:01.000Z")
    assert [queued.text for queued in story_of(talk).queued] == ["b", "c"]
    talk.metadata("queue-operation", operation="popAll", timestamp="2026-08-20T09:10:01.000Z")
    assert story_of(talk).queued == ()


def test_a_queued_prompt_that_is_delivered_waits_no_more():
    talk = ClaudeTalk()
    talk.metadata(
        "queue-operation", operation="enqueue", timestamp="2026-08-20T09:10:01.000Z", content="a", commandUuid="u"
    )
    talk.user("a", promptSource="queued")
    found = events_of(talk)
    assert [(e.id, e.waiting) for e in found if isinstance(e, Queued)] == [("u", True), ("u", False)]
    assert prompts(talk) == [("a", "queue")]


def test_split_messages_share_their_id():
    talk = ClaudeTalk()
    talk.prompt("go")
    talk.assistant([{"type": "thinking", "thinking": "", "signature": "x"}], message="m")
    talk.assistant([{"type": "thinking", "thinking": "Hm."}], message="m")
    talk.say("Running the tests.", None, "m")
    talk.call("Bash", "t1", "m", command="pytest -q")
    talk.result("t1", "3 passed")
    talk.say("All pass.", "end_turn", "n")
    items = story_of(talk).items
    assert [(item.type, item.text) for item in items if item.type != "step"] == [
        ("prompt", "go"),
        ("thinking", "Hm."),
        ("reply", "Running the tests."),
        ("reply", "All pass."),
    ]
    assert [step.message for step in story_of(talk).steps] == ["Running the tests."]


def test_several_blocks_in_one_row():
    talk = ClaudeTalk()
    talk.assistant(
        [
            {"type": "text", "text": "a"},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
            {"type": "text", "text": "b"},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "hologram"},
        ],
        message="m",
    )
    found = events_of(talk)
    assert [e.text for e in found if isinstance(e, Message)] == ["a\nb"]
    assert Unknown("assistant/hologram") in found
    assert [step.message for step in story_of(talk).steps] == ["a\nb"]


def test_models():
    talk = ClaudeTalk()
    talk.prompt("go")
    talk.say("a")
    talk.row("assistant", message={"model": "claude-opus-5", "content": [{"type": "text", "text": "b"}]})
    talk.row(
        "assistant", message={"model": "<synthetic>", "content": [{"type": "text", "text": "No response requested."}]}
    )
    talk.assistant([{"type": "fallback", "from": "claude-opus-5", "to": "claude-sonnet-5"}])
    talk.system("model_fallback", originalModel="claude-sonnet-5", fallbackModel="claude-haiku-5", trigger="overloaded")
    found = events_of(talk)
    assert [e.value for e in found if isinstance(e, Fact) and e.key == "model"] == [
        "claude-sonnet-5",
        "claude-opus-5",
        "claude-sonnet-5",
    ]
    assert [e.text for e in found if isinstance(e, Marker) and e.kind == "model_change"] == [
        "claude-sonnet-5 → claude-opus-5",
        "claude-opus-5 → claude-sonnet-5",
        "claude-opus-5 → claude-sonnet-5",
        "claude-sonnet-5 → claude-haiku-5",
    ]
    assert not any(isinstance(e, Message) and e.text == "No response requested." for e in found)
