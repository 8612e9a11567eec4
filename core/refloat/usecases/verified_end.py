"""Whether Refloat itself saw a session's owner end: then its last growth counts for nothing (design, section 9).

What is remembered is the receipted step of a stop, and the end of an agent that Refloat started and waited for. It
holds for the record as it was then: a record with a later time was written by somebody else.
"""

from typing import Final

from refloat.errors import RefloatError
from refloat.liveness.evidence import Subject
from refloat.model.saving import Origin
from refloat.model.session import SessionName
from refloat.record.attempts import find_attempts
from refloat.record.trails import find_last_done
from refloat.usecases.decided import job_of
from refloat.usecases.saved_record import open_saved
from refloat.usecases.workbench import Workbench

STOP_TOOL: Final = "stop session"
"""Tool of the step that a stop is; `ok` says that the end was verified."""
STOP_ORIGIN: Final[Origin] = "recovery"


def saw_end(bench: Workbench, subject: Subject) -> bool:
    """Whether its end was seen, and nothing was recorded after that. False where the record cannot be asked."""
    places, now = bench.machine.places, bench.machine.clock.now()
    name = SessionName(f"{subject.agent}:{subject.session_id}")
    try:
        with open_saved(places.data, places.config, places.environment, now) as record:
            stopped = find_last_done(record, job_of(name), STOP_TOOL, STOP_ORIGIN)
            ran = [attempt for attempt in find_attempts(record) if attempt.child == name]
    except RefloatError:
        return False
    last = max((end for end in (stopped, *(attempt.ended for attempt in ran)) if end is not None), default=None)
    if last is None or any(attempt.ended is None and attempt.at > last for attempt in ran):
        return False  # a later one that Refloat started may run still: its Refloat was killed
    return subject.last_activity is None or subject.last_activity <= last
