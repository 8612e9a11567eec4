"""Other sessions: asked for only where something is to be owned, read once as long as they stay as they are."""

import os
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from refloat.catalogue.peek import FILE
from refloat.catalogue.store import Catalogue
from refloat.errors import Unreadable
from refloat.machine.git import HardenedGit
from refloat.model.checkout import Checkout, Fate, Owner
from refloat.model.stamp import later
from refloat.model.story import Story
from refloat.readers.contract import Found, Reader
from refloat.readers.registry import load
from refloat.testing.claude_talk import ClaudeTalk
from refloat.testing.fakes import fake_machine
from refloat.usecases import memory, neighbours, sighting
from refloat.usecases.examine import examine_checkout
from refloat.usecases.find_sessions import Finder, resolve
from refloat.usecases.memory import Memory
from refloat.usecases.neighbours import catch_up
from refloat.usecases.sighting import Sighting
from refloat.usecases.workbench import Workbench

OWN, OTHER = (f"5f0c1d2e-0000-4000-8000-00000000000{n}" for n in (1, 2))


class Counting(Memory):
    """Notes which records it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def read(self, reader: Reader, found: Found) -> Story:
        self.asked.append(found.session_id)
        return super().read(reader, found)


class Town:
    """Two sessions that edited one file of a checkout, the second after the first."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.work = directory, directory / "work"
        self.work.mkdir()
        self.git("init", "-q", "-b", "main")
        (self.work / "a.py").write_text("one\ntwo\nthree\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "start")
        self.memory = Counting()
        environment = {"PATH": os.environ["PATH"]}
        machine = fake_machine(directory, environment=environment)
        machine = replace(machine, git=HardenedGit(machine.places))
        self.bench = Workbench(machine, [load("claude-code")], memory=self.memory)
        self.other = self.edit(OTHER, "three", "drei", minutes=10)
        self.edit(OWN, "two", "zwei")

    def git(self, *words: str) -> None:
        named = {f"GIT_{who}_{what}": "ada@x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.directory), "GIT_CONFIG_NOSYSTEM": "1"} | named
        subprocess.run(["git", *words], cwd=self.work, env=environment, check=True, capture_output=True)

    def edit(self, session: str, old: str, new: str, *, minutes: int = 0) -> ClaudeTalk:
        """The session replaces a line; its record is written."""
        talk = ClaudeTalk(session, str(self.work))
        talk.clock = 60 * minutes
        talk._made = 1000 * minutes  # rows of its own: it would be a copy
        talk.prompt("Make it so")
        path = self.work / "a.py"
        before = path.read_text()
        path.write_text(before.replace(old, new))
        asked = {"file_path": str(path), "old_string": old, "new_string": new}
        talk.call("Edit", "toolu_1", **asked)
        talk.result("toolu_1", "done", {"filePath": str(path), "originalFile": before, **asked})
        talk.write(self.directory / "home" / ".claude" / "projects" / "p")
        return talk

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "done")

    def look(self) -> Checkout:
        return examine_checkout(self.bench, resolve(self.bench, OWN, self.work))[1]


@pytest.fixture
def town(tmp_path: Path) -> Town:
    return Town(tmp_path)


def test_nobody_asks_for_others_where_the_work_stands_in_a_clean_checkout(town: Town) -> None:
    town.commit()
    assert [edit.fate for edit in town.look().files[0].edits] == [Fate.COMMITTED]
    assert town.memory.asked == []


def test_where_a_place_is_dirty_the_other_is_asked_and_owns_its_own(town: Town) -> None:
    (file,) = town.look().files
    assert {hunk.owner for hunk in file.hunks} <= {Owner.THIS_SESSION, Owner.OTHER_SESSION, Owner.MIXED}
    assert town.memory.asked == [OTHER]


def test_work_that_is_gone_was_replaced_by_the_other(town: Town) -> None:
    town.edit(OTHER, "zwei", "2", minutes=10)
    town.commit()
    (edit,) = town.look().files[0].edits
    assert (edit.fate, edit.by) == (Fate.REPLACED, f"claude-code:{OTHER}")


def test_what_could_not_be_looked_through_is_told_only_where_somebody_looked(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refloat.usecases.neighbours._CATCH_UP", 0)
    assert any("not read yet" in warned.what for warned in town.look().warnings)
    town.commit()
    assert not any("not read yet" in warned.what for warned in town.look().warnings)


def found_in(town: Town, session: str) -> tuple[Reader, Found]:
    return next(pair for pair in Finder(town.bench).sight().found if pair[1].session_id == session)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sessions whose records were opened."""
    from refloat.usecases import read_session

    opened: list[str] = []
    really: Callable[[Reader, Found], Story] = read_session.read_story

    def read_story(reader: Reader, found: Found) -> Story:
        opened.append(found.session_id)
        return really(reader, found)

    monkeypatch.setattr(read_session, "read_story", read_story)
    return opened


def test_a_record_is_read_again_once_it_has_changed(town: Town, reads: list[str]) -> None:
    kept = Memory()
    first = kept.read(*found_in(town, OTHER))
    assert kept.read(*found_in(town, OTHER)) is first
    assert reads == [OTHER]
    town.other.say("One thing more.")
    town.other.write(town.directory / "home" / ".claude" / "projects" / "p")
    kept.read(*found_in(town, OTHER))
    assert reads == [OTHER, OTHER]


def test_many_records_are_read_as_each_by_itself(town: Town, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [found_in(town, session) for session in (OTHER, OWN)]
    each = [Memory().read(*row) for row in rows]
    monkeypatch.setattr(memory, "_WORTH_SHARING", 1)
    kept = Memory()
    assert kept.read_all(rows) == each
    del reads[:]
    assert kept.read_all(rows) == each
    assert reads == []
    assert kept.read(*rows[0]) == each[0]


def test_of_many_records_the_first_that_cannot_be_read_is_told(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_WORTH_SHARING", 1)
    rows = [found_in(town, session) for session in (OWN, OTHER)]
    for _, found in rows:
        Path(found.files[0].path).write_bytes(b"\0" * 100)
    with pytest.raises(Unreadable, match=OWN):
        Memory().read_all(rows)


def test_what_was_used_longest_ago_is_forgotten(town: Town, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_MOST", 1_500)
    kept = Memory()
    for session in (OTHER, OWN, OWN, OTHER):
        kept.read(*found_in(town, session))
    assert reads == [OTHER, OWN, OTHER]


def test_nothing_of_an_output_is_remembered(town: Town) -> None:
    town.other.ran("rm -r build; cat secrets", "hunter2\n")
    town.other.ran("pytest -q", "3 passed\n")
    town.other.write(town.directory / "home" / ".claude" / "projects" / "p")
    story = Memory().read(*found_in(town, OTHER))
    assert [step.command for step in story.steps] == [None, "rm -r build; cat secrets"]
    assert "hunter2" not in repr(story)


def test_a_look_at_an_unchanged_disk_is_the_last_one_again(town: Town) -> None:
    catalogue = Catalogue.open(town.bench.machine.places.cache)
    assert catalogue is not None
    with catalogue:
        first = catch_up(town.bench, catalogue, 1 << 20)
        again = catch_up(town.bench, catalogue, 1 << 20)
        assert again.sighting is first.sighting
        assert again.left == 0
        town.other.say("One thing more.")
        town.other.write(town.directory / "home" / ".claude" / "projects" / "p")
        then = catch_up(town.bench, catalogue, 0)
        assert then.sighting is not first.sighting
        assert then.left > 0


def test_a_catalogue_that_lost_a_session_is_caught_up_with_again(town: Town) -> None:
    catalogue = Catalogue.open(town.bench.machine.places.cache)
    assert catalogue is not None
    with catalogue:
        catch_up(town.bench, catalogue, 1 << 20)
        first = catch_up(town.bench, catalogue, 1 << 20)  # knows what the other wrote
        assert catch_up(town.bench, catalogue, 1 << 20) is first
        catalogue.keep_copies([("/x", (1, 2, 3, 4), "row", True)])  # something was written, and nothing is missing
        same = catch_up(town.bench, catalogue, 1 << 20)
        assert (same.readings, same.by_name) == (first.readings, first.by_name)
        (path,) = [found.files[0].path for _, found in first.sighting.found if found.session_id == OTHER]
        catalogue.finish([], [], [], {}, forget=[path])
        assert catalogue.count() == first.readings - 1
        assert catch_up(town.bench, catalogue, 1 << 20).readings == first.readings
        assert catalogue.count() == first.readings


def test_what_is_known_of_files_is_not_asked_where_nothing_changed(town: Town) -> None:
    asked: list[int] = []

    def identities() -> sighting.Identities:
        asked.append(1)
        return {}

    first = sighting.sight(town.bench, identities)
    assert sighting.sight(town.bench, identities, first) is first
    assert asked == [1]


def test_the_look_that_found_a_session_serves_for_its_neighbours(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    located = resolve(town.bench, OWN, town.work)
    looks: list[object] = []
    really = sighting.sight

    def sight(*told: Any) -> Sighting:  # passed on as it came
        looks.append(told)
        return really(*told)

    monkeypatch.setattr(neighbours, "sight", sight)
    for _ in range(2):
        (file,) = examine_checkout(town.bench, located)[1].files
        assert file.owner is Owner.MIXED
    assert looks == []
    town.bench.memory.sighted = None  # long ago
    examine_checkout(town.bench, located)
    assert len(looks) == 1


def test_a_look_at_which_a_session_was_not_there_serves_it_nothing(town: Town) -> None:
    resolve(town.bench, OTHER, town.work)
    earlier = town.bench.memory.sighted
    located = resolve(town.bench, OWN, town.work)
    other = "5f0c1d2e-0000-4000-8000-000000000003"
    town.edit(other, "one", "eins", minutes=20)
    town.bench.memory.sighted = earlier
    town.memory.asked.clear()
    examine_checkout(town.bench, located)
    assert sorted(town.memory.asked) == sorted([other, OTHER])


def test_a_look_of_long_ago_serves_no_more(town: Town) -> None:
    located = resolve(town.bench, OWN, town.work)
    assert town.bench.memory.sighted is not None
    at, look = town.bench.memory.sighted
    other = "5f0c1d2e-0000-4000-8000-000000000003"
    town.edit(other, "one", "eins", minutes=20)
    for seconds, asked in ((-1, [OTHER]), (-60, [other, OTHER])):
        town.bench.memory.sighted = later(at, seconds), look
        town.memory.asked.clear()
        examine_checkout(town.bench, located)
        assert sorted(town.memory.asked) == sorted(asked)


def test_a_catalogue_that_was_thrown_away_is_filled_again(town: Town) -> None:
    located = resolve(town.bench, OWN, town.work)
    before = examine_checkout(town.bench, located)[1].files
    for kept in town.bench.machine.places.cache.glob("catalogue.db*"):
        kept.unlink()
    assert examine_checkout(town.bench, located)[1].files == before


@pytest.mark.parametrize("table", ["edited", "files", "readings"])
def test_a_catalogue_with_a_damaged_table_names_no_owner_too_few(town: Town, table: str) -> None:
    town.commit()
    town.edit(OTHER, "drei", "tres", minutes=10)
    town.edit(OWN, "one", "eins", minutes=20)  # the other one is over by then: the catalogue alone can name it
    owners = [(Owner.THIS_SESSION, f"claude-code:{OWN}"), (Owner.OTHER_SESSION, f"claude-code:{OTHER}")]

    def found(bench: Workbench) -> list[tuple[Owner, str | None]]:
        (file,) = examine_checkout(bench, resolve(bench, OWN, town.work))[1].files
        return [(hunk.owner, hunk.session) for hunk in file.hunks]

    assert found(town.bench) == owners
    path = town.bench.machine.places.cache / FILE
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        (size,) = raw.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    content[(root - 1) * size : root * size] = b"\xff" * size
    path.write_bytes(content)
    bench = Workbench(town.bench.machine, town.bench.readers)
    for _ in range(2):
        assert found(bench) == owners
