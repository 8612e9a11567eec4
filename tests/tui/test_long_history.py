"""Stories of a transcript that is too long to be held: its history is there at once, and the rest when it was read."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.waiting import until
from textual.pilot import Pilot

from refloat.model.long import Ask, Stretch
from refloat.model.session import SessionName
from refloat.model.transcript import Outcome
from refloat.readers.contract import Found, Segment, SourceFile
from refloat.readers.registry import load
from refloat.testing.claude_talk import ClaudeTalk
from refloat.usecases import long_history
from refloat.usecases.long_history import LongHistory
from refloat_tui.library import HUGE, LONG, Stop
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.search import Goal
from refloat_tui.widgets.detail import Detail
from refloat_tui.widgets.history_pane import HistoryPane
from refloat_tui.widgets.item_list import ItemList

TURNS = 200


def talk(turns: int = TURNS) -> ClaudeTalk:
    made = ClaudeTalk()
    for turn in range(turns):
        made.prompt(f"Do part {turn}")
        made.ran(f"pytest -q part{turn}", "out", 1 if turn % 100 == 50 else 0)
    made.prompt("Push it")
    made.call("Bash", "push", command="git push origin main")
    return made


class Long:
    """A desk on one long session."""

    def __init__(self, directory: Path, size: int) -> None:
        self.talk = talk()
        self.path = self.talk.write(directory)
        stat = self.path.stat()
        file = SourceFile(str(self.path), stat.st_size, stat.st_mtime_ns, inode=stat.st_ino, device=stat.st_dev)
        [(session, sample)] = some_sessions()[:1]
        session = replace(session, transcript=replace(session.transcript, bytes=size))
        self.name: SessionName = session.name
        self.library = FakeLibrary([(session, sample)])
        self.library.gate = threading.Event()
        self.library.patience = 80
        self.history = LongHistory(load("claude-code"), Found("claude-code", "s", (Segment(file),)))
        self.library.long[session.name] = self.history

    def grow(self, *words: str) -> None:
        for said in words:
            self.talk.prompt(said)
        self.talk.write(self.path.parent)
        session = self.library.all[self.name]
        turn = replace(session, turns=session.turns + 1, steps=session.steps + 1)
        self.library.all[self.name] = replace(
            turn, transcript=replace(session.transcript, bytes=session.transcript.bytes + 100)
        )
        self.library.tell()


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - used by pytest
    monkeypatch.setattr(long_history, "_WINDOW", 15_000)


def pane_of(pilot: Pilot[str]) -> HistoryPane:
    return pilot.app.screen.query_one(HistoryPane)


def is_reading(pilot: Pilot[str]) -> bool:
    """Whether a stretch of the history is on its way."""
    return any(worker.group == "stretch" and not worker.is_finished for worker in pilot.app.workers)


def words_under(pilot: Pilot[str]) -> str:
    if not pilot.app.screen.query(ItemList):
        return ""
    item = pane_of(pilot).list.cursor_item
    return "" if item is None else item.step.summary if item.step else item.text or ""


async def shown(pilot: Pilot[str], words: str) -> None:
    await until(pilot, lambda: words_under(pilot) == words)


async def look(pilot: Pilot[str]) -> None:
    """Go to the history."""
    await pilot.press("2")
    await until(pilot, lambda: pane_of(pilot).list.has_focus and pane_of(pilot).stretch is not None)


async def test_the_end_is_there_while_the_rest_is_read(tmp_path: Path):
    long = Long(tmp_path, LONG)
    async with make_app(long.library).run_test(size=(120, 30)) as pilot:
        await shown(pilot, "git push origin main")
        detail = pilot.app.screen.query_one(Detail)
        assert detail.opened is None
        assert "Reading" in str(detail.pane("triage").said.visual)
        rows = pane_of(pilot).list.rows
        assert 20 < len(rows) < TURNS
        assert long.library.gate is not None
        long.library.gate.set()
        await until(pilot, lambda: detail.opened is not None)
        assert not pane_of(pilot).is_long


async def test_a_huge_one_is_read_whole_only_when_a_person_says_so(tmp_path: Path):
    long = Long(tmp_path, HUGE)
    assert long.library.gate is not None
    long.library.gate.set()
    async with make_app(long.library).run_test(size=(120, 30)) as pilot:
        await shown(pilot, "git push origin main")
        detail = pilot.app.screen.query_one(Detail)
        await until(pilot, lambda: "ctrl+r" in str(detail.pane("triage").said.visual))
        assert long.library.asked == []
        await pilot.press("ctrl+r")
        await until(pilot, lambda: detail.written is not None)


async def test_up_and_down_through_all_of_it(tmp_path: Path):
    long = Long(tmp_path, HUGE)
    async with make_app(long.library).run_test(size=(120, 30)) as pilot:
        await shown(pilot, "git push origin main")
        await look(pilot)
        await pilot.press("g")
        await shown(pilot, "Do part 0")
        most = 0
        for _ in range(2 * TURNS):
            await pilot.press("pagedown")
            await until(pilot, lambda: not is_reading(pilot))
            most = max(most, len(pane_of(pilot).list.rows))
            stretch = pane_of(pilot).stretch
            assert stretch is not None
            assert len(stretch.windows) <= 3
            if words_under(pilot) == "git push origin main":
                break
        await shown(pilot, "git push origin main")
        assert most < 2 * TURNS, (
            "of all that there are, three windows are held, and one that is read backwards is longer"
        )
        for part in (199, 198, 197):
            await pilot.press("up", "up")
            await shown(pilot, f"pytest -q part{part}")


async def test_ways_to_the_crash_the_next_trouble_a_step_an_item_and_a_part(tmp_path: Path):
    long = Long(tmp_path, HUGE)
    async with make_app(long.library).run_test(size=(120, 30)) as pilot:
        await shown(pilot, "git push origin main")
        await look(pilot)
        await pilot.press("N")
        await shown(pilot, "pytest -q part150")
        await pilot.press("N")
        await shown(pilot, "pytest -q part50")
        await pilot.press("n")
        await shown(pilot, "pytest -q part150")
        await pilot.press("x")
        await shown(pilot, "git push origin main")
        await until(pilot, lambda: pane_of(pilot).stretch is not None and long.history.is_numbered)
        for typed, words in (("1", "Do part 0"), ("s31", "pytest -q part30"), ("401", "Push it")):
            await pilot.press("i", *typed, "enter")
            await shown(pilot, words)
        await pilot.press("i", "5", "0", "%", "enter")
        await until(pilot, lambda: words_under(pilot).startswith(("Do part 9", "Do part 1", "pytest -q part")))
        item = pane_of(pilot).list.cursor_item
        assert item is not None
        assert 150 < item.n < 250


async def test_items_get_their_numbers_when_all_was_read(tmp_path: Path):
    long = Long(tmp_path, HUGE)
    async with make_app(long.library).run_test(size=(120, 30)) as pilot:
        await shown(pilot, "git push origin main")

        def number() -> int:
            item = pane_of(pilot).list.cursor_item
            return item.n if item is not None else 0

        await until(pilot, lambda: number() == 2 * TURNS + 2)


async def test_a_filter_finds_what_fits_further_up(tmp_path: Path):
    long = Long(tmp_path, HUGE)
    async with make_app(long.library).run_test(size=(120, 30)) as pilot:
        await shown(pilot, "git push origin main")
        await look(pilot)
        for _ in range(6):
            await pilot.press("f")

        def outcomes() -> list[Outcome]:
            spots = pane_of(pilot).stretch
            return [spot.item.step.outcome for spot in spots.spots if spot.item.step] if spots else []

        await until(pilot, lambda: outcomes() == [Outcome.ERROR] * 2 + [Outcome.DANGLING])


async def test_growth_is_followed_at_the_end(tmp_path: Path):
    long = Long(tmp_path, HUGE)
    async with make_app(long.library).run_test(size=(120, 30)) as pilot:
        await shown(pilot, "git push origin main")
        await look(pilot)
        await until(pilot, lambda: pane_of(pilot).stretch is not None)
        long.grow("And one more", "And another")
        await shown(pilot, "And another")


async def test_a_search_hit_is_shown_before_there_are_numbers(tmp_path: Path):
    long = Long(tmp_path, LONG)
    lines = long.path.read_bytes().splitlines()
    line = next(at for at, row in enumerate(lines, 1) if b"Do part 77" in row)
    async with make_app(long.library).run_test(size=(120, 30)) as pilot:
        await shown(pilot, "git push origin main")
        await until(pilot, lambda: long.history.ask(Ask("line", line), lambda: False).why == "")
        desk = pilot.app.screen
        assert isinstance(desk, DeskScreen)
        desk.come_back(Goal(long.name, 155, line))
        await shown(pilot, "Do part 77")
        assert desk.query_one(Detail).shown == "history"
        assert long.library.gate is not None
        long.library.gate.set()


async def test_a_file_that_is_cut_while_it_is_shown(tmp_path: Path):
    long = Long(tmp_path, HUGE)
    async with make_app(long.library).run_test(size=(120, 30)) as pilot:
        await shown(pilot, "git push origin main")
        rows = long.path.read_bytes().splitlines(keepends=True)
        long.path.write_bytes(b"".join(rows[:5]))
        await look(pilot)
        await pilot.press("N")
        await until(pilot, lambda: len(pane_of(pilot).list.rows) < 10)
        assert words_under(pilot)


async def test_the_first_screen_comes_before_the_whole_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    long = Long(tmp_path, LONG)
    ask = LongHistory.ask
    opened_by_then: list[int] = []

    def noted(history: LongHistory, what: Ask, stop: Stop) -> Stretch | None:
        opened_by_then.append(len(long.library.asked))
        return ask(history, what, stop)

    monkeypatch.setattr(LongHistory, "ask", noted)
    async with make_app(long.library).run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: long.library.asked)
        assert opened_by_then[0] == 0
        assert long.library.gate is not None
        long.library.gate.set()
