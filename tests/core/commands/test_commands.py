"""What shell commands are for."""

import pytest

from refloat.commands import (
    action,
    check_of,
    classify,
    commit_subject,
    commits_in,
    hidden_by,
    is_commit,
    may_undo,
    may_write,
    outcome_in,
    probe,
)
from refloat.model.transcript import Outcome, StepKind

CHECKS = """
pytest -q
python -m pytest tests/a.py -k x
python3 -m unittest
cd x && FOO=1 npm test 2>&1 | tail -5
bash -lc 'go test ./...'
uv run --with pytest pytest
poetry run mypy src
npx tsc --noEmit
npm run lint
npm run test:unit -- --watch=false
yarn build
pnpm -r test
bun test
cargo clippy --all-targets
cargo +nightly test
go vet ./...
make -C sub test
just check
./gradlew test
mvn -q verify
dotnet test
bundle exec rspec
rake test
vendor/bin/phpunit
ctest --output-on-failure
cmake --build build
swift test
docker build .
terraform validate
ruff check . && echo ok
black --check .
timeout 60 pytest
sudo -u ada pytest
if pytest; then echo ok; fi
prettier --check src
cargo fmt --check
pre-commit run --all-files
deno test
node --test
""".strip().splitlines()

EXTERNAL = """
git push
git -C /w push -u origin main
git push && npm test
gh pr create --title 'a; b' --body x
gh pr merge 12 --squash
gh release create v1
gh api -X DELETE repos/a/b
gh api repos/a/b/issues -f title=x
npm publish
cargo publish
twine upload dist/*
uv publish
docker push a/b:1
kubectl apply -f x.yaml
terraform apply -auto-approve
curl -X POST https://api.example.org/x
curl -d a=1 https://api.example.org/x
wget --post-data=a https://api.example.org/x
psql -c 'INSERT INTO t VALUES (1)'
mysql -e "update users set a=1"
ssh host 'systemctl restart x'
scp a.txt host:/tmp/
rsync -a dist/ ada@host:/srv/
aws s3 sync . s3://b
gcloud run deploy x
az webapp create -n x
helm upgrade a ./chart
heroku run rake x
fly deploy
vercel --prod
netlify deploy
echo hi | mail -s x a@example.org
python manage.py migrate
npx prisma migrate deploy
env A=1 bash -c "git push origin x"
fish -c "git push origin x"
""".strip().splitlines()

READS = ["cat a.py", "cd x && ls", "head -3 a", "git status --short", "git log -3", "sed -n 1,20p a.py", "wc -l a"]
SEARCHES = ["rg foo src", "grep -rn x . | head", "find . -name '*.py'", "git grep x"]
PLAIN = """
git push --dry-run
git commit -m 'run pytest'
echo "git push"
rm -rf build
ruff format .
npm install
pytest --version
cat > a.sh <<'EOF'
curl https://example.org/
curl -X POST http://localhost:8000/x
aws s3 ls
gh pr view 3
kubectl get pods
psql -c 'select 1'
ssh host 'cat /etc/hosts'
terraform apply --help
sed -i s/a/b/ x
find . -name x -delete
cat a > b
""".strip().splitlines()


@pytest.mark.parametrize("command", CHECKS)
def test_checks(command: str) -> None:
    assert classify(command) is StepKind.CHECK
    assert check_of(command)
    assert action(command) is None


@pytest.mark.parametrize("command", EXTERNAL)
def test_effects_outside(command: str) -> None:
    assert classify(command) is StepKind.EXTERNAL
    assert action(command)


@pytest.mark.parametrize("command", PLAIN)
def test_everything_else_is_a_plain_command(command: str) -> None:
    assert classify(command) not in (StepKind.EXTERNAL, StepKind.CHECK)
    assert action(command) is None


@pytest.mark.parametrize("command", READS)
def test_reads(command: str) -> None:
    assert classify(command) is StepKind.READ
    assert not may_write(command)


@pytest.mark.parametrize("command", SEARCHES)
def test_searches(command: str) -> None:
    assert classify(command) is StepKind.SEARCH


@pytest.mark.parametrize(
    "command", ["", "   ", "'unclosed", 'echo "x', "$(", "((", "a" * 100_000, "|||", "<<", "\0", "# only"]
)
def test_broken_lines_are_read_as_far_as_they_go(command: str) -> None:
    assert classify(command) is StepKind.COMMAND


def test_words_of_a_heredoc_are_no_commands() -> None:
    assert classify("cat > run.sh <<'EOF'\ngit push\npytest\nEOF") is StepKind.COMMAND
    assert classify("cat > run.sh <<'EOF'\npytest\nEOF\ngit push") is StepKind.EXTERNAL


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("git push origin main", "git -C /w push -u origin main 2>&1 | cat"),
        ("gh pr create --title a", "gh pr create --title b --body c"),
        ("curl -X POST https://a.example.org/x -d 1", "curl --data=1 -s -X POST https://a.example.org/x"),
        ("docker push a/b:1", "docker push -q a/b:1"),
    ],
)
def test_the_same_action_has_the_same_name(one: str, other: str) -> None:
    assert action(one) == action(other)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git push origin HEAD:topic", ("git", "ls-remote", "origin", "topic")),
        ("git push", ("git", "ls-remote", "origin")),
        ("gh pr create --head topic --fill", ("gh", "pr", "list", "--state", "all", "--head", "topic")),
        ("gh pr merge 12 --squash", ("gh", "pr", "view", "12")),
        ("docker push a/b:1", ("docker", "manifest", "inspect", "a/b:1")),
        ("curl -X POST https://a.example.org", None),
        ("ls", None),
    ],
)
def test_probes_only_read(command: str, expected: tuple[str, ...] | None) -> None:
    assert probe(command) == expected
    if expected is not None:
        assert classify(" ".join(expected)) is not StepKind.EXTERNAL


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest -q", None),
        ("pytest && echo ok", None),
        ("pytest | tail -5", "tail -5"),
        ("pytest; echo done", "echo done"),
        ("pytest || true", "true"),
        ("set -o pipefail; pytest | tail", None),
        ("pytest &", "&"),
        ("cd x && npm test 2>&1 | tail -5", "tail -5"),
    ],
)
def test_what_hides_an_exit_code(command: str, expected: str | None) -> None:
    assert hidden_by(command) == expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("==== 1 failed, 12 passed in 0.1s ====", Outcome.ERROR),
        ("12 passed, 1 failed", Outcome.ERROR),
        ("==== 12 passed in 0.1s ====", Outcome.OK),
        ("12 passed in 0.10s", Outcome.OK),
        ("Tests:       1 failed, 3 passed, 4 total", Outcome.ERROR),
        ("test result: ok. 3 passed; 0 failed", Outcome.OK),
        ("test result: FAILED. 3 passed; 1 failed", Outcome.ERROR),
        ("ok  \texample.org/x\t0.01s", Outcome.OK),
        ("--- FAIL: TestX (0.00s)\nFAIL", Outcome.ERROR),
        ("Success: no issues found in 3 source files", Outcome.OK),
        ("Found 3 errors.", Outcome.ERROR),
        ("All checks passed!", Outcome.OK),
        ("a.ts(1,1): error TS2304: x", Outcome.ERROR),
        ("Ran 3 tests in 0.1s\n\nOK", Outcome.OK),
        ("hello", None),
    ],
)
def test_what_an_output_says_of_itself(output: str, expected: Outcome | None) -> None:
    assert outcome_in(output) is expected


def test_commits() -> None:
    assert is_commit("git add -A && git commit -qm 'Add x'")
    assert not is_commit("git commit --dry-run")
    assert commit_subject('git commit -am "Add x\n\nBecause."') == "Add x"
    assert commit_subject("git commit -m \"$(cat <<'EOF'\nAdd x\n\nBecause.\nEOF\n)\" && git push") == "Add x"
    assert commit_subject("git commit -F - <<'EOF'\nAdd x\nEOF") == "Add x"
    assert commit_subject("git commit --amend --no-edit") is None
    assert commits_in("[main 1a2b3c4] Add x\n 1 file changed") == [("1a2b3c4", "Add x")]
    assert commits_in("[main (root-commit) 1a2b3c4] Add x") == [("1a2b3c4", "Add x")]
    assert commits_in("[detached HEAD 1a2b3c4] Add x") == [("1a2b3c4", "Add x")]


@pytest.mark.parametrize(
    "command",
    [
        "git stash",
        "git checkout -- .",
        "git reset --hard",
        "rm -rf a",
        "git clean -f",
        "find . -name '*.tmp' -delete",
        "find . -name '*.tmp' -exec rm {} +",
        "git ls-files -o | xargs -r rm -f",
        "python3 -c \"import os; os.remove('a')\"",
        "node -e 'fs.rmSync(\"a\")'",
    ],
)
def test_what_can_take_work_away(command: str) -> None:
    assert may_undo(command)


@pytest.mark.parametrize("command", ["git stash list", "git stash pop", "ls", "git status", "find . -name a"])
def test_what_cannot(command: str) -> None:
    assert not may_undo(command)
