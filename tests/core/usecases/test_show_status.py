"""The next operation names what is lost or not done: a command to go on with hides neither."""

from dataclasses import replace

from refloat.model.checkout import Checkout, EditFate, Fate, FileState, FoundIn, PlaceKind
from refloat.model.session import Failure, FailureKind, Session, State
from refloat.model.stamp import Stamp
from refloat.model.transcript import Plan
from refloat.readers.claude_code import ClaudeCode
from refloat.testing.samples import crashed, stopped
from refloat.usecases.show_status import show_status

LOST = crashed()
"""Its `src/vat.py` is reverted by nobody that is known."""


def with_file(state: FileState, fate: EditFate, *places: FoundIn) -> Checkout:
    files = tuple(
        replace(file, state=state, edits=(fate,), found_in=places) if file.path == "src/vat.py" else file
        for file in LOST.checkout.files
    )
    return replace(LOST.checkout, files=files)


def limited() -> Session:
    failure = Failure(FailureKind.RATE_LIMIT, "limit reached", Stamp("2026-09-14T14:22:00.000Z"))
    return replace(LOST.session, state=State.FAILED, failure=failure, dangling=0)


def test_a_resume_command_comes_with_what_is_lost() -> None:
    then = show_status(ClaudeCode(), limited(), LOST.story, LOST.checkout).next
    assert then.operation == "continue"
    assert "the edit of src/vat.py is lost from the checkout" in then.why
    assert "nothing is left open" not in then.why


def test_a_stopped_session_tells_its_open_plan() -> None:
    sample = stopped()
    plan = Plan((("Write it", "completed"), ("Document it", "in_progress"), ("Add a test", "pending")), 1)
    session = replace(sample.session, state=State.STOPPED, failure=None)
    then = show_status(ClaudeCode(), session, replace(sample.story, plan=plan), sample.checkout).next
    assert then.operation == "continue"
    assert "2 entries of its plan are not done (Document it, Add a test)" in then.why


def test_nothing_is_said_to_be_open_only_after_a_look() -> None:
    unseen = show_status(ClaudeCode(), limited(), LOST.story).next
    assert unseen.open is None
    assert "left open" not in unseen.why
    clean = replace(LOST.checkout, files=())
    seen = show_status(ClaudeCode(), limited(), replace(LOST.story, plan=None), clean).next
    assert seen.open == ()
    assert seen.why.endswith("nothing is left open")


def test_work_in_a_stash_is_named_with_its_stash() -> None:
    stash = FoundIn(PlaceKind.STASH, "src/vat.py", "stash@{0}", "a" * 40)
    checkout = with_file(FileState.REVERTED, EditFate(6, Fate.REVERTED, None, None), stash)
    why = show_status(ClaudeCode(), limited(), LOST.story, checkout).next.why
    assert "the work on src/vat.py stands in stash@{0} only" in why
    assert "lost" not in why


def test_what_a_session_that_ended_well_took_back_itself_is_not_lost() -> None:
    checkout = with_file(FileState.REVERTED, EditFate(6, Fate.REVERTED, None, "step 9"))
    session = replace(LOST.session, state=State.STOPPED, failure=None)
    assert "src/vat.py" not in show_status(ClaudeCode(), session, LOST.story, checkout).next.why
