"""One answer given outside the wizard: kept with the recovery of its session, as if a page had asked.

Decides nothing about what an answer means (`recover`) or where it lies (`keep_draft`). Refuses to make a record only
because somebody looks: where there is none, nothing was said.
"""

from dataclasses import replace

from refloat.errors import NotDone
from refloat.model.brief import Brief
from refloat.model.checkout import Checkout
from refloat.model.recovery import Given, Said
from refloat.model.session import Session, SessionName
from refloat.model.triage import Triage
from refloat.ports import Machine
from refloat.record.store import FILE_NAME
from refloat.there import is_plain_file
from refloat.usecases.keep_draft import open_drafts
from refloat.usecases.recover import Recovery, answer
from refloat.usecases.rescue import who


def given_so_far(machine: Machine, session: SessionName) -> Given:
    """What was said in the recovery of a session, the unfinished one or the last; nothing where there is none."""
    if not is_plain_file(machine.places.data / FILE_NAME):
        return Given()
    with open_drafts(machine) as drafts:
        draft = drafts.newest(session)
    return Given() if draft is None else draft.given


def unasked(machine: Machine, session: Session, checkout: Checkout, triage: Triage) -> Recovery:
    """A recovery outside the wizard: what was found, for answers that are put to it. The evidence is the masked one."""
    nothing = Brief(session.title, (), (), (), (), (), ())
    return Recovery(session, checkout, triage, asked="", said="", base=nothing, by=who(machine))


def keep_answer(machine: Machine, session: Session, checkout: Checkout, triage: Triage, said: Said) -> Given:
    """Keep one more answer; everything that was said by now comes back. The evidence is the masked one.

    Raises:
        NotDone: it cannot be kept; the sentence says why.

    """
    fresh = unasked(machine, session, checkout, triage)
    with open_drafts(machine) as drafts:
        if drafts.why_memory is not None:
            raise NotDone(drafts.why_memory)
        kept = drafts.take_up(fresh)
        recovery = answer(kept.recovery, said)
        drafts.save(replace(kept, recovery=recovery))
    return recovery.given
