"""The seven pages without a screen."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refloat.errors import NotDone
from refloat.model.brief import SECTIONS
from refloat.model.checkout import DirtyHunk, OtherChange, Owner
from refloat.model.recovery import (
    LOOKED_SAID,
    PAGES,
    PILES,
    PROCESS_SAID,
    ChosePath,
    EditedLine,
    Given,
    Inspected,
    LineEdit,
    LookedAt,
    MovedTo,
    Page,
    Said,
    SaidDoneWhen,
    SaidGoal,
    SaidHappened,
    SaidHunk,
    SaidNext,
    SaidOwner,
    SaidProcess,
    SaidTitle,
    Seen,
    WentOn,
    WentTo,
)
from refloat.model.stamp import Stamp
from refloat.readers.registry import load
from refloat.record.drafts import read_state, write_state
from refloat.testing.rescues import ScriptedLauncher, plain_brief, rescue_of, still_machine
from refloat.testing.samples import SAMPLES, Sample, crashed, live, stopped, unresolved
from refloat.usecases.keep_draft import open_drafts
from refloat.usecases.recover import (
    Recovery,
    answer,
    begin,
    cards,
    done_when_of,
    goal_of,
    happened_of,
    next_of,
    next_owner,
    next_page,
    owner_rows,
    previous_page,
    process_of,
    resume,
    see,
    uncertain_rows,
)
from refloat.usecases.rescue import Case, open_rescue
from refloat.usecases.workbench import Workbench
from refloat.usecases.write_recovery import answers_of, brief_of


def begun(sample: Sample) -> Recovery:
    base = plain_brief(sample, None)
    return begin(sample.session, sample.story, sample.checkout, sample.triage, base, by="ana@harbour")


def written(sample: Sample, recovery: Recovery) -> str:
    return brief_of(recovery, lambda answers: plain_brief(sample, answers)).markdown


def test_pages_follow_the_design() -> None:
    assert [page.value for page in PAGES] == [
        "process", "happened", "checkout", "triage", "uncertain", "goal", "brief"
    ]  # fmt: skip
    assert previous_page(Page.PROCESS) is None
    assert next_page(Page.BRIEF) is None
    for page in PAGES[:-1]:
        after = next_page(page)
        assert after is not None
        assert previous_page(after) == page


@pytest.mark.parametrize("name", SAMPLES)
def test_nobody_needs_to_say_anything(name: str) -> None:
    sample = SAMPLES[name]()
    recovery = begun(sample)
    for page in PAGES:
        recovery = answer(recovery, WentOn(page))
    assert recovery.given.passed == frozenset(PAGES)
    assert recovery.given.page is Page.BRIEF
    assert written(sample, recovery) == plain_brief(sample, None).markdown
    assert "ana@harbour" not in written(sample, recovery)


def test_pages_are_filled_from_evidence() -> None:
    recovery = begun(crashed())
    assert process_of(recovery) == "gone"
    assert happened_of(recovery) == "Process exit: the process is gone and the turn is open"
    assert goal_of(recovery).startswith("Round prices half to even.")
    assert next_of(recovery) == "Look what step 8 did, then go on."
    assert done_when_of(recovery) == ("`pytest -q` and `mypy src` pass.",)
    assert process_of(begun(live())) == "running"
    assert process_of(begun(unresolved())) == "unknown"
    assert happened_of(begun(stopped())).startswith("The last turn ended")


def test_files_without_an_owner_come_first_and_can_be_given_one() -> None:
    recovery = begun(crashed())
    first = owner_rows(recovery)[0]
    assert (first.path, first.owner, first.open) == ("src/settings.py", Owner.UNKNOWN, True)
    said = answer(recovery, SaidOwner(first.path, next_owner(first)))
    row = owner_rows(said)[0]
    assert (row.path, row.owner, row.by_person, row.found) == (first.path, Owner.THIS_SESSION, True, Owner.UNKNOWN)
    assert "src/settings.py: dirty, owner this session (ana@harbour)" in written(crashed(), said)
    assert owner_rows(answer(said, SaidOwner(first.path, None))) == owner_rows(recovery)


def test_an_owner_is_said_place_by_place_where_several_had_a_hand() -> None:
    sample = crashed()
    lines = (("-a", "+b"), ("-c", "+d"), ("-a", "+b"))
    owners = (Owner.THIS_SESSION, Owner.UNKNOWN, Owner.UNKNOWN)
    hunks = tuple(
        DirtyHunk(10 * n, 1, 10 * n, 1, pair, owner, None)
        for n, (pair, owner) in enumerate(zip(lines, owners, strict=True), start=1)
    )
    change = OtherChange("src/both.py", " M", Owner.MIXED, None, "", hunks)
    sample = replace(sample, checkout=replace(sample.checkout, other_changes=(change,)))
    recovery = begun(sample)
    row = owner_rows(recovery)[0]
    assert (row.path, row.open, len({place.key for place in row.places})) == ("src/both.py", True, 3)
    for place in row.places[1:]:
        recovery = answer(recovery, SaidHunk(place.key, Owner.COMMAND))
    row = next(row for row in owner_rows(recovery) if row.path == "src/both.py")
    assert (row.owner, row.open, row.by_person) == (Owner.MIXED, False, False)
    told = answers_of(recovery).owners["src/both.py"]
    assert told == "this session (line 10); a command that the session ran (lines 20, 30)"
    whole = answer(recovery, SaidOwner("src/both.py", Owner.PREDATES))
    assert answers_of(whole).owners["src/both.py"] == "predates"
    for place in row.places[1:]:
        recovery = answer(recovery, SaidHunk(place.key, None))
    assert "src/both.py" not in answers_of(recovery).owners


def test_owners_go_round() -> None:
    row, seen = owner_rows(begun(crashed()))[0], list[str]()
    for _ in range(5):
        row = replace(row, owner=next_owner(row))
        seen.append(str(row.owner))
    assert sorted(seen) == sorted({*seen})
    assert row.owner == Owner.UNKNOWN
    assert next_owner(replace(row, owner="the cat")) == Owner.THIS_SESSION


def test_findings_move_with_a_reason_and_back() -> None:
    recovery = begun(crashed())
    lost = next(card for card in cards(recovery) if card.pile == "gone" and card.finding.kind == "edit")
    moved = answer(recovery, MovedTo(lost.key, "saved", "I have it in another clone"))
    card = next(card for card in cards(moved) if card.key == lost.key)
    assert (card.pile, card.found, card.reason) == ("saved", "gone", "I have it in another clone")
    looked = answer(moved, LookedAt(lost.key, looked=True))
    assert next(card for card in cards(looked) if card.key == lost.key).looked
    assert cards(answer(moved, MovedTo(lost.key, None))) == cards(recovery)


def test_keys_of_findings_differ() -> None:
    keys = [card.key for card in cards(begun(crashed()))]
    assert len(keys) == len(set(keys))


def test_uncertain_steps_are_named_once_external_ones_first() -> None:
    rows = uncertain_rows(begun(crashed()))
    assert [(row.step, row.kind) for row in rows] == [(8, "external"), (10, "dangling"), (9, "dangling")]
    assert rows[0].probe == ("git", "ls-remote", "origin", "refs/heads/fix/rounding")
    assert all(row.said == "unknown" and not row.by_person for row in rows)
    said = answer(begun(crashed()), Inspected("8", "happened", "seen on the server"))
    assert uncertain_rows(said)[0].by_person
    assert "git push origin fix/rounding: happened seen on the server (ana@harbour)" in written(crashed(), said)


def test_a_look_that_cannot_tell_is_not_offered_as_one() -> None:
    sample, why = crashed(), "no remote `origin` is configured here"
    rows = tuple(replace(row, no_look=why) for row in sample.triage.do_not_repeat)
    row = uncertain_rows(begun(replace(sample, triage=replace(sample.triage, do_not_repeat=rows))))[0]
    assert (row.step, row.probe) == (8, None)
    assert row.why.endswith(f"No look from here can tell: {why}.")
    assert "No look" not in uncertain_rows(begun(sample))[0].why


def test_words_of_a_person_stand_in_the_brief_as_theirs() -> None:
    recovery = answer(begun(crashed()), SaidProcess("gone", "I closed the laptop"))
    recovery = answer(recovery, SaidHappened("The battery\nwas empty"))
    recovery = answer(recovery, SaidDoneWhen(("all green", "pushed")))
    text = written(crashed(), recovery)
    assert "Original process: gone; I closed the laptop (ana@harbour)" in text
    assert "What happened: The battery was empty (ana@harbour)" in text
    assert "- all green (ana@harbour)\n- pushed (ana@harbour)" in text


def test_a_line_can_be_changed_taken_out_and_added() -> None:
    recovery = begun(crashed())
    head = recovery.base.current_artifact[0].text
    for edit in (
        LineEdit(head, "HEAD is mine"),
        LineEdit("", "One more"),
        LineEdit("config/local.toml: dirty, owner predates", ""),
    ):
        recovery = answer(recovery, EditedLine("current_artifact", edit))
    text = written(crashed(), recovery)
    assert "- HEAD is mine (ana@harbour)" in text
    assert "- One more (ana@harbour)" in text
    assert "config/local.toml" not in text
    assert "src/settings.py: dirty, owner unknown (verified)" in text


def test_an_edited_line_can_be_edited_again_and_back() -> None:
    recovery = begun(crashed())
    head = recovery.base.current_artifact[0].text
    for was, now in ((head, "a"), ("a", "b"), ("b", head)):
        recovery = answer(recovery, EditedLine("current_artifact", LineEdit(was, now)))
    assert recovery.given.edits["current_artifact"] == ()
    assert written(crashed(), recovery) == plain_brief(crashed(), None).markdown


def test_an_added_line_can_be_edited_and_taken_out() -> None:
    recovery = begun(crashed())
    for was, now in (("", "new"), ("new", "newer")):
        recovery = answer(recovery, EditedLine("done_when", LineEdit(was, now)))
    assert recovery.given.edits["done_when"] == (LineEdit("", "newer"),)
    recovery = answer(recovery, EditedLine("done_when", LineEdit("newer", "")))
    assert recovery.given.edits["done_when"] == ()


def test_an_edit_survives_a_line_that_moved() -> None:
    recovery = begun(crashed())
    recovery = answer(recovery, EditedLine("current_artifact", LineEdit("HEAD 1234567 on main", "HEAD as I left it")))
    text = written(crashed(), recovery)
    assert "- HEAD 9c0e2b1 on fix/rounding (verified)" in text
    assert "- HEAD as I left it (ana@harbour)" in text


def test_what_moved_is_told() -> None:
    recovery = begun(crashed())
    with_answers = answer(recovery, SaidGoal("ship it"))
    drafts_given, seen = with_answers.given, see(with_answers)
    full = crashed()
    moved = replace(
        full,
        session=replace(full.session, transcript=replace(full.session.transcript, bytes=50_000)),
        checkout=replace(full.checkout, head="f" * 40, other_changes=full.checkout.other_changes[:1]),
    )
    from refloat.model.recovery import Draft

    stamp = Stamp("2026-09-14T14:00:00.000Z")
    draft = Draft("x", full.session.name, "", stamp, stamp, 2, drafts_given, seen)
    again = resume(begun(moved), draft)
    assert again.given.goal == "ship it"
    assert again.changed == (
        "HEAD was 9c0e2b1 and is fffffff",
        "the transcript had 48,213 bytes and has 50,000",
        "src/settings.py is as git has it, gone, or written by Refloat now",
    )
    assert resume(begun(full), draft).changed == ()


words = st.text(max_size=10)
maybe = st.none() | words
keys = st.sampled_from([card.key for card in cards(begun(crashed()))] + ["8", "9", "a7c2/1", "strange"])
sections = st.sampled_from([section for section, _ in SECTIONS])
lines = st.sampled_from([line.text for line in begun(crashed()).base.current_artifact] + ["", "x", "y"])
anything: st.SearchStrategy[Said] = st.one_of(
    st.builds(WentOn, st.sampled_from(PAGES)),
    st.builds(WentTo, st.sampled_from(PAGES)),
    st.builds(SaidProcess, st.none() | st.sampled_from(PROCESS_SAID), words),
    st.builds(SaidHappened, maybe),
    st.builds(SaidOwner, st.sampled_from(["src/settings.py", "gone.py"]), maybe),
    st.builds(LookedAt, keys, st.booleans()),
    st.builds(MovedTo, keys, st.none() | st.sampled_from(PILES), words),
    st.builds(Inspected, keys, st.none() | st.sampled_from(LOOKED_SAID), words),
    st.builds(SaidGoal, maybe),
    st.builds(SaidNext, maybe),
    st.builds(SaidDoneWhen, st.none() | st.lists(words, max_size=3).map(tuple)),
    st.builds(SaidTitle, maybe),
    st.builds(EditedLine, sections, st.builds(LineEdit, lines, lines)),
    st.builds(ChosePath, maybe),
)


@settings(max_examples=60)
@given(st.lists(anything, max_size=12))
def test_any_sequence_of_answers_comes_back_the_same(sequence: list[Said]) -> None:
    recovery = begun(crashed())
    for said in sequence:
        recovery = answer(recovery, said)
    given_, seen = read_state(write_state(recovery.given, see(recovery)))
    assert given_ == recovery.given
    assert seen == see(recovery)
    assert written(crashed(), replace(begun(crashed()), given=given_)) == written(crashed(), recovery)


def test_taking_everything_back_leaves_the_evidence() -> None:
    recovery = begun(crashed())
    taken = (
        SaidProcess(None), SaidHappened(None), SaidOwner("src/settings.py", None), MovedTo("x", None),
        Inspected("8", None), SaidGoal(None), SaidNext(None), SaidDoneWhen(None), SaidTitle(None),
    )  # fmt: skip
    for said in (SaidProcess("running", "n"), SaidHappened("h"), SaidOwner("src/settings.py", "me"), *taken):
        recovery = answer(recovery, said)
    assert recovery.given == Given()


def test_the_rescue_keeps_each_answer(tmp_path: Path) -> None:
    machine = still_machine(tmp_path)
    with open_drafts(machine) as drafts:
        rescue = rescue_of(crashed(), machine, drafts=drafts)
        kept = rescue.take_up()
        assert not kept.resumed
        rescue.save(answer(kept.recovery, SaidGoal("ship it")))
    with open_drafts(machine) as drafts:
        again = rescue_of(crashed(), machine, drafts=drafts).take_up()
        assert again.resumed
        assert again.recovery.given.goal == "ship it"
        assert [draft.title for draft in drafts.find()] == ["Round prices half to even"]


def test_without_a_place_answers_live_in_memory_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    machine = still_machine(tmp_path)
    with open_drafts(machine) as drafts:
        rescue = rescue_of(crashed(), machine, drafts=drafts)
        assert rescue.why_memory is not None
        assert "not saved" in rescue.why_memory
        kept = rescue.take_up()
        assert rescue.save(answer(kept.recovery, SaidGoal("ship it"))).recovery.given.goal == "ship it"


def test_the_brief_is_put_privately_and_never_over_a_file_unasked(tmp_path: Path) -> None:
    machine = still_machine(tmp_path)
    with open_drafts(machine) as drafts:
        rescue = rescue_of(crashed(), machine, drafts=drafts, cwd=tmp_path)
        recovery = rescue.take_up().recovery
        path = rescue.usual_path()
        assert path == tmp_path / "HANDOFF.md"  # the workspace of the sample exists nowhere
        done = rescue.put(recovery, path, overwrite=False)
        assert done.given.written is not None
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.read_text() == rescue.brief(recovery).markdown
        with pytest.raises(NotDone, match="there already"):
            rescue.put(recovery, path, overwrite=False)
        path.write_text("old")
        rescue.put(recovery, path, overwrite=True)
        assert path.read_text().startswith("# Round prices")
        assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".HANDOFF")] == []


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    (tmp_path / "HANDOFF.md").symlink_to(target)
    machine = still_machine(tmp_path)
    with open_drafts(machine) as drafts:
        rescue = rescue_of(crashed(), machine, drafts=drafts, cwd=tmp_path)
        rescue.put(rescue.take_up().recovery, tmp_path / "HANDOFF.md", overwrite=True)
    assert target.read_text() == "precious"
    assert not (tmp_path / "HANDOFF.md").is_symlink()


def test_a_probe_runs_the_command_that_was_shown(tmp_path: Path) -> None:
    launcher = ScriptedLauncher()
    machine = still_machine(tmp_path, launcher)
    with open_drafts(machine) as drafts:
        rescue = rescue_of(crashed(), machine, drafts=drafts)
        recovery = rescue.take_up().recovery
        first, second, _ = uncertain_rows(recovery)
        assert rescue.may_probe(first) is None
        recovery = answer(recovery, rescue.probe(first))
        assert launcher.asked == [first.probe]
        looked = uncertain_rows(recovery)[0].looked
        assert looked is not None
        assert "refs/heads/fix/rounding" in looked.out
        assert rescue.may_probe(second) is not None
        with pytest.raises(NotDone):
            rescue.probe(second)
        known = crashed().triage
        rows = tuple(replace(row, no_look="no remote `origin` is configured here") for row in known.do_not_repeat)
        deaf = rescue_of(replace(crashed(), triage=replace(known, do_not_repeat=rows)), machine, drafts=drafts)
        why = "No remote `origin` is configured here: the look would have nobody to ask."
        assert deaf.may_probe(replace(first, probe=None)) == why
        masked = replace(first, probe=("git", "ls-remote", "https://***@host/x"))
        assert "secret" in (rescue.may_probe(masked) or "")


def test_seen_is_empty_for_an_unbound_session() -> None:
    assert see(begun(SAMPLES["unbound"]())) == Seen(state="unbound", transcript=48_213)


def test_the_real_brief_takes_every_answer(tmp_path: Path) -> None:
    machine, sample = still_machine(tmp_path), crashed()
    bench = Workbench(machine, (load("claude-code"),))
    case = Case(sample.session, sample.story, sample.checkout, sample.triage)
    with open_drafts(machine) as drafts:
        rescue = open_rescue(bench, drafts, case, cwd=tmp_path)
        recovery = rescue.take_up().recovery
        assert "ana@harbour" not in rescue.brief(recovery).markdown
        lost = next(card for card in cards(recovery) if card.pile == "gone" and card.finding.kind == "edit")
        for said in (
            SaidProcess("gone", "lid closed"),
            SaidHappened("The battery was empty"),
            SaidOwner("src/settings.py", "Ben"),
            MovedTo(lost.key, "saved", "in my other clone"),
            Inspected("8", "happened", "seen on the server"),
            Inspected("10", "did_not_happen", "never started"),
            SaidGoal("Ship the rounding"),
            SaidNext("Open the pull request"),
            SaidDoneWhen(("CI is green",)),
            EditedLine("established", LineEdit("", "The customer agreed")),
        ):
            recovery = answer(recovery, said)
        text = rescue.brief(recovery).markdown
        for words in (
            "lid closed", "The battery was empty", "Ben", "in my other clone", "src/vat.py", "seen on the server",
            "never started", "Ship the rounding", "Open the pull request", "CI is green", "The customer agreed",
        ):  # fmt: skip
            assert words in text, words
        assert text.count("ana@harbour") >= 9


def test_secrets_are_masked_on_every_page_and_in_the_brief(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    machine, sample = still_machine(tmp_path), crashed()
    probe = ("git", "ls-remote", f"https://ben:{secret}@example.org/shop.git")
    rows = tuple(replace(row, probe=probe) for row in sample.triage.do_not_repeat)
    case = Case(
        replace(sample.session, title=f"use {secret}"), sample.story, sample.checkout,
        replace(sample.triage, do_not_repeat=rows),
    )  # fmt: skip
    with open_drafts(machine) as drafts:
        rescue = open_rescue(Workbench(machine, (load("claude-code"),)), drafts, case, cwd=tmp_path)
        recovery = answer(rescue.take_up().recovery, SaidNext(f"push with {secret}"))
        assert secret not in repr(replace(recovery, given=Given()))
        assert secret not in rescue.brief(recovery).markdown
        assert "secret" in (rescue.may_probe(uncertain_rows(recovery)[0]) or "")
