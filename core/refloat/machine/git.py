"""git as a source of answers: hardened, without locks, without the network, with a time limit.

Decides how git is called; what git is told beforehand stands in `git_options`. Refuses to call it for anything that is
not a question.
"""

import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from refloat.machine.git_met import find_met
from refloat.machine.git_options import (
    ENVIRONMENT,
    FIXED,
    PERSONAL,
    harden,
    is_harmless,
    neutralised,
    personal_settings,
)
from refloat.machine.launcher import run_program
from refloat.machine.programs import absolute_parts, find_program
from refloat.model.checkout import Warned
from refloat.model.light import light
from refloat.ports import GitAnswer, Places
from refloat.there import is_there

_FRESH: Final = 1.0
"""Seconds for which the settings of a repository are taken as known."""
_LEAST: Final = (2, 31)
"""The first git that takes settings by environment, where a name may hold any character."""
_NO_GIT: Final = 127
_NONE: Final = "there is no git on the path"
_TOO_LONG: Final = -9
_LONGEST: Final = 256 << 20
"""Bytes of the longest answer that is taken: a whole diff of a large checkout has a few, a hostile one as many as it
likes."""
_CHUNK: Final = 1 << 16
_ASIDE: Final = 10.0
"""Seconds for what is asked before a question: the settings and the version."""
_REST: Final = 20.0
"""Seconds for which a git that let two limits pass in a row is not asked: twenty questions would each wait for it."""


@light
class _Settings:
    """What a repository's configuration holds."""

    origins: Mapping[str, str]
    """Key to the file that it was last read from."""
    read_at: float
    top: Path | None = None
    """The directory with `.git`, where a setting names the worktree: that setting is not followed."""
    worktree: str = ""
    """What it names, relative to the git directory."""
    refused: GitAnswer | None = None
    """Git's answer where it could not tell the settings: then nothing else is asked, for filters would run."""


class HardenedGit:
    """The person's git, told beforehand to run nothing of the repository's.

    May be asked from several threads at once.
    """

    def __init__(self, places: Places, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._places = places
        self._monotonic = monotonic
        self._settings: dict[Path, _Settings] = {}
        self._personal: Mapping[str, str] | None = None
        self._version: str | None = None
        self._looked = False
        self._unstarted = ""
        """Why there is no version."""
        self._silences = 0
        self._silent_until = float("-inf")
        self._lock = threading.Lock()

    def run(
        self,
        directory: Path,
        *words: str,
        stdin: bytes | None = None,
        index: bytes | None = None,
        seconds: float = 30,
    ) -> GitAnswer:
        """Ask git about `directory` and wait at most so many seconds (then: code -9, `timed_out`).

        Code 127 stands for a git that is missing, too old or cannot be started (`why_not`). An `index` in place of the
        repository's lies in memory.

        Raises:
            ValueError: the words are no question (a mistake of the caller, never of a repository).

        """
        asked = harden(words)
        if (refusal := self._refusal()) is not None:
            return GitAnswer(_NO_GIT, b"", refusal)
        known = self._known(directory)
        if (refusal := self._refusal()) is not None:
            return GitAnswer(_NO_GIT, b"", refusal)
        if known.refused is not None:
            return known.refused
        environment = {"GIT_WORK_TREE": str(known.top)} if known.top is not None else {}
        if index is not None:
            stdin, environment["GIT_INDEX_FILE"] = index, "/dev/stdin"
        return self._start(directory, asked, stdin, seconds, settings=self._given(known), environment=environment)

    def version(self) -> str | None:
        """Git's version as text (`2.39.5`), or None where there is no git, or none that starts."""
        with self._lock:
            if not self._looked:
                answer = self._start(None, ["version"], None, _ASIDE)
                found = re.search(rb"\d+\.\d+(\.\d+)*", answer.out)
                self._version = found.group().decode() if found and answer.code == 0 else None
                self._unstarted = answer.err.strip() if self._version is None else ""
                self._looked = answer.code != _NO_GIT or self._unstarted == _NONE  # a process may be had again
        return self._version

    def why_not(self) -> str | None:
        """Why git cannot be asked at all, in words; None where it can."""
        return self._refusal()

    def not_obeyed(self, directory: Path) -> Sequence[Warned]:
        """Settings of the repository at `directory` that would have made git run something; it did not.

        Only the names are told: values are other people's text and may hold secrets. Empty where nothing is.
        """
        if self._refusal() is not None:
            return ()
        known = self._known(directory)
        words = ("rev-parse", "--path-format=absolute", "--absolute-git-dir", "--git-common-dir")
        answer = self._start(directory, words, None, _ASIDE)
        own, _, common = os.fsdecode(answer.out.removesuffix(b"\n")).partition("\n")
        if answer.code != 0 or not common:
            return ()
        moved = known.top is not None and (Path(own) / known.worktree).resolve() != known.top.resolve()
        return find_met(known.origins, self._places.environment, Path(own), Path(common), moved=moved)

    def _refusal(self) -> str | None:
        version = self.version()
        if self._monotonic() < self._silent_until:
            return "git did not answer in time; it is asked again in a while"
        if version is None:
            return self._unstarted or "git does not tell its version"
        if tuple(int(part) for part in version.split(".")[:2]) < _LEAST:
            return f"git {version} cannot be told to run nothing of a repository's; 2.31 or newer is needed"
        return None

    def _known(self, directory: Path) -> _Settings:
        with self._lock:
            known = self._settings.get(directory)
        if known is not None and self._monotonic() - known.read_at < _FRESH:
            return known
        answer = self._start(directory, ["config", "--list", "-z", "--show-origin", "--includes"], None, _ASIDE)
        listing = answer.out if answer.code == 0 else b""
        origins = read_origins(listing, directory)
        known = _Settings(origins, self._monotonic(), refused=None if answer.code == 0 else answer)
        if "core.worktree" in origins:
            known = replace(known, top=_top(directory), worktree=read_value(listing, "core.worktree"))
        with self._lock:
            self._settings[directory] = known
        return known

    def _given(self, known: _Settings) -> list[tuple[str, str]]:
        own = [(key, value) for key, value in self._own().items() if key not in known.origins]
        return own + neutralised(known.origins)

    def _own(self) -> Mapping[str, str]:
        """The person's own harmless settings: what is ignored and how lines end shall be as they see it."""
        if self._personal is None:
            if not any(map(os.path.exists, self._personal_files())):
                return read_personal(b"", self._places)
            home = {"HOME": str(self._places.home), "GIT_CONFIG_GLOBAL": ""}
            if xdg := self._places.environment.get("XDG_CONFIG_HOME"):
                home["XDG_CONFIG_HOME"] = xdg
            answer = self._start(
                None, ["config", "--global", "--list", "-z", "--includes"], None, _ASIDE, environment=home
            )
            self._personal = read_personal(answer.out, self._places)
        return self._personal

    def _personal_files(self) -> Sequence[Path]:
        """Where git looks for a person's own settings (git-config(1), FILES)."""
        base = Path(self._places.environment.get("XDG_CONFIG_HOME") or self._places.home / ".config")
        return self._places.home / ".gitconfig", base / "git" / "config"

    def _start(
        self,
        directory: Path | None,
        words: Sequence[str],
        stdin: bytes | None,
        seconds: float,
        *,
        settings: Sequence[tuple[str, str]] = (),
        environment: Mapping[str, str] | None = None,
    ) -> GitAnswer:
        git = find_program("git", self._places.environment)
        if git is None:
            return GitAnswer(_NO_GIT, b"", _NONE)
        place = () if directory is None else ("-C", str(directory))
        if any("\0" in word for word in (*words, *place)):
            return GitAnswer(128, b"", "no name holds a zero byte")
        argv = [git, "--no-pager", "--no-optional-locks", *FIXED, *place, *words]
        given = _environment(settings, absolute_parts(self._places.environment), environment or {})
        answer = run_program(argv, given, seconds, stdin=stdin, longest=_LONGEST)
        if answer.code == _NO_GIT:
            answer = replace(answer, err=f"git could not be started: {answer.err}")
        elif answer.timed_out:
            answer = replace(answer, err=f"git did not answer within {seconds:g} s")
        elif len(answer.out) > _LONGEST:
            answer = GitAnswer(_TOO_LONG, b"", f"git's answer is longer than {_LONGEST >> 20} MB")
        self._silences = self._silences + 1 if answer.timed_out else 0
        if self._silences > 1:
            self._silent_until = self._monotonic() + _REST
        return answer


def _environment(settings: Sequence[tuple[str, str]], path: str, more: Mapping[str, str]) -> dict[str, str]:
    values = dict(ENVIRONMENT) | {"PATH": path} | dict(more)
    values = {name: value for name, value in values.items() if value or name not in more}
    if settings:
        values["GIT_CONFIG_COUNT"] = str(len(settings))
        for n, (key, value) in enumerate(settings):
            values[f"GIT_CONFIG_KEY_{n}"] = key
            values[f"GIT_CONFIG_VALUE_{n}"] = value
    return values


def read_origins(listing: bytes, directory: Path) -> Mapping[str, str]:
    r"""Key to origin file from `git config --list -z --show-origin`: `file:PATH\0key\nvalue\0…`, the last of each key.

    What was given by the command line or the environment (by Refloat itself) is left out.
    """
    fields = listing.decode("utf-8", "surrogateescape").split("\0")
    origins: dict[str, str] = {}
    for origin, entry in zip(fields[0::2], fields[1::2], strict=False):
        kind, _, path = origin.partition(":")
        if kind != "file":
            continue
        key, _, value = entry.partition("\n")
        if is_harmless(key, value):
            origins.pop(key, None)
        else:
            origins[key] = _below(directory, path)
    return origins


def read_value(listing: bytes, key: str) -> str:
    """The last value of a setting in `git config --list -z --show-origin`; empty where it has none."""
    entries = listing.decode("utf-8", "surrogateescape").split("\0")[1::2]
    return next((entry[len(key) + 1 :] for entry in reversed(entries) if entry.startswith(key + "\n")), "")


def _top(directory: Path) -> Path | None:
    """The directory with the `.git` of a place: the worktree, where no setting names another one."""
    return next((place for place in (directory, *directory.parents) if is_there(place / ".git")), None)


def _below(directory: Path, path: str) -> str:
    """Git names its files from the top of the worktree, wherever in it the question was asked."""
    for place in (directory, *directory.parents):
        if is_there(place / path):
            return str(place / path)
    return str(directory / path)


def read_personal(listing: bytes, places: Places) -> Mapping[str, str]:
    """The harmless ones of a person's own settings, `~` written out, with git's default for the ignored files."""
    entries = (entry.partition("\n") for entry in listing.decode("utf-8", "surrogateescape").split("\0") if entry)
    kept = {key: value if given else "true" for key, given, value in entries if key in PERSONAL}
    return personal_settings(kept, str(places.home), places.environment.get("XDG_CONFIG_HOME", ""))
