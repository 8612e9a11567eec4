"""The panes of evidence: what a person sees of a change, where each jump leads, and that one key leads back."""

from dataclasses import replace

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.evidence import LINES, evidence
from tests.tui.test_desk import SMALL, WIDE, settle, words_of
from tests.tui.waiting import until
from textual.pilot import Pilot
from textual.widgets import Input

from refloat.model.recovery import PILES, Pile
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.move import MoveFinding
from refloat_tui.widgets.checkout_pane import CheckoutPane
from refloat_tui.widgets.detail import Detail
from refloat_tui.widgets.history_pane import HistoryPane
from refloat_tui.widgets.triage_pane import TriagePane

SIZES = [SMALL, WIDE]


@pytest.fixture
def library() -> FakeLibrary:
    made = FakeLibrary(some_sessions())
    made.samples[next(iter(made.samples))] = evidence()
    return made


class Desk:
    """The desk under a hand."""

    def __init__(self, pilot: Pilot[str]) -> None:
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause()

    @property
    def shown(self) -> str:
        return self.pilot.app.screen.query_one(Detail).shown

    @property
    def checkout(self) -> CheckoutPane:
        return self.pilot.app.screen.query_one(CheckoutPane)

    @property
    def triage(self) -> TriagePane:
        return self.pilot.app.screen.query_one(TriagePane)

    @property
    def item(self) -> int:
        item = self.pilot.app.screen.query_one(HistoryPane).list.cursor_item
        assert item is not None
        return item.n

    @property
    def step(self) -> int:
        item = self.pilot.app.screen.query_one(HistoryPane).list.cursor_item
        assert item is not None
        assert item.step is not None
        return item.step.n

    @property
    def seen(self) -> str:
        return words_of(self.pilot.app)

    def told(self) -> str:
        return " ".join(note.message for note in self.pilot.app._notifications)


def cards_of(desk: Desk, pile: Pile) -> int:
    """Cards that a pile shows."""
    return sum(row.part == 0 for row in desk.triage.pile_list(pile).rows)


async def test_a_reason_is_told_whole_where_there_is_room_and_says_where_it_is_cut(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("4")
        for pile in PILES:
            rows = desk.triage.pile_list(pile).rows
            cards: dict[str, list[str]] = {}
            for row in rows:
                cards.setdefault(row.card.key, []).append(row.words.plain.strip())
            for row in rows:
                told = " ".join(cards[row.card.key])
                assert row.card.finding.why.split()[0] in told
                assert told.endswith("…") or row.card.finding.why.split()[-1] in told
                assert row.words.cell_length <= desk.triage.pile_list(pile).size.width - 3


def line_with(seen: str, words: str) -> str:
    return next(line for line in seen.splitlines() if words in line)


async def test_a_file_opens_to_its_places_each_with_fate_and_owner(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("3")
        assert "partly" in line_with(desk.seen, "src/totals.py")
        await desk.press("enter")
        for place, fate, owner in (
            ("line 3 · step 12", "on disk, uncommitted", "this session"),
            ("line 40 · step 13", "on disk, uncommitted", "several"),
            ("line 120", "not in its record", "codex 01a09f"),
            ("step 14", "reverted by somebody", "–"),
        ):
            line = line_with(desk.seen, place)
            assert fate in line
            assert owner in line
        rows = len(desk.checkout.files.rows)
        await desk.press("up", "enter")
        assert len(desk.checkout.files.rows) == rows - 4


async def test_both_sides_and_what_tells_them_apart(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("3", "enter")
        assert "recorded by steps 11, 12" in desk.seen
        await desk.press("down")
        line = line_with(desk.seen, "half_to_even(a)")
        assert "half_to_even(a, 2)" in line  # beside each other
        assert "≠" in line
        await desk.press("u")
        assert "half_to_even(a, 2)" not in line_with(desk.seen, "half_to_even(a)")
        assert "‹ +" in line_with(desk.seen, "half_to_even(a)")
        assert "› +" in line_with(desk.seen, "half_to_even(a, 2)")
        assert "= -" in line_with(desk.seen, "return a")


async def test_a_long_change_is_folded_and_unfolds(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("3", "down", "tab")
        diff = desk.checkout.diff
        assert diff.has_focus
        assert len(diff.rows) < 100
        await desk.press("G")
        assert f"{LINES - 40:,} more lines" in desk.seen
        await desk.press("enter")
        assert len(diff.rows) > LINES
        await desk.press("G")
        assert f"ROW_{LINES - 1} = {LINES - 1}" in desk.seen


async def test_what_comes_first_and_last(library: FakeLibrary):
    async with make_app(library).run_test(size=(120, 50)) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("3")
        seen = desk.seen
        assert seen.index("2 warnings") < seen.index("dirty files") < seen.index("src/totals.py")
        assert "stale" in line_with(seen, "pytest -q tests/test_rounding.py")
        await desk.press("G")
        assert "a filter was not run" in desk.seen
        assert ".gitattributes" in desk.seen
        await desk.press("up", "up")
        assert "unknown tree" in line_with(desk.seen, "mypy src")
        await desk.press("enter")
        assert desk.shown == "history"
        assert desk.step == 10


@pytest.mark.parametrize("size", SIZES)
async def test_from_a_finding_to_its_step_to_its_hunk_and_back_by_one_key(library: FakeLibrary, size: tuple[int, int]):
    async with make_app(library).run_test(size=size) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("enter", "4")
        assert desk.triage.pile == "gone"
        await desk.press("enter")
        assert (desk.shown, desk.step) == ("history", 6)
        await desk.press("v")
        assert desk.shown == "checkout"
        row = desk.checkout.files.cursor_row
        assert row is not None
        assert row.spot is not None
        assert row.spot.recorded[0].step == 6
        assert "RATE = Decimal" in desk.seen
        await desk.press("enter")
        assert (desk.shown, desk.step) == ("history", 6)
        await desk.press("backspace")
        assert desk.shown == "checkout"
        await desk.press("backspace")
        assert (desk.shown, desk.step) == ("history", 6)
        await desk.press("backspace")
        assert (desk.shown, desk.triage.pile) == ("triage", "gone")
        assert desk.triage.pile_list("gone").has_focus
        await desk.press("backspace")
        assert desk.shown == "triage"


@pytest.mark.parametrize("size", SIZES)
async def test_from_a_claim_to_its_message_and_to_the_step_behind_it(library: FakeLibrary, size: tuple[int, int]):
    async with make_app(library).run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("enter", "4", "left")
        assert "All tests pass now." in desk.seen
        assert "contradicted" in desk.seen
        await desk.press("enter")
        assert (desk.shown, desk.item) == ("history", 8)
        await desk.press("backspace", "v")
        assert (desk.shown, desk.step) == ("history", 7)
        await desk.press("backspace", "down", "v")
        assert desk.shown == "triage"
        assert "No step stands behind it" in desk.told()


async def test_a_finding_of_a_file_leads_to_that_file_where_its_step_left_no_place(library: FakeLibrary):
    name = next(iter(library.samples))
    sample = library.samples[name]
    files = tuple(
        replace(row, edits=(), hunks=()) if row.path == "src/vat.py" else row for row in sample.checkout.files
    )
    library.samples[name] = replace(sample, checkout=replace(sample.checkout, files=files))
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("4", "enter", "v")  # from the history, which knows whole paths only
        assert desk.shown == "checkout"
        assert desk.checkout.files.cursor_key == "file\nsrc/vat.py"


async def test_the_place_in_a_change_is_found_again(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("3", "enter", "down", "tab", "down", "down", "enter")
        assert (desk.shown, desk.step) == ("history", 13)
        await desk.press("backspace")
        assert desk.checkout.diff.has_focus
        assert desk.checkout.diff.cursor == 2
        assert desk.checkout.files.cursor_key == "src/totals.py\n1"


async def test_what_leads_nowhere_says_why(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE, notifications=True) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("2", "g", "v")
        assert "changed no file" in desk.told()
        await desk.press("3", "enter", "down", "down", "enter")
        assert "Another session made it" in desk.told()
        await desk.press("4", "left", "left", "G", "up", "enter")
        assert "Sub-agent a7c2 did it" in desk.told()
        assert desk.shown == "triage"


async def test_another_session_forgets_the_jumps(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("4", "enter")
        detail = pilot.app.screen.query_one(Detail)
        assert detail.can_return
        await desk.press("shift+tab", "down")
        assert pilot.app.screen.query_one("#sessions").has_focus
        await settle(pilot)
        assert not detail.can_return


async def test_the_list_below_the_piles_leads_to_steps_too(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("4", "tab")
        assert desk.triage.beside.has_focus
        seen = desk.seen
        assert seen.index("? unknown") < seen.index("git ls-remote origin") < seen.index("✔ done")
        assert "running" in line_with(seen, "npm run dev")
        await desk.press("enter")
        assert (desk.shown, desk.step) == ("history", 8)
        await desk.press("backspace")
        assert desk.triage.beside.has_focus


async def test_a_look_is_marked_and_a_move_wants_its_reason(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE, notifications=True) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("4", "space")
        await until(pilot, lambda: "lost  looked at" in desk.seen)
        await desk.press("m")
        assert isinstance(pilot.app.screen, MoveFinding)
        await desk.press("enter")
        assert isinstance(pilot.app.screen, MoveFinding)
        assert "Say why first" in desk.told()
        await desk.press(*"rewritten", "down", "enter")
        assert isinstance(pilot.app.screen, DeskScreen)
        await until(pilot, lambda: cards_of(desk, "claimed") == 4)
        assert "src/vat.py" not in "".join(str(row.card.finding.what) for row in desk.triage.pile_list("gone").rows)
        assert "8·4·2" in desk.seen
        await desk.press("left", "G")
        await until(pilot, lambda: "was gone" in desk.seen and "rewritten" in desk.seen)
        await desk.press("u")
        await until(pilot, lambda: cards_of(desk, "claimed") == 3)


async def test_a_move_says_where_to_and_the_next_key_can_take_it_back(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE, notifications=True) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("4", "m", *"rewritten", "enter")
        await until(pilot, lambda: cards_of(desk, "gone") == 2)
        await until(pilot, lambda: "now; u takes it back" in desk.told())
        await desk.press("u")
        await until(pilot, lambda: cards_of(desk, "gone") == 3)
        await until(pilot, lambda: "It is in GONE now." in desk.told())


async def test_leaving_the_question_moves_nothing(library: FakeLibrary):
    async with make_app(library).run_test(size=SMALL) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("enter", "4", "m", "x", "escape")
        assert isinstance(pilot.app.screen, DeskScreen)
        assert cards_of(desk, "gone") == 3


@pytest.mark.parametrize("environment", [{"LANG": "C.UTF-8"}, {"LANG": "C", "REFLOAT_ASCII": "1"}])
@pytest.mark.parametrize("size", SIZES)
async def test_names_stand_above_their_columns(
    library: FakeLibrary, size: tuple[int, int], environment: dict[str, str]
):
    async with make_app(library, environment=environment).run_test(size=size) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("enter", "3")
        names, totals = line_with(desk.seen, "owner"), line_with(desk.seen, "src/totals.py")
        assert names.index("file state/edit fate") == totals.index("partly")
        assert names.index("owner") == totals.index("several")
        assert names.index("file") == totals.index("src/totals.py")
        await desk.press("4")
        assert not any(line.endswith("|") for line in desk.seen.splitlines())


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_ascii_and_no_sideways(library: FakeLibrary, size: tuple[int, int]):
    environment = {"LANG": "C", "TERM": "xterm", "REFLOAT_ASCII": "1"}
    async with make_app(library, environment=environment).run_test(size=size) as pilot:
        await settle(pilot)
        desk = Desk(pilot)
        await desk.press("enter")
        for keys in (("3", "enter", "down"), ("u",), ("4", "left"), ("m",)):
            await desk.press(*keys)
            odd = {character for character in desk.seen if ord(character) > 126}
            assert not odd, (keys, odd)
            assert all(len(line) <= size[0] for line in desk.seen.splitlines())
        assert pilot.app.screen.query_one(Input).has_focus
