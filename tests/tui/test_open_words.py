"""What is not known is not told as nothing, and another's lines are not counted as the session's."""

from dataclasses import replace

from refloat.model.checkout import Base, CheckRun, Freshness, Owner
from refloat.model.recovery import Given
from refloat.model.session import SessionName
from refloat.model.status import NextOperation
from refloat.model.transcript import Outcome, StepKind
from refloat.model.triage import Finding, FindingVerdict, Triage
from refloat.readers.claude_code import ClaudeCode
from refloat.testing.samples import crashed, make_session, make_step, make_story
from refloat.triage.actions import find_actions
from refloat.triage.findings import sort_findings
from refloat.usecases.recover import Card, cards_of
from refloat.usecases.show_recap import show_recap
from refloat.usecases.show_status import show_status
from refloat_tui.cli.show.sessions import recap_lines, status_lines
from refloat_tui.cli.show.work import checkout_lines, triage_lines
from refloat_tui.operations import Asked, Offer
from refloat_tui.present.next_keys import next_actions
from refloat_tui.present.offer_lines import offer_lines
from refloat_tui.present.recap import recap_rows
from refloat_tui.present.state import broken_step, next_parts, verdict_detail
from refloat_tui.present.teach import headline
from refloat_tui.present.triage import card_words, evidence, nothing_beside, pile_words, what_words
from refloat_tui.theme import ASCII, UNICODE
from refloat_tui.widgets.cells import wrapped

EMPTY = replace(crashed().triage, saved=(), claimed=(), gone=(), still_open=(), do_not_repeat=())


def finding(what: str, kind: str, verdict: FindingVerdict, files: tuple[str, ...] = ()) -> Finding:
    return Finding(what, kind, files, (1,), None, verdict, None, (), None, "why")


def test_nothing_is_said_only_where_no_step_is_open() -> None:
    assert nothing_beside(EMPTY).startswith("Nothing was done outside")
    hung = replace(EMPTY, gone=(finding("python invoice.py", "dangling", FindingVerdict.LOST),))
    assert nothing_beside(hung) == "What step 1 did outside the checkout is not known: no result is recorded."


def test_the_recap_does_not_call_an_open_command_nothing() -> None:
    for outcome, words in ((Outcome.DANGLING, "nothing known: what step 1 did"), (Outcome.OK, "nothing outside")):
        step = make_step(1, StepKind.COMMAND, "python invoice.py", outcome=outcome)
        session = make_session()
        story = make_story(session, (step,))
        status = show_status(ClaudeCode(), session, story)
        rows = recap_rows(story, status, None, None, UNICODE)
        told = " ".join(text for row in rows for text, _ in row.text)
        assert words in told


def test_the_app_and_status_tell_the_same_of_what_is_lost() -> None:
    sample = crashed()
    status = show_status(ClaudeCode(), sample.session, sample.story, sample.checkout)
    assert status.next.open
    assert "src/vat.py" in next_parts(status)[0]
    assert "src/vat.py" in status.next.why


def test_where_lost_work_is_announced_its_way_back_is_named() -> None:
    sample = crashed()
    way = f"refloat salvage {sample.session.name} --out lost.patch"
    status = show_status(ClaudeCode(), sample.session, sample.story, sample.checkout)
    assert status.next.salvage == way
    assert "desk.salvage" in next_actions(status)
    assert any(file.found_in for file in sample.checkout.files if file.path == "src/vat.py")
    texts = {
        "status": [*status_lines(status, 400)],
        "checkout": [*checkout_lines(sample.checkout, 400, patch=False)],
        "triage": [*triage_lines(sample.triage, 400)],
        "recap": [*recap_lines(show_recap(sample.story), 400)],
    }
    assert [name for name, lines in texts.items() if way not in "\n".join(lines)] == []
    gone = next(card for card in cards_of(sample.triage, Given()) if card.finding.recoverable_from)
    assert "`refloat salvage` writes it out" in "".join(text for text, _ in card_words(gone, UNICODE))


def test_next_keeps_the_look_outside_beside_what_is_lost() -> None:
    sample = crashed()
    first, then = next_parts(show_status(ClaudeCode(), sample.session, sample.story, sample.checkout))
    assert first.startswith("First know: the edit of src/vat.py is lost from the checkout")
    before = next_parts(show_status(ClaudeCode(), sample.session, sample.story))
    assert before == ("", then) == ("", "Look at what step 8 did, then start a linked session with the brief.")


def test_what_stands_nowhere_has_no_way_back() -> None:
    sample = crashed()
    files = tuple(replace(file, found_in=()) for file in sample.checkout.files)
    status = show_status(ClaudeCode(), sample.session, sample.story, replace(sample.checkout, files=files))
    assert "src/vat.py" in status.next.why
    assert status.next.salvage is None
    assert "refloat salvage" not in status.next.why
    assert "desk.salvage" not in next_actions(status)
    assert "refloat salvage" not in "".join(triage_lines(EMPTY, 400))


def test_lines_of_somebody_else_are_not_counted_beside_a_file() -> None:
    sample = crashed()
    status = show_status(ClaudeCode(), sample.session, sample.story, sample.checkout)

    def counts(owner: Owner) -> bool:
        files = tuple(
            replace(file, hunks=tuple(replace(hunk, owner=owner) for hunk in file.hunks))
            for file in sample.checkout.files
        )
        checkout = replace(sample.checkout, files=files)
        rows = recap_rows(sample.story, status, checkout, None, UNICODE)
        return any("+1" in text for row in rows for text, _ in row.text)

    assert counts(Owner.THIS_SESSION)
    assert not counts(Owner.OTHER_SESSION)
    assert not counts(Owner.MIXED)


def test_the_saved_say_how_many_were_seen() -> None:
    seen = finding("a", "edit", FindingVerdict.CONFIRMED)
    failed = finding("pytest", "check", FindingVerdict.RECORDED)
    cards = [Card(row.what, row, "saved", "saved", "", looked=False) for row in (seen, failed)]
    assert pile_words(cards, "saved") == " (1 confirmed)"
    assert pile_words(cards[:1], "saved") == ""
    assert pile_words(cards, "gone") == ""


def test_outcomes_come_before_a_pile_would_mislead() -> None:
    seen = finding("src/a.py edited", "edit", FindingVerdict.CONFIRMED)
    red = replace(finding("pytest -q", "check", FindingVerdict.RECORDED), why="it failed with exit code 1")
    lost = finding("src/b.py edited", "edit", FindingVerdict.LOST)
    push = finding("git push origin main", "external", FindingVerdict.LOST)
    cards = [Card(row.what, row, "saved", "saved", "", looked=False) for row in (seen, red)]
    cards += [Card(row.what, row, "gone", "gone", "", looked=False) for row in (lost, push)]
    assert pile_words(cards, "saved") == " (1 failed, 1 confirmed)"
    assert pile_words(cards, "gone") == " (1 unknown, 1 lost)"
    assert pile_words(cards[:3], "gone") == ""
    moved = Card(seen.what, seen, "gone", "saved", "I saw it go", looked=False)
    assert pile_words([*cards, moved], "gone") == " (1 unknown, 1 lost, 1 moved)"
    assert pile_words([moved], "gone") == " (1 moved)"
    assert evidence(moved, UNICODE)[0][0] == "\u201cI saw it go\u201d \u00b7 "
    assert what_words(red, UNICODE) == "failed: pytest -q"
    assert what_words(push, UNICODE) == "outcome unknown: git push origin main"
    assert (what_words(seen, UNICODE), what_words(lost, UNICODE)) == (seen.what, lost.what)
    told = "\n".join(triage_lines(replace(EMPTY, saved=(seen, red), gone=(lost, push)), 400))
    assert "gone 2 (1 lost, 1 of unknown outcome)" in told
    assert "  FAILED       pytest -q" in told
    assert "  UNKNOWN      git push origin main" in told
    assert "GONE (stands nowhere, or nobody knows how it ended)" in told


def test_a_check_that_failed_is_never_told_as_work_that_holds() -> None:
    run = CheckRun(2, Outcome.ERROR, 1, None, Freshness.STALE, "src/a.py was written after it")
    step = make_step(2, StepKind.CHECK, "pytest -q", outcome=Outcome.ERROR)
    checkout = replace(crashed().checkout, files=(), checks=(run,))
    (failed,) = sort_findings([step], checkout, {}, []).saved
    assert (failed.verdict, failed.known_as, failed.failed) == (FindingVerdict.STALE, "failed", True)
    claim = replace(finding("Committed it.", "committed", FindingVerdict.CONFIRMED), claim="committed")
    lines = [*triage_lines(replace(EMPTY, saved=(failed, claim)), 400)]
    assert "saved 2 (1 confirmed, 1 result of a failed check, 1 claim borne out) · claimed 0" in lines[0]
    assert any(line.startswith("  FAILED") and "pytest -q" in line for line in lines)


def test_before_anything_was_counted_no_number_is_told() -> None:
    def right(*, reading: str) -> str:
        return "".join(text for text, _ in headline(None, (), "", "/home/a", UNICODE, reading=reading)[1])

    assert right(reading="reading…").strip().endswith("reading…")
    assert "session" not in right(reading="reading…")
    assert right(reading="") == "0 sessions"


def test_of_a_part_no_state_is_counted() -> None:
    def right(total: int) -> str:
        told = headline(None, (make_session(),), "", "/home/a", UNICODE, reading="reading…", total=total)
        return "".join(text for text, _ in told[1])

    assert right(2000).startswith("2,000 sessions   ")
    assert right(1).startswith("1 session · 1 failed")


def test_control_characters_of_a_file_name_are_named_in_the_triage() -> None:
    row = finding("a\nb.py edited", "edit", FindingVerdict.CONFIRMED, ("a\nb.py",))
    assert what_words(row, ASCII) == "a\\nb.py edited"


def test_the_recap_judges_words_as_triage_does_and_says_nothing_before_it_has_looked() -> None:
    sample = crashed()
    status = show_status(ClaudeCode(), sample.session, sample.story, sample.checkout)
    reply = next(item for item in reversed(sample.story.items) if item.type == "reply" and not item.superseded)
    claim = replace(finding("Committed it.", "committed", FindingVerdict.CONFIRMED), claim="committed")

    def told(triage: Triage | None) -> str:
        rows = recap_rows(sample.story, status, sample.checkout, triage, UNICODE)
        return "\n".join("".join(text for text, _ in row.text) for row in rows)

    assert "its own words; holding them against the evidence" in told(None)
    assert "no rule" not in told(None)
    assert "its own words; no rule finds a claim in them" in told(EMPTY)
    assert "Committed it.  confirmed: why" in told(replace(EMPTY, saved=(replace(claim, message=reply.n),)))
    against = replace(claim, verdict=FindingVerdict.CONTRADICTED)
    assert "Committed it.  contradicted: why" in told(replace(EMPTY, claimed=(against,)))


def test_open_steps_that_only_looked_are_told_apart_from_open_work() -> None:
    steps = [
        make_step(1, StepKind.COMMAND, "make dist", outcome=Outcome.DANGLING),
        make_step(2, StepKind.READ, "src/vat.py", outcome=Outcome.DANGLING),
        make_step(3, StepKind.SEARCH, "VAT", outcome=Outcome.DANGLING),
    ]
    session = make_session()
    story = make_story(session, tuple(steps))
    status = show_status(ClaudeCode(), session, story)
    assert [step.n for step in status.open_steps] == [1, 2, 3], "the answer holds every call without a result"
    lines = list(status_lines(status, 200))
    below = lines[lines.index("OPEN STEPS") + 1 :]
    assert below[0].startswith("  step 1  command  make dist")
    assert below[1] == "  only looked: steps 2, 3; nothing is lost with what has no result"
    work = broken_step(status)
    assert work is not None
    assert work.n == 1
    assert "more" not in "".join(text for text, _ in verdict_detail(status, UNICODE))
    looked = broken_step(replace(status, open_steps=tuple(steps[1:])))
    assert looked is not None
    assert looked.n == 3


def test_what_goes_on_here_is_copied_as_refloats_own_command() -> None:
    session = make_session()
    then = NextOperation("continue", ("claude", "--resume", "5d"), "/home/ana/shop", "its last turn ended")
    assert then.guarded(session.name) == ("refloat", "continue", session.name)
    assert replace(then, operation="new_linked").guarded(session.name) is None
    assert replace(then, workspace=None).guarded(session.name) is None
    status = replace(show_status(ClaudeCode(), session, make_story(session, ())), next=then)
    lines = "\n".join(status_lines(status, 200))
    assert "$ claude --resume 5d" in lines
    assert f"`refloat continue {session.name}` does it" in lines


def test_a_refusal_tells_times_as_the_app_tells_all_others() -> None:
    at = "2026-09-14T12:03:11.123Z"
    offer = Offer(
        Asked("continue", SessionName("claude-code:5d")), "Continue?", ("claude",), "claude", None, (), (),
        f"bob@devbox since {at}", f"its last record of {at} is younger than its process", refused=True, notes=(at,),
    )  # fmt: skip
    told = "".join(line.lead + "".join(text for text, _ in line.text) for line in offer_lines(offer, "", ()))
    assert told.count("2026-09-14 12:03:11") == 3
    assert ".123" not in told


def test_a_path_that_is_too_wide_is_broken_behind_a_slash() -> None:
    lines = [line.plain.rstrip() for line in wrapped((("tests/test_importer.py edited", ""),), 20)]
    assert lines == ["tests/", "test_importer.py", "edited"]
    assert [line.plain.rstrip() for line in wrapped((("look at src/a.py now", ""),), 10)] == [
        "look at",
        "src/a.py",
        "now",
    ]
    assert all(line.cell_length <= 8 for line in wrapped((("/a/very_long_name_without_end/x/y/z", ""),), 8))


def test_an_action_that_failed_is_never_told_as_work_that_holds() -> None:
    step = make_step(2, StepKind.EXTERNAL, "npm publish", outcome=Outcome.ERROR)
    checkout = replace(crashed().checkout, files=(), checks=())
    (failed,) = sort_findings([step], checkout, {}, find_actions([step])).saved
    assert (failed.verdict, failed.known_as, failed.failed) == (FindingVerdict.RECORDED, "failed", True)
    assert failed.why.startswith("it failed")
    lines = [*triage_lines(replace(EMPTY, saved=(failed,)), 400)]
    assert "saved 1 (0 confirmed, 1 action that failed)" in lines[0]
    assert any(line.startswith("  FAILED") and "npm publish" in line for line in lines)


def test_where_there_is_no_repository_nothing_is_checked_out() -> None:
    checkout = replace(crashed().checkout, repo=None, branch=None, head=None, base=Base(None, "there is no repository"))
    lines = [*checkout_lines(checkout, 200, patch=False)]
    assert lines[0] == "CHECKOUT  no repository"
    assert not any("HEAD" in line for line in lines)
