"""Claude Code as a program: how its processes look, and how it is started.

Decides from a command line alone. Refuses to say that a process owns a session: that needs a register, or a session id
that it was started with.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from refloat.model.liveness import Holder, ProcessInfo
from refloat.model.stopping import Asking
from refloat.patterns import late
from refloat.readers.claude_code.layout import ID
from refloat.readers.claude_code.values import version_of
from refloat.readers.contract import OwnDoor
from refloat.readers.naming import is_plain

_REGISTER_COMPLETE: Final = (2, 1, 139)
_MARKED_SINCE: Final = (2, 1, 132)
_RUNTIMES: Final = frozenset({"node", "nodejs", "bun", "deno"})
_INSTALLED: Final = late(r"/claude/versions/\d[\w.-]*$")
_SCRIPT: Final = late(r"claude-code[^/]*/(?:.*/)?cli\.m?js$")
_NO_SESSION: Final = frozenset(
    [
        "mcp",
        "update",
        "upgrade",
        "doctor",
        "install",
        "uninstall",
        "plugin",
        "plugins",
        "auth",
        "setup-token",
        "config",
        "migrate-installer",
        "agents",
        "logs",
        "stop",
        "attach",
        "project",
        "daemon",
        "completion",
        "remote-control",
        "--version",
        "-v",
        "--help",
        "-h",
        "--mcp-cli",
        "--daemon",
    ]
)
"""First words of command lines that do not run a conversation in that process."""
_NAMING: Final = frozenset({"--resume", "-r", "--session-id"})


def arguments(process: ProcessInfo) -> Sequence[str] | None:
    """The words behind the program's name; None when it is another program."""
    argv = process.argv
    if not argv:
        return () if process.name == "claude" else None
    if _is_program(argv[0]):
        return argv[1:]
    if PurePath(argv[0]).name in _RUNTIMES:
        script = next((at for at, word in enumerate(argv[1:], start=1) if not word.startswith("-")), None)
        if script is not None and (_is_program(argv[script]) or _SCRIPT.search(argv[script])):
            return argv[script + 1 :]
    return None


def _is_program(word: str) -> bool:
    # A title set by the program itself comes as one word, arguments and all.
    program = word.split(" ", 1)[0]
    return PurePath(program).name in {"claude", "claude.exe"} or _INSTALLED.search(program) is not None


def is_agent(process: ProcessInfo) -> bool:
    """Whether a process may hold a conversation of Claude Code's."""
    words = arguments(process)
    return words is not None and not (words and words[0] in _NO_SESSION)


def session_on_command_line(process: ProcessInfo) -> str | None:
    """The session id that it was started with; a fork's new id, not the one that it was forked from."""
    words = arguments(process)
    if words is None:
        return None
    named: dict[str, str] = {}
    for at, word in enumerate(words):
        if word == "--":
            break
        flag, joined, value = word.partition("=")
        if flag not in _NAMING:
            continue
        if not joined:
            value = words[at + 1] if at + 1 < len(words) else ""
        if session := _session_of(value):
            named["--resume" if flag == "-r" else flag] = session
    if "--fork-session" in words:
        named.pop("--resume", None)
    return named.get("--session-id") or named.get("--resume")


def _session_of(value: str) -> str | None:
    if ID.fullmatch(value):
        return value
    return PurePath(value).stem if value.endswith(".jsonl") else None


def explains_silence(version: str, entrypoint: str) -> bool:
    """Whether the register of that version is complete: since 2.1.139, for interactive runs."""
    return version_of(version) >= _REGISTER_COMPLETE and entrypoint in {"", "cli"}


def marks_children(version: str) -> bool:
    """Whether the commands of that version carry `CLAUDE_CODE_SESSION_ID`: since 2.1.132."""
    return version_of(version) >= _MARKED_SINCE


def takes_id(session_id: str) -> bool:
    """Whether it is an id of Claude Code's, which are UUIDs."""
    return ID.fullmatch(session_id) is not None


def continue_command(session_id: str, prompt: str | None) -> Sequence[str]:
    """`claude --resume ID`, with a prompt where there is one."""
    return ["claude", "--resume", session_id, *_as_prompt(prompt)]


def own_door(session_id: str, owner: ProcessInfo, holder: Holder | None) -> OwnDoor | None:
    """`claude attach ID`, for a session that Claude Code's daemon runs; its short id, where the register has it."""
    del owner
    if holder is None or not holder.background:
        return None
    why = "it runs in the background, under Claude Code's own daemon"
    name = _job_name(holder, session_id)
    return OwnDoor(("claude", "attach", name) if name else None, why)


def _job_name(holder: Holder, session_id: str) -> str | None:
    """What the daemon calls a session; None where that is no name that a command line can carry."""
    name = holder.job or session_id
    return name if is_plain(name) else None


def new_command(brief: str, prompt: str | None, session_id: str | None) -> Sequence[str]:
    """Start with a sentence that names the file: the brief itself can be longer than a command line may be."""
    own = ["--session-id", session_id] if session_id else []
    return ["claude", *own, f"Read {brief} and continue from it.{f' {prompt}' if prompt else ''}"]


def _as_prompt(prompt: str | None) -> list[str]:
    """What would be read as an option stands behind `--`; what would be read as a command is none with a space."""
    if not prompt:
        return []
    if prompt.startswith("-"):
        return ["--", prompt]
    return [f"{prompt} " if prompt in _NO_SESSION else prompt]


def asks_to_end(process: ProcessInfo) -> Sequence[Asking]:
    """How the program is asked to end: it takes SIGINT and SIGTERM alike, once, and writes how its turn was cut.

    Its hooks for the end of a session run meanwhile, so the first grace is the longest.
    """
    del process
    return (Asking("SIGINT", 10.0), Asking("SIGTERM", 5.0))


def stop_command(holder: Holder) -> Sequence[str] | None:
    """A background session is stopped through its daemon, which would go on with one that was merely ended."""
    name = _job_name(holder, holder.session_id) if holder.background else None
    return ("claude", "stop", name) if name else None
