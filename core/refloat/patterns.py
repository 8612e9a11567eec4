"""Regular expressions that are compiled when they are first asked.

Decides nothing. Compiling one takes Python as long as making a class does; the modules that a command loads hold two
hundred, and its work asks a few dozen.
"""

import re
from typing import AnyStr, Generic, cast


class _Late(Generic[AnyStr]):
    """Has no attribute of a pattern's until one is asked for; then it keeps the pattern's own."""

    def __init__(self, source: AnyStr, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        value: object = getattr(re.compile(self._source, self._flags), name)  # `re` remembers what it compiled
        setattr(self, name, value)
        return value


def late(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, to be used by its methods. A mistake in the expression is told at the first use."""
    return cast("re.Pattern[AnyStr]", _Late(source, flags))  # it has what a pattern has
