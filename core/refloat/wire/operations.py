"""Operations on sessions to JSON documents (design, section 7): what would be run, and why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refloat.wire.documents import SCHEMA, Document

if TYPE_CHECKING:
    from refloat.model.repair import Repair
    from refloat.model.terminals import Attachment, NoWay, Whereabouts


def attach(value: Attachment) -> Document:
    """`refloat attach`. `before` comes before `command`; `screen` is null where it was not asked for."""
    way = value.way
    return {
        "schema": SCHEMA,
        "session": value.session,
        "command": None if value.command is None else list(value.command),
        "before": [] if value.command is None or way is None else [list(argv) for argv in way.commands[:-1]],
        "workspace": value.workspace,
        "refused": None if value.refused is None else refused(value.refused),
        "place": None if value.place is None else place(value.place),
        "notes": [*(value.place.notes if value.place is not None else ()), *(way.notes if way is not None else ())],
        "screen": None if value.screen is None else list(value.screen),
    }


def refused(value: NoWay) -> Document:
    """Why nothing is done, and who forbids it."""
    return {"why": value.why, "holder": value.holder}


def place(value: Whereabouts) -> Document:
    """Where a process lives."""
    return {
        "kind": value.kind,
        "pid": value.pid,
        "words": value.words,
        "terminal": value.terminal,
        "server": value.server,
        "pane": value.pane,
        "user": value.user,
        "since": value.since,
        "from": value.host,
        "program": value.program,
    }


def repair(value: Repair) -> Document:
    """`refloat repair`."""
    plan = value.plan
    return {
        "schema": SCHEMA,
        "session": plan.session,
        "issues": [
            {"code": issue.code, "severity": issue.severity, "line": issue.line, "detail": issue.detail}
            for issue in plan.issues
        ],
        "actions": [
            {"code": action.code, "line": action.line, "id": action.id or None, "detail": action.detail}
            for action in plan.actions
        ],
        "written": value.written,
        "copy": value.copy,
        "then": None if value.then is None else list(value.then),
        "refused": None if value.refused is None else {"why": value.refused.why, "holder": value.refused.holder},
    }
