"""What must not be repeated blindly: which attempts are one action, and what is known of it."""

import json
from dataclasses import replace

import pytest

from refloat.model.transcript import Background, Outcome, Step, StepKind
from refloat.model.triage import ActionOutcome, DoNotRepeat
from refloat.testing.stories import StoryBuilder
from refloat.triage.actions import find_actions, list_actions

DONE, UNKNOWN, NOT_STARTED = ActionOutcome.DONE, ActionOutcome.UNKNOWN, ActionOutcome.NOT_STARTED
SENT = "To example.org:shop.git\n   1a2b3c4..5d6e7f8  topic -> topic"
REFUSED = "To example.org:shop.git\n ! [rejected]        topic -> topic (fetch first)\nerror: failed to push some refs"


def story() -> StoryBuilder:
    return StoryBuilder(workspace="/w")


def rows(made: StoryBuilder, branch: str | None = None) -> tuple[DoNotRepeat, ...]:
    return list_actions(find_actions(made.steps, branch=branch, root="/w", is_repository="/w/repos/b".__eq__))


def told(made: StoryBuilder, branch: str | None = None) -> list[tuple[str, ActionOutcome, int]]:
    return [(row.action, row.outcome, row.times) for row in rows(made, branch)]


@pytest.mark.parametrize(
    ("command", "outcome", "code", "output", "expected"),
    [
        ("git push origin a", Outcome.OK, 0, "", DONE),
        ("git push origin a", Outcome.ERROR, 1, "", UNKNOWN),
        ("git push origin a", Outcome.DANGLING, None, "", UNKNOWN),
        ("git push origin a", Outcome.DENIED, None, "", NOT_STARTED),
        ("git push origin a", Outcome.ERROR, 127, "git: not found", NOT_STARTED),
        ("git push origin a 2>&1 | tail -3", Outcome.OK, 0, "", UNKNOWN),
        ("git push origin a 2>&1 | tail -3", Outcome.OK, 0, SENT.replace("topic", "a"), DONE),
        ("git push origin a 2>&1 | tail -3", Outcome.OK, 0, REFUSED, UNKNOWN),
        ("git push origin a || true", Outcome.OK, 0, "", UNKNOWN),
        ("git push origin a &", Outcome.OK, 0, "", UNKNOWN),
        ("git push origin a; echo done", Outcome.OK, 0, "done", UNKNOWN),
        ("git diff --quiet || git push origin a", Outcome.OK, 0, "", UNKNOWN),
        ("git diff --quiet || git push origin a", Outcome.OK, 0, SENT.replace("topic", "a"), DONE),
        ('[ -n "$CI" ] || git push origin a', Outcome.OK, 0, "", UNKNOWN),
        ("if false; then git push origin a; fi", Outcome.OK, 0, "", UNKNOWN),
        ("set -o pipefail; git push origin a | cat", Outcome.OK, 0, "", DONE),
        ("npm test && git push origin a", Outcome.OK, 0, "", DONE),
        ("npm test && git push origin a", Outcome.ERROR, 1, "Tests:  1 failed, 4 passed, 5 total", NOT_STARTED),
        ("npm test && git push origin a", Outcome.ERROR, 1, "", UNKNOWN),
        ("npm test; git push origin a", Outcome.ERROR, 1, "Tests:  1 failed, 4 passed, 5 total", UNKNOWN),
        ("git push origin a && npm test", Outcome.ERROR, 1, "Tests:  1 failed", UNKNOWN),
        ("git push origin a && npm test", Outcome.ERROR, 1, SENT + "\nTests:  1 failed", DONE),
    ],
)
def test_what_one_attempt_proves(
    command: str, outcome: Outcome, code: int | None, output: str, expected: ActionOutcome
) -> None:
    made = story()
    made.run(command, output, outcome=outcome, exit_code=code)
    (row,) = rows(made)
    assert (row.action, row.outcome) == ("git push origin a", expected)


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("git push origin a", "/bin/bash: line 1: git: command not found", NOT_STARTED),
        ("git push origin a", "zsh: command not found: git", NOT_STARTED),
        ("git push origin a && tidy", "/bin/bash: line 1: tidy: command not found", UNKNOWN),
        ("./deploy.sh prod", "./deploy.sh: line 9: kubectl: command not found", UNKNOWN),
    ],
)
def test_a_program_that_is_not_there_is_the_one_that_the_shell_names(
    command: str, output: str, expected: ActionOutcome
) -> None:
    made = story()
    made.run(command, output, outcome=Outcome.ERROR, exit_code=127)
    assert rows(made)[0].outcome is expected


@pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.INTERRUPTED, Outcome.DENIED])
def test_what_its_agent_did_not_begin_is_not_started(outcome: Outcome) -> None:
    made = story()
    made.step(StepKind.EXTERNAL, command="git push origin a", outcome=outcome, never_ran=True)
    assert told(made) == [("git push origin a", NOT_STARTED, 1)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("git push origin a", "git -C /w push -q --set-upstream origin a 2>/dev/null"),
        ("git push origin a", "git push origin a:a"),
        ("git push origin a", "git push origin refs/heads/a"),
        ("git push origin a", "cd src && git push origin a"),
        ("gh pr create --title a", "gh pr create -b b --title c"),
        ("gh pr merge 3 --squash", "gh pr merge --delete-branch 3"),
        ("npm publish", "npm publish --access public"),
        ("docker push a/b:1", "cd x && docker push --quiet a/b:1"),
        ("curl -X POST https://a.example.org/x -d 1", "curl -sSd1 https://a.example.org/x"),
    ],
)
def test_two_spellings_of_one_action(one: str, other: str) -> None:
    made = story()
    made.run(one)
    made.run(other)
    ((_, _, times),) = told(made)
    assert times == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("git push", "git push origin a"),
        ("git push origin a", "git push origin b"),
        ("git push origin a", "git push --force origin a"),
        ("git push origin a", "git push other a"),
        ("git push origin a", "cd /other && git push origin a"),
        ("git push origin a", "git push origin HEAD:a"),
        ("npm publish", "cd packages/b && npm publish"),
        ("git push origin a", "cd repos/b && git push origin a"),
        ("git push origin a", "(cd repos/b/src && git push origin a)"),
        ("gh pr create", "cd repos/b && gh pr create"),
        ("cd a && kubectl apply -f k.yaml", "cd b && kubectl apply -f k.yaml"),
        ("./deploy.sh", "cd web && ./deploy.sh"),
        ("rsync -a ./ h:/p", "cd web && rsync -a ./ h:/p"),
        ("gh pr merge 3", "gh pr merge 4"),
        ("gh pr merge 3", "gh pr merge 3 --repo x/y"),
        ("kubectl apply -f a.yml", "kubectl -n prod apply -f a.yml"),
        ("curl -X POST https://a.example.org/x", "curl -X POST https://a.example.org/y"),
        ('curl -d \'{"name":"a"}\' https://a.example.org/x', 'curl -d \'{"name":"b"}\' https://a.example.org/x'),
        ("http a.example.org/x n=a", "http a.example.org/x n=b"),
        ("gh issue create -t one -b x", "gh issue create -t two -b x"),
        ("gh pr comment 3 -b x", "gh pr comment 3 -b y"),
        ("gh api repos/a/b/issues -f title=x", "gh api repos/a/b/issues -f title=y"),
        ("psql <<E\nbegin;\ndelete from a;\nE", "psql <<E\nbegin;\ndelete from b;\nE"),
    ],
)
def test_two_actions_stay_two(one: str, other: str) -> None:
    made = story()
    made.run(one)
    made.run(other)
    assert [times for _, _, times in told(made)] == [1, 1]


def test_a_push_that_names_nothing_is_the_one_that_made_the_upstream() -> None:
    made = story()
    made.run("git checkout -b topic")
    made.run("git push -u origin topic")
    made.run("git push", outcome=Outcome.DANGLING)
    assert told(made) == [("git push origin topic", UNKNOWN, 2)]
    assert rows(made)[0].probe == ("git", "ls-remote", "origin", "topic")


def test_an_upstream_that_was_not_made_proves_nothing() -> None:
    made = story()
    made.run("git checkout -b topic")
    made.run("git push -u origin topic", REFUSED, outcome=Outcome.ERROR, exit_code=1)
    made.run("git push", outcome=Outcome.DANGLING)
    assert [row[0] for row in told(made)] == ["git push origin topic", "git push"]


def test_a_push_that_names_nothing_is_the_one_that_its_output_shows() -> None:
    made = story()
    made.run("git push origin topic", SENT)
    made.run("git push", SENT)
    made.run("git push", SENT.replace("topic", "other"))
    assert told(made) == [("git push origin topic", DONE, 2), ("git push", DONE, 1)]


def test_the_recorded_branch_counts_while_nothing_in_the_session_changes_it() -> None:
    made = story()
    made.run("git push", outcome=Outcome.DANGLING)
    assert rows(made, "main")[0].probe == ("git", "ls-remote", "origin", "main")
    made.run("git checkout other")
    made.run("git push -v", outcome=Outcome.DANGLING)
    assert rows(made, "main")[0].probe == ("git", "ls-remote", "origin")


def test_each_effect_of_a_line_is_a_row_with_its_own_probe() -> None:
    made = story()
    made.run("git push origin v2 && kubectl apply -f k.yaml", outcome=Outcome.DANGLING)
    made.run("git push origin v2")
    first, second = rows(made)
    assert (first.action, first.outcome, first.times) == ("git push origin v2", UNKNOWN, 2)
    assert first.probe == ("git", "ls-remote", "origin", "v2")
    assert (second.action, second.probe) == ("kubectl apply -f k.yaml", ("kubectl", "get", "-f", "k.yaml"))
    assert (first.key, second.key) == ("1", "1.2")


def test_of_a_line_that_failed_behind_it_what_its_output_shows_is_done() -> None:
    made = story()
    made.run("git push origin topic && npm publish", SENT, outcome=Outcome.ERROR, exit_code=1)
    assert told(made) == [("git push origin topic", DONE, 1), ("npm publish", UNKNOWN, 1)]


def test_one_effect_twice_in_a_line_is_one_attempt() -> None:
    made = story()
    made.run("git push origin a || git push origin a")
    assert [row[2] for row in told(made)] == [1]


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("npm test && git push origin a", "Tests:  1 failed, 4 passed, 5 total", NOT_STARTED),
        ("npm test && git push origin a", "Tests:  5 passed, 5 total", UNKNOWN),
        ("git push origin a && npm test", SENT.replace("topic", "a") + "\nTests:  1 failed", DONE),
    ],
)
def test_a_line_of_which_a_part_ran(command: str, output: str, expected: ActionOutcome) -> None:
    made = story()
    step = made.run(command, output, outcome=Outcome.ERROR, exit_code=1)
    (row,) = list_actions(find_actions([replace(step, effects_unknown=True)]))
    assert row.outcome is expected


def test_dry_runs_are_no_attempts() -> None:
    made = story()
    for command in ("git push --dry-run", "npm publish --dry-run", "terraform plan", "cargo publish --dry-run"):
        made.run(command)
    assert rows(made) == ()


def test_the_place_of_an_action() -> None:
    made = story()
    made.run("cd sub && git push origin a")
    made.run("cd $X && npm publish")
    first, second = rows(made)
    assert (first.place, second.place) == ("/w/sub", None)


def test_what_is_left_running_is_unknown() -> None:
    made = story()
    left = Background("b1", "background_shell", "git push", running=True)
    made.step(StepKind.EXTERNAL, command="git push origin a", background=left)
    assert told(made) == [("git push origin a", UNKNOWN, 1)]


def test_a_tool_of_a_server_has_its_probe_from_its_arguments() -> None:
    made = story()
    step = made.step(StepKind.EXTERNAL, summary="github create_pull_request x", outcome=Outcome.DANGLING)
    given = {"owner": "a", "repo": "b", "head": "topic"}
    tool = "mcp__github__create_pull_request"
    asked: list[Step] = [replace(step, tool=tool, input=json.dumps(given)), replace(step, n=2, tool=tool, input="{")]
    (row,) = list_actions(find_actions(asked[:1]))
    assert row.probe == ("gh", "pr", "list", "--repo", "a/b", "--state", "all", "--head", "topic")
    assert list_actions(find_actions(asked[1:]))[0].probe is None


@pytest.mark.parametrize(
    ("command", "outcome", "code", "output", "expected"),
    [
        ("git push", Outcome.OK, 0, "", "step 1 ended without an error"),
        ("git push | cat", Outcome.OK, 0, "", "its exit code is that of `cat`: look before repeating it"),
        ("git push | cat", Outcome.OK, 0, SENT, "its output shows that it happened"),
        ("git push && x", Outcome.ERROR, 1, SENT, "failed behind it, and its output shows that it happened"),
        ("git push", Outcome.ERROR, 1, "", "failed with exit code 1: look before repeating it"),
        ("pytest && git push", Outcome.ERROR, 1, "1 failed", "never came to it: what stood before it failed"),
    ],
)
def test_what_is_said_of_an_attempt(command: str, outcome: Outcome, code: int, output: str, expected: str) -> None:
    made = story()
    made.run(command, output, outcome=outcome, exit_code=code)
    (action,) = find_actions(made.steps)
    assert expected in action.attempts[0].why


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("curl -X POST https://a.example.org/x -d 1", '{"error": "no such thing"}', UNKNOWN),
        ("curl -sS -X POST https://a.example.org/x -d 1", "<html>Bad Gateway</html>", UNKNOWN),
        ("curl -i -X POST https://a.example.org/x", "HTTP/1.1 100 Continue\nHTTP/1.1 201 Created", DONE),
        ("curl -i -X POST https://a.example.org/x", "HTTP/2 500", UNKNOWN),
        ("curl -s -o /dev/null -w '%{http_code}' -X POST https://a.example.org/x", "204", DONE),
        ("curl -s -o /dev/null -w '%{http_code}' -X POST https://a.example.org/x", "500", UNKNOWN),
        ("curl -fsS -X POST https://a.example.org/x", "", DONE),
        ("curl --fail-with-body -X POST https://a.example.org/x", "", DONE),
        ("http POST a.example.org/x a=1", "", UNKNOWN),
        ("wget --post-data=a https://a.example.org/x", "", DONE),
    ],
)
def test_a_request_is_done_where_its_answer_says_so(command: str, output: str, expected: ActionOutcome) -> None:
    made = story()
    made.run(command, output)
    ((_, outcome, _),) = told(made)
    assert outcome is expected
