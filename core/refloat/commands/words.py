"""A shell line taken apart: its simple commands, each with what is really run and what stands behind it.

Splits at a shell's operators, follows wrappers (`sudo`, `env`, `uv run`, `bash -c`) and leaves heredocs out. Refuses to
expand anything; a line with broken quotes is read as far as it goes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Final


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
        elif (head, *rest[1:2]) in _RUNNERS:
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
def parts_of(command: str, depth: int = 0) -> tuple[tuple[tuple[str, ...], str, bool], ...]:
    """(core words, operator behind, writes to a file) of each simple command; a shell within is looked into."""
    found: list[tuple[tuple[str, ...], str, bool]] = []
    for part in _split(command[:20_000]):
        words = _core(part.words)
        inner = next((w for flag, w in pairwise(words[1:]) if re.fullmatch(r"-\w*c", flag)), None)
        if words and words[0] in _INNER and inner is not None and depth < 3:
            nested = list(parts_of(inner, depth + 1))
            if nested:
                nested[-1] = (nested[-1][0], part.then, nested[-1][2] or part.writes)
            found += nested
        elif words:
            found.append((tuple(words), part.then, part.writes))
    return tuple(found)
