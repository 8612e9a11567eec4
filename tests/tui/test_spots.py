"""Which recorded hunk speaks of which dirty place, and how two sides lie beside each other."""

import time

from hypothesis import given
from hypothesis import strategies as st
from tests.tui.evidence import evidence

from refloat.model.checkout import DirtyHunk, EditedFile, EditFate, Fate, FileState, OtherChange, Owner
from refloat_tui.present.spots import Pair, Recorded, Spot, align, find_spots, lay_out, record_of, recorded_of


def spots_of(path: str) -> tuple[Spot, ...]:
    sample = evidence()
    change = next(row for row in (*sample.checkout.files, *sample.checkout.other_changes) if row.path == path)
    return find_spots(change, recorded_of(record_of(sample.story.every_step), path, sample.checkout.repo))


def steps_of(spot: Spot) -> list[int]:
    return [one.step for one in spot.recorded]


def test_each_recorded_hunk_stands_at_the_place_that_shares_its_lines():
    first, second, others, gone = spots_of("src/totals.py")
    assert steps_of(first) == [11, 12]
    assert steps_of(second) == [13]
    assert steps_of(others) == []
    assert (steps_of(gone), gone.dirty) == ([14], None)
    assert gone.fate is not None
    assert gone.fate.step == 14


def test_what_a_later_step_took_away_again_was_never_wanted():
    first = spots_of("src/totals.py")[0]
    assert first.left == ("-TAX = 19", "+TAX = Decimal('0.19')")
    assert all(pair.same for pair in lay_out(first))


def test_a_change_of_nobody_here_has_no_record():
    (only,) = spots_of("src/settings.py")
    assert only.recorded == ()
    assert [pair.left for pair in lay_out(only)] == [None]


def test_two_steps_that_made_one_place_together_are_both_shown():
    hunk = DirtyHunk(1, 0, 1, 2, ("+alpha", "+beta"), Owner.THIS_SESSION, None)
    change = EditedFile("a", FileState.PRESENT, "", "content", True, Owner.THIS_SESSION, None, (), (), (hunk,))
    made = tuple(Recorded(n, None, n, "update", "", (line,)) for n, line in ((1, "+alpha"), (2, "+beta")))
    (spot,) = find_spots(change, made)
    assert steps_of(spot) == [1, 2]
    assert all(pair.same for pair in lay_out(spot))


def test_a_lone_brace_proves_no_kinship_beside_a_line_that_says_something():
    hunks = tuple(
        DirtyHunk(n, 0, n, 2, (line, "+}"), Owner.UNKNOWN, None) for n, line in ((1, "+x = 1"), (9, "+total = 2"))
    )
    change = OtherChange("a", " M", Owner.UNKNOWN, None, "", hunks)
    made = (Recorded(5, None, 1, "update", "", ("+total = 2", "+}")),)
    first, second = find_spots(change, made)
    assert (steps_of(first), steps_of(second)) == ([], [5])


def edited(*hunks: DirtyHunk, fates: tuple[EditFate, ...] = ()) -> EditedFile:
    return EditedFile("a", FileState.PARTLY, "", "content", True, Owner.MIXED, None, (), fates, hunks)


def test_what_stood_around_a_recorded_hunk_is_no_difference():
    made = Recorded(1, None, 1, "update", "", (" before", "-old", "+new", " after"))
    (spot,) = find_spots(edited(DirtyHunk(2, 1, 2, 1, ("-old", "+new"), Owner.THIS_SESSION, None)), (made,))
    assert lay_out(spot) == (Pair("-old", "-old"), Pair("+new", "+new"))


def test_steps_that_change_each_others_lines_come_to_one_text():
    made = (
        Recorded(3, None, 1, "update", "", ("-return f()", "+for n in range(3):", "+    return f()")),
        Recorded(8, None, 2, "update", "", ("-for n in range(3):", "+for n in range(N):")),
        Recorded(9, None, 3, "update", "", (" for n in range(N):", "+    wait()", "     return f()")),
    )
    wanted = ("-return f()", "+for n in range(N):", "+    wait()", "+    return f()")
    (spot,) = find_spots(edited(DirtyHunk(1, 1, 1, 3, wanted, Owner.THIS_SESSION, None)), made)
    assert steps_of(spot) == [3, 8, 9]
    assert spot.left == wanted


def test_a_whole_write_is_told_place_by_place():
    whole = Recorded(4, None, 1, "create", "", tuple(f"+line {n}" for n in range(1, 101)), whole=True)
    hunks = (
        DirtyHunk(10, 1, 10, 1, ("-old 10", "+line 10"), Owner.THIS_SESSION, None),
        DirtyHunk(50, 1, 50, 1, ("-old 50", "+typed"), Owner.UNKNOWN, None),
    )
    first, second = find_spots(edited(*hunks), (whole,))
    assert lay_out(first) == (Pair("-old 10", "-old 10"), Pair("+line 10", "+line 10"))
    assert lay_out(second) == (Pair("-old 50", "-old 50"), Pair("+line 50", "+typed"))


def test_what_was_refused_is_a_place_of_its_own():
    made = (
        Recorded(1, None, 1, "update", "", ("+x = 1",)),
        Recorded(2, None, 2, "update", "refused", ("-x = 1", "+x = 2")),
    )
    change = edited(
        DirtyHunk(1, 0, 1, 1, ("+x = 1",), Owner.THIS_SESSION, None),
        fates=(EditFate(1, Fate.UNCOMMITTED, None, None), EditFate(2, Fate.NEVER_APPLIED, None, None)),
    )
    stands, refused = find_spots(change, made)
    assert (steps_of(stands), stands.left) == ([1], ("+x = 1",))
    assert (steps_of(refused), refused.dirty) == ([2], None)


LINES = st.lists(st.sampled_from(["+a", "-a", "+b", " c", "+d"]), max_size=30).map(tuple)


@given(LINES, LINES)
def test_each_side_keeps_its_lines_in_their_order(left: tuple[str, ...], right: tuple[str, ...]):
    pairs = tuple(align(left, right))
    assert tuple(pair.left for pair in pairs if pair.left is not None) == left
    assert tuple(pair.right for pair in pairs if pair.right is not None) == right
    assert left != right or all(pair.same for pair in pairs)


def test_a_huge_change_costs_in_proportion():
    lines = 64_000
    hunk = DirtyHunk(0, 0, 1, lines, tuple(f"+new {n}" for n in range(lines)), Owner.MIXED, None)
    made = (Recorded(1, None, 1, "create", "", tuple(f"+old {n % 7}" for n in range(lines))),)
    change = OtherChange("a", "??", Owner.MIXED, None, "", (hunk,))
    began = time.process_time()
    for spot in find_spots(change, made):
        lay_out(spot)
    assert time.process_time() - began < 10  # seconds; comparing each line with each takes minutes
