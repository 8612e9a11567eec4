"""The way to a pane through what somebody looks through already."""

from refloat.model.terminals import Client, Level, Pane, Server, Way
from refloat.terminals.route import find_levels, find_way


def tmux(pid: int, *panes: Pane, clients: tuple[Client, ...] = ()) -> Server:
    return Server("tmux", "tmux", f"/s{pid}", pid, panes, clients)


def pane(terminal: str, number: int, *, shown: bool = False) -> Pane:
    return Pane(terminal, "$0", f"@{number}", f"%{number}", shown=shown)


OUTER = tmux(1, pane("pts/1", 1, shown=True), pane("pts/2", 2), clients=(Client("pts/0", "$0"),))
"""Looked at from a plain terminal, pts/0."""
INNER = tmux(2, pane("pts/11", 1), pane("pts/12", 2), clients=(Client("pts/2", "$0"),))
"""Looked at from the outer one's second pane."""
LONELY = tmux(3, pane("pts/21", 1))
HOSTS = {"pts/1": OUTER, "pts/2": OUTER, "pts/11": INNER, "pts/12": INNER, "pts/21": LONELY}


def way(to: str, *own: str, in_tmux: bool = False) -> Way | None:
    return find_way(to, HOSTS, find_levels(own, HOSTS), in_tmux=in_tmux)


def test_levels_go_from_the_inside_out() -> None:
    assert find_levels(["pts/11"], HOSTS) == (Level(INNER, INNER.clients[0]), Level(OUTER, OUTER.clients[0]))
    assert find_levels(["pts/0"], HOSTS) == ()
    assert find_levels(["pts/7", "pts/21"], HOSTS) == (Level(LONELY, None),)


def test_from_a_plain_terminal_it_is_entered() -> None:
    found = way("pts/12", "pts/99")
    assert found is not None
    assert found.takes_terminal
    assert found.commands[0][-3:] == ("attach-session", "-t", "$0")


def test_a_stale_variable_does_not_keep_anybody_out() -> None:
    found = way("pts/12", "pts/99", in_tmux=True)
    assert found is not None
    assert found.commands[0][:4] == ("env", "-u", "TMUX", "tmux")


def test_from_inside_the_same_one_it_is_switched() -> None:
    found = way("pts/12", "pts/11")
    assert found is not None
    assert not found.takes_terminal
    assert found.commands == (("tmux", "-S", "/s2", "select-window", "-t", "$0:@2", ";", "select-pane", "-t", "%2"),)


def test_what_a_pane_of_this_one_looks_at_is_shown_there() -> None:
    found = way("pts/12", "pts/1")
    assert found is not None
    assert [command[2] for command in found.commands] == ["/s2", "/s1"]
    assert found.commands[-1][-1] == "%2"


def test_from_the_inner_one_to_the_outer_one_the_outer_one_is_switched() -> None:
    found = way("pts/1", "pts/12")
    assert found is not None
    assert [command[2] for command in found.commands] == ["/s1"]


def test_nobody_is_shown_inside_itself() -> None:
    assert way("pts/21", "pts/21") is None


def test_out_of_a_tmux_that_nobody_looks_at_there_is_no_way() -> None:
    assert way("pts/11", "pts/21") is None


def test_screen_and_zellij_are_entered_from_within_a_tmux() -> None:
    screen = Server("screen", "screen", "42.work", 42, (Pane("pts/31", "", "1", ""),))
    zellij = Server("zellij", "zellij", "work", 43, (Pane("pts/41", "", "", "terminal_2"),))
    hosts = {**HOSTS, "pts/31": screen, "pts/41": zellij}
    levels = find_levels(["pts/1"], hosts)
    first = find_way("pts/31", hosts, levels, in_tmux=True)
    second = find_way("pts/41", hosts, levels, in_tmux=True)
    assert first == Way((("screen", "-x", "42.work", "-p", "1"),), takes_terminal=True)
    assert second is not None
    assert second.commands[-1] == ("zellij", "attach", "--", "work")
    assert second.takes_terminal


def test_inside_a_zellij_its_panes_are_focused_and_other_sessions_switched_to() -> None:
    own = Server("zellij", "zellij", "own", 43, (Pane("pts/41", "", "", "terminal_2"), Pane("pts/42", "", "", "")))
    other = Server("zellij", "zellij", "other", 44, (Pane("pts/43", "", "", "terminal_0"),))
    hosts = {"pts/41": own, "pts/42": own, "pts/43": other}
    levels = find_levels(["pts/42"], hosts)
    assert find_way("pts/41", hosts, levels, in_tmux=False) == Way(
        (("zellij", "--session", "own", "action", "focus-pane-id", "terminal_2"),), takes_terminal=False
    )
    assert find_way("pts/42", hosts, levels, in_tmux=False) is None
    switched = find_way("pts/43", hosts, levels, in_tmux=False)
    assert switched is not None
    assert switched.commands[-1] == ("zellij", "--session", "own", "action", "switch-session", "--", "other")
    assert not switched.takes_terminal


def test_a_window_of_this_screen_whose_number_is_not_known_is_not_guessed() -> None:
    own = Server("screen", "screen", "42.work", 42, (Pane("pts/31", "", "", ""), Pane("pts/32", "", "0", "")))
    hosts = {"pts/31": own, "pts/32": own}
    assert find_way("pts/31", hosts, find_levels(["pts/32"], hosts), in_tmux=False) is None
    found = find_way("pts/32", hosts, find_levels(["pts/31"], hosts), in_tmux=False)
    assert found == Way((("screen", "-S", "42.work", "-X", "select", "0"),), takes_terminal=False)


def test_clients_that_look_at_each_other_end() -> None:
    one = tmux(5, pane("pts/51", 1), clients=(Client("pts/61", "$0"),))
    two = tmux(6, pane("pts/61", 1), clients=(Client("pts/51", "$0"),))
    found = find_way("pts/51", {"pts/51": one, "pts/61": two}, (), in_tmux=False)
    assert found is not None
    assert found.takes_terminal
