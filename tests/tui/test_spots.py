"""Which recorded hunk speaks of which dirty place, and how two sides lie beside each other."""

import time
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.tui.evidence import evidence

from refloat.model.checkout import DirtyHunk, EditedFile, FileState, OtherChange, Owner
from refloat_tui.present.spots import Recorded, Spot, align, find_spots, lay_out, record_of


def spots_of(path: str) -> tuple[Spot, ...]:
    sample = evidence()
    change = next(row for row in (*sample.checkout.files, *sample.checkout.other_changes) if row.path == path)
    return find_spots(change, record_of(sample.story), sample.checkout.repo)


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


def test_what_was_written_over_is_named_and_not_shown():
    sides = lay_out(spots_of("src/totals.py")[0])
    assert [one.step for one in sides.shown] == [12]
    assert sides.earlier == (11,)


def test_a_change_of_nobody_here_has_no_record():
    (only,) = spots_of("src/settings.py")
    assert only.recorded == ()
    assert [pair.left for pair in lay_out(only).pairs] == [None]


def test_two_steps_that_made_one_place_together_are_both_shown():
    hunk = DirtyHunk(1, 0, 1, 2, ("+alpha", "+beta"), Owner.THIS_SESSION, None)
    change = EditedFile("a", FileState.PRESENT, "", "content", True, Owner.THIS_SESSION, None, (), (), (hunk,))
    made = tuple(Recorded(n, None, n, "update", "", (line,)) for n, line in ((1, "+alpha"), (2, "+beta")))
    (spot,) = find_spots(change, {"a": made}, None)
    sides = lay_out(spot)
    assert [one.step for one in sides.shown] == [1, 2]
    assert all(pair.same for pair in sides.pairs)


def test_a_lone_brace_proves_no_kinship_beside_a_line_that_says_something():
    hunks = tuple(
        DirtyHunk(n, 0, n, 2, (line, "+}"), Owner.UNKNOWN, None) for n, line in ((1, "+x = 1"), (9, "+total = 2"))
    )
    change = OtherChange("a", " M", Owner.UNKNOWN, None, "", hunks)
    made = (Recorded(5, None, 1, "update", "", ("+total = 2", "+}")),)
    first, second = find_spots(change, {"a": made}, None)
    assert (steps_of(first), steps_of(second)) == ([], [5])


LINES = st.lists(st.sampled_from(["+a", "-a", "+b", " c", "+d"]), max_size=30).map(tuple)


@given(LINES, LINES)
def test_each_side_keeps_its_lines_in_their_order(left: tuple[str, ...], right: tuple[str, ...]):
    pairs = tuple(align(left, right))
    assert tuple(pair.left for pair in pairs if pair.left is not None) == left
    assert tuple(pair.right for pair in pairs if pair.right is not None) == right
    assert left != right or all(pair.same for pair in pairs)


def test_a_huge_change_costs_in_proportion():
    def cost(lines: int) -> float:
        hunk = DirtyHunk(0, 0, 1, lines, tuple(f"+new {n}" for n in range(lines)), Owner.MIXED, None)
        made = (Recorded(1, None, 1, "create", "", tuple(f"+old {n % 7}" for n in range(lines))),)
        change = OtherChange("a", "??", Owner.MIXED, None, "", (hunk,))
        best = float("inf")
        for _ in range(3):
            began = time.perf_counter()
            for spot in find_spots(replace(change), {"a": made}, None):
                lay_out(spot)
            best = min(best, time.perf_counter() - began)
        return best

    assert cost(64_000) < 40 * cost(8_000)
