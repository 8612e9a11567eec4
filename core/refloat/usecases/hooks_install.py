"""Refloat's hooks in an agent's settings: planned, shown by whoever asks, then written; and taken out again.

This is the one use case whose purpose is writing to an agent's files, so it plans first and writes only what was
planned. Decides that everything else in the file stays byte for byte, with its mode and through its links, that a copy
of what was there lies beside it, and that taking out brings that copy back where nobody else edited since. Refuses
what it does not understand.
"""

import os
import re
import shlex
import tomllib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from refloat.errors import NotDone, Unreadable, UsageError
from refloat.hooks.events import AGENTS as _AGENTS
from refloat.hooks.events import Agent as _Agent
from refloat.hooks.events import mapping
from refloat.hooks.json_text import Damaged, parse
from refloat.hooks.wanted import EVENTS, FAILURES, FAILURES_SINCE, command, settings_files
from refloat.hooks.wanted import SCOPES as _SCOPES
from refloat.hooks.wanted import Scope as _Scope
from refloat.readers.claude_code.layout import config_directory
from refloat.readers.codex import codex_home
from refloat.usecases import hooks_settings as settings

Agent = _Agent
Scope = _Scope
AGENTS: Final[tuple[Agent, ...]] = _AGENTS
SCOPES: Final[tuple[Scope, ...]] = _SCOPES
_VERSION: Final = re.compile(r"(?:^|/)versions/(\d+)\.(\d+)\.(\d+)(?:/|$)")
_PACKAGE: Final = re.compile(r'"version"\s*:\s*"(\d+)\.(\d+)\.(\d+)')


@dataclass(frozen=True, slots=True)
class Desk:
    """What installing needs to know of the machine."""

    home: Path
    environment: Mapping[str, str]
    root: Path
    """The project: the top of the checkout, or the directory of the call."""
    program: Sequence[str]
    """How a shell starts Refloat."""
    agent_program: str | None = None
    """Where the agent's own program lies, if it is on the path."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A change to one file, not made yet."""

    agent: Agent
    scope: Scope
    path: Path
    before: bytes | None
    """None where there is no file."""
    after: bytes | None
    """None where the file goes; equal to `before` where nothing is to be done."""
    backup: Path | None = None
    """The copy that is made (install) or brought back (uninstall)."""
    remarks: tuple[str, ...] = ()
    """What a person should know."""

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Installed:
    """A file with hooks of ours."""

    agent: Agent
    scope: Scope
    path: Path
    commands: frozenset[str]

    def find_gone(self) -> str | None:
        """The program that one of them calls and that is not there any more: the agent hears nothing of it."""
        programs = (word for told in self.commands for word in shlex.split(told)[:1] if word.startswith("/"))
        return next((word for word in sorted(programs) if not os.access(word, os.X_OK)), None)


def plan_install(desk: Desk, agent: Agent, scope: Scope) -> Plan:
    """What installing would change.

    Raises:
        UsageError: the agent has no such scope.
        Unreadable: the settings that are there cannot be understood.

    """
    paths = _paths(desk, agent, scope)
    path = next((path for path in paths if _ours(path, agent)), paths[0])
    before = settings.read(path)
    events, remarks = list(EVENTS[agent]), list[str]()
    if agent == "claude-code":
        if _knows_failures(desk.agent_program):
            events.insert(2, FAILURES)
        else:
            since = ".".join(map(str, FAILURES_SINCE))
            remarks.append(
                f"calls of tools that fail are not saved: only Claude Code from {since} on is sure to take {FAILURES}, "
                "and which version is here could not be seen"
            )
    else:
        remarks.append("Codex asks for its hooks to be reviewed and trusted (`/hooks`) before it runs them")
    if off := _switch(desk, agent, path, before):
        remarks.append(f"hooks are switched off ({off}): nothing is called until that goes")
    program = ("refloat",) if scope == "project" else desk.program
    commands = dict.fromkeys(events, command(agent, program))
    after = _changed(path, before, lambda room, text: room.put_in(text, agent, commands))
    return Plan(
        agent, scope, path, before, after, settings.free_backup(path) if before is not None else None, tuple(remarks)
    )


def plan_uninstall(desk: Desk, agent: Agent, scope: Scope) -> Plan:
    """What taking our hooks out would change: back to the copy where it was only us, else ours alone.

    Raises:
        UsageError: the agent has no such scope.
        Unreadable: the settings that are there cannot be understood.

    """
    paths = _paths(desk, agent, scope)
    path = next((path for path in paths if _ours(path, agent)), paths[0])
    before = settings.read(path)
    commands = _ours(path, agent)
    if before is None or not commands:
        return Plan(agent, scope, path, before, before)
    backup = settings.newest_backup(path)
    saved = None if backup is None else settings.read(backup)
    with suppress(Unreadable):
        if _changed(path, saved, lambda room, text: room.put_in(text, agent, commands)) == before:
            return Plan(agent, scope, path, before, saved, backup)
    after = _changed(path, before, lambda room, text: room.take_out(text, agent))
    remark = "the file was edited since: only Refloat's hooks are taken out" + (f", {backup} stays" if backup else "")
    return Plan(agent, scope, path, before, after, None, (remark,))


def install(plan: Plan) -> None:
    """Write what was planned, after the copy.

    Raises:
        NotDone: the file changed since, or cannot be written.

    """
    if not plan.changes:
        return
    with _told(plan.path):
        if plan.backup is not None and plan.before is not None:
            settings.write_copy(plan.backup, plan.before, plan.path)
        settings.swap(plan.path, plan.before, plan.after, 0o644 if plan.scope == "project" else 0o600)


def uninstall(plan: Plan) -> None:
    """Write what was planned. A copy that was brought back is not kept twice.

    Raises:
        NotDone: the file changed since, or cannot be written.

    """
    if not plan.changes:
        return
    with _told(plan.path):
        settings.swap(plan.path, plan.before, plan.after, 0o600)
        if plan.backup is not None:
            plan.backup.unlink()


def find_installed(home: Path, environment: Mapping[str, str], directory: Path) -> tuple[Installed, ...]:
    """Where our hooks stand, for whoever works in a directory; files that cannot be understood are passed over."""
    desk = Desk(home, environment, find_root(directory), ())
    found: dict[Path, Installed] = {}
    for agent in AGENTS:
        for scope in SCOPES:
            if agent == "codex" and scope == "local":
                continue
            for path in _paths(desk, agent, scope):
                if path not in found and (
                    commands := _ours(path, agent)
                ):  # at home, the project's file is the person's
                    found[path] = Installed(agent, scope, path, frozenset(commands.values()))
    return tuple(found.values())


def find_root(directory: Path) -> Path:
    """The project of a directory: the checkout that it lies in, else itself."""
    return next((place for place in (directory, *directory.parents) if os.path.lexists(place / ".git")), directory)


def _switch(desk: Desk, agent: Agent, path: Path, before: bytes | None) -> str | None:
    """What switches hooks off in the file itself or, for Codex, in the person's settings."""
    if agent == "claude-code":
        off = mapping(_value(path, before)).get("disableAllHooks") is True
        return f"disableAllHooks in {path}" if off else None
    config = codex_home(desk.home, desk.environment) / "config.toml"
    with suppress(Unreadable):
        features = mapping(mapping(_value(config, settings.read(config))).get("features"))
        return next((f"{name} in {config}" for name in ("hooks", "codex_hooks") if features.get(name) is False), None)
    return None


def _value(path: Path, data: bytes | None) -> object:
    """What a file of settings means; None where it cannot be understood."""
    try:
        text = (data or b"").decode("utf-8")
        return tomllib.loads(text) if path.suffix == ".toml" else parse(text)
    except (ValueError, RecursionError):
        return None


def _paths(desk: Desk, agent: Agent, scope: Scope) -> Sequence[Path]:
    if agent == "codex" and scope == "local":
        raise UsageError("Codex has no local settings: --scope user or --scope project")
    own = config_directory if agent == "claude-code" else codex_home
    return settings_files(agent, scope, own(desk.home, desk.environment), desk.root)


class _Room(Protocol):
    """What reads and writes one kind of settings: `json_settings`, `toml_settings`."""

    @property
    def EMPTY(self) -> str: ...  # noqa: N802 - a constant of the module
    def installed(self, text: str, agent: Agent) -> Mapping[str, str]: ...
    def put_in(self, text: str, agent: Agent, commands: Mapping[str, str]) -> str: ...
    def take_out(self, text: str, agent: Agent) -> str: ...


def _room(path: Path) -> _Room:
    if path.suffix != ".toml":
        from refloat.hooks import json_settings

        return json_settings
    from refloat.hooks import toml_settings

    return toml_settings


def _changed(path: Path, data: bytes | None, change: Callable[[_Room, str], str]) -> bytes:
    """What a change makes of a file's bytes.

    Raises:
        Unreadable: they cannot be understood.

    """
    try:
        room = _room(path)
        return change(room, room.EMPTY if data is None else data.decode("utf-8")).encode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path} is left alone: it is no UTF-8") from error
    except Damaged as error:
        raise Unreadable(f"{path} is left alone: {error}") from error


def _ours(path: Path, agent: Agent) -> Mapping[str, str]:
    """Events that have a hook of ours there; none where the file cannot be understood."""
    try:
        data = settings.read(path)
        return {} if data is None else _room(path).installed(data.decode("utf-8"), agent)
    except (Unreadable, Damaged, UnicodeDecodeError):
        return {}


@contextmanager
def _told(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise NotDone(f"{path} could not be written: {error.strerror or error}") from error


def _knows_failures(program: str | None) -> bool:
    """Whether the installed Claude Code is new enough to pass over events that it does not know.

    Its own installer keeps it as `versions/X.Y.Z`, npm beside a `package.json`. It is not run to be asked.
    """
    if program is None:
        return False
    real = Path(os.path.realpath(program))
    found = _VERSION.search(str(real))
    with suppress(OSError):
        found = found or _PACKAGE.search((real.parent / "package.json").read_text("utf-8", "replace"))
    return found is not None and tuple(map(int, found.groups())) >= FAILURES_SINCE
