"""Killed at random instants, and with no room on the disk, the record keeps what it acknowledged."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "kills.py"


@pytest.mark.timeout(900)
def test_sealed_steps_outlive_kills_and_full_disks() -> None:
    words = [sys.executable, str(SCRIPT), "--kills", "25", "--full", "8"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all verify" in done.stdout
