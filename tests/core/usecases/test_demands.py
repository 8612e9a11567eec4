"""What a search asks beside its words is answered by what is known, and read for no longer than a screen has."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.core.usecases.test_search import CLAUDE, Sessions, codex, rich, talk

from refloat.model.stamp import Stamp
from refloat.model.transcript import Item
from refloat.testing.claude_talk import ClaudeTalk
from refloat.usecases import named, search_sessions
from refloat.usecases.searchable import read_items


@pytest.fixture
def home(tmp_path: Path) -> Sessions:
    return Sessions(tmp_path)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The session of every item that is read."""
    seen: list[str] = []

    def read(*given: object, **more: object) -> Sequence[Item]:
        seen.append(str(given[2]))
        return read_items(*given, **more)  # pyright: ignore[reportArgumentType] - handed on as given

    monkeypatch.setattr(search_sessions, "read_items", read)
    return seen


def misleading(home: Sessions, number: int, rows: int) -> None:
    """A session whose steps name files and say `ledger`, though no file is called so."""
    made = talk(number)
    for at in range(rows):
        made.call("Read", f"toolu_{number}_{at}", file_path=f"/work/src/module_{at}.py")
        made.result(f"toolu_{number}_{at}", "from books import ledger\n")
    home.write(made)


def test_a_session_that_is_known_to_have_edited_a_file_is_not_read_for_it(home: Sessions, reads: list[str]):
    codex(home)
    assert home.search("importer", file="src/importer.py", limit=1).hits
    reads.clear()
    found = home.search("zzz", file="src/importer.py")
    assert (found.hits, found.more, reads) == ((), False, [])


@pytest.mark.parametrize(("each", "in_all"), [(3, 1000), (1000, -36)])
def test_where_it_takes_too_long_to_know_the_answer_says_that_there_may_be_more(
    home: Sessions, reads: list[str], monkeypatch: pytest.MonkeyPatch, each: int, in_all: int
):
    for number in range(1, 4):
        misleading(home, number, rows=8)
    assert (home.search("", file="ledger").hits, home.search("", file="ledger").more) == ((), False)
    monkeypatch.setattr(named, "_LOOKS", each)
    monkeypatch.setattr(named, "_FILES", in_all)
    reads.clear()
    found = home.search("", file="ledger", limit=2)
    assert (found.hits, found.more) == ((), True)
    assert len(reads) == (9 if each == 3 else 4)
    found = home.search("", file="ledger", limit=8)
    assert (found.hits, found.more) == ((), False), "who asks for more is told all of it"


def test_rows_that_cannot_name_a_file_or_be_a_command_are_not_read_for_it(home: Sessions, reads: list[str]):
    made = talk(1, prompt="The ledger, please")
    made.say("The ledger it is.")
    made.ran("cat notes", "a ledger")
    home.write(made)
    assert home.found("ledger")
    reads.clear()
    assert home.found("", file="ledger") == set()
    assert reads == []
    assert home.found("", command="ledger") == set()
    assert len(reads) == 1, "the command whose output says it"


def test_a_session_that_began_after_all_that_is_asked_for_is_read_last(home: Sessions, reads: list[str]):
    until = Stamp("2026-08-31T00:00:00.000Z")
    home.write(rich(1))
    late = ClaudeTalk(f"{CLAUDE}2", cwd="/work/billing")
    late.clock = 30 * 86_400
    late._made = 9000
    late.prompt("The importer again")
    late.clock = 0  # set back
    late.say("An importer of before.")
    late.clock = 30 * 86_400
    late.say("And the importer of now.")
    home.write(late)
    assert {name for name, _ in home.found("importer")} == {f"{CLAUDE}1", f"{CLAUDE}2"}
    reads.clear()
    found = home.search("importer", until=until)
    assert [hit.item for hit in found.hits if hit.session.session_id == f"{CLAUDE}2"] == [2]
    assert (found.more, reads[0], reads[-1]) == (False, f"{CLAUDE}1", f"{CLAUDE}2")
