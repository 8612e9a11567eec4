"""Which session came of an attempt: only one that alone can be it, and nothing is written to find out."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from refloat.model.attempts import Attempt, chains_of
from refloat.model.session import Session, SessionName
from refloat.model.stamp import Stamp, later
from refloat.record.attempts import begin_attempt, find_attempts
from refloat.record.store import open_record
from refloat.testing.samples import crashed
from refloat.usecases.find_sessions import Scope, list_sessions, listed_title
from refloat.usecases.linked import forget_list, read_attempts, settled, standing_of, with_parents

NOW = Stamp("2026-09-14T12:00:00.000Z")
ONE, TWO = "5f0c1d2e-0000-4000-8000-000000000001", "5f0c1d2e-0000-4000-8000-000000000002"
BRIEF = "/data/refloat/briefs/claude-code-one-20260914120000000.md"
ASKED = f"Read {BRIEF} and continue from it."
MADE = Attempt("1", SessionName(f"claude-code:{ONE}"), None, "new", "codex", "/src", "ada@h", "codex", BRIEF, None, NOW)


def begun(**more: Any) -> Session:
    base = replace(
        crashed().session,
        agent="codex",
        session_id="t",
        title=ASKED,
        workspace="/src",
        parent=None,
        started_at=later(NOW, 2),
    )
    return replace(base, **more)


def test_the_one_that_fits_is_the_child() -> None:
    (attempt,) = settled([MADE], [begun(), begun(session_id="u", workspace="/other")])
    assert attempt.child == "codex:t"


@pytest.mark.parametrize(
    "more",
    [
        {"agent": "claude-code"},
        {"workspace": "/other"},
        {"workspace": None},
        {"started_at": later(NOW, -60)},
        {"started_at": None},
        {"title": "Something else"},
        {"title": ""},
    ],
)
def test_what_differs_is_none(more: dict[str, Any]) -> None:
    assert settled([MADE], [begun(**more)])[0].child is None


def test_a_title_that_was_cut_still_tells() -> None:
    assert settled([MADE], [begun(title=f"{ASKED[:40]}…")])[0].child == "codex:t"


def test_two_that_fit_are_none_and_what_is_known_is_taken() -> None:
    two = [begun(), begun(session_id="u")]
    assert settled([MADE], two)[0].child is None
    known = replace(MADE, id="2", child=SessionName("codex:u"))
    assert [attempt.child for attempt in settled([MADE, known], two)] == ["codex:t", "codex:u"]


def test_one_that_began_after_the_agent_had_ended_is_none() -> None:
    assert settled([replace(MADE, ended=later(NOW, 1))], [begun()])[0].child is None


def test_a_parent_of_the_agents_own_stays(home: Any) -> None:
    with open_record(home.bench.machine.places.data, NOW) as record:
        begin_attempt(record, replace(MADE, child=SessionName("codex:t")))
    assert chains_of(settled(read_attempts(home.bench), [])) == {}, "it came to nothing"
    chains = chains_of(settled(read_attempts(home.bench), [begun()]))
    own = SessionName("codex:fork")
    (linked, forked) = with_parents([begun(), begun(parent=own)], chains)
    assert (linked.parent, forked.parent) == (MADE.parent, own)


def test_a_list_shows_the_chain_and_writes_nothing_to_the_record(home: Any) -> None:
    for session in (ONE, TWO):
        home.write(session, *home.talk(session))
    assert list_sessions(home.bench, Scope()).chains == {}
    assert read_attempts(home.bench) == ()
    made = replace(MADE, child=SessionName(f"claude-code:{TWO}"), agent="claude-code")
    with open_record(home.bench.machine.places.data, NOW) as record:
        begin_attempt(record, made)
    forget_list(home.bench)
    listing = list_sessions(home.bench, Scope())
    assert {row.session_id: row.parent for row in listing.sessions} == {ONE: None, TWO: f"claude-code:{ONE}"}
    first, second = (listing.chains[SessionName(f"claude-code:{each}")] for each in (ONE, TWO))
    assert listed_title("Make it", first) == "(1/2, then 5f0c1d2e) Make it"
    assert listed_title("Make it", second) == "(2/2) Make it"
    assert listed_title("Make it", None) == "Make it"
    with open_record(home.bench.machine.places.data, NOW) as record:
        assert find_attempts(record) == (made,)


def test_where_a_session_stands_and_how_the_newest_does(home: Any) -> None:
    for session in (ONE, TWO):
        home.write(session, *home.talk(session))
    (one,) = [row for row in list_sessions(home.bench, Scope()).sessions if row.session_id == ONE]
    assert standing_of(home.bench, one) is None
    with open_record(home.bench.machine.places.data, NOW) as record:
        begin_attempt(record, replace(MADE, child=SessionName(f"claude-code:{TWO}")))
    standing = standing_of(home.bench, one)
    assert standing is not None
    assert (standing.newest, standing.state) == (f"claude-code:{TWO}", "stopped")
    with open_record(home.bench.machine.places.data, NOW) as record:
        begin_attempt(record, replace(MADE, id="2", at=later(NOW, 60), child=SessionName("claude-code:never")))
    again = standing_of(home.bench, one)
    assert again == standing, "an agent that was never asked anything wrote nothing, and continues nothing"
    assert len(list_sessions(home.bench, Scope()).chains) == 2
    home.path(TWO).unlink()
    assert standing_of(home.bench, one) is None, "its transcript is gone: nobody knows how it stands"


def test_a_record_that_cannot_be_read_links_nothing(home: Any) -> None:
    data: Path = home.bench.machine.places.data
    data.mkdir(parents=True)
    (data / "record.db").write_bytes(b"no database at all, and long enough to be looked at" * 40)
    assert read_attempts(home.bench) == ()
