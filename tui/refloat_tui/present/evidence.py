"""Evidence of liveness, in words: what was looked at, what was seen, when, and what it proves."""

from typing import Final

from refloat.model.liveness import Evidence, Verdict
from refloat.model.session import Session
from refloat.model.stamp import Stamp
from refloat.text import one_line
from refloat_tui.present import QUIET, Pieces
from refloat_tui.present.age import clock_time, timed_line

LOOKED_AT: Final[dict[str, str]] = {
    "register": "the agent's register",
    "lock": "the agent's lock",
    "open_file": "open files",
    "command_line": "command lines",
    "cwd": "working directories",
    "child": "children's environment",
    "boot": "boot time",
    "no_process": "process table",
    "zombie": "process table",
    "other_host": "host in the record",
    "not_inspectable": "process table",
    "growing": "the transcript",
    "recent": "the transcript",
    "by_path": "the path given",
    "hint": "a hint",
    "out_of_memory": "kernel log, crash files",
    "kernel_fault": "kernel log",
    "crash_file": "crash files",
    "shutdown": "boots and shutdowns",
    "disk_full": "file systems",
}

_PROVES: Final[dict[str, str]] = {
    "register": "names the session",
    "lock": "names the session",
    "open_file": "verified owner",
    "command_line": "verified owner",
    "cwd": "candidate",
    "child": "background work, no owner",
    "boot": "nothing older can run",
    "no_process": "gone",
    "zombie": "a zombie owns nothing",
    "other_host": "cannot be known here",
    "not_inspectable": "cannot be known here",
    "growing": "somebody writes",
    "recent": "somebody may write",
    "by_path": "cannot be known here",
    "hint": "nothing by itself",
    "out_of_memory": "why it died",
    "kernel_fault": "why it died",
    "crash_file": "that it crashed",
    "shutdown": "why it died",
    "disk_full": "a likely cause",
}

VERDICT_WORDS: Final[dict[Verdict, str]] = {
    Verdict.RUNNING: "a running process verifiably owns it",
    Verdict.CANDIDATE: "a process may own it",
    Verdict.GONE: "no process owns it, and none could",
    Verdict.UNKNOWABLE: "it cannot be known from here",
}


def proves(fact: Evidence) -> str:
    """What one fact is worth."""
    if fact.kind in {"register", "lock"} and "left behind" in fact.detail:
        return "left behind: its process is gone"
    return _PROVES.get(fact.kind, "nothing by itself")


def evidence_row(fact: Evidence, seen: Stamp | None, home: str = "") -> tuple[str, Pieces, str, str]:
    """Looked at, what was seen, when, what it proves."""
    detail = timed_line(fact.detail)
    pid = f"pid {fact.pid} " if fact.pid and str(fact.pid) not in detail else ""
    what: Pieces = ((pid, ""), (detail.replace(f"{home}/", "~/") if home else detail, ""))
    return (LOOKED_AT.get(fact.kind, one_line(fact.kind)), what, clock_time(fact.at or seen), proves(fact))


def liveness_sentence(session: Session) -> Pieces:
    """What the facts add up to."""
    return (("adds up to: ", QUIET), (VERDICT_WORDS[session.liveness.verdict], "bold"))
