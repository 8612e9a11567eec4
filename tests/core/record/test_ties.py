"""Ties of directories to jobs, and steps that are told twice: on both engines."""

from pathlib import Path

import pytest

from refloat.errors import NotDone, UsageError
from refloat.model.saving import Ending, Opening
from refloat.model.stamp import Stamp
from refloat.record.backup import back_up
from refloat.record.chain import add_step, add_step_once
from refloat.record.checking import verify_job
from refloat.record.contents import hold
from refloat.record.store import Record, open_record
from refloat.record.ties import Tie, find_tie, find_ties, tie, untie
from refloat.usecases.tie_job import tie_job, untie_job

NOW = Stamp("2026-09-14T14:00:00.000Z")
OPENING = Opening("job", "claude-code:s", "Bash", "make", "hook", NOW, automatic=True)
ENDING = Ending("ok", NOW)


def ties(record: Record, host: str = "here") -> dict[str, str]:
    return {each.workspace: each.job for each in find_ties(record, host)}


def test_the_nearest_directory_counts(record: Record) -> None:
    for place, job in (("/srv", "outer"), ("/srv/app", "inner"), ("/", "all")):
        tie(record, "here", Tie(place, job, "human:ada", NOW))
    tie(record, "elsewhere", Tie("/srv/app/x", "other", "human:ada", NOW))
    for places, job in (
        (["/srv/app/x"], "inner"),
        (["/srv/application"], "outer"),
        (["/opt"], "all"),
        (["/srv/app", "/srv"], "inner"),
    ):
        found = find_tie(record, "here", places)
        assert found is not None
        assert found.job == job
    assert find_tie(record, "elsewhere", ["/srv/app"]) is None
    assert find_tie(record, "here", []) is None


def test_a_tie_is_replaced_and_taken_away(record: Record) -> None:
    tie(record, "here", Tie("/srv", "a", "human:ada", NOW))
    tie(record, "here", Tie("/srv", "b", "human:ada", NOW))
    assert ties(record) == {"/srv": "b"}
    assert untie(record, "here", "/srv")
    assert not untie(record, "here", "/srv")
    assert ties(record) == {}


def test_a_directory_is_tied_where_it_really_lies(record: Record, tmp_path: Path) -> None:
    (tmp_path / "real" / "below").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    tie_job(record, "here", "job", tmp_path / "link", "human:ada", NOW)
    assert ties(record) == {str(tmp_path / "real"): "job"}
    with pytest.raises(NotDone, match=r"above it is tied to job"):
        untie_job(record, "here", tmp_path / "real" / "below")
    assert untie_job(record, "here", tmp_path / "link") == str(tmp_path / "real")
    with pytest.raises(UsageError, match="no directory"):
        tie_job(record, "here", "job", tmp_path / "gone", "human:ada", NOW)
    with pytest.raises(UsageError, match="printable"):
        tie_job(record, "here", "a\nb", tmp_path, "human:ada", NOW)


def test_a_step_told_twice_is_one(record: Record) -> None:
    first = add_step_once(record, "a" * 32, OPENING, ENDING, hold(b"in"), hold(b"out"))
    assert first is not None
    assert add_step_once(record, "a" * 32, OPENING, ENDING, hold(b"in"), hold(b"other")) is None
    assert add_step(record, OPENING, ENDING).row["seq"] == 2
    found = verify_job(record, "job")
    assert (found.ok, found.checked) == (True, 2)


def test_ties_are_in_a_backup(record: Record, tmp_path: Path) -> None:
    tie(record, "here", Tie("/srv", "a", "human:ada", NOW))
    copy = tmp_path / "copy" / "record.db"
    copy.parent.mkdir()
    back_up(record, copy, NOW)
    with open_record(copy.parent, NOW) as restored:
        assert ties(restored) == {"/srv": "a"}
