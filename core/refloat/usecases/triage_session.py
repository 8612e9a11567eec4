"""Sort what a session did and said into saved, claimed and gone, with what else was open and what must not be repeated.

The piles are those of design §5.

Asks the repository only for the commits that the record names.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from refloat.model.checkout import Checkout
from refloat.model.session import Session, State
from refloat.model.story import Story
from refloat.model.transcript import Outcome, Step
from refloat.model.triage import ActionOutcome, DoNotRepeat, Finding, Triage
from refloat.ports import Git
from refloat.there import is_directory, is_there
from refloat.triage.actions import find_actions, list_actions
from refloat.triage.backing import Evidence
from refloat.triage.claims import judge_claims
from refloat.triage.findings import sort_findings
from refloat.usecases.find_commits import find_commits
from refloat.usecases.hear_claims import hear_claims
from refloat.usecases.remotes import why_no_remote
from refloat.usecases.still_open import find_still_open
from refloat.usecases.workbench import Workbench


def triage_session(bench: Workbench, story: Story, checkout: Checkout, session: Session) -> Triage:
    """Sort a session's work and words, held against its checkout."""
    steps = list(story.every_step)
    branch = story.summary.branch or checkout.branch
    actions = find_actions(steps, branch=branch, root=checkout.repo, is_repository=_is_repository)
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
        tuple(row for row in piles.gone if not _runs_now(row, session, steps)),
        tuple(find_still_open(bench, story, session)),
        tuple(_look_for(bench.machine.git, row, checkout) for row in list_actions(actions)),
    )


def _is_repository(directory: str) -> bool:
    return is_there(f"{directory}/.git")


def _runs_now(row: Finding, session: Session, steps: Iterable[Step]) -> bool:
    """Whether a finding is nothing but a call that a live session still waits for: it is under way, not gone."""
    if session.state is not State.LIVE or row.kind == "commit" or row.claim is not None:
        return False
    own = [step for step in steps if step.n in row.steps and step.subagent == row.subagent]
    last = max((step.turn for step in steps if step.subagent == row.subagent), default=0)
    return bool(own) and all(step.outcome is Outcome.DANGLING and step.turn == last for step in own)


def _look_for(git: Git, row: DoNotRepeat, checkout: Checkout) -> DoNotRepeat:
    """The row with what stands against its look here."""
    place = row.place if row.place is not None and is_directory(row.place) else checkout.repo
    if row.outcome is not ActionOutcome.UNKNOWN or place is None:
        return row
    return replace(row, no_look=why_no_remote(git, Path(place), row.probe))
