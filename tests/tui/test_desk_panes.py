"""What the panes of the desk tell, and the ways between them."""

import threading
from dataclasses import replace

import pytest
from tests.tui.conftest import NOW, FakeLibrary, make_app
from tests.tui.test_desk import SMALL, WIDE, settle, standing_on, step_under, words_of
from tests.tui.waiting import until

from refloat.model.liveness import OF_THE_END, Evidence
from refloat.model.session import SessionName
from refloat.model.transcript import Item
from refloat.testing.samples import SAMPLES
from refloat_tui.present.evidence import evidence_row
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.text import TextScreen
from refloat_tui.theme import UNICODE
from refloat_tui.widgets.checkout_list import FileList, checkout_rows
from refloat_tui.widgets.checkout_pane import CheckoutPane
from refloat_tui.widgets.detail import Detail
from refloat_tui.widgets.head import Head
from refloat_tui.widgets.history_pane import HistoryPane
from refloat_tui.widgets.session_list import SessionList
from refloat_tui.widgets.triage_pane import TriagePane


async def test_evidence_unfolds(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("e")
        await pilot.pause()
        words = words_of(pilot.app)
        assert "none of 2 claude processes owns it" in words
        assert "no process owns it, and none could" in words
        await pilot.press("e")
        await pilot.pause()
        assert "none of 2 claude processes" not in words_of(pilot.app)


async def test_how_it_ended_joins_the_evidence_once_the_session_is_read(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        head = pilot.app.screen.query_one(Head)
        session, status = head._session, head._status
        assert session is not None
        assert status is not None
        kill = Evidence("out_of_memory", "the kernel killed process 41207 (node)", 41_207, None)
        liveness = replace(session.liveness, evidence=(*session.liveness.evidence, kill))
        told = replace(status, session=replace(session, liveness=liveness))
        await pilot.press("e")

        def says_why() -> bool:
            head.take(session, told, NOW)  # again: the desk's own look may draw what it read meanwhile
            words = words_of(pilot.app)
            return "the kernel killed process 41207 (node)" in words and "why it died" in words

        await until(pilot, says_why)


@pytest.mark.parametrize("kind", sorted(OF_THE_END))
def test_every_trace_of_an_end_has_words(kind: str):
    looked, _, _, worth = evidence_row(Evidence(kind, "x", None, None), NOW)
    assert looked != kind
    assert worth != "nothing by itself"


async def test_history_jumps_filters_and_opens(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await pilot.pause()
        history = pilot.app.screen.query_one(HistoryPane)
        assert standing_on(pilot).n == 14
        await pilot.press("g")
        assert standing_on(pilot).n == 1
        await pilot.press("x")
        assert step_under(pilot) == 8
        await pilot.press("f")
        assert [row.type for row in history.list.rows if isinstance(row, Item)] == ["prompt", "reply", "prompt"]
        for _ in range(6):
            await pilot.press("f")
        assert history.kind == "all"
        await pilot.press("G", "enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, TextScreen)
        assert "mypy src" in words_of(pilot.app)
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, DeskScreen)


async def test_from_a_recorded_change_to_its_step(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("3")
        await pilot.pause()
        await pilot.press("enter", "enter")
        await pilot.pause()
        assert pilot.app.screen.query_one(Detail).shown == "history"
        assert step_under(pilot) == 2


async def test_from_a_finding_to_its_step(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("4")
        await pilot.pause()
        assert pilot.app.screen.query_one(TriagePane).pile == "gone"
        await pilot.press("right")
        assert pilot.app.screen.query_one(TriagePane).pile == "saved"
        await pilot.press("left", "down", "enter")
        await pilot.pause()
        assert step_under(pilot) == 8


async def test_who_comes_to_the_triage_before_it_is_read_stands_where_it_explains(library: FakeLibrary):
    library.gate = threading.Event()
    async with make_app(library).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: library.asked)
        await pilot.press("4")
        await pilot.pause()
        triage = pilot.app.screen.query_one(TriagePane)
        assert triage.pile_list("saved").has_focus
        library.gate.set()
        await settle(pilot)
        await until(pilot, lambda: triage.pile == "gone")
        await pilot.pause()
        assert triage.pile_list("gone").has_focus, "the cursor stands in the pile whose card is told below"
        card = triage.pile_list("gone").card
        assert card is not None
        assert card is triage._card


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_escape_leads_back_from_a_jump_and_then_to_the_list(library: FakeLibrary, size: tuple[int, int]):
    async with make_app(library).run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("4")
        triage = pilot.app.screen.query_one(TriagePane)
        await until(pilot, lambda: triage.has_focus_within)
        stood = triage.place()
        await pilot.press("enter")
        detail = pilot.app.screen.query_one(Detail)
        await until(pilot, lambda: detail.shown == "history" and detail.history.has_focus_within)
        await until(pilot, lambda: "esc back" in words_of(pilot.app).splitlines()[-1])
        await pilot.press("escape")
        await until(pilot, lambda: detail.shown == "triage" and triage.has_focus_within)
        assert triage.place() == stood
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen.query_one(SessionList).has_focus)
        await pilot.press("4", "enter")
        await until(pilot, lambda: detail.shown == "history" and detail.history.has_focus_within)
        await pilot.press("1")
        await until(pilot, lambda: detail.shown == "recap" and detail.has_focus_within)
        await pilot.press("escape")  # who went on by themselves is led back nowhere
        await until(pilot, lambda: pilot.app.screen.query_one(SessionList).has_focus)


@pytest.mark.parametrize("width", [57, 58, 66, 71, 72, 95, 96, 120])
def test_a_file_keeps_its_name_whatever_the_room(width: int):
    checkout = SAMPLES["crashed"]().checkout
    row = next(row for row in checkout_rows(checkout, {}, {}, ()) if row.kind == "file")
    assert row.change is not None
    drawn = str(FileList(UNICODE, id="x").draw_row(row, width, chosen=False))
    assert row.change.path.rpartition("/")[2] in drawn


async def test_the_checkout_of_another_session_begins_at_its_own_first_file(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        pane = pilot.app.screen.query_one(CheckoutPane)
        sample = SAMPLES["crashed"]()
        pane.take(sample.checkout, sample.story)
        pane.files.action_rows_last()
        last = pane.files.cursor_key
        pane.take(sample.checkout, sample.story)
        assert pane.files.cursor_key == last
        pane.take(replace(sample.checkout, session=SessionName("codex:other")), sample.story)
        assert pane.files.cursor == 0
