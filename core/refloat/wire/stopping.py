"""The JSON of `refloat stop`, and of its `--dry-run` (design, section 7)."""

from refloat.model.stamp import stamp_of_seconds
from refloat.model.stopping import Left, Stopped, StopPlan
from refloat.wire.documents import SCHEMA, Document


def stopped(value: Stopped) -> Document:
    """`refloat stop`."""
    return {
        "schema": SCHEMA,
        "session": value.session,
        "result": value.result,
        "signals": [{"signal": sent.signal, "at": sent.at, "pid": sent.pid} for sent in value.signals],
        "left": [_left(row) for row in value.left],
        "why": value.why,
        "notes": list(value.notes),
    }


def stop_plan(value: StopPlan) -> Document:
    """`refloat stop --dry-run`."""
    return {
        "schema": SCHEMA,
        "session": value.session,
        "refused": None if value.refused is None else {"why": value.refused, "holder": value.holder},
        "processes": [
            {
                "pid": kin.process.pid,
                "name": kin.process.name,
                "role": kin.role,
                "command": list(kin.process.argv),
                "cwd": kin.process.cwd,
                "started_at": stamp_of_seconds(kin.process.started),
            }
            for kin in value.kin
        ],
        "signals": [{"signal": ask.signal, "grace": ask.grace} for ask in value.asks],
        "left": [_left(row) for row in value.left],
        "confirm": value.confirm,
        "warnings": list(value.warnings),
    }


def _left(row: Left) -> Document:
    return {"pid": row.pid, "name": row.name, "why": row.why}
