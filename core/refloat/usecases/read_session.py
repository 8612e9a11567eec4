"""Read one session whole: its own transcript and its sub-agents', and no other session's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from refloat.errors import Unreadable
from refloat.model.story import Story
from refloat.readers.contract import Found, FoundSubagent, Reader
from refloat.readers.story import KEPT, Assembler
from refloat.uncollected import Uncollected
from refloat.usecases.reading import Placed, Resumable, Watch, run


def read_story(
    reader: Reader,
    found: Found,
    *,
    full: bool = False,
    placed: Placed | None = None,
    watch: Watch | None = None,
) -> Story:
    """The session's items, steps, edits and ending. `full` keeps every text whole, whatever its length; `placed` is
    called as soon as the record says where the session works; `watch` hears how far the session's own part is.

    Raises:
        Unreadable: there is a transcript and nothing of it could be read.
    """
    with Uncollected():
        subagents = {sub.id: _part(reader, found, sub, {}, full=full) for sub in found.subagents}
        story = _part(reader, found, None, subagents, full=full, placed=placed, watch=watch)
    return finished(found, story)


def finished(found: Found, story: Story) -> Story:
    """A story as it was read, with what kept files from being found.

    Raises:
        Unreadable: there is a transcript and nothing of it could be read.
    """
    if found.problems:
        summary = replace(story.summary, problems=(*found.problems, *story.summary.problems))
        story = replace(story, summary=summary)
    problems = story.summary.problems
    if not story.items and story.summary.last_activity_at is None and problems:
        first = problems[0]
        raise Unreadable(f"nothing of {found.agent}:{found.session_id} could be read: {first.path}: {first.what}")
    return story


def _part(
    reader: Reader,
    found: Found,
    subagent: FoundSubagent | None,
    subagents: dict[str, Story],
    *,
    full: bool,
    placed: Placed | None = None,
    watch: Watch | None = None,
) -> Story:
    assembler = Assembler(
        found.agent,
        found.session_id,
        keep_items=True,
        subagent=subagent.id if subagent else None,
        kept=None if full else KEPT,
    )
    run(reader, found, assembler, subagent, resumable=False, placed=placed, watch=watch)
    return assembler.story(subagents)


def read_whole(
    reader: Reader, found: Found, placed: Placed | None = None
) -> tuple[Story, Mapping[str, Resumable | None]]:
    """The same before `finished`, and where each part ("" for the session itself) can be read on from."""
    ends: dict[str, Resumable | None] = {}
    subagents: dict[str, Story] = {}
    for sub in found.subagents:
        assembler = Assembler(found.agent, found.session_id, keep_items=True, subagent=sub.id)
        ends[sub.id] = run(reader, found, assembler, sub)
        subagents[sub.id] = assembler.story({})
    assembler = Assembler(found.agent, found.session_id, keep_items=True)
    ends[""] = run(reader, found, assembler, placed=placed)
    return assembler.story(subagents), ends
