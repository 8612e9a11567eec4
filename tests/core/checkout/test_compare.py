"""The table of design §4, row by row."""

import pytest

from refloat.checkout.compare import judge
from refloat.checkout.files import MISSING, Content, content_of
from refloat.checkout.fold import fold
from refloat.model.checkout import FileState
from refloat.model.transcript import FileEdit, Outcome
from refloat.testing.stories import StoryBuilder, edited, replaced, written

PATH = "/w/a.py"
BEFORE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"
AFTER = BEFORE.replace("two", "2").replace("nine", "9")


def state(text: str | Content, *edits: FileEdit, outcome: Outcome = Outcome.OK) -> FileState:
    story = StoryBuilder()
    for edit in edits:
        story.edit(edit, outcome=outcome)
    content = text if isinstance(text, Content) else Content("text", text)
    return judge(fold(story.steps)[PATH], content).state


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        (AFTER, FileState.PRESENT),
        (AFTER.replace("9", "nine"), FileState.PARTLY),
        (BEFORE, FileState.REVERTED),
        (BEFORE.replace("two", "zwei").replace("nine", "neun"), FileState.DIVERGED),
        (MISSING, FileState.DELETED),
    ],
)
def test_hunks_of_an_existing_file(disk: str | Content, expected: FileState, *, exact: bool) -> None:
    assert state(disk, edited(PATH, BEFORE, AFTER, exact=exact)) is expected


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(
    "put", ["new a\nnew b\n" + BEFORE, BEFORE + "new a\nnew b\n", f"new a\nnew b\n{BEFORE}new c\n"]
)
@pytest.mark.parametrize("between", ["", "somebody's\n"])
def test_what_is_left_of_an_insertion_stands_though_what_was_around_it_does_too(
    put: str, between: str, *, exact: bool
) -> None:
    left = put.replace("new a\n", between)
    assert state(left, edited(PATH, BEFORE, put, exact=exact)) is FileState.PARTLY


def test_something_else_changed_too() -> None:
    assert state("zero\n" + AFTER, edited(PATH, BEFORE, AFTER)) is FileState.CHANGED_SINCE


@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        ("a = 1\nb = 2\n", FileState.PRESENT),
        ("a = 1\nb = 2\nc = 3\n", FileState.CHANGED_SINCE),
        ("a = 1\nb = 5\n", FileState.PARTLY),
        ("z\n", FileState.DIVERGED),
        ("a = 1\r\nb = 2\r\n", FileState.CHANGED_SINCE),
        ("a = 1\nb = 2", FileState.CHANGED_SINCE),
    ],
)
def test_a_file_written_whole(disk: str, expected: FileState) -> None:
    assert state(disk, written(PATH, "a = 1\nb = 2\n")) is expected


def test_line_ends_alone_are_named_as_the_reason() -> None:
    story = StoryBuilder()
    story.edit(written(PATH, "a\nb\n"))
    made = judge(fold(story.steps)[PATH], content_of(b"a\r\nb\r\n"))
    assert made.state is FileState.CHANGED_SINCE
    assert "line ends" in made.why


def test_a_recorded_deletion() -> None:
    delete = FileEdit(PATH, "delete")
    assert state(MISSING, written(PATH, "a\n"), delete) is FileState.PRESENT
    assert state("a\n", written(PATH, "a\n"), delete) is FileState.DIVERGED


def test_later_edits_of_the_same_session_win() -> None:
    first, second = replaced(PATH, "two", "2"), replaced(PATH, "2", "zwei")
    assert state(BEFORE.replace("two", "zwei"), first, second) is FileState.PRESENT


def test_only_refused_edits_prove_nothing() -> None:
    assert state(BEFORE, edited(PATH, BEFORE, AFTER), outcome=Outcome.DENIED) is FileState.UNVERIFIABLE


def test_an_edit_without_a_result_is_compared_all_the_same() -> None:
    story = StoryBuilder()
    story.edit(replaced(PATH, "two", "2"), outcome=Outcome.DANGLING)
    folded = fold(story.steps)[PATH]
    assert judge(folded, Content("text", BEFORE.replace("two", "2"))).state is FileState.PRESENT
    assert not folded.confirmed


@pytest.mark.parametrize("kind", ["binary", "link", "large", "unreadable"])
def test_what_cannot_be_read_is_unverifiable(kind: str) -> None:
    content = Content(kind)  # pyright: ignore[reportArgumentType] - each is one of the literal's words
    assert state(content, written(PATH, "a\n")) is FileState.UNVERIFIABLE


def test_an_edit_whose_content_is_not_recorded() -> None:
    assert state("a\n", FileEdit(PATH, "update")) is FileState.UNVERIFIABLE


def test_bytes_that_are_no_utf_8_are_read_as_agents_read_them() -> None:
    story = StoryBuilder()
    story.edit(edited(PATH, "caf\ufffd\nx = 1\n", "caf\ufffd\nx = 2\n"))
    assert judge(fold(story.steps)[PATH], content_of(b"caf\xe9\nx = 2\n")).state is FileState.PRESENT


def test_a_removal_is_there_while_the_lines_stay_away() -> None:
    removal = edited(PATH, BEFORE, BEFORE.replace("five\n", ""))
    assert state(BEFORE.replace("five\n", "") + "eleven\n", removal) is FileState.CHANGED_SINCE
    assert state(BEFORE + "eleven\n", removal) is FileState.REVERTED
