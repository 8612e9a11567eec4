"""The line at the top, and pages that teach where there is nothing to show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from refloat.model.problem import Problem
from refloat.model.session import RecordGone, Session
from refloat.text import inert_line, one_line
from refloat_tui.present import Pieces
from refloat_tui.present.path import from_home
from refloat_tui.present.sessions import Counts, count_sessions
from refloat_tui.theme import Glyphs

if TYPE_CHECKING:
    from refloat.usecases.look_around import StartedIn


def headline(
    place: StartedIn | None,
    sessions: Iterable[Session],
    watching: str,
    home: str,
    glyphs: Glyphs,
    *,
    reading: str,
    demo: bool = False,
    total: int = 0,
    narrow: bool = False,
) -> tuple[Pieces, Pieces]:
    """Left: where we are. Right: what there is, and whether it is watched, or (`reading`) how far the reading is. Of a
    part of them (`total` are known to be there) no state is counted. `narrow`: what needs a person, and the place, have
    the room.
    """
    left = [("refloat", "$accent bold"), *([(" demo", "$pile-claimed bold")] if demo else []), *_placed(place, home)]
    counts = count_sessions(sessions)
    if total > counts.sessions:
        counts = Counts(total, 0, 0, 0)
    needy = counts.failed or counts.unresolved or counts.live
    # Before anything was counted there is no number.
    right = _counted(counts, glyphs, all_told=bool(counts.sessions or not reading) and not (narrow and needy))
    if reading:
        right.append((f"   {glyphs.not_watching} {reading}", "$accent"))
    elif watching:
        polling = not watching.startswith("inotify") and "poll" in watching
        word = "" if narrow else f" {'polling' if polling else 'watching'}"
        right.append((f"   {glyphs.watching}{word}", "$quiet"))
    return tuple(left), tuple(right)


def _placed(place: StartedIn | None, home: str) -> Iterator[tuple[str, str]]:
    if place is None:
        return
    yield (f"   {from_home(place.repo or place.path, home)}", "")
    if place.branch:
        yield (f"   {inert_line(place.branch)}", "$quiet")
    if place.dirty:
        yield (f"   {place.dirty} dirty", "$pile-claimed")


def _counted(counts: Counts, glyphs: Glyphs, *, all_told: bool) -> list[tuple[str, str]]:
    """How many sessions there are, where that is wanted, and how many of each state that needs a person."""
    rows: list[tuple[str, str]] = []
    if all_told:
        rows.append((f"{counts.sessions:,} {'session' if counts.sessions == 1 else 'sessions'}", "$quiet"))
    for number, word, style in (
        (counts.failed, "failed", "$state-failed"),
        (counts.unresolved, "unresolved", "$state-unresolved"),
        (counts.live, "live", "$state-live"),
    ):
        if number:
            rows += [*([(f" {glyphs.dot} ", "$faint")] if rows else []), (f"{number} {word}", style)]
    return rows


_LESSON: Final = (
    "Here would stand every session of every agent, the broken ones on top: what it was asked, what it did, what of "
    "that is still there, and the one next step. Refloat reads what the agents write by themselves. It looked in\n\n"
)


def teach_empty(
    problems: Sequence[Problem],
    gone: Sequence[RecordGone],
    looked_in: Sequence[tuple[str, str]],
    home: str,
    *,
    demo: bool,
) -> Pieces:
    """No session at all: what would stand here, and what to press."""
    lines: list[tuple[str, str]] = [
        ("No coding agent has left a session on this machine.\n\n", "bold"),
        (_LESSON, ""),
    ]
    lines += [(f"  {inert_line(title):<16}{from_home(path, home)}\n", "$key") for title, path in looked_in]
    lines.append(("\nStart one of them, and its session appears here by itself.\n\n", ""))
    if demo:
        lines += [
            ("d", "$key bold"),
            ("  opens a demo: a small repository with sessions in every state\n", ""),
        ]
    lines += [("?", "$key bold"), ("  shows every key     ", ""), ("q", "$key bold"), ("  leaves\n", "")]
    if gone:
        lines.append(
            (f"\n{len(gone)} sessions are named by an agent's own history, and their transcripts are gone.\n", "$quiet")
        )
    for problem in problems[:5]:
        lines.append((f"\ncould not be read: {inert_line(problem.path)}: {one_line(problem.what)}", "$pile-claimed"))
    return tuple(lines)


def nothing_fits(words: str, *, everywhere: bool) -> Pieces:
    """There are sessions, and none is shown: why, and what to press."""
    if words:
        where = "" if everywhere else " here"
        lines: list[tuple[str, str]] = [(f"No session{where} has all of these words.\n", "")]
        lines += [("esc", "$key bold"), (" clears the filter", "$quiet")]
        lines += [("\nS", "$key bold"), (" searches what they hold", "$quiet")]
    else:
        lines = [("No session belongs to this place.", "")]
    if not everywhere:
        lines += [("\n", ""), ("h", "$key bold"), (" shows those of the whole machine", "$quiet")]
    return tuple(lines)
