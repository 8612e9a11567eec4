"""The one session that was meant, as it was found and read. Refuses to judge it before somebody asks."""

from collections.abc import Callable
from functools import cached_property

from refloat.model.session import Session
from refloat.model.story import Story, Summary
from refloat.readers.contract import Found, Reader


class Located:
    """The one session that was meant."""

    def __init__(
        self,
        found: Found,
        reader: Reader,
        summary: Summary,
        judge: Callable[[], Session],
        story: Story | None = None,
    ) -> None:
        self.found = found
        self.reader = reader
        self.summary = summary
        """What its record adds up to."""
        self.story = story
        """Where it had to be read, and was read whole in one go: as read, not yet `read_session.finished`."""
        self._judge = judge

    @property
    def ref(self) -> str:
        """The word that leads to it on a command line, as `Session.ref`, before anybody judged it."""
        outside = self.found.by_path and self.found.kept is None
        return self.found.files[0].path if outside else f"{self.found.agent}:{self.found.session_id}"

    @cached_property
    def session(self) -> Session:
        """What is known of it now. Its state needs a look at every process, so it is judged when it is asked for."""
        return self._judge()
