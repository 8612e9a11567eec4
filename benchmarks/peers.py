"""Refloat beside other tools that read the same agents' records, on one corpus and in one run.

| tool | what it does here | what of a session it makes searchable |
|---|---|---|
| fast-resume | an index of all sessions, its list, a search | what people and agents said |
| agentsview | a database of all sessions, its list, a search | all of it, outputs too |
| claude-code-log | a page of each Claude Code session; it searches in the browser | |

agentsview answers lists and searches from a server that runs on: it is started and stopped around them, and its own
processor time and memory are not in the figures.

They are installed from their public packages into a place that goes with the run, and work on a home of its own: none
sees a real one. The newest versions are taken, and printed. Each row is a ratio to one process that decodes every line;
a figure in brackets is the processors' own time. claude-code-log writes pages, which is more work than an index: it is
shown since people use it for the same question, and left out of large corpora unless asked for.

    python benchmarks/peers.py [--size small|medium|large] [--runs 3] [--pages]
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench import LIST, Cost, alternate, command, decode, environment, inside, refloat
from corpus import SIZES, make_home

PACKAGES = ("fast-resume", "agentsview", "claude-code-log")
WORD = "retry"
QUIET = {
    "AGENTSVIEW_TELEMETRY_ENABLED": "0",
    "AGENTSVIEW_DISABLE_UPDATE_CHECK": "1",
    "DO_NOT_TRACK": "1",
}
"""Nothing is to run on behind the measurement, and nothing to be sent."""


@dataclass(frozen=True, slots=True)
class Tool:
    """What one tool is asked for. An empty command: it has no such thing."""

    name: str
    index: Sequence[str]
    """Read everything, from nothing."""
    list: Sequence[str]
    search: Sequence[str]
    keeps: Sequence[str]
    """Below the run's directory: what is thrown away for a cold start, and what it keeps of the corpus."""
    alone: Mapping[str, str] = field(default_factory=dict[str, str])
    """What keeps `index` from starting a server."""
    server: Sequence[Sequence[str]] = ()
    """How the server that answers is started, and stopped."""


def tools(out: Path, *, pages: bool) -> list[Tool]:
    """All that are compared."""
    agentsview, projects = ["agentsview"], str(out / "home" / ".claude" / "projects")
    every = [
        Tool("refloat", refloat("refresh"), LIST, refloat("search", WORD, "--json"), ("cache",)),
        Tool(
            "fast-resume",
            ["fr", "--rebuild", "--list", "--limit", "1"],
            ["fr", "--json", "--all"],
            ["fr", "--no-refresh", "--json", "--limit", "20", WORD],
            ("home/.cache/fast-resume",),
        ),
        Tool(
            "agentsview",
            [*agentsview, "sync"],
            [*agentsview, "session", "list", "--json", "--limit", "500", "--include-one-shot"],
            [*agentsview, "session", "search", WORD, "--json", "--limit", "20"],
            ("home/.agentsview",),
            alone={"AGENTSVIEW_NO_DAEMON": "1"},
            server=([*agentsview, "daemon", "start"], [*agentsview, "daemon", "stop"]),
        ),
    ]
    if pages:
        convert = ["claude-code-log", projects, "--all-projects", "--output", str(out / "pages")]
        every.append(Tool("claude-code-log", convert, (), (), ("pages", "home/.claude/projects/.claude-code-log")))
    return every


def install(place: Path) -> Path:
    """The packages into a place of their own; the directory of their commands."""
    env = os.environ | {"UV_TOOL_DIR": str(place / "tools"), "UV_TOOL_BIN_DIR": str(place / "bin")}
    for package in PACKAGES:
        subprocess.run(["uv", "tool", "install", "--quiet", package], env=env, check=True)
    told = subprocess.run(["uv", "tool", "list"], env=env, check=True, capture_output=True, text=True).stdout
    print(", ".join(re.findall(r"^(\S+ v\S+)$", told, re.MULTILINE)))
    return place / "bin"


class Beside:
    """One corpus, and the tools on it."""

    def __init__(self, out: Path, paths: Sequence[Path], env: Mapping[str, str], runs: int) -> None:
        self.out, self.paths, self.env, self.runs = out, paths, env, runs
        self.total = sum(path.stat().st_size for path in paths)

    def cold(self, tool: Tool) -> Cost:
        """Everything read, from nothing."""
        for kept in tool.keeps:
            shutil.rmtree(self.out / kept, ignore_errors=True)
        return command(tool.index, {**self.env, **tool.alone})

    def kept(self, tool: Tool) -> float:
        """What the tool keeps, as a share of the corpus."""
        files = (file for kept in tool.keeps for file in (self.out / kept).rglob("*") if file.is_file())
        return sum(file.stat().st_size for file in files) / self.total

    def floor(self) -> Cost:
        """Every line decoded once."""
        return inside(partial(decode, self.paths))

    def row(self, tool: Tool) -> None:
        """One tool's line: each kind of work in turns with the floor."""
        cells = [self._cell(partial(self.cold, tool))]
        with self._served(tool):
            cells += [
                self._cell(partial(command, argv, self.env)) if argv else "-" for argv in (tool.list, tool.search)
            ]
        print(f"{tool.name:<16}" + "".join(f"{cell:>28}" for cell in cells) + f"{100 * self.kept(tool):>9.1f} %")

    def _cell(self, work: Callable[[], Cost]) -> str:
        took, floor = alternate(self.runs, work, self.floor)
        return f"{took.wall / floor.wall:>7.2f} × ({took.cpu / floor.cpu:.2f}) {took.peak:>5.0f} MB"

    @contextmanager
    def _served(self, tool: Tool) -> Generator[None]:
        """While the tool's server runs, where it has one."""
        for argv in tool.server[:1]:
            command(argv, self.env)
        try:
            yield
        finally:
            for argv in tool.server[1:]:
                command(argv, self.env)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=[size for size in SIZES if size != "one"], default="small")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--pages", action="store_true", help="claude-code-log too")
    words = parser.parse_args()
    sessions, megabytes = SIZES[words.size]
    with tempfile.TemporaryDirectory(prefix="refloat-peers-") as place:
        out = Path(place)
        commands = install(out)
        paths = make_home(out, sessions, megabytes * 1_000_000)
        env = environment(out) | QUIET
        env["PATH"] = os.pathsep.join((str(commands), env["PATH"]))
        beside = Beside(out, paths, env, words.runs)
        print(f"{sessions:,} sessions, {beside.total / 1e6:,.0f} MB; × decoding every line once, most memory")
        print(
            f"{'':<16}" + "".join(f"{name:>28}" for name in ("all read", "listed again", "searched")) + f"{'kept':>11}"
        )
        for tool in tools(out, pages=words.pages):
            beside.row(tool)


if __name__ == "__main__":
    main()
