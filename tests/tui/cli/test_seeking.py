"""The straight road of `search`: the parser's words and answers, and silence where anything changed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from refloat.testing.claude_talk import ClaudeTalk
from refloat_tui.cli import asking, quick, seeking
from refloat_tui.cli.parser import run

ID = "5f0c1d2e-0000-4000-8000-00000000000"
NEVER = {
    "click", "textual", "rich", "asyncio", "logging", "multiprocessing", "concurrent", "pickle", "importlib.metadata",
    "psutil", "tree_sitter", "refloat.commands", "refloat.checkout", "refloat.usecases.finder",
    "refloat.usecases.judging", "uuid", "json.decoder",
}  # fmt: skip
"""What the straight road must not load."""


def write(home: Path, number: int, prompt: str, cwd: Path) -> Path:
    talk = ClaudeTalk(f"{ID}{number}", cwd=str(cwd))
    talk.clock = number * 3600
    talk.prompt(prompt)
    talk.ran("pytest -q tests/test_importer.py", "1 failed: gave up")
    talk.say("The importer retries now.")
    folder = home / ".claude/projects/-work"
    folder.mkdir(parents=True, exist_ok=True)
    return talk.write(folder, talk.session)


def nobody(_: object) -> tuple[()]:
    return ()


def then(_: object) -> str:
    return "2026-08-21T09:00:00.000Z"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home with two sessions, searched once."""
    place, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("REFLOAT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(work)
    # What runs on this machine is not a part of the story.
    monkeypatch.setattr("refloat.machine.processes.LinuxProcesses.all", nobody)
    monkeypatch.setattr(quick, "running_programs", list)
    write(place, 1, "Make the importer retry", work)
    write(place, 2, "Round the prices", tmp_path / "elsewhere")
    asking.bench.cache_clear()
    assert run(["search", "importer"]) == 0
    yield place
    asking.bench.cache_clear()


@pytest.mark.parametrize(
    "words",
    [
        ["search", "importer", "--json"],
        ["search", "importer"],
        ["search", "gave", "up", "--limit", "1", "--json"],
        ["search", "importer", "-round", "--json"],
        ["search", "-round", "importer", "--limit", "3"],
        ["search", "-round"],
        ["search", "--limit=1", "retries now"],
        ["search", "pytest", "--here", "--json"],
        ["search", "pytest", "--workspace", "../elsewhere", "--json"],
        ["search", "--command", "pytest -q", "--json"],
        ["search", "importer", "--file", "nowhere.py"],
        ["search", "imprter", "--state", "stopped"],
        ["search", "nothing of the kind"],
        ["search", "..."],
        ["search"],
    ],
)
def test_both_roads_say_the_same(
    home: Path, words: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("refloat.machine.clock.SystemClock.now", then)
    monkeypatch.setattr(quick, "is_unchanged", lambda: True)
    told: list[tuple[int | None, str, str]] = []
    for road in (seeking.answer, run):
        capfd.readouterr()
        code = road(words)
        out, err = capfd.readouterr()
        told.append((code, out, err))
    assert told[0][0] is not None
    assert told[0] == told[1]


def test_nothing_is_said_when_anything_changed(home: Path, capfd: pytest.CaptureFixture[str]):
    words = ["search", "importer", "--json"]
    capfd.readouterr()
    assert seeking.answer(words) == 0
    assert '"complete":true' in capfd.readouterr().out
    write(home, 3, "Another importer", home)
    assert seeking.answer(words) is None
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["list"],
        ["search", "--help"],
        ["search", "x", "-h"],
        ["search", "--", "-x"],
        ["search", "x", "--limit"],
        ["search", "x", "--limit", "0"],
        ["search", "x", "--limit", "many"],
        ["search", "x", "--limit", "²"],
        ["search", "x", "--since", "3d"],
        ["search", "x", "--agent", "codex"],
        ["search", "x", "--state", "asleep"],
        ["search", "x", "--here", "--workspace", "."],
        ["search", "x", "--json=1"],
        ["search", "x", "--file", "--json"],
    ],
)
def test_all_but_plain_words_are_the_parsers(words: list[str]):
    assert seeking.read(words) is None


def test_a_completion_is_the_parsers(monkeypatch: pytest.MonkeyPatch):
    assert seeking.read(["search", "x"]) == (("x",), {})
    monkeypatch.setenv("_REFLOAT_COMPLETE", "bash_complete")
    assert seeking.read(["search", "x"]) is None


def test_it_loads_no_parser_and_nothing_that_looks_at_everything(home: Path):
    code = (
        "import sys; from refloat_tui.cli import quick, seeking; quick.running_programs = list;"
        " assert seeking.answer(['search', 'importer', '--json']) == 0; print(*sys.modules, file=sys.stderr)"
    )
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"hits":[{' in done.stdout
    loaded = done.stderr.split()
    assert "refloat.search.answers" in loaded
    assert [name for name in loaded if any(name == never or name.startswith(f"{never}.") for never in NEVER)] == []


def test_damage_that_no_database_notices_is_nothing_to_answer_from(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    words = ["search", "importer", "--json"]
    assert seeking.answer(words) == 0
    before = json.loads(capsys.readouterr().out)["hits"]
    path = tmp_path / "cache/search.db"
    data = bytearray(path.read_bytes())
    data[-1] ^= 4
    path.write_bytes(data)
    assert seeking.answer(words) is None
    assert run(words) == 0
    after = json.loads(capsys.readouterr().out)
    assert after["complete"]
    assert [(hit["item"], hit["excerpt"]) for hit in after["hits"]] == [(hit["item"], hit["excerpt"]) for hit in before]
    assert seeking.answer(words) == 0, "it was made anew"
