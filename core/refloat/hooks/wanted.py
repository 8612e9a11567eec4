"""What of Refloat's stands in an agent's settings: which events, which command, and in which file.

Decides the file by agent and scope, and how a command of ours is told from other people's. Both agents take the same
shape: event, groups (with a matcher, without one for all), handlers.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Final, Literal

from refloat.hooks.events import Agent, mapping
from refloat.there import is_there

Scope = Literal["user", "project", "local"]
SCOPES: Final[tuple[Scope, ...]] = ("user", "project", "local")
SECONDS: Final = 10
"""How long the agent shall wait for the hook."""
EVENTS: Final[Mapping[Agent, tuple[str, ...]]] = {
    # Before 2.1.101 Claude Code refuses a whole settings file for one event that it does not know: these are old.
    "claude-code": ("SessionStart", "PostToolUse", "PreCompact", "Stop", "SessionEnd"),
    # Codex passes over what it does not know.
    "codex": ("SessionStart", "PostToolUse", "PreCompact", "Stop"),
}
FAILURES: Final = "PostToolUseFailure"
"""Claude Code's event for calls that failed, known since 2026: only for a version that is sure to take it."""
FAILURES_SINCE: Final = (2, 1, 101)
_TOML_HOOKS: Final = re.compile(rb"^\s*(?:\[{1,2}\s*hooks\b|hooks\s*[.=])", re.MULTILINE)
_OURS: Final = re.compile(r"\brefloat(?:_tui)?['\"]? hook (claude-code|codex)\b")


def command(agent: Agent, program: Sequence[str]) -> str:
    """The command for a shell: it fails to nobody, not even where Refloat is gone."""
    return f"{' '.join(map(quote, program))} hook {agent} 2>/dev/null || true"


def entry(shell_command: str) -> Mapping[str, object]:
    """The group that stands below each event."""
    return {"hooks": [{"type": "command", "command": shell_command, "timeout": SECONDS}]}


def is_ours(handler: object, agent: Agent) -> bool:
    """Whether a handler, or a group's only handlers, call Refloat for this agent."""
    told = mapping(handler).get("command")
    found = _OURS.search(told) if isinstance(told, str) else None
    return found is not None and found[1] == agent


def settings_files(agent: Agent, scope: Scope, config: Path, root: Path) -> Sequence[Path]:
    """Files of a scope that may hold hooks, the one for new hooks first.

    `config` is the agent's own directory, `root` the project's.
    """
    if agent == "codex":
        return _codex_files(config if scope == "user" else root / ".codex")
    if scope == "user":
        return (config / "settings.json",)
    return (root / ".claude" / ("settings.json" if scope == "project" else "settings.local.json"),)


def _codex_files(folder: Path) -> Sequence[Path]:
    """`hooks.json`, unless `config.toml` alone holds hooks: Codex warns at every start where both do."""
    own, config = folder / "hooks.json", folder / "config.toml"
    if is_there(own):
        return (own, config)
    try:
        text = config.read_bytes()
    except OSError:
        return (own, config)
    return (config, own) if _TOML_HOOKS.search(text) else (own, config)
