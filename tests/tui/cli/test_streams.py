"""The standard streams that a caller hands over: closed, full, or with nobody at the other end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(home: Path, words: str, redirect: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "REFLOAT_"))}
    environment |= {
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
    }
    line = f'"$0" -m refloat_tui {words} {redirect}'
    return subprocess.run(
        ["/bin/sh", "-c", line, sys.executable], env=environment, cwd=home, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("words", ["list --all", "doctor --json", "refresh"])
def test_a_closed_standard_output_is_no_fault(tmp_path: Path, words: str) -> None:
    done = run(tmp_path, words, ">&-")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("words", ["list --all", "doctor --json", "refresh"])
def test_a_full_place_is_told_in_a_sentence(tmp_path: Path, words: str) -> None:
    done = run(tmp_path, words, ">/dev/full")
    assert done.returncode == 3
    assert done.stderr == "refloat: standard output cannot be written: No space left on device\n"


def test_a_refresh_that_frees_nothing_has_told_and_written_all(tmp_path: Path) -> None:
    done = run(tmp_path, "refresh --json", "")
    assert (done.returncode, json.loads(done.stdout)["complete"]) == (0, True)
    kept = {path.name for path in tmp_path.rglob("*.db*")}
    assert "catalogue.db" in kept
    assert not {name for name in kept if name.endswith("-wal")}, "a log that nobody has closed"
    (tmp_path / ".cache/refloat").rename(tmp_path / "moved")
    (tmp_path / ".cache/refloat").write_text("a file where the cache should be")
    assert run(tmp_path, "refresh", "").returncode == 3
