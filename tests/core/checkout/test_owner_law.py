"""Random histories of several sessions and a person on one file, with an oracle that saw who really wrote each line."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Final

from hypothesis import example, given, note, settings
from hypothesis import strategies as st
from tests.core.checkout.test_owners import diff_hunks, joined, recorded

from refloat.checkout.compare import judge
from refloat.checkout.files import Content
from refloat.checkout.fold import fold
from refloat.checkout.lines import bare_lines, tells
from refloat.checkout.owners import Ground, own_hunks
from refloat.checkout.witness import Witness
from refloat.model.checkout import DirtyHunk, Owner
from refloat.model.session import SessionName
from refloat.model.stamp import later
from refloat.model.transcript import FileEdit
from refloat.testing.stories import START, StoryBuilder, edited, replaced, written

PATH: Final = "/w/a.py"
PERSON: Final = "person"
SESSIONS: Final = ("mine", "hers", "his")
FORMS: Final = ("exact", "hunks", "bare hunks", "loose", "whole", "whole over known")


@dataclass(frozen=True, slots=True)
class Act:
    """Somebody replaces a stretch of the file, or commits it. Places are taken modulo the file's length."""

    who: str
    at: int
    gone: int
    new: tuple[str, ...]
    form: str


@dataclass(slots=True)
class Line:
    text: str
    author: str


def text_of(lines: Sequence[Line]) -> str:
    return joined([line.text for line in lines]) if lines else ""


@dataclass(slots=True)
class World:
    """The file, HEAD, what each session's record holds, and what the oracle saw."""

    lines: list[Line]
    path: str = PATH
    head: list[Line] = field(default_factory=list[Line])
    builders: dict[str, StoryBuilder] = field(default_factory=dict[str, StoryBuilder])
    edits: dict[str, list[FileEdit]] = field(default_factory=dict[str, list[FileEdit]])
    removers: dict[int, str] = field(default_factory=dict[int, str])
    """Line that is gone (by identity) → who took it away."""
    heirs: dict[int, list[Line]] = field(default_factory=dict[int, list[Line]])
    """Line that is gone → what came in the place of it."""
    rewritten: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    ways: dict[str, list[tuple[str, str]]] = field(default_factory=dict[str, list[tuple[str, str]]])
    """The texts before and after each edit of a session."""
    keep: list[Line] = field(default_factory=list[Line])
    """Every line that ever was: identities are not given twice."""

    @property
    def text(self) -> str:
        return text_of(self.lines)

    def do(self, act: Act, moment: float) -> None:
        if act.who == "commit":
            self.head = list(self.lines)
            return
        before = self.text
        start = act.at % (len(self.lines) + 1)
        stop = min(start + act.gone, len(self.lines))
        self._change(start, stop, act)
        after = self.text
        if act.who != PERSON and before != after:
            self._record(act, before, after, moment)

    def _change(self, start: int, stop: int, act: Act) -> None:
        """Equal lines of the old and the new stay who they were, as a record's own diff has it."""
        old = [line.text for line in self.lines]
        wanted = old[:start] + list(act.new) + old[stop:]
        lines: list[Line] = []
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, wanted, autojunk=False).get_opcodes():
            if tag == "equal":
                lines += self.lines[i1:i2]
                continue
            came = [Line(text, act.who) for text in wanted[j1:j2]]
            for line in self.lines[i1:i2]:
                self.removers[id(line)] = act.who
                self.heirs[id(line)] = came
            lines += came
        self.keep += self.lines
        self.lines = lines
        if act.form == "whole" and act.who != PERSON:
            # The record shows every line as written by it and none as found: no reader can tell them apart.
            self.rewritten.setdefault(act.who, set()).update(wanted)

    def _record(self, act: Act, before: str, after: str, moment: float) -> None:
        edit = _edit(self.path, act.form, before, after)
        self.ways.setdefault(act.who, []).append((before, after))
        self.edits.setdefault(act.who, []).append(edit)
        builder = self.builders.setdefault(act.who, StoryBuilder(session_id=act.who))
        builder.edit(edit)
        when = later(START, moment)
        builder.steps[-1] = replace(builder.steps[-1], at=when, ended_at=later(when, 1))

    def alone(self, who: str) -> bool:
        """Whether one session's edits lead from HEAD to the file as it is, each from where the last one ended.

        Then all that differs is its work, however a diff tells it: a line that changed places with another is told as
        either one's move.
        """
        way = [text_of(self.head), *(text for step in self.ways[who] for text in step), self.text]
        return all(one == other for one, other in zip(way[::2], way[1::2], strict=True))

    def hunks(self) -> list[DirtyHunk]:
        """The dirty places of the file, judged by what the records hold."""
        head, disk = text_of(self.head), self.text
        witnesses: list[Witness] = []
        for who in SESSIONS:
            if who in self.builders:
                folded = fold(self.builders[who].steps)[self.path]
                earliest = frozenset(folded.first_lines or ()) if who == "mine" else frozenset[str]()
                witnesses.append(
                    Witness(
                        SessionName(who),
                        own=who == "mine",
                        folded=folded,
                        comparison=judge(folded, Content("text", disk)),
                        earlier=earliest - frozenset(bare_lines(head)),
                        earliest=earliest,
                    )
                )
        return own_hunks(diff_hunks(head, disk), Ground(bare_lines(disk), witnesses, head=head))


def _edit(path: str, form: str, before: str, after: str) -> FileEdit:
    match form:
        case "exact":
            return edited(path, before, after)
        case "whole":
            return written(path, after, existed=True)
        case "whole over known":
            return FileEdit(path, "update", before=before, after=after, existed=True)
        case "loose":
            return _loose(path, before, after) or edited(path, before, after, exact=False)
        case "bare hunks":
            return edited(path, before, after, exact=False, context=0)
        case _:
            return edited(path, before, after, exact=False)


def _loose(path: str, before: str, after: str) -> FileEdit | None:
    """A replacement of text alone, where the old text stands once: tools ask for that."""
    old, new = before.split("\n"), after.split("\n")
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    gone, came = "\n".join(old[head : len(old) - tail]), "\n".join(new[head : len(new) - tail])
    if not gone.strip() or not came or f"\n{before}".count(f"\n{gone}\n") != 1 or before.count(gone) != 1:
        return None
    return replaced(path, gone, came)


def party(hunk: DirtyHunk) -> str | None:
    """The session that owns a hunk."""
    return str(hunk.session) if hunk.owner in (Owner.THIS_SESSION, Owner.OTHER_SESSION) else None


def sides(hunk: DirtyHunk) -> tuple[list[str], list[str]]:
    """Lines that it takes away and adds, those that it puts back at once left out."""
    gone = Counter(line[1:] for line in hunk.lines if line[0] == "-")
    came = Counter(line[1:] for line in hunk.lines if line[0] == "+")
    return list((gone - came).elements()), list((came - gone).elements())


def played(base: Sequence[str], acts: Sequence[Act]) -> World:
    world = World([Line(text, "base") for text in base])
    world.head = list(world.lines)
    for n, act in enumerate(acts):
        world.do(act, 10.0 * (n + 1))
        note(f"{act} -> {[line.text for line in world.lines]}")
    note(f"head {[line.text for line in world.head]}")
    return world


# ── the record's law: equal lines everywhere, and no claim without the lines in the record ───────────────────────────

COMMON: Final = st.sampled_from(["a = 1", "b = 2", "c = 3", "", "}", "def f():", "    return 1"])


def acts_of(line: st.SearchStrategy[str]) -> st.SearchStrategy[Act]:
    return st.builds(
        Act,
        st.sampled_from([*SESSIONS, PERSON, "commit"]),
        st.integers(0, 12),
        st.integers(0, 3),
        st.lists(line, max_size=3).map(tuple),
        st.sampled_from(FORMS),
    )


@settings(max_examples=300, deadline=None)
@given(st.lists(COMMON, max_size=6), st.lists(acts_of(COMMON), min_size=1, max_size=8))
def test_no_hunk_is_owned_by_a_session_whose_record_lacks_its_lines(base: list[str], acts: list[Act]) -> None:
    world = played(base, acts)
    for hunk in world.hunks():
        who = party(hunk)
        if who is None or world.alone(who):
            continue
        gone, came = sides(hunk)
        added, removed = recorded(world.edits[who])
        assert set(came) <= added, hunk
        over = any(edit.after is not None for edits in world.edits.values() for edit in edits)
        if not over:
            assert set(gone) <= removed | passed_on(world, who, removed), hunk


def passed_on(world: World, who: str, removed: set[str]) -> set[str]:
    """What other sessions replaced with lines that this one replaced in turn."""
    found: set[str] = set()
    for other, edits in world.edits.items():
        if other != who:
            added, gone = recorded(edits)
            found |= gone if added & removed else set()
    return found


# ── the oracle: everybody's lines are their own, blank ones and brackets apart ───────────────────────────────────────


@st.composite
def told_acts(draw: st.DrawFn) -> tuple[list[str], list[Act]]:
    """Lines that tell their author; some of them twice, with blank lines and brackets between."""
    quiet = st.sampled_from(["", "}", "    )"])
    base = draw(st.lists(st.one_of(st.integers(0, 30).map("base {}".format), quiet), max_size=8, unique_by=_by_text))
    acts: list[Act] = []
    for n in range(draw(st.integers(1, 8))):
        act = draw(acts_of(quiet))
        own = st.integers(0, 5).map(lambda k, who=act.who: f"{who} {k}")
        new = draw(st.lists(st.one_of(own, own, st.just(f"{act.who} only {n}"), quiet), max_size=4))
        acts.append(replace(act, new=tuple(new)))
    return base, acts


def _by_text(line: str) -> object:
    return line if tells(line) else object()


@settings(max_examples=400, deadline=None)
@given(told_acts())
def test_a_sessions_hunk_was_really_made_by_it(told: tuple[list[str], list[Act]]) -> None:
    world = played(*told)
    for hunk in world.hunks():
        who = party(hunk)
        if who is None or world.alone(who):
            continue
        gone, came = sides(hunk)
        for text in filter(tells, came):
            writers = {line.author for line in world.lines if line.text == text}
            assert who in writers or text in world.rewritten.get(who, ()), (
                f"{who} is credited with what another typed: {hunk}"
            )
        for text in filter(tells, gone):
            # Of two lines that changed places either may be told as gone: that one was not taken away by anybody.
            assert who in (takers(world, text) or {who}), f"{who} is credited with what another took away: {hunk}"


def takers(world: World, text: str) -> set[str]:
    """Who took such a line out of HEAD's text, or replaced what a session had put in its place."""
    standing = {id(line) for line in world.lines}
    found: set[str] = set()
    for line in world.head:
        if line.text == text and id(line) not in standing:
            found |= set(_inherited(world, line))
    # A record does not tell equal lines apart: whoever took one of several away may be told of another.
    if sum(line.text == text for line in world.keep) > 1:
        found |= {world.removers[id(line)] for line in world.keep if line.text == text and id(line) in world.removers}
    return found


def _inherited(world: World, line: Line) -> Iterator[str]:
    remover = world.removers[id(line)]
    yield remover
    # What a session wrote over as a whole, without a word on what stood there, counts as replaced by it.
    yield from (who for who, edits in world.edits.items() if any(e.after is not None for e in edits))
    if remover != PERSON:
        for heir in world.heirs[id(line)]:
            if id(heir) in world.removers:
                yield from _inherited(world, heir)


# ── the floor: where nothing is ambiguous, the owner is found ────────────────────────────────────────────────────────


BASE: Final = ["base 0", "base 1", "base 2"]


@st.composite
def plain_acts(draw: st.DrawFn) -> tuple[list[str], list[Act]]:
    """Every line stands once for ever."""
    base = [f"base {n}" for n in range(draw(st.integers(3, 10)))]
    acts: list[Act] = []
    for n in range(draw(st.integers(1, 6))):
        act = draw(acts_of(st.just("x")))
        # A position without any text around it is no hold where others moved the lines.
        form = "exact" if act.form.startswith(("whole", "bare")) else act.form
        acts.append(replace(act, form=form, new=tuple(f"{act.who} {n}.{k}" for k in range(len(act.new)))))
    return base, acts


@settings(max_examples=300, deadline=None)
@given(plain_acts())
@example((BASE, [Act("mine", 0, 0, ("mine 0.0", "mine 0.1"), "hunks"), Act("hers", 0, 1, (), "exact")]))
def test_where_nothing_is_ambiguous_the_owner_is_found(told: tuple[list[str], list[Act]]) -> None:
    world = played(*told)
    standing = {id(line) for line in world.lines}
    authors = {line.text: line.author for line in world.lines}
    taken = {line.text: world.removers[id(line)] for line in world.head if id(line) not in standing}
    for hunk in world.hunks():
        gone, came = sides(hunk)
        makers = {authors[text] for text in came} | {taken[text] for text in gone}
        if len(makers) == 1 and makers <= set(SESSIONS):
            assert party(hunk) == next(iter(makers)), hunk
        elif makers == {PERSON}:
            assert party(hunk) is None
