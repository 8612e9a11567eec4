"""The short form of what happened: bounded, and nothing of now in it.

Decides which of the agent's words the record contradicts by itself. Refuses to say what became of the work since: that
is the checkout's to tell.
"""

from dataclasses import replace
from typing import Final

from refloat.checkout.checks import Tree, find_checks
from refloat.model.checkout import Base, Checkout
from refloat.model.session import SessionName
from refloat.model.status import RECAP_LIMIT, Recap
from refloat.model.story import Story
from refloat.model.transcript import FileEdit, Step
from refloat.model.triage import ClaimKind, Finding, FindingVerdict
from refloat.triage.actions import find_actions
from refloat.triage.backing import Evidence
from refloat.triage.claims import judge_claims
from refloat.usecases.hear_claims import hear_claims

_OF_THE_TREE: Final = frozenset({ClaimKind.EDITED, ClaimKind.COMMITTED})
"""Claims that only the checkout can judge."""
_NO_TREE: Final = Tree(None, lambda _: None, lambda _old, _new: None, {}, lambda _: None, repository=False)


def show_recap(story: Story, limit: int = RECAP_LIMIT) -> Recap:
    """The last `limit` items without the agent's thinking, and what the table of what matters is made of."""
    summary = story.summary
    told = [item for item in story.items if item.type != "thinking"]
    shown = tuple(told[len(told) - limit :] if limit < len(told) else told)
    return Recap(
        session=SessionName(f"{summary.agent}:{summary.session_id}"),
        title=summary.title,
        workspace=summary.workspace,
        limit=limit,
        shown=len(shown),
        omitted=len(story.items) - len(shown),
        items=shown,
        asked=tuple(item for item in story.items if item.type == "prompt" and not item.superseded),
        steps=tuple(_in_short(step) for step in story.steps),
        said=next((item for item in reversed(story.items) if item.type == "reply" and not item.superseded), None),
        against=_against(story),
    )


def _against(story: Story) -> tuple[Finding, ...]:
    """What the agent claimed and a step of the record contradicts."""
    said = [one for one in hear_claims(story) if one.claim.kind not in _OF_THE_TREE]
    if not said:
        return ()
    steps = list(story.every_step)
    name = SessionName(f"{story.summary.agent}:{story.summary.session_id}")
    runs = find_checks(steps, lambda _: _NO_TREE, str, str)
    seen = Checkout(name, None, None, story.summary.branch, Base(None, ""), None, (), (), (), runs)
    actions = find_actions(steps, branch=story.summary.branch, root=None)
    _, claimed = judge_claims(said, Evidence(steps, seen, {}, actions, ()))
    return tuple(finding for finding in claimed if finding.verdict is FindingVerdict.CONTRADICTED)


def _in_short(step: Step) -> Step:
    """A step for the table: what it did and how it went, without its texts and contents."""
    edits = tuple(FileEdit(edit.path, edit.op) for edit in step.edits)
    return replace(step, input="", output="", message=None, edits=edits)
