"""The straight road of `refloat search`: plain words are taken as they are, and while a copy of this process makes sure
that nothing changed since the last whole look, this one answers from what that told.

Decides whether the words are plain: words and known filters. Everything else (help, a mistake, a time, a word to leave
out), and an answer that needs a look at what changed, is the parser's.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from refloat_tui.cli import quick

if TYPE_CHECKING:
    from refloat.model.search import Found

DEFAULT_LIMIT = 20
"""Hits that are shown where no limit is named."""

_FLAGS = frozenset(("--json", "--here"))
_VALUES = frozenset(("--limit", "--state", "--file", "--command", "--workspace"))


def answer(words: Sequence[str]) -> int | None:
    """Answer plain words on standard output and return the exit code; None where the parser must, and nothing was
    written.
    """
    if (asked := read(words)) is None:
        return None
    from refloat.forking import asked_in_copy
    from refloat.uncollected import Uncollected

    unchanged = asked_in_copy(_is_as_left)
    from refloat.sparing import load_least

    load_least()
    from refloat_tui.cli import ending

    codes: list[int] = []

    def told() -> None:
        try:
            found = _find(*asked)
        except (TypeError, ValueError, AttributeError):  # a damaged page may tell anything, and the copy has met it
            if unchanged():
                raise
            return
        holds = unchanged()  # whatever was found: nobody else waits for the copy's end
        if found is not None and holds:
            show(found, as_json="--json" in asked[1])
            codes.append(0)

    with Uncollected():
        code = ending.told(told)
    return code if code or codes else None


def _is_as_left() -> bool:
    """Whether nothing changed since the last whole look, and what it made searchable is as it was written."""
    from refloat.usecases.index_sealed import is_index_sound

    return quick.is_unchanged() and is_index_sound(quick.cache_directory(os.environ))


def read(words: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]] | None:
    """The words to look for, and options with their values; None where the words are not plain."""
    if words[:1] != ["search"] or "_REFLOAT_COMPLETE" in os.environ:
        return None
    sought: list[str] = []
    options: dict[str, str] = {}
    rest = list(words[1:])
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") and word != "-h":
            sought.append(word)
            continue
        name, sign, value = word.partition("=")
        if name in _VALUES and (sign or rest):
            options[name] = value if sign else rest.pop(0)
        elif word in _FLAGS:
            options[word] = ""
        else:
            return None
    return (tuple(sought), options) if _are_plain(options) else None


def _are_plain(options: dict[str, str]) -> bool:
    limit = options.get("--limit", "1")
    return (
        limit.isdecimal()
        and limit.isascii()
        and int(limit) > 0
        and options.get("--state", "live") in quick.STATES
        and not ("--here" in options and "--workspace" in options)
        and not any(value.startswith("-") for value in options.values())
    )


def typed(words: Sequence[str]) -> str:
    """The words as one query: what the shell took as one word with a space in it is a phrase."""
    return " ".join(
        f'{word[: word.startswith("-")]}"{word.removeprefix("-")}"' if " " in word.strip() and '"' not in word else word
        for word in words
    )


def show(found: "Found", *, as_json: bool) -> int:
    """Print an answer, and name what could not be read; the exit code."""
    from refloat.brief.masks import Masker
    from refloat_tui.cli import out

    masker = Masker()
    if as_json:
        from refloat import wire

        out.write(wire.dump(wire.search(found), masker=masker))
    else:
        from refloat_tui.cli.asking import bench
        from refloat_tui.cli.show.search import found_lines

        out.marked(found_lines(found, out.width(), bench().machine.clock.now()), masker)
    if not found.unreadable:
        return 0
    from refloat_tui.cli import ending, err

    for problem in found.unreadable:
        err.say(f"not searched: {problem.path}: {problem.what}")
    return ending.UNREAD


def _find(words: Sequence[str], options: dict[str, str]) -> "Found | None":
    from refloat.machine.real import real_machine
    from refloat.usecases.open_bench import open_bench

    # Where another agent than these has left anything, nothing is unchanged.
    bench = open_bench(real_machine(os.environ), outsiders=False)
    sought = typed(words)
    from refloat.usecases.begin_search import begin_search

    begun = begin_search(bench.machine.places.cache, sought)
    from pathlib import Path

    from refloat.model.search import Asked
    from refloat.model.session import State
    from refloat.usecases.answer_search import answer_at_once
    from refloat_tui.cli.asking import here

    list(bench.readers)  # loaded while the index is asked
    place = here() if "--here" in options else Path(options["--workspace"]) if "--workspace" in options else None
    state = options.get("--state")
    asked = Asked(
        words=sought,
        workspace=None if place is None else str(place.absolute()),
        state=None if state is None else State(state),
        file=options.get("--file"),
        command=options.get("--command"),
        limit=int(options.get("--limit", DEFAULT_LIMIT)),
    )
    return answer_at_once(bench, asked, begun)
