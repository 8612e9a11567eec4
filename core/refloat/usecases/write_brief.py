"""The handoff for the next attempt, finished: built, masked, bounded, with the fingerprint that tells its age."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from refloat.brief.build import build_brief
from refloat.brief.facts import Facts
from refloat.brief.fingerprint import ages_of, read_last_line, take_fingerprint, write_last_line
from refloat.brief.hits import MASK
from refloat.brief.markdown import check_template, render
from refloat.brief.masks import Masker
from refloat.brief.quoting import CODE_LIMIT, Quoter
from refloat.errors import RefloatError, UsageError
from refloat.model.brief import Answers, Fingerprint, WrittenBrief
from refloat.model.checkout import Checkout
from refloat.model.session import Session, place_here
from refloat.model.story import Story
from refloat.model.triage import Triage
from refloat.text import cut, inert_line
from refloat.usecases.targets import put_whole
from refloat.usecases.workbench import Workbench

MAX_TOKENS: Final = 4_000

WriteBrief = Callable[[Masker], WrittenBrief]
"""`write_brief`, bound to all but its masker."""


def write_brief(
    bench: Workbench,
    session: Session,
    story: Story,
    checkout: Checkout,
    triage: Triage,
    *,
    answers: Answers | None = None,
    max_tokens: int = MAX_TOKENS,
    template: str | None = None,
    show_secrets: bool = False,
    masker: Masker | None = None,
) -> WrittenBrief:
    """Build the brief of a session, in both forms: `brief` holds the statements that stand in `markdown`.

    Everything recorded is searched for secrets first, so that one that is named once stays masked where it stands
    bare. What did not fit into `max_tokens` (of four bytes) is counted in `omitted`. `masker`: a fresh one that masks
    in place of a plain one.

    Raises:
        UsageError: the template has no place for any section.

    """
    check_template(template)
    masker = masker or Masker(enabled=not show_secrets)
    original = _original(bench, session)
    masker.learn((session, story, checkout, triage, answers, original))
    facts = Facts(session, story, checkout, triage, Quoter(masker), answers or Answers(), original)
    fingerprint = _fingerprint(facts)

    def last_line(text: str) -> str:
        return write_last_line(
            fingerprint,
            mentions=lambda path: cut(inert_line(path).strip(), CODE_LIMIT) in text,
            may_stand=lambda path: masker.text(path) == path,
        )

    rendered = render(
        build_brief(facts),
        session.name,
        max_tokens=max_tokens,
        last_line=last_line,
        template=template,
        own_title=facts.answers.title is not None,
    )
    masked = rendered.text.count(MASK) if masker.enabled else 0
    held_to = read_last_line(rendered.text)
    ages = len(ages_of(held_to)) if held_to else 0
    return WrittenBrief(session.name, rendered.brief, rendered.text, masked, rendered.omitted, ages)


def _original(bench: Workbench, session: Session) -> Session | None:
    """Of a repaired copy the session that it was made from: whose process it was, nobody can tell from the copy."""
    if not session.repaired or session.parent is None:
        return None
    from refloat.usecases.find_sessions import resolve  # any other brief is made from what was read

    try:
        return resolve(bench, session.parent, bench.machine.places.home).session
    except RefloatError:
        return None


def _fingerprint(facts: Facts) -> Fingerprint:
    checkout = facts.checkout
    files = [file.path for file in checkout.files] + [change.path for change in checkout.other_changes]
    if checkout.operation:
        files += checkout.operation.conflicts
    workspace = checkout.repo or place_here(facts.session.worktree) or place_here(facts.session.workspace)
    return take_fingerprint(facts.name, checkout.head, workspace, files, facts.session.transcript.paths)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read (0600), whole or not at all; an older one of that name is replaced.

    Raises:
        UsageError: it cannot be written there.

    """
    try:
        put_whole(path, (text.encode("utf-8", "replace"),))
    except OSError as fault:
        message = f"{str(path)!r} cannot be written ({fault.strerror}); name another place with `--out`"
        raise UsageError(message) from fault
