"""A session that changed where it stands is drawn there, and nothing else is; the answer is that of all rows anew."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.waiting import has_read, until
from textual.content import Content

from refloat.model.session import Session, State
from refloat.model.stamp import Stamp, later
from refloat.testing.samples import at
from refloat_tui.present.sessions import Entry, SessionRow, list_entries, renewed
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.widgets.session_list import SessionList

SESSIONS = [session for session, _ in some_sessions()]
MOMENTS = st.integers(min_value=-4, max_value=4).map(lambda minute: later(at(0), minute * 60))


def changed_in(session: Session, moment: Stamp, state: State, place: str) -> Session:
    """The session at another time, in another state and place."""
    return replace(session, last_activity_at=moment, state=state, workspace=place, repo=place)


CHANGED = st.builds(
    changed_in,
    st.sampled_from(SESSIONS),
    MOMENTS,
    st.sampled_from([State.LIVE, State.STOPPED, State.FAILED]),
    st.sampled_from(["/home/ana/shop", "/home/ana/billing", "/home/ana/notes"]),
)


@given(begun=st.lists(CHANGED, max_size=8), changed=st.lists(CHANGED, max_size=3))
def test_rows_in_their_place_are_those_that_a_whole_order_gives(begun: list[Session], changed: list[Session]) -> None:
    def entries() -> tuple[Entry, ...]:
        return list_entries(
            known.values(), here=frozenset(), home_group="/home/ana/shop", home="/home/ana", words="", everywhere=True
        )

    known = {session.name: session for session in (*SESSIONS, *begun)}
    before = entries()
    places = {row.session.name: place for place, row in enumerate(before) if isinstance(row, SessionRow)}
    known |= {session.name: session for session in changed}
    found = renewed(before, {places[session.name]: session for session in changed})
    assert found is None or tuple(found) == entries()


def test_the_newest_session_of_the_newest_group_stays_when_it_grows() -> None:
    rows = list_entries(SESSIONS, here=frozenset(), home_group="", home="/home/ana", words="", everywhere=True)
    newest = max(SESSIONS, key=lambda session: session.last_activity_at or "")
    place = next(place for place, row in enumerate(rows) if isinstance(row, SessionRow) and row.session is newest)
    assert renewed(rows, {place: replace(newest, last_activity_at=later(at(0), 9999))}) is not None


async def test_one_that_grew_where_it_stands_costs_its_own_row_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    library = FakeLibrary(some_sessions())
    async with make_app(library).run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: has_read(pilot.app))
        desk = pilot.app.screen
        assert isinstance(desk, DeskScreen)
        rows = desk.query_one(SessionList)
        drawn: list[Entry] = []
        draw_row = rows.draw_row

        def noted(row: Entry, width: int, *, chosen: bool) -> Content:
            drawn.append(row)
            return draw_row(row, width, chosen=chosen)

        monkeypatch.setattr(rows, "draw_row", noted)
        monkeypatch.setattr(rows, "set_rows", None)  # nobody puts all of them in order again
        name = next(name for name, session in library.all.items() if session.state is State.LIVE)
        known = library.all[name]
        library.all[name] = replace(known, transcript=replace(known.transcript, bytes=known.transcript.bytes + 100))
        library.tell()
        await until(pilot, lambda: desk.sessions[name].transcript.bytes == library.all[name].transcript.bytes)
        await until(pilot, lambda: drawn)
        assert {row.session.name for row in drawn if isinstance(row, SessionRow)} == {name}
        assert [row for row in rows.rows if isinstance(row, SessionRow) and row.session == library.all[name]]
