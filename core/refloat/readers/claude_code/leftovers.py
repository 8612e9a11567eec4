"""What Claude Code leaves of a session beside its transcript, and when its clean-up deletes it all.

Decides by names that hold the session's id (formats/claude-code, section 1). Refuses to follow a link.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from refloat.readers.claude_code.layout import config_directory
from refloat.readers.claude_code.values import get_object
from refloat.readers.contract import CleanUp, Found

_ID: Final = re.compile(r"[0-9A-Za-z-]{8,64}")
_SETTING: Final = "cleanupPeriodDays"
_DAYS: Final = 30
"""Unless the setting says otherwise."""
_SETTINGS: Final = 1024 * 1024


def find_beside(found: Found, home: Path, environment: Mapping[str, str]) -> Sequence[str]:
    """Files of the session's own directory, backups of what it edited, its todo and task lists."""
    if not _ID.fullmatch(found.session_id):
        return ()  # the id comes from a file: it must not lead anywhere else
    config = config_directory(home, environment)
    own = [os.path.splitext(file.path)[0] for file in found.files if file.path.endswith(".jsonl")]  # noqa: PTH122 - text stays text
    trees = [*own, str(config / "file-history" / found.session_id), str(config / "tasks" / found.session_id)]
    files = [path for tree in trees for path in _below(tree)]
    files += [path for path in _in(str(config / "todos")) if _is_todo(path, found.session_id)]
    known = {file.path for file in found.files}
    known |= {segment.file.path for sub in found.subagents for segment in sub.segments}
    return tuple(path for path in dict.fromkeys(files) if path not in known)


def _is_todo(path: str, session_id: str) -> bool:
    name = os.path.basename(path)  # noqa: PTH119 - text stays text
    return name.endswith(".json") and (name == f"{session_id}.json" or name.startswith(f"{session_id}-agent-"))


def _below(tree: str) -> Iterator[str]:
    if os.path.islink(tree):  # noqa: PTH114 - text stays text
        return
    for directory, _, _ in os.walk(tree):
        yield from _in(directory)


def _in(directory: str) -> Iterator[str]:
    try:
        with os.scandir(directory) as entries:
            found = sorted(entry.path for entry in entries if entry.is_file(follow_symlinks=False))
    except OSError:
        return
    yield from found


def clean_up(home: Path, environment: Mapping[str, str]) -> CleanUp:
    """From the user's own settings; a value that the program would refuse counts for nothing."""
    try:
        with (config_directory(home, environment) / "settings.json").open("rb") as file:
            settings = get_object(file.read(_SETTINGS)) or {}
    except OSError:
        settings = {}
    days = settings.get(_SETTING)
    if not isinstance(days, int) or isinstance(days, bool) or days < 1:
        days = _DAYS
    return CleanUp(days, _SETTING)
