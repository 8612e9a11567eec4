"""The document of `refloat repair`."""

from refloat.model.repair import Repair
from refloat.wire.documents import SCHEMA, Document


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
    }
