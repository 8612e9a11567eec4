"""All that Refloat knows of Codex: where its rollouts lie, what they are, how they are read, how to go on.

Decides nothing about files beyond what formats/codex says; refuses to open anything but rollouts, side indexes and a
copy of the index database.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from refloat.late import stand_in
from refloat.model.liveness import Holder, ProcessInfo
from refloat.model.problem import Problem
from refloat.model.session import RecordGone
from refloat.model.stopping import Asking
from refloat.patterns import late
from refloat.readers.codex import files as rollouts
from refloat.readers.codex.shape import UUID
from refloat.readers.contract import Found, FoundSubagent, Identity, OwnDoor, SourceFile, Walk
from refloat.there import from_here, is_directory, is_plain_file

if TYPE_CHECKING:
    from pathlib import Path

    from refloat.readers.codex import index
    from refloat.readers.codex.parser import CodexParser
else:  # who reads rollouts on asks no index
    index = stand_in(partial(import_module, "refloat.readers.codex.index"))

_PROGRAM: Final = late(r"codex(?:-(?:x86_64|aarch64|arm64|linux|darwin|win32)[\w.-]*)?(?:\.exe)?")
_SCRIPT: Final = late(r"(?:^|[\\/])(?:@openai[\\/]codex[\\/].*\.m?js|codex(?:\.m?js)?)$")
_RUNNERS: Final = frozenset({"node", "node.exe", "bun", "deno", "MainThread"})
_LOCKS_SINCE: Final = (0, 147)
_VALUED: Final = frozenset(
    {
        "-c", "--config", "-m", "--model", "-p", "--profile", "-s", "--sandbox", "-a", "--ask-for-approval", "-C",
        "--cd",
        "-i", "--image", "--add-dir", "--enable", "--disable", "--local-provider", "--output-schema", "-o", "--color",
        "--output-last-message", "--remote",
    }
)  # fmt: skip
"""Options that take a value, so that the value is not read as a command."""


class Codex:
    """The reader of Codex."""

    agent: str = rollouts.AGENT
    title: str = "Codex"
    torn_heads: tuple[bytes, ...] = rollouts.TORN_HEADS
    chooses_id: bool = False
    turn_marks: tuple[bytes, ...] = (b'"type":"task_started"', b'"type":"turn_started"')

    late_marks: tuple[bytes, ...] = (b'"type":"thread_name_updated"',)

    pairs: tuple[bytes, bytes] = (b'_call","', b'_call_output","')
    ended: bytes = b'"last_agent_message":"'
    aside: bytes = b"\0"

    def walks(self, home: Path, environment: Mapping[str, str]) -> Sequence[Walk]:
        """Rollouts, the archive, locks, names, typed prompts and databases below `$CODEX_HOME` or `~/.codex`; databases
        also in `$CODEX_SQLITE_HOME`.
        """
        root = codex_home(home, environment)
        endings = (".jsonl", ".jsonl.zst", ".json")
        databases = [_path(from_here(told))] if (told := environment.get("CODEX_SQLITE_HOME")) else []
        return (
            Walk(str(root / "sessions"), endings, 3, "transcripts"),
            Walk(str(root / "archived_sessions"), (".jsonl", ".jsonl.zst"), 0, "transcripts"),
            Walk(str(root / index.LOCKS), (".lock",), 0, "locks"),
            Walk(str(root), ("session_index.jsonl",), 0, "side"),
            Walk(str(root), ("history.jsonl",), 0, "history"),
            *(Walk(str(place), index.DATABASES, 0, "index") for place in (*databases, root)),
        )

    def identify(self, file: SourceFile) -> Identity:
        """From the first record, else from the name."""
        return rollouts.identify(file)

    def recognise(self, path: Path) -> Sequence[SourceFile] | None:
        """A rollout by its head, or a directory that holds some as Codex lays them out."""
        try:
            if is_directory(path):
                found = sorted(rollouts.held_by(str(path)))
                kept = [_source(_path(inner)) for inner in found if rollouts.read_head(inner) is not None]
                return kept or None
            return [_source(path)] if _is_rollout_by_content(path) else None
        except OSError:
            return None

    def group(self, files: Sequence[tuple[SourceFile, Identity]], side: Sequence[SourceFile] = ()) -> Sequence[Found]:
        """Threads with their files in order, sub-agents with their parents, names from the indexes."""
        names: dict[str, str] = {}
        heads: dict[str, str] = {}
        directories = {os.path.dirname(file.path): file.path for file, _ in files}  # noqa: PTH120 - of thousands of files
        homes = {home for path in directories.values() if (home := index.home_of(path)) is not None}
        listed = {_path(file.path) for file in side if file.path.endswith("session_index.jsonl")}
        for home in sorted(homes):
            rows = index.read_index(index.find_database(home, {})).threads
            heads |= {thread: row.rollout_path for thread, row in rows.items() if row.rollout_path}
            names |= {thread: title for thread, row in rows.items() if (title := index.title_of(row))}
            listed.add(home / "session_index.jsonl")
        for path in sorted(listed):
            names |= {thread: name for thread, name in index.read_names(path).items() if name}
        return rollouts.group(files, heads, names)

    def parser(
        self,
        found: Found,
        subagent: FoundSubagent | None = None,
        frozen: Mapping[str, object] | None = None,
        *,
        skim: bool = False,
    ) -> CodexParser:
        """A parser for the thread or one of its sub-agents."""
        from refloat.readers.codex.parser import CodexParser  # most who look around open no rollout

        return CodexParser(found, subagent, frozen, skim=skim)

    def texts_parser(self, found: Found) -> CodexParser:
        """A parser for rows of the thread of which the texts are wanted."""
        return self.parser(found, skim=True)

    def find_holders(self, home: Path, environment: Mapping[str, str]) -> Sequence[Holder | Problem]:
        """The writer locks (0.146 and later)."""
        return list(index.find_locks(codex_home(home, environment)))

    def find_gone(
        self, home: Path, environment: Mapping[str, str], known: Collection[str]
    ) -> Sequence[RecordGone | Problem]:
        """Threads without a rollout, from prompts, names, index rows and locks."""
        root = codex_home(home, environment)
        rows = index.read_index(index.find_database(root, environment))
        return [*index.find_gone(root, rows, known), *rows.problems]

    def is_agent(self, process: ProcessInfo) -> bool:
        """`codex` itself, or a script runner with Codex's script; not a program that is merely named after it."""
        first = _base(process.argv[0]) if process.argv else process.name
        if _PROGRAM.fullmatch(first):
            return True
        if first in _RUNNERS or process.name in _RUNNERS:
            scripts = [word for word in process.argv[1:] if not word.startswith("-")]
            return bool(scripts) and _SCRIPT.search(scripts[0]) is not None
        return not process.argv and _PROGRAM.fullmatch(process.name) is not None

    def session_on_command_line(self, process: ProcessInfo) -> str | None:
        """The id behind `resume`; `fork ID` starts another thread."""
        words = _commands(process.argv)
        if words[:2] == ["exec", "resume"]:
            words = words[1:]
        if words[:1] == ["resume"] and len(words) > 1 and UUID.fullmatch(words[1]):
            return words[1].lower()
        return None

    def child_variables(self) -> Sequence[str]:
        """Shells get the thread's id (0.147)."""
        return ("CODEX_THREAD_ID",)

    def marks_children(self, version: str) -> bool:
        """Never for sure: the first version with the mark is not known, nor whether settings may take it away."""
        del version
        return False

    def explains_silence(self, version: str, entrypoint: str) -> bool:
        """Since 0.147 each loaded thread has a held lock."""
        del entrypoint
        found = re.match(r"v?(\d{1,6})\.(\d{1,6})", version)
        return found is not None and (int(found[1]), int(found[2])) >= _LOCKS_SINCE

    def own_door(self, session_id: str, owner: ProcessInfo, holder: Holder | None) -> OwnDoor | None:
        """None but words for an app-server: it belongs to the desktop app, an editor, or the daemon of newer TUIs."""
        del session_id
        if _commands(owner.argv)[:1] != ["app-server"]:
            return None
        if holder is not None and holder.daemon_pid == owner.pid:
            return OwnDoor(None, "Codex' own daemon holds it for its terminals: open the session in one of those")
        return OwnDoor(None, "a Codex app-server holds it, for the desktop app or an editor: open the session there")

    def takes_id(self, session_id: str) -> bool:
        """A UUID: whatever else stands behind `resume` is taken for a thread's name."""
        return UUID.fullmatch(session_id) is not None

    def continue_command(self, session_id: str, prompt: str | None) -> Sequence[str]:
        """`codex resume ID`."""
        return ("codex", "resume", session_id, *(_as_prompt(prompt) if prompt else ()))

    def new_command(self, brief: str, prompt: str | None = None, session_id: str | None = None) -> Sequence[str]:
        """A new thread that reads the brief first. It takes no id; the working directory is the caller's."""
        del session_id
        return ("codex", f"Read {brief} and continue from it.{f' {prompt}' if prompt else ''}")

    def turn_before(self, rows: bytes) -> Sequence[Mapping[str, object]]:
        """The begin of the turn that the rows name, and a prompt."""
        return rollouts.turn_before(rows)

    def asks_to_end(self, process: ProcessInfo) -> Sequence[Asking]:
        """SIGINT, then SIGTERM. A server lets running turns end at the first SIGINT, and ends at the second."""
        once = (Asking("SIGINT", 8.0), Asking("SIGTERM", 5.0))
        return (once[0], *once) if _commands(process.argv)[:1] == ["app-server"] else once

    def stop_command(self, holder: Holder) -> Sequence[str] | None:
        """None: no thread has a daemon that starts it anew by itself."""
        del holder


def _as_prompt(prompt: str) -> tuple[str, ...]:
    """`--` before what would be read as an option (clap(1)'s own rule)."""
    return ("--", prompt) if prompt.startswith("-") else (prompt,)


def codex_home(home: Path, environment: Mapping[str, str]) -> Path:
    """`$CODEX_HOME`, else `~/.codex`."""
    told = environment.get("CODEX_HOME")
    return _path(from_here(told)) if told else home / ".codex"


def _path(told: str) -> Path:
    from pathlib import Path  # who reads rollouts on needs none

    return Path(told)


def _source(path: Path) -> SourceFile:
    told = path.stat()
    return SourceFile(os.path.realpath(path), told.st_size, told.st_mtime_ns, told.st_ino, told.st_dev)


def _is_rollout_by_content(path: Path) -> bool:
    return is_plain_file(path) and rollouts.read_head(str(path)) is not None


def _base(word: str) -> str:
    return re.split(r"[\\/]", word)[-1]


def _commands(argv: Sequence[str]) -> list[str]:
    """The words of a command line without the program and its options."""
    words = list(argv)
    start = 1
    if words and _base(words[0]) in _RUNNERS:
        start = 2
    found: list[str] = []
    skip = False
    for word in words[start:]:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in _VALUED
        else:
            found.append(word)
    return found
