"""`doctor` and `refresh` for a person."""

from collections.abc import Iterator

from refloat.model.refreshed import Refreshed
from refloat.model.status import Doctor
from refloat.text import inert_line
from refloat_tui.cli.show.table import columns, counted, labelled, seconds, section
from refloat_tui.present.recovered import unfinished_words


def doctor_lines(answer: Doctor, width: int) -> Iterator[str]:
    """What was found, what could not be read, what this machine lacks."""
    rows = [
        (
            found.agent,
            counted(found.sessions, "session"),
            counted(len(found.problems), "problem"),
            ", ".join(found.roots),
        )
        for found in answer.agents
    ]
    yield from ["AGENTS", *columns(rows, width)]
    facts = answer.machine
    unknown = "unknown"
    table = [
        ("git", facts.git or "none that can be asked: checkouts cannot be compared"),
        ("refloat", f"{facts.refloat} on Python {facts.python}, {facts.system}"),
        ("watching", facts.watching if facts.watching != "not watching" else "while the app is open"),
        (
            "inotify",
            f"{facts.inotify_watches or unknown} watches, {facts.inotify_instances or unknown} instances allowed",
        ),
        ("catalogue", facts.catalogue),
        ("record", facts.record),
        ("why one died", _traces(facts.traces)),
        ("open recoveries", unknown if facts.open_drafts is None else str(facts.open_drafts)),
        *(("hooks", told) for told in facts.hooks or ("not installed: `refloat hook install claude-code|codex`",)),
    ]
    yield from section("MACHINE", columns(table, width))
    opened = [
        line
        for name, left in facts.unfinished
        for line in labelled("", f"`refloat recover {inert_line(name)}`: {unfinished_words(left, seconds)}", width, 2)
    ]
    yield from section("OPEN RECOVERIES", opened)
    problems = [
        line
        for found in answer.agents
        for problem in found.problems
        for line in labelled(
            f"  {f'line {problem.line}' if problem.line else 'file'}", f"{problem.path}: {problem.what}", width, 14
        )
    ]
    yield from section("COULD NOT BE READ", problems)
    warnings = [
        line for warned in answer.warnings for line in labelled("  !", f"{warned.what} {warned.path or ''}", width, 4)
    ]
    yield from section("WARNINGS", warnings)


def _traces(readable: tuple[str, ...]) -> str:
    """What can be read of how programs ended."""
    if "kernel log" in readable:
        return "told from " + ", ".join(readable)
    told = f"; told from {', '.join(readable)}" if readable else ""
    return f"the kernel log may not be read: kills for want of memory stay unseen{told}"


def refresh_line(state: Refreshed) -> str:
    """How far the reading is."""
    if state.waits:
        return "another Refloat is reading; waiting for it"
    return f"{state.done:,} of {state.total:,} sessions read, {_megabytes(state.read)} of {_megabytes(state.size)}"


def refreshed_lines(state: Refreshed, width: int) -> Iterator[str]:
    """What was read, then what could not be."""
    end = f"{state.sessions:,} in all" if state.complete or not state.kept else "stopped before the end"
    yield f"{counted(state.done, 'session')} read, {_megabytes(state.read)}; {end}"
    for problem in state.problems:
        yield from labelled("  !", f"{problem.path}: {problem.what}", width, 4)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
