"""`repair` for a person."""

from collections import Counter
from collections.abc import Iterator
from shlex import join, quote
from typing import Final

from refloat.model.repair import Issue, Repair, Severity
from refloat_tui.cli.show.table import counted, labelled

_MEANS: Final[dict[Severity, str]] = {
    "blocks": "the agent refuses it, or goes on without knowing what took effect",
    "loses": "a part of the talk is not reached",
    "noted": "the agent reads around it",
}
_SHOWN: Final = 40
"""So many issues are told one by one; JSON has all."""


def repair_lines(value: Repair, width: int) -> Iterator[str]:
    """What is wrong, what a copy does about it, and where it went."""
    plan = value.plan
    if plan.is_sound:
        yield from labelled("SOUND", f"{plan.session}  nothing to repair, nothing written", width)
        return
    yield from labelled("REPAIR", f"{plan.session}  {counted(len(plan.issues), 'issue')}", width)
    for path in plan.sources:
        yield from labelled("original", f"{path}  (is never written to)", width)
    kinds = Counter(issue.severity for issue in plan.issues)
    for severity, means in _MEANS.items():
        if kinds[severity]:
            yield from labelled(severity, f"{kinds[severity]}: {means}", width)
    yield ""
    for issue, action in zip(plan.issues[:_SHOWN], plan.actions[:_SHOWN], strict=True):
        yield from labelled(f"line {issue.line}", f"{_words(issue)}: {action.detail}", width)
    if len(plan.issues) > _SHOWN:
        yield f"… and {len(plan.issues) - _SHOWN} more; `--json` has all"
    yield ""
    for words in plan.left_out:
        yield from labelled("left out", words, width)
    if value.written is None:
        how = f"nothing was written: `refloat repair {plan.session} --install` puts the copy where its agent finds it"
        if plan.outside:
            how = f"nothing was written: `refloat repair {quote(plan.outside)} --out FILE` writes the copy anywhere"
        yield from labelled("how", how, width)
    else:
        yield from labelled("wrote", f"{value.written}  (0600)", width)
        yield from labelled("copy", str(value.copy), width)
    if value.then is not None:
        if closed := sum(action.code == "dangling_call" for action in plan.actions):
            said = (
                f"{counted(closed, 'call')} closed, outcome unknown: `refloat triage {value.copy}` says what to look at"
            )
            yield from labelled("open", said, width)
        yield from labelled("next", f"$ {join(value.then)}", width)


def _words(issue: Issue) -> str:
    return f"{issue.code.replace('_', ' ')} [{issue.severity}], {issue.detail}"
