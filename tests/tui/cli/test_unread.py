"""What could not be read, or written, ends a command with 3; a slip of the hand with 2, and words that fit it."""

import json
import os
from pathlib import Path

import pytest

from refloat.testing.claude_talk import SESSION, ClaudeTalk
from refloat_tui.cli.parser import run


@pytest.fixture
def work(home: Path) -> Path:
    """Where a session wrote a file."""
    work = home.parent / "work"
    talk = ClaudeTalk(cwd=str(work))
    talk.prompt("Make it pass")
    talk.call("Write", "toolu_1", file_path=str(work / "a.py"), content="x\n")
    told = {"type": "create", "filePath": str(work / "a.py"), "content": "x\n", "structuredPatch": []}
    talk.result("toolu_1", "File created", {**told, "originalFile": None})
    talk.write(home / ".claude" / "projects" / "p")
    (work / "a.py").write_text("x\n")
    return work


def said(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run(list(words))
    out, err = capfd.readouterr()
    return code, out, err


def _shut(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """As a directory stands that its user may not enter: nothing in it is opened or listed."""
    opens = os.open

    def refuses(path: object, *more: int, **named: int) -> int:
        if os.fspath(path) == str(place):  # pyright: ignore[reportArgumentType,reportUnknownVariableType,reportCallIssue] - of a test
            raise PermissionError(13, "Permission denied", str(place))
        return opens(path, *more, **named)  # pyright: ignore[reportArgumentType] - as it came

    monkeypatch.setattr(os, "open", refuses)


def test_a_list_that_could_not_look_everywhere(
    work: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    assert said(capfd, "list")[0] == 0
    shut = work.parent / "home" / ".claude" / "projects"
    _shut(monkeypatch, shut)
    code, out, _ = said(capfd, "list", "--all")
    assert code == 3
    assert "No session could be read" in out
    assert f"! {shut}: cannot be looked into: Permission denied" in out
    code, out, _ = said(capfd, "list", "--json")
    assert code == 3
    assert json.loads(out)["problems"]
    code, out, err = said(capfd, "search", "pass")
    assert code == 3
    assert "Nothing that was searched holds these words" in out
    assert "0 sessions" not in out
    assert f"not searched: {shut}: cannot be looked into" in err
    assert said(capfd, "refresh")[0] == 3
    code, _, err = said(capfd, "status", SESSION)
    assert code == 3
    assert f"{shut} cannot be looked into" in err


def test_a_file_that_cannot_be_read_is_not_nothing_to_salvage(
    work: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    code, _, err = said(capfd, "salvage", SESSION)
    assert (code, "nothing to salvage" in err) == (0, True)
    _shut(monkeypatch, work / "a.py")
    code, _, err = said(capfd, "salvage", SESSION)
    assert code == 3
    assert f"{work / 'a.py'} cannot be read: nobody knows what of it is lost" in err
    assert "nothing to salvage" not in err


@pytest.mark.parametrize("words", [("status", ""), ("brief", "  "), ("triage", "")])
def test_an_empty_word_is_no_directory(work: Path, capfd: pytest.CaptureFixture[str], words: tuple[str, str]):
    code, _, err = said(capfd, *words)
    assert code == 2
    assert "an empty word names no session" in err


@pytest.mark.parametrize("saved", [False, True])
def test_a_file_that_is_not_there_is_told_as_a_file(work: Path, capfd: pytest.CaptureFixture[str], saved: bool):
    if saved:
        (work / "out").write_text("done\n")
        assert said(capfd, "step", "--job", "J", "--tool", "t", "--output", "out")[0] == 0
    code, _, err = said(capfd, "verify", "nofile.json")
    assert code == 2
    assert "there is no file 'nofile.json'" in err


def test_a_place_that_never_was(work: Path, capfd: pytest.CaptureFixture[str]):
    code, _, err = said(capfd, "list", "--cwd", "/nonexistent/place")
    assert code == 2
    assert "/nonexistent/place is no directory, and no session worked there" in err
    (work / "a.py").unlink()
    work.rmdir()
    code, out, _ = said(capfd, "list", "--cwd", str(work))  # gone, and somebody worked there
    assert (code, SESSION[:8] in out) == (0, True)
