"""`refloat attach` on the command line: what is printed, and how it ends."""

import json
from pathlib import Path

import pytest

from refloat.model.session import SessionName
from refloat.model.terminals import Attachment, NoWay, Way, Whereabouts
from refloat_tui.cli.commands import attach as command
from refloat_tui.cli.parser import run

NAME = SessionName("claude-code:5f0c1d2e-0000-4000-8000-000000000001")
PLACE = Whereabouts(
    "tmux", 12, "in tmux /s, session \x1b[31mwork, window 0, pane 0", "pts/3", "/s", "%0", notes=("a note",)
)
GOES = ("tmux", "-S", "/s", "select-pane", "-t", "%0", ";", "attach-session", "-t", "$0")
WAY = Way((("zellij", "x"), GOES), takes_terminal=True, notes=("another",))
TOKEN = "gh" + "p_" + "a1B2c3D4e5" * 4


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Attachment]:
    """The plan that is made for whatever is asked."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    plans = {"plan": Attachment(NAME, "/w", PLACE, WAY, None)}
    monkeypatch.setattr(command, "plan_attach", lambda *_, **__: plans["plan"])  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] - of a test
    return plans


def test_a_dry_run_prints_the_commands_whole(planned: dict[str, Attachment], capfd: pytest.CaptureFixture[str]) -> None:
    assert planned
    assert run(["attach", "last", "--dry-run"]) == 0
    out, _ = capfd.readouterr()
    assert "run       $ zellij x\n          $ tmux -S /s select-pane -t %0 ';' attach-session -t '$0'\n" in out
    assert "session \\x1b[31mwork" in out
    assert "note      a note" in out


def test_the_keys_of_its_json(planned: dict[str, Attachment], capfd: pytest.CaptureFixture[str]) -> None:
    assert planned
    assert run(["attach", "last", "--dry-run", "--json"]) == 0
    out, _ = capfd.readouterr()
    told = json.loads(out)
    assert list(told) == [
        "schema", "session", "command", "before", "workspace", "refused", "place", "notes", "screen",
    ]  # fmt: skip
    assert told["command"] == list(GOES)
    assert told["before"] == [["zellij", "x"]]
    assert told["refused"] is None
    assert told["notes"] == ["a note", "another"]
    assert "\x1b" not in out


def test_a_refusal_is_an_answer(planned: dict[str, Attachment], capfd: pytest.CaptureFixture[str]) -> None:
    planned["plan"] = Attachment(NAME, None, None, None, NoWay("ana@devbox is recovering this", "ana@devbox"))
    assert run(["attach", "last"]) == 1
    out, err = capfd.readouterr()
    assert (out, err) == ("", "refloat: ana@devbox is recovering this\n")
    assert run(["attach", "last", "--json"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert told["refused"] == {"why": "ana@devbox is recovering this", "holder": "ana@devbox"}
    assert told["command"] is None
    assert run(["attach", "last", "--dry-run"]) == 1
    assert "REFUSED   ana@devbox is recovering this" in capfd.readouterr().out


def test_without_a_terminal_the_command_is_told(
    planned: dict[str, Attachment], capfd: pytest.CaptureFixture[str]
) -> None:
    planned["plan"] = Attachment(NAME, "/w", PLACE, Way((GOES,), takes_terminal=True), None)
    assert run(["attach", "last"]) == 1
    assert "there is no terminal here to show it in" in capfd.readouterr().err


def test_a_screen_is_masked_and_inert(planned: dict[str, Attachment], capfd: pytest.CaptureFixture[str]) -> None:
    planned["plan"] = Attachment(NAME, "/w", PLACE, WAY, None, screen=(f"token {TOKEN}", "\x1b]0;x\x07two"))
    assert run(["attach", "last", "--peek"]) == 0
    out, err = capfd.readouterr()
    assert TOKEN not in out
    assert "\\x1b]0;x\\x07two\n" in out
    assert "this is shown in tmux /s" in err
    assert run(["attach", "last", "--peek", "--json"]) == 0
    out, _ = capfd.readouterr()
    assert TOKEN not in out
    assert len(json.loads(out)["screen"]) == 2
    assert run(["attach", "last", "--peek", "--json", "--show-secrets"]) == 0
    assert TOKEN in capfd.readouterr().out


def test_a_screen_that_cannot_be_read(planned: dict[str, Attachment], capfd: pytest.CaptureFixture[str]) -> None:
    assert planned
    assert run(["attach", "last", "--peek"]) == 1
    assert "cannot be read" in capfd.readouterr().err
    assert run(["attach", "last", "--peek", "--json"]) == 1
    assert json.loads(capfd.readouterr().out)["screen"] is None
