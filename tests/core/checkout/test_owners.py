"""The law of ownership: no hunk is ever a session's whose record does not hold its lines."""

from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st

from refloat.checkout.compare import judge
from refloat.checkout.files import Content
from refloat.checkout.fold import fold
from refloat.checkout.lines import bare, bare_lines, find_differences
from refloat.checkout.owners import Ground, own_hunks
from refloat.checkout.porcelain import DiffHunk
from refloat.checkout.witness import Witness
from refloat.model.checkout import Owner
from refloat.model.session import SessionName
from refloat.model.transcript import FileEdit
from refloat.testing.stories import StoryBuilder, edited, written

PATH = "/w/a.py"
LINE = st.sampled_from(["a = 1", "b = 2", "c = 3", "", "}", "def f():", "    return 1", "d = 4"])


def joined(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


TEXT = st.builds(joined, st.lists(LINE, max_size=8))


def diff_hunks(old: str, new: str) -> list[DiffHunk]:
    """What `git diff -U0` says of two texts."""
    before, after = bare_lines(old), bare_lines(new)
    return [
        DiffHunk(
            place.old_from + (place.old_to > place.old_from),
            place.old_to - place.old_from,
            place.new_from + (place.new_to > place.new_from),
            place.new_to - place.new_from,
            (
                *("-" + line for line in before[place.old_from : place.old_to]),
                *("+" + line for line in after[place.new_from : place.new_to]),
            ),
        )
        for place in find_differences(before, after)
    ]


def recorded(edits: Sequence[FileEdit]) -> tuple[set[str], set[str]]:
    """Every line that some edits add, and every line that they take away, said in the plainest way."""
    added: set[str] = set()
    removed: set[str] = set()
    for edit in edits:
        if edit.after is not None:
            added |= set(bare_lines(edit.after))
        for hunk in edit.hunks:
            added |= {bare(line[1:]) for line in hunk.lines if line.startswith("+")}
            removed |= {bare(line[1:]) for line in hunk.lines if line.startswith("-")}
    return added, removed


TURNS = "c = 3\nb = 2\n" * 5 + "a = 1\nc = 3\n"
"""Equal lines in turns: two diffs of it and a shorter text keep others of them."""


@settings(max_examples=100, deadline=None)
@example([TURNS, "a = 1\nb = 2\n"], TURNS, "\n", [True] * 4)
@example([TURNS, "c = 3\nc = 3\na = 1\n"], TURNS, "\n", [True] * 4)
@example([TURNS, "a = 1\nb = 2\n"], TURNS, "\n", [False] * 4)
@given(st.lists(TEXT, min_size=2, max_size=5), TEXT, TEXT, st.lists(st.booleans(), min_size=4, max_size=4))
def test_no_hunk_is_owned_without_its_lines_in_the_record(
    history: list[str], head: str, disk: str, exact: list[bool]
) -> None:
    story = StoryBuilder()
    edits = [
        edited(PATH, before, after, exact=whole)
        for before, after, whole in zip(history, history[1:], exact, strict=False)
        if before != after
    ]
    if not edits:
        return
    story.edit(*edits)
    folded = fold(story.steps)[PATH]
    added, removed = recorded(edits)
    starts_at_head = edits[0].before == head
    for content in (disk, history[-1]):
        witness = Witness(
            SessionName("claude-code:x"),
            own=True,
            folded=folded,
            comparison=judge(folded, Content("text", content)),
            earliest=frozenset(folded.first_lines or ()),
        )
        for hunk in own_hunks(diff_hunks(head, content), Ground(bare_lines(content), [witness], head=head)):
            if starts_at_head and content == history[-1]:
                # The record holds both texts: whatever a diff tells as moved, it was this session that moved it.
                assert hunk.owner is Owner.THIS_SESSION
            elif hunk.owner is Owner.THIS_SESSION:
                assert {line[1:] for line in hunk.lines if line[0] == "+"} <= added
                assert {line[1:] for line in hunk.lines if line[0] == "-"} <= removed


def test_a_line_that_git_tells_otherwise_than_the_disk_has_it_is_nobodys() -> None:
    head, disk = "# $Id: 1$\nb = 2\n", "# $Id: 1$\nb = 3\n"
    story = StoryBuilder()
    story.edit(edited(PATH, head, disk))
    folded = fold(story.steps)[PATH]
    witness = Witness(SessionName("claude-code:x"), True, folded, judge(folded, Content("text", disk)))
    hunks = [
        DiffHunk(1, 1, 1, 1, ("-# $Id: 1$", "+# $Id$")),
        DiffHunk(2, 1, 2, 1, ("-b = 2", "+b = 3")),
    ]
    keyword, own = own_hunks(hunks, Ground(bare_lines(disk), [witness], head=head))
    assert (keyword.owner, keyword.session) == (Owner.UNKNOWN, None)
    assert own.owner is Owner.THIS_SESSION


@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT)
def test_what_a_session_alone_changed_was_not_there_before_it(head: str, after: str) -> None:
    if head == after:
        return
    story = StoryBuilder()
    story.edit(edited(PATH, head, after))
    folded = fold(story.steps)[PATH]
    comparison = judge(folded, Content("text", after))
    witness = Witness(SessionName("claude-code:x"), True, folded, comparison, frozenset())
    for hunk in own_hunks(diff_hunks(head, after), Ground(bare_lines(after), [witness])):
        assert hunk.owner is not Owner.PREDATES


def test_a_whole_write_owns_what_it_wrote_over() -> None:
    story = StoryBuilder()
    story.edit(written(PATH, "a = 1\nb = 2\n"))
    folded = fold(story.steps)[PATH]
    witness = Witness(SessionName("claude-code:x"), True, folded, judge(folded, Content("text", "a = 1\nb = 2\n")))
    hunks = diff_hunks("x = 9\nb = 2\n", "a = 1\nb = 2\n")
    (hunk,) = own_hunks(hunks, Ground(["a = 1", "b = 2", ""], [witness]))
    assert hunk.owner is Owner.THIS_SESSION
