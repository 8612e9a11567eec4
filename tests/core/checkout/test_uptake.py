"""Which commit took up what an edit left: what is looked up is what asking every commit says."""

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from refloat.checkout.uptake import Committed, Uptake
from refloat.model.stamp import Stamp, later
from refloat.testing.stories import START

LINES = st.frozensets(st.sampled_from(["", "a", "b", "c", "d"]))
TIMES = st.one_of(st.none(), st.integers(-3, 6).map(lambda seconds: later(START, seconds / 2)))


@st.composite
def commits(draw: st.DrawFn) -> list[Committed]:
    rows = draw(st.lists(st.tuples(TIMES, st.one_of(st.none(), LINES, LINES)), max_size=7))
    return [Committed(f"{n:040x}", at, lines) for n, (at, lines) in enumerate(rows)]


def asked(rows: list[Committed], lines: frozenset[str], since: Stamp | None, how: str) -> str | None:
    """Every commit in turn."""
    for row in rows:
        if row.at is not None and since is not None and later(row.at, 1) <= since:
            continue
        if row.lines is None:
            if how == "deleting":
                return row.sha
        elif (how == "holding" and lines <= row.lines) or (how == "lacking" and not lines & row.lines):
            return row.sha
    return None


@settings(max_examples=300, deadline=None)
@given(commits(), st.lists(st.tuples(LINES.filter(bool), TIMES), max_size=4), st.integers(0, 3))
def test_the_first_commit_that_fits_is_found(
    rows: list[Committed], questions: list[tuple[frozenset[str], Stamp | None]], patience: int
) -> None:
    uptake = Uptake(rows, patience)
    for lines, since in questions:
        assert uptake.holding(lines, since) == asked(rows, lines, since, "holding")
        assert uptake.lacking(lines, since) == asked(rows, lines, since, "lacking")
        assert uptake.deleting(since) == asked(rows, lines, since, "deleting")


class _Asked(Uptake):
    """Counts the commits that are looked at."""

    looks = 0

    def _behind(self, since: Stamp | None) -> Iterator[Committed]:
        for commit in super()._behind(since):
            self.looks += 1
            yield commit


def test_commits_from_before_an_edit_are_not_asked() -> None:
    """A hundred edits, each committed at once: one look for each, where every pair would make some five thousand."""
    rows = [Committed(f"{n:040x}", later(START, 10 * n), frozenset(map(str, range(n + 1)))) for n in range(100)]
    uptake = _Asked(rows)
    found = [uptake.holding(frozenset({str(n)}), later(START, 10 * n - 5)) for n in range(100)]
    assert found == [row.sha for row in rows]
    assert uptake.looks == len(rows)


def test_edits_that_no_commit_took_up_do_not_ask_every_commit_each() -> None:
    rows = [Committed(f"{n:040x}", later(START, n), frozenset({"a", str(n)})) for n in range(500)]
    uptake = _Asked(rows)
    assert all(uptake.holding(frozenset({f"lost {n}"}), None) is None for n in range(500))
    assert all(uptake.lacking(frozenset({"a", f"lost {n}"}), None) is None for n in range(500))
    assert uptake.looks <= 2 * 33 * len(rows), "every pair would make 500 for each commit"
