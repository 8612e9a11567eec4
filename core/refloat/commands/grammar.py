"""The shell grammar (tree-sitter-bash), loaded when the first line is read.

Decides how much of a line is looked at: the grammar recovers from anything, and some broken lines (thousands of pipes
or open brackets) cost it quadratic time, so a line is cut by length and by their number. Refuses to raise.
"""

from bisect import bisect_right
from functools import cache
from itertools import islice
from typing import Final

from tree_sitter import Language, Node, Parser

from refloat.patterns import late

_LONGEST: Final = 20_000
"""Characters of a line that are read, bodies of heredocs apart where it is longer."""
_UNSAFE: Final = late(r"\{[0-9.\x80-\U0010ffff]*[\U00010000-\U0010ffff]")
"""The grammar's scanner (tree-sitter-bash 0.25) asks isdigit(3) of what stands behind a brace, which is made for 256
characters: for the upper planes it reads past glibc's table, and the process dies one time in three.
"""
_UPPER: Final = late(r"[\U00010000-\U0010ffff]")
_HAZARDS: Final = 1_500
"""Pipes, brackets and heredocs in one line: as many cost the parser some 60 ms at worst, ten times as many seconds."""
_HAZARD: Final = late(r"\|(?!\|)|\(|<<|`|\$\{|\{ ")
_HEREDOC: Final = late(r"<<-?[ \t]*(['\"]?)([\w.-]+)\1")


def read_tree(command: str) -> Node:
    """The root of the syntax tree of a shell line, or of as much of it as is read."""
    return _parser().parse(bounded(command).encode("utf-8", "replace")).root_node


def bounded(command: str) -> str:
    """As much of a line as is read, without what the grammar dies of."""
    if len(command) > _LONGEST:
        command = _without_bodies(command[: 50 * _LONGEST])[:_LONGEST]
    past = next(islice(_HAZARD.finditer(command), _HAZARDS, None), None)
    kept = command if past is None else command[: past.start()]
    return kept if kept.isascii() else _UNSAFE.sub(lambda found: _UPPER.sub("\xb7", found[0]), kept)


def _without_bodies(command: str) -> str:
    """A line whose heredocs are empty: what stands behind a long one is read all the same."""
    lines = command.split("\n")
    ends: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        ends.setdefault(line.strip(), []).append(index)
    kept: list[str] = []
    index = 0
    while index < len(lines):
        kept.append(lines[index])
        for heredoc in _HEREDOC.finditer(lines[index]):
            places = ends.get(heredoc[2], [])
            at = bisect_right(places, index)
            if at < len(places):
                index = places[at]
                kept.append(lines[index])
        index += 1
    return "\n".join(kept)


@cache
def _parser() -> Parser:
    return Parser(Language(_language()))


def _language() -> object:
    """The grammar's pointer, from its extension alone.

    The package's own `__init__` imports importlib.resources for query files that nobody asks for, which takes ten times
    as long as loading the grammar.
    """
    from importlib.machinery import ExtensionFileLoader, PathFinder
    from importlib.util import module_from_spec

    package = PathFinder.find_spec("tree_sitter_bash")
    places = package.submodule_search_locations if package is not None else None
    binding = PathFinder.find_spec("_binding", list(places)) if places else None
    if binding is None or not isinstance(binding.loader, ExtensionFileLoader):
        from tree_sitter_bash import language

        return language()
    module = module_from_spec(binding)
    binding.loader.exec_module(module)
    pointer: object = module.language()
    return pointer
