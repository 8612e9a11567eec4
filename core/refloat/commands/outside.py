"""Effects outside the checkout: push, publish, deploy, writes to an API or a database, mail.

A table of verbs by program, with the read-only question that tells whether it happened. Refuses what only looks
(`--dry-run`), and writes to this machine's own servers.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from refloat.commands.reading import reads_only
from refloat.commands.words import parts_of

Naming = Literal["verb", "object", "whole"]
"""How an action is called: by its verb alone, with its first object, or by the whole command."""


_Probe = Callable[[Sequence[str]], tuple[str, ...] | None]


@dataclass(frozen=True, slots=True)
class _Action:
    verb: tuple[str, ...]
    naming: Naming = "whole"
    probe: _Probe | None = None
    unless: frozenset[str] = frozenset()
    """Flags with which it only looks."""
    only: frozenset[str] = frozenset()
    """Flags without which it has no effect outside."""


def _objects(words: Sequence[str], skip: int) -> list[str]:
    return [word for word in words[skip:] if not word.startswith("-")]


def _flag(words: Sequence[str], *names: str) -> str | None:
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in names:
            return value if equals else next(iter(words[index + 1 : index + 2]), None)
    return None


def _push_probe(words: Sequence[str]) -> tuple[str, ...]:
    objects = _objects(words, 2)
    refs = [ref.rpartition(":")[2].lstrip("+") for ref in objects[1:]]
    refs = [ref for ref in refs if ref and ref != "HEAD"]
    tags = ("--tags",) if "--tags" in words and not refs else ()
    return ("git", "ls-remote", *tags, objects[0] if objects else "origin", *refs)


def _pull_request_probe(words: Sequence[str]) -> tuple[str, ...]:
    head = _flag(words, "--head", "-H")
    return ("gh", "pr", "list", "--state", "all", *(("--head", head) if head else ()))


def _fixed(*probe: str) -> Callable[[Sequence[str]], tuple[str, ...]]:
    return lambda _words: probe


def _with_object(skip: int, *probe: str) -> Callable[[Sequence[str]], tuple[str, ...] | None]:
    def made(words: Sequence[str]) -> tuple[str, ...] | None:
        objects = _objects(words, skip)
        return (*probe, objects[0]) if objects else None

    return made


def _each(
    program: str, verbs: str, naming: Naming = "whole", probe: _Probe | None = None, unless: str = ""
) -> Iterator[_Action]:
    for verb in verbs.split("|"):
        yield _Action((*program.split(), *verb.split()), naming, probe, frozenset(unless.split()))


_DRY: Final = "--dry-run -n --help -h"
_ACTIONS: Final[tuple[_Action, ...]] = (
    _Action(("git", "push"), "whole", _push_probe, frozenset(_DRY.split())),
    *_each("git", "send-email|svn dcommit", unless=_DRY),
    *_each("gh pr", "create", "verb", _pull_request_probe, unless="--dry-run --help"),
    *_each("gh pr", "merge|close|reopen|ready|edit|comment|review", "object", _with_object(3, "gh", "pr", "view")),
    *_each("gh release", "create|upload|edit|delete", "object", _with_object(3, "gh", "release", "view")),
    *_each("gh issue", "create", "verb", _fixed("gh", "issue", "list", "--state", "all")),
    *_each("gh issue", "close|reopen|edit|comment|delete|transfer", "object", _with_object(3, "gh", "issue", "view")),
    *_each("gh repo", "create|delete|edit|rename|archive|fork|sync", "object", _with_object(3, "gh", "repo", "view")),
    *_each("gh workflow", "run|enable|disable", "object", _fixed("gh", "run", "list", "--limit", "5")),
    *_each("gh run", "rerun|cancel|delete", "object", _with_object(3, "gh", "run", "view")),
    *_each("gh", "secret set|secret delete|variable set|variable delete|gist create|gist edit|label create", "object"),
    *_each("glab mr", "create", "verb", _fixed("glab", "mr", "list", "--all")),
    *_each("glab mr", "merge|close|note|update|approve", "object", _with_object(3, "glab", "mr", "view")),
    *_each("glab", "issue create|release create|api", "whole"),
    *_each("hub", "pull-request|release create|issue create", "verb"),
    *_each("npm", "publish", "object", _fixed("npm", "view", ".", "versions"), unless="--dry-run"),
    *_each("npm", "unpublish|deprecate", "object", _with_object(2, "npm", "view")),
    *_each("npm", "dist-tag add|dist-tag rm|access|owner add|owner rm", "whole"),
    *_each("pnpm", "publish", "object", _fixed("npm", "view", ".", "versions"), unless="--dry-run"),
    *_each("yarn", "publish|npm publish", "object", _fixed("npm", "view", ".", "versions"), unless="--dry-run"),
    *_each("bun", "publish", "object", _fixed("npm", "view", ".", "versions"), unless="--dry-run"),
    *_each("lerna", "publish", "verb"),
    *_each("changeset", "publish", "verb"),
    *_each("cargo", "publish", "verb", unless="--dry-run -n"),
    *_each("cargo", "yank|owner", "whole"),
    *_each("twine", "upload", "whole"),
    *_each("uv", "publish", "verb", unless="--dry-run"),
    *_each("poetry", "publish", "verb", unless="--dry-run"),
    *_each("hatch", "publish", "verb"),
    *_each("flit", "publish", "verb"),
    *_each("pdm", "publish", "verb"),
    *_each("gem", "push|yank", "whole"),
    *_each("mvn", "deploy", "verb"),
    *_each("gradle", "publish|publishToMavenCentral|publishPlugins", "verb"),
    *_each("gradlew", "publish|publishToMavenCentral|publishPlugins", "verb"),
    *_each("dotnet", "nuget push", "whole"),
    *_each("nuget", "push", "whole"),
    *_each("goreleaser", "release", "verb", unless="--snapshot --skip=publish"),
    *_each("semantic-release", "", "verb", unless="--dry-run"),
    *_each("docker", "push|image push|manifest push", "object", _with_object(2, "docker", "manifest", "inspect")),
    _Action(("docker", "buildx", "build"), "whole", only=frozenset({"--push"})),
    _Action(("docker", "build"), "whole", only=frozenset({"--push"})),
    *_each("podman", "push", "object", _with_object(2, "skopeo", "inspect")),
    *_each("skopeo", "copy|delete|sync", "whole"),
    *_each("docker", "stack deploy|service update|service create", "whole"),
    *_each("kubectl", "apply|create|delete|patch|replace|scale|set|edit|annotate|label|drain|cordon|uncordon|taint|run"
           "|expose|autoscale|rollout restart|rollout undo|exec|cp",
           unless="--dry-run=client --dry-run=server --dry-run"),
    *_each("oc", "apply|create|delete|patch|replace|new-app", "whole"),
    *_each("kustomize", "edit set", "whole"),
    *_each("helm", "install|upgrade|uninstall|rollback", "object", _with_object(2, "helm", "status"),
           unless="--dry-run"),
    *_each("helm", "push", "whole"),
    *_each("terraform", "apply|destroy|import|state rm|state mv|taint", "whole", _fixed("terraform", "show")),
    *_each("tofu", "apply|destroy|import|state rm|state mv|taint", "whole", _fixed("tofu", "show")),
    *_each("terragrunt", "apply|destroy", "whole"),
    *_each("pulumi", "up|update|destroy|import", "whole", _fixed("pulumi", "stack")),
    *_each("ansible-playbook", "", "whole", unless="--check -C --syntax-check --list-hosts --list-tasks"),
    *_each("cdk", "deploy|destroy", "whole"),
    *_each("sam", "deploy|delete", "whole"),
    *_each("serverless", "deploy|remove", "whole"),
    *_each("sls", "deploy|remove", "whole"),
    *_each("vercel", "deploy|--prod|promote|rollback|remove", "whole", _fixed("vercel", "ls")),
    *_each("netlify", "deploy", "whole", _fixed("netlify", "status")),
    *_each("fly", "deploy|launch|secrets set|scale", "whole", _fixed("fly", "status")),
    *_each("flyctl", "deploy|launch|secrets set|scale", "whole", _fixed("flyctl", "status")),
    *_each("heroku", "run|config:set|config:unset|releases:rollback|ps:scale|ps:restart|pg:reset|container:release"
           "|container:push|create", "whole", _fixed("heroku", "releases")),
    *_each("firebase", "deploy", "whole", _fixed("firebase", "hosting:channel:list")),
    *_each("wrangler", "deploy|publish|delete|secret put|d1 execute", "whole",
           _fixed("wrangler", "deployments", "list")),
    *_each("railway", "up|deploy", "whole", _fixed("railway", "status")),
    *_each("render", "deploys create", "whole"),
    *_each("eb", "deploy|create|terminate", "whole", _fixed("eb", "status")),
    *_each("surge", "", "whole"),
    *_each("gh-pages", "", "whole"),
    *_each("mkdocs", "gh-deploy", "verb"),
    *_each("capistrano", "deploy", "whole"),
    *_each("cap", "production deploy|staging deploy", "whole"),
    *_each("aws", "s3 cp|s3 mv|s3 rm|s3 sync|s3 mb|s3 rb", "whole", unless="--dryrun"),
    *_each("gsutil", "cp|mv|rm|rsync|mb|rb|setmeta", "whole"),
    *_each("supabase", "db push|functions deploy|db reset", "whole"),
    *_each("prisma", "migrate deploy|db push|migrate reset|migrate dev", "whole",
           _fixed("prisma", "migrate", "status")),
    *_each("alembic", "upgrade|downgrade|stamp", "whole", _fixed("alembic", "current")),
    *_each("flyway", "migrate|clean|repair", "whole", _fixed("flyway", "info")),
    *_each("liquibase", "update|rollback", "whole", _fixed("liquibase", "status")),
    *_each("dbmate", "up|down|migrate|rollback", "whole", _fixed("dbmate", "status")),
    *_each("sqlx", "migrate run|migrate revert|database drop", "whole", _fixed("sqlx", "migrate", "info")),
    *_each("rails", "db:migrate|db:rollback|db:reset|db:seed", "whole", _fixed("rails", "db:migrate:status")),
    *_each("rake", "db:migrate|db:rollback|db:reset|db:seed|release", "whole"),
    *_each("mail", "", "whole"), *_each("mailx", "", "whole"), *_each("sendmail", "", "whole"),
    *_each("mutt", "", "whole"), *_each("msmtp", "", "whole"), *_each("swaks", "", "whole"),
    *_each("dropdb", "", "whole"), *_each("createdb", "", "whole"), *_each("pg_restore", "", "whole"),
    *_each("systemctl", "restart|start|stop|enable|disable|reload", "object", _with_object(2, "systemctl", "status")),
    *_each("stripe", "trigger", "whole"),
)  # fmt: skip
_BY_PROGRAM: Final[dict[str, tuple[_Action, ...]]] = {
    program: tuple(action for action in _ACTIONS if action.verb[0] == program)
    for program in {action.verb[0] for action in _ACTIONS}
}


def _table_action(words: Sequence[str]) -> _Action | None:
    if {"--help", "--version"} & set(words):
        return None
    plain = [word for word in words if not word.startswith("-") or word == "--prod"]
    for action in _BY_PROGRAM.get(words[0], ()):
        verb = tuple(word for word in action.verb if word)
        if tuple(plain[: len(verb)]) == verb and not (action.unless & set(words)):
            if action.only and not action.only & set(words):
                continue
            return action
    return None


_WRITING_METHODS: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_HERE: Final = re.compile(r"(?:https?://)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\])(?:[:/].*)?\Z")
_SQL_WRITE: Final = re.compile(
    r"\b(?:INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|DROP\s|ALTER\s|CREATE\s|TRUNCATE\s|GRANT\s|REVOKE\s|MERGE\s+INTO"
    r"|REPLACE\s+INTO|COPY\s+\S+\s+FROM)",
    re.IGNORECASE,
)
_REMOTE: Final = re.compile(r"(?:rsync://.+|[\w.-]+@?[\w.-]*:(?!\\).*)")
_CLOUD_READS: Final = re.compile(
    r"(?:describe|get|list|head|show|ls|wait|configure|help|view|info|version|login|whoami|search|query|lookup|download"
    r"|presign|batch-get|scan|filter|tail|account|config|auth|init|logging|explain)(?:-.*)?"
)


def _http_action(words: Sequence[str]) -> str | None:
    """A request by curl, wget or httpie that writes: `curl POST URL`."""
    program = words[0]
    url = next((w for w in words[1:] if re.match(r"https?://|\w[\w.-]*\.\w+/|localhost|:\d", w)), "")
    if _HERE.match(url):
        return None
    method = (_flag(words, "-X", "--request", "--method") or "").upper()
    attached = next((w[2:].upper() for w in words if re.fullmatch(r"-X[A-Za-z]+", w)), "")
    method = method or attached
    if program in {"http", "https", "xh"}:
        method = next((w for w in words[1:3] if w in _WRITING_METHODS), "")
    elif not method:
        bodies = {"-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--json", "-F", "--form",
                  "--post-data", "--post-file"}  # fmt: skip
        if any(word.partition("=")[0] in bodies for word in words[1:]) and not {"-G", "--get"} & set(words):
            method = "POST"
        elif {"-T", "--upload-file"} & set(words):
            method = "PUT"
    return f"{program} {method} {url}".rstrip() if method in _WRITING_METHODS else None


def _api_action(words: Sequence[str]) -> str | None:
    """`gh api` writes where a method or a field says so (gh-api(1): fields make it a POST)."""
    method = (_flag(words, "-X", "--method") or "").upper()
    fields = {"-f", "-F", "--field", "--raw-field", "--input"} & {word.partition("=")[0] for word in words}
    if not method and fields:
        method = "POST"
    target = next(iter(_objects(words, 2)), "")
    if target == "graphql":
        query = " ".join(words)
        return "gh api graphql mutation" if re.search(r"\bmutation\b", query) else None
    return f"gh api {method} {target}" if method in _WRITING_METHODS else None


def _sql_action(words: Sequence[str]) -> str | None:
    said = " ".join(words[1:])
    if words[0] == "redis-cli":
        verb = next((w for w in words[1:] if w.isalpha() and w.isupper()), "")
        return (
            " ".join(words) if re.fullmatch(r"SET|DEL|FLUSH\w*|HSET|LPUSH|RPUSH|SADD|EXPIRE|INCR|ZADD", verb) else None
        )
    return " ".join(words) if _SQL_WRITE.search(said) or {"-f", "--file"} & set(words) else None


def _copy_action(words: Sequence[str]) -> str | None:
    objects = _objects(words, 1)
    dry = {"-n", "--dry-run"} & set(words)
    return " ".join(words) if objects and _REMOTE.fullmatch(objects[-1]) and not dry else None


def _shell_action(words: Sequence[str]) -> str | None:
    """`ssh HOST COMMAND`: what runs over there is judged as here; only plain reading has no effect."""
    objects = words[1:]
    while objects and objects[0].startswith("-"):
        objects = objects[2 if objects[0] in {"-i", "-p", "-o", "-l", "-F", "-J", "-L", "-R"} else 1 :]
    if len(objects) < 2:
        return None
    return None if reads_only(" ".join(objects[1:])) else " ".join(words)


def _cloud_action(words: Sequence[str]) -> str | None:
    plain = _objects(words, 1)
    if not plain or any(_CLOUD_READS.fullmatch(word) for word in plain[:5]):
        return None
    return " ".join(words) if len(plain) > 1 else None


def _django_action(words: Sequence[str]) -> str | None:
    if len(words) > 2 and words[1].endswith("manage.py") and words[2] in {"migrate", "flush", "loaddata"}:
        return " ".join(words[1:])
    return None


_SPECIAL: Final[dict[str, Callable[[Sequence[str]], str | None]]] = {
    **dict.fromkeys(("curl", "wget", "http", "https", "xh"), _http_action),
    **dict.fromkeys(("psql", "mysql", "mariadb", "mongosh", "mongo", "sqlcmd", "redis-cli", "cqlsh"), _sql_action),
    **dict.fromkeys(("scp", "rsync"), _copy_action),
    **dict.fromkeys(("gcloud", "az", "aws", "doctl", "bq"), _cloud_action),
    "ssh": _shell_action,
    **dict.fromkeys(("python", "python3"), _django_action),
}


def external(words: Sequence[str]) -> tuple[str, tuple[str, ...] | None] | None:
    """(name, probe) of a simple command's effect outside; None where it has none."""
    if list(words[:2]) == ["gh", "api"]:
        name = _api_action(words)
        return None if name is None else (name, None)
    found = _table_action(words)
    if found is not None:
        return _named(found, words), found.probe(words) if found.probe else None
    special = _SPECIAL.get(words[0])
    name = special(words) if special else None
    return None if name is None else (name, None)


def _named(found: _Action, words: Sequence[str]) -> str:
    verb = [word for word in found.verb if word]
    match found.naming:
        case "verb":
            return " ".join(verb)
        case "object":
            return " ".join([*verb, *_objects(words, len(verb))[:1]])
        case "whole":
            quiet = {"-u", "--set-upstream", "-q", "--quiet", "-v", "--verbose", "--progress", "-y", "--yes"}
            return " ".join(word for word in words if word not in quiet)


def action(command: str) -> str | None:
    """A short name of the effect outside the checkout, the same for the same effect; None where there is none."""
    return next((found[0] for words, _, _ in parts_of(command) if (found := external(words))), None)


def probe(command: str) -> tuple[str, ...] | None:
    """A read-only command that would tell whether the effect outside happened; None where none is known."""
    return next((found[1] for words, _, _ in parts_of(command) if (found := external(words))), None)
