"""Sessions as the last whole look told them, without a look at the disk.

Decides nothing: what `telling` kept is read back. Loads neither what tells sessions nor what judges them.
"""

from __future__ import annotations

from typing import cast

import orjson

from refloat.catalogue.peek import NOW
from refloat.catalogue.store import Catalogue
from refloat.model.session import Session
from refloat.model.stamp import Stamp
from refloat.wire.reading import read_session


def recall_told(catalogue: Catalogue, now: Stamp) -> list[Session]:
    """Every listed session as the last whole look told it, without a look at the disk."""
    sessions = (read_told(told, now) for told in catalogue.told())
    return [session for session in sessions if session is not None]


def read_told(told: bytes, now: Stamp) -> Session | None:
    """One session from its finished JSON; None where that is of another form: the next look tells it anew."""
    try:
        return read_session(cast("dict[str, object]", orjson.loads(told.replace(NOW.encode(), now.encode()))))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
