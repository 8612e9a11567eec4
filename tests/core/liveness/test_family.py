"""Which processes are of one tree, by the process table alone."""
# ruff: noqa: S106 - a start token is a start time, no password

from collections.abc import Sequence

from refloat.liveness.family import family_of
from refloat.model.liveness import ProcessInfo
from refloat.model.stopping import Kin
from refloat.testing.fakes import process

OWNER = process(100, "claude", started=1000.0, start_token="a", group=100, session=50)


def roles(
    rows: Sequence[ProcessInfo],
    *,
    head: ProcessInfo = OWNER,
    known: Sequence[Kin] = (),
    spared: frozenset[int] = frozenset(),
) -> dict[int, str]:
    table = {row.pid: row for row in rows}
    return {kin.process.pid: kin.role for kin in family_of([Kin(head, "owner")], table, known, spared)}


def test_what_it_started_and_what_that_started() -> None:
    child = process(101, "sh", ppid=100, started=1001.0)
    grandchild = process(102, "sleep", ppid=101, started=1002.0)
    stranger = process(103, "sleep", ppid=1, started=1002.0)
    assert roles([grandchild, OWNER, stranger, child]) == {100: "owner", 101: "child", 102: "child"}


def test_the_group_and_the_session_that_it_leads_with_their_children() -> None:
    leader = process(100, "claude", started=1000.0, start_token="a", group=100, session=100)
    tee = process(90, "tee", started=999.0, group=100, session=100)
    orphan = process(105, "server", started=1005.0, group=105, session=100)
    below = process(106, "worker", ppid=105, started=1006.0, group=106, session=106)
    assert roles([leader, tee, orphan, below], head=leader) == {
        100: "owner", 90: "group", 105: "session", 106: "child",
    }  # fmt: skip


def test_a_group_that_it_is_only_in_is_not_its_own() -> None:
    """A shell that runs it without job control leads that group, and other work is in it."""
    member = process(100, "claude", started=1000.0, start_token="a", group=50, session=50)
    shell = process(50, "sh", started=900.0, group=50, session=50)
    other = process(60, "make", ppid=50, started=950.0, group=50, session=50)
    assert roles([member, shell, other], head=member) == {100: "owner"}


def test_who_was_of_it_stays_of_it_when_its_parent_has_ended() -> None:
    adopted = process(101, "sh", ppid=1, started=1001.0, start_token="b")
    below = process(102, "sleep", ppid=101, started=1002.0)
    known = [Kin(process(101, "sh", ppid=100, started=1001.0, start_token="b"), "child")]
    assert roles([adopted, below], known=known) == {101: "child", 102: "child"}


def test_a_number_that_is_used_again_is_not_of_it() -> None:
    again = process(100, "vim", started=2000.0, start_token="z", group=100, session=100)
    in_its_group = process(110, "less", started=2001.0, group=100, session=100)
    child = process(111, "sh", ppid=100, started=2001.0)
    known = [Kin(process(101, "sh", started=1001.0, start_token="b"), "child")]
    used = process(101, "cc", started=2000.0, start_token="y")
    assert roles([again, in_its_group, child, used], known=known) == {}


def test_a_child_cannot_be_older_than_its_parent() -> None:
    """The parent's number was another's when the table was read."""
    assert roles([OWNER, process(70, "sh", ppid=100, started=500.0)]) == {100: "owner"}


def test_the_first_process_lends_nobody() -> None:
    """Its children are all whose own parent has ended, its group whatever a container runs."""
    first = process(1, "claude", started=1.0, start_token="i", group=1, session=1)
    rows = [first, process(40, "sshd", ppid=1, started=2.0), process(41, "sh", ppid=9, started=2.0, group=1, session=1)]
    assert roles(rows, head=first) == {}
    assert roles([OWNER, *rows], known=[Kin(first, "child")]) == {100: "owner"}


def test_zombies_and_what_refloat_comes_from_are_left_out() -> None:
    zombie = process(101, "sh", ppid=100, started=1001.0, zombie=True)
    shell = process(102, "bash", ppid=100, started=1001.0)
    refloat = process(103, "python", ppid=102, started=1002.0)
    assert roles([OWNER, zombie, shell, refloat], spared=frozenset({102, 103})) == {100: "owner"}
