"""The last page of the wizard: where the brief goes, what it replaces, what it shows."""

import os
from dataclasses import replace
from pathlib import Path

from tests.tui.operated import FakeOperations
from tests.tui.waiting import until

from refloat.model.recovery import Page
from refloat.testing.samples import crashed
from refloat_tui.operations import Asked
from refloat_tui.screens.confirm import Confirm
from refloat_tui.screens.operation import OperationScreen
from refloat_tui.screens.text import TextScreen

from .test_wizard import OTHERS, wizard, written


async def test_nobody_is_asked_about_a_file_that_may_not_be_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "HANDOFF.md")
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press(*["enter"] * 8)
        assert not isinstance(desk.app.screen, Confirm)
        await until(desk.pilot, lambda: "named pipe" in desk.told())
    assert (tmp_path / "HANDOFF.md").is_fifo()


async def test_a_file_is_replaced_only_on_a_yes(tmp_path: Path) -> None:
    (tmp_path / "HANDOFF.md").write_text("precious")
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press(*["enter"] * 8)
        assert isinstance(desk.app.screen, Confirm)
        await desk.press("enter")
        assert written(tmp_path) == "precious", "whoever presses enter through the pages agrees to no loss"
        assert "nothing was written" in desk.told()
        await desk.press("w", "enter", "n")
        assert written(tmp_path) == "precious"
        await desk.press("w", "enter", "y")
        assert written(tmp_path).startswith("# Round prices")


async def test_before_the_brief_of_another_session_is_replaced_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "HANDOFF.md").write_text(OTHERS)
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press(*["enter"] * 8)
        assert isinstance(desk.app.screen, Confirm)
        seen = " ".join(desk.seen().replace("▌", " ").split())
        assert "is the brief of another session, codex:other. Replace it?" in seen
        await desk.press("enter")
        assert written(tmp_path) == OTHERS


async def test_another_path_can_be_typed_and_the_next_session_reads_it(tmp_path: Path) -> None:
    operations = FakeOperations(lambda offer: replace(offer, window=True))
    async with wizard(tmp_path, (80, 24), operations=operations) as desk:
        await desk.press(*["enter"] * 6, "w")
        await desk.press(*["backspace"] * len("HANDOFF.md"))
        await desk.type("next.md")
        await desk.press("enter")
        assert (tmp_path / "next.md").exists()
        assert not (tmp_path / "HANDOFF.md").exists()
        await desk.press("n")
        question = desk.app.screen
        assert isinstance(question, OperationScreen)
        await until(desk.pilot, lambda: question.phase == "asking")
        await desk.press("y")
        assert desk.copied == ["claude 'Read HANDOFF.md and continue from it.'"]
        assert operations.done == []
        await desk.press("enter")
        await until(desk.pilot, lambda: desk.app.screen is desk.wizard)
        assert operations.done == [("window", Asked("new", crashed().session.name, brief=tmp_path / "next.md"))]
        assert "it goes on in tmux window" in desk.told()


async def test_without_a_way_to_start_one_the_key_says_so(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press(*["enter"] * 6, "n")
        assert "Nothing can be started" in desk.told()


async def test_a_path_that_cannot_be_written_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press(*["enter"] * 6, "w")
        await desk.type("/no/such/place")
        await desk.press("enter")
        assert desk.page is Page.BRIEF
        assert "could not be written" in desk.told()


async def test_a_brief_that_changed_since_is_written_again_before_leaving(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press(*["enter"] * 8)
        await desk.press("a")
        await desk.type("late")
        await desk.press("enter", "enter")
        assert desk.wizard.words.is_open
        await desk.press("enter", "y", "enter")
        assert "late (ana@harbour)" in written(tmp_path)
        assert desk.app.return_value is not None


async def test_a_line_taken_out_comes_back(tmp_path: Path) -> None:
    async with wizard(tmp_path, (120, 40)) as desk:
        await desk.press(*["enter"] * 6, "down", "down", "down", "x")
        assert desk.wizard._written is not None
        assert "Original process" not in desk.wizard._written.markdown
        assert "Original process" in desk.seen()
        await desk.press("u")
        assert "Original process: gone (verified)" in desk.wizard._written.markdown
        assert desk.wizard._recovery is not None
        assert desk.wizard._recovery.given.edits["previous_attempt"] == ()


async def test_copying_takes_the_whole_brief(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press(*["enter"] * 6, "y")
        assert desk.wizard._written is not None
        assert desk.copied == [desk.wizard._written.markdown]


async def test_the_last_page_shows_what_is_masked_and_what_will_age(tmp_path: Path) -> None:
    async with wizard(tmp_path, (120, 40)) as desk:
        await desk.press("v")
        assert not isinstance(desk.app.screen, TextScreen)
        await desk.press(*["enter"] * 6, "v")
        assert isinstance(desk.app.screen, TextScreen)
        seen = desk.seen()
        assert "2 places, 1 value" in seen
        assert "GitHub token, 40 characters  line 9, Previous attempt" in seen
        assert "(the value of line 9 again)" in seen
        assert "commit 9c0e2b1f4d5a" in seen
        await desk.press("escape")
        assert desk.page is Page.BRIEF


async def test_the_brief_stands_beside_where_there_is_room_and_behind_b_elsewhere(tmp_path: Path) -> None:
    async with wizard(tmp_path, (120, 40)) as desk:
        assert "The brief so far" in desk.seen()
        await desk.pilot.resize_terminal(80, 24)
        await until(desk.pilot, lambda: "The brief so far" not in desk.seen())
        await desk.press("b")
        assert isinstance(desk.app.screen, TextScreen)
        assert "What is established" in desk.seen()
        await desk.press("escape", "enter")
        assert desk.page is Page.HAPPENED
        await desk.pilot.resize_terminal(200, 60)
        await until(desk.pilot, lambda: "The brief so far" in desk.seen())
        assert desk.page is Page.HAPPENED


async def test_the_brief_beside_grows_with_the_answers(tmp_path: Path) -> None:
    async with wizard(tmp_path, (120, 40)) as desk:
        await desk.press("enter", "enter")
        assert "❯" not in desk.seen()
        await desk.press("space")
        assert "❯ src/settings.py" in desk.seen()  # the sign of a person's line
