"""The history of one enormous transcript: what its first screen costs, wherever it stands, against the disk.

    python benchmarks/long.py --megabytes 2048

Each line is measured in a process of its own, with a warm page cache, without the start of the interpreter. The
transcript is made once below `--out` and kept.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import corpus

from refloat.model.long import Ask
from refloat.readers.contract import Found, Segment, SourceFile
from refloat.readers.registry import load
from refloat.usecases.long_history import LongHistory

MEGABYTE = 1_000_000
SESSION = "11111111-2222-4333-8444-555555555555"


def make_transcript(out: Path, size: int) -> Path:
    """A transcript of the corpus' own rows, with one line of a hundred megabytes (an image) near its end."""
    path = corpus.make_one(out, size)
    with path.open("ab") as file:
        file.write(b'{"type":"user","message":{"content":"' + b"x" * 100 * MEGABYTE + b'"}}\n')
    more = corpus.make_one(out / "more", 8 * MEGABYTE, seed=2)
    with path.open("ab") as file:
        file.write(more.read_bytes())
    return path


def history(path: Path) -> LongHistory:
    stat = path.stat()
    file = SourceFile(str(path), stat.st_size, stat.st_mtime_ns, stat.st_dev, stat.st_ino)
    return LongHistory(load("claude-code"), Found("claude-code", SESSION, (Segment(file),)))


def never() -> bool:
    return False


def quiet(done: int, of: int) -> None:
    del done, of


WORKS: dict[str, Callable[[LongHistory], object]] = {
    "first screen, at the beginning": lambda long: long.ask(Ask("begin"), never),
    "first screen, at the end": lambda long: long.ask(Ask("end"), never),
    "first screen, in the middle": lambda long: long.ask(Ask("position", long.size // 2), never),
    "to the crash": lambda long: long.ask(Ask("crash"), never),
    "counting all lines": lambda long: long.count(never, quiet),
    "numbering all items": lambda long: long.number(never, quiet),
}


def floor(path: Path) -> float:
    """Seconds to read the file in blocks."""
    began = time.perf_counter()
    with path.open("rb", buffering=0) as file:
        buffer = bytearray(MEGABYTE)
        while file.readinto(buffer):
            pass
    return time.perf_counter() - began


def measure(what: str, path: Path) -> None:
    """Print what one work costs."""
    long_ = history(path)
    WORKS[what](history(path)) if what.startswith("first") else None  # the reader's own imports do not count
    began = time.perf_counter()
    WORKS[what](long_)
    took = time.perf_counter() - began
    print(f"{what:32} {took * 1000:10,.0f} ms   peak {peak():6,.0f} MB")


def peak() -> float:
    """The most memory that this process had, in MB; its parent's does not count, as it would in `getrusage`."""
    told = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(told.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "refloat-long")
    parser.add_argument("--megabytes", type=int, default=2048)
    parser.add_argument("--one", choices=WORKS)
    words = parser.parse_args()
    home = words.out / str(words.megabytes)
    made = sorted(path for path in home.glob("home/.claude/projects/*/*.jsonl"))
    path = made[0] if made else make_transcript(home, words.megabytes * MEGABYTE)
    if words.one:
        measure(words.one, path)
        return
    print(f"{'reading the file in blocks':32} {floor(path) * 1000:10,.0f} ms")
    for what in WORKS:
        subprocess.run(
            [sys.executable, __file__, "--out", words.out, "--megabytes", str(words.megabytes), "--one", what],
            check=True,
        )


if __name__ == "__main__":
    main()
