"""Listen to what an agent says about its work: in replies, completed items of plans, compaction summaries.

Decides which words count. Refuses what was taken back, thoughts, and what a sub-agent said: its words are in nobody's
history but its own, and count once the session's own agent repeats them.
"""

from collections.abc import Iterator
from functools import lru_cache

from refloat.claims import find_claims, find_done
from refloat.model.story import Story
from refloat.model.transcript import Item, StepKind
from refloat.model.triage import Claim, Said
from refloat.readers.history import read_plan


def hear_claims(story: Story) -> tuple[Said, ...]:
    """Everything that the session claims, in order."""
    said: list[Said] = []
    prompt = 0
    for item in story.items:
        if item.superseded:
            continue
        if item.type == "prompt":
            prompt = item.n
        said += [Said(claim, item.n, item.at, prompt) for claim in _claims(item)]
    return (*said, *_last_plan(story, prompt))


def _claims(item: Item) -> Iterator[Claim]:
    if item.type == "reply" and item.text:
        yield from _found(item.text)
    elif item.marker is not None and item.marker.claim:
        yield from _found(item.marker.text)
    elif (
        item.step is not None and item.step.kind is StepKind.PLAN and (plan := read_plan(item.step.input, item.step.n))
    ):
        yield from _completed(plan.entries)


def _last_plan(story: Story, prompt: int) -> Iterator[Said]:
    """The completed items of a plan that was told piece by piece: no step's arguments hold it whole."""
    if story.plan is None:
        return
    step = next((step for step in story.steps if step.n == story.plan.step), None)
    if step is None or step.superseded or read_plan(step.input, step.n) is not None:
        return
    for claim in _completed(story.plan.entries):
        yield Said(claim, step.item, step.ended_at or step.at, prompt)


def _completed(entries: tuple[tuple[str, str], ...]) -> Iterator[Claim]:
    for text, status in entries:
        if status == "completed":
            yield from _done(text)


@lru_cache(maxsize=4096)
def _found(message: str) -> tuple[Claim, ...]:
    """Remembered, because a session that is looked at again has mostly said the same."""
    return find_claims(message)


@lru_cache(maxsize=4096)
def _done(item: str) -> tuple[Claim, ...]:
    return find_done(item)
