"""A whole job as it is stored: its own row and every link, from the record or from an exported file alike.

Decides what belongs to a job. Refuses to judge it: that is `verify`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from refloat.errors import UsageError
from refloat.model.saving import LinkKind
from refloat.record.engine import Connection, Row

_PAGE: Final = 1000
_TABLES: Final[tuple[tuple[LinkKind, str], ...]] = (
    ("wrap", "links.wraps_of"),
    ("pickup", "links.pickups_of"),
    ("decision", "links.decisions_of"),
)


class NoSuchJob(UsageError):  # noqa: N818 - reads as the answer that it is
    """No job is called so."""


class WholeJob(NamedTuple):
    """All that is stored of a job."""

    name: str
    row: Row | None
    """Its own row; None where links name a job that has none."""
    links: tuple[tuple[LinkKind, Row], ...]
    """Sealed or in flight, each kind in its own order."""


def load_job(connection: Connection, job: str) -> WholeJob:
    """Everything of a job.

    Raises:
        NoSuchJob: nothing at all is stored under that name.

    """
    row = connection.row("jobs.one", job=job)
    kinds: list[tuple[LinkKind, Iterable[Row]]] = [("step", steps_of(connection, job))]
    for kind, statement in _TABLES:
        kinds.append((kind, connection.rows(statement, job=job)))
    links: list[tuple[LinkKind, Row]] = [(kind, link) for kind, rows in kinds for link in rows]
    if row is None and not links:
        raise no_such_job(connection, job)
    return WholeJob(job, row, tuple(links))


def steps_of(connection: Connection, job: str) -> Iterator[Row]:
    """Every step of a job by its number, page by page."""
    after = -(2**62)
    while page := connection.rows("links.steps_of", job=job, after=after, many=_PAGE):
        yield from page
        last = page[-1]["seq"]
        if not isinstance(last, int) or len(page) < _PAGE:
            return
        after = last


def no_such_job(connection: Connection, job: str) -> NoSuchJob:
    """The refusal, with the names that may have been meant."""
    near = _names_like(job, _names(connection))
    hint = f"; did you mean {', '.join(near)}?" if near else "; `refloat jobs` lists every one"
    return NoSuchJob(f"no job is called {job!r}{hint}")


def names_instead(connection: Connection, job: str) -> Sequence[str] | None:
    """Names that may have been meant where no job is called so; None where one is."""
    names = _names(connection)
    return None if job in names else _names_like(job, names)


def _names(connection: Connection) -> Sequence[str]:
    return [str(row["name"]) for row in connection.rows("jobs.names")]


def _names_like(job: str, names: Sequence[str]) -> Sequence[str]:
    from difflib import get_close_matches

    begun = sorted(name for name in names if job and name.startswith(job))
    return begun[:3] or get_close_matches(job, names, 3, 0.5)
