"""Lost work from the app: what would be written and where is said first, and nothing is written into the checkout."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.operated import FakeOperations
from tests.tui.test_desk import settle, words_of
from tests.tui.waiting import until

from refloat.errors import NotDone
from refloat.machine.real import real_machine
from refloat.model.salvage import Salvage, SalvagedFile
from refloat.model.session import SessionName
from refloat.testing.claude_talk import SESSION, ClaudeTalk
from refloat.usecases.open_bench import open_bench
from refloat_tui.bench_operations import BenchOperations
from refloat_tui.operations import Asked
from refloat_tui.present.offer_lines import salvaged_lines
from refloat_tui.present.offers import Target, salvage_offer
from refloat_tui.screens.operation import OperationScreen
from refloat_tui.theme import UNICODE

NAME = SessionName(f"claude-code:{SESSION}")
TEXT = "retries = 3\n"


def git(root: Path, *words: str) -> str:
    own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *own, *words], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Lost:
    """A checkout in which nothing is left of what a session wrote."""

    def __init__(self, place: Path, *, home_in_checkout: bool = False) -> None:
        self.root = place / "work"
        self.home = self.root / "home" if home_in_checkout else place / "home"
        self.temporary = place / "tmp"
        for directory in (self.root, self.home, self.temporary):
            directory.mkdir(exist_ok=True)
        git(self.root, "init", "-q")
        (self.root / ".gitignore").write_text("home\n")
        git(self.root, "add", ".")
        git(self.root, "commit", "-q", "-m", "start")
        talk = ClaudeTalk(cwd=str(self.root))
        talk.prompt("Set the retries and keep notes.")
        for number, path in enumerate([self.root / "settings.ini", place / "notes.md"]):
            talk.call("Write", f"toolu_{number}", file_path=str(path), content=TEXT)
            told = {
                "type": "create",
                "filePath": str(path),
                "content": TEXT,
                "structuredPatch": [],
                "originalFile": None,
            }
            talk.result(f"toolu_{number}", "File created", told)
        talk.say("Done.")
        talk.write(self.home / ".claude" / "projects" / "p")
        environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "TMPDIR": str(self.temporary)}
        self.operations = BenchOperations(open_bench(real_machine(environment)), self.root, ("refloat",))

    def tree(self) -> list[str]:
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*") if ".git/" not in str(path))


def test_it_is_said_where_the_patch_goes_and_a_yes_writes_it_outside_of_the_checkout(tmp_path: Path) -> None:
    lost = Lost(tmp_path)
    planned = lost.operations.plan(Asked("salvage", NAME))
    offer, before = planned.offer, lost.tree()
    patch = lost.home / f"refloat-salvage-{SESSION[:8]}.patch"
    assert not offer.refused
    assert offer.commands == (f"refloat salvage {NAME} --out {patch}",)
    assert any(str(patch) in line for line in offer.will)
    assert any(f"{patch}.files" in line for line in offer.will), "what lies outside of the repository stands beside"
    assert [(row.first, row.third) for row in offer.rows] == [
        ("in the patch", "settings.ini"),
        ("beside it", str(tmp_path / "notes.md")),
    ]
    assert not patch.exists(), "a look writes nothing"
    done = planned.salvage()
    assert done.written[0] == str(patch)
    assert patch.stat().st_mode & 0o777 == 0o600
    assert lost.tree() == before
    assert done.apply is not None
    subprocess.run(done.apply, shell=True, check=True)
    assert (lost.root / "settings.ini").read_text() == TEXT
    assert (Path(f"{patch}.files") / "outside" / str(tmp_path).lstrip("/") / "notes.md").read_text() == TEXT


def test_where_nothing_can_be_in_a_patch_none_is_promised(tmp_path: Path) -> None:
    found = Salvage(
        SessionName(NAME), str(tmp_path), "", (SalvagedFile("a.py", in_patch=False, why="x", beside=b"a"),), 0
    )
    offer = salvage_offer(Asked("salvage", NAME), "A", found, Target("/home/ana/l.patch"))
    assert offer.question == "Write the lost work of “A” into files: no patch can hold it?"
    assert [line.split(",")[0] for line in offer.will] == [
        "write /home/ana/l.patch.files",
        "write /home/ana/l.patch.files.txt",
    ]
    assert offer.will_not[0] == "write /home/ana/l.patch itself: nothing can be in that patch"
    assert [row.first for row in offer.rows] == ["as a file"]


def test_of_a_folder_that_is_gone_it_is_said_how_its_patch_is_taken(tmp_path: Path) -> None:
    lost = Lost(tmp_path)
    shutil.rmtree(lost.root)
    done = lost.operations.plan(Asked("salvage", NAME)).salvage()
    assert (done.apply, done.gone) == (None, str(lost.root))
    told = " ".join(text for line in salvaged_lines(done, str(lost.home)) for text, _ in line.text)
    assert f"{lost.root} is gone: `git apply` makes its files anew in an empty directory" in told


def test_only_what_would_be_written_stands_in_the_way(tmp_path: Path) -> None:
    """As `refloat salvage` has it: of a patch alone no list of reasons is written."""
    lost = Lost(tmp_path)
    (tmp_path / "notes.md").write_text(TEXT)
    out = lost.home / "mine.patch"
    out.with_name("mine.patch.files.txt").write_text("another one's")
    found = lost.operations.plan(Asked("salvage", NAME, out=str(out)))
    needed = any(row.first != "in the patch" for row in found.offer.rows)
    assert found.offer.refused == needed


def test_a_second_patch_takes_another_name_and_a_named_one_replaces_nothing(tmp_path: Path) -> None:
    lost = Lost(tmp_path)
    lost.operations.plan(Asked("salvage", NAME)).salvage()
    second = lost.operations.plan(Asked("salvage", NAME))
    assert not second.offer.refused
    assert second.salvage().written[0].endswith(f"-{SESSION[:8]}-2.patch")
    there = lost.operations.plan(Asked("salvage", NAME, out=f"~/refloat-salvage-{SESSION[:8]}.patch"))
    assert there.offer.refused
    assert "is there already" in there.offer.guard
    with pytest.raises(NotDone):
        there.salvage()


def test_where_home_is_in_the_checkout_the_patch_goes_elsewhere(tmp_path: Path) -> None:
    lost = Lost(tmp_path, home_in_checkout=True)
    written = lost.operations.plan(Asked("salvage", NAME)).salvage().written
    assert written[0].startswith(f"{lost.temporary}/refloat-salvage-")
    assert not list(lost.root.rglob("*.patch*"))


def test_a_file_in_the_checkout_is_written_only_when_it_is_named_and_then_that_is_told(tmp_path: Path) -> None:
    lost = Lost(tmp_path)
    offer = lost.operations.plan(Asked("salvage", NAME, out=str(lost.root / "lost.patch"))).offer
    assert not offer.refused
    assert any("in the checkout itself" in note for note in offer.notes)
    among = lost.operations.plan(Asked("salvage", NAME, out="~/.claude/projects/p/lost.patch")).offer
    assert among.refused
    assert "among the records" in among.guard


def test_what_moved_between_the_look_and_the_yes_is_another_yes(tmp_path: Path) -> None:
    lost = Lost(tmp_path)
    before = lost.operations.plan(Asked("salvage", NAME)).offer
    assert lost.operations.plan(Asked("salvage", NAME)).offer.rests_on == before.rests_on
    (lost.root / "settings.ini").write_text(TEXT)
    assert lost.operations.plan(Asked("salvage", NAME)).offer.rests_on != before.rests_on
    (tmp_path / "notes.md").write_text(TEXT)
    nothing = lost.operations.plan(Asked("salvage", NAME)).offer
    assert nothing.refused
    assert "nothing" in nothing.guard


async def test_the_app_asks_writes_and_hands_the_command_that_applies_it() -> None:
    operations = FakeOperations()
    async with make_app(FakeLibrary(some_sessions())).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        screen = OperationScreen(operations, Asked("salvage", NAME), glyphs=UNICODE, home="/home/ana")
        pilot.app.push_screen(screen)
        await until(pilot, lambda: screen.phase == "asking")
        footer = words_of(pilot.app).splitlines()[-1]
        assert "enter yes" in footer
        assert "enter open" not in footer
        assert operations.done == []
        await pilot.press("enter")
        await until(pilot, lambda: screen.phase == "done")
        words = words_of(pilot.app)
        assert "WROTE     ~/refloat-salvage-5d.patch" in words
        assert "APPLY     git -C /home/ana/shop apply" in words
        await pilot.press("y")
        assert pilot.app.clipboard == "git -C /home/ana/shop apply refloat-salvage-5d.patch"
