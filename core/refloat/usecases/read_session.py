"""Read one session whole: its own transcript and its sub-agents', and no other session's."""

from dataclasses import replace

from refloat.errors import Unreadable
from refloat.model.story import Story
from refloat.readers.contract import Found, FoundSubagent, Reader
from refloat.readers.story import KEPT, Assembler
from refloat.usecases.reading import run


def read_story(reader: Reader, found: Found, *, full: bool = False) -> Story:
    """The session's items, steps, edits and ending. `full` keeps every text whole, whatever its length.

    Raises:
        Unreadable: there is a transcript and nothing of it could be read.
    """
    subagents = {sub.id: _part(reader, found, sub, {}, full=full) for sub in found.subagents}
    story = _part(reader, found, None, subagents, full=full)
    if found.problems:
        summary = replace(story.summary, problems=(*found.problems, *story.summary.problems))
        story = replace(story, summary=summary)
    problems = story.summary.problems
    if not story.items and story.summary.last_activity_at is None and problems:
        first = problems[0]
        raise Unreadable(f"nothing of {found.agent}:{found.session_id} could be read: {first.path}: {first.what}")
    return story


def _part(
    reader: Reader, found: Found, subagent: FoundSubagent | None, subagents: dict[str, Story], *, full: bool
) -> Story:
    assembler = Assembler(
        found.agent,
        found.session_id,
        keep_items=True,
        subagent=subagent.id if subagent else None,
        kept=None if full else KEPT,
    )
    run(reader, found, assembler, subagent, resumable=False)
    return assembler.story(subagents)
