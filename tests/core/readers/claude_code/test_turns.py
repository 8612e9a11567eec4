"""How turns end, and what an error of the provider is."""

import pytest

from refloat.model.session import FailureKind
from refloat.model.transcript import Marker, Outcome
from refloat.testing.claude_talk import REFUSED, ClaudeTalk, events_of, story_of


def ending(talk: ClaudeTalk):
    return story_of(talk).summary.ending


def begun(version: str = "2.1.270") -> ClaudeTalk:
    talk = ClaudeTalk(version=version)
    talk.prompt("go")
    return talk


def error(talk: ClaudeTalk, said: str, **fields: object) -> None:
    message = {"model": "<synthetic>", "content": [{"type": "text", "text": said}], "stop_reason": "stop_sequence"}
    talk.row("assistant", message=message, **fields)


def test_a_prompt_alone_is_open():
    assert ending(begun()).turn == "open"


def test_a_call_without_an_answer_is_open():
    talk = begun()
    talk.call("Bash", "t1", command="make")
    end = ending(talk)
    assert (end.turn, end.dangling) == ("open", 1)


def test_an_answered_call_with_nothing_after_it_is_open():
    talk = begun()
    talk.ran("make")
    end = ending(talk)
    assert (end.turn, end.dangling) == ("open", 0)


@pytest.mark.parametrize(
    ("version", "stop", "turn"),
    [
        ("2.1.270", "end_turn", "completed"),
        ("2.1.270", "stop_sequence", "completed"),
        ("2.1.270", None, "open"),
        ("2.1.38", None, "completed"),
        ("1.0.98", None, "completed"),
        ("2.1.270", "max_tokens", "open"),
        ("2.1.270", "pause_turn", "open"),
        ("2.1.270", "refusal", "failed"),
    ],
)
def test_the_last_message(version: str, stop: str | None, turn: str):
    talk = begun(version)
    talk.say("Done.", stop)
    assert ending(talk).turn == turn


def test_a_build_that_names_reasons_does_not_end_with_null():
    talk = begun("2.1.38")
    talk.call("Bash", "t1", command="ls")
    talk.result("t1", "a")
    talk.say("Now", None)
    assert ending(talk).turn == "open"


def test_text_before_a_call_ends_nothing():
    talk = begun("2.1.38")
    talk.say("Let me look.", None, "m")
    block = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    talk.assistant([block], None, "m")
    assert ending(talk).turn == "open"


def test_what_the_program_says_of_the_end():
    for subtype, fields, turn in (
        ("turn_duration", {"durationMs": 1}, "completed"),
        ("stop_hook_summary", {"preventedContinuation": False}, "completed"),
        ("stop_hook_summary", {"preventedContinuation": True}, "open"),
        ("informational", {"content": "hello"}, "open"),
    ):
        talk = begun()
        talk.say("Done.", None)
        talk.system(subtype, **fields)
        assert ending(talk).turn == turn, subtype


def test_an_interruption_is_not_undone_by_the_duration():
    talk = begun()
    talk.say("I will", None)
    talk.user([{"type": "text", "text": "[Request interrupted by user]"}])
    talk.system("turn_duration", durationMs=1)
    end = ending(talk)
    assert (end.turn, end.user_interrupted) == ("interrupted", True)


def test_esc_in_a_tool():
    talk = begun()
    talk.call("Bash", "t1", command="make")
    talk.result("t1", REFUSED + "STOP", "User rejected tool use", failed=True, toolDenialKind="user-rejected")
    talk.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}], interruptedMessageId="m")
    end = ending(talk)
    assert (end.turn, end.dangling, end.shutdown) == ("interrupted", 0, False)


def test_the_program_was_ended_in_a_tool():
    talk = begun()
    talk.call("Bash", "t1", command="make")
    talk.result(
        "t1",
        REFUSED + "STOP",
        "User rejected tool use",
        failed=True,
        toolDenialKind="user-rejected",
        interruptedByShutdown=True,
    )
    talk.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    end = ending(talk)
    assert (end.turn, end.dangling, end.shutdown, end.user_interrupted) == ("open", 1, True, False)
    (step,) = story_of(talk).steps
    assert (step.outcome, step.shutdown, step.effects_unknown) == (Outcome.INTERRUPTED, True, True)


def test_the_program_was_ended_while_the_model_spoke():
    talk = begun()
    talk.say("I will", None)
    talk.user([{"type": "text", "text": "[Request interrupted by user]"}], interruptedByShutdown=True)
    assert ending(talk).turn == "open"


@pytest.mark.parametrize(
    ("said", "fields", "kind"),
    [
        ("You've hit your limit · resets 2pm", {"error": "rate_limit", "apiErrorStatus": 429}, "rate_limit"),
        ("API Error: overloaded", {"error": "overloaded", "apiErrorStatus": 529}, "api_error"),
        ("Please run /login", {"error": "authentication_failed"}, "auth"),
        ("Your organization does not allow this", {"error": "oauth_org_not_allowed"}, "auth"),
        ("on hold", {"error": "account_on_hold"}, "auth"),
        ("verify", {"error": "verification_required"}, "auth"),
        ("cloud", {"error": "cloud_credential_error"}, "auth"),
        ("Credit balance is too low", {"error": "billing_error"}, "out_of_credit"),
        ("Credit balance is too low", {"error": "invalid_request", "apiErrorStatus": 400}, "out_of_credit"),
        ("Prompt is too long", {"error": "invalid_request", "apiErrorStatus": 400}, "context_limit"),
        ("no such model", {"error": "model_not_found", "apiErrorStatus": 404}, "api_error"),
        ("API Error: 500", {"error": "server_error", "apiErrorStatus": 500}, "api_error"),
        ("too much", {"error": "max_output_tokens"}, "api_error"),
        ("who knows", {"error": "unknown"}, "api_error"),
        ("limit", {"error": "unknown", "apiError": "usage_limit_reached"}, "rate_limit"),
        ('API Error: 529 {"type":"overloaded_error"}', {}, "api_error"),
        ("Claude AI usage limit reached|1787217000", {}, "rate_limit"),
        ("Invalid API key · Please run /login", {}, "auth"),
        ("OAuth token has expired", {}, "auth"),
        ("API Error: 429 rate_limit_error", {}, "rate_limit"),
    ],
)
def test_errors_of_the_provider(said: str, fields: dict[str, object], kind: str):
    talk = begun()
    error(talk, said, isApiErrorMessage=True, **fields)
    talk.system("turn_duration", durationMs=1)
    end = ending(talk)
    assert end.turn == "failed"
    assert end.failure is not None
    assert (end.failure.kind, end.failure.detail, end.failure.at) == (kind, said, "2026-08-20T09:10:01.000Z")
    marker = "rate_limit" if kind == "rate_limit" else "api_error"
    assert [e.kind for e in events_of(talk) if isinstance(e, Marker)] == [marker]
    assert not any(item.type == "reply" for item in story_of(talk).items)


def test_an_old_build_may_lack_the_mark():
    talk = begun("2.0.14")
    error(talk, "Prompt is too long")
    end = ending(talk)
    assert end.failure is not None
    assert end.failure.kind is FailureKind.CONTEXT_LIMIT


def test_filler_is_neither_error_nor_word():
    talk = begun()
    error(talk, "No response requested.", isApiErrorMessage=False)
    assert ending(talk).turn == "open"
    assert [item.type for item in story_of(talk).items] == ["prompt"]


def test_an_error_is_over_once_the_agent_goes_on():
    talk = begun()
    error(talk, "API Error: 500", isApiErrorMessage=True, error="server_error")
    talk.prompt("again")
    talk.say("Done.")
    end = ending(talk)
    assert (end.turn, end.failure) == ("completed", None)


def retry(talk: ClaudeTalk, **error_fields: object) -> None:
    talk.system("api_error", level="error", error=error_fields, retryInMs=4000, retryAttempt=3, maxRetries=10)


def test_a_session_that_died_while_it_retried():
    talk = begun()
    retry(talk, message="Overloaded", formatted="529 Overloaded", isNetworkDown=False)
    talk.metadata("mode", mode="normal")
    end = ending(talk)
    assert end.turn == "open"
    assert end.failure is not None
    assert (end.failure.kind, end.failure.detail) == (FailureKind.API_ERROR, "529 Overloaded")


def test_an_older_form_of_a_retry():
    talk = begun("2.0.28")
    retry(talk, status=429, error={"error": {"type": "rate_limit_error", "message": "slow down"}})
    end = ending(talk)
    assert end.failure is not None
    assert (end.failure.kind, end.failure.detail) == (FailureKind.RATE_LIMIT, "slow down")


def test_a_retry_that_helped_is_forgotten():
    talk = begun()
    retry(talk, message="Overloaded")
    talk.say("Done.")
    end = ending(talk)
    assert (end.turn, end.failure) == ("completed", None)


def test_waiting_for_a_person():
    for tool, given, pending in (
        ("AskUserQuestion", {"questions": [{"question": "Which?"}]}, "input"),
        ("ExitPlanMode", {"plan": "1. do it"}, "approval"),
        ("exit_plan_mode", {"plan": "1. do it"}, "approval"),
        ("Bash", {"command": "ls"}, None),
    ):
        talk = begun()
        talk.call(tool, "t1", **given)
        assert ending(talk).pending == pending


def test_max_turns():
    talk = begun()
    talk.ran("ls")
    talk.attach("max_turns_reached", maxTurns=1)
    assert ending(talk).turn == "failed"


def test_a_refusal_without_a_way_on():
    talk = begun()
    uuid = talk.say("Half an answer", None)
    talk.system(
        "model_refusal_no_fallback", originalModel="claude-opus-5", content="refused", retractedMessageUuids=[uuid]
    )
    end = ending(talk)
    assert end.turn == "failed"
    assert [item.superseded for item in story_of(talk).items if item.type == "reply"] == [True]


@pytest.mark.parametrize("stop", [[], {}, 7, True])
def test_a_reason_that_is_no_word_ends_nothing(stop: object):
    talk = begun()
    talk.row("assistant", message={"content": [{"type": "text", "text": "Done."}], "stop_reason": stop})
    assert ending(talk).turn == "open"
