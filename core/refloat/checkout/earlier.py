"""A session's own earlier version of a file: what an undo, a `git checkout` or a reset of its last edits leaves there.

Pure. Decides by the record alone: the same edits, folded up to one of them, leave what stands. Refuses to look further
back than a bounded number of edits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from refloat.checkout.compare import STANDS, Comparison, judge
from refloat.checkout.files import Content
from refloat.checkout.fold import Folded, Known, fold_until
from refloat.model.checkout import FileState

_MOST: Final = 32
"""Versions that are put together anew and held against the content, the newest first."""


def judge_earlier(folded: Folded, content: Content, made: Comparison, known: Sequence[Known] = ()) -> Comparison:
    """The comparison `made`, which found neither the result nor what was there first; or one that says which of the
    session's own versions it is. `known` as for the fold.
    """
    if content.kind != "text" or folded.deleted or made.state not in (FileState.DIVERGED, FileState.PARTLY):
        return made
    exactly = made.state is FileState.PARTLY
    for count in _counts(folded, content.text, exactly=exactly and folded.written_whole):
        earlier = fold_until(folded, count, known)
        if earlier is None or not earlier.made:
            continue
        found = judge(earlier, content)
        if found.state is FileState.PRESENT if exactly else found.state in STANDS:
            step = earlier.made[-1].step
            state, why = (made.state, made.why) if exactly else (FileState.REVERTED, f"it is as step {step} left it")
            return replace(found, state=state, why=why, back=earlier)
    return made


def _counts(folded: Folded, text: str, *, exactly: bool) -> Iterator[int]:
    """How many edits may have left what stands: up to one that another replaced; of a whole text, up to any."""
    if exactly:
        rows = range(len(folded.edits) - 1, 0, -1)
        yield from [at for at in rows if text in (folded.edits[at].edit.before, folded.edits[at - 1].edit.after)][:1]
        return
    if folded.pieces and not folded.blind:
        yield from sorted(set(folded.traces.replaced_by.values()), reverse=True)[:_MOST]
