"""`refloat brief --preview`, from a transcript on disk to what a terminal shows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SESSION = "5f0c1d2e-0000-4000-8000-0000000000aa"
TOKEN = "gh" + "p_" + "a1B2c3D4e5" * 4


@pytest.fixture
def home(tmp_path: Path) -> Path:
    rows = [
        {"type": "user", "message": {"role": "user", "content": f"Push with {TOKEN}"}, "uuid": "r1"},
        {
            "type": "assistant",
            "message": {
                "role": "assistant",
                "id": "m2",
                "model": "claude-sonnet-5",
                "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "git push"}}],
            },
            "uuid": "r2",
            "parentUuid": "r1",
        },
    ]
    common = {
        "isSidechain": False,
        "timestamp": "2026-09-14T09:00:00.000Z",
        "cwd": str(tmp_path),
        "sessionId": SESSION,
        "version": "2.1.270",
        "entrypoint": "cli",
    }
    folder = tmp_path / ".claude" / "projects" / "-w"
    folder.mkdir(parents=True)
    (folder / f"{SESSION}.jsonl").write_text("".join(json.dumps(row | common) + "\n" for row in rows))
    return tmp_path


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "REFLOAT_"))}
    environment |= {"HOME": str(home), "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    command = [sys.executable, "-m", "refloat_tui", "brief", SESSION, *words]
    return subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, check=False)


def test_a_preview_lists_places_and_what_will_age_and_no_value(home: Path) -> None:
    done = run(home, "--preview")
    assert (done.returncode, TOKEN in done.stdout + done.stderr) == (0, False)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("MASKED (")
    assert f"GitHub token  {len(TOKEN)} characters  line " in lines[1]
    assert f"{SESSION}.jsonl" in done.stdout[done.stdout.index("WILL AGE") :]


def test_a_preview_in_json_stands_beside_the_brief(home: Path) -> None:
    document = json.loads(run(home, "--preview", "--json").stdout)
    assert list(document) == ["schema", "session", "brief", "markdown", "masked", "omitted", "preview"]
    assert len(document["preview"]["masked"]) == document["masked"] > 0
    assert "preview" not in json.loads(run(home, "--json").stdout)


@pytest.mark.parametrize("words", [("--out", "x.md"), ("--show-secrets",)])
def test_a_preview_writes_nothing_and_shows_no_secret(home: Path, words: tuple[str, ...]) -> None:
    done = run(home, "--preview", *words)
    assert done.returncode == 2
    assert words[0] in done.stderr
    assert not (home / "x.md").exists()
