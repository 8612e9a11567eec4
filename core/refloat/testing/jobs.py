"""A job with every kind of link in it, for tests: `retry`, of an invented person."""

from pathlib import Path

from refloat.model.record import Checked
from refloat.model.saving import Ending, Opening, Runner, Tree
from refloat.model.stamp import Stamp
from refloat.record.chain import add_step, begin_step
from refloat.record.contents import SMALL, hold
from refloat.record.handovers import NewDecision, NewPickup, NewWrap, add_decision, add_pickup, add_wrap
from refloat.record.spool import Spool
from refloat.record.store import Record

NOW = Stamp("2026-09-14T14:00:00.000Z")
END = Stamp("2026-09-14T14:00:02.000Z")
OPENING = Opening(
    "retry", "human:ada", "run", "pytest -q", "run", NOW, "/srv/app", Tree("a" * 40, "b" * 64), Runner("host", 12, "99")
)
ENDING = Ending("ok", END, 0, Tree("a" * 40, "c" * 64))
BIG = b"a line of a long log, number %d\n"


def big_output() -> bytes:
    """More than goes into a row."""
    return b"".join(BIG % n for n in range(SMALL // 16))


def fill(record: Record, directory: Path) -> None:
    """Steps 1 to 3 sealed (2 failed, 3 with a big output), 4 in flight, a wrap, a pickup, a decision."""
    add_step(record, OPENING, ENDING, hold(b"pytest\0-q"), hold(b"42 passed\n"))
    add_step(record, OPENING._replace(tool="build"), ENDING._replace(outcome="error", exit_code=2), None, hold(b""))
    with Spool(directory) as spool:
        spool.write(big_output())
        add_step(record, OPENING._replace(tool="log"), ENDING, hold(b"x"), spool.finish(record))
    wrap = add_wrap(record, NewWrap("retry", END, "human:ada", "did", "stop after 3", "bob", ["look"], ["the docs"]))
    add_pickup(record, NewPickup("retry", END, "codex:1", wrap.id, [Checked(1, "ab", "unchanged")], 4))
    add_decision(record, NewDecision("retry", END, "accepted", "ada", "ok", None, note="fine"))
    begin_step(record, OPENING._replace(tool="deploy", summary="make deploy"), hold(b"make\0deploy"))
