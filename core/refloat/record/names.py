"""Names of the record and of what lies beside it, for those that look for it without loading the record."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:  # the quick road of `list` reads them, and does without it
    from typing import Final

FILE_NAME: Final = "record.db"
"""The record itself, in the data directory."""
URL_VARIABLE: Final = "REFLOAT_RECORD_URL"
"""Names a record in PostgreSQL."""
CONFIG_NAME: Final = "config.toml"
"""May name one too, in the configuration directory."""
KEPT: Final = "kept"
"""The directory of kept sessions: `kept/<agent>/<session>/`."""
MANIFEST: Final = "manifest.json"
"""What makes files in such a directory a kept copy."""
