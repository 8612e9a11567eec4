"""Pages 3 to 5 on a session rich in evidence: places with owners, claims, and where each answer's evidence is."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.tui.evidence import evidence

from refloat.model.brief import Answers, Confidence, Line, WrittenBrief
from refloat.model.checkout import Fate
from refloat.model.recovery import Page
from refloat.testing import rescues
from refloat.testing.rescues import plain_brief
from refloat.testing.samples import Sample
from refloat.usecases import probe, rescue
from refloat_tui.screens.confirm import Confirm
from refloat_tui.screens.wizard.rail import Rail
from refloat_tui.theme import ASCII
from refloat_tui.widgets.key_line import KeyLine

from .test_wizard import SIZES, Desk, wizard


async def go_to(desk: Desk, page: Page) -> None:
    while desk.page is not page:
        await desk.press("enter")


def line_with(desk: Desk, words: str) -> str:
    return next(line for line in desk.seen().splitlines() if words in line)


@pytest.mark.parametrize("size", SIZES)
async def test_an_owner_is_said_for_one_place_and_the_brief_tells_them_apart(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with wizard(tmp_path, size, evidence()) as desk:
        await go_to(desk, Page.CHECKOUT)
        assert desk.wizard.rows.cursor_key == "src/totals.py"
        assert "fate of each edit: step 11 replaced by step 12" in desk.text("page-evidence")
        await desk.press("down", "down")
        assert "several" in line_with(desk, "line 40  ")
        assert "return half_to_even(a, 2)" in desk.text("page-evidence")
        assert "LIMIT" not in desk.text("page-evidence")
        await desk.press("e")
        await desk.type("Ben")
        await desk.press("enter")
        assert "Ben" in line_with(desk, "line 40  ")
        assert "your word: Ben  found: several" in desk.text("page-evidence")
        text = desk.wizard._written.markdown if desk.wizard._written else ""
        assert (
            "src/totals.py: dirty, owner this session (line 3); Ben (line 40); "
            "another session, codex:01a09f44 (line 120)"
        ) in text
        assert "1 unowned" in desk.seen()  # settings.py alone
        await desk.press("u")
        assert "2 unowned" in desk.seen()


async def test_the_word_on_a_place_outlives_the_wizard(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24), evidence()) as desk:
        await go_to(desk, Page.CHECKOUT)
        await desk.press("down", "down", "space", "ctrl+c")
    async with wizard(tmp_path, (80, 24), evidence()) as desk:
        await desk.press("down", "down")
        assert "this session" in line_with(desk, "line 40  ")
        assert "your word" in desk.text("page-evidence")


async def test_a_word_on_the_file_stands_above_its_places(tmp_path: Path) -> None:
    async with wizard(tmp_path, (120, 40), evidence()) as desk:
        await go_to(desk, Page.CHECKOUT)
        await desk.press("down", "down", "space", "up", "up", "space")
        assert desk.wizard._written is not None
        assert "src/totals.py: dirty, owner this session" in desk.wizard._written.markdown
        assert "(line 3)" not in desk.wizard._written.markdown


@pytest.mark.parametrize("size", SIZES)
async def test_claims_lie_on_their_pile_with_where_they_were_said(tmp_path: Path, size: tuple[int, int]) -> None:
    async with wizard(tmp_path, size, evidence()) as desk:
        await go_to(desk, Page.TRIAGE)
        await desk.press(*["down"] * 8)
        assert "“All tests pass now.”" in desk.text("page-evidence")
        assert "claim: tests pass  contradicted" in desk.text("page-evidence")
        assert "evidence: step 7, said in item 8 of its history" in desk.text("page-evidence")
        await desk.press("up")
        assert "claim: committed  confirmed" in desk.text("page-evidence")


@pytest.mark.parametrize("size", SIZES)
async def test_probes_stand_first_and_claims_below(tmp_path: Path, size: tuple[int, int]) -> None:
    async with wizard(tmp_path, size, evidence()) as desk:
        await go_to(desk, Page.UNCERTAIN)
        detail = desk.text("page-evidence")
        assert detail.index("look first: git ls-remote origin") < detail.index("still unknown")
        await desk.press("p", "n", "p")
        assert isinstance(desk.app.screen, Confirm)  # asked each time
        await desk.press("y")
        detail = desk.text("page-evidence")
        assert detail.index("kept here") < detail.index("still unknown")
        while not (desk.wizard.rows.cursor_key or "").startswith("claim "):
            await desk.press("down")
        assert "1 contradicted" in line_with(desk, "CLAIMS NOT BORNE OUT")
        assert "“All tests pass now.”" in desk.text("page-evidence")
        assert "evidence: said in item 8 of its history; step 7 stands behind it" in desk.text("page-evidence")
        await desk.press("space")
        assert "✔" in line_with(desk, "All tests pass")
        await desk.press("p", "e")
        assert "No read-only command tells whether a claim is true" in desk.told()
        assert "judged on page 4" in desk.told()


async def test_git_is_asked_by_the_key_alone_and_never_by_drawing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    plan = probe.plan_look

    def counted(*given: Any) -> probe.Look:
        threads.append(threading.current_thread())
        return plan(*given)

    monkeypatch.setattr(rescue, "plan_look", counted)
    async with wizard(tmp_path, (80, 24), evidence()) as desk:
        await go_to(desk, Page.UNCERTAIN)
        assert threads == []
        await desk.press("p")
        assert isinstance(desk.app.screen, Confirm)
        assert threads
        assert threading.main_thread() not in threads


async def test_a_look_that_cannot_be_run_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*given: Any) -> probe.Look:
        return probe.Look((), tmp_path, "git is not installed here.")

    monkeypatch.setattr(rescue, "plan_look", missing)
    async with wizard(tmp_path, (80, 24), evidence()) as desk:
        await go_to(desk, Page.UNCERTAIN)
        await desk.press("p")
        assert not isinstance(desk.app.screen, Confirm)
        assert "git is not installed here." in desk.told()
        assert desk.launcher.asked == []


async def test_a_claim_that_was_moved_is_asked_no_more(tmp_path: Path) -> None:
    async with wizard(tmp_path, (120, 40), evidence()) as desk:
        await go_to(desk, Page.TRIAGE)
        await desk.press(*["down"] * 8, "m", "e")
        await desk.type("saw it fail")
        await desk.press("enter", "enter")
        assert desk.page is Page.UNCERTAIN
        asked = [row.key for row in desk.wizard.rows.rows if row.key.startswith("claim ")]
        assert len(asked) == 2
        assert not any("tests_pass" in key for key in asked)


async def test_ascii_with_claims(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24), evidence(), glyphs=ASCII) as desk:
        for page in (Page.CHECKOUT, Page.TRIAGE, Page.UNCERTAIN):
            await go_to(desk, page)
            for _ in range(9):
                await desk.press("down")
                assert "“" not in desk.seen()
                assert "≠" not in desk.seen()


@pytest.mark.parametrize("size", SIZES)
async def test_a_look_that_cannot_tell_is_not_offered(tmp_path: Path, size: tuple[int, int]) -> None:
    found = evidence()
    why = "no remote `origin` is configured here"
    rows = tuple(replace(row, no_look=why) for row in found.triage.do_not_repeat)
    async with wizard(tmp_path, size, replace(found, triage=replace(found.triage, do_not_repeat=rows))) as desk:
        await go_to(desk, Page.UNCERTAIN)
        detail = desk.text("page-evidence")
        assert detail.count(f"ook from here can tell: {why}") == 1
        assert "look first" not in detail
        await desk.press("p")
        assert not isinstance(desk.app.screen, Confirm)
        assert f"No look from here can tell: {why}." in desk.told()


async def test_what_happened_names_what_contradicts_its_words(tmp_path: Path) -> None:
    found = evidence()
    edited = next(file for file in found.checkout.files if file.edits)
    lost = replace(edited, edits=(*edited.edits[:-1], replace(edited.edits[-1], fate=Fate.LOST)))
    files = tuple(lost if file is edited else file for file in found.checkout.files)
    async with wizard(tmp_path, (120, 40), replace(found, checkout=replace(found.checkout, files=files))) as desk:
        await go_to(desk, Page.HAPPENED)
        words = " ".join(desk.seen().split())
        claim = next(finding for finding in found.triage.claimed if finding.claim)
        assert f"“{claim.what}” " in words
        assert f"lost from the checkout: {edited.path}" in words


async def test_a_look_is_offered_only_where_one_can_tell(tmp_path: Path) -> None:
    async with wizard(tmp_path, (80, 24), evidence()) as desk:
        await go_to(desk, Page.UNCERTAIN)
        screen = desk.wizard
        recovery = screen._recovery  # pyright: ignore[reportPrivateUsage] - as it was read
        assert recovery is not None
        assert screen.word_of("wizard_probe") is None
        actions = tuple(replace(one, no_look="no remote is configured") for one in recovery.triage.do_not_repeat)
        bare = replace(recovery, triage=replace(recovery.triage, do_not_repeat=actions))
        screen._recovery = bare  # pyright: ignore[reportPrivateUsage] - for this test
        assert screen.word_of("wizard_probe") == ""


async def test_a_move_without_its_reason_is_asked_for_by_name_and_an_empty_answer_says_so(tmp_path: Path) -> None:
    async with wizard(tmp_path, (120, 40), evidence()) as desk:
        await go_to(desk, Page.TRIAGE)
        await desk.press("m")
        assert "say why" in desk.seen().splitlines()[-1]
        await desk.press("enter")
        assert desk.wizard.words.is_open
        await desk.press("enter")
        assert "No reason is given yet" in desk.told()
        assert desk.page is Page.TRIAGE
        await desk.press("u")
        assert "go on" in desk.seen().splitlines()[-1]
        await desk.press("enter")
        assert desk.page is Page.UNCERTAIN
        assert "No reason" not in desk.seen()


async def test_the_next_step_follows_what_was_said_of_an_uncertain_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A brief that knows the answer names another next step: that is the one to agree to."""

    def write(sample: Sample, answers: Answers | None) -> WrittenBrief:
        made = plain_brief(sample, answers)
        said = answers is not None and any(word == "happened" for word, _ in answers.inspected.values())
        steps = (Line("Decide about the lost edit.", Confidence.VERIFIED),) if said else made.brief.next_step
        return replace(made, brief=replace(made.brief, next_step=steps))

    monkeypatch.setattr(rescues, "plain_brief", write)
    async with wizard(tmp_path, (120, 40)) as desk:
        await go_to(desk, Page.UNCERTAIN)
        assert "Look before anybody repeats it" in desk.text("page-evidence")
        await desk.press("space")
        assert "Your word: it happened. No result is recorded." in desk.text("page-evidence")
        assert "Look before" not in desk.text("page-evidence")
        await desk.press("enter")
        assert "NEXT STEP   Decide about the lost edit." in desk.seen()
        assert "Look what step 8 did" not in desk.seen()


async def test_a_page_that_was_passed_is_a_click_away_and_the_footer_takes_clicks(tmp_path: Path) -> None:
    async with wizard(tmp_path, (120, 40)) as desk:
        await go_to(desk, Page.CHECKOUT)
        await desk.pilot.click(Rail, offset=(4, 1))
        await desk.settle()
        assert desk.page is Page.PROCESS
        await desk.pilot.click(Rail, offset=(4, 16))  # nobody was there yet
        await desk.settle()
        assert desk.page is Page.PROCESS
        foot = str(desk.wizard.query_one(KeyLine).render())
        await desk.pilot.click(KeyLine, offset=(1 + foot.index("own words"), 0))
        await desk.settle()
        assert desk.wizard.words.is_open


async def test_what_the_evidence_says_of_the_process_leaves_the_answers_whole(tmp_path: Path) -> None:
    async with wizard(tmp_path, (60, 20)) as desk:
        assert "( ) It still runs" in desk.seen()
        assert "( ) Nobody can tell" in desk.seen()
        await desk.press("e")
        assert "keeps, esc back" in desk.seen()
