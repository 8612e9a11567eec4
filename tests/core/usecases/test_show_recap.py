"""What a recap tells: words held against the record alone, the same for the same transcript."""

from refloat.model.transcript import Outcome
from refloat.model.triage import FindingVerdict
from refloat.testing.stories import StoryBuilder, written
from refloat.usecases.show_recap import show_recap


def story(*, code: int) -> StoryBuilder:
    made = StoryBuilder(agent="claude-code", session_id="5f0c1d2e-0000-4000-8000-000000000001", workspace="/nowhere")
    made.edit(written("/nowhere/a.py", "x\n"))
    outcome = Outcome.ERROR if code else Outcome.OK
    made.run("pytest -q", "1 failed" if code else "1 passed", outcome=outcome, exit_code=code)
    made.say("I edited a.py and committed it. All tests pass now.")
    return made


def test_a_step_that_failed_stands_against_the_words() -> None:
    recap = show_recap(story(code=1).build())
    (against,) = recap.against
    assert (against.verdict, against.claim, against.steps) == (FindingVerdict.CONTRADICTED, "tests_pass", (2,))
    assert against.why == "step 2 (`pytest -q`) failed with exit code 1"
    assert show_recap(story(code=1).build()) == recap


def test_what_only_the_checkout_can_tell_is_left_to_it() -> None:
    assert show_recap(story(code=0).build()).against == ()


def test_a_pass_after_the_failure_is_the_last_run() -> None:
    made = story(code=1)
    made.run("pytest -q", "1 passed")
    made.say("All tests pass now.")
    assert show_recap(made.build()).against == ()
