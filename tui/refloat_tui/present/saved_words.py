"""The words that a saved thing is told in, the same in the app and on the command line. Loads nothing dear."""

from collections.abc import Sequence
from typing import Final

from refloat.model.record import Decision, SavedStep, Verdict

VERDICTS: Final[dict[Verdict, str]] = {
    "unchanged": "unchanged since saved",
    "altered": "ALTERED",
    "missing": "MISSING",
    "not_checked": "not checked",
}
RUNNING: Final = {True: "still runs", False: "its process is gone: a crash sits here", None: "may still run"}


def short_producer(producer: str) -> str:
    """`agent:` and the beginning of a session's id."""
    agent, colon, session = producer.partition(":")
    return f"{agent}:{session[:8]}" if colon and len(session) > 20 else producer


def ending_words(step: SavedStep) -> str:
    """`ok, exit 0`, `error, exit 2`, `in flight`; `says ok` where that is not what was saved."""
    ending = step.ending
    if ending is None:
        return "in flight"
    how = ending.outcome if ending.exit_code is None else f"{ending.outcome}, exit {ending.exit_code}"
    return f"says {how}" if step.verdict in {"altered", "missing"} else how


def verdict_words(step: SavedStep) -> str:
    """What was found of a step: how it stands against its receipt, whether it runs, that only a transcript told it."""
    if step.ending is None and step.verdict != "altered":
        return f"{RUNNING[step.running]}, since {step.opening.started_at}"
    if step.opening.origin == "reconstruction" and step.verdict not in {"altered", "missing"}:
        return "reconstructed, its effect not looked at"
    return VERDICTS[step.verdict]


def latest(decisions: Sequence[Decision]) -> Sequence[Decision]:
    """What is decided now: the newest on each thing. They come newest first."""
    found: dict[str | None, Decision] = {}
    for decision in decisions:
        found.setdefault(decision.about, decision)
    return list(found.values())
