"""`git push`, spelt in many ways: what it names, what it leaves to defaults, and how to ask the other side.

Decides what can be proved from the words and a known branch (git-push(1), REFSPECS). Refuses to assume an upstream: a
push that names nothing keeps a name of its own until the record shows what it means.
"""

from collections.abc import Sequence
from typing import Final

from refloat.commands.options import spread, valued
from refloat.commands.probes import fill, safe
from refloat.model.light import light

_SILENT: Final = frozenset(
    {"-u", "--set-upstream", "-q", "--quiet", "-v", "--verbose", "--progress", "--no-progress", "--porcelain",
     "--no-verify", "--verify", "--thin", "--no-thin", "--atomic", "-4", "-6", "--ipv4", "--ipv6"}
)  # fmt: skip
"""Flags that change nothing about what stands at the other side afterwards."""
_LOOKS: Final = frozenset({"--dry-run", "-n", "--help", "-h"})
_PROBE: Final = "git ls-remote {remote} {refs}"


@light
class Push:
    """What one push names."""

    name: str
    """The same for the same push; a ref that goes to its own name is named once."""
    remote: str | None
    refs: tuple[str, ...]
    """Names at the other side; () where the command leaves them to defaults."""
    upstream: bool
    """It makes them the branch's upstream."""
    bare: bool
    """It names neither remote nor refs, and no flag that chooses any."""
    probe: tuple[str, ...] | None


def push_of(words: Sequence[str], branch: str | None = None) -> Push | None:
    """What `git push …` names; None for any other command and for a dry run. `branch` is what HEAD means."""
    if tuple(words[:2]) != ("git", "push"):
        return None
    words = spread(words)
    if _LOOKS.intersection(words):
        return None
    flags, objects = _parted(words[2:])
    remote = objects[0] if objects else None
    named = [_ref(ref, branch) for ref in objects[1:]]
    loud = [flag for flag in flags if flag not in _SILENT]
    name = " ".join(["git push", *loud, *([remote] if remote is not None else []), *(ref for ref, _ in named)])
    there = tuple(target for _, target in named)
    upstream = bool({"-u", "--set-upstream"}.intersection(flags))
    whole = {"--all", "--branches", "--mirror", "--tags"}.intersection(loud)
    asked = there or ((branch,) if branch is not None and not whole else ())
    given = {"remote": remote or "origin", "refs": tuple(ref for ref in asked if safe(ref))}
    probe = fill(_PROBE.replace("ls-remote", "ls-remote --tags") if "--tags" in loud and not there else _PROBE,
                 words, (), given)  # fmt: skip
    return Push(name, remote, there, upstream, not objects and not loud, probe)


def _parted(words: Sequence[str]) -> tuple[list[str], list[str]]:
    flags: list[str] = []
    objects: list[str] = []
    rest, takes = list(words), valued("git")
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            objects.append(word)
            continue
        flags.append(f"{word} {rest.pop(0)}" if word in takes and rest else word)
    return flags, objects


def _ref(ref: str, branch: str | None) -> tuple[str, str]:
    """(how it is called, its name at the other side) of a refspec."""
    forced, ref = ref.startswith("+"), ref.removeprefix("+")
    source, colon, target = ref.partition(":")
    source = branch if source in {"HEAD", "@"} and branch is not None else source.removeprefix("refs/heads/")
    target = target.removeprefix("refs/heads/") if colon else source
    called = target if source == target else f"{source}:{target}"
    there = "" if target in {"HEAD", "@"} else target
    return ("+" if forced else "") + called, there
