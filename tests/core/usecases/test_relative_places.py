"""Variables that name a place by a relative path: below the present directory, as agents take them, for all alike."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from refloat.catalogue.store import Catalogue
from refloat.machine.places import find_places
from refloat.readers.claude_code import ClaudeCode
from refloat.readers.claude_code.layout import settings_file
from refloat.readers.codex import Codex, codex_home
from refloat.readers.codex.index import find_database
from refloat.usecases.find_sessions import Scope, list_sessions
from refloat.usecases.workbench import Workbench

ONE = "11111111-1111-4111-8111-111111111111"


def test_every_variable_is_taken_from_the_present_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    home = Path("/home/ada")
    told = {"CLAUDE_CONFIG_DIR": "cc", "CODEX_HOME": "sub/../cx", "CODEX_SQLITE_HOME": "db"}
    roots = {walk.root for reader in (ClaudeCode(), Codex()) for walk in reader.walks(home, told)}
    assert all(root.startswith(str(tmp_path)) for root in roots)
    assert f"{tmp_path}/cc/projects" in roots
    assert codex_home(home, told) == tmp_path / "cx"
    assert settings_file(home, told) == tmp_path / "cc" / ".claude.json"
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "state_5.sqlite").touch()
    assert find_database(home, told) == tmp_path / "db" / "state_5.sqlite"
    assert find_places({"HOME": "rel"}).home == tmp_path / "rel"


def test_a_directory_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert codex_home(Path("/home/ada"), {"CODEX_HOME": "cx"}) == Path("cx")


@pytest.mark.parametrize("relative", [True, False])
def test_paths_are_absolute_and_another_directory_is_looked_at_anew(
    home: Any, monkeypatch: pytest.MonkeyPatch, relative: bool
):
    home.write(ONE, *home.talk(ONE))
    monkeypatch.chdir(home.directory)
    config = "home/.claude" if relative else str(home.directory / "home" / ".claude")
    bench = home.bench
    places = replace(bench.machine.places, environment={"CLAUDE_CONFIG_DIR": config})
    (session,) = list_sessions(Workbench(replace(bench.machine, places=places), bench.readers), Scope()).sessions
    assert all(os.path.isabs(path) for path in session.transcript.paths)  # noqa: PTH117 - text
    catalogue = Catalogue.open(places.cache)
    assert catalogue is not None
    with catalogue:  # a look that holds only here says nothing to the quick road
        assert bool(catalogue.notes().get("fingerprint")) is not relative
