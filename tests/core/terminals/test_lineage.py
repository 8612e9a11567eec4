"""Whose terminal is shown by what, from process tables."""

import pytest

from refloat.model.liveness import ProcessInfo
from refloat.terminals.lineage import server_kind, servers, trace
from refloat.testing.fakes import process

TMUX = process(10, "tmux: server", ["tmux", "new-session"], terminal=None)
SHELL = process(11, "bash", ["-bash"], ppid=10, terminal="pts/3")
AGENT = process(12, "claude", ppid=11, terminal="pts/3")


def rows(*more: ProcessInfo) -> dict[int, ProcessInfo]:
    return {row.pid: row for row in more}


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (TMUX, "tmux"),
        (process(1, "tmux", ["tmux", "-L", "work"], terminal=None), "tmux"),
        (process(1, "tmate: server", ["tmate"], terminal=None), "tmux"),
        (process(1, "screen", ["SCREEN", "-S", "work"], terminal=None), "screen"),
        (process(1, "zellij", ["/usr/bin/zellij", "--server", "/run/zellij/0.44.3/work"], terminal=None), "zellij"),
        (process(1, "tmux: client", ["tmux", "attach"], terminal="pts/1"), None),
        (process(1, "screen", ["screen", "-x"], terminal="pts/1"), None),
        (process(1, "zellij", ["zellij", "attach", "work"], terminal="pts/1"), None),
        (process(1, "claude", ["claude", "--server"], terminal=None), None),
        (process(1, "tmux: server", [], terminal=None, zombie=True), None),
    ],
)  # fmt: skip
def test_servers_are_told_from_their_clients(row: ProcessInfo, kind: str | None) -> None:
    assert server_kind(row) == kind


def test_what_a_server_started_tells_which_terminals_are_its_own() -> None:
    assert servers(rows(TMUX, SHELL, AGENT, process(20, "bash", terminal="pts/9"))) == {"pts/3": TMUX}


def test_the_line_ends_at_a_server() -> None:
    seen = trace(AGENT, rows(TMUX, SHELL, AGENT, process(1, "systemd", terminal=None)))
    assert seen.terminals == ("pts/3",)
    assert (seen.carrier, seen.through, seen.began) == (None, (), SHELL)


@pytest.mark.parametrize(
    ("holder", "named"), [("script", ()), ("sudo", ()), ("refloat", ()), ("holdpty", ("holdpty",))]
)
def test_a_holder_of_a_terminal_of_its_own_is_passed_and_an_unknown_one_is_named(
    holder: str, named: tuple[str]
) -> None:
    held = process(12, holder, ppid=11, terminal="pts/3")
    agent = process(13, "claude", ppid=12, terminal="pts/7")
    seen = trace(agent, rows(TMUX, SHELL, held, agent))
    assert seen.terminals == ("pts/7", "pts/3")
    assert seen.through == named
    assert seen.certain == (("pts/7",) if named else ("pts/7", "pts/3"))


@pytest.mark.parametrize(
    ("name", "title", "brings"),
    [
        ("kitty", "kitty", False),
        ("gnome-terminal-", "GNOME Terminal", False),
        ("sshd", "an SSH login", True),
        ("sshd-session", "an SSH login", True),
    ],
)
def test_a_window_or_a_login_ends_the_line(name: str, title: str, brings: bool) -> None:
    shows = process(30, name, [f"{name}: ana@pts/5"], ppid=11, terminal="pts/3" if not brings else None)
    shell = process(31, "bash", ppid=30, terminal="pts/5")
    agent = process(32, "claude", ppid=31, terminal="pts/5")
    seen = trace(agent, rows(TMUX, SHELL, shows, shell, agent))
    assert (seen.terminals, seen.carrier, seen.title, seen.brings) == (("pts/5",), shows, title, brings)
    assert seen.began is shell


def test_a_terminal_program_that_was_typed_into_this_terminal_does_not_show_it() -> None:
    agent = process(33, "claude", ppid=32, terminal="pts/3")
    seen = trace(agent, rows(TMUX, SHELL, process(32, "kitty", ppid=11, terminal="pts/3"), agent))
    assert seen.carrier is None
    assert seen.terminals == ("pts/3",)


def test_where_its_streams_lead_stands_for_a_terminal_that_it_does_not_lead() -> None:
    agent = process(12, "claude", ppid=1, terminal=None)
    assert trace(agent, rows(agent), "pts/3").terminals == ("pts/3",)
    assert trace(agent, rows(agent)).terminals == ()


def test_a_table_that_turns_in_a_circle_ends() -> None:
    one, two = process(40, "a", ppid=41, terminal="pts/1"), process(41, "b", ppid=40, terminal="pts/2")
    assert trace(one, rows(one, two)).terminals == ("pts/1", "pts/2")
