"""Whether a file of SQLite is damaged: one rule for everything that is a cache and is thrown away then.

Decides by SQLite's own code of a fault. A lock, a full disk, a missing right or a mistake of the caller is no damage.
"""

import sqlite3
from typing import Final

_CODES: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_PRIMARY: Final = 0xFF
"""Of a code, what SQLite calls the primary one (https://www.sqlite.org/rescode.html)."""


def is_damage(fault: Exception) -> bool:
    """Whether SQLite met a page that is none, or Python a text in it that is not UTF-8 (which has no code)."""
    if getattr(fault, "sqlite_errorcode", 0) & _PRIMARY in _CODES:
        return True
    return isinstance(fault, sqlite3.OperationalError) and "Could not decode" in str(fault)
