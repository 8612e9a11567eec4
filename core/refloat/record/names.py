"""Names of what lies beside the record, for those that look for it without loading the record."""

from typing import Final

KEPT: Final = "kept"
"""The directory of kept sessions: `kept/<agent>/<session>/`."""
MANIFEST: Final = "manifest.json"
"""What makes files in such a directory a kept copy."""
