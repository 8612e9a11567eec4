"""What claims are held against is sought once, however many they are."""

from collections.abc import Iterator

import pytest

from refloat.model.checkout import Base, Checkout
from refloat.model.session import SessionName
from refloat.model.transcript import Step, StepKind
from refloat.model.triage import Claim, ClaimKind, FindingVerdict, Said
from refloat.testing.stories import StoryBuilder
from refloat.triage.actions import find_actions
from refloat.triage.backing import Evidence, checked, outside

SAID = Said(Claim(ClaimKind.TESTS_PASS, "All tests pass."), 99, None, 1)


class Counted(list[Step]):
    """Steps that know how often somebody went through them."""

    times = 0

    def __iter__(self) -> Iterator[Step]:
        self.times += 1
        return super().__iter__()


def test_where_no_check_ran_many_claims_go_through_the_steps_once() -> None:
    story = StoryBuilder(workspace="/w")
    story.run("ls")
    name = SessionName(f"{story.agent}:{story.session_id}")
    steps = Counted(story.steps)
    evidence = Evidence(steps, Checkout(name, None, None, None, Base(None, ""), None, (), (), (), ()), {}, (), ())
    verdicts = {checked(SAID, evidence).verdict for _ in range(5)}
    assert verdicts == {FindingVerdict.UNSUPPORTED}
    assert steps.times == 1


def backing_of(kind: ClaimKind, text: str, story: StoryBuilder) -> FindingVerdict:
    name = SessionName(f"{story.agent}:{story.session_id}")
    checkout = Checkout(name, None, None, None, Base(None, ""), None, (), (), (), ())
    evidence = Evidence(story.steps, checkout, {}, find_actions(story.steps, root="/w"), ())
    return outside(Said(Claim(kind, text), 99, None, 1), evidence).verdict


def test_a_push_that_the_record_names_stands_behind_the_claim_whatever_ran() -> None:
    story = StoryBuilder(workspace="/w")
    story.step(StepKind.EXTERNAL, command="./go.sh", exit_code=0, pushed=True)
    assert backing_of(ClaimKind.PUSHED, "I pushed the branch.", story) is FindingVerdict.RECORDED
    assert backing_of(ClaimKind.PUSHED, "Pushed.", StoryBuilder(workspace="/w")) is FindingVerdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("./release.sh", ClaimKind.PUBLISHED),
        ("bash scripts/release-all.sh", ClaimKind.PUBLISHED),
        ("./ship.sh", ClaimKind.DEPLOYED),
        ("bash tools/deploy.sh prod", ClaimKind.DEPLOYED),
    ],
)
def test_a_script_that_goes_out_stands_behind_the_claim(command: str, kind: ClaimKind) -> None:
    story = StoryBuilder(workspace="/w")
    story.run(command)
    assert backing_of(kind, "It is out.", story) is FindingVerdict.RECORDED


def test_of_two_pushes_in_a_line_the_one_of_which_nobody_knows_counts() -> None:
    story = StoryBuilder(workspace="/w")
    story.run("git push one a | cat; git push two a")
    assert backing_of(ClaimKind.PUSHED, "I pushed it.", story) is FindingVerdict.UNSUPPORTED
