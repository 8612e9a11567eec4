"""Folding the edits of a record equals really making them."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from refloat.checkout.compare import judge
from refloat.checkout.files import Content
from refloat.checkout.fold import Folded, Known, Standing, fold
from refloat.model.checkout import FileState
from refloat.model.transcript import FileEdit, Hunk, Outcome
from refloat.testing.stories import StoryBuilder, edited, replaced, written

LINES = st.sampled_from(["alpha", "beta", "gamma", "    return x", "", "}", "alpha", "x = 1", "# é ☃"])
ENDS = st.sampled_from(["", "\n"])


def joined(lines: list[str], end: str) -> str:
    return "\n".join(lines) + end


def numbered(numbers: list[int]) -> str:
    return "".join(f"line {number}\n" for number in numbers)


TEXTS = st.builds(joined, st.lists(LINES, max_size=12), ENDS)
PATH = "/w/a.py"


def one(steps: StoryBuilder) -> Folded:
    return fold(steps.steps)[PATH]


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=6), st.data())
def test_folding_a_history_gives_what_making_it_gives(history: list[str], data: st.DataObject) -> None:
    """Whole writes, exact patches and patches that only carry on from what is known, in any order."""
    story = StoryBuilder()
    story.edit(written(PATH, history[0]))
    for before, after in pairwise(history):
        how = data.draw(st.sampled_from(["write", "exact", "patch"]))
        if how == "write" or before == after:
            story.edit(written(PATH, after))
        else:
            context = data.draw(st.integers(0, 3)) if how == "exact" else 3
            story.edit(edited(PATH, before, after, exact=how != "patch", context=context))
    folded = one(story)
    assert folded.text == history[-1]
    assert judge(folded, Content("text", history[-1])).state is FileState.PRESENT


@settings(max_examples=80, deadline=None)
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=5))
def test_lines_that_no_edit_added_have_no_edit_as_their_origin(first: str, history: list[str]) -> None:
    story = StoryBuilder()
    before = first
    for after in history:
        story.edit(edited(PATH, before, after))
        before = after
    folded = fold(story.steps).get(PATH)
    if folded is None or not folded.pieces:
        return
    for line, origin in zip(folded.pieces[0].lines, folded.pieces[0].origins, strict=True):
        if origin >= 0:
            assert line in folded.traces.added


DISTINCT = st.builds(numbered, st.lists(st.integers(0, 20), max_size=12, unique=True))


@settings(max_examples=80, deadline=None)
@given(DISTINCT, DISTINCT)
def test_hunks_without_a_known_text_stand_in_the_real_result(before: str, after: str) -> None:
    story = StoryBuilder()
    story.edit(edited(PATH, before, after, exact=False))
    if before == after:
        return
    assert judge(one(story), Content("text", after)).state is FileState.PRESENT


def test_a_replacement_inside_a_line_is_applied_where_its_text_stands() -> None:
    story = StoryBuilder()
    story.edit(written(PATH, "def run():\n    fetch()\n    fetch()\n"))
    story.edit(replaced(PATH, "fetch()", "retry(fetch)"))
    assert one(story).text == "def run():\n    retry(fetch)\n    fetch()\n"
    story.edit(replaced(PATH, "fetch", "load", every=True))
    assert one(story).text == "def run():\n    retry(load)\n    load()\n"


def test_a_shell_append_goes_to_the_end() -> None:
    story = StoryBuilder()
    story.edit(written(PATH, "a\n"))
    story.edit(FileEdit(PATH, "update", hunks=(Hunk(None, 0, None, 1, ("+b",)),)))
    assert one(story).text == "a\nb\n"


def test_an_anchor_says_which_of_two_equal_places_is_meant() -> None:
    story = StoryBuilder()
    story.edit(written(PATH, "class A:\n    x = 1\nclass B:\n    x = 1\n"))
    story.edit(FileEdit(PATH, "update", hunks=(Hunk(None, 1, None, 1, ("-    x = 1", "+    x = 2"), "class B:"),)))
    assert one(story).text == "class A:\n    x = 1\nclass B:\n    x = 2\n"


def test_windows_line_ends_of_the_file_stay_where_a_patch_leaves_them_out() -> None:
    story = StoryBuilder()
    edit = FileEdit(PATH, "update", before="a\r\nb\r\n", hunks=(Hunk(1, 2, 1, 2, (" a", "-b", "+c")),))
    story.edit(edit)
    assert one(story).text == "a\r\nc\r\n"


def test_a_move_takes_the_content_along() -> None:
    story = StoryBuilder()
    story.edit(written(PATH, "x\n"))
    story.edit(FileEdit(PATH, "update", moved_to="/w/b.py"))
    story.edit(edited("/w/b.py", "x\n", "y\n", exact=False))
    files = fold(story.steps)
    assert files[PATH].deleted
    assert files["/w/b.py"].text == "y\n"


def test_refused_edits_change_nothing() -> None:
    story = StoryBuilder()
    story.edit(written(PATH, "x\n"))
    story.edit(written(PATH, "y\n"), outcome=Outcome.DENIED)
    story.edit(edited(PATH, "x\n", "z\n"), outcome=Outcome.ERROR)
    folded = one(story)
    assert folded.text == "x\n"
    assert [row.standing for row in folded.edits] == [Standing.APPLIED, Standing.REFUSED, Standing.REFUSED]


def test_a_shell_command_that_fails_may_have_written_before() -> None:
    story = StoryBuilder()
    step = story.run("cat > a.py <<'EOF'\nx\nEOF\npytest", outcome=Outcome.ERROR, exit_code=1)
    files = fold([replace(step, edits=(written(PATH, "x\n"),))])
    assert files[PATH].edits[0].standing is Standing.UNCONFIRMED
    assert files[PATH].text == "x\n"


def test_an_edit_of_a_file_that_was_read_whole_is_exact() -> None:
    story = StoryBuilder()
    story.edit(replaced(PATH, "b", "c"))
    folded = fold(story.steps, {PATH: [Known(story.started, "a\nb\n")]})[PATH]
    assert folded.text == "a\nc\n"
    assert folded.first_text == "a\nb\n"


def test_a_read_that_the_edit_does_not_fit_is_not_believed() -> None:
    story = StoryBuilder()
    story.edit(replaced(PATH, "b", "c"))
    assert fold(story.steps, {PATH: [Known(story.started, "other\n")]})[PATH].text is None


def test_what_somebody_else_changed_between_two_edits_is_nobodys_edit() -> None:
    story = StoryBuilder()
    story.edit(edited(PATH, "a\n", "a\nb\n"))
    story.edit(edited(PATH, "mine\na\nb\n", "mine\na\nc\n"))
    piece = one(story).pieces[0]
    assert piece.lines == ["mine", "a", "c", ""]
    assert piece.origins[:2] == [-1, -1]


FILES = ("/w/a.py", "/w/b.py", "/w/c.py", "/w/d.py")
_SHORT = st.sampled_from(["one\n", "one\ntwo\n", "two\nthree\n", "one\nthree\nfour\n", ""])
_EDITS = st.one_of(
    st.builds(written, st.sampled_from(FILES), _SHORT),
    st.builds(edited, st.sampled_from(FILES), _SHORT, _SHORT),
    st.builds(FileEdit, st.sampled_from(FILES), st.just("delete")),
    st.builds(FileEdit, st.sampled_from(FILES), st.just("update"), moved_to=st.sampled_from(FILES)),
)


@given(
    st.lists(st.tuples(_EDITS, st.sampled_from([Outcome.OK, Outcome.OK, Outcome.ERROR, Outcome.DANGLING]))),
    st.sets(st.sampled_from(FILES)),
)
def test_a_few_files_are_folded_as_among_all_of_them(rows: list[tuple[FileEdit, Outcome]], only: set[str]) -> None:
    story = StoryBuilder()
    for edit, outcome in rows:
        story.edit(edit, outcome=outcome)
    every = fold(story.steps)
    assert fold(story.steps, only=only) == {path: file for path, file in every.items() if path in only}
