"""What the other side's answer tells of a push, and what it leaves open."""

from dataclasses import replace

import pytest

from refloat.model.recovery import Inspected, Probe, Probed
from refloat.model.transcript import Step, StepKind
from refloat.testing.rescues import plain_brief
from refloat.testing.samples import at, crashed, make_step
from refloat.usecases.judge_look import judge_look
from refloat.usecases.recover import answer, begin, next_of, uncertain_rows
from refloat.usecases.write_recovery import brief_of

BASE, FIRST, LAST, FOREIGN = "a" * 40, "b" * 40, "c" * 40, "d" * 40
NOT_LAST = "not at ccccccc, the commit of step 5"
ASK = ("git", "ls-remote", "origin", "main")
PUSH = "git push origin main"


def looked(out: str, argv: tuple[str, ...] = ASK, code: int = 0) -> Probe:
    return Probe(argv, code, out, at(9))


def ran(n: int, command: str, output: str = "", subagent: str | None = None) -> Step:
    return make_step(n, StepKind.COMMAND, command, output=output, subagent=subagent)


def committed(n: int, sha: str, branch: str = "main", command: str = "git commit -qam x || git commit -am x") -> Step:
    return ran(n, command, f"[{branch} {sha[:7]}] x\n 1 file changed\n")


STEPS = (committed(3, FIRST), committed(5, LAST, command="git add -A && git commit -m x"))


def told(sha: str, *steps: Step, push: str = PUSH, ref: str = "refs/heads/main") -> str:
    names = ref.removeprefix("refs/heads/").removeprefix("refs/tags/")
    probe = looked(f"{sha}\t{ref}\n", ("git", "ls-remote", "origin", names))
    return judge_look(probe, (*steps, ran(9, push)), 9, BASE)


@pytest.mark.parametrize(
    ("sha", "words"),
    [
        (LAST, "main is at ccccccc there, the commit of step 5: it is there"),
        (FIRST, f"main is at bbbbbbb there, the commit of step 3, {NOT_LAST}: it is not there"),
        (BASE, f"main is at aaaaaaa there, where the session began, {NOT_LAST}: it is not there"),
        (FOREIGN, f"main is at ddddddd there, {NOT_LAST}"),
    ],
)
def test_the_commit_that_stands_there_is_told_beside_the_sessions_own(sha: str, words: str) -> None:
    other = f"{FOREIGN}\trefs/heads/old/main\n"  # git matches the end of a name
    probe = looked(f"{other}{sha}\trefs/heads/main")
    between = (ran(6, "git status && git log -1"), ran(7, "pytest -q"), ran(8, "git add . && git push origin old"))
    for push in (PUSH, "git push -u origin main", "pytest -q && git push origin main 2>&1 | tail -3"):
        assert judge_look(probe, (*STEPS, *between, ran(9, push)), 9, BASE) == words


@pytest.mark.parametrize("push", ["git push origin HEAD~1:main", "git push origin HEAD:main", "git push origin main v1",
                                  "git push --force origin main", "git push origin +main", "git push",
                                  "git push origin main && git push origin other"])  # fmt: skip
def test_of_a_push_of_something_else_the_fact_alone_is_told(push: str) -> None:
    assert told(FIRST, *STEPS, push=push) == "main is at bbbbbbb there, the commit of step 3"
    assert told(LAST, *STEPS, push=push) == "main is at ccccccc there, the commit of step 5"
    assert told(BASE, *STEPS, push=push) == "main is at aaaaaaa there, where the session began"
    assert told(FOREIGN, *STEPS, push=push) == "main is at ddddddd there"
    assert judge_look(looked(""), (*STEPS, ran(9, push)), 9, BASE) == "there is no main at the remote"


@pytest.mark.parametrize(
    "last",
    [
        (committed(5, LAST, "other", "git switch -c other && git commit -am x"),),
        (committed(5, LAST, "detached HEAD"),),
        (committed(5, LAST), ran(6, "git reset --hard HEAD~1")),
        (committed(5, LAST), ran(6, "git switch other")),
        (committed(5, LAST), ran(6, "git commit -qm y")),
        (committed(5, LAST), ran(6, "python -c 'import os; os.system(\"git reset --hard HEAD~1\")'")),
        (committed(5, LAST), ran(6, "make release", f"[main {FOREIGN[:7]}] Release\n")),
        (committed(5, LAST), ran(6, "git rebase main", subagent="a7c2")),
        (committed(5, LAST, command="git commit -am x && git reset --hard HEAD~1"),),
        (committed(5, LAST, command="git -C ../docs commit -am x"),),
        (committed(5, LAST, command='cd "$(mktemp -d)" && git commit -am x'),),
    ],
)
def test_where_the_last_commit_of_the_branch_is_not_known_the_fact_alone_is_told(last: tuple[Step, ...]) -> None:
    assert told(FIRST, committed(3, FIRST), *last) == "main is at bbbbbbb there, the commit of step 3"
    assert told(LAST, committed(3, FIRST), *last) == "main is at ccccccc there, the commit of step 5"
    assert told(BASE, *last) == "main is at aaaaaaa there, where the session began"
    assert told(FOREIGN, *last) == "main is at ddddddd there"


def test_what_the_pushing_line_itself_commits_is_not_known() -> None:
    push = "git commit -qam z && git push origin main"
    assert told(LAST, *STEPS, push=push) == "main is at ccccccc there, the commit of step 5"


def test_nothing_is_said_of_tags() -> None:
    assert told(FOREIGN, *STEPS, push="git push origin v1", ref="refs/tags/v1") == ""
    none = looked("", ("git", "ls-remote", "origin", "refs/tags/v1"))
    assert judge_look(none, (*STEPS, ran(9, "git push origin refs/tags/v1")), 9, BASE) == ""
    both = looked(f"{LAST}\trefs/heads/main\n{FOREIGN}\trefs/tags/main")
    assert judge_look(both, (*STEPS, ran(9, PUSH)), 9, BASE) == ""


def test_what_cannot_be_judged_is_not() -> None:
    steps = (*STEPS, ran(9, PUSH))
    line = f"{LAST}\trefs/heads/main"
    assert judge_look(looked(""), steps, 9, BASE) == "there is no main at the remote"
    assert judge_look(looked(line, code=128), steps, 9, BASE) == ""
    assert judge_look(looked(line, ("gh", "pr", "list")), steps, 9, BASE) == ""
    assert judge_look(looked(line), (), 9, BASE) == ""
    assert judge_look(looked(line, (*ASK, "next")), steps, 9, BASE) == ""
    assert judge_look(looked("hello"), steps, 9, BASE) == ""


def test_the_page_and_the_brief_tell_it() -> None:
    sample = crashed()
    base = plain_brief(sample, None)
    begun = begin(sample.session, sample.story, sample.checkout, sample.triage, base, by="ana@harbour")
    row = uncertain_rows(begun)[0]
    assert row.probe is not None
    probe = looked(f"{BASE}\trefs/heads/fix/rounding", row.probe)
    said = answer(begun, Probed(row.key, probe))
    assert uncertain_rows(said)[0].told.endswith("not at 9c0e2b1, the commit of step 5")
    text = brief_of(said, lambda answers: plain_brief(sample, answers)).markdown
    assert f"{BASE} refs/heads/fix/rounding (fix/rounding is at aaaaaaa there, not at 9c0e2b1" in text


def test_the_next_step_is_the_one_of_the_brief_that_knows_the_answers() -> None:
    sample = crashed()
    begun = begin(
        sample.session, sample.story, sample.checkout, sample.triage, plain_brief(sample, None), by="ana@harbour"
    )
    said = answer(begun, Inspected("8", "happened"))
    newer = replace(begun.base, next_step=begun.base.done_when)
    assert next_of(said) == "Look what step 8 did, then go on."
    assert next_of(said, newer) == "`pytest -q` and `mypy src` pass."
