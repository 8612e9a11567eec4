"""Readers of others are found wherever packages lie, and nothing dear is loaded where there is none."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from refloat.readers import registry

POINTS = "[refloat.agents]\nother = somewhere.else:Reader\n"


def declare(place: Path, points: str = POINTS, kind: str = "dist-info") -> None:
    inner = {"dist-info": "other-1.0.dist-info", "egg-info": "other.egg-info", "egg": "other-1.0.egg/EGG-INFO"}[kind]
    folder = place / inner
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (folder / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(points)


@pytest.mark.parametrize("kind", ["dist-info", "egg-info"])
def test_a_reader_of_others_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    declare(tmp_path, kind=kind)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert registry.names(outsiders=True) == (*registry.BUILTIN, "other")
    _, problems = registry.load_all()
    assert [problem.path for problem in problems] == ["somewhere.else:Reader"]


def test_one_in_an_archive_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "packages.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("other-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
        file.writestr("other-1.0.dist-info/entry_points.txt", POINTS)
    monkeypatch.syspath_prepend(str(archive))
    assert "other" in registry.names(outsiders=True)


def test_without_any_the_machinery_stays_unloaded(tmp_path: Path) -> None:
    declare(tmp_path, "[console_scripts]\nother = somewhere.else:main\n")
    words = (
        "import sys; sys.path += sys.argv[1:]; from refloat.readers.registry import load_all; "
        "readers, problems = load_all(); print(len(readers), len(problems), 'importlib.metadata' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", words, str(tmp_path), str(tmp_path / "gone"), *sys.path],
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(len(registry.BUILTIN)), "0", "False"]
