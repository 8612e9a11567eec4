"""Sort what a session did and said into saved, claimed and gone, with what else was open and what must not be repeated.

The piles are those of design §5.

Asks the repository only for the commits that the record names.
"""

from refloat.model.checkout import Checkout
from refloat.model.session import Session
from refloat.model.story import Story
from refloat.model.triage import Triage
from refloat.triage.actions import find_actions, list_actions
from refloat.triage.backing import Evidence
from refloat.triage.claims import judge_claims
from refloat.triage.findings import sort_findings
from refloat.usecases.find_commits import find_commits
from refloat.usecases.hear_claims import hear_claims
from refloat.usecases.still_open import find_still_open
from refloat.usecases.workbench import Workbench


def triage_session(bench: Workbench, story: Story, checkout: Checkout, session: Session) -> Triage:
    """Sort a session's work and words, held against its checkout."""
    steps = list(story.every_step)
    actions = find_actions(steps, branch=story.summary.branch or checkout.branch, root=checkout.repo)
    commits = find_commits(bench.machine.git, steps, checkout)
    piles = sort_findings(steps, checkout, commits, actions)
    requests = [
        (item.n, item.marker.text) for item in story.items if item.marker and item.marker.kind == "pull_request"
    ]
    evidence = Evidence(steps, checkout, commits, actions, requests)
    borne_out, claimed = judge_claims(hear_claims(story), evidence)
    return Triage(
        checkout.session,
        (*piles.saved, *borne_out),
        claimed,
        tuple(piles.gone),
        tuple(find_still_open(bench, story, session)),
        list_actions(actions),
    )
