"""Judges whether background work of a session still runs, by the process table. Pure.

Decides by three marks of a process: the session's id in its environment, the command that it runs, and when and where
it was started. Refuses to round: `running` is said only of a process that is proved to be this work, and its end only
where every process that could be it was looked into.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath
from typing import Final

from refloat.model.liveness import ProcessInfo

SLACK: Final = 5.0
"""Seconds by which the record of a start and the start that the system tells may differ."""
_OTHER_USER: Final = frozenset({"sudo", "su", "doas", "pkexec", "runuser"})
_RUNTIMES: Final = 2
"""So many words may stand before a command that is a script: `node`, `/usr/bin/env node`."""


@dataclass(frozen=True, slots=True)
class Launched:
    """Background work as its record tells it."""

    command: str
    cwd: str | None
    began: float | None
    """Seconds since 1970: the call."""
    answered: float | None
    """The result that says that it runs; what was started for it was started by then."""
    alone: bool = False
    """No other command of the session ran around that time."""
    unique: bool = True
    """No other open work of the session is the same command."""

    def started_within(self, started: float, slack: float) -> bool:
        """Whether a process that started then can have been started for it."""
        if self.began is None:
            return False
        return self.began - slack <= started <= (self.answered or self.began) + slack


@dataclass(frozen=True, slots=True)
class Table:
    """The process table as it concerns one session: no zombies, nothing of Refloat's own line, no agent's process."""

    marked: tuple[ProcessInfo, ...]
    """They carry the session's id in their environment."""
    plain: tuple[ProcessInfo, ...]
    """Their environment was read and does not name the session."""
    dark: tuple[ProcessInfo, ...]
    """Their environment may not be read."""
    own_uid: int | None
    always_marked: bool
    """Every command of this version of the agent carries the id."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """What is proved of one piece of background work."""

    running: bool | None
    pid: int | None
    why: str


def judge_leftover(work: Launched, table: Table, taken: Collection[int] = ()) -> Leftover:
    """Whether the work still runs. `taken`: processes that were proved to be other work of the session."""
    marked = [row for row in table.marked if row.pid not in taken]
    fitting = [row for row in marked if runs(row, work.command)]
    if not work.unique:
        fitting = [row for row in fitting if work.started_within(row.started, SLACK)]
    if own := _first(fitting, work):
        return Leftover(
            running=True,
            pid=own.pid,
            why=f"process {own.pid} carries the session's id in its environment and runs this command",
        )
    if work.alone and (own := _first([row for row in marked if work.started_within(row.started, 1.0)], work)):
        words = f"process {own.pid} ({own.name}) carries the session's id and was started by this call alone"
        return Leftover(running=True, pid=own.pid, why=words)
    same = [row for row in (*table.plain, *table.dark) if row.pid not in taken and _is_same(row, work)]
    if own := _first(same, work):
        words = f"process {own.pid} runs this command in its directory and started when the record says"
        return Leftover(running=True, pid=own.pid, why=words)
    return _absent(work, table, marked)


def _absent(work: Launched, table: Table, marked: Sequence[ProcessInfo]) -> Leftover:
    if marked:
        named = ", ".join(f"{row.pid} ({row.name})" for row in marked[:3])
        words = f"still running with the session's id, and nothing tells of which work: process {named}"
        return Leftover(running=None, pid=None, why=words)
    hidden = [row for row in table.dark if _may_hide(row, work, table.own_uid)]
    if hidden:
        words = f"no process is seen that fits; process {hidden[0].pid} ({hidden[0].name}) may not be looked into"
        return Leftover(running=None, pid=None, why=words)
    alike = [row for row in table.plain if runs(row, work.command)]
    if alike:
        words = f"process {alike[0].pid} runs the same command; nothing ties it to the session"
        return Leftover(running=None, pid=alike[0].pid, why=words)
    if table.always_marked:
        return Leftover(
            running=False, pid=None, why="no process carries the session's id in its environment or runs this command"
        )
    words = "no process runs this command; what it started could run on under another name, without the session's id"
    return Leftover(running=None, pid=None, why=words)


def _may_hide(row: ProcessInfo, work: Launched, own_uid: int | None) -> bool:
    """Whether a process that may not be looked into could be the work: started too late to rule it out, and either
    the same user's, or a command that changes the user, or one that shows the same command line.
    """
    if work.began is not None and row.started < work.began - SLACK:
        return False
    if row.uid is None or row.uid == own_uid or runs(row, work.command):
        return True
    return any(PurePath(words[0]).name in _OTHER_USER for words in simple_commands(work.command))


def _is_same(row: ProcessInfo, work: Launched) -> bool:
    return (
        work.cwd is not None
        and row.cwd == work.cwd
        and runs(row, work.command)
        and work.started_within(row.started, SLACK)
    )


def _first(rows: Sequence[ProcessInfo], work: Launched) -> ProcessInfo | None:
    """The one that the others come from: nobody's child among them, and the first."""
    pids = {row.pid for row in rows}
    roots = [row for row in rows if row.ppid not in pids] or list(rows)
    began = work.began
    return min(
        roots, key=lambda row: (0.0 if began is None else abs(row.started - began), row.started, row.pid), default=None
    )


def runs(row: ProcessInfo, command: str) -> bool:
    """Whether a process is the shell that was given the command, or one of the programs that the command names.

    A shell's word is the whole command, or evaluates it (agents wrap commands: `eval '…'`). A program that is a script
    stands behind its interpreter; one that set its own title (npm does) is a single word.
    """
    command = command.strip()
    if not command or not row.argv:
        return False
    quoted = f"eval {shlex.quote(command)}"
    if any(_SHELL_FLAG.fullmatch(flag) and word.strip() == command for flag, word in pairwise(row.argv)):
        return True
    if any(quoted in word for word in row.argv[1:]):
        return True
    argv = tuple(row.argv[0].split()) if len(row.argv) == 1 else row.argv
    return any(_is_program(argv, words) for words in simple_commands(command))


def _is_program(argv: Sequence[str], words: Sequence[str]) -> bool:
    if len(words) < 2 and words[0] in _TOO_COMMON:
        return False
    for skipped in range(min(_RUNTIMES, len(argv) - len(words)) + 1):
        rest = argv[skipped:]
        named = PurePath(rest[0]).name == PurePath(words[0]).name if rest else False
        if named and list(rest[1:]) == list(words[1:]):
            return True
    return False


_SHELL_FLAG: Final = re.compile(r"-[a-z]*c")
_TOO_COMMON: Final = frozenset({"bash", "sh", "zsh", "fish", "node", "python", "python3", "cat", "cd", "true", "wait"})
_PUNCTUATION: Final = frozenset("();<>|&\n")


def simple_commands(command: str) -> list[tuple[str, ...]]:
    """The simple commands of a shell line: their words without assignments in front, redirections left out.

    Only for comparing with command lines that run: nothing is expanded, so a word with a variable in it fits nothing.
    """
    lexer = shlex.shlex(command, posix=True, punctuation_chars="".join(sorted(_PUNCTUATION)))
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    found: list[tuple[str, ...]] = []
    words: list[str] = []
    target = False
    try:
        for token in lexer:
            if not set(token) <= _PUNCTUATION:
                words += [] if target else [token]
                target = False
            elif {"<", ">"} & set(token):
                words = words[:-1] if words and words[-1].isdigit() else words
                target = True
            else:
                found += _finished(words)
                words, target = [], False
    except ValueError:  # a quote that is never closed
        pass
    return [*found, *_finished(words)]


def _finished(words: Sequence[str]) -> list[tuple[str, ...]]:
    rest = list(words)
    while rest and rest[0].partition("=")[1] and rest[0].partition("=")[0].isidentifier():
        rest.pop(0)
    return [tuple(rest)] if rest else []


def descendants(pid: int, rows: Iterable[ProcessInfo]) -> frozenset[int]:
    """The process and everything that it started, directly or not."""
    children: dict[int, list[int]] = {}
    for row in rows:
        children.setdefault(row.ppid, []).append(row.pid)
    found, due = {pid}, [pid]
    while due:
        for child in children.get(due.pop(), ()):
            if child not in found:
                found.add(child)
                due.append(child)
    return frozenset(found)
