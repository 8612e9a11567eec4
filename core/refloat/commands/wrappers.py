"""What a simple command really runs: wrappers (`sudo`, `timeout`, `uv run`, `docker exec`) taken away.

Decides from the words alone. Refuses to guess at the flags of programs that it does not know.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from refloat.commands.options import spread
from refloat.knowledge.tables import forgets, table
from refloat.patterns import late

_WRAPPERS: Final[dict[str, tuple[int, str]]] = {
    "sudo": (0, "-u -g -h -p -C -D -R -T -U"), "doas": (0, "-u -C"), "env": (0, "-u -C -S --chdir --unset"),
    "nohup": (0, ""), "nice": (0, "-n --adjustment"), "ionice": (0, "-c -n -p"), "exec": (0, "-a"), "command": (0, ""),
    "builtin": (0, ""), "time": (0, "-f -o"), "stdbuf": (0, "-i -o -e"), "unbuffer": (0, ""), "xvfb-run": (0, "-n -s"),
    "setsid": (0, ""), "timeout": (1, "-k -s --signal --kill-after"), "gtimeout": (1, "-k -s"), "chrt": (1, ""),
    "taskset": (1, ""), "caffeinate": (0, "-t -w"), "chronic": (0, ""), "faketime": (1, ""), "strace": (0, "-o -e -p"),
    "ltrace": (0, "-o -e"), "valgrind": (0, ""), "rlwrap": (0, ""), "flock": (1, "-w -E"), "systemd-run": (0, "-p"),
    "npx": (0, "-p --package"), "bunx": (0, ""), "pnpx": (0, ""), "uvx": (0, "--from --with -p --python"),
    "dotenv": (0, "-e -f"), "dotenvx": (0, "-f"), "cross-env": (0, ""), "coproc": (0, ""),
    "xargs": (0, "-n -I -P -L -d -a -s -E --max-args --max-procs --replace --delimiter"),
    "watchexec": (0, "-e -w -i"), "entr": (0, ""), "parallel": (0, "-j --jobs"),
    "rtk": (0, ""), "busybox": (0, ""), "wsl": (0, "-d -u"),
}  # fmt: skip
"""Programs that run another one → words of their own that stand before it, and their flags that take a value."""
_RUNNERS: Final[dict[tuple[str, str], str]] = {
    ("uv", "run"): "--with --python -p --group --extra --directory --project --env-file --package --with-editable",
    ("poetry", "run"): "", ("pipenv", "run"): "", ("hatch", "run"): "", ("pdm", "run"): "-p", ("rye", "run"): "",
    ("pixi", "run"): "-e --environment", ("conda", "run"): "-n -p --name --prefix", ("mamba", "run"): "-n -p",
    ("micromamba", "run"): "-n -p", ("bundle", "exec"): "", ("pnpm", "exec"): "--filter -C", ("pnpm", "dlx"): "",
    ("yarn", "exec"): "", ("yarn", "dlx"): "-p", ("npm", "exec"): "-p --package -w", ("bun", "x"): "",
    ("mise", "exec"): "", ("mise", "x"): "", ("direnv", "exec"): "", ("asdf", "exec"): "", ("pipx", "run"): "--spec",
    ("docker", "exec"): "-u -w -e --user --workdir --env", ("podman", "exec"): "-u -w -e",
    ("docker", "run"): "-v -e -w -u -p --name --network --entrypoint --env-file --user --workdir --volume --env --mount"
    " --platform -m --memory --cpus --add-host --label -l --hostname -h",
    ("podman", "run"): "-v -e -w -u -p --name --network --entrypoint --env-file --user --workdir --volume --env",
    ("op", "run"): "--env-file", ("doppler", "run"): "-p -c", ("nix", "develop"): "-c",
    ("devbox", "run"): "", ("perf", "stat"): "-e -o", ("coverage", "run"): "--source --omit --rcfile",
    ("xcrun", "swift"): "",
}  # fmt: skip
_IN_A_CONTAINER: Final = frozenset({("docker", "exec"), ("podman", "exec"), ("docker", "run"), ("podman", "run")})
"""Runners with a container or image before the command."""
_MOVING: Final = frozenset({"-C", "--chdir", "-D", "--directory", "--cwd", "--dir"})
"""Flags of wrappers (`env -C DIR`, `uv run --directory DIR`) with which the command runs in another directory."""
_TASK_RUNNERS: Final = frozenset({"hatch", "pdm", "rye", "pixi", "devbox"})
"""Runners that also run tasks of the project, by their names."""
_TASK: Final = late(r"tests?|lint\S*|builds?|checks?|docs?|fmt|format|types?|typecheck|ci|cov\S*|verify|\S+:\S+")
_COMPOSE: Final = frozenset({"exec", "run"})
_ASSIGNMENT: Final = late(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)
_PYTHON: Final = late(r"(?:python|pypy)[\d.]*(?:\.exe)?|py")
_GLOBALS: Final[dict[str, str]] = {
    "git": "-C -c --git-dir --work-tree --namespace --exec-path",
    "make": "-C -f -I -o -W --directory --file",
    "gmake": "-C -f -I",
    "go": "-C",
    "cargo": "--manifest-path --color --config -Z -C",
    "just": "-f -d --justfile --working-directory --set",
    "kubectl": "-n --namespace --context --kubeconfig --cluster -s --server --user",
    "oc": "-n --namespace --context",
    "helm": "-n --namespace --kube-context --kubeconfig",
    "terraform": "-chdir",
    "docker": "--context -H --host -c --config -l --log-level",
    "gh": "-R --repo",
    "glab": "-R --repo",
    "npm": "--prefix -C -w --workspace --registry --loglevel",
    "pnpm": "-C --dir --filter -F -w",
    "yarn": "--cwd",
    "bun": "--cwd --filter",
    "mvn": "-f -pl -s -P -T -am",
    "mvnw": "-f -pl -s -P -T",
    "gradle": "-p -b -c -x --project-dir",
    "gradlew": "-p -b -c -x --project-dir",
    "composer": "-d --working-dir",
    "task": "-d -t --dir --taskfile",
    "poetry": "-C --directory -P --project",
    "uv": "--directory --project",
    "swift": "--package-path",
    "aws": "--profile --region --output --endpoint-url --query",
    "gcloud": "--project --account --format --verbosity --configuration",
}
"""Flags that take a value and stand before a program's verb: `git -C DIR push`, `make -C DIR test`."""
_DIRECTORIES: Final = frozenset(
    {"-C", "--directory", "--cwd", "--prefix", "--dir", "--project-dir", "--package-path", "-chdir"}
)
"""Those of them that name the directory it works in."""


class Core(NamedTuple):
    """What a simple command really runs."""

    words: list[str]
    """Assignments, wrappers, the program's directory and flags before its verb are taken away; empty: nothing."""
    directory: str = ""
    """Where its own flags say that it works (`git -C DIR`); "" where they say nothing."""
    flags: tuple[str, ...] = ()
    """Flags that stood before its verb, each that has one with its value: `-n prod`."""
    elsewhere: bool = False
    """A wrapper runs it in a container, or in a directory of its own."""


def core_of(words: Sequence[str]) -> Core:
    """What the words of a simple command really run."""
    rest = list(words)
    directory = ""
    flags: tuple[str, ...] = ()
    elsewhere = False
    for _ in range(12):
        if not rest:
            break
        if _ASSIGNMENT.fullmatch(rest[0]):
            rest = rest[1:]
            continue
        head = _name(rest[0])
        pair = (head, rest[1] if len(rest) > 1 else "")
        if pair in _RUNNERS:
            inner = _past_flags(rest[2:], _RUNNERS[pair])
            inner = inner[1:] if pair in _IN_A_CONTAINER else inner
            if not inner or (head in _TASK_RUNNERS and _TASK.fullmatch(inner[0])):
                return Core([*pair, *rest[2:]])
            elsewhere |= pair in _IN_A_CONTAINER or _moves(rest, inner)
            rest = inner
        elif head in {"docker-compose", "podman-compose"} or pair == ("docker", "compose"):
            inner = _compose(rest[2:] if pair == ("docker", "compose") else rest[1:])
            if not inner:
                return Core([head, *rest[1:]], directory, flags, elsewhere)
            rest, elsewhere = inner, True
        elif head in _WRAPPERS and len(rest) > 1:
            own, valued = _WRAPPERS[head]
            inner = _past_flags(rest[1:], valued)[own:]
            if not inner:
                return Core([head, *rest[1:]], directory, flags, elsewhere)
            elsewhere |= _moves(rest, inner)
            rest = inner
        elif _PYTHON.fullmatch(head) and "-m" in rest[1:6]:
            rest = rest[rest.index("-m") + 1 :]
        elif head in _GLOBALS:
            made = _past_globals([head, *rest[1:]])
            directory, flags = made.directory or directory, (*flags, *made.flags)
            if made.words == rest:
                return Core(rest, directory, flags, elsewhere)
            rest = made.words
        else:
            return Core([head, *rest[1:]], directory, flags, elsewhere)
    return Core(rest, directory, flags, elsewhere)


def _moves(words: Sequence[str], inner: Sequence[str]) -> bool:
    """Whether what stands before the `inner` command names the directory that it runs in."""
    return any(word.partition("=")[0] in _MOVING for word in words[1 : len(words) - len(inner)])


def _name(word: str) -> str:
    """The program's name without its directory; a script keeps no more of its path than that."""
    name = word.rpartition("/")[2] or word
    return name.removesuffix(".exe").removesuffix(".cmd").removesuffix(".bat")


def _past_flags(words: Sequence[str], valued: str) -> list[str]:
    rest, takes = list(words), frozenset(valued.split())
    while rest and (rest[0].startswith("-") or _ASSIGNMENT.fullmatch(rest[0])):
        if rest[0] == "--":
            return rest[1:]
        rest = rest[2 if rest[0] in takes else 1 :]
    return rest


def _compose(words: Sequence[str]) -> list[str]:
    """The command that `compose exec SERVICE …` or `compose run SERVICE …` runs; empty for any other verb."""
    rest = _past_flags(words, "-f -p --file --project-name --profile --env-file --project-directory")
    if not rest or rest[0] not in _COMPOSE:
        return []
    return _past_flags(rest[1:], "-u -w -e -p -v --user --workdir --env --name --index --entrypoint --volume")[1:]


def _past_globals(words: list[str]) -> Core:
    takes = frozenset(_GLOBALS[words[0]].split())
    rest, directory = words[1:], ""
    flags: list[str] = []
    decisive: list[str] = []
    while rest and rest[0].startswith(("-", "+")):
        flag, equals, value = rest[0].partition("=")
        with_value = flag in takes and not equals
        if not with_value and not rest[1:]:
            break
        if with_value:
            value = rest[1] if len(rest) > 1 else ""
        taken = rest[: 2 if with_value else 1]
        if flag in _DIRECTORIES:
            directory = value
        else:
            flags += taken
        if {rest[0], "=".join(taken), *spread((words[0], rest[0]))[1:]} & _deciding(words[0]):
            decisive += taken
        rest = rest[len(taken) :]
    return Core([words[0], *rest, *decisive], directory, tuple(flags)) if rest else Core(words)


@cache
def _deciding(program: str) -> frozenset[str]:
    """Flags that say whether a call verifies at all: they stay among its words, behind the verb."""
    checks = table("checks")
    rows = [checks.get(section, {}) for section in ("nothing", "untested", "ignoring")]
    return frozenset(word for row in rows for key in ("flags", program) for word in str(row.get(key, "")).split())


forgets(_deciding.cache_clear)
