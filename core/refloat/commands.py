"""What a shell command is for: verifies, acts outside the checkout, reads, or anything else.

Decides from tables of command words, after splitting the line as a shell would at its operators; refuses to guess:
what matches nothing is a plain command, and a line with broken quotes is read as far as it goes.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from refloat.model.transcript import Outcome, StepKind

# ── splitting ────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Part:
    """A simple command of a line, with the operator behind it."""

    words: list[str] = field(default_factory=list[str])
    writes: bool = False
    """Its output goes to a file."""
    then: str = ""


_TOKEN: Final = re.compile(
    r"""
    (?P<space>[ \t\r]+|\\\n)
  | (?P<comment>(?<![^\s;&|(])\#[^\n]*)
  | (?P<redirect>\d*(?:<<<|<>|>>|>\||>&|<&|&>>|&>|<|>)(?:&?\d+|-)?)
  | (?P<operator>\|\||&&|;;|\|&|[;&|()\n])
  | (?P<single>'(?:[^']*'|[^']*\Z))
  | (?P<double>"(?:(?:[^"\\]|\\.)*"|(?:[^"\\]|\\.)*\Z))
  | (?P<sub>\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`)
  | (?P<escaped>\\.)
  | (?P<plain>[^\s'"\\;&|()<>`$]+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_HEREDOC: Final = re.compile(r"<<-?[ \t]*(['\"]?)([\w.-]+)\1([^\n]*)\n.*?(?:\n[ \t]*\2[ \t]*(?=\n|\Z)|\Z)", re.DOTALL)
_QUIET_TARGET: Final = re.compile(r"/dev/(?:null|stdout|stderr|tty)")


def _split(command: str) -> list[_Part]:
    parts, part, word = [_Part()], 0, None
    target = False

    def close() -> None:
        nonlocal word, target
        if word is None:
            return
        if target:
            parts[part].writes |= not _QUIET_TARGET.fullmatch(word)
            target = False
        else:
            parts[part].words.append(word)
        word = None

    for match in _TOKEN.finditer(_HEREDOC.sub(r"\3", command)):
        text = match.group()
        match match.lastgroup:
            case "space" | "comment":
                close()
            case "operator":
                close()
                parts[part].then = text
                parts.append(_Part())
                part += 1
            case "redirect":
                if word is not None and word.isdigit() and text[0] in "<>":
                    word = None
                close()
                target = text[-1] in "<>|&" and not text.endswith("&-")
                if target and text.startswith("<"):
                    target = False
                    word = None
            case "single":
                word = (word or "") + text.strip("'")
            case "double":
                word = (word or "") + re.sub(r'\\(["\\$`])', r"\1", text[1:].removesuffix('"'))
            case "escaped":
                word = (word or "") + text[1:]
            case _:
                word = (word or "") + text
    close()
    return [one for one in parts if one.words]


_KEYWORDS: Final = frozenset(
    {"if", "then", "do", "else", "elif", "while", "until", "!", "{", "time", "fi", "done", "}"}
)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)
_WRAPPERS: Final[dict[str, int]] = {
    "sudo": 0, "doas": 0, "env": 0, "nohup": 0, "nice": 0, "exec": 0, "command": 0, "builtin": 0, "stdbuf": 0,
    "xvfb-run": 0, "setsid": 0, "ionice": 0, "npx": 0, "bunx": 0, "pipx": 0, "uvx": 0, "timeout": 1, "gtimeout": 1,
    "dotenv": 0, "caffeinate": 0, "chronic": 0,
}  # fmt: skip
"""Programs that run another one → how many words of their own stand before it."""
_RUNNERS: Final = frozenset(
    {
        ("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("hatch", "run"), ("pdm", "run"), ("rye", "run"),
        ("pixi", "run"), ("conda", "run"), ("bundle", "exec"), ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "exec"),
        ("yarn", "dlx"), ("npm", "exec"), ("mise", "exec"), ("direnv", "exec"), ("bun", "x"), ("pipx", "run"),
        ("docker", "exec"), ("dotnet", "tool"),
    }
)  # fmt: skip
_VALUED: Final = frozenset({"-u", "-g", "-n", "-k", "-s", "--signal", "--with", "--python", "--group", "--extra", "-p"})
"""Flags of wrappers that take the next word with them."""


def _core(words: Sequence[str]) -> list[str]:
    """The words of what is really run: assignments, keywords, wrappers and the program's directory taken away."""
    rest = list(words)
    while rest:
        head = rest[0].rpartition("/")[2]
        if rest[0] in _KEYWORDS or _ASSIGNMENT.fullmatch(rest[0]):
            rest = rest[1:]
        elif tuple([head, *rest[1:2]]) in _RUNNERS:
            rest = _past_flags(rest[2:])
        elif head in _WRAPPERS and len(rest) > 1:
            rest = _past_flags(rest[1:])[_WRAPPERS[head] :]
        elif re.fullmatch(r"python[\d.]*|py", head) and "-m" in rest[1:4]:
            rest = rest[rest.index("-m") + 1 :]
        elif head == "git" or head in {"make", "go", "cargo"}:
            return _past_globals([head, *rest[1:]])
        else:
            return [head, *rest[1:]]
    return []


def _past_flags(words: Sequence[str]) -> list[str]:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        rest = rest[2 if rest[0] in _VALUED else 1 :]
    return rest


def _past_globals(words: list[str]) -> list[str]:
    """Options that stand between a program and its command: `git -C DIR push`, `make -C DIR test`, `cargo +nightly`."""
    rest = words[1:]
    while rest and (rest[0].startswith(("-", "+"))):
        rest = rest[2 if rest[0] in {"-C", "-c", "--git-dir", "--work-tree", "-f", "--manifest-path"} else 1 :]
    return [words[0], *rest]


_INNER: Final = frozenset({"bash", "sh", "zsh", "dash", "eval"})


@lru_cache(maxsize=4096)
def _parts(command: str, depth: int = 0) -> tuple[tuple[tuple[str, ...], str, bool], ...]:
    """(core words, operator behind, writes to a file) of each simple command; a shell within is looked into."""
    found: list[tuple[tuple[str, ...], str, bool]] = []
    for part in _split(command[:20_000]):
        words = _core(part.words)
        inner = next((w for flag, w in zip(words[1:], words[2:], strict=False) if re.fullmatch(r"-\w*c", flag)), None)
        if words and words[0] in _INNER and inner is not None and depth < 3:
            nested = list(_parts(inner, depth + 1))
            if nested:
                nested[-1] = (nested[-1][0], part.then, nested[-1][2] or part.writes)
            found += nested
        elif words:
            found.append((tuple(words), part.then, part.writes))
    return tuple(found)


# ── checks ───────────────────────────────────────────────────────────────────────────────────────────────────────────

_SCRIPT: Final = re.compile(
    r"(?:test|tests|lint|types?|typecheck|type-check|tsc|check|checks|build|compile|verify|validate|unit|e2e|spec|specs"
    r"|integration|ci|clippy|vet|mypy|pytest|format-check|fmt-check|coverage)(?:[:_./-].*)?",
)
"""Names of scripts, targets and recipes that verify."""

_CHECKS: Final[dict[str, frozenset[str] | None]] = {
    program: frozenset(verbs.split()) if verbs else None
    for program, verbs in {
        # Python
        "pytest": "", "py.test": "", "unittest": "", "tox": "", "nox": "", "mypy": "", "pyright": "",
        "basedpyright": "", "pyre": "check", "pytype": "", "ty": "check", "flake8": "", "pylint": "", "bandit": "",
        "lint-imports": "", "doctest": "", "compileall": "", "py_compile": "", "pre-commit": "run", "behave": "",
        "ruff": "check", "build": "", "hatch": "test build", "poetry": "build check", "uv": "build",
        # JavaScript and TypeScript
        "jest": "", "vitest": "", "mocha": "", "ava": "", "tap": "", "tsc": "", "vue-tsc": "", "eslint": "",
        "stylelint": "", "biome": "check lint ci", "oxlint": "", "playwright": "test", "cypress": "run",
        "karma": "start", "vite": "build", "next": "build lint", "nuxt": "build", "webpack": "", "rollup": "",
        "esbuild": "", "turbo": "test lint build", "nx": "test lint build", "deno": "test check lint", "tsup": "",
        "svelte-check": "", "astro": "check build", "ng": "test build lint", "node": "--test",
        # Rust, Go
        "cargo": "test t check c clippy build b nextest bench doc", "rustc": "", "trunk": "build",
        "go": "test vet build", "golangci-lint": "run", "staticcheck": "", "gotestsum": "",
        # Java, Kotlin, Scala
        "mvn": "test verify package compile install", "mvnw": "test verify package compile install",
        "gradle": "test check build assemble lint", "gradlew": "test check build assemble lint",
        "sbt": "test compile", "ktlint": "", "detekt": "", "javac": "", "kotlinc": "", "bazel": "test build",
        "lein": "test", "ant": "test build",
        # .NET, Ruby, PHP, Elixir
        "dotnet": "test build", "msbuild": "", "rspec": "", "rubocop": "", "minitest": "", "standardrb": "",
        "phpunit": "", "pest": "", "phpstan": "", "psalm": "", "phpcs": "", "php": "-l", "mix": "test compile credo",
        "steep": "check", "srb": "tc", "composer": "test validate",
        # C, C++, Swift, Zig, Haskell
        "ctest": "", "meson": "test compile", "ninja": "", "clang-tidy": "", "cppcheck": "", "gcc": "", "g++": "",
        "clang": "", "clang++": "", "swift": "test build", "xcodebuild": "", "swiftlint": "", "zig": "test build",
        "cabal": "test build", "stack": "test build", "cmake": "--build",
        # infrastructure, text, shell
        "terraform": "validate plan", "tofu": "validate plan", "tflint": "", "kubeval": "", "kubeconform": "",
        "helm": "lint template", "ansible-lint": "", "hadolint": "", "docker": "build", "podman": "build",
        "buildah": "build bud", "shellcheck": "", "yamllint": "", "actionlint": "", "markdownlint": "", "bats": "",
        "shfmt": "-d", "buf": "lint build", "sqlfluff": "lint", "vale": "", "codespell": "",
    }.items()
}  # fmt: skip
"""Program → its verifying words, None where any call of it verifies."""

_SCRIPTED: Final = frozenset({"npm", "yarn", "pnpm", "bun"})
_TARGETS: Final = frozenset(
    {"make", "gmake", "just", "task", "rake", "invoke", "inv", "mage", "poe", "rails", "bin/rails"}
)
_ONLY_CHECKING: Final[dict[str, tuple[str, ...]]] = {
    "black": ("--check", "--diff"),
    "isort": ("--check", "--check-only", "-c", "--diff"),
    "prettier": ("--check", "-c", "-l", "--list-different"),
    "gofmt": ("-l", "-d"),
    "rustfmt": ("--check",),
    "clang-format": ("--dry-run", "-n"),
    "terraform fmt": ("-check",),
    "ruff format": ("--check", "--diff"),
    "cargo fmt": ("--check",),
    "biome format": (),
    "dotnet format": ("--verify-no-changes",),
    "deno fmt": ("--check",),
    "mix format": ("--check-formatted",),
}
"""Formatters → what makes them only look."""


def _is_check(words: Sequence[str]) -> bool:
    program, rest = words[0], words[1:]
    formatter = _formatter(words)
    if formatter is not None:
        return any(flag in _ONLY_CHECKING[formatter] for flag in rest)
    if {"--version", "--help", "-h", "-V"} & set(rest):
        return False
    plain = [word for word in rest if not word.startswith("-")]
    if program in _SCRIPTED:
        name = plain[1:2] if plain[:1] in (["run"], ["run-script"]) else plain[:1]
        return bool(name) and (name[0] in {"t", "tst"} or bool(_SCRIPT.fullmatch(name[0])))
    if program in _TARGETS:
        return any(_SCRIPT.fullmatch(word) for word in plain)
    if program not in _CHECKS:
        return False
    verbs = _CHECKS[program]
    return verbs is None or any(word in verbs or word.rpartition(":")[2] in verbs for word in rest[:6])


def _formatter(words: Sequence[str]) -> str | None:
    for size in (2, 1):
        name = " ".join(words[:size])
        if name in _ONLY_CHECKING:
            return name
    return None


# ── effects outside ──────────────────────────────────────────────────────────────────────────────────────────────────

Naming = Literal["verb", "object", "whole"]
"""How an action is called: by its verb alone, with its first object, or by the whole command."""


@dataclass(frozen=True, slots=True)
class _Action:
    verb: tuple[str, ...]
    naming: Naming = "whole"
    probe: Callable[[Sequence[str]], tuple[str, ...] | None] | None = None
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


def _each(program: str, verbs: str, naming: Naming = "whole", probe: Callable[..., tuple[str, ...] | None] | None = None,
          unless: str = "") -> Iterator[_Action]:  # fmt: skip
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
           "|expose|autoscale|rollout restart|rollout undo|exec|cp", unless="--dry-run=client --dry-run=server --dry-run"),
    *_each("oc", "apply|create|delete|patch|replace|new-app", "whole"),
    *_each("kustomize", "edit set", "whole"),
    *_each("helm", "install|upgrade|uninstall|rollback", "object", _with_object(2, "helm", "status"), unless="--dry-run"),
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
    *_each("wrangler", "deploy|publish|delete|secret put|d1 execute", "whole", _fixed("wrangler", "deployments", "list")),
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
    *_each("prisma", "migrate deploy|db push|migrate reset|migrate dev", "whole", _fixed("prisma", "migrate", "status")),
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
    return None if classify(" ".join(objects[1:])) in {StepKind.READ, StepKind.SEARCH} else " ".join(words)


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


def _external(words: Sequence[str]) -> tuple[str, tuple[str, ...] | None] | None:
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
    return next((found[0] for words, _, _ in _parts(command) if (found := _external(words))), None)


def probe(command: str) -> tuple[str, ...] | None:
    """A read-only command that would tell whether the effect outside happened; None where none is known."""
    return next((found[1] for words, _, _ in _parts(command) if (found := _external(words))), None)


# ── what a command is for ────────────────────────────────────────────────────────────────────────────────────────────

_READS: Final = frozenset(
    {"cat", "bat", "head", "tail", "less", "more", "nl", "wc", "ls", "ll", "stat", "file", "tree", "pwd", "cd", "echo",
     "printf", "column", "sort", "uniq", "cut", "tr", "jq", "yq", "diff", "cmp", "du", "df", "which", "type", "date",
     "hexdump", "xxd", "od", "basename", "dirname", "realpath", "readlink", "env", "printenv", "true", "false", "test",
     "[", "sleep", "whoami", "uname", "id", "ps", "strings", "md5sum", "sha256sum", "sed", "awk"}
)  # fmt: skip
_QUIET: Final = frozenset(
    {"cd", "echo", "printf", "true", "false", "test", "[", "sleep", "export", "set", "source", "."}
)
"""Words that only accompany others: alone they read nothing."""
_SEARCHES: Final = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "find", "fd", "fdfind", "locate"})
_GIT_READS: Final = frozenset(
    {"status", "log", "diff", "show", "blame", "rev-parse", "ls-files", "ls-tree", "ls-remote", "describe", "shortlog",
     "cat-file", "reflog", "rev-list", "name-rev", "for-each-ref", "merge-base", "grep", "whatchanged", "var", "remote"}
)  # fmt: skip


def _reading(words: Sequence[str], *, writes: bool) -> StepKind | None:
    """READ or SEARCH for a simple command that changes nothing."""
    program = words[0]
    if writes:
        return None
    if program in _SEARCHES:
        return None if {"-delete", "-exec", "-execdir", "-x", "--exec"} & set(words) else StepKind.SEARCH
    if program == "git" and len(words) > 1 and words[1] in _GIT_READS:
        return StepKind.SEARCH if words[1] == "grep" else StepKind.READ
    if program in _READS:
        in_place = program in {"sed", "awk", "yq"} and any(re.match(r"-i|--in-place|-n?i\b", w) for w in words[1:])
        return None if in_place else StepKind.READ
    return None


def classify(command: str) -> StepKind:
    """The kind of a shell command (never `edit`): the strongest of its parts, external before check before the rest."""
    parts = _parts(command)
    if any(_external(words) for words, _, _ in parts):
        return StepKind.EXTERNAL
    if any(_is_check(words) for words, _, _ in parts):
        return StepKind.CHECK
    kinds = [_reading(words, writes=writes) for words, _, writes in parts]
    if not kinds or None in kinds or all(words[0] in _QUIET for words, _, _ in parts):
        return StepKind.COMMAND
    return StepKind.SEARCH if StepKind.SEARCH in kinds else StepKind.READ


def may_write(command: str) -> bool:
    """Whether a command can have changed files of the checkout: anything but reading, and checks that only look."""
    return any(
        writes or (_reading(words, writes=False) is None and words[0] not in _QUIET and not _only_looks(words))
        for words, _, writes in _parts(command)
    )


def _only_looks(words: Sequence[str]) -> bool:
    return _is_check(words) and not any(word.startswith(("--fix", "--write", "--update", "-u")) for word in words)


def is_formatter(command: str) -> bool:
    """Whether a command rewrites files in a known style."""
    return any(
        (_formatter(words) is not None and not _is_check(words))
        or (
            words[0] in {"eslint", "ruff", "biome", "stylelint", "rubocop"}
            and any(w.startswith("--fix") for w in words)
        )
        for words, _, _ in _parts(command)
    )


_UNDOING: Final = frozenset({"checkout", "restore", "stash", "reset", "clean", "revert", "switch", "rm", "rebase", "merge",
                             "pull", "mv", "worktree"})  # fmt: skip


def may_undo(command: str) -> bool:
    """Whether a command can have taken work away from the worktree: `git stash`, `git checkout`, `rm`, and the like."""
    for words, _, _ in _parts(command):
        if words[0] in {"rm", "mv", "trash", "unlink"}:
            return True
        if words[0] == "git" and len(words) > 1 and words[1] in _UNDOING:
            return words[1:3] not in (("stash", "list"), ("stash", "show"), ("stash", "apply"), ("stash", "pop"))
    return False


# ── checks and commits told more closely ─────────────────────────────────────────────────────────────────────────────


def check_of(command: str) -> str | None:
    """The verifying part of a command in one line, the same for the same check; None where it has none."""
    return next((" ".join(words) for words, _, _ in _parts(command) if _is_check(words)), None)


def hidden_by(command: str) -> str | None:
    """What stands behind a check and gives the exit code in its place (`tail -5`); None where nothing does."""
    parts = _parts(command)
    place = next((i for i, (words, _, _) in enumerate(parts) if _is_check(words) or _external(words)), None)
    if place is None or re.search(r"\bset\s+-\w*o\s+pipefail|\bset\s+-o\s+pipefail|PIPESTATUS", command):
        return None
    for index in range(place, len(parts) - 1):
        if parts[index][1] != "&&":
            return " ".join(parts[-1][0])
    return "&" if parts[-1][1] == "&" else None


_FAILED: Final = re.compile(
    r"^=+ .*?\b[1-9]\d* (?:failed|errors?)\b|^FAILED\b|^FAIL\b|\b[1-9]\d* failing\b|^Tests:\s+[1-9]\d* failed"
    r"|^ *Tests +[1-9]\d* failed|test result: FAILED|^Found [1-9]\d* errors?\b|^[1-9]\d* errors?,|error TS\d+"
    r"|[✖×] [1-9]\d* problems?|^error(?:\[E\d+\])?:|^--- FAIL|BUILD FAIL(?:ED|URE)|[1-9]\d* examples?, [1-9]\d* failures?"
    r"|^[1-9]\d* failed\b|^Build FAILED|^FAILURES!|Failed: +[1-9]|^make: \*\*\*",
    re.MULTILINE,
)
_PASSED: Final = re.compile(
    r"^=+ .*?\b\d+ passed\b|^\d+ passed\b|^OK(?: \(|$)|\b\d+ passing\b|^Tests:\s+\d+ passed|^ *Tests +\d+ passed"
    r"|test result: ok|^Success: no issues|^All checks passed|^0 errors,|^ok\s+\S+|^PASS\b|BUILD SUCCESS"
    r"|\d+ examples?, 0 failures|^Build succeeded|Passed!|^100% tests passed",
    re.MULTILINE,
)


def outcome_in(output: str) -> Outcome | None:
    """What a check's own summary says, where its exit code cannot tell; None where it says nothing known."""
    tail = output[-20_000:]
    if _FAILED.search(tail):
        return Outcome.ERROR
    return Outcome.OK if _PASSED.search(tail) else None


def is_commit(command: str) -> bool:
    """Whether a command makes a commit."""
    return any(words[:2] == ("git", "commit") and "--dry-run" not in words for words, _, _ in _parts(command))


def commit_subject(command: str) -> str | None:
    """The first line of the message that a commit command carries."""
    for words, _, _ in _parts(command):
        if words[:2] == ("git", "commit"):
            for index, word in enumerate(words):
                if re.fullmatch(r"-\w*m|--message", word) and index + 1 < len(words):
                    return words[index + 1].strip().partition("\n")[0] or None
                if word.startswith("--message="):
                    return word[10:].strip().partition("\n")[0] or None
    return None


_MADE: Final = re.compile(
    r"^\[(?P<branch>[^\]\n]*?)(?: \(root-commit\))? (?P<sha>[0-9a-f]{7,64})\] (?P<subject>.*)$", re.M
)


def commits_in(output: str) -> list[tuple[str, str]]:
    """(shortened id, subject) of the commits that git says it made: `[main 1a2b3c4] Subject`."""
    return [(match["sha"], match["subject"]) for match in _MADE.finditer(output)]
