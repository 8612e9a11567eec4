"""Regular expressions that are compiled when they are first asked.

Decides nothing. Compiling one takes Python as long as making a class does; the modules that a command loads hold two
hundred, and its work asks a few dozen.
"""

from __future__ import annotations

import re
from typing import AnyStr

from refloat.late import stand_in


def late(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, to be used by its methods. A mistake in the expression is told at the first use."""
    return stand_in(lambda: re.compile(source, flags))
