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
    """`ok, exit 0`, `error, exit 2`, `in flight`."""
    ending = step.ending
    if ending is None:
        return "in flight"
    return ending.outcome if ending.exit_code is None else f"{ending.outcome}, exit {ending.exit_code}"


def latest(decisions: Sequence[Decision]) -> Sequence[Decision]:
    """What is decided now: the newest on each thing. They come newest first."""
    found: dict[str | None, Decision] = {}
    for decision in decisions:
        found.setdefault(decision.about, decision)
    return list(found.values())
