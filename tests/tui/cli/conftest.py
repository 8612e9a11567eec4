"""Where commands are typed in tests: as a program of its own, or in this process."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from refloat_tui.cli.commands import bench

Run = Callable[..., subprocess.CompletedProcess[str]]
PATIENCE: Final = 100
"""Seconds that a command may take on a busy machine."""


@pytest.fixture
def refloat(tmp_path: Path) -> Run:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}

    def run(*words: str, given: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "refloat_tui", *words]
        return subprocess.run(
            argv,
            env=env | more,
            cwd=tmp_path,
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    return run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without any session, and a directory to work in."""
    place, work = tmp_path / "home", tmp_path / "work"
    place.mkdir()
    work.mkdir()
    monkeypatch.setenv("HOME", str(place))
    for name in ("CACHE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"REFLOAT_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(work)
    monkeypatch.setattr("refloat.machine.processes.LinuxProcesses.all", lambda _: ())  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType] - of a test
    bench.bench.cache_clear()
    return place
