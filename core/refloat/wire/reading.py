"""JSON in: SESSION and PROBLEM read back.

Refuses what lacks a key or holds another type, with ValueError: whoever stored it reads the transcript anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from refloat.model.liveness import Evidence, Liveness, Verdict
from refloat.model.problem import Problem
from refloat.model.session import (
    Activity,
    Failure,
    FailureKind,
    Kept,
    Session,
    SessionName,
    State,
    Subagent,
    TranscriptFiles,
)
from refloat.model.stamp import Stamp


def read_session(document: Mapping[str, object]) -> Session:
    """Read a SESSION back from `session(…)`, or from its JSON.

    Raises:
        ValueError: a key is missing, or its value is of another type or word.

    """
    row = _Row(document)
    transcript, alive = row.row("transcript"), row.row("liveness")
    failed = row.row_or_none("failure")
    return Session(
        agent=row.text("agent"),
        session_id=row.text("session_id"),
        title=row.text("title"),
        workspace=row.text_or_none("workspace"),
        repo=row.text_or_none("repo"),
        branch=row.text_or_none("branch"),
        model=row.text_or_none("model"),
        started_at=row.stamp("started_at"),
        last_activity_at=row.stamp("last_activity_at"),
        state=State(row.text("state")),
        activity=Activity(word) if (word := row.text_or_none("activity")) is not None else None,
        failure=failed and Failure(FailureKind(failed.text("kind")), failed.text("detail"), failed.stamp("at")),
        liveness=Liveness(Verdict(alive.text("verdict")), tuple(_read_evidence(one) for one in alive.rows("evidence"))),
        turns=row.number("turns"),
        prompts=row.number("prompts"),
        steps=row.number("steps"),
        dangling=row.number("dangling"),
        edits=row.number("edits"),
        parent=row.name("parent"),
        superseded_by=row.name("superseded_by"),
        subagents=tuple(
            Subagent(one.text("id"), State(one.text("state")), one.number("dangling")) for one in row.rows("subagents")
        ),
        worktree=row.text_or_none("worktree"),
        transcript=TranscriptFiles(
            transcript.texts("paths"),
            transcript.number("bytes"),
            tuple(read_problem(one.document) for one in transcript.rows("problems")),
        ),
        kept=_read_kept(row.row_or_none("kept")),
        repaired=document.get("repaired") is True,
    )


def read_problem(document: Mapping[str, object]) -> Problem:
    """Read a PROBLEM back.

    Raises:
        ValueError: a key is missing, or its value is of another type.

    """
    row = _Row(document)
    return Problem(row.text("path"), row.number_or_none("line"), row.number_or_none("offset"), row.text("what"))


def _read_kept(row: _Row | None) -> Kept | None:
    if row is None:
        return None
    at = row.stamp("at")
    if at is None:
        message = "kept.at is null"
        raise ValueError(message)
    return Kept(at, row.number("bytes"), row.flag("original_gone"))


def _read_evidence(row: _Row) -> Evidence:
    return Evidence(row.text("kind"), row.text("detail"), row.number_or_none("pid"), row.stamp("at"))


class _Row:
    """A JSON object whose values are taken out by type."""

    def __init__(self, document: Mapping[str, object]) -> None:
        self.document = document

    def _get(self, key: str, kind: type | tuple[type, ...]) -> object:
        if key not in self.document:
            message = f"{key} is missing"
            raise ValueError(message)
        value = self.document[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            message = f"{key} is {value!r}"
            raise ValueError(message)
        return value

    def text(self, key: str) -> str:
        return cast("str", self._get(key, str))

    def text_or_none(self, key: str) -> str | None:
        return cast("str | None", self._get(key, (str, type(None))))

    def flag(self, key: str) -> bool:
        return cast("bool", self._get(key, bool))

    def number(self, key: str) -> int:
        return cast("int", self._get(key, int))

    def number_or_none(self, key: str) -> int | None:
        return cast("int | None", self._get(key, (int, type(None))))

    def stamp(self, key: str) -> Stamp | None:
        value = self.text_or_none(key)
        return None if value is None else Stamp(value)

    def name(self, key: str) -> SessionName | None:
        value = self.text_or_none(key)
        return None if value is None else SessionName(value)

    def row(self, key: str) -> _Row:
        return _Row(cast("Mapping[str, object]", self._get(key, Mapping)))

    def row_or_none(self, key: str) -> _Row | None:
        return None if self.document.get(key) is None else self.row(key)

    def rows(self, key: str) -> list[_Row]:
        values = cast("Sequence[object]", self._get(key, (list, tuple)))
        if not all(isinstance(value, Mapping) for value in values):
            message = f"{key} holds what is no object"
            raise ValueError(message)
        return [_Row(cast("Mapping[str, object]", value)) for value in values]

    def texts(self, key: str) -> tuple[str, ...]:
        values = cast("Sequence[object]", self._get(key, (list, tuple)))
        if not all(isinstance(value, str) for value in values):
            message = f"{key} holds what is no text"
            raise ValueError(message)
        return tuple(cast("Sequence[str]", values))
