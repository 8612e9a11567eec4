"""How a repaired copy of a transcript is recognised: `repair` writes these marks, readers and brief read them."""

from __future__ import annotations

from typing import Final

CLAUDE_FIELD: Final = "refloatRepair"
"""Field of a row of Claude Code that Refloat made or changed."""
CODEX_FIELD: Final = "refloat_repair"
"""The same beside `payload` of a row of Codex, and within the `session_meta` of a copy."""
UNKNOWN_OUTCOME: Final = "Interrupted by repair; outcome unknown"
"""Stands in every made result, also where a later program drops the field."""
NOTE: Final = "[refloat repair]"
"""How every note begins that stands in place of something that was cut."""


def is_made_output(text: str) -> bool:
    """Whether the output of a call was made by a repair: nobody recorded how the call ended."""
    return text.startswith(("[Tool call interrupted:", "aborted\n")) and UNKNOWN_OUTCOME in text[:400]
