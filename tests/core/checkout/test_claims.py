"""Claims held against the record: what bears them out, what contradicts them, what made them stale."""

from dataclasses import replace

import pytest
from tests.core.checkout.conftest import Repo
from tests.core.checkout.test_triage import triage

from refloat.model.checkout import PlaceKind
from refloat.model.transcript import Background, Outcome, Plan, StepKind
from refloat.model.triage import Finding, FindingVerdict, Triage
from refloat.testing.stories import StoryBuilder, written

CONFIRMED, RECORDED = FindingVerdict.CONFIRMED, FindingVerdict.RECORDED
UNSUPPORTED, CONTRADICTED, STALE = FindingVerdict.UNSUPPORTED, FindingVerdict.CONTRADICTED, FindingVerdict.STALE
PASSED = "12 passed in 0.10s"


def claims(made: Triage, kind: str | None = None) -> list[Finding]:
    found = [finding for finding in (*made.saved, *made.claimed) if finding.claim and kind in (None, finding.claim)]
    assert all(finding.kind == finding.claim for finding in found)
    piles = [(finding, finding in made.saved) for finding in found]
    assert all(saved == (finding.verdict in {CONFIRMED, RECORDED}) for finding, saved in piles)
    return found


def only(made: Triage, kind: str) -> Finding:
    (finding,) = claims(made, kind)
    return finding


def edit(repo: Repo, story: StoryBuilder, name: str = "a.py", text: str = "x = 1\n") -> None:
    """An edit that stands on disk."""
    story.edit(written(repo.path(name), text))
    repo.write(name, text, len(story.steps) * 10 + 1)


# ── checks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_check_that_passed_after_the_last_edit_confirms(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    story.run("python -m pytest -q", PASSED)
    story.say("All tests pass.")
    found = only(triage(repo, story), "tests_pass")
    assert (found.verdict, found.steps, found.message, found.what) == (CONFIRMED, (2,), 3, "All tests pass.")


def test_without_a_run_nothing_supports_it(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    story.run("ruff check .", "All checks passed!")
    story.say("All tests pass.")
    found = only(triage(repo, story), "tests_pass")
    assert (found.verdict, found.steps, found.why) == (UNSUPPORTED, (), "no test run is recorded before it")


def test_a_failed_run_contradicts(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    story.run("pytest", "1 failed, 6 passed", outcome=Outcome.ERROR, exit_code=1)
    story.say("All tests pass.")
    found = only(triage(repo, story), "tests_pass")
    assert (found.verdict, found.steps) == (CONTRADICTED, (2,))
    assert "failed with exit code 1" in found.why


def test_a_later_edit_makes_it_stale(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest", PASSED)
    edit(repo, story)
    story.say("All tests pass.")
    found = only(triage(repo, story), "tests_pass")
    assert (found.verdict, found.steps) == (STALE, (1,))
    assert "step 2 edited a.py" in found.why


def test_a_run_after_the_words_supports_nothing(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    story.say("All tests pass.")
    story.run("pytest", PASSED)
    found = only(triage(repo, story), "tests_pass")
    assert found.verdict is UNSUPPORTED
    assert "step 2 (`pytest`) came after these words" in found.why


def test_an_earlier_claim_is_stale_even_though_a_later_run_passes(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest", PASSED)
    story.say("All tests pass.")
    edit(repo, story)
    story.run("pytest", PASSED)
    found = only(triage(repo, story), "tests_pass")
    assert found.verdict is STALE
    assert "step 3 (`pytest`) passed after these words" in found.why


def test_the_same_claim_in_two_messages_is_one_finding_of_the_last(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest", PASSED)
    story.say("All tests pass.")
    edit(repo, story)
    story.run("pytest", PASSED)
    story.say("Done. 12 passed.")
    found = only(triage(repo, story), "tests_pass")
    assert (found.verdict, found.steps, found.message) == (CONFIRMED, (3,), 5)


@pytest.mark.parametrize(
    ("output", "verdict"),
    [(PASSED, CONFIRMED), ("1 failed, 3 passed", CONTRADICTED), ("collected 3 items", UNSUPPORTED)],
)
def test_where_a_pipe_hides_the_exit_code_the_output_speaks(repo: Repo, output: str, verdict: FindingVerdict) -> None:
    story = repo.story()
    edit(repo, story)
    story.run("pytest 2>&1 | tail -3", output)
    story.say("All tests pass.")
    assert only(triage(repo, story), "tests_pass").verdict is verdict


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [(Outcome.DANGLING, UNSUPPORTED), (Outcome.INTERRUPTED, UNSUPPORTED), (Outcome.DENIED, CONTRADICTED)],
)
def test_a_run_without_an_end_supports_nothing(repo: Repo, outcome: Outcome, verdict: FindingVerdict) -> None:
    story = repo.story()
    edit(repo, story)
    story.run("pytest", outcome=outcome)
    story.say("All tests pass.")
    assert only(triage(repo, story), "tests_pass").verdict is verdict


def test_a_run_left_in_the_background_supports_nothing(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    shell = Background("b1", "background_shell", "pytest", running=True)
    story.step(StepKind.CHECK, command="pytest", background=shell)
    story.say("All tests pass.")
    assert only(triage(repo, story), "tests_pass").verdict is UNSUPPORTED


def test_each_sort_has_its_own_check(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    story.run("pytest", PASSED)
    story.run("ruff check .", "Found 2 errors.", outcome=Outcome.ERROR, exit_code=1)
    story.run("npm run build")
    story.say("Tests and lint pass, and the build succeeds.")
    made = triage(repo, story)
    assert [(finding.claim, finding.verdict, finding.steps) for finding in claims(made)] == [
        ("tests_pass", CONFIRMED, (2,)),
        ("builds", CONFIRMED, (4,)),
        ("lint_passes", CONTRADICTED, (3,)),
    ]


def test_a_tool_that_is_named_is_looked_for_by_name(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    story.run("ruff check .", "All checks passed!")
    story.say("mypy is clean.")
    found = only(triage(repo, story), "lint_passes")
    assert (found.verdict, found.why) == (UNSUPPORTED, "no run of `mypy` is recorded before it")
    story.run("npm run lint")
    story.say("ESLint is clean.")
    named = next(row for row in claims(triage(repo, story)) if row.what == "ESLint is clean.")
    assert (named.verdict, named.steps) == (CONFIRMED, (3,))


def test_without_a_repository_a_passed_check_is_recorded(bare: Repo) -> None:
    story = bare.story()
    story.run("pytest", PASSED)
    story.say("All tests pass.")
    assert only(triage(bare, story), "tests_pass").verdict is RECORDED


def test_a_check_of_a_sub_agent_counts_and_its_words_do_not(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    helper = StoryBuilder(subagent="h1", workspace=str(repo.root), started=story.at(1))
    helper.run("pytest", PASSED)
    helper.say("I pushed the branch.")
    story.subagents["h1"] = helper.build()
    story.step(StepKind.SUBAGENT, summary="run the tests")
    story.say("All tests pass.")
    made = triage(repo, story)
    assert [(row.claim, row.verdict, row.subagent) for row in claims(made)] == [("tests_pass", CONFIRMED, "h1")]


def test_what_was_taken_back_claims_and_supports_nothing(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest", PASSED)
    story.steps[-1] = replace(story.steps[-1], superseded=True)
    story.say("I pushed the branch.", superseded=True)
    story.say("Thinking: I pushed the branch.", as_="thinking")
    story.say("I pushed the branch.", as_="prompt")
    story.say("All tests pass.")
    assert [(row.claim, row.verdict) for row in claims(triage(repo, story))] == [("tests_pass", UNSUPPORTED)]


# ── fixed, verified ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_fixed_wants_a_check_after_the_last_edit(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest", PASSED)
    edit(repo, story)
    story.say("I fixed the crash.")
    found = only(triage(repo, story), "fixed")
    assert (found.verdict, found.steps) == (UNSUPPORTED, (2,))
    assert "no check ran after step 2" in found.why
    story.run("pytest", PASSED)
    story.say("The crash is fixed.")
    last = claims(triage(repo, story), "fixed")[0]
    assert (last.verdict, last.steps, last.what) == (CONFIRMED, (3,), "The crash is fixed.")


def test_fixed_is_contradicted_by_the_check_that_failed(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    story.run("pytest", "1 failed", outcome=Outcome.ERROR, exit_code=1)
    story.say("I fixed the crash.")
    assert only(triage(repo, story), "fixed").verdict is CONTRADICTED


def test_fixed_without_any_edit_is_unsupported(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest", PASSED)
    story.say("I fixed the crash.")
    assert only(triage(repo, story), "fixed").why == "no edit is recorded before it"


def test_verified_names_what_ran_where_that_is_no_check(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    story.run("./serve --once")
    story.say("I verified that the page loads.")
    found = only(triage(repo, story), "verified")
    assert found.verdict is UNSUPPORTED
    assert "step 2 (`./serve --once`) is no check" in found.why


# ── edits ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_edit_that_is_named_and_stands(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story, "src/retry.py")
    story.say("I added the backoff to `retry.py`.")
    found = only(triage(repo, story), "edited")
    assert (found.verdict, found.files, found.steps) == (CONFIRMED, ("src/retry.py",), (1,))
    assert found.where is not None
    assert found.where.place is PlaceKind.WORKTREE


def test_an_edit_that_no_step_made(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story, "a.py")
    story.say("I updated `a.py` and `b.py`.")
    found = only(triage(repo, story), "edited")
    assert (found.verdict, found.why, found.steps) == (UNSUPPORTED, "no recorded step edits b.py before it", (1,))


def test_an_edit_that_was_refused_or_is_lost(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("no.py"), "x\n"), outcome=Outcome.DENIED)
    story.edit(written(repo.path("lost.py"), "y\n"))
    story.say("I created `no.py`. I created `lost.py`.")
    assert [(row.files, row.verdict) for row in claims(triage(repo, story), "edited")] == [
        (("no.py",), CONTRADICTED),
        (("lost.py",), STALE),
    ]


def test_an_edit_that_comes_after_the_words(repo: Repo) -> None:
    story = repo.story()
    story.say("I created `a.py`.")
    edit(repo, story)
    assert only(triage(repo, story), "edited").verdict is UNSUPPORTED


def test_an_unnamed_edit_is_held_against_its_turn(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story, "old.py")
    story.say("and now?", as_="prompt")
    edit(repo, story, "new.py")
    story.say("I implemented the retry logic. I also added logging.")
    found = only(triage(repo, story), "edited")
    assert (found.verdict, found.files, found.steps) == (CONFIRMED, ("new.py",), (2,))
    assert found.what == "I implemented the retry logic. … I also added logging."


def test_an_unnamed_edit_where_nothing_was_ever_edited(repo: Repo) -> None:
    story = repo.story()
    story.run("cat a.py")
    story.say("I implemented the retry logic.")
    assert only(triage(repo, story), "edited").why == "no edit is recorded before it"


# ── commits, and what is outside ─────────────────────────────────────────────────────────────────────────────────────


def test_a_commit_on_a_branch_confirms_and_a_later_edit_makes_it_stale(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    sha = repo.commit("Handle it", at=15)
    story.run("git commit -qam 'Handle it'", f"[main {sha[:7]}] Handle it")
    story.say("Everything is committed.")
    found = only(triage(repo, story), "committed")
    assert (found.verdict, found.steps) == (CONFIRMED, (2,))
    assert found.where is not None
    assert found.where.commit == sha
    edit(repo, story, "b.py")
    story.say("Everything is committed.")
    found = only(triage(repo, story), "committed")
    assert (found.verdict, found.steps, found.message) == (STALE, (2,), 5)
    assert "step 3" in found.why


def test_a_commit_that_no_step_made_or_that_failed(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    story.say("I committed the change.")
    assert only(triage(repo, story), "committed").verdict is UNSUPPORTED
    story.run("git commit -m x", "nothing to commit", outcome=Outcome.ERROR, exit_code=1)
    story.say("I committed the change.")
    found = only(triage(repo, story), "committed")
    assert (found.verdict, found.steps) == (CONTRADICTED, (2,))


def test_a_commit_that_is_on_no_branch(repo: Repo) -> None:
    story = repo.story()
    edit(repo, story)
    sha = repo.commit("Handle it", at=15)
    repo.git("reset", "-q", "--hard", "HEAD~1", at=30)
    story.run("git commit -qam 'Handle it'", f"[main {sha[:7]}] Handle it")
    story.say(f"Committed as {sha[:7]}.")
    found = only(triage(repo, story), "committed")
    assert (found.verdict, found.steps) == (STALE, (2,))


@pytest.mark.parametrize(
    ("outcome", "code", "verdict"),
    [
        (Outcome.OK, 0, RECORDED),
        (Outcome.ERROR, 1, CONTRADICTED),
        (Outcome.DENIED, None, CONTRADICTED),
        (Outcome.DANGLING, None, UNSUPPORTED),
        (Outcome.INTERRUPTED, None, UNSUPPORTED),
    ],
)
@pytest.mark.parametrize(
    ("command", "said", "kind"),
    [
        ("git push origin fix", "I pushed the branch.", "pushed"),
        ("gh pr create --fill", "I opened PR #12.", "pr_opened"),
        ("npm publish", "Published to npm.", "published"),
        ("kubectl apply -f deploy.yaml", "I deployed it to the cluster.", "deployed"),
        ("make deploy", "Deployed to staging.", "deployed"),
    ],
)
def test_what_is_outside_is_worth_what_its_step_is(
    repo: Repo, command: str, said: str, kind: str, outcome: Outcome, code: int | None, verdict: FindingVerdict
) -> None:
    story = repo.story()
    story.run(command, outcome=outcome, exit_code=code)
    story.say(said)
    found = only(triage(repo, story), kind)
    assert (found.verdict, found.steps) == (verdict, (1,))


def test_outside_without_a_step(repo: Repo) -> None:
    story = repo.story()
    story.run("git push origin fix")
    story.say("I deployed it and opened a PR.")
    made = triage(repo, story)
    assert [(row.claim, row.verdict) for row in claims(made)] == [("pr_opened", UNSUPPORTED), ("deployed", UNSUPPORTED)]


def test_a_commit_after_the_push_was_not_pushed(repo: Repo) -> None:
    story = repo.story()
    story.run("git push")
    story.run("git commit -m 'More'", "[main abc1234] More")
    story.say("Everything is pushed.")
    assert only(triage(repo, story), "pushed").verdict is STALE


def test_a_pull_request_that_the_record_names(repo: Repo) -> None:
    story = repo.story()
    story.mark("pull_request", "created https://example.org/o/r/pull/3")
    story.say("I opened a pull request.")
    found = only(triage(repo, story), "pr_opened")
    assert (found.verdict, found.steps) == (RECORDED, ())


# ── where words stand ────────────────────────────────────────────────────────────────────────────────────────────────


def test_completed_items_of_a_plan_claim(repo: Repo) -> None:
    story = repo.story()
    story.step(StepKind.PLAN)
    story.steps[-1] = replace(
        story.steps[-1],
        input='{"todos": [{"content": "Push the branch", "status": "completed"}, '
        '{"content": "Open a PR", "status": "pending"}]}',
    )
    found = only(triage(repo, story), "pushed")
    assert (found.what, found.message, found.verdict) == ("Push the branch", 1, UNSUPPORTED)
    assert not claims(triage(repo, story), "pr_opened")


def test_a_plan_that_was_told_piece_by_piece_claims(repo: Repo) -> None:
    story = repo.story()
    story.step(StepKind.PLAN)
    built = replace(story.build(), plan=Plan((("Push the branch", "completed"),), 1))
    checkout = repo.compare(built)
    from tests.core.checkout.test_triage import session_of

    from refloat.usecases.triage_session import triage_session

    made = triage_session(repo.bench, built, checkout, session_of(story))
    assert only(made, "pushed").message == 1


def test_a_compaction_summary_claims_and_another_marker_does_not(repo: Repo) -> None:
    story = repo.story()
    story.mark("compaction", "The branch is pushed.\n\n## Pending tasks\n- PR opened", claim=True)
    story.mark("notice", "All tests pass.")
    assert [(row.claim, row.message) for row in claims(triage(repo, story))] == [("pushed", 1)]


def test_two_claims_of_one_message_have_two_keys(repo: Repo) -> None:
    story = repo.story()
    story.say("I fixed the crash. I fixed the leak. I created `a.py`. I created `b.py`.")
    made = triage(repo, story)
    keys = [row.key for row in claims(made)]
    assert len(set(keys)) == len(keys) == 3


@pytest.mark.parametrize(
    ("command", "output", "said", "kind"),
    [
        ("npm publish --dry-run", "", "Published to npm.", "published"),
        ("git push origin main && npm publish --dry-run", "", "Published to npm.", "published"),
        ("gh release create v1 --draft", "", "Published v1.", "published"),
        ("git commit -qm 'release: 1.2'", "", "Published 1.2.", "published"),
        ("gh pr create --fill", "https://example.org/a/b/pull/12", "I opened PR #13.", "pr_opened"),
        ("git push origin main", "", "Pushed the tag v1.2.", "pushed"),
        ("git push origin main", "", "I pushed the release branch.", "pushed"),
        ("git push origin :old", "", "I pushed the branch.", "pushed"),
        ("git push origin --delete old", "", "I pushed the branch.", "pushed"),
    ],
)
def test_what_did_something_else_supports_nothing(repo: Repo, command: str, output: str, said: str, kind: str) -> None:
    story = repo.story()
    story.run(command, output)
    story.say(said)
    assert only(triage(repo, story), kind).verdict is UNSUPPORTED


@pytest.mark.parametrize(
    ("command", "output", "said", "kind"),
    [
        ("gh release create v1 --notes x", "", "Published v1.", "published"),
        ("gh pr create --fill", "https://example.org/a/b/pull/13", "I opened PR #13.", "pr_opened"),
        ("git push origin v1.2", "", "Pushed the tag v1.2.", "pushed"),
        ("git push --tags", "", "Pushed the tag v1.2.", "pushed"),
        ("git push origin release/1.2", "", "I pushed the release branch.", "pushed"),
        ("git push origin fix-12", "", "I pushed the fixed branch.", "pushed"),
        ("git push origin HEAD", "", "I pushed the main branch.", "pushed"),
        ("npm run release", "", "Published to npm.", "published"),
    ],
)
def test_what_did_what_is_said_supports_it(repo: Repo, command: str, output: str, said: str, kind: str) -> None:
    story = repo.story()
    story.run(command, output)
    story.say(said)
    assert only(triage(repo, story), kind).verdict is RECORDED


def test_a_push_whose_time_was_up_contradicts_nothing(repo: Repo) -> None:
    story = repo.story()
    story.run("timeout 5 git push origin main", outcome=Outcome.ERROR, exit_code=124)
    story.say("I pushed the branch.")
    assert only(triage(repo, story), "pushed").verdict is UNSUPPORTED
