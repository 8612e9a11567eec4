"""MCP tools: whether one acts outside, what it is called, and how to ask whether it happened.

By the words of its name (`knowledge/mcp.toml`). Refuses to trust a name that no row knows: it may do anything anywhere.
"""

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Final

from refloat.commands.probes import fill
from refloat.knowledge.tables import forgets, table
from refloat.model.transcript import StepKind

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_JOINERS: Final = frozenset({"and", "or", "then"})


@cache
def _verbs() -> tuple[Mapping[str, StepKind], frozenset[str]]:
    rows = table("mcp").get("verbs", {})
    found: dict[str, StepKind] = {}
    for name, kind in (("read", StepKind.READ), ("search", StepKind.SEARCH), ("write", StepKind.EXTERNAL)):
        found.update(dict.fromkeys(str(rows.get(name, "")).split(), kind))
    return found, frozenset(str(table("mcp").get("here", {}).get("servers", "")).split())


forgets(_verbs.cache_clear)


def _parts(tool: str) -> tuple[str, str]:
    """Server and name of `mcp__server__name`."""
    server, _, name = tool.removeprefix("mcp__").partition("__")
    return server.lower().removeprefix("plugin_").replace("_", "-"), name


def mcp_kind(tool: str) -> StepKind:
    """What `mcp__server__name` is for: it acts outside unless its name says that it only looks."""
    server, name = _parts(tool)
    verbs, here = _verbs()
    words = [word.lower() for word in _WORD.findall(name)]
    kind = next((verbs[word] for word in words if word in verbs), StepKind.EXTERNAL)
    joined = any(a in _JOINERS and verbs.get(b) is StepKind.EXTERNAL for a, b in pairwise(words))
    if kind is StepKind.EXTERNAL or joined:
        return StepKind.OTHER if server in here else StepKind.EXTERNAL
    return kind


def mcp_effect(tool: str, given: Mapping[str, object]) -> tuple[str, ...] | None:
    """A read-only command that would tell whether a call of `mcp__server__name` took effect; None: none is known."""
    server, name = _parts(tool)
    template = next(
        (
            str(text)
            for key, text in table("mcp").get("probes", {}).items()
            if key.partition(" ")[2] == name and key.partition(" ")[0] in server.split("-")
        ),
        None,
    )
    texts = {key: str(value) for key, value in given.items() if isinstance(value, (str, int))}
    return None if template is None else fill(template, (), (), texts)
