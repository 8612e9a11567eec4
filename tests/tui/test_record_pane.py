"""The record on the desk: the chain of a job, verified, wrapped and picked up by keys alone."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static, TextArea

from refloat.model.record import Lease, Verified, bearing
from refloat.model.saving import Runner
from refloat.model.session import Session
from refloat.record.chain import add_step
from refloat.record.handovers import NewDecision, add_decision
from refloat.record.trails import load_trail
from refloat.testing.jobs import END, ENDING, NOW, OPENING
from refloat.testing.samples import SAMPLES
from refloat_tui.app import RefloatApp
from refloat_tui.bench_record import BenchRecord
from refloat_tui.library import SavedRecord
from refloat_tui.present.record import bearing_words, producer_of
from refloat_tui.screens.job import JobScreen
from refloat_tui.screens.jobs import JobList, JobsScreen
from refloat_tui.screens.pickup import PickupScreen, pickup_lines
from refloat_tui.screens.record_asks import RecordAsks
from refloat_tui.screens.text import TextScreen
from refloat_tui.screens.wrap import WrapScreen
from refloat_tui.theme import UNICODE
from refloat_tui.widgets.chain_list import MORE, ChainList, chain_rows
from refloat_tui.widgets.head import Head
from refloat_tui.widgets.record_pane import FIRST, RecordPane
from refloat_tui.widgets.session_list import SessionList
from refloat_tui.widgets.text_lines import TextLines

from .conftest import FakeLibrary, make_app, some_sessions
from .records import alter, empty_record, long_record, open_at, some_record
from .waiting import has_read, until


class Desk:
    """A desk on the first session, its Record pane, and the hand on the keys."""

    def __init__(self, app: RefloatApp, pilot: Pilot[str]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def pane(self) -> RecordPane:
        return self.app.screen.query_one(RecordPane)

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.pilot.pause()

    async def until(self, holds: Callable[[], object]) -> None:
        await until(self.pilot, holds)

    def head(self) -> str:
        return str(self.pane.query_one("#job", Static).visual)

    def rows(self) -> list[str]:
        chain = self.pane.query_one(ChainList)
        return [str(chain.draw_row(row, 120, chosen=False)) for row in chain.rows]

    def told(self) -> str:
        return " ".join(notice.message for notice in self.app._notifications)


async def at_record(desk: Desk) -> None:
    await desk.until(lambda: has_read(desk.app))
    await desk.press("6")
    await desk.until(lambda: desk.pane.has_class("-said") is False or "on no job" in str(desk.pane.said.visual))
    await desk.pilot.pause()


def library_with(record: SavedRecord) -> FakeLibrary:
    library = FakeLibrary(some_sessions())
    library.saved = record
    return library


def first() -> Session:
    return some_sessions()[0][0]


async def test_the_chain_says_what_is_unchanged_and_where_the_crash_sits(tmp_path: Path):
    app = make_app(library_with(some_record(tmp_path, first())))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        rows = desk.rows()
        text = "\n".join(rows)
        assert "#6" in rows[1]
        assert "a crash sits here" in rows[1]
        assert "may still run" in next(row for row in rows if "#4" in row), "of a process on another host"
        assert "unchanged since saved" in next(row for row in rows if "#5" in row)
        assert "error, exit 2" in next(row for row in rows if "#2" in row)
        for word in ("wrap  did", "for bob", "goes on at step 4", "accepted by ada, release ok"):
            assert word in text
        assert "correct" not in text
        assert "stop after 3" in desk.head()
        assert "nobody knows what #6 did" in desk.head()


async def test_other_jobs_of_the_workspace_are_a_key_away_and_say_what_waits(tmp_path: Path):
    app = make_app(library_with(some_record(tmp_path, first())))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        assert "1 of 2" in desk.head()
        await desk.press("o")
        await desk.until(lambda: "release" in desk.head())
        assert "pending by bob, release hold" in desk.head()
        await desk.press("o")
        await desk.until(lambda: "retry" in desk.head())


async def test_verifying_names_what_was_altered_and_marks_its_row(tmp_path: Path):
    record = some_record(tmp_path, first())
    app = make_app(library_with(record))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        await desk.press("v")
        await desk.until(lambda: "7 links unchanged since saved, bytes included" in desk.head())
        assert "unsigned" in desk.head()
        alter(tmp_path, "retry", 2, "pytest -q --lf")
        await desk.press("v")
        await desk.until(lambda: "NOT what was saved" in desk.head())
        assert "step 2, summary" in desk.head()
        assert "ALTERED" in next(row for row in desk.rows() if "#2" in row)
        assert "unchanged" in next(row for row in desk.rows() if "#3" in row)


class Slow(BenchRecord):
    """A check that goes on until it is stopped."""

    stopped = False

    def verify(self, job: str, tell: Callable[[int, int], None]) -> Verified:
        pause = threading.Event()
        try:
            while True:
                tell(3, 900)
                pause.wait(0.02)
        except Exception:
            self.stopped = True
            raise


async def test_a_check_shows_how_far_it_is_answers_keys_and_can_be_stopped(tmp_path: Path):
    some_record(tmp_path, first())
    plain = empty_record(tmp_path)
    record = Slow(plain._machine, plain._load_story)
    app = make_app(library_with(record))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        await desk.press("v")
        await desk.until(lambda: "3 of 900 links re-hashed; x stops" in desk.head())
        await desk.press("down", "down")
        assert desk.pane.query_one(ChainList).cursor_row is not None
        await desk.press("x")
        await desk.until(lambda: record.stopped)
        assert "v re-hashes every byte" in desk.head()
        assert "nothing is said" in desk.told()


async def test_it_follows_what_is_saved_meanwhile_and_keeps_the_cursor(tmp_path: Path):
    app = make_app(library_with(some_record(tmp_path, first())))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        chain = desk.pane.query_one(ChainList)
        await desk.press("G")
        key = chain.cursor_key
        with open_at(tmp_path) as record:
            add_step(record, OPENING._replace(summary="ruff check"), ENDING)
        await desk.until(lambda: any("ruff check" in row for row in desk.rows()))
        assert chain.cursor_key == key


async def test_a_long_chain_is_bounded_and_shows_more_when_asked(tmp_path: Path):
    app = make_app(library_with(long_record(tmp_path, first(), FIRST + 30)))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        assert len([row for row in desk.rows() if "#" in row]) == FIRST
        assert "30 more steps: enter shows older ones" in desk.rows()[-1]
        await desk.press("G")
        assert desk.pane.query_one(ChainList).cursor_key == MORE
        await desk.press("enter")
        await desk.until(lambda: any("step 1 " in row for row in desk.rows()))
        assert len([row for row in desk.rows() if "#" in row]) == FIRST + 30


async def test_an_empty_record_teaches_and_still_takes_keys(tmp_path: Path):
    app = make_app(library_with(empty_record(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        said = str(desk.pane.said.visual)
        for word in ("on no job", "refloat run --job JOB", f"refloat reconstruct {first().name}", "W", "J"):
            assert word in said
        assert not (tmp_path / "data").exists(), "looking makes no record"
        await desk.press("W")
        await desk.until(lambda: isinstance(app.screen, WrapScreen))
        assert "as a reconstruction" in str(app.screen.query_one("#wrap-head", Static).visual)


async def test_a_session_on_no_job_is_wrapped_with_its_steps(tmp_path: Path):
    app = make_app(library_with(empty_record(tmp_path)))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        await desk.press("W")
        await desk.until(lambda: isinstance(app.screen, WrapScreen))
        await desk.press(*"half")
        await desk.press("ctrl+s")
        await desk.until(lambda: desk.told().startswith("Sealed on"))
        with open_at(tmp_path) as record:
            trail = load_trail(record, _job_of(desk))
        (wrap,) = trail.wraps
        assert wrap.summary == "half"
        assert wrap.producer == "human:ada"
        assert {step.opening.origin for step in trail.steps} == {"reconstruction"}
        assert len(trail.steps) == len(tuple(SAMPLES["crashed"]().story.every_step)) + 1
        await desk.until(lambda: any("wrap  half" in row for row in desk.rows()))
        told = [row for row in desk.rows() if "reconstruction" in row]
        assert told
        assert not any("unchanged since saved" in row for row in told), "a transcript told it, nothing was looked at"


def _job_of(desk: Desk) -> str:
    return desk.told().removeprefix("Sealed on ").partition(".")[0]


async def test_what_is_typed_into_a_wrap_is_there_again(tmp_path: Path):
    app = make_app(library_with(some_record(tmp_path, first())))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        await desk.press("W")
        await desk.until(lambda: isinstance(app.screen, WrapScreen))
        assert app.screen.query_one("#wrap-job", TextArea).text == "retry"
        assert app.screen.query_one("#wrap-goal", TextArea).text == "stop after 3"
        await desk.press(*"typed", "escape")
        await desk.until(lambda: app.screen.query("#detail"))
        await desk.press("W")
        await desk.until(lambda: isinstance(app.screen, WrapScreen))
        assert app.screen.query_one("#wrap-summary", TextArea).text == "typed"


async def test_a_wrap_that_cannot_be_sealed_comes_back_with_every_word(tmp_path: Path):
    app = make_app(library_with(some_record(tmp_path, first())))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        await desk.press("W")
        await desk.until(lambda: isinstance(app.screen, WrapScreen))
        form = app.screen
        form.query_one("#wrap-job", TextArea).text = "x" * 300
        await desk.press(*"mine", "ctrl+s")
        await desk.until(lambda: isinstance(app.screen, WrapScreen) and app.screen is not form)
        assert app.screen.query_one("#wrap-summary", TextArea).text == "mine"
        await desk.until(lambda: "printable characters" in desk.told())


async def test_picking_up_reads_verifies_and_says_where_to_go_on(tmp_path: Path):
    app = make_app(library_with(some_record(tmp_path, first())))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        await desk.press("P")
        await desk.until(lambda: isinstance(app.screen, PickupScreen))
        await desk.until(lambda: app.screen.query_one(TextLines).rows)
        moves = "\n".join(str(row.text) for row in app.screen.query_one(TextLines).rows)
        assert moves.index("1  Read it end to end") < moves.index("#1") < moves.index("#6")
        assert moves.index("#6") < moves.index("2  Verify what most rests on") < moves.index("3  Go on")
        await desk.press("enter")
        await desk.until(lambda: isinstance(app.screen, TextScreen) and app.screen.query_one(TextLines).rows)
        told = "\n".join(str(row.text) for row in app.screen.query_one(TextLines).rows)
        assert "at step 2" in told
        assert "from its bytes up: unchanged since saved" in told
        assert "#6 git push origin main: its process is gone" in told
        await desk.press("escape")
        await desk.until(lambda: app.screen.query("#detail"))
        await desk.until(lambda: sum("pickup" in row for row in desk.rows()) == 2)


def test_before_a_pickup_it_is_told_which_receipt_will_be_verified(tmp_path: Path):
    trail = some_record(tmp_path, first()).trail("retry", 50)
    alone = replace(trail, load_bearing=(), resting=())
    newest = bearing(alone)[0]
    assert newest.ending is not None
    assert newest.ending.outcome == "ok"
    assert bearing_words(alone).startswith(f"#{newest.seq}, the newest that ended well")
    assert bearing_words(replace(alone, steps=())) == "no sealed step ended well: there is no receipt to begin with"


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_every_job_is_listed_and_one_is_opened(tmp_path: Path, size: tuple[int, int]):
    app = make_app(library_with(some_record(tmp_path, first())))
    async with app.run_test(size=size) as pilot:
        desk = Desk(app, pilot)
        await desk.until(lambda: has_read(app))
        await desk.press("J")
        await desk.until(lambda: isinstance(app.screen, JobsScreen))
        jobs = app.screen.query_one(JobList)
        assert [jobs.key_of(row) for row in jobs.rows] == ["retry", "release", "other"]
        await desk.press("G", "enter")
        await desk.until(lambda: isinstance(app.screen, JobScreen) and "other" in desk.head())
        await desk.press("escape")
        await desk.until(lambda: app.screen.query("#detail"))


async def test_jobs_are_there_without_a_session(tmp_path: Path):
    library = FakeLibrary([])
    library.saved = some_record(tmp_path, first())
    app = make_app(library)
    async with app.run_test(size=(80, 24)) as pilot:
        desk = Desk(app, pilot)
        await desk.until(lambda: has_read(app))
        await desk.press("J")
        await desk.until(lambda: isinstance(app.screen, JobsScreen))
        await desk.press("enter")
        await desk.until(lambda: isinstance(app.screen, JobScreen) and desk.pane.trail is not None)


class Held(BenchRecord):
    """Somebody else is at a session."""

    held: Mapping[str, Lease] = {}

    def holders(self) -> Mapping[str, Lease]:
        return self.held


async def test_who_is_at_a_session_is_said_in_its_row_and_in_the_verdict(tmp_path: Path):
    plain = empty_record(tmp_path)
    record = Held(plain._machine, plain._load_story)
    lease = Lease(
        first().name, "t", "bob@devbox", Runner("devbox", 1, "1"), NOW, NOW, END, "is recovering this; taken over"
    )
    record.held = {first().name: lease}
    library = library_with(record)
    app = make_app(library)
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await desk.until(lambda: has_read(app))
        head = app.screen.query_one(Head)
        await desk.until(lambda: head.has_class("-held"))
        assert str(head.query_one("#holder", Static).visual) == "bob@devbox is recovering this since 14:00"
        told = str(head.query_one("#next", Static).visual)
        assert told.endswith("Finish that, or take it over, before anything else is started.")
        assert "bob@devbox is recovering this since 14:00." in told
        assert head.command is None, "nothing is started beside somebody who is at it"
        sessions = app.screen.query_one(SessionList)
        rows = [str(sessions.draw_row(row, 60, chosen=False)) for row in sessions.rows]
        assert ["@bob" in row for row in rows].count(True) == 1
        read = len(library.opened)
        record.held = {}
        await desk.until(lambda: not head.has_class("-held"))
        await desk.until(lambda: len(library.opened) > read)  # what may be done next is another thing now


async def test_a_record_that_cannot_be_read_says_so_and_the_desk_goes_on(tmp_path: Path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "record.db").write_bytes(b"no database at all, and long enough to be looked at" * 40)
    app = make_app(library_with(empty_record(tmp_path)))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await desk.until(lambda: has_read(app))
        await desk.press("6")
        await desk.until(lambda: "refloat doctor" in str(desk.pane.said.visual))
        await desk.press("1")
        assert isinstance(app.screen, RecordAsks)


async def test_what_another_screen_read_first_is_still_news_to_the_desk(tmp_path: Path):
    app = make_app(library_with(some_record(tmp_path, first())))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = Desk(app, pilot)
        await at_record(desk)
        before = sum("pickup" in row for row in desk.rows())
        await desk.press("J")
        await desk.until(lambda: isinstance(app.screen, JobsScreen))
        await desk.press("enter")
        await desk.until(lambda: isinstance(app.screen, JobScreen) and desk.pane.trail is not None)
        job = app.screen
        assert isinstance(job, JobScreen)
        add_decision(open_at(tmp_path), NewDecision("retry", END, "pending", "bob", "hold", None, note="news"))
        job.look_at_record(anew=False)
        await desk.until(lambda: any("news" in row for row in desk.rows()))
        await desk.press("escape")
        await desk.until(lambda: app.screen.query("#detail"))
        desk_screen = app.screen
        assert isinstance(desk_screen, RecordAsks)
        desk_screen.look_at_record(anew=False)
        await desk.until(lambda: any("news" in row for row in desk.rows()))
        assert sum("pickup" in row for row in desk.rows()) == before


def test_before_a_pickup_it_is_told_whose_wrap_it_is_and_who_has_it(tmp_path: Path):
    record = some_record(tmp_path, first())
    trail = record.trail("retry", 50)
    wrap = replace(trail.wraps[0], recipient="ben")
    pickup = replace(trail.pickups[0], wrap=wrap.id, producer="human:ben")
    remarks = record.remarks(replace(trail, wraps=(wrap,), pickups=(pickup,)))
    assert remarks[0] == "this wrap is for ben, not for human:ada"
    assert remarks[1].startswith("human:ben picked this wrap up already, at ")
    lines = [line.lead + "".join(text for text, _ in line.text) for line in pickup_lines(trail, remarks, UNICODE)]
    assert lines[0] == "MIND  this wrap is for ben, not for human:ada"
    assert lines[1].startswith("MIND  human:ben picked")


def test_a_narrow_chain_names_who_picked_it_up(tmp_path: Path):
    trail = some_record(tmp_path, first()).trail("retry", 50)
    rows = [row for row in chain_rows(trail, None) if row.link is not None and row.link in trail.pickups]
    assert rows
    assert f"by {producer_of(trail.pickups[0])}" in str(ChainList(UNICODE, id="x").draw_row(rows[0], 76, chosen=False))
