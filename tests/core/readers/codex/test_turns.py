"""How turns and records end."""

from typing import TYPE_CHECKING

import orjson
import pytest

from refloat.model.session import Failure, FailureKind
from refloat.model.transcript import Ending, TurnEnded
from refloat.readers.contract import Line

if TYPE_CHECKING:
    from tests.core.readers.codex.conftest import CodexHome, Told


LIMITS = {"primary": {"used_percent": 100.0, "window_minutes": 300, "resets_at": 1788630000}, "secondary": None}


def ending(codex: "CodexHome") -> Ending:
    return codex.story().summary.ending


def failure(codex: "CodexHome") -> Failure:
    told = ending(codex).failure
    assert told is not None
    return told


def test_an_ended_turn_is_completed_whatever_follows(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").said("assistant", "Done.").end("Done.")
    file.event("token_count", info=None, rate_limits=LIMITS).row("world_state", {"full": True, "state": {}})
    file.event("thread_settings_applied", thread_settings={"cwd": "/home/ada/src/ledgerly", "model": "gpt-5.6"}).save()
    assert ending(codex).turn == "completed"
    assert codex.story().summary.last_activity_at == "2026-09-05T16:00:10.000Z"


@pytest.mark.parametrize(
    ("info", "kind"),
    [
        ("usage_limit_exceeded", FailureKind.RATE_LIMIT),
        ("unauthorized", FailureKind.AUTH),
        ("context_window_exceeded", FailureKind.CONTEXT_LIMIT),
        ({"http_connection_failed": {"http_status_code": 503}}, FailureKind.API_ERROR),
        ("server_overloaded", FailureKind.API_ERROR),
        ("other", FailureKind.UNKNOWN),
    ],
)
def test_an_error_in_the_end_fails_the_turn(codex: "CodexHome", info: object, kind: FailureKind):
    codex.rollout().meta().prompt("x").end(None, error={"message": "It broke.", "codex_error_info": info}).save()
    assert ending(codex).turn == "failed"
    assert (failure(codex).kind, failure(codex).detail) == (kind, "It broke.")


def test_depleted_credits(codex: "CodexHome"):
    limits = LIMITS | {"rate_limit_reached_type": "workspace_owner_credits_depleted"}
    file = codex.rollout().meta().prompt("x").event("token_count", info=None, rate_limits=limits)
    file.end(None, error={"message": "No credits.", "codex_error_info": "usage_limit_exceeded"}).save()
    assert failure(codex).kind is FailureKind.OUT_OF_CREDIT


def test_an_error_event_explains_a_silent_end(codex: "CodexHome", markers_of: "Told"):
    file = codex.rollout().meta().prompt("x").event("error", message="Limit.", codex_error_info="usage_limit_exceeded")
    file.end(None).save()
    assert (ending(codex).turn, failure(codex).kind) == ("failed", FailureKind.RATE_LIMIT)
    assert markers_of(codex.story(), "rate_limit") == ["Limit."]


def test_a_limit_that_is_reached_is_marked_once(codex: "CodexHome", markers_of: "Told"):
    file = codex.rollout().meta().prompt("x").event("token_count", info=None, rate_limits=LIMITS)
    file.event("token_count", info=None, rate_limits=LIMITS).event("token_count", info=None, rate_limits=None).save()
    assert len(markers_of(codex.story(), "rate_limit")) == 1


def test_a_turn_without_an_end_failed_by_the_error_that_stands_last(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").run("c1", "ls").exited("c1", 0)
    file.event("error", message="Too long.", codex_error_info="context_window_exceeded").save()
    assert (ending(codex).turn, failure(codex).kind) == ("failed", FailureKind.CONTEXT_LIMIT)


def test_a_turn_without_an_end_failed_by_the_limit_that_stands_last(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").run("c1", "ls").exited("c1", 0)
    file.event("token_count", info=None, rate_limits=LIMITS).save()
    assert (ending(codex).turn, failure(codex).kind) == ("failed", FailureKind.RATE_LIMIT)


def test_what_the_agent_did_after_a_limit_shows_that_it_ended_nothing(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").event("token_count", info=None, rate_limits=LIMITS)
    file.event("error", message="Again.", codex_error_info="server_overloaded")
    file.run("c1", "ls").exited("c1", 0).save()
    assert (ending(codex).turn, ending(codex).failure) == ("open", None)


def test_a_silent_end_is_explained_by_the_usage_beside_it(codex: "CodexHome"):
    codex.rollout().meta().prompt("x").event("token_count", info=None, rate_limits=LIMITS).end(None).save()
    assert failure(codex).kind is FailureKind.RATE_LIMIT


def test_flat_limits_of_2025(codex: "CodexHome"):
    limits = {"primary_used_percent": 100.0, "primary_window_minutes": 299}
    codex.rollout().meta().prompt("x").event("token_count", info=None, rate_limits=limits).end(None).save()
    assert failure(codex).kind is FailureKind.RATE_LIMIT


def test_a_silent_end_without_any_reason(codex: "CodexHome"):
    codex.rollout().meta().prompt("x").end(None).save()
    assert (ending(codex).turn, failure(codex).kind) == ("failed", FailureKind.UNKNOWN)


def test_a_compaction_alone_is_no_failure(codex: "CodexHome", markers_of: "Told"):
    file = codex.rollout().meta().prompt("x").end().event("task_started", turn_id="c")
    file.row(
        "compacted", {"message": "We fixed it.", "replacement_history": [{"type": "function_call", "call_id": "old"}]}
    )
    file.event("context_compacted").end(None, "c").save()
    story = codex.story()
    assert (ending(codex).turn, story.summary.steps) == ("completed", 0)
    assert markers_of(story, "compaction") == ["We fixed it."]
    assert [item.marker.claim for item in story.items if item.marker] == [True]


def test_an_interrupted_turn(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").run("c1", "ls").answer("c1", "aborted by user after 1.0s")
    file.said("user", "<turn_aborted>\nit was</turn_aborted>").event(
        "turn_aborted", turn_id="turn", reason="interrupted"
    )
    file.save()
    assert (ending(codex).turn, ending(codex).user_interrupted, ending(codex).prompts) == ("interrupted", True, 1)


def test_a_replaced_turn_does_not_end_its_successor(codex: "CodexHome"):
    file = (
        codex.rollout().meta().prompt("x", "a").prompt("y", "b").event("turn_aborted", turn_id="a", reason="replaced")
    )
    file.save()
    assert ending(codex).turn == "open"


def test_a_budget_that_is_used_up_fails(codex: "CodexHome"):
    codex.rollout().meta().prompt("x").event("turn_aborted", turn_id="turn", reason="budget_limited").save()
    assert ending(codex).turn == "failed"


def test_rows_that_were_flushed_behind_the_abort_do_not_open_the_turn(codex: "CodexHome"):
    file = codex.rollout().meta(cli_version="0.40.0").said("user", "x").event("user_message", message="x", kind="plain")
    file.event("turn_aborted", reason="interrupted").item("reasoning", summary=[{"type": "summary_text", "text": "hm"}])
    file.call("c1", "shell", {"command": ["bash", "-lc", "ls"]}).answer("c1", "aborted by user after 2.0s").save()
    assert ending(codex).turn == "interrupted"


def test_a_turn_without_lifecycle_events_ends_with_the_last_word(codex: "CodexHome"):
    file = codex.rollout().meta(cli_version="0.40.0").said("user", "x").event("user_message", message="x", kind="plain")
    file.event("agent_message", message="Looking.").said("assistant", "Looking.")
    file.call("c1", "shell", {"command": ["bash", "-lc", "ls"]}).save()
    assert ending(codex).turn == "open"
    file.answer("c1", '{"output":"a","metadata":{"exit_code":0}}').event("agent_message", message="One file.")
    file.said("assistant", "One file.").event("token_count", info=None).save()
    assert ending(codex).turn == "completed"
    file.said("user", "more").event("user_message", message="more", kind="plain").save()
    assert (ending(codex).turn, codex.story().summary.prompts) == ("open", 2)


def test_turns_that_were_taken_back(codex: "CodexHome"):
    file = (
        codex.rollout()
        .meta()
        .prompt("keep", "a")
        .end(turn="a")
        .prompt("drop", "b")
        .patch("p1", "*** Delete File: a.py")
    )
    file.item("custom_tool_call_output", call_id="p1", output="Success.").end(turn="b")
    file.event("thread_rolled_back", num_turns=1).save()
    story = codex.story()
    assert story.summary.prompts == 1
    assert [step.superseded for step in story.steps] == [True]


def test_a_daemon_that_came_back(codex: "CodexHome", markers_of: "Told", texts_of: "Told"):
    text = (
        '<codex_internal_context source="daemon_recovery">\nThe server restarted and interrupted the previous turn.\n'
    )
    file = codex.rollout().meta().prompt("x").run("c1", "make").event("task_started", turn_id="b").said("user", text)
    file.said("assistant", "Going on.").end("Going on.", "b").save()
    story = codex.story()
    assert len(markers_of(story, "resume")) == 1
    assert (texts_of(story, "prompt"), story.summary.dangling) == (["x"], 1)


def test_changes_of_model_and_directory_are_marked(codex: "CodexHome", markers_of: "Told"):
    file = codex.rollout().meta().prompt("x").end()
    file.row(
        "turn_context", {"cwd": "file:///home/ada/src/other%20one", "model": "gpt-6", "approval_policy": "never"}
    ).save()
    story = codex.story()
    assert markers_of(story, "model_change") == ["gpt-6"]
    assert markers_of(story, "cwd_change") == ["/home/ada/src/other one"]
    assert (story.summary.workspace, story.summary.cwd) == ("/home/ada/src/ledgerly", "/home/ada/src/other one")
    assert story.summary.model == "gpt-6"


def test_other_marks(codex: "CodexHome", markers_of: "Told"):
    file = codex.rollout().meta().prompt("x")
    file.event("thread_goal_updated", goal={"objective": "Ship", "status": "active"})
    file.event("thread_goal_updated", goal={"objective": "Ship", "status": "active", "tokens_used": 9})
    file.event("entered_review_mode").event("exited_review_mode", review_output={"overall_explanation": "Fine."})
    file.event("sub_agent_activity", kind="started", agent_path="/agents/a").event("undo_completed")
    file.event("thread_name_updated", thread_name="Retry").event("brand_new").row("brand_new_row", {})
    file.said("user", "<subagent_notification>\n{}\n</subagent_notification>").end().save()
    story = codex.story()
    assert markers_of(story, "goal") == ["Ship (active)"]
    assert markers_of(story, "subagent") == ["/agents/a started", "{}"]
    assert len(markers_of(story, "notice")) == 3
    assert story.summary.title == "Retry"
    assert story.summary.unknown == {"brand_new": 1, "brand_new_row": 1}


def test_facts_of_the_head(codex: "CodexHome"):
    codex.rollout().meta().prompt("x").save()
    told = codex.story().summary
    assert (told.branch, told.commit, told.version, told.entrypoint) == ("main", "9c1e0f2a" * 5, "0.148.0", "codex-tui")
    assert told.started_at == "2026-09-05T16:00:00.000Z"


def test_the_end_that_the_limit_made_has_its_time_also_where_reading_went_on_and_nothing_came(
    codex: "CodexHome",
) -> None:
    rollout = codex.rollout().meta().prompt("a").event("token_count", info=None, rate_limits=LIMITS).save()
    found = codex.found()
    parser = codex.reader.parser(found)
    list(parser.open(found.segments[0]))
    for number, raw in enumerate(rollout.rows, 1):
        list(parser.feed(Line(str(rollout.path), number, 0, orjson.loads(raw))))
    last = orjson.loads(rollout.rows[-1])["timestamp"]
    for one in (parser, codex.reader.parser(found, None, parser.freeze())):
        assert [event.at for event in one.finish() if isinstance(event, TurnEnded)] == [last]
