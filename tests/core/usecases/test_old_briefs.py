"""Briefs of started sessions go when nobody reads them any more, and nothing else goes with them."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from refloat.model.attempts import Attempt
from refloat.model.own_files import MARK
from refloat.model.saving import Runner
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp, later, seconds_of
from refloat.usecases.hold_session import Holder
from refloat.usecases.old_briefs import OLD, remove_old_briefs

NOW = Stamp("2026-09-14T12:00:00.000Z")
LONG_AGO = later(NOW, -OLD - 60)
PARENT, CHILD = SessionName("codex:1"), SessionName("codex:2")
AGENT = Runner("here", 7, "1")


def holder(*, runs: bool | None = False) -> Holder:
    return Holder("ana@here", "human:ana", Runner("here", 1, "0"), lambda one: runs)


def made(directory: Path, text: str = f"# Handoff\n\n{MARK}}} -->\n", at: Stamp = LONG_AGO) -> Path:
    path = directory / "codex_1-20260101.md"
    path.write_text(text)
    os.utime(path, (seconds_of(at), seconds_of(at)))
    return path


def attempt(path: Path, **more: object) -> Attempt:
    base = Attempt("1", PARENT, CHILD, "new", "codex", "/src", "ana@here", "codex", str(path), None, LONG_AGO)
    return replace(base, **{"runner": AGENT, "ended": LONG_AGO, **more})


def test_an_old_one_goes(tmp_path: Path) -> None:
    path = made(tmp_path)
    other = tmp_path / "notes.md"
    other.write_text("mine")
    assert remove_old_briefs(tmp_path, [attempt(path)], holder(), NOW) == (path,)
    assert list(tmp_path.iterdir()) == [other]


@pytest.mark.parametrize("runs", [True, None])
def test_one_without_an_end_stays_as_long_as_its_process_may_run(tmp_path: Path, runs: bool | None) -> None:
    path = made(tmp_path)
    assert remove_old_briefs(tmp_path, [attempt(path, ended=None)], holder(runs=runs), NOW) == ()
    assert remove_old_briefs(tmp_path, [attempt(path, ended=None)], holder(), NOW) == (path,)


def test_one_whose_session_was_taken_up_since_stays(tmp_path: Path) -> None:
    path = made(tmp_path)
    again = replace(attempt(path), id="2", parent=CHILD, child=CHILD, operation="continue", brief=None, ended=NOW)
    assert remove_old_briefs(tmp_path, [attempt(path), again], holder(), NOW) == ()


def test_a_young_one_and_one_that_ended_lately_stay(tmp_path: Path) -> None:
    path = made(tmp_path, at=NOW)
    assert remove_old_briefs(tmp_path, [attempt(path)], holder(), NOW) == ()
    assert remove_old_briefs(tmp_path, [attempt(made(tmp_path), ended=NOW)], holder(), NOW) == ()


def test_what_refloat_did_not_write_there_stays(tmp_path: Path) -> None:
    briefs, elsewhere = tmp_path / "briefs", tmp_path / "work"
    briefs.mkdir()
    elsewhere.mkdir()
    own, written_over = made(elsewhere), made(briefs, "# My own words\n")
    link = briefs / "link.md"
    link.symlink_to(own)
    named = [attempt(path) for path in (own, written_over, link, briefs / "gone.md", Path("x\0y"))]
    assert remove_old_briefs(briefs, named, holder(), NOW) == ()
    assert own.exists()
    assert written_over.exists()
    assert link.is_symlink()
