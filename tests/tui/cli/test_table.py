"""Small tables, in columns for a person and whole for a pipe; and the one sentence on standard error."""

import pytest

from refloat_tui.cli import err
from refloat_tui.cli.show.table import columns, labelled

PATH = f"/home/ana/.codex/sessions/2026/{'d/' * 40}rollout-01a22789-1049.jsonl"


def test_a_path_is_whole_in_a_pipe_and_broken_only_for_who_reads_in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert any(PATH in line for line in labelled("original", f"{PATH}  (is never written to)", 100))
    monkeypatch.setenv("COLUMNS", "100")
    assert all(len(line) <= 100 for line in labelled("original", f"{PATH}  (is never written to)", 100))


def test_a_row_goes_on_below_itself_where_there_is_no_room_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("step 9", "ok", "exit 0", "unknown_tree", "pytest -q tests"), ("step 10", "", "", "current", "x" * 80)]
    monkeypatch.setenv("COLUMNS", "40")
    first, second = columns(rows, 40)
    assert first == "  step 9  ok  exit 0  unknown_tree\n    pytest -q tests"
    assert second == f"  step 10  current\n    {'x' * 35}…"
    monkeypatch.delenv("COLUMNS")
    assert [line.count("\n") for line in columns(rows, 40)] == [0, 0], "a pipe gets whole lines"


def test_a_bell_before_a_sentence_is_rung_and_never_spelled(capsys: pytest.CaptureFixture[str]) -> None:
    err.say("\aben@vm took it meanwhile")
    assert capsys.readouterr().err == "refloat: ben@vm took it meanwhile\n"
