"""What claims are held against is sought once, however many they are."""

from collections.abc import Iterator

from refloat.model.checkout import Base, Checkout
from refloat.model.session import SessionName
from refloat.model.transcript import Step
from refloat.model.triage import Claim, ClaimKind, FindingVerdict, Said
from refloat.testing.stories import StoryBuilder
from refloat.triage.backing import Evidence, checked

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
