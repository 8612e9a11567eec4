"""Rows to values: links as other rooms know them. What a damaged row says is read as far as it goes."""

import json
from typing import Final, TypeVar, cast

from refloat.model.record import Checked, Decision, Link, Pickup, SavedStep, Verdict, Wrap
from refloat.model.saving import (
    OUTCOMES,
    RELEASES,
    STATUSES,
    Ending,
    Opening,
    Origin,
    Runner,
    Tree,
)
from refloat.record.engine import Row
from refloat.record.rows import get_text, number, stamp, text

_ORIGINS: Final[tuple[Origin, ...]] = ("run", "step", "hook", "mcp", "reconstruction", "recovery")
_VERDICTS: Final[tuple[Verdict, ...]] = ("unchanged", "altered", "missing", "not_checked")

W = TypeVar("W", bound=str)


def step_of(row: Row, verdict: Verdict = "not_checked") -> SavedStep:
    """A step."""
    opening = Opening(
        job=text(row, "job"),
        producer=text(row, "producer"),
        tool=text(row, "tool"),
        summary=text(row, "summary"),
        origin=_word(row, "origin", _ORIGINS, "step"),
        started_at=stamp(row, "started_at"),
        workspace=get_text(row, "workspace"),
        tree=_tree(row, "before"),
        runner=Runner(get_text(row, "host"), number(row, "pid"), get_text(row, "pid_started")),
        automatic=bool(number(row, "automatic")),
    )
    sealed = row.get("sealed") is not None
    return SavedStep(
        id=text(row, "id"),
        seq=number(row, "seq") or 0,
        opening=opening,
        input_sha256=get_text(row, "input_sha256"),
        input_bytes=number(row, "input_bytes"),
        output_sha256=get_text(row, "output_sha256"),
        output_bytes=number(row, "output_bytes"),
        ending=_ending(row) if sealed else None,
        link=link_of(row) if sealed else None,
        verdict=verdict,
    )


def wrap_of(row: Row, verdict: Verdict = "not_checked") -> Wrap:
    """A wrap."""
    return Wrap(
        id=text(row, "id"),
        job=text(row, "job"),
        at=stamp(row, "at"),
        producer=text(row, "producer"),
        summary=text(row, "summary"),
        goal=text(row, "goal"),
        recipient=get_text(row, "recipient"),
        next_steps=_texts(row, "next_steps"),
        not_checked=_texts(row, "not_checked"),
        last_seq=number(row, "last_seq") or 0,
        automatic=bool(number(row, "automatic")),
        note=get_text(row, "note"),
        link=link_of(row),
        verdict=verdict,
    )


def pickup_of(row: Row, verdict: Verdict = "not_checked") -> Pickup:
    """A pickup."""
    return Pickup(
        id=text(row, "id"),
        job=text(row, "job"),
        at=stamp(row, "at"),
        producer=text(row, "producer"),
        wrap=get_text(row, "wrap"),
        checked=tuple(_checked(each) for each in _list(row, "checked")),
        continue_at=number(row, "continue_at"),
        automatic=bool(number(row, "automatic")),
        note=get_text(row, "note"),
        link=link_of(row),
        verdict=verdict,
    )


def decision_of(row: Row, verdict: Verdict = "not_checked") -> Decision:
    """A decision; one whose status cannot be read waits."""
    return Decision(
        id=text(row, "id"),
        job=text(row, "job"),
        at=stamp(row, "at"),
        status=_word(row, "status", STATUSES, "pending"),
        decided_by=text(row, "decided_by"),
        release=next((word for word in RELEASES if word == row.get("release")), None),
        about=get_text(row, "about"),
        automatic=bool(number(row, "automatic")),
        note=get_text(row, "note"),
        link=link_of(row),
        verdict=verdict,
    )


def link_of(row: Row) -> Link:
    """Where a sealed row stands in its chain."""
    return Link(
        number(row, "sealed") or 0,
        text(row, "previous"),
        text(row, "receipt"),
        get_text(row, "signer"),
        get_text(row, "signature"),
    )


def _ending(row: Row) -> Ending:
    return Ending(
        outcome=_word(row, "outcome", OUTCOMES, "dangling"),
        ended_at=stamp(row, "ended_at"),
        exit_code=number(row, "exit_code"),
        tree=_tree(row, "after"),
        note=get_text(row, "note"),
    )


def _tree(row: Row, when: str) -> Tree:
    return Tree(get_text(row, f"head_{when}"), get_text(row, f"worktree_{when}"), get_text(row, f"unknown_{when}"))


def _word(row: Row, name: str, words: tuple[W, ...], otherwise: W) -> W:
    value = row.get(name)
    return next((word for word in words if word == value), otherwise)


def _list(row: Row, name: str) -> list[object]:
    try:
        value: object = json.loads(text(row, name))
    except ValueError:
        return []
    return cast("list[object]", value) if isinstance(value, list) else []


def _texts(row: Row, name: str) -> tuple[str, ...]:
    return tuple(each for each in _list(row, name) if isinstance(each, str))


def _checked(value: object) -> Checked:
    row = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    return Checked(number(row, "seq") or 0, text(row, "receipt"), _word(row, "verdict", _VERDICTS, "not_checked"))
