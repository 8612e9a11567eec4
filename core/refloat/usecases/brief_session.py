"""The brief of a session as whoever goes on gets it: the evidence, with what a person said in its recovery put to it.

The one door to a brief outside the wizard, so that no answer is lost on the way. Decides which answers count (those of
the unfinished recovery, else of the one finished last) and tells what moved since they were given. Refuses to let a
record that cannot be read stop a brief: the brief says so. Without a record, nothing is asked of it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from refloat.brief.masks import Masker
from refloat.errors import RefloatError
from refloat.model.brief import Answers, Confidence, Line, WrittenBrief
from refloat.model.checkout import Checkout
from refloat.model.recovery import Draft
from refloat.model.session import Session
from refloat.model.story import Story
from refloat.model.triage import Triage
from refloat.text import inert_line
from refloat.there import may_be_there
from refloat.usecases.workbench import Workbench
from refloat.usecases.write_brief import MAX_TOKENS, WriteBrief, write_brief

_MOVED_TOLD: Final = 5
"""Things that moved, named one by one."""
_WHOLE: Final = 10_000_000
"""Tokens: sections that a person changed are taken whole, and cut where the finished brief is."""


def brief_writer(
    bench: Workbench,
    session: Session,
    story: Story,
    checkout: Checkout,
    triage: Triage,
    *,
    max_tokens: int = MAX_TOKENS,
    template: str | None = None,
    show_secrets: bool = False,
) -> WriteBrief:
    """What writes the brief of a session that was read, with all that was said of it; the answers are asked for once.

    The writer raises:
        UsageError: the template has no place for any section.

    """
    parts = (session, story, checkout, triage)
    answers = _answers(bench, *parts, show_secrets=show_secrets)

    def write(masker: Masker) -> WrittenBrief:
        return write_brief(bench, *parts, answers=answers, max_tokens=max_tokens, template=template, masker=masker)

    return write


def _answers(
    bench: Workbench, session: Session, story: Story, checkout: Checkout, triage: Triage, *, show_secrets: bool
) -> Answers | None:
    try:
        draft = _find_draft(bench, session)
    except RefloatError as error:
        draft, news = None, f"What a person may have said in a recovery could not be read: {inert_line(str(error))}"
    else:
        if draft is None or not draft.given.says_anything:
            return None
        news = ""
    # Loaded here: most sessions have no recovery.
    from refloat.usecases.keep_answer import unasked
    from refloat.usecases.recover import resume
    from refloat.usecases.write_recovery import said_in

    masker = Masker()
    masker.learn((session, story, checkout, triage))
    recovery = unasked(bench.machine, masker.tree(session), masker.tree(checkout), masker.tree(triage))
    lines = [Line(news, Confidence.UNKNOWN)] if news else []
    if draft is not None:
        recovery = resume(replace(recovery, by=draft.by or recovery.by), draft)
        lines += _moved(draft, recovery.changed)

    def write(answers: Answers | None) -> WrittenBrief:
        whole = Masker(enabled=not show_secrets)
        return write_brief(bench, session, story, checkout, triage, answers=answers, max_tokens=_WHOLE, masker=whole)

    return said_in(recovery, write, draft.receipts if draft is not None else {}, since=tuple(lines))


def _find_draft(bench: Workbench, session: Session) -> Draft | None:
    from refloat.record.store import FILE_NAME, find_url

    machine, places = bench.machine, bench.machine.places
    if not may_be_there(places.data / FILE_NAME) and find_url(places.environment, places.config) is None:
        return None
    from refloat.record.drafts import newest_draft
    from refloat.usecases.saved_record import open_saved

    with open_saved(places.data, places.config, places.environment, machine.clock.now()) as record:
        return newest_draft(record, session.name)


def _moved(draft: Draft, changed: tuple[str, ...]) -> Iterator[Line]:
    if changed:
        more = len(changed) - _MOVED_TOLD
        told = "; ".join(map(inert_line, changed[:_MOVED_TOLD])) + (f"; and {more:,} more" if more > 0 else "")
        yield Line(f"Since the answers of a person were given ({draft.updated_at}): {told}", Confidence.VERIFIED)
