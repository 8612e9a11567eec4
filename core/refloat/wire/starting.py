"""The JSON of what would be started (design, section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refloat.wire.documents import SCHEMA, Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from refloat.model.situation import Ruling


def planned(command: Sequence[str] | None, workspace: str | None, refused: Ruling | None) -> Document:
    """What `continue` and `new` would do, and what forbids it."""
    return {
        "schema": SCHEMA,
        "command": None if command is None else list(command),
        "workspace": workspace,
        "refused": None if refused is None else {"why": refused.why, "holder": refused.holder},
    }
