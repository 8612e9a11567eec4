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
    r"|\.{1,3} |(?<=\w)! ",
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
    return [clause for part in _CLAUSE.split(sentence) if (clause := part.strip(" ,.!"))]
