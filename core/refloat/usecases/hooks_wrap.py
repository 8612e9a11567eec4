"""The automatic wrap: what a session did on its job, written when its agent stops, compacts or ends.

Decides that there is one only where the session saved steps since its last, and that it says no more than the record
does. It is marked automatic, takes over the goal of the newest wrap that a person wrote, and never stands before it.
"""

from typing import Final

from refloat.hooks.events import Event
from refloat.model.stamp import Stamp
from refloat.record.chain import storable
from refloat.record.handovers import NewWrap, add_wrap
from refloat.record.rows import number, text
from refloat.record.store import Record
from refloat.record.trails import newest_wraps

_WHEN: Final = {
    "PreCompact": "before a compaction",
    "Stop": "when a turn ended",
    "SessionEnd": "when the session ended",
}
_DOUBTFUL: Final = {"error": "failed", "interrupted": "was interrupted", "dangling": "has no known end"}


def wrap_automatically(record: Record, job: str, event: Event, now: Stamp) -> bool:
    """Wrap what this session did since its last automatic wrap; False where that is nothing.

    Raises:
        NotWritten: the record did not take it.

    """
    mine = storable({"job": job, "producer": event.producer})
    with record.reading() as connection:
        before = connection.row("links.last_automatic_wrap", **mine)
        after = number(before or {}, "last_seq") or 0
        counts = connection.rows("links.outcomes_since", **mine, after=after)
        last = connection.row("links.last_step_by", **mine)
        wraps = newest_wraps(connection, job)
    if not counts or last is None:
        return False
    total = sum(number(row, "n") or 0 for row in counts)
    ended = ", ".join(f"{number(row, 'n') or 0} {text(row, 'outcome')}" for row in counts)
    step = f"step {number(last, 'seq')} ({text(last, 'summary')})"
    doubt = _DOUBTFUL.get(text(last, "outcome"))
    wrap = NewWrap(
        job=job,
        at=now,
        producer=event.producer,
        summary=f"Automatic, {_WHEN[event.name]}: {total} more steps ({ended}). The last was {step}.",
        goal=text(wraps[0], "goal") if wraps else "",
        not_checked=[f"{step} {doubt}"] if doubt else [],
        automatic=True,
        note=f"{event.name}: {event.why}" if event.why else event.name,
    )
    add_wrap(record, wrap)
    return True
