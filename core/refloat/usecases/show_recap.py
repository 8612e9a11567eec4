"""The short form of what happened: bounded, and nothing of now in it."""

from dataclasses import replace

from refloat.model.session import SessionName
from refloat.model.status import Recap
from refloat.model.story import Story
from refloat.model.transcript import FileEdit, Step

DEFAULT_LIMIT = 20


def show_recap(story: Story, limit: int = DEFAULT_LIMIT) -> Recap:
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
    )


def _in_short(step: Step) -> Step:
    """A step for the table: what it did and how it went, without its texts and contents."""
    edits = tuple(FileEdit(edit.path, edit.op) for edit in step.edits)
    return replace(step, input="", output="", message=None, edits=edits)
