"""The rules of a language, read from its data file; an expression is compiled when a sentence may be what it means.

Decides how the data is put together: `<name>` in a pattern stands for the alternatives of that name. Refuses a file
with a name that nothing defines.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

from refloat.claims.tokens import MARK
from refloat.model.triage import ClaimKind
from refloat.patterns import late

_DIRECTORY: Final = Path(__file__).with_name("rules")
_NAME: Final = re.compile(r"(?<!\?P)<([a-z_]+)>")
_TOKENS: Final = {
    "file": "file",
    "test": "test",
    "run_tests": "run(?:_[a-z]+)*?_test(?:_[a-z]+)*?",
    "run_lint": "run(?:_[a-z]+)*?_lint(?:_[a-z]+)*?",
    "run_build": "run(?:_[a-z]+)*?_build(?:_[a-z]+)*?",
    "ran_commit": "ran_commit",
    "ran_push": "ran_push",
    "ran_pr": "ran_pr",
    "ran_publish": "ran_publish",
    "ran_deploy": "ran_deploy",
    "ran": "ran_[a-z]+",
    "pr_link": "pr",
    "sha": "sha",
    "version": "version",
    "tick": "tick",
    "open": "open",
    "literal": "(?:code|file|quote)",
    "any": "[a-z_]+",
}
"""Words of patterns that stand for tokens, with the kind of token."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to say something."""

    kinds: tuple[tuple[ClaimKind, re.Pattern[str] | None], ...]
    """What it claims; where a pattern stands beside a kind, only if that is in the match too."""
    act: bool
    """Somebody did it: what stands before must be "I …" or nothing. Otherwise something is so."""
    pattern: re.Pattern[str]
    needs: re.Pattern[str] | None
    bare_not: re.Pattern[str] | None
    """Behind an act that begins a clause: it is none."""
    not_about: re.Pattern[str] | None
    """A subject, before the match, of which it claims nothing."""

    @property
    def fix(self) -> bool:
        """Whether it tells of a fix: what is fixed may happen when something else does."""
        return self.kinds[0][0] is ClaimKind.FIXED


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that share their hints."""

    hints: tuple[str, ...]
    """Without any of these, in small letters, none of the rules can match: tried first, for speed."""
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Language:
    """All rules of one language."""

    groups: tuple[Group, ...]
    me: re.Pattern[str]
    """Ends in somebody who speaks of himself."""
    alone: re.Pattern[str]
    """Nothing but adverbs, to the end."""
    opening: re.Pattern[str]
    sentence: re.Pattern[str]
    before: re.Pattern[str]
    after_state: re.Pattern[str]
    after: re.Pattern[str]
    event: re.Pattern[str]
    """Before a state: it is so ever again, not now."""
    adjective: re.Pattern[str]
    failing: re.Pattern[str]
    contrast: re.Pattern[str]
    """In a sentence: no check in it is well everywhere."""
    undone: re.Pattern[str]
    """Behind an act: it was taken back."""
    fronted: re.Pattern[str]
    """What may stand before an "I" that does something."""
    achieved: re.Pattern[str]
    """With its group `verb`, an infinitive, the same as that verb done."""
    antecedent: re.Pattern[str]
    """What was run; its group is the thing."""
    anaphor: re.Pattern[str]
    """A word that stands for what was run."""
    section: re.Pattern[str]
    foreign: frozenset[str]
    tools: frozenset[str]
    """Programs that prose calls by name."""
    done: Mapping[str, str]
    """Verbs of a plan → the same, done."""
    open_marks: re.Pattern[str]
    done_marks: re.Pattern[str]

    def plain(self, sentence: str) -> str:
        """A sentence with "fixed" in place of "managed to fix"."""
        return self.achieved.sub(lambda match: self.done.get(match["verb"].lower(), match.group()), sentence)

    def likely(self, sentence: str) -> list[Rule]:
        """The rules that may match in a sentence."""
        small = sentence.lower()
        return [rule for group in self.groups if any(hint in small for hint in group.hints) for rule in group.rules]

    def resolved(self, clause: str, context: str) -> str:
        """A clause with what was run last in place of the pronoun for it."""
        match = self.anaphor.search(clause)
        if match is None:
            return clause
        ran = [found["thing"] for found in self.antecedent.finditer(context.partition(clause[match.start() :])[0])]
        return f"{clause[: match.start()]}{ran[-1]}{clause[match.end() :]}" if ran else clause


class _Words:
    """The named alternatives of a file, written out."""

    def __init__(self, words: Mapping[str, object]) -> None:
        self._words = words
        self._known: dict[str, str] = {name: f"{MARK}{kind}\\d+{MARK}" for name, kind in _TOKENS.items()}

    def expand(self, pattern: str) -> str:
        return _NAME.sub(lambda match: self._named(match[1]), pattern)

    def _named(self, name: str) -> str:
        if name not in self._known:
            self._known[name] = f"(?:{'|'.join(self.expand(word) for word in _strings(self._words[name]))})"
        return self._known[name]

    def any_of(self, patterns: Sequence[str]) -> str:
        return "|".join(f"(?:{self.expand(pattern)})" for pattern in patterns)

    def compile(self, pattern: str) -> re.Pattern[str]:
        return _compiled(self.expand(pattern))


def _compiled(source: str) -> re.Pattern[str]:
    return late(source, re.IGNORECASE)


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        raise TypeError(f"a list of patterns was expected, not {value!r}")
    return [str(one) for one in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - TOML, made strings here


def _table(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise TypeError(f"a table was expected, not {value!r}")
    return {str(key): one for key, one in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - TOML keys are strings


Form = Literal["act", "state"]


def _rules(entry: Mapping[str, object], subjects: Mapping[str, object], words: _Words) -> list[Rule]:
    if entry.get("by_subject"):
        kinds = tuple((ClaimKind(kind), words.compile(str(said))) for kind, said in subjects.items())
    else:
        kinds = ((ClaimKind(str(entry["kind"])), None),)
    form = entry["form"]
    if form not in ("act", "state"):
        raise ValueError(f"{form!r} is no form of a claim")

    def optional(name: str) -> re.Pattern[str] | None:
        return words.compile(str(entry[name])) if name in entry else None

    return [
        Rule(
            kinds,
            form == "act",
            words.compile(rf"\b(?:{pattern})" if form == "act" else pattern),
            optional("needs"),
            optional("bare_not"),
            optional("not_about"),
        )
        for pattern in _strings(entry["patterns"])
    ]


def _hints(value: object, shared: Mapping[str, object]) -> tuple[str, ...]:
    """Hints, or those of a name."""
    return tuple(_strings(shared[value] if isinstance(value, str) else value))


@cache
def load(language: str) -> Language:
    """The rules of a language.

    Raises:
        FileNotFoundError: there are none.
        KeyError, TypeError, ValueError: the file is wrong. A mistake in an expression is told at its first use.
    """
    from tomli import loads

    data = loads((_DIRECTORY / f"{language}.toml").read_text(encoding="utf-8"))
    words = _Words(_table(data["words"]))
    veto = _table(data["veto"])
    subjects = _table(data["subjects"])
    anaphora = _table(data["anaphora"])
    told = {name: words.any_of(_strings(patterns)) for name, patterns in veto.items() if not name.endswith("_marks")}
    lists = {name: _compiled(source) for name, source in told.items()}
    shared = _table(data["hints"])
    groups = tuple(
        Group(_hints(entry["hints"], shared), tuple(_rules(entry, subjects, words)))
        for entry in map(_table, data["claims"])
    )
    return Language(
        groups=groups,
        me=words.compile(r"\b<me> <adv>$"),
        alone=words.compile(r"<adv>$"),
        opening=_compiled(f"(?:{told['opening']})"),
        sentence=lists["sentence"],
        before=lists["before"],
        after_state=lists["after_state"],
        after=lists["after"],
        event=lists["event"],
        adjective=lists["adjective"],
        failing=lists["failing"],
        contrast=lists["contrast"],
        undone=lists["undone"],
        fronted=lists["fronted"],
        achieved=lists["achieved"],
        antecedent=words.compile(str(anaphora["antecedent"])),
        anaphor=words.compile(str(anaphora["anaphor"])),
        section=_compiled(rf"\b(?:{told['section']})"),
        foreign=frozenset(str(data["foreign"]).split()),
        tools=frozenset(str(data["tools"]).split()),
        done={verb: str(done) for verb, done in _table(data["done"]).items()},
        open_marks=re.compile("|".join(map(re.escape, _strings(veto["open_marks"])))),
        done_marks=re.compile("|".join(map(re.escape, _strings(veto["done_marks"])))),
    )
