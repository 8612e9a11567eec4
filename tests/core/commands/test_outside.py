"""Effects outside the checkout: what each is called, and the read-only look that would tell."""

import re

import pytest

from refloat.commands import branch_after, effects_of, mcp_effect, mcp_kind, pushes_in, shown_done
from refloat.commands.outside import probe_templates
from refloat.knowledge.tables import table
from refloat.model.transcript import StepKind

READING = """
alembic current|aerich history|amplify status|argocd app get|atlas migrate status|aws s3 ls|bq ls|cargo search
cdk list|certbot certificates|cf apps|copilot svc status|crane ls|crontab -l|curl -q|dbmate status
diesel migration list|docker manifest inspect|docker service ls|docker stack ls|docker stack ps|drizzle-kit check
eas build:list|eb status|firebase hosting:channel:list|flask db current|flux get|fly secrets list|fly status
flyctl secrets list|flyctl status|flyway info|gh api --method|gh cache list|gh gist list|gh issue list|gh issue view
gh label list|gh pr list|gh pr view|gh release list|gh release view|gh repo list|gh repo view|gh run list|gh run view
gh secret list|gh variable list|git lfs ls-files|git ls-remote|glab ci list|glab issue list|glab issue view
glab mr list|glab mr view|glab release view|goose status|helm list|helm status|helmfile list|heroku config
hg outgoing|istioctl version|svn info
heroku pg:info|heroku ps|heroku releases|jira issue view|kamal details|knex migrate:status|kubectl get
kubectl rollout history
liquibase status|mike list|mix ecto.migrations|modal app list|mysqlshow|netlify env:list|netlify status|nomad status
npm dist-tag ls|npm owner ls|npm view|oc get|oras manifest fetch|pod trunk me|prisma migrate status|psql --list
pulumi stack|rails db:migrate:status|railway status|sam list|sentry-cli releases list|sequelize db:migrate:status
sequelize-cli db:migrate:status|serverless info|skopeo inspect|sls info|sqlx migrate info|supabase migration list
systemctl status|tea pulls list|terraform show|terraform state list|terraform workspace list|tofu show|tofu state list
typeorm migration:show|vercel alias ls|vercel env ls|vercel ls|wrangler d1 migrations list|wrangler deployments list
wrangler pages deployment list|wrangler secret list
"""
"""Commands that only read, as their manuals say: a probe that begins with none of them is no probe."""
ALLOWED = [tuple(line.split()) for line in re.split(r"[|\n]", READING) if line.strip()]


def reads(words: tuple[str, ...]) -> bool:
    return any(words[: len(allowed)] == allowed for allowed in ALLOWED)


def test_every_probe_of_the_tables_only_reads() -> None:
    templates = (*probe_templates(), *(str(text) for text in table("mcp")["probes"].values()))
    assert len(templates) > 100
    for template in templates:
        words = tuple(re.sub(r"\[[^\]]*\]", "", template).split())
        assert reads(words), template
        assert not re.search(r"[;&|<>$`]", re.sub(r"\{[^}]*\}", "", template)), template
        plain = re.sub(r"[\[\]]|\{[^}]*\}", "", template)
        if not plain.startswith("gh api"):
            assert not effects_of(plain), template


def test_nothing_that_an_allowed_look_begins_with_is_an_effect() -> None:
    for allowed in ALLOWED:
        assert not effects_of(" ".join(allowed)), allowed


@pytest.mark.parametrize(
    ("command", "name", "probe"),
    [
        ("git push", "git push", "git ls-remote origin"),
        ("git push -u origin topic", "git push origin topic", "git ls-remote origin topic"),
        ("git push --force origin topic", "git push --force origin topic", "git ls-remote origin topic"),
        ("git push origin topic:topic", "git push origin topic", "git ls-remote origin topic"),
        ("git push origin HEAD:topic", "git push origin HEAD:topic", "git ls-remote origin topic"),
        ("git push up refs/heads/a", "git push up a", "git ls-remote up a"),
        ("git push --tags", "git push --tags", "git ls-remote --tags origin"),
        ("git push origin --delete a", "git push --delete origin a", "git ls-remote origin a"),
        ("git push 'ext::sh -c x' a", "git push ext::sh -c x a", None),
        ("git push $R a", "git push $R a", None),
        ("gh pr create -t a -b b", "gh pr create", "gh pr list --state all"),
        ("gh pr create --repo a/b", "gh pr create --repo a/b", "gh pr list --state all --repo a/b"),
        ("gh -R a/b pr merge 3", "gh pr merge 3 --repo a/b", "gh pr view 3 --repo a/b"),
        ("gh pr close --comment 'no' 3", "gh pr close 3", "gh pr view 3"),
        ("gh release create v1 --notes x", "gh release create v1", "gh release view v1"),
        ("gh api repos/a/b/issues -f title=x", "gh api POST repos/a/b/issues title=x",
         "gh api --method GET repos/a/b/issues"),
        ("gh api -X DELETE repos/a/b", "gh api DELETE repos/a/b", "gh api --method GET repos/a/b"),
        ("gh api -XPOST repos/a/b", "gh api POST repos/a/b", "gh api --method GET repos/a/b"),
        ("gh api -ftitle=x -q .id repos/a/b", "gh api POST repos/a/b title=x", "gh api --method GET repos/a/b"),
        ("git push -fu origin a", "git push -f origin a", "git ls-remote origin a"),
        ("npm publish --access public", "npm publish", "npm view . versions"),
        ("cargo publish -p a", "cargo publish --package a", "cargo search a --limit 3"),
        ("kubectl -n prod apply -f a.yml", "kubectl apply -f a.yml -n prod", "kubectl get -n prod -f a.yml"),
        ("kubectl apply -f - <<EOF\nx\nEOF", "kubectl apply -f", None),
        ("helm upgrade a ./c -n p", "helm upgrade a -n p", "helm status a -n p"),
        ("aws s3 cp a s3://b/a", "aws s3 cp a s3://b/a", "aws s3 ls s3://b/a"),
        ("curl -X PUT https://a.example.org/x", "curl PUT https://a.example.org/x",
         "curl -q -sS --head --max-time 15 https://a.example.org/x"),
        ("curl -X PUT https://u:p@a.example.org/x", "curl PUT https://u:p@a.example.org/x", None),
        ("curl -d a=1 https://a.example.org/x", "curl POST https://a.example.org/x -d a=1", None),
        ("curl -sSLX POST https://a.example.org/x", "curl POST https://a.example.org/x", None),
        ("curl -sd a=1 https://a.example.org/x", "curl POST https://a.example.org/x -d a=1", None),
        ("curl -x http://p.example.org -XPATCH https://a.example.org/x", "curl PATCH https://a.example.org/x", None),
        ("curl -K post.cfg https://a.example.org/x", "curl -K post.cfg https://a.example.org/x", None),
        ("gh issue create -t one -b x", "gh issue create --title one", "gh issue list --state all --limit 10"),
        ("gh pr comment 3 -b 'so it is'", "gh pr comment 3 --body so it is", "gh pr view 3 --comments"),
        ("aws s3 cp x s3://b/x --region eu-west-1", "aws s3 cp x s3://b/x --region eu-west-1", "aws s3 ls s3://b/x"),
        ("mysql -h db prod < dump.sql", "mysql -h db prod < dump.sql", None),
        ("zcat a.sql.gz | psql prod", "psql prod < zcat a.sql.gz", None),
        ("echo 'DROP TABLE t' | psql prod", "psql prod << DROP TABLE t", None),
        ("systemctl --host web1 restart x", "systemctl restart x --host web1", "systemctl status --no-pager -H web1 x"),
        ("psql <<EOF\nDELETE FROM a;\nEOF", "psql << DELETE FROM a;", None),
        ("systemctl restart nginx", "systemctl restart nginx", "systemctl status --no-pager nginx"),
    ],
)  # fmt: skip
def test_names_and_probes(command: str, name: str, probe: str | None) -> None:
    (effect,) = effects_of(command)
    assert (effect.name, None if effect.probe is None else " ".join(effect.probe)) == (name, probe)
    assert effect.probe is None or reads(effect.probe)


@pytest.mark.parametrize(
    "command",
    ["git push -n", "git push -nu origin a", "gh api -XGET repos/a/b -f a=1",
     "git push --dry-run origin a", "npm publish --dry-run", "cargo publish -n", "terraform plan",
     "terraform apply -help", "kubectl apply -f a --dry-run=server", "kubectl exec p -- cat a", "aws s3 cp s3://b/a .",
     "aws s3 sync a s3://b --dryrun", "curl -G -d a=1 https://a.example.org", "curl -X GET -d a https://a.example.org",
     "curl -d a http://localhost:1/x", "curl -d a 127.0.0.1:80/a", "http https://a.example.org q==1", "ssh h 'ls /'",
     "rsync -an a h:/b", "scp h:/a .", "gh api repos/a/b", "gh api graphql -f query='query { a }'", "docker build .",
     "ansible-playbook --check a.yml", "psql -c 'select 1'", "npm run deploy:dry", "make deploy --dry-run",
     "make -n deploy", "make -sn deploy", "bash -n deploy.sh", "./deploy.sh --dry-run", "cat deploy.sh",
     "git add deploy.sh",
     "make dist/release.tar.gz", "scp h:/a . -P 22", "rsync -av h:/a . --exclude x", "aws s3 cp s3://b/a . --profile p",
     "sftp h:/a .", "lftp -e 'mirror d' h", "psql < /dev/null", "echo 'select 1' | psql", "mysql -e 'select 1' < a.sql",
     "psql -c \"SELECT 'delete from t'\"", "psql -c 'select 1 -- drop table t'", "curl -sSfLo a https://a.example.org/d",
     "python - <<E\nimport requests\nrequests.post('http://localhost:1/x')\nE", "python -c 'print(1)'",
     "python a.py <<E\nrequests.post('https://a.example.org')\nE", "node -e \"fetch('https://a.example.org')\"",
     "pulumi preview", "alembic revision -m a", "aws ecs describe-services", "gcloud compute instances list"],
)  # fmt: skip
def test_what_has_no_effect_outside(command: str) -> None:
    assert effects_of(command) == ()


@pytest.mark.parametrize(
    "command",
    ["curl -ksX DELETE https://a.example.org/x", "hg push", "svn commit -m x", "jj git push", "sftp -b batch h",
     "sftp h <<E\nput a\nE", "lftp -e 'mirror -R d; quit' h", "python setup.py sdist upload", "render deploy",
     "fab deploy", "istioctl install", "./deploy.sh prod", "bash scripts/deploy.sh", "python tools/release-all.py",
     "bin/deploy",
     "echo 'git push' | sh", "trap 'git push' EXIT; make", "tmux send-keys -t a 'git push' Enter",
     "tmux new-session -d -s a 'git push'", "ssh h < fix.sh", "psql <<E | cat\nDELETE FROM a;\nE",
     "cat <<E | psql\nDELETE FROM a;\nE", "psql -c \"DELETE FROM a WHERE b = 'x'\"", "psql -tAc 'DO $$ begin end $$'",
     "aws s3 sync d s3://b --profile a", "aws s3 cp x s3://b/x --acl public-read", "rsync -av d/ h:/p --exclude x",
     "rsync -ave 'ssh -p 22' d/ h:/p", "scp f h:/p -P 22", "ssh -vp 22 h rm a",
     "python3.11 - <<E\nimport requests\nrequests.post('https://a.example.org', json={})\nE",
     "node -e \"fetch('https://a.example.org/a',{method:'POST'})\"",
     "python -c \"import psycopg2 as p; p.connect(host='db').execute('delete from a')\""],
)  # fmt: skip
def test_what_has_an_effect_outside(command: str) -> None:
    assert len(effects_of(command)) == 1, effects_of(command)


def test_a_line_names_every_effect() -> None:
    effects = effects_of("npm test && npm publish && git push --tags; curl -d x https://a.example.org/x || true")
    assert [effect.name for effect in effects] == [
        "npm publish",
        "git push --tags",
        "curl POST https://a.example.org/x -d x",
    ]
    assert [effect.hidden is None for effect in effects] == [False, False, False]
    late = effects_of("npm test && git push")
    assert [effect.late for effect in late] == [True]
    assert [effect.late for effect in effects_of("npm test; git push")] == [False]


def test_a_known_branch_fills_in_what_a_push_leaves_out() -> None:
    assert effects_of("git push", branch="topic")[0].probe == ("git", "ls-remote", "origin", "topic")
    assert effects_of("git push origin HEAD", branch="topic")[0].name == "git push origin topic"
    assert effects_of("gh pr create --fill", branch="topic")[0].probe == (
        "gh", "pr", "list", "--state", "all", "--head", "topic",
    )  # fmt: skip
    (push,) = pushes_in("git push", "topic")
    assert (push.bare, push.remote, push.refs) == (True, None, ())


@pytest.mark.parametrize(
    "command",
    ["python - <<'E'\np.write_text(s.replace('requests.get(', 'requests.post('))\nE",
     "python - <<'E'\n# requests.post('https://a.example.org')\nE",
     "python - <<'E'\ns = \"\"\"\nrequests.post('https://a.example.org')\n\"\"\"\nE",
     "python - <<'E'\ns = s.replace('method: \"GET\"', 'method: \"POST\"')\nE",
     "python - <<'E'\ns = s.replace('sqlite3', 'psycopg2') + 'DELETE FROM a'\nE",
     "python - <<'E'\ns = f'{a} requests.post( {{requests.put(1)}}'\nE",
     "python -c 'import re, requests; re.sub(r\"session\\.get\", \"session.post(\", s)'",
     "node -e \"console.log('axios.post(')\"", "node -e 'console.log(`axios.post( ${a}`)'",
     "node <<'E'\n/* don't axios.post(1) */ // axios.post(1)\nE",
     "node <<'E'\ns.replace(/'/g, 'axios.post(')\nE",
     "perl -pi -e 's/send/send_email(/' a.pl", "ruby -i.bak -pe 'sub(1, HTTParty.post(1))' a.rb",
     "python -c \"requests.post('http://localhost:8000/users', json={'email': 'bob@example.org'})\"",
     "python -c \"requests.post('http://u:p@127.0.0.1/', json={'to': 'mailto:bob@example.org'})\"",
     "python -c \"import psycopg2 as p; p.connect('postgres://u:p@localhost/a').execute('delete from a')\"",
     "python -c 'from app.db import session; session.delete(u); session.commit()'",
     "python manage.py shell -c 'client.delete(1)'", "python -c 'cache.delete_objects()'", "ruby -e 'got.delete(1)'"],
)  # fmt: skip
def test_a_program_that_only_edits_or_speaks_to_this_machine_has_no_effect_outside(command: str) -> None:
    assert effects_of(command) == ()


@pytest.mark.parametrize(
    "command",
    ["python - <<'E'\n# it's so\nrequests.post(url, data='x')\nE",
     "python - <<'E'\nprint(f'{requests.post(url, json={\"a\": 1}).status_code}')\nE",
     "python - <<'E'\ns = 'it\\'s'; requests.post(url)\nE",
     "python - <<'E'\nprint('requests.post(')\nrequests.post(url)\nE",
     "python -c 'import os, httpx as h; client = h.Client(); client.post(url)'",
     "python -c 'session.put(\"https://a.example.org/x\")'",
     "python -c 'import boto3; boto3.client(n).delete_objects(Bucket=b)'",
     "python -c 'requests.post(\"http://localhost:1/x\"); requests.post(\"http://u:p@a.example.org\")'",
     "python -c 'import psycopg2 as p; p.connect(\"postgres://u:p@db.example.org/a\").execute(\"delete from a\")'",
     "python -c 'r.urlopen(url, data=b)'", "python -c 'h.request(\"PUT\", url)'",
     "node -e 'const got = require(\"got\"); got.post(u)'", "node -e 'console.log(`${axios.post(u)}`)'",
     "node <<'E'\n// don't\ns.replace(/'/g, x); fetch(u, {'method': 'POST'})\nE",
     "node -e 'a = b / 2; axios.post(u, c / 2)'", "ruby -rhttparty -e 'HTTParty.post(u)'"],
)  # fmt: skip
def test_a_program_that_sends_has_an_effect_outside(command: str) -> None:
    assert len(effects_of(command)) == 1, effects_of(command)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git checkout -b a", "a"),
        ("git switch -c a origin/main", "a"),
        ("git switch a", "a"),
        ("git switch --detach a", None),
        ("git checkout a", None),
        ("git checkout -- a.py", "main"),
        ("git checkout -b a && git checkout -b b", "b"),
        ("git status", "main"),
        ("ls", "main"),
    ],
)
def test_the_branch_behind_a_command(command: str, expected: str | None) -> None:
    assert branch_after(command, "main") == expected


@pytest.mark.parametrize(
    ("name", "output", "expected"),
    [
        ("git push", "To example.org:a\n   1a2b3c4..5d6e7f8  main -> main", True),
        ("git push origin a", "To example.org:a\n * [new branch]      a -> a", True),
        ("git push", "Everything up-to-date", True),
        ("git push", "To example.org:a\n ! [rejected]        main -> main (fetch first)\nerror: failed to push", False),
        ("git push", "fatal: unable to access", False),
        ("git push", "", None),
        ("gh pr create", "https://github.com/a/b/pull/12", True),
        ("npm publish", "+ a@1.2.3", True),
        ("docker push a/b:1", "1: digest: sha256:" + "0" * 64 + " size: 1", True),
        ("helm upgrade", "hello", None),
        ("nonsense", "git push", None),
    ],
)
def test_what_an_output_shows_of_an_effect(name: str, output: str, expected: bool | None) -> None:
    assert shown_done(name, output) is expected


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("mcp__github__create_pull_request", StepKind.EXTERNAL),
        ("mcp__github__pull_request_read", StepKind.READ),
        ("mcp__github__issue_write", StepKind.EXTERNAL),
        ("mcp__github__search_code", StepKind.SEARCH),
        ("mcp__github__get_workflow_run", StepKind.READ),
        ("mcp__db__getOrCreateUser", StepKind.EXTERNAL),
        ("mcp__db__fetch_and_delete", StepKind.EXTERNAL),
        ("mcp__slack__post_message", StepKind.EXTERNAL),
        ("mcp__browser__browser_snapshot", StepKind.READ),
        ("mcp__browser__browser_click", StepKind.EXTERNAL),
        ("mcp__filesystem__write_file", StepKind.OTHER),
        ("mcp__filesystem__read_file", StepKind.READ),
        ("mcp__x__frobnicate", StepKind.EXTERNAL),
        ("mcp__x__", StepKind.EXTERNAL),
    ],
)
def test_tools_of_servers(tool: str, kind: StepKind) -> None:
    assert mcp_kind(tool) is kind


def test_probes_of_tools() -> None:
    given = {"owner": "a", "repo": "b", "head": "topic", "title": "x"}
    made = mcp_effect("mcp__github__create_pull_request", given)
    assert made == ("gh", "pr", "list", "--repo", "a/b", "--state", "all", "--head", "topic")
    assert mcp_effect("mcp__plugin_github_github__create_pull_request", given) == made
    assert mcp_effect("mcp__github__create_pull_request", {"owner": "a"}) is None
    assert mcp_effect("mcp__github__create_pull_request", {**given, "head": "--x"}) is None
    assert mcp_effect("mcp__slack__post_message", given) is None
