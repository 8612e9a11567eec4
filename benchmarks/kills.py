"""What a record keeps when its writers are killed, or its disk is full.

Each round starts `refloat run`, `step` or `wrap` on one job and kills it with all its children at a random instant of
the time that it usually takes; then rounds follow in which files may not grow, or the disk is full. After every
round: each link that was acknowledged is there and verifies, what was begun and not sealed is in flight, nothing else
is missing.

    python benchmarks/kills.py [--kills 200] [--full 20] [--seed 1]

Where this user may mount one, the full disk is a small tmpfs; else a limit on the size of files (RLIMIT_FSIZE).
"""

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tui")]

from refloat.model.stamp import Stamp  # noqa: E402 - this tree's own, wherever it is started
from refloat.record.checking import verify_job  # noqa: E402
from refloat.record.store import open_record  # noqa: E402
from refloat.record.whole import load_job  # noqa: E402

NOW = Stamp("2026-09-14T14:00:00.000Z")
BIG = "import os; os.write(1, os.urandom(300_000))"
COMMANDS = (
    ("run", "--job", "job", "--", "echo", "small"),
    ("run", "--job", "job", "--", sys.executable, "-c", BIG),
    ("run", "--job", "job", "--", "sh", "-c", "sleep 0.2; echo x; exit 3"),
    ("step", "--job", "job", "--tool", "t", "--output", __file__),
    ("wrap", "job", "--summary", "did", "--goal", "g", "--next", "look"),
)


class Trial:
    """One record, and what it acknowledged."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.acknowledged = 0
        self.begun = 0
        sources = os.pathsep.join((str(ROOT / "core"), str(ROOT / "tui")))
        own = {"HOME": str(data), "REFLOAT_DATA_DIR": str(data / "record"), "PYTHONPATH": sources}
        self.env = {"PATH": os.environ["PATH"], **own}

    def start(self, words: tuple[str, ...], most: int | None = None) -> subprocess.Popen[bytes]:
        """Start a command; `most` bytes is what a file may grow to."""
        code = "from refloat_tui.cli import main; raise SystemExit(main())"
        self.begun += words[0] != "wrap"

        def limit() -> None:
            if most is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        argv = [sys.executable, "-c", code, *words]
        null = subprocess.DEVNULL
        return subprocess.Popen(
            argv,
            env=self.env,
            cwd=self.data,
            start_new_session=True,
            stdout=null,
            stderr=subprocess.PIPE,
            preexec_fn=limit,  # noqa: PLW1509 - this program has no threads
        )

    def finish(self, process: subprocess.Popen[bytes]) -> bytes:
        """Wait for its end; what it complained of."""
        _, said = process.communicate()
        self.acknowledged += process.returncode in {0, 3} and b"refloat: " not in said
        return said

    def check(self, when: str) -> int:
        """The steps in flight.

        Raises:
            SystemExit: something is not as it must be.

        """
        with open_record(self.data / "record", NOW) as record:
            found = verify_job(record, "job")
            with record.reading() as connection:
                steps = sum(kind == "step" for kind, _ in load_job(connection, "job").links)
        wrong = [f"{fault.seq} {fault.field}: {fault.what}" for fault in found.problems]
        if found.checked < self.acknowledged:
            wrong.append(f"{self.acknowledged} links were acknowledged, {found.checked} are there")
        if steps > self.begun:
            wrong.append(f"{self.begun} steps were begun, {steps} are there")
        if wrong:
            raise SystemExit(f"{when}: " + "; ".join(wrong))
        return len(found.in_flight)


def usual_seconds(trial: Trial, words: tuple[str, ...]) -> float:
    """How long a command takes here, undisturbed."""
    begun = time.monotonic()
    trial.finish(trial.start(words))
    return time.monotonic() - begun


def kill(trial: Trial, kills: int, chance: random.Random) -> None:
    usual = {words: usual_seconds(trial, words) for words in COMMANDS}
    flying = trial.check("before any kill")
    seen = killed = 0
    for n in range(kills):
        words = chance.choice(COMMANDS)
        process = trial.start(words)
        time.sleep(chance.uniform(0, usual[words]))
        if process.poll() is None:
            killed += 1
            os.killpg(process.pid, signal.SIGKILL)
        trial.finish(process)
        now_flying = trial.check(f"kill {n + 1}, {words[0]}")
        seen += now_flying > flying
        flying = now_flying
    print(f"{kills} rounds, {killed} killed while they ran, {seen} of them between a step's start and its end")
    print(f"{trial.acknowledged} links acknowledged, all verify; {flying} steps in flight")


def fill(trial: Trial, rounds: int, chance: random.Random) -> None:
    """Rounds in which no file may grow beyond some limit."""
    refused = 0
    for n in range(rounds):
        size = max(path.stat().st_size for path in (trial.data / "record").rglob("*") if path.is_file())
        said = trial.finish(trial.start(COMMANDS[n % len(COMMANDS)], chance.randint(1, size + 50_000)))
        refused += b"refloat: " in said
        trial.check(f"full disk, round {n + 1}")
    print(f"{rounds} rounds with a full disk, {refused} told that it could not be saved; all that was saved verifies")


@contextmanager
def small_disk(place: Path) -> Generator[bool]:
    """A directory on a disk of its own of 1 MB; False where none can be mounted."""
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=1m", "refloat-kills", str(place)]
    mounted = os.geteuid() == 0 and subprocess.run(words, check=False, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(place)], check=True)


def fill_disk(place: Path, rounds: int) -> None:
    """Write until a real disk is full, and go on writing."""
    with small_disk(place) as mounted:
        if not mounted:
            print("no small disk could be mounted here")
            return
        trial = Trial(place)
        refused = 0
        for n in range(rounds):
            refused += b"refloat: " in trial.finish(trial.start(COMMANDS[n % len(COMMANDS)]))
            trial.check(f"small disk, round {n + 1}")
        print(f"{rounds} rounds on a disk of 1 MB, {refused} told that it was full; all that was saved verifies")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--full", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    chance = random.Random(words.seed)  # noqa: S311 - instants, not secrets
    with tempfile.TemporaryDirectory(prefix="refloat-kills-") as place:
        trial = Trial(Path(place))
        kill(trial, words.kills, chance)
        fill(trial, words.full, chance)
        fill_disk(Path(place) / "disk", words.full)


if __name__ == "__main__":
    main()
