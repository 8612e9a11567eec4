"""The whole wizard by keyboard alone, at the sizes that people have."""

import re
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.tui.waiting import until, until_nothing_runs
from textual.pilot import Pilot
from textual.widgets import Static

from refloat.model.liveness import Evidence
from refloat.model.recovery import PAGES, Page
from refloat.model.session import Failure, FailureKind
from refloat.model.stamp import Stamp
from refloat.ports import Machine
from refloat.record.store import open_record
from refloat.record.trails import load_trail
from refloat.record.whole import NoSuchJob
from refloat.testing.rescues import ScriptedLauncher, still_machine
from refloat.testing.samples import SAMPLES, Sample, crashed
from refloat.usecases.keep_draft import Drafts, open_drafts
from refloat.usecases.rescue import Rescue
from refloat_tui.actions import find_actions
from refloat_tui.operations import Operations
from refloat_tui.present.age import absolute
from refloat_tui.screens.confirm import Confirm
from refloat_tui.screens.wizard.farewell import Farewell
from refloat_tui.screens.wizard.pages import VIEWS
from refloat_tui.screens.wizard.screen import WizardScreen
from refloat_tui.theme import ASCII, UNICODE, Glyphs

from .harness import WizardApp

SIZES = [(80, 24), (120, 40)]


@dataclass
class Desk:
    """A running wizard and the hand on its keys."""

    app: WizardApp
    pilot: Pilot[Farewell]
    machine: Machine
    drafts: Drafts
    launcher: ScriptedLauncher
    home: Path
    copied: list[str] = field(default_factory=list[str])

    async def press(self, *keys: str) -> None:
        """One key after the other, each on what the one before it came to."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def settle(self) -> None:
        """Wait until nothing runs: a save or a brief may start another one."""
        await until_nothing_runs(self.pilot)

    async def type(self, text: str) -> None:
        await self.press(*("space" if character == " " else character for character in text))

    @property
    def wizard(self) -> WizardScreen:
        return self.app.wizard

    @property
    def page(self) -> Page:
        recovery = self.wizard._recovery
        assert recovery is not None
        return recovery.given.page

    def told(self) -> str:
        """Every notice so far."""
        return " ".join(notice.message for notice in self.app._notifications)

    def text(self, where: str) -> str:
        return str(self.wizard.query_one(f"#{where}", Static).render())

    def seen(self) -> str:
        """Everything on the screen, as text."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in lines)


@asynccontextmanager
async def wizard(
    home: Path,
    size: tuple[int, int],
    sample: Sample | None = None,
    glyphs: Glyphs = UNICODE,
    operations: Operations | None = None,
) -> AsyncGenerator[Desk]:
    launcher = ScriptedLauncher()
    machine = still_machine(home, launcher)
    with open_drafts(machine) as drafts:
        app = WizardApp(sample or crashed(), machine, drafts, glyphs=glyphs, operations=operations)
        async with app.run_test(size=size) as pilot:
            desk = Desk(app, pilot, machine, drafts, launcher, home)
            app.copy_to_clipboard = desk.copied.append  # pyright: ignore[reportAttributeAccessIssue] - what the terminal would get
            await desk.settle()
            yield desk


OTHERS = (
    '# Theirs\n\n<!-- refloat/1 {"session":"codex:other","head":null,"workspace":null,"files":[],"transcript":[]} -->\n'
)


def written(home: Path) -> str:
    return (home / "HANDOFF.md").read_text()


@pytest.mark.parametrize("size", SIZES)
async def test_enter_alone_reaches_a_good_brief(tmp_path: Path, size: tuple[int, int]) -> None:
    async with wizard(tmp_path, size) as desk:
        for page in PAGES:
            assert desk.page is page
            await desk.press("enter")
        assert desk.wizard.words.is_open  # the path, said first
        assert desk.wizard.words.area.text == "~/HANDOFF.md"  # the home of this story is tmp_path
        await desk.press("enter")
        assert "ana@harbour" not in written(tmp_path)
        assert (tmp_path / "HANDOFF.md").stat().st_mode & 0o777 == 0o600
        await desk.press("enter")
        assert desk.app.return_value == Farewell(
            f"The brief is in {tmp_path / 'HANDOFF.md'}.", str(tmp_path / "HANDOFF.md")
        )
        assert desk.drafts.find() == ()


@pytest.mark.parametrize("size", SIZES)
async def test_the_whole_wizard_by_keyboard_with_answers_on_every_page(tmp_path: Path, size: tuple[int, int]) -> None:
    async with wizard(tmp_path, size) as desk:
        await desk.press("e")
        await desk.type("I closed it")
        await desk.press("enter", "enter", "e")
        await desk.type("!")
        await desk.press("enter", "enter")
        assert desk.wizard.rows.cursor_key == "src/settings.py"
        await desk.press("space", "enter")
        await desk.press("space", "down", "m", "enter")
        assert desk.page is Page.TRIAGE  # a move wants its reason
        assert desk.wizard.words.is_open
        await desk.type("not mine")
        await desk.press("enter", "enter")
        assert desk.page is Page.UNCERTAIN
        await desk.press("p")
        assert isinstance(desk.app.screen, Confirm)
        assert "git ls-remote origin refs/heads/fix/rounding" in desk.seen()
        assert desk.launcher.asked == []
        await desk.press("y")
        assert desk.launcher.asked == [("git", "ls-remote", "origin", "refs/heads/fix/rounding")]
        assert "refs/heads/fix/rounding" in desk.text("page-evidence")
        await desk.press("space", "e")
        await desk.type("saw it")
        await desk.press("enter", "enter", "down", "e")
        await desk.type(" Then rest.")
        await desk.press("enter", "enter")
        assert desk.page is Page.BRIEF
        await desk.press("a")
        await desk.type("One more")
        await desk.press("enter", "w", "enter")
        text = written(tmp_path)
    for line in (
        "Original process: gone; I closed it (ana@harbour)",
        "What happened: Process exit: the process is gone and the turn is open! (ana@harbour)",
        "src/settings.py: dirty, owner this session (ana@harbour)",
        "git push origin fix/rounding: happened saw it (ana@harbour)",
        "Look what step 8 did, then go on. Then rest. (ana@harbour)",
        "One more (ana@harbour)",
    ):
        assert line in text


async def test_escape_goes_back_and_nothing_is_lost(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press("enter", "enter", "space", "enter", "escape", "escape", "escape")
        assert desk.page is Page.PROCESS
        await desk.press("enter", "enter")
        assert "this session" in desk.seen()
        await desk.press("u")
        assert "unknown" in desk.seen()


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (160, 40), (200, 60)])
async def test_the_list_stays_where_it_is_when_the_last_owner_is_named(tmp_path: Path, size: tuple[int, int]) -> None:
    async with wizard(tmp_path, size) as desk:
        await desk.press("enter", "enter")
        assert "1 file has no known owner" in desk.text("page-reason")
        before = desk.wizard.rows.region
        await desk.press("space")
        assert "Every change has an owner" in desk.text("page-reason")
        assert desk.wizard.rows.region == before


def decided(home: Path) -> list[str]:
    """What the steps of the recovery say, in their order."""
    with open_record(home / "data", Stamp("2026-09-14T16:00:00.000Z")) as record:
        try:
            steps = load_trail(record, f"recovery:{crashed().session.name}").steps
        except NoSuchJob:
            return []
    return [step.opening.summary for step in sorted(steps, key=lambda step: step.seq)]


@pytest.mark.parametrize("rests", [False, True])
async def test_an_owner_that_a_key_goes_round_to_is_one_step_and_none_on_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rests: bool
) -> None:
    monkeypatch.setattr("refloat_tui.screens.wizard.keeping.RESTS", 100.0)
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press("enter", "enter", "space", "space", "space")
        draft = desk.drafts.get(crashed().session.name)
        assert draft is not None
        assert draft.given.owners == {"src/settings.py": "command"}, "a kill loses nothing"
        assert decided(tmp_path) == []
        if rests:
            monkeypatch.setattr("refloat_tui.screens.wizard.keeping.RESTS", 0.01)
            await desk.press("space")
            await until(desk.pilot, lambda: decided(tmp_path))
        else:
            await desk.press("space", "enter")
        assert desk.page is (Page.CHECKOUT if rests else Page.TRIAGE)
        assert len(decided(tmp_path)) == 1
        await desk.press("escape" if not rests else "enter")
        assert len(decided(tmp_path)) == 1


@pytest.mark.parametrize("key", ["ctrl+c", "escape"])
async def test_leaving_says_how_to_come_back_and_coming_back_finds_it(tmp_path: Path, key: str) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press("e")
        await desk.type("half a w")
        if key == "escape":
            await desk.press("escape")
        await desk.press(key)
        left = desk.app.return_value
        assert left is not None
        assert left.sentence == f"Come back with: refloat recover {crashed().session.name}"
    async with wizard(tmp_path, (80, 24)) as desk:
        assert "half a w" in desk.text("page-evidence")
        await desk.press("enter", "enter", "enter", "ctrl+c")
    async with wizard(tmp_path, (80, 24)) as desk:
        assert desk.page is Page.TRIAGE


async def test_who_comes_back_to_a_finished_recovery_is_told_when_and_where_its_brief_is(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press("e")
        await desk.type("mine")
        await desk.press(*["enter"] * (len(PAGES) + 3))
        assert desk.app.return_value is not None
    async with wizard(tmp_path, (80, 24)) as desk:
        assert re.fullmatch(r"finished \d\d:\d\d:\d\d, begun anew", desk.text("head-saved"))
        assert "finished before. Its brief: ~/HANDOFF.md." in desk.told()
        await desk.press("down", "space")
        await desk.settle()
        assert desk.text("head-saved").startswith("saved ")


@pytest.mark.parametrize("there", ["another's brief", "another file", "nothing"])
async def test_a_brief_that_stands_there_no_more_is_not_told_as_its_brief(tmp_path: Path, there: str) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press("e")
        await desk.type("mine")
        await desk.press(*["enter"] * (len(PAGES) + 3))
        assert desk.app.return_value is not None
    path = tmp_path / "HANDOFF.md"
    path.unlink()
    if there != "nothing":
        path.write_text(OTHERS if there == "another's brief" else "notes")
    words = {
        "another's brief": "Its brief is gone: the brief of codex:other stands in ~/HANDOFF.md now.",
        "another file": "Its brief is gone: another file stands in ~/HANDOFF.md now.",
        "nothing": "Its brief is gone from ~/HANDOFF.md.",
    }
    async with wizard(tmp_path, (80, 24)) as desk:
        assert words[there] in desk.told()


async def test_nobody_leaves_with_a_brief_that_was_replaced_after_it_was_written(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press(*["enter"] * 8)
        (tmp_path / "HANDOFF.md").write_text(OTHERS)
        await desk.press("enter")
        assert desk.app.return_value is None
        assert desk.wizard.words.is_open, "it is to be written again, and the file is named"


async def test_what_is_edited_is_what_stood_there_and_its_times_stay_those_of_the_record(tmp_path: Path) -> None:
    sample, at = crashed(), "2026-09-14T12:03:11.000Z"
    failure = Failure(FailureKind.HOST_RESTART, f"the host restarted at {at}", None)
    async with wizard(tmp_path, (180, 40), replace(sample, session=replace(sample.session, failure=failure))) as desk:
        await desk.press("enter")
        shown = f"Host restart: the host restarted at {absolute(Stamp(at))}"
        assert shown in desk.seen()
        await desk.press("e")
        assert desk.wizard.words.area.text == shown
        await desk.type(" by ops")
        await desk.press("enter")
        assert desk.drafts.find()[0].given.happened == f"Host restart: the host restarted at {at} by ops"
        assert f"{shown} by ops" in desk.seen()


async def test_q_says_what_leaves(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press("q")
        assert "^c leaves the wizard" in desk.told()
        assert desk.app.return_value is None
        await desk.press("e")
        await desk.type("quiet")
        assert desk.wizard.words.area.text.endswith("quiet")


async def test_what_moved_meanwhile_is_said_once(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press("enter", "ctrl+c")
    sample = crashed()
    moved = replace(sample, checkout=replace(sample.checkout, head="f" * 40))
    async with wizard(tmp_path, (80, 24), moved) as desk:
        assert "HEAD was 9c0e2b1 and is fffffff" in desk.text("page-changed")
        await desk.press("enter")
        assert "HEAD was" not in desk.seen()


@pytest.mark.parametrize(
    ("name", "size"), [*((name, (80, 24)) for name in SAMPLES), ("crashed", (60, 16)), ("crashed", (200, 60))]
)
async def test_every_session_at_every_size_and_every_key(tmp_path: Path, name: str, size: tuple[int, int]) -> None:
    async with wizard(tmp_path, size, SAMPLES[name]()) as desk:
        for page in PAGES:
            assert desk.page is page
            assert all(len(line.rstrip()) <= size[0] for line in desk.seen().split("\n"))
            await desk.press("up", "down", "space", "u", "x", "j", "end", "home", "pagedown", "tab", "shift+tab")
            await desk.press("enter")
            if desk.wizard.words.is_open and page is not Page.BRIEF:
                await desk.press("escape", "enter")


async def test_dimmed_keys_say_why(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24)) as desk:
        await desk.press(*["enter"] * 4, "down", "p")
        assert not isinstance(desk.app.screen, Confirm)
        assert "No read-only command is known" in desk.told()


async def test_without_a_place_it_says_that_answers_are_not_kept(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    async with wizard(tmp_path, (80, 24)) as desk:
        assert "kept in memory only" in desk.seen()
        await desk.press("enter", "space", "ctrl+c")
        assert desk.app.return_value == Farewell("The answers were kept in memory only.")


async def test_two_terminals_that_answer_the_same_are_told(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24)) as first:
        async with wizard(tmp_path, (80, 24)) as second:
            await second.press("enter")
        await first.press("enter")
        assert "another terminal" in first.told()
        assert "Say yours again" in first.told(), "what the other one said is read, and this one can go on"
        await first.press("enter")
        assert "not saved" not in first.text("head-saved")
        await first.press("ctrl+c")
        assert first.app.return_value is not None


async def test_why_it_died_is_told_where_it_is_asked_what_happened(tmp_path: Path) -> None:
    sample = crashed()
    kill = Evidence("out_of_memory", "the kernel killed process 41207 (node) because memory ran out", 41_207, None)
    liveness = replace(sample.session.liveness, evidence=(*sample.session.liveness.evidence, kill))
    sample = replace(sample, session=replace(sample.session, liveness=liveness))
    async with wizard(tmp_path, (120, 40), sample) as desk:
        await desk.press("enter")
        assert desk.page is Page.HAPPENED
        assert "the kernel killed process 41207 (node)" in desk.seen()
        assert "why it died" in desk.seen()


HOSTILE = "a\x1b]52;c;aGk=\x07b [bold red]c[/] \u202e[link=x]"


async def test_foreign_text_is_shown_as_text(tmp_path: Path) -> None:
    sample = crashed()
    bad = replace(
        sample,
        session=replace(sample.session, title=HOSTILE),
        triage=replace(
            sample.triage,
            saved=tuple(replace(row, what=HOSTILE, why=HOSTILE) for row in sample.triage.saved),
            do_not_repeat=tuple(replace(row, action=HOSTILE) for row in sample.triage.do_not_repeat),
        ),
        checkout=replace(
            sample.checkout,
            branch=HOSTILE,
            other_changes=tuple(replace(row, path=HOSTILE, why=HOSTILE) for row in sample.checkout.other_changes[:1]),
        ),
    )
    async with wizard(tmp_path, (200, 60), bad) as desk:
        for _ in PAGES:
            seen = desk.seen()
            assert "\x1b" not in seen
            assert "\u202e" not in seen
            assert "[bold red]c[/]" in seen
            await desk.press("enter")


async def test_ascii_draws_no_other_sign(tmp_path: Path) -> None:
    async with wizard(tmp_path, (120, 40), glyphs=ASCII) as desk:
        for _ in PAGES:
            drawn = re.sub(r"[─│▌▁▂▃▄▅▆▇█▍▎▔⏎]", "", desk.seen())  # borders and scroll bars are the look's
            assert drawn.isascii(), sorted({sign for sign in drawn if not sign.isascii()})
            await desk.press("enter")


def find_methods() -> Iterator[str]:
    return (action.method for action in find_actions("wizard"))


@pytest.mark.parametrize("method", find_methods())
def test_every_row_of_the_table_has_its_method(method: str) -> None:
    assert callable(getattr(WizardScreen, f"action_{method}"))


def test_seven_pages_in_order() -> None:
    assert list(VIEWS) == list(PAGES)


async def test_while_it_reads_the_page_says_that_keys_answer_nothing_and_leaving_forgets_nothing(tmp_path: Path):
    stands = threading.Event()
    machine = still_machine(tmp_path)
    with open_drafts(machine) as drafts:
        app = WizardApp(crashed(), machine, drafts)
        opened = app.wizard._open_rescue

        def slow() -> Rescue:
            stands.wait(60)
            return opened()

        app.wizard._open_rescue = slow
        async with app.run_test(size=(120, 40)) as pilot:
            try:
                await pilot.pause()
                assert "a key pressed now answers nothing" in str(app.wizard.query_one("#page-ask", Static).render())
                await pilot.press("enter")
                await pilot.pause()
                assert not list(app._notifications)
                await pilot.press("escape")
                await pilot.pause()
            finally:
                stands.set()
        left = app.return_value
        assert left is not None
        assert "answers that were saved before stand" in left.sentence
