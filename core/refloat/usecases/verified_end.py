"""Whether Refloat itself saw a session's owner end: then its last growth counts for nothing (design, section 9).

What is remembered is the receipted step of the stop, and nothing beside it. It holds for the record as it was then: a
record with a later time was written by somebody else.
"""

from typing import Final

from refloat.errors import RefloatError
from refloat.liveness.evidence import Subject
from refloat.model.saving import Origin
from refloat.model.session import SessionName
from refloat.record.trails import find_last_done
from refloat.usecases.decided import job_of
from refloat.usecases.saved_record import open_saved
from refloat.usecases.workbench import Workbench

STOP_TOOL: Final = "stop session"
"""Tool of the step that a stop is; `ok` says that the end was verified."""
STOP_ORIGIN: Final[Origin] = "recovery"


def saw_end(bench: Workbench, subject: Subject) -> bool:
    """Whether a stop verified its end, and nothing was recorded after that. False where the record cannot be asked."""
    places, now = bench.machine.places, bench.machine.clock.now()
    job = job_of(SessionName(f"{subject.agent}:{subject.session_id}"))
    try:
        with open_saved(places.data, places.config, places.environment, now) as record:
            ended = find_last_done(record, job, STOP_TOOL, STOP_ORIGIN)
    except RefloatError:
        return False
    return ended is not None and (subject.last_activity is None or subject.last_activity <= ended)
