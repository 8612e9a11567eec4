"""What the other side's answer tells of a push, and what it leaves open."""

from dataclasses import replace

import pytest

from refloat.model.recovery import Inspected, Probe, Probed
from refloat.testing.rescues import plain_brief
from refloat.testing.samples import at, crashed
from refloat.usecases.judge_look import OwnCommit, judge_look, own_commits
from refloat.usecases.recover import answer, begin, next_of, uncertain_rows
from refloat.usecases.write_recovery import brief_of

BASE, FIRST, LAST, FOREIGN = "a" * 40, "b" * 40, "c" * 40, "d" * 40
COMMITS = (OwnCommit(3, FIRST), OwnCommit(5, LAST))
NOT_LAST = "not at ccccccc, the commit of step 5"
ASK = ("git", "ls-remote", "origin", "main")


def looked(out: str, argv: tuple[str, ...] = ASK, code: int = 0) -> Probe:
    return Probe(argv, code, out, at(9))


@pytest.mark.parametrize(
    ("sha", "told"),
    [
        (LAST, "main is at ccccccc there, the commit of step 5: it is there"),
        (FIRST, f"main is at bbbbbbb there, the commit of step 3, {NOT_LAST}: it is not there"),
        (BASE, f"main is at aaaaaaa there, where the session began, {NOT_LAST}: it is not there"),
        (FOREIGN, f"main is at ddddddd there, {NOT_LAST}"),
    ],
)
def test_the_commit_that_stands_there_is_told_beside_the_sessions_own(sha: str, told: str) -> None:
    other = f"{FOREIGN}\trefs/heads/old/main\n"  # git matches the end of a name
    assert judge_look(looked(f"{other}{sha}\trefs/heads/main"), COMMITS, BASE) == told


def test_what_cannot_be_judged_is_not() -> None:
    line = f"{LAST}\trefs/heads/main"
    assert judge_look(looked(""), COMMITS, BASE) == "there is no main at the remote: it is not there"
    assert judge_look(looked(line, code=128), COMMITS, BASE) == ""
    assert judge_look(looked(line, ("gh", "pr", "list")), COMMITS, BASE) == ""
    assert judge_look(looked(line), (), BASE) == ""
    assert judge_look(looked(line, (*ASK, "next")), COMMITS, BASE) == ""
    assert judge_look(looked("hello"), COMMITS, BASE) == ""


def test_the_page_and_the_brief_tell_it() -> None:
    sample = crashed()
    base = plain_brief(sample, None)
    begun = begin(sample.session, sample.story, sample.checkout, sample.triage, base, by="ana@harbour")
    row = uncertain_rows(begun)[0]
    own = own_commits(sample.triage, row.step)[-1]
    assert own.step == 5
    assert own_commits(sample.triage, 5) == ()
    assert row.probe is not None
    probe = looked(f"{BASE}\trefs/heads/fix/rounding", row.probe)
    said = answer(begun, Probed(row.key, probe))
    assert uncertain_rows(said)[0].told.endswith(f"not at {own.sha[:7]}, the commit of step 5")
    text = brief_of(said, lambda answers: plain_brief(sample, answers)).markdown
    assert f"{BASE} refs/heads/fix/rounding (fix/rounding is at aaaaaaa there, not at {own.sha[:7]}" in text


def test_the_next_step_is_the_one_of_the_brief_that_knows_the_answers() -> None:
    sample = crashed()
    begun = begin(
        sample.session, sample.story, sample.checkout, sample.triage, plain_brief(sample, None), by="ana@harbour"
    )
    said = answer(begun, Inspected("8", "happened"))
    newer = replace(begun.base, next_step=begun.base.done_when)
    assert next_of(said) == "Look what step 8 did, then go on."
    assert next_of(said, newer) == "`pytest -q` and `mypy src` pass."
