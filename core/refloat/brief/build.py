"""A brief from evidence: session, record, checkout and triage to statements with their confidence.

Decides what is said, in which section, how it is known, and what may be left out first when room is short. Refuses
to fill a gap: what nobody stated stays a placeholder, what nobody proved stays unknown. Pure: asks nothing of the
machine, and everything foreign passes the quoter.
"""

from collections.abc import Sequence
from dataclasses import replace

from refloat.brief.ahead import done_when, next_step
from refloat.brief.evidence import established, uncertain
from refloat.brief.facts import Facts
from refloat.brief.previous import current_artifact, previous_attempt
from refloat.model.brief import Brief, Line, Section

TITLE_LIMIT = 120


def build_brief(facts: Facts) -> Brief:
    """Every section; those that a person left whole in the wizard are taken as they are, masked."""
    answers = facts.answers
    title = answers.title or facts.session.title or "(without a title)"

    def section(name: Section, found: Sequence[Line]) -> tuple[Line, ...]:
        if name not in answers.lines:
            return tuple(found)
        return tuple(_own(facts, line) for line in answers.lines[name])

    return Brief(
        title=facts.quote.words(title, TITLE_LIMIT),
        previous_attempt=section("previous_attempt", tuple(previous_attempt(facts))),
        current_artifact=section("current_artifact", tuple(current_artifact(facts))),
        established=section("established", tuple(established(facts))),
        uncertain=section("uncertain", tuple(uncertain(facts))),
        next_step=section("next_step", (next_step(facts),)),
        done_when=section("done_when", tuple(done_when(facts))),
    )


def _own(facts: Facts, line: Line) -> Line:
    """A line as the person left it: what they wrote is kept longer than what Refloat found."""
    keep = max(line.keep, 95 if line.by else 50)
    return replace(line, text=facts.quote.kept(line.text), keep=keep)
