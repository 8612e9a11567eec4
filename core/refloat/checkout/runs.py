"""What the session's own commands can have written: by the time of a run, by the file named, by what formatters do.

Pure. A formatter changes white space, quotes, line breaks, commas and the order of whole lines: its work is told by
comparing texts without these. Refuses to credit a formatter with anything else, whenever the file was written.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final

from refloat.commands import generates, may_undo, may_write
from refloat.commands.checks import formatter_of, is_check, rewrites
from refloat.commands.line import Simple, read_line
from refloat.commands.reading import QUIET, reading_kind
from refloat.model.light import field, light, slotted
from refloat.model.stamp import Stamp, later
from refloat.model.transcript import Outcome, Step, StepKind

_LAYOUT: Final = str.maketrans("", "", " \t\r\n\f\v'\"`,;()\\")
"""What formatters add, drop and exchange: white space, quotes, commas, semicolons, round brackets, continuations."""
_RUNNING: Final = (StepKind.COMMAND, StepKind.CHECK, StepKind.EXTERNAL, StepKind.EDIT)
_MORE_THAN_LAYOUT: Final = frozenset(
    ("go mod", "pyupgrade", "autoflake", "autopep8", "docformatter", "syncpack format")
)
"""Of the known formatters those that change words too: what they did cannot be told by the text."""
_NAMES_WHAT_IT_WRITES: Final = frozenset(
    ("sed", "mv", "rm", "chmod", "touch", "unlink", "truncate", "git mv", "git rm")
)
"""Programs that write only what their words name."""
_PUTTING: Final = frozenset({"cp", "mv", "install"})
_RETURNING: Final = frozenset({"reset", "checkout", "restore"})
"""Verbs of git that write files which it knows."""


@light
class Run:
    """One command of the session that can have written files."""

    step: int
    command: str
    at: Stamp
    until: Stamp | None
    """When it ended, the rounding of times included; None where no result was ever recorded."""
    formats: bool
    """Nothing in it writes but known formatters."""
    words: frozenset[str]
    """What stands behind the programs of its writing parts, flags apart."""
    narrow: bool = False
    """It can write nothing but what its words name (`sed -i`, `mv`)."""
    writes: bool = True
    """False for a check that only looks at the sources: what it is known to generate, it may write even so."""
    returns: tuple[tuple[str, ...], ...] = ()
    """Its simple commands that put files to a place: copies, moves, what git takes from elsewhere."""

    def may_write(self, real: str) -> bool:
        """Whether it can have written a file at all."""
        if self.narrow and not self.names_above(real):
            return False
        return self.writes or generates(self.command, real)

    def spans(self, moment: Stamp) -> bool:
        """Whether a moment lies within the run."""
        return self.until is not None and self.at <= moment <= self.until

    def means(self, real: str) -> bool:
        """Whether a file is one that it names or is known to write, or a formatter's."""
        return self.formats or self.names(real) or generates(self.command, real)

    def names(self, real: str) -> bool:
        """Whether one of its words names a file."""
        return any(_means(word, real) for word in self.words)

    def names_above(self, real: str) -> bool:
        """Whether one of its words names a file or a directory that it lies in."""
        return any(_means_above(word, real) for word in self.words)

    def may_put_back(self, real: str) -> bool:
        """Whether it can have put a file that was gone back to its place."""
        return any(_puts_back(words, real) for words in self.returns)


def _means(word: str, real: str) -> bool:
    if any(char in word for char in "*?["):
        return fnmatchcase(real, word if word.startswith("/") else "*/" + word.removeprefix("./"))
    return real.endswith("/" + word.removeprefix("./").strip("/")) and word.strip("./") != ""


def _means_above(word: str, real: str) -> bool:
    return bool(word.strip("./")) and (_means(word, real) or f"/{word.strip('./')}/" in real)


def _returns(words: Sequence[str]) -> bool:
    return words[0] in _PUTTING or (words[0] == "git" and not _RETURNING.isdisjoint(words))


def _puts_back(words: Sequence[str], real: str) -> bool:
    named = [word for word in words[1:] if not word.startswith("-")]
    if words[0] in _PUTTING:
        return len(named) > 1 and _means(named[-1], real)
    if words[0] != "git" or not named:
        return False
    if named[0] == "reset":
        return "--hard" in words
    index_alone = not {"--staged", "-S"}.isdisjoint(words) and {"--worktree", "-W"}.isdisjoint(words)
    whole = any(word in {".", ":/"} or _means_above(word, real) for word in named[1:])
    return named[0] in {"checkout", "restore"} and whole and not index_alone


def find_runs(steps: Iterable[Step]) -> list[Run]:
    """The commands that can have written files, in step order; refused ones and mere reading are left out."""
    return [run for step in steps if (run := _run(step)) is not None]


def find_returns(steps: Sequence[Step]) -> list[tuple[int, Run]]:
    """Of the same those that can have put files back, with their places among the steps; no other line is read."""
    words = _PUTTING | _RETURNING
    able = ((at, step) for at, step in enumerate(steps) if step.command and any(map(step.command.__contains__, words)))
    return [(at, run) for at, step in able if (run := _run(step)) is not None and run.returns]


def _run(step: Step) -> Run | None:
    if step.command is None or step.at is None or step.kind not in _RUNNING or step.outcome is Outcome.DENIED:
        return None
    writes = may_write(step.command)
    if not writes and step.kind is not StepKind.CHECK:
        return None
    parts = read_line(step.command)
    writing = [part.words for part in parts if _writes(part)]
    named = frozenset(word for words in writing for word in words[1:] if not word.startswith("-"))
    formats = bool(writing) and all(_lays_out(words) for words in writing)
    until = later(step.ended_at, 0.001) if step.ended_at is not None else None
    narrow = bool(writing) and all(map(_is_narrow, parts))
    returns = tuple(part.words for part in parts if _returns(part.words))
    return Run(step.n, step.command, step.at, until, formats, named, narrow, writes, returns)


def _is_narrow(part: Simple) -> bool:
    """Whether a command writes nothing, or files that its words name and no shell puts together."""
    if not _writes(part):
        return True
    words = part.words
    name = " ".join(words[:2]) if words[0] == "git" else words[0]
    told = not any(mark in word for word in words for mark in ("$(", "`")) and not any(map(_is_put_in, words[1:]))
    return name in _NAMES_WHAT_IT_WRITES and not part.writes and told


def _is_put_in(word: str) -> bool:
    """Whether a word is a variable's value, or a pattern of braces."""
    return word.startswith("$") or "/$" in word or "${" in word or (word.startswith("{") and word.endswith("}"))


def _writes(part: Simple) -> bool:
    words = part.words
    if part.writes:
        return True
    if words[0] in QUIET or reading_kind(words, writes=False) is not None:
        return False
    return not is_check(words) or rewrites(words)


def _lays_out(words: Sequence[str]) -> bool:
    name = formatter_of(words)
    return name is not None and name not in _MORE_THAN_LAYOUT


@light
class FileRuns:
    """Those runs that can have written one file."""

    last: Run | None = None
    """During which the file was last written."""
    between: Sequence[Run] = ()
    """Between two edits of the file by the session: formatters, and commands that name the file."""
    ahead: Sequence[Run] = ()
    """The same, between the session's first look at the file and its first edit of it."""


NO_RUNS: Final = FileRuns()


def runs_between(runs: Iterable[Run], real: str, first: Stamp, last: Stamp) -> tuple[Run, ...]:
    """Formatters, and commands that name the file, between two moments."""
    return tuple(run for run in runs if run.writes and first <= run.at <= last and (run.formats or run.names(real)))


def removed_by(runs: Iterable[Run], real: str) -> Run | None:
    """The last command that names a file, or a directory above it, among what it takes away or moves."""
    found = [run for run in runs if may_undo(run.command) and run.names_above(real)]
    return found[-1] if found else None


# ── what a formatter does ────────────────────────────────────────────────────────────────────────────────────────────


def core(text: str) -> str:
    """A text without what formatters change."""
    return text.translate(_LAYOUT)


@slotted
class Layout:
    """One file's texts as a formatter sees them: what it can have found, and what it can have left."""

    gone: Counter[str] = field(default_factory=Counter[str])
    """Lines that the file's hunks take away."""
    came: Counter[str] = field(default_factory=Counter[str])
    """Lines that they add."""
    held: str = ""
    """The core of what the session wrote into the file."""

    def laid_out(self, lines: Sequence[str]) -> bool:
        """Whether lines are nothing but what the session wrote, in another layout or at another place."""
        made = core("".join(lines))
        return not made or made in self.held or not Counter(lines) - self.gone

    def moved_away(self, lines: Sequence[str]) -> bool:
        """Whether lines that are gone stand elsewhere in the file, or were only layout."""
        return not core("".join(lines)) or not Counter(lines) - self.came


def stands_laid_out(runs: Iterable[Sequence[str]], text: str) -> bool:
    """Whether every run of recorded lines stands in a text, whatever the layout."""
    made = core(text)
    return all(core("".join(lines)) in made for lines in runs)


def reformatted(gone: Sequence[str], added: Sequence[str]) -> bool:
    """Whether one stretch of lines is another in a new layout."""
    return core("".join(gone)) == core("".join(added))
