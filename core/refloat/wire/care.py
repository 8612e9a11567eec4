"""Documents of `keep`, `refresh` and `doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refloat.wire.documents import SCHEMA, problem
from refloat.wire.people import unfinished

if TYPE_CHECKING:
    from refloat.model.kept import KeptMany, KeptNow
    from refloat.model.refreshed import Refreshed
    from refloat.model.status import Doctor
    from refloat.wire.documents import Document


def keep(value: KeptNow) -> Document:
    """`refloat keep`."""
    return {"schema": SCHEMA, **kept_now(value)}


def refreshed(value: Refreshed) -> Document:
    """`refloat refresh`: what was read, and whether that was all."""
    return {
        "schema": SCHEMA,
        "sessions": value.sessions,
        "read": value.done,
        "bytes": value.read,
        "complete": value.complete,
        "problems": [problem(row) for row in value.problems],
    }


def keep_many(value: KeptMany) -> Document:
    """`refloat keep --all-due`."""
    return {
        "schema": SCHEMA,
        "kept": [kept_now(row) for row in value.kept],
        "failed": [{"session": session, "why": why} for session, why in value.failed],
    }


def kept_now(value: KeptNow) -> Document:
    """One kept session. `kept` is the directory of the copy, `bytes` are those of the originals."""
    copy = value.copy
    return {
        "session": copy.session,
        "kept": str(copy.directory),
        "bytes": copy.bytes,
        "sha256": copy.sha256,
        "at": copy.at,
        "files": len(copy.files),
        "kept_bytes": sum(file.kept_bytes for file in copy.files),
        "secrets": value.secrets,
        "changed": value.changed,
        "originals_gone": list(value.missing),
        "originals_changed": list(value.unlike),
        "damaged": [{"path": path, "what": what} for path, what in value.damaged],
    }


def doctor(value: Doctor) -> Document:
    """`refloat doctor`."""
    machine = value.machine
    return {
        "schema": SCHEMA,
        "agents": [
            {
                "agent": row.agent,
                "roots": list(row.roots),
                "sessions": row.sessions,
                "problems": [problem(one) for one in row.problems],
            }
            for row in value.agents
        ],
        "machine": {
            "git": machine.git,
            "python": machine.python,
            "refloat": machine.refloat,
            "system": machine.system,
            "watching": machine.watching,
            "inotify_watches": machine.inotify_watches,
            "inotify_instances": machine.inotify_instances,
            "catalogue": machine.catalogue,
            "record": machine.record,
            "open_drafts": machine.open_drafts,
            "unfinished_recoveries": [{"session": name, **unfinished(row)} for name, row in machine.unfinished],
            "hooks": list(machine.hooks),
            "traces": list(machine.traces),
        },
        "warnings": [{"what": row.what, "path": row.path} for row in value.warnings],
    }
