"""`refloat salvage` on the command line: the patch on standard output alone, the words on standard error."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from refloat.testing.claude_talk import SESSION, ClaudeTalk
from refloat_tui.cli.commands import bench
from refloat_tui.cli.parser import run

TOKEN = "gh" + "p_" + "a1B2c3D4e5" * 4
TEXT = f"export GITHUB_TOKEN={TOKEN}\n"


def git(root: Path, *words: str, stdin: str | None = None) -> None:
    own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *own, *words], cwd=root, input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout in which nothing is left of what a session wrote, and the session."""
    home, root = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    root.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(root)
    monkeypatch.setattr("refloat.machine.processes.LinuxProcesses.all", lambda _: ())  # pyright: ignore[reportUnknownLambdaType,reportUnknownArgumentType] - of a test
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "start")
    talk = ClaudeTalk(cwd=str(root))
    talk.prompt("Set the token and keep notes.")
    for number, (path, text) in enumerate([(root / "env.sh", TEXT), (tmp_path / "notes.md", "notes\n")]):
        talk.call("Write", f"toolu_{number}", file_path=str(path), content=text)
        told = {"type": "create", "filePath": str(path), "content": text, "structuredPatch": [], "originalFile": None}
        talk.result(f"toolu_{number}", "File created", told)
    talk.say("Done.")
    talk.write(home / ".claude" / "projects" / "p")
    bench.bench.cache_clear()
    return root


def test_the_patch_goes_to_standard_output_exactly(work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["salvage", SESSION]) == 0
    out, err = capfd.readouterr()
    assert out.startswith("diff --git a/env.sh b/env.sh\n")
    assert TOKEN in out
    assert TOKEN not in err
    assert "1 file in the patch, 1 not" in err
    assert "notes.md" in err
    assert "look like secrets" in err
    git(work, "apply", "-", stdin=out)
    assert (work / "env.sh").read_text() == TEXT


def test_as_json_it_is_exact_too(work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["salvage", SESSION, "--json"]) == 0
    made = json.loads(capfd.readouterr().out)
    assert list(made) == ["schema", "session", "patch", "files", "secrets"]
    assert made["schema"] == "refloat/1"
    assert made["session"] == f"claude-code:{SESSION}"
    assert TOKEN in made["patch"]
    assert [list(file) for file in made["files"]] == [["path", "in_patch", "why"]] * 2
    assert [(file["path"], file["in_patch"]) for file in made["files"]] == [
        ("env.sh", True),
        (str(work.parent / "notes.md"), False),
    ]
    assert made["secrets"] == 1


def test_into_a_file(work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = work.parent / "lost.patch"
    assert run(["salvage", SESSION, "--out", str(target)]) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert run(["salvage", SESSION, "--out", "-"]) == 0
    assert capfd.readouterr().out.startswith("diff --git")
    assert f"git -C {work} apply --whitespace=nowarn {target}" in err
    assert (work.parent / "lost.patch.files" / "outside" / str(work.parent)[1:] / "notes.md").read_text() == "notes\n"
    assert run(["salvage", SESSION, "--out", str(target)]) == 1
    assert "is there already" in capfd.readouterr().err
    assert run(["salvage", SESSION, "--out", str(target), "--force"]) == 0
    git(work, "apply", str(target))
    assert (work / "env.sh").read_text() == TEXT


def test_of_a_folder_that_is_gone(
    work: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(work.parent)
    shutil.rmtree(work)
    target = work.parent / "lost.patch"
    assert run(["salvage", SESSION, "--out", str(target)]) == 0
    err = capfd.readouterr().err
    assert f"wrote {target}; {work} is gone: `git apply` makes its files anew in an empty directory" in err
    work.mkdir()
    git(work, "apply", str(target))
    assert (work / "env.sh").read_text() == TEXT


def test_nothing_to_salvage_is_said_and_no_fault(work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (work / "env.sh").write_text(TEXT)
    (work.parent / "notes.md").write_text("notes\n")
    assert run(["salvage", SESSION, "--out", str(work.parent / "lost.patch")]) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert "nothing to salvage" in err
    last = f"{work.parent / 'lost.patch'} was not written: nothing can be in that patch; no file was written at all"
    assert err.splitlines()[-1] == f"refloat: {last}" or err.splitlines()[-1] == last
    assert not (work.parent / "lost.patch").exists()
    assert run(["salvage", SESSION, "--json"]) == 0
    made = json.loads(capfd.readouterr().out)
    assert (made["patch"], made["files"], made["secrets"]) == ("", [], 0)


def test_where_no_patch_can_be_made_that_is_said_first(work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (work / "env.sh").write_text("something else\n")
    target = work / "lost.patch"
    assert run(["salvage", SESSION, "--out", str(target)]) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert "no patch: of 2 lost files none can be applied to the checkout as it stands" in err.splitlines()[0]
    last = err.splitlines()[-1]
    assert f"{target} was not written: nothing can be in that patch; what could be saved stands in" in last
    for name in ("lost.patch.files", "lost.patch.files.txt"):
        assert name in last
        assert (work / name).exists()
    assert not target.exists()
    assert run(["checkout", SESSION, "--json"]) == 0
    assert [row["path"] for row in json.loads(capfd.readouterr().out)["other_changes"]] == []
