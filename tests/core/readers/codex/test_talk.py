"""Whose words are told, and how often."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.core.readers.codex.conftest import CodexHome, Told


def test_a_prompt_in_two_rows_is_one(codex: "CodexHome", texts_of: "Told"):
    codex.rollout().meta().prompt("Run the tests").end().save()
    story = codex.story()
    assert texts_of(story, "prompt") == ["Run the tests"]
    assert (story.summary.prompts, story.summary.turns, story.summary.title) == (1, 1, "Run the tests")


def test_the_same_words_asked_twice_are_two_prompts(codex: "CodexHome", texts_of: "Told"):
    file = codex.rollout().meta().prompt("go on").end()
    file.said("user", "go on")
    file.prompt("go on", "turn-2").said("user", "go on").event("user_message", message="go on").end(
        turn="turn-2"
    ).save()
    # Twice in the second turn, in both representations, and once in the first; the stray row counts with its event.
    assert len(texts_of(codex.story(), "prompt")) == 3 + 1


def test_an_event_before_its_row_counts_once(codex: "CodexHome", texts_of: "Told"):
    file = codex.rollout().meta().event("task_started", turn_id="turn")
    file.event("user_message", message="Fix it").said("user", "Fix it").said("assistant", "Sure.").save()
    assert texts_of(codex.story(), "prompt") == ["Fix it"]


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
        "\n# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>be kind</INSTRUCTIONS>",
        "<user_instructions>be kind</user_instructions>",
        "<turn_aborted>\n  commands may have run in part\n</turn_aborted>",
        "<skill>\n<name>x</name>\n</skill>",
        '<codex_internal_context source="goal">go</codex_internal_context>',
        "The following is the Codex agent history whose request action you are assessing",
        "<model_switch>\nnew model\n</model_switch>",
    ],
)
def test_injected_context_is_no_prompt(codex: "CodexHome", texts_of: "Told", text: str):
    file = codex.rollout().meta().event("task_started", turn_id="turn").said("user", text)
    file.said("user", "Real").event("user_message", message="Real").said("assistant", "ok").end("ok").save()
    story = codex.story()
    assert texts_of(story, "prompt") == ["Real"]
    assert story.summary.prompts == 1


def test_a_message_row_without_its_event_is_a_prompt(codex: "CodexHome", texts_of: "Told"):
    codex.rollout().meta().event("task_started", turn_id="turn").said("user", "Crashed before the event").save()
    assert texts_of(codex.story(), "prompt") == ["Crashed before the event"]


def test_an_unknown_tag_without_event_is_none_where_events_are_written(codex: "CodexHome", texts_of: "Told"):
    file = codex.rollout().meta().prompt("Real").said("user", "<brand_new_context>\nx</brand_new_context>")
    file.said("assistant", "ok").end("ok").save()
    assert texts_of(codex.story(), "prompt") == ["Real"]


def test_kinds_of_content_decide(codex: "CodexHome", texts_of: "Told"):
    kinds = {"turn_id": "turn", "content_item_kinds": ["agents_md.instructions"]}
    mine = {"turn_id": "turn", "content_item_kinds": ["user.text"]}
    file = codex.rollout(paginated=True).meta().event("task_started", turn_id="turn")
    file.said("user", "looks like mine", internal_chat_message_metadata_passthrough=kinds)
    file.said("user", "<skill> is what I type", internal_chat_message_metadata_passthrough=mine)
    file.said("user", "plain", internal_chat_message_metadata_passthrough=mine)
    file.done("UserMessage", "u1", content=[{"type": "text", "text": "plain", "text_elements": []}])
    file.said("assistant", "ok").end("ok").save()
    assert texts_of(codex.story(), "prompt") == ["plain"]


def test_an_ide_puts_headers_before_the_words(codex: "CodexHome", texts_of: "Told"):
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nRename it\n"
    codex.rollout().meta().prompt(text).end().save()
    assert texts_of(codex.story(), "prompt") == ["Rename it"]


def test_a_picture_alone_is_a_prompt(codex: "CodexHome", texts_of: "Told"):
    file = codex.rollout().meta().event("task_started", turn_id="turn")
    file.item("message", role="user", content=[{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}])
    file.event("user_message", message="", images=["data:"]).said("assistant", "A cat.").end("A cat.").save()
    assert texts_of(codex.story(), "prompt") == ["[image]"]


def test_an_answer_to_a_question_is_a_persons(codex: "CodexHome", texts_of: "Told"):
    text = '<send_user_message_question_reply>\n[{"answer":"blue","question":"Which?"}]'
    codex.rollout().meta().prompt(text).end().save()
    assert texts_of(codex.story(), "prompt") == ["Which?\nblue"]


def test_a_shell_command_of_the_person_is_a_step(codex: "CodexHome", texts_of: "Told"):
    text = (
        "<user_shell_command><command>\nls\n</command><result>\nExit code: 2\nDuration: 0.1 seconds\nOutput:\nno\n"
        "</result></user_shell_command>"
    )
    codex.rollout().meta().event("task_started", turn_id="turn").said("user", text).end(None).save()
    story = codex.story()
    (step,) = story.steps
    assert (step.tool, step.summary, step.outcome, step.exit_code) == ("user_shell", "ls", "error", 2)
    assert texts_of(story, "prompt") == []
    assert story.summary.ending.turn == "completed"


def test_a_reply_in_three_rows_is_one(codex: "CodexHome", texts_of: "Told"):
    file = codex.rollout(paginated=True).meta().prompt("Hi")
    file.event("agent_message", message="Hello.", phase="final_answer")
    file.said("assistant", "Hello.", id="msg_1", phase="final_answer")
    file.done("AgentMessage", "msg_1", content=[{"type": "Text", "text": "Hello."}], phase="final_answer")
    file.end("Hello.").save()
    assert texts_of(codex.story(), "reply") == ["Hello."]


def test_a_reply_whose_item_says_it_otherwise_is_one(codex: "CodexHome", texts_of: "Told"):
    file = codex.rollout(paginated=True).meta().prompt("Hi")
    file.said("assistant", "Hello. <cite>x</cite>", id="msg_1")
    file.done("AgentMessage", "msg_1", content=[{"type": "Text", "text": "Hello."}]).end("Hello.").save()
    assert texts_of(codex.story(), "reply") == ["Hello. <cite>x</cite>"]


def test_the_same_reply_in_two_turns_is_two(codex: "CodexHome", texts_of: "Told"):
    file = codex.rollout().meta()
    for turn in ("a", "b"):
        file.prompt(f"Ask {turn}", turn).event("agent_message", message="Done.").said("assistant", "Done.").end(
            turn=turn
        )
    file.save()
    assert texts_of(codex.story(), "reply") == ["Done.", "Done."]


def test_thoughts_are_told_once(codex: "CodexHome", texts_of: "Told"):
    file = codex.rollout().meta().prompt("Hi").event("agent_reasoning", text="**Planning**")
    file.item("reasoning", summary=[{"type": "summary_text", "text": "**Planning**"}], encrypted_content="gAAA")
    file.done("Reasoning", "r1", summary_text=["**Planning**"], raw_content=[]).end("x").save()
    assert texts_of(codex.story(), "thinking") == ["**Planning**"]


def test_a_last_word_that_stands_nowhere_else_is_told(codex: "CodexHome", texts_of: "Told"):
    codex.rollout().meta().prompt("Hi").end("Only here.").save()
    assert texts_of(codex.story(), "reply") == ["Only here."]
