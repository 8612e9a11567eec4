"""Prose into sentences, and a sentence into the clauses that are judged each for itself.

Works on prose whose file names, versions and links are tokens already, so that a full stop is one. Refuses to split
behind an abbreviation.
"""

import re
from typing import Final

_END: Final = re.compile(r"[.!?]+[)\"'\]]*\s+(?=[A-Z0-9\"'(\[ʘ]|[^\w\s.,;:)'\"-])")
_LABEL: Final = re.compile(r"((?:[^\s,;:.!?]+ ){0,3}[^\s,;:.!?]+)\s+(?:[—–]|--?|→|=>)\s+")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|cf|resp|incl|excl|fig|sec|v|ver|st|mr|ms|dr|min|max|ca|al|esp|dept|est|misc)"
    r"|\b[A-Z])\.$",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    r";\s*|\s+[—–]\s*|\s+--\s+|,? but (?:then |also )?|, (?:al)?though |, however,? |, whereas |, while |, yet "
    r"|, so (?!that\b)|, and (?=(?:i|we|it|the|all|they|that|this|everything|both|then|now|no|nothing|my|there)\b)"
    r"|\.{1,3} |(?<=\w)! |(?<=\dʘ),? (?=(?:[\w-]+:? ){1,3}ʘtick\d+ʘ)",
    re.IGNORECASE,
)

_FINITE: Final = (
    r"(?:is|are|was|were|has|have|'s|'ve|pass(?:es)?|fail(?:s|ed)?|works?|builds|compiles|reports?|shows?|exits|succeeds?"
    r"|no longer|does|do|don't|doesn't|stays?|remains?|now|still)"
)
_COORDINATION: Final = re.compile(
    rf"^(?P<left>(?:i|we) .{{3,}}?|.+? {_FINITE} .*?) and (?=(?:the|all|my|our|both|no|it|they|everything|every|each"
    rf"|that|this|i|we|there|nothing) (?:[^\s,]+ ){{0,5}}?{_FINITE}\b)",
    re.IGNORECASE,
)
_SCOPE: Final = re.compile(
    r"\b(?:if|when(?:ever)?|unless|until|once|whether|that|so|because|since|after|before|while|should|would|will|could|can"
    r"|may|might|must|think|believe|guess|hope|expect|assume|suppose|says?|said|told|claims?|claimed|wants?|like|to)\b",
    re.IGNORECASE,
)


def sentences_of(prose: str) -> list[str]:
    """The sentences of a unit of prose."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(prose):
        if match.group().startswith(". ") and _ABBREVIATION.search(prose[start : match.start() + 1]):
            continue
        found.append(prose[start : match.end()].strip())
        start = match.end()
    found.append(prose[start:].strip())
    return [sentence for sentence in found if sentence]


def clauses_of(sentence: str) -> list[str]:
    """The clauses of a sentence, without what joins them. A dash behind its first few words is a label's colon."""
    sentence = _LABEL.sub(r"\1: ", sentence, count=1) if _LABEL.match(sentence) else sentence
    parts = [piece for part in _CLAUSE.split(sentence) for piece in _coordinated(part)]
    return [clause for part in parts if (clause := part.strip(" ,.!"))]


def _coordinated(part: str) -> list[str]:
    """Two whole clauses with "and" between them, unless something before it may govern both."""
    match = _COORDINATION.match(part)
    if match is None or _SCOPE.search(match["left"]):
        return [part]
    return [match["left"], part[match.end() :]]
