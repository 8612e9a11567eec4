"""What a process remembers of other sessions' records from one comparison to the next.

Decides how little that is: of each record its edits, the contents of the files that it edited, and the commands that
can have taken work away. Nothing of it is written anywhere, and none of it outlives a change of the files that it was
read from. Refuses to grow: what was used longest ago goes.
"""

from __future__ import annotations

import os.path
from _thread import allocate_lock  # `threading` gives the very same, and loads more
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from refloat.model.light import light

if TYPE_CHECKING:
    from refloat.model.stamp import Stamp
    from refloat.model.story import Story
    from refloat.model.transcript import Step
    from refloat.readers.contract import Found, Reader
    from refloat.usecases.sighting import Sighting

_MOST: Final = 24 * 1024 * 1024
"""Characters of all that is remembered."""
_EACH: Final = 1_000
"""Characters that a step counts for, whatever it holds."""
_WORTH_SHARING: Final = 32
"""Records from which a second process is worth its start: each takes ten milliseconds."""


@light
class CaughtUp:
    """What a look at the disk came to, once what was new in it had been read."""

    sighting: Sighting
    by_name: Mapping[tuple[str, str], Sequence[tuple[int, Reader, Found]]]
    """Agent and session id → what was found of it, with its place among all that was found."""
    left: int
    """Sessions that stayed unread."""
    written: object
    """`Catalogue.written` before what follows was asked."""
    readings: int
    """Sessions that the catalogue held then."""


class Memory:
    """One for each workbench; any thread may ask it."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._read: dict[tuple[str, str, str], tuple[str, Story, int]] = {}
        self._held = 0
        self.sighted: tuple[Stamp, Sighting] | None = None
        """The last look at the disk, and when it was begun."""
        self.caught_up: CaughtUp | None = None
        self._files: tuple[Sighting, Sequence[str | None]] | None = None

    def files_of(self, sighting: Sighting) -> Sequence[str | None]:
        """`recall.files_text` of each of its sessions; told again where it is the same one."""
        from refloat.usecases.recall import files_text

        known = self._files
        if known is None or known[0] is not sighting:
            known = self._files = sighting, tuple(files_text(found) for _, found in sighting.found)
        return known[1]

    def read(self, reader: Reader, found: Found) -> Story:
        """What a comparison asks of another session's record: `narrowed`.

        Raises:
            Unreadable: there is a transcript and nothing of it could be read.
        """
        from refloat.usecases.read_session import read_story
        from refloat.usecases.recall import files_text, key_of

        files, key = files_text(found), key_of(found)
        with self._lock:
            known = self._read.pop(key, None)
            if known is not None and known[0] == files:
                self._read[key] = known  # the youngest again
                return known[1]
            self._held -= known[2] if known is not None else 0
        story = narrowed(read_story(reader, found))
        if files is not None:
            self._keep(key, files, story)
        return story

    def read_all(self, rows: Sequence[tuple[Reader, Found]]) -> list[Story]:
        """The same of each; of many that are not remembered a copy of this process reads some.

        Raises:
            Unreadable: as `read` does, of the first such session.
        """
        read: Mapping[int, Story] = self._read_many(rows) if len(rows) >= _WORTH_SHARING else {}
        return [read.get(at) or self.read(*row) for at, row in enumerate(rows)]

    def _read_many(self, rows: Sequence[tuple[Reader, Found]]) -> Mapping[int, Story]:
        """By their number those that were not remembered and could be read."""
        from refloat.usecases.recall import files_text, key_of
        from refloat.usecases.sharing import Shared

        told = [(files_text(found), key_of(found)) for _, found in rows]
        with self._lock:
            unread = [at for at, (files, key) in enumerate(told) if files is None or not self._holds(key, files)]
        read: dict[int, Story] = {}
        with Shared(_read_narrowed, [rows[at] for at in unread], _WORTH_SHARING) as shared:
            for at, story in zip(unread, shared.result(), strict=True):
                files, key = told[at]
                if story is not None:
                    read[at] = story
                    if files is not None:
                        self._keep(key, files, story)
        return read

    def _holds(self, key: tuple[str, str, str], files: str) -> bool:
        known = self._read.get(key)
        return known is not None and known[0] == files

    def _keep(self, key: tuple[str, str, str], files: str, story: Story) -> None:
        size = _size(story)
        with self._lock:
            self._held += size - (self._read.pop(key)[2] if key in self._read else 0)
            self._read[key] = (files, story, size)
            while self._held > _MOST:
                oldest = next(iter(self._read))
                self._held -= self._read.pop(oldest)[2]


def _read_narrowed(rows: Sequence[tuple[Reader, Found]]) -> list[Story | None]:
    """`narrowed` of each; None of one that cannot be read."""
    from refloat.errors import Unreadable
    from refloat.usecases.read_session import read_story

    found: list[Story | None] = []
    for row in rows:
        try:
            found.append(narrowed(read_story(*row)))
        except Unreadable:
            found.append(None)
    return found


def narrowed(story: Story) -> Story:
    """A story without all that a comparison does not ask of another session."""
    from dataclasses import replace

    subagents = {name: narrowed(own) for name, own in story.subagents.items()}
    items = tuple(
        replace(item, step=replace(item.step, input="", output="", message=None))
        for item in story.items
        if item.step is not None and _is_asked(item.step)
    )
    edited = {_name(path) for path in _paths(item.step for item in items if item.step is not None)}
    edited.update(_name(path) for own in subagents.values() for path in _paths(own.steps))
    touched = tuple(row for row in story.touched if _name(row.path) in edited)
    return replace(story, items=items, subagents=subagents, touched=touched, plan=None, open_work=(), queued=())


def _is_asked(step: Step) -> bool:
    from refloat.commands import may_undo
    from refloat.model.transcript import StepKind

    return bool(step.edits) or step.kind is StepKind.EDIT or (step.command is not None and may_undo(step.command))


def _paths(steps: Iterable[Step]) -> Iterable[str]:
    for step in steps:
        yield from step.files
        for edit in step.edits:
            yield edit.path
            if edit.moved_to is not None:
                yield edit.moved_to


def _name(path: str) -> str:
    """A path's last part: links in its directories do not change that."""
    return os.path.basename(os.path.normpath(path))  # noqa: PTH119 - foreign paths, as text


def _size(story: Story) -> int:
    steps = list(story.every_step)
    texts = [text for step in steps for edit in step.edits for text in (edit.before, edit.after) if text is not None]
    lines = sum(len(line) for step in steps for edit in step.edits for hunk in edit.hunks for line in hunk.lines)
    touched = [row.content or "" for own in (story, *story.subagents.values()) for row in own.touched]
    return _EACH * len(steps) + lines + sum(map(len, (*texts, *touched)))
