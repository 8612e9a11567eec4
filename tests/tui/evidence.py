"""A session with everything that the panes of evidence have to tell: claims of every verdict, a file that two hands
changed, a long new file, checks of every freshness. Invented, on the sample of a crash.
"""

from dataclasses import replace
from typing import Final

from refloat.model.checkout import DirtyHunk, EditedFile, EditFate, Fate, FileState, FoundIn, Owner, PlaceKind, Warned
from refloat.model.session import SessionName
from refloat.model.transcript import FileEdit, Hunk, Step, StepKind
from refloat.model.triage import Finding, FindingVerdict
from refloat.testing.samples import WORKSPACE, Sample, crashed, make_items, make_step

LINES: Final = 3_000
"""Of the long file."""
_TOTALS: Final = f"{WORKSPACE}/src/totals.py"
_TABLE: Final = f"{WORKSPACE}/src/table.py"


def _edit(start: int, gone: str, new: str) -> FileEdit:
    return FileEdit(_TOTALS, "update", hunks=(Hunk(start, 1, start, 1, (f"-{gone}", f"+{new}")),))


def _more_steps() -> tuple[Step, ...]:
    def edit(n: int, made: FileEdit) -> Step:
        return make_step(n, StepKind.EDIT, made.path, tool="Edit", files=(made.path,), edits=(made,), turn=2)

    whole = "\n".join(f"ROW_{n} = {n}" for n in range(LINES)) + "\n"
    return (
        edit(11, _edit(3, "TAX = 19", "TAX = 0.19")),
        edit(12, _edit(3, "TAX = 0.19", "TAX = Decimal('0.19')")),
        edit(13, _edit(40, "    return a", "    return half_to_even(a)")),
        edit(14, _edit(80, "# todo", "# done")),
        edit(15, FileEdit(_TABLE, "create", after=whole, existed=False)),
    )


def _hunk(start: int, gone: str, new: str, owner: Owner, session: SessionName | None = None) -> DirtyHunk:
    return DirtyHunk(start, 1, start, 1, (f"-{gone}", f"+{new}"), owner, session)


def _files(session: SessionName) -> tuple[EditedFile, ...]:
    other = SessionName("codex:01a09f44")
    totals = EditedFile(
        "src/totals.py",
        FileState.PARTLY,
        "2 of 3 recorded hunks are there",
        "content",
        True,
        Owner.MIXED,
        None,
        (FoundIn(PlaceKind.RECORD, None, None, None),),
        (
            EditFate(11, Fate.REPLACED, None, "step 12"),
            EditFate(12, Fate.UNCOMMITTED, None, None),
            EditFate(13, Fate.UNCOMMITTED, None, None),
            EditFate(14, Fate.REVERTED, None, "somebody"),
        ),
        (
            _hunk(3, "TAX = 19", "TAX = Decimal('0.19')", Owner.THIS_SESSION, session),
            _hunk(40, "    return a", "    return half_to_even(a, 2)", Owner.MIXED),
            _hunk(120, "LIMIT = 1", "LIMIT = 2", Owner.OTHER_SESSION, other),
        ),
    )
    whole = tuple(f"+ROW_{n} = {n}" for n in range(LINES))
    table = EditedFile(
        "src/table.py",
        FileState.PRESENT,
        "the whole content is equal",
        "content",
        True,
        Owner.THIS_SESSION,
        session,
        (FoundIn(PlaceKind.WORKTREE, "src/table.py", None, None),),
        (EditFate(15, Fate.UNCOMMITTED, None, None),),
        (DirtyHunk(0, 0, 1, LINES, whole, Owner.THIS_SESSION, session),),
    )
    return totals, table


def _claim(what: str, kind: str, message: int, steps: tuple[int, ...], verdict: FindingVerdict, why: str) -> Finding:
    return Finding(what, kind, (), steps, message, verdict, None, (), kind, why)


CLAIMED: Final = (
    _claim("All tests pass now.", "tests_pass", 8, (7,), FindingVerdict.CONTRADICTED, "step 7 ended with 1 failed"),
    _claim("I pushed the branch.", "pushed", 8, (), FindingVerdict.UNSUPPORTED, "no push with a result is recorded"),
    _claim("mypy is clean.", "lint_passes", 8, (10,), FindingVerdict.STALE, "src/invoice.py changed after it"),
)


def evidence() -> Sample:
    """The sample."""
    made = crashed()
    name = made.session.name
    steps = (*made.story.steps, *_more_steps())
    story = replace(made.story, items=make_items(steps))
    checkout = replace(
        made.checkout,
        files=(*_files(name), *made.checkout.files),
        warnings=(*made.checkout.warnings, Warned("a filter was not run", ".gitattributes")),
    )
    confirmed = _claim(
        "Rounding stands and its tests pass; committed.", "committed", 7, (5,), FindingVerdict.CONFIRMED, "9c0e2b1"
    )
    triage = replace(made.triage, saved=(*made.triage.saved, confirmed), claimed=CLAIMED)
    return Sample("evidence", made.session, story, checkout, triage)
