"""The JSON of what would be started (design, section 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refloat.wire.documents import SCHEMA, Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from refloat.model.recovered import Aside
    from refloat.model.situation import Ruling


def planned(
    command: Sequence[str] | None, workspace: str | None, refused: Ruling | None, brief: Document | None = None
) -> Document:
    """What `continue` and `new` would do, and what forbids it. `brief`: of `new`, as `planned_brief` tells it."""
    planned: Document = {
        "schema": SCHEMA,
        "command": None if command is None else list(command),
        "workspace": workspace,
        "refused": None if refused is None else {"why": refused.why, "holder": refused.holder},
    }
    return planned if brief is None else {**planned, "brief": brief}


def planned_brief(path: str, aside: Sequence[Aside], *, is_there: bool) -> Document:
    """The brief that a new session is started with: there already or written first, and those that are left aside."""
    left = [{"path": one.path, "why": one.why} for one in aside]
    return {"path": path, "is_there": is_there, "left_aside": left}
