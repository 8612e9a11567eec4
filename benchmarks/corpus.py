"""A home full of sessions of both agents, made up: the same seed gives the same bytes.

Record mix and sizes follow what the format documents tell of real files: about half of Claude Code's rows metadata and
attachments, outputs told twice, a few pictures, sub-agents in files of their own, Codex' events beside its items, sizes
of files spread over three orders of magnitude. Every tenth session ends badly: a call without an answer, a cut last
record, an error of the provider, NUL bytes in the middle.

    python benchmarks/corpus.py OUT --size small      200 sessions, 100 MB (medium: 2,000, 1 GB; large: 10,000, 5 GB)
    python benchmarks/corpus.py OUT --size one            one transcript of 2 GB
    python benchmarks/corpus.py OUT --sessions 2000 --megabytes 200
"""

import argparse
import os
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from corpus_claude import ClaudeTalk
from corpus_codex import CodexTalk
from corpus_text import WORDS, Maker, Pool

__all__ = ["SIZES", "WORDS", "make_home", "make_one"]

BASE = datetime(2026, 6, 1, 8, 0, tzinfo=UTC)
PROJECTS = 40
SIZES = {"small": (200, 100), "medium": (2_000, 1_000), "large": (10_000, 5_000), "one": (1, 2_000)}
"""Sessions and megabytes."""
_HELPERS = 0.1
"""Of Claude Code's sessions: with sub-agents, which hold a tenth of its bytes each."""


def sizes(chance: random.Random, sessions: int, total: int) -> Iterator[int]:
    """Bytes of each session: spread over three orders of magnitude, `total` together."""
    drawn = [chance.lognormvariate(0, 1.4) for _ in range(sessions)]
    scale = total / sum(drawn)
    yield from (max(2_000, int(each * scale)) for each in drawn)


def make_home(out: Path, sessions: int, total: int, seed: int = 1) -> list[Path]:
    """Write `sessions` transcripts of `total` bytes together below `out/home`; all files' paths, oldest first."""
    chance, pool = random.Random(seed), Pool(seed)  # noqa: S311 - made-up data
    made: list[Path] = []
    for at, size in enumerate(sizes(chance, sessions, total)):
        workspace = f"{out}/work/project-{at % PROJECTS:02d}"
        one = random.Random(f"{seed}:{at}")  # noqa: S311 - made-up data
        session = str(uuid.UUID(int=one.getrandbits(128), version=4))
        begun = BASE + timedelta(minutes=20 * at)
        if at % 2:
            path = codex_path(out, session, begun)
            made.append(_write(path, one, pool, workspace, session, begun, size, paginated=at % 4 == 1))
        else:
            path = claude_path(out, workspace, session)
            many = one.randint(1, 3) if one.random() < _HELPERS else 0
            made += _helpers(path, one, pool, workspace, session, begun, [size // 10] * many)
            made.append(_write(path, one, pool, workspace, session, begun, size - many * (size // 10)))
    return made


def make_one(out: Path, total: int, seed: int = 1) -> Path:
    """Write one whole Claude Code transcript of `total` bytes; its path."""
    chance, workspace = random.Random(seed), f"{out}/work/project-00"  # noqa: S311 - made-up data
    session = str(uuid.UUID(int=chance.getrandbits(128), version=4))
    path = claude_path(out, workspace, session)
    return _write(path, chance, Pool(seed), workspace, session, BASE, total, ending="whole")


def claude_path(out: Path, workspace: str, session: str) -> Path:
    """Where Claude Code keeps a session."""
    folder = "".join(c if c.isascii() and c.isalnum() else "-" for c in workspace)
    return out / "home" / ".claude" / "projects" / folder / f"{session}.jsonl"


def codex_path(out: Path, session: str, begun: datetime) -> Path:
    """Where Codex keeps a thread."""
    name = f"rollout-{begun:%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
    return out / "home" / ".codex" / "sessions" / f"{begun:%Y/%m/%d}" / name


def _helpers(
    path: Path, chance: random.Random, pool: Pool, workspace: str, session: str, begun: datetime, wanted: list[int]
) -> list[Path]:
    found: list[Path] = []
    for size in wanted:
        own = f"a{chance.getrandbits(64):016x}"
        place = path.with_suffix("") / "subagents" / f"agent-{own}.jsonl"
        found.append(_write(place, chance, pool, workspace, session, begun, size, subagent=own, ending="whole"))
    return found


def _write(
    path: Path,
    chance: random.Random,
    pool: Pool,
    workspace: str,
    session: str,
    begun: datetime,
    size: int,
    *,
    paginated: bool = False,
    subagent: str = "",
    ending: str = "",
) -> Path:
    ending = ending or chance.choices(("whole", "dangling", "cut", "error", "nul"), (90, 4, 2, 2, 2))[0]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as out:
        make = Maker(chance, pool, out, workspace, int(begun.timestamp() * 1000), session)
        if ".codex" in path.parts:
            CodexTalk(make, paginated=paginated).until(size, ending)
        else:
            ClaudeTalk(make, subagent).until(size, ending)
        if ending == "cut":
            out.truncate(make.size - make.last // 3)
    os.utime(path, (make.milliseconds / 1000, make.milliseconds / 1000))
    return path


def main() -> None:
    """Make one, and tell what was made."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--sessions", type=int)
    parser.add_argument("--megabytes", type=float)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    out, (many, megabytes) = words.out.absolute(), SIZES[words.size]
    many, total = words.sessions or many, int((words.megabytes or megabytes) * 1_000_000)
    made = [make_one(out, total, words.seed)] if words.size == "one" else make_home(out, many, total, words.seed)
    size = sum(path.stat().st_size for path in made)
    print(f"{many:,} sessions in {len(made):,} files, {size:,} bytes below {out}/home")


if __name__ == "__main__":
    main()
