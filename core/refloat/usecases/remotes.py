"""Whether a look that asks a remote of git has a remote to ask."""

from pathlib import Path

from refloat.ports import Git


def why_no_remote(git: Git, place: Path, probe: tuple[str, ...] | None) -> str:
    """Why `git ls-remote NAME …` cannot tell in `place`, in words; "" where it can, and for any other look.

    A NAME that is an address (git-ls-remote(1): a URL or a path) needs no configuration.
    """
    if probe is None or len(probe) < 3 or probe[:2] != ("git", "ls-remote"):
        return ""
    name = next((word for word in probe[2:] if not word.startswith("-")), "")
    if not name or ":" in name or "/" in name or name.startswith("."):
        return ""
    told = git.run(place, "config", "--get-regexp", r"^remote\..*\.(url|pushurl)$")
    if told.code not in (0, 1):
        return ""
    known = {line.split(" ", 1)[0] for line in told.out.decode("utf-8", "replace").splitlines()}
    return "" if f"remote.{name}.url" in known else f"no remote `{name}` is configured here"
