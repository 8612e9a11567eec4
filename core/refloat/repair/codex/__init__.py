"""Repairs rollouts of Codex: what Codex loads, and where a copy is found.

A thread of several files (it was rewound) is repaired in its present file: the copy goes on from the same base. The
index database, `session_index.jsonl` and `history.jsonl` are not touched.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from refloat.errors import NotDone
from refloat.readers.codex import codex_home
from refloat.readers.contract import Found
from refloat.repair.codex.survey import CodexSurvey
from refloat.repair.frame import Source, Target, uuid_of

__all__ = ["CodexRepair"]


class CodexRepair:
    """See `frame.Repairer` for what each method is for."""

    agent: str = "codex"

    def sources(self, found: Found) -> Sequence[str]:
        """The present file of the thread."""
        last = next(segment.file.path for segment in reversed(found.segments) if not segment.superseded)
        if last.endswith(".json"):
            raise NotDone(f"{last} is the single document of a build before July 2025; only lines can be repaired")
        return (last,)

    def survey(self, source: Source, found: Found) -> CodexSurvey:
        """Read it once and decide."""
        return CodexSurvey(source, found.session_id)

    def new_id(self, milliseconds: int, random: bytes) -> str:
        """A UUID of version 7 (RFC 9562, section 5.7)."""
        return uuid_of(bytearray(milliseconds.to_bytes(6, "big") + random[:10]), 7)

    def target(self, found: Found, session: str, local: str, home: Path, environment: Mapping[str, str]) -> Target:
        """`sessions/YYYY/MM/DD/rollout-<local time>-<id>.jsonl`."""
        root = codex_home(home, environment)
        last = PurePath(found.segments[-1].file.path)
        if found.by_path:
            raise NotDone(f"{last} lies outside the agent's directories; `--out FILE` writes the copy anywhere")
        return Target(root, ("sessions", local[:4], local[5:7], local[8:10], f"rollout-{local}-{session}.jsonl"))

    def left_out(self, found: Found) -> Sequence[str]:
        """Other files of the thread, sub-agents, and what the indexes hold."""
        words: list[str] = []
        if found.subagents:
            many = "1 sub-agent" if len(found.subagents) == 1 else f"{len(found.subagents)} sub-agents"
            words.append(f"{many} of the original: their threads are neither repaired nor copied")
        if len(found.segments) > 1:
            words.append("what was rewound: it stays in the original's files")
        words.append("the thread's name, prompts recalled from `history.jsonl`, and its row in Codex' index")
        words.append("Codex rebuilds that index from the files; until it does, its picker may not show the copy")
        return words
