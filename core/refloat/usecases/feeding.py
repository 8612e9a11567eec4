"""Hands the searchable texts of a session to a digest, numbered as `history` numbers them (stands in until the pass does)."""

from refloat.model.transcript import Call, Marker, Message, Result
from refloat.readers.contract import Found, Reader
from refloat.readers.story import Assembler
from refloat.search.digest import Digest
from refloat.usecases.reading import run


class _Feeder(Assembler):
    def __init__(self, found: Found, digest: Digest) -> None:
        super().__init__(found.agent, found.session_id, keep_items=True, kept=64)
        self._digest = digest

    def take(self, events) -> None:
        for event in events:
            history = self._history
            before = len(history._entries)
            calls = set(history._drafts) if isinstance(event, Call) else set()
            self._take(event)
            new = len(history._entries) > before
            if isinstance(event, Message):
                n = before + 1 if new else history._parts.get((event.type, event.id), -1) + 1
                self._digest.take(n, event.place, event.type, event.text)
            elif isinstance(event, Marker):
                self._digest.take(before + 1 if new else 0, event.place, "marker", event.text)
            elif isinstance(event, Call):
                if new:
                    self._digest.take(before + 1, event.place, "command", event.command or event.summary)
                    for path in dict.fromkeys((*event.files, *(edit.path for edit in event.edits))):
                        self._digest.take(before + 1, event.place, "path", path)
            elif isinstance(event, Result):
                name = self._calls.answered.get(event.id, event.id)
                draft = history._drafts.get(name)
                self._digest.take(draft.item if draft else 0, event.place, "output", event.output)


def feed(reader: Reader, found: Found, digest: Digest) -> None:
    run(reader, found, _Feeder(found, digest), resumable=False)
