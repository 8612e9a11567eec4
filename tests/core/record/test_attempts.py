"""Attempts at one piece of work: on both engines, in a backup, and as chains."""

from dataclasses import replace
from pathlib import Path

from refloat.model.attempts import Attempt, chains_of
from refloat.model.saving import Runner
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp, later
from refloat.record.attempts import begin_attempt, end_attempt, find_attempts, link_child, note_process
from refloat.record.backup import back_up
from refloat.record.store import Record, open_record

NOW = Stamp("2026-09-14T14:00:00.000Z")
A, B, C, D = (SessionName(f"codex:{letter}") for letter in "abcd")
FIRST = Attempt("1", A, None, "new", "codex", "/src", "ada@here", "codex 'Read it'", "/data/b.md", "it hangs", NOW)


def test_an_attempt_is_kept_as_it_comes_to_be_known(record: Record) -> None:
    begin_attempt(record, FIRST)
    assert find_attempts(record) == (FIRST,)
    note_process(record, "1", Runner("here", 7, "100"))
    link_child(record, "1", B)
    link_child(record, "1", C)
    end_attempt(record, "1", later(NOW, 60), 130)
    end_attempt(record, "1", later(NOW, 90), 0)
    (kept,) = find_attempts(record)
    assert kept == replace(FIRST, child=B, runner=Runner("here", 7, "100"), ended=later(NOW, 60), exit_code=130), (
        "what is known stays"
    )


def test_words_that_no_engine_stores_do_not_stop_it(record: Record) -> None:
    begin_attempt(record, replace(FIRST, command="codex 'a\0b\udcff'"))
    assert "a\ufffdb" in find_attempts(record)[0].command


def test_a_backup_takes_attempts_along(record: Record, tmp_path: Path) -> None:
    begin_attempt(record, FIRST)
    (tmp_path / "to").mkdir()
    back_up(record, tmp_path / "to" / "record.db", NOW)
    with open_record(tmp_path / "to", NOW) as copy:
        assert find_attempts(copy) == (FIRST,)


def made(*links: tuple[SessionName, SessionName | None]) -> list[Attempt]:
    """One attempt a minute."""
    return [
        replace(FIRST, id=str(at), parent=parent, child=child, at=later(NOW, 60 * at))
        for at, (parent, child) in enumerate(links)
    ]


def test_a_chain_of_three() -> None:
    chains = chains_of(made((A, B), (B, C)))
    assert [(chains[name].n, chains[name].of) for name in (A, B, C)] == [(1, 3), (2, 3), (3, 3)]
    assert (chains[A].parent, chains[A].continued_by, chains[A].newest) == (None, B, C)
    assert (chains[B].parent, chains[B].continued_by, chains[B].previous, chains[B].following) == (A, C, A, C)
    assert (chains[C].parent, chains[C].continued_by, chains[C].following) == (B, None, None)


def test_two_attempts_from_one_session() -> None:
    chains = chains_of(made((A, B), (A, C), (B, D)))
    assert [chains[name].n for name in (A, B, C, D)] == [1, 2, 3, 4]
    assert chains[A].continued_by == C
    assert (chains[B].continued_by, chains[C].continued_by) == (D, None)


def test_what_makes_no_chain() -> None:
    assert chains_of(made((A, None), (B, B))) == {}, "not known yet, and the same session gone on with"
    assert chains_of([]) == {}


def test_no_circle() -> None:
    chains = chains_of(made((A, B), (B, C), (C, A), (D, B)))
    assert [name for name in chains if chains[name].parent is None] == [A]
