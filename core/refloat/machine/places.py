"""Where things lie, from the environment alone. Makes no directory: that is for the one who writes first."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from refloat.there import from_here

if TYPE_CHECKING:
    from refloat.ports import Places


class Directories(NamedTuple):
    """The person's home and Refloat's own three places."""

    home: Path
    cache: Path
    data: Path
    config: Path


def find_places(environment: Mapping[str, str]) -> "Places":
    """The same as `find_directories`, with the environment, as the ports have it."""
    from refloat.ports import Places  # short commands load none of the ports

    found = find_directories(environment)
    return Places(*found, environment=environment)


def find_directories(environment: Mapping[str, str]) -> Directories:
    """The person's home and Refloat's own three places.

    The XDG Base Directory Specification on every system (a relative path in one of its variables is ignored, as it
    demands); `REFLOAT_CACHE_DIR`, `REFLOAT_DATA_DIR` and `REFLOAT_CONFIG_DIR` name the directories themselves.
    """
    home = _home(environment)

    def own(name: str, base: str, default: str) -> Path:
        if given := environment.get(f"REFLOAT_{name}_DIR"):
            return Path(os.path.abspath(_tilde(given, home)))  # noqa: PTH100 - `..` goes, links stay
        xdg = Path(environment.get(base, ""))
        return (xdg if xdg.is_absolute() else home / default) / "refloat"

    return Directories(
        home=home,
        cache=own("CACHE", "XDG_CACHE_HOME", ".cache"),
        data=own("DATA", "XDG_DATA_HOME", ".local/share"),
        config=own("CONFIG", "XDG_CONFIG_HOME", ".config"),
    )


def _home(environment: Mapping[str, str]) -> Path:
    if given := environment.get("HOME"):
        return Path(from_here(given))
    import pwd

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:  # a container's user without an entry
        return Path("/")


def _tilde(path: str, home: Path) -> str:
    return str(home) + path[1:] if path == "~" or path.startswith("~/") else path
