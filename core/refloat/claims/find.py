"""Finds the claims in a message, or in the completed item of a plan.

Decides clause by clause: a rule's words must stand there, and nothing before or behind them may take their word away.
Refuses everything in doubt: a claim that is missed costs less than one that was never made.
"""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from refloat.claims.prose import units_of
from refloat.claims.rules import Language, Rule, load
from refloat.claims.sentences import clauses_of, sentences_of
from refloat.claims.tokens import MARK, Tokens, tokenize
from refloat.commands.checks import Sort, verifies
from refloat.commands.sorts import programs_of
from refloat.model.triage import Claim, ClaimKind

_LANGUAGE: Final = "en"
_LONGEST: Final = 1000
"""Characters of a sentence that are judged: what is longer is data, not prose."""
_OF: Final = re.compile(r"(?<![\d.])(\d+)\s*(?:/|of|out of)\s*(?:the )?(\d+)(?![\d.])")
_COORDINATED: Final = re.compile(
    r"(?:,|\band|\bthen|&|\bplus|\+)(?: (?:then|also|just|now|successfully|finally|have|has))* $"
)
_PAST: Final = re.compile(
    r"^(?:[a-z]+ ){0,2}?(?:[a-z-]+ed|wrote|rewrote|made|built|ran|re-ran|set|put|split)\b", re.IGNORECASE
)
_CHECKED: Final = frozenset({ClaimKind.TESTS_PASS, ClaimKind.LINT_PASSES, ClaimKind.BUILDS})
_ASIDE: Final = re.compile(
    r"\b(?:so that|because|since|like|similar to|based on|from|using|following|according|to match|to mirror|instead"
    r"|as in|which|where|while|unlike|except|other than|not|see)\b",
    re.IGNORECASE,
)
_SORTS: Final[dict[ClaimKind, Sort]] = {
    ClaimKind.TESTS_PASS: "test",
    ClaimKind.LINT_PASSES: "lint",
    ClaimKind.BUILDS: "build",
}
_LABELLED: Final = re.compile(rf"(?:{MARK}file\d+{MARK}(?:, | and |, and )?)+(?=: | [–—-]+ | → )")
_VALUE: Final = re.compile(rf"(?<=[:=–—-] ){MARK}tick\d+{MARK} (?=\w)")
"""A tick between a label and what stands behind it."""
_WORD: Final = re.compile(r"[a-z][a-z0-9+-]*")
_RUNS: Final = tuple("run_" + "_".join(s) for n in (1, 2, 3) for s in combinations(("build", "lint", "test"), n))
"""Kinds of tokens that are a check's command."""
_NUMBER: Final = re.compile(r"#\d+\b|(?<=[/!])\d+$")


def find_claims(message: str) -> tuple[Claim, ...]:
    """What a message claims, in its order."""
    language = load(_LANGUAGE)
    found: list[Claim] = []
    before, tokens = "", Tokens()
    for unit in units_of(message):
        if unit.open or any(language.section.search(above.rstrip(": ")) for above in unit.under):
            before = ""
            continue
        sentences = sentences_of(_marked(tokenize(unit.text, tokens), tokens, language))
        for sentence, behind in zip(sentences, (*sentences[1:], ""), strict=False):
            found += _Judge(language, tokens, sentence[:_LONGEST], before, behind[:_LONGEST]).claims()
            before = sentence
    return tuple(dict.fromkeys(found))


def find_done(item: str) -> tuple[Claim, ...]:
    """What a completed item of a plan claims: "Fix the crash" is read as done."""
    language = load(_LANGUAGE)
    tokens = Tokens()
    prose = tokenize(" ".join(item.split()), tokens)
    told = re.sub(
        r"(?:^|(?<=\band )|(?<=, )|(?<=\bthen ))[A-Za-z]+\b",
        lambda match: language.done.get(match.group().lower(), match.group()),
        prose,
    )
    made = (
        claim for sentence in sentences_of(told) for claim in _Judge(language, tokens, sentence[:_LONGEST]).claims()
    )
    return tuple(dict.fromkeys(_as_written(claim, item) for claim in made))


def _as_written(claim: Claim, item: str) -> Claim:
    return Claim(claim.kind, " ".join(item.split()), claim.files, claim.names)


def _marked(prose: str, tokens: Tokens, language: Language) -> str:
    """Ticks and crosses as tokens."""
    prose = language.open_marks.sub(lambda match: f" {tokens.put('open', match.group())} ", prose.replace("\ufe0f", ""))
    prose = language.done_marks.sub(lambda match: f" {tokens.put('tick', match.group())} ", prose)
    return _VALUE.sub("", " ".join(prose.split()))


class _Judge:
    """Judges one sentence."""

    def __init__(self, language: Language, tokens: Tokens, sentence: str, before: str = "", behind: str = "") -> None:
        self._language = language
        self._tokens = tokens
        self._said = tokens.restore(sentence)
        self._context = f"{before} {sentence}"
        self._behind = behind
        self._rules = language.likely(sentence)
        self._sentence = self._opened(re.sub(rf"^(?:{MARK}tick\d+{MARK} ?)+(?=\S)", "", sentence).strip("\"' "))
        if self._sentence == sentence and sentence.startswith(MARK + "open"):
            self._sentence = ""

    def _opened(self, sentence: str) -> str:
        """Without the adverbs that it begins with."""
        while match := self._language.opening.match(sentence):
            sentence = sentence[match.end() :]
        return self._language.plain(sentence)

    def claims(self) -> list[Claim]:
        """What the sentence claims."""
        if not self._rules:
            return []
        language, sentence = self._language, self._sentence
        words = sentence.lower().split()
        foreign = sum(word.strip(".,;:!") in language.foreign for word in words)
        if not words or foreign > 1 or language.sentence.search(sentence):
            return []
        found: dict[ClaimKind, Claim] = {}
        clauses = [language.resolved(self._opened(clause), self._context) for clause in clauses_of(sentence)]
        for clause in clauses:
            for kind, where in self._judge(clause):
                found.setdefault(kind, self._claim(kind, where))
        if found.keys() & _CHECKED:
            found.pop(ClaimKind.VERIFIED, None)
        if self._falls_short():
            found.pop(ClaimKind.TESTS_PASS, None)
        if language.contrast.search(sentence):
            found = {kind: claim for kind, claim in found.items() if kind not in _CHECKED}
        return list(found.values())

    def _falls_short(self) -> bool:
        """Whether numbers in it say that not all of them passed."""
        counts = _OF.findall(self._sentence)
        return any(done != of for done, of in counts) or self._language.failing.search(self._sentence) is not None

    def _judge(self, clause: str) -> Iterator[tuple[ClaimKind, str]]:
        for rule in self._rules:
            if rule.needs is not None and not rule.needs.search(self._context):
                continue
            for match in rule.pattern.finditer(clause):
                if self._holds(rule, clause, match) and not self._undone(rule, match):
                    said = match.group()
                    yield from (
                        (kind, clause[match.start() :] if rule.act else clause)
                        for kind, also in rule.kinds
                        if also is None or also.search(said)
                    )

    def _holds(self, rule: Rule, clause: str, match: re.Match[str]) -> bool:
        language = self._language
        before, after = clause[: match.start()], clause[match.end() :].rstrip(".!")
        subjects = (before, match.group().rpartition(" ")[0] + " ")
        if rule.not_about is not None and any(map(rule.not_about.search, subjects)):
            return False
        if rule.act:
            before = re.split(r"(?<=:) ", before)[-1]
            bare = language.alone.match(before) is not None
            me = language.me.search(before)
            if me is not None and not bare and language.fronted.search(before[: me.start()]) is None:
                return False
            if not bare and me is None and not self._follows(before):
                return False
            if bare and not self._acts(rule, match, before, after):
                return False
        if language.before.search(before) or (not rule.act and not rule.fix and language.event.search(before)):
            return False
        return language.after.search(after) is None and (rule.act or language.after_state.search(after) is None)

    def _undone(self, rule: Rule, match: re.Match[str]) -> bool:
        """Whether it is taken back further on in the sentence or in the one behind it, or takes back itself."""
        if rule.kinds[0][0] in _CHECKED or rule.kinds[0][0] is ClaimKind.VERIFIED:
            return False
        undone = self._language.undone
        done, _, rest = self._sentence.partition(match.group())
        if any(found.start() <= len(done) < found.end() for found in undone.finditer(self._sentence)):
            return any(other.act and other.pattern.search(done) for other in self._rules)
        return undone.search(self._tokens.restore(f"{rest}, {self._behind}")) is not None

    def _acts(self, rule: Rule, match: re.Match[str], before: str, after: str) -> bool:
        """Whether a participle without anybody is an act: no adjective, no adverb that lacks its object."""
        if self._language.adjective.search(after) or (rule.bare_not is not None and rule.bare_not.search(after)):
            return False
        return bool(after) or not before or match.group().count(" ") > 0

    def _follows(self, before: str) -> bool:
        """Whether an act goes on with what somebody did: "I opened it and …"."""
        if not _COORDINATED.search(before):
            return False
        spoken = re.search(r"\b(?:i|we)(?:'ve)?\b", before, re.IGNORECASE) is not None
        return spoken or _PAST.match(before) is not None

    def _claim(self, kind: ClaimKind, where: str) -> Claim:
        files = self._tokens.named(_ASIDE.split(where)[0], "file") if kind is ClaimKind.EDITED else ()
        if kind is ClaimKind.EDITED and not files and (label := _LABELLED.match(self._sentence)):
            files = self._tokens.named(label.group(), "file")
        return Claim(kind, self._said, files, self._names(kind, where))

    def _names(self, kind: ClaimKind, where: str) -> tuple[str, ...]:
        """What the sentence calls the thing by: a commit's id, a pull request's number, a version, a tool."""
        named = self._tokens.named
        match kind:
            case ClaimKind.COMMITTED:
                return named(self._sentence, "sha")
            case ClaimKind.PR_OPENED:
                links = named(self._sentence, "pr")
                return tuple(
                    dict.fromkeys(
                        number.lstrip("#") for link in (*links, self._said) for number in _NUMBER.findall(link)
                    )
                )
            case ClaimKind.PUBLISHED | ClaimKind.DEPLOYED:
                return named(self._sentence, "version")
            case ClaimKind.TESTS_PASS | ClaimKind.LINT_PASSES | ClaimKind.BUILDS:
                return self._tools(where, _SORTS[kind])
            case _:
                return ()

    def _tools(self, where: str, sort: Sort) -> tuple[str, ...]:
        """The tools of a sort that a clause calls by name, in prose or as a command."""
        told = [word for word in _WORD.findall(where.lower()) if word in self._language.tools]
        told += [program for code in self._tokens.named(where, *_RUNS) for program in sorted(programs_of(code))]
        return tuple(dict.fromkeys(tool for tool in told if sort in verifies(tool)))
