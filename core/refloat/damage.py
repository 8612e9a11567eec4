"""Whether a file of SQLite is damaged: one rule for everything that is a cache and is thrown away then.

Decides by SQLite's own code of a fault. A lock, a full disk, a missing right or a mistake of the caller is no damage.
"""

import _sqlite3 as sqlite3  # see `catalogue.peek`
from typing import Final

FAULTS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What asking a file of SQLite's may raise: of a damaged table it tells the name, which may be no text any more."""
_CODES: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_PRIMARY: Final = 0xFF
"""Of a code, what SQLite calls the primary one (https://www.sqlite.org/rescode.html)."""


def is_damage(fault: Exception) -> bool:
    """Whether SQLite met a page that is none, or Python a text in it that is not UTF-8 (which has no code)."""
    if isinstance(fault, UnicodeDecodeError) or getattr(fault, "sqlite_errorcode", 0) & _PRIMARY in _CODES:
        return True
    return isinstance(fault, sqlite3.OperationalError) and "Could not decode" in str(fault)
