"""Repairs transcripts of Claude Code: what the program and its service accept, and where a copy is found.

As in the program's own forks (formats/claude-code, section 8) a copy has a new id in every row, keeps the rows' own
ids, and takes neither sub-agents nor side files along. Sub-agents' files are not repaired.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from refloat.errors import NotDone
from refloat.readers.claude_code.layout import config_directory
from refloat.readers.contract import Found
from refloat.repair.claude_code.survey import ClaudeSurvey
from refloat.repair.frame import Source, Target, uuid_of
from refloat.there import is_directory

__all__ = ["ClaudeRepair"]

_SIDE = (
    ("tool-results", "outputs too large for a row stay in {path}; the copy names them there"),
    ("session-memory", "the program's notes in {path} stay there"),
)


class ClaudeRepair:
    """See `frame.Repairer` for what each method is for."""

    agent: str = "claude-code"

    def sources(self, found: Found) -> Sequence[str]:
        """All files of the id: a session that moved has one in each project directory."""
        return tuple(file.path for file in found.files)

    def survey(self, source: Source, found: Found) -> ClaudeSurvey:
        """Read it once and decide."""
        del found
        return ClaudeSurvey(source)

    def new_id(self, milliseconds: int, random: bytes) -> str:
        """A UUID of version 4."""
        del milliseconds
        return uuid_of(bytearray(random), 4)

    def target(self, found: Found, session: str, local: str, home: Path, environment: Mapping[str, str]) -> Target:
        """Beside the original, in the same project's directory."""
        del local
        last = PurePath(found.files[-1].path)
        if last.parent.parent.name != "projects" or found.by_path:
            raise NotDone(f"{last} lies outside the agent's directories; `--out FILE` writes the copy anywhere")
        return Target(config_directory(home, environment) / "projects", (last.parent.name, f"{session}.jsonl"))

    def left_out(self, found: Found) -> Sequence[str]:
        """Sub-agents and side files, which the program's own forks leave behind too."""
        words: list[str] = []
        own = [sub for sub in found.subagents if all(s.file not in found.files for s in sub.segments)]
        if own:
            many = "1 sub-agent" if len(own) == 1 else f"{len(own)} sub-agents"
            words.append(f"{many} of the original: their transcripts are neither repaired nor copied")
        for name, told in _SIDE:
            beside = Path(found.files[-1].path).with_suffix("") / name
            if is_directory(beside):
                words.append(told.format(path=beside))
        words.append("the program's backups of edited files: they stay with the original, `/rewind` finds none")
        words.append("prompts in `history.jsonl`: the copy is found by its id, and recalls none of them")
        return words
