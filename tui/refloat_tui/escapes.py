"""An escape with a key close behind it, and alt with that key, are the same to a terminal: told as `alt+KEY`.

Decides what such a pair is called, whatever the key. Textual calls only letters so: of an escape and an enter it keeps
the enter, which answers a question with yes. Refuses to choose between the two: `turns` does, who knows what is bound.
"""

from collections.abc import Iterable
from typing import Final

from textual import events
from textual._xterm_parser import XTermParser  # the one place where a terminal's bytes become keys

_ESCAPE: Final = "\x1b"
_LONGER: Final = frozenset("[OPX]^_")
"""What begins a longer sequence of a terminal."""
_OTHERS: Final = frozenset("bf")
"""Alt with an arrow, in some terminals."""


class Parser(XTermParser):
    """Keys from bytes."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        behind = sequence[1:]
        is_key = len(behind) == 1 and (behind.isprintable() or behind in "\r\t") and behind not in _LONGER | _OTHERS
        if not sequence.startswith(_ESCAPE) or not is_key:
            yield from super()._sequence_to_key_events(sequence, alt)
            return
        for key in super()._sequence_to_key_events(behind):
            yield events.Key(f"alt+{key.key}", behind)
