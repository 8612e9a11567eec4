"""What multiplexers answer, read; and the words that lead to a pane."""

import shlex

from hypothesis import given
from hypothesis import strategies as st

from refloat.model.terminals import Client, Pane, Server
from refloat.terminals import screen, tmux, zellij

ONE = Pane("pts/3", "$1", "@2", "%3", attached=1, activity=50, shown=True)
TWO = Pane("pts/3", "$4", "@2", "%3", attached=0, activity=10)
SERVER = Server("tmux", "tmux", "/run/s", 10, (ONE, TWO), (Client("pts/8", "$1", 7), Client("pts/9", "$9", 9)))


def test_panes_are_read_whatever_the_session_is_called() -> None:
    line = "/dev/pts/3|$1|@2|%3|2|1796026235|1|1|0|4|0|99|a|b:c.d -x"
    told = tmux.read_panes(f"{line}\n/dev/pts/4|$1|@2|%4|||||1||||dead\nnonsense\n/dev/pts/5|one|@2|%4|||||0||||x\n")
    assert told.pid == 99
    assert told.panes == (
        Pane("pts/3", "$1", "@2", "%3", 2, 1796026235, shown=True, words="session a|b:c.d -x, window 4, pane 0"),
    )


def test_formats_that_an_old_version_does_not_know_are_empty() -> None:
    told = tmux.read_panes("/dev/ttys003|$1|@2|%3|1||1|0||0|0||work\n")
    assert told.pid == 0
    assert (told.panes[0].activity, told.panes[0].shown) == (0, False)


@given(st.text())
def test_no_answer_breaks_the_reading(answer: str) -> None:
    assert all(pane.pane.startswith("%") for pane in tmux.read_panes(answer).panes)
    assert all(client.session.startswith("$") for client in tmux.read_clients(answer))


def test_terminals_that_look_are_read_and_pipes_are_not() -> None:
    assert tmux.read_clients("/dev/pts/8|$1|7\n|$1|9\n") == (Client("pts/8", "$1", 7),)


def test_of_several_terminals_the_one_that_sees_the_pane_and_was_typed_into_last_is_meant() -> None:
    looks = (
        Client("pts/5", "$4", 99),
        Client("pts/6", "$1", 20),
        Client("pts/7", "$1", 30),
        Client("pts/8", "$9", 100),
    )
    server = Server("tmux", "tmux", "/run/s", 10, (ONE, TWO), looks)
    assert [client.terminal for client in tmux.best_clients(server, server.panes)] == ["pts/7", "pts/6", "pts/5"]


def test_a_terminal_that_looks_at_a_session_with_the_window_stays_there() -> None:
    words = tmux.show(SERVER, SERVER.clients[0], SERVER.panes)
    assert words == ("tmux", "-S", "/run/s", "select-window", "-t", "$1:@2", ";", "select-pane", "-t", "%3")


def test_one_that_looks_elsewhere_is_switched_to_where_nobody_looks() -> None:
    words = tmux.show(SERVER, SERVER.clients[1], SERVER.panes)
    assert words[3:9] == ("switch-client", "-c", "/dev/pts/9", "-t", "$4", ";")
    assert tmux.enter(SERVER, SERVER.panes).commands[0][-2:] == ("-t", "$4")
    assert tmux.enter(SERVER, SERVER.panes).notes == ()
    assert tmux.enter(SERVER, [ONE]).notes == ("1 other terminal looks at that session, and will show the same",)


def test_leaving_for_another_server_goes_through_a_shell_and_nothing_breaks_out_of_it() -> None:
    own = Server("tmux", "tmux", "/run/o'x; $(id)", 11)
    way = tmux.leave_for(own, Client("pts/1", "$0"), ("tmux", "-S", "/a b'c", "attach-session", "-t", "$1"))
    line = way.commands[0][-1]
    assert way.commands[0][:-1] == ("tmux", "-S", "/run/o'x; $(id)", "detach-client", "-t", "/dev/pts/1", "-E")
    first, second = line.split("; exec ", 1)
    assert shlex.split(first) == ["env", "-u", "TMUX", "tmux", "-S", "/a b'c", "attach-session", "-t", "$1"]
    assert shlex.split(second) == ["env", "-u", "TMUX", "tmux", "-S", "/run/o'x; $(id)", "attach-session", "-t", "$0"]


def test_a_screen_session_is_found_by_its_process_and_may_be_called_anything() -> None:
    assert screen.session_of(42, ["/run/screen/S-ana/421.x", "/run/screen/S-ana/42.-x y:z"]) == "42.-x y:z"
    assert screen.session_of(4, ["/run/screen/S-ana/42.x"]) == ""
    assert [screen.window_of(told) for told in ({"WINDOW": "7"}, {"WINDOW": "x"}, {}, None)] == ["7", "", "", ""]


def test_ways_into_screen() -> None:
    server = Server("screen", "screen", "42.work", 42)
    pane = screen.pane("pts/5", "1")
    assert screen.enter(server, pane) == ("screen", "-x", "42.work", "-p", "1")
    assert screen.enter(server, screen.pane("pts/5", "")) == ("screen", "-x", "42.work")
    assert screen.show(server, pane) == ("screen", "-S", "42.work", "-X", "select", "1")
    hidden = Server("screen", "screen", "42.work", 42, directory="/home/ana/.screen")
    assert screen.enter(hidden, pane)[:3] == ("env", "SCREENDIR=/home/ana/.screen", "screen")


def test_a_zellij_session_is_named_by_its_socket() -> None:
    assert zellij.session_of(["/usr/bin/zellij", "--server", "/run/user/1000/zellij/0.44.3/shy-lion"]) == "shy-lion"
    assert zellij.session_of(["zellij", "--server"]) == ""
    assert zellij.session_of(["zellij"]) == ""


def test_ways_into_zellij_keep_a_name_from_being_an_option() -> None:
    server = Server("zellij", "zellij", "-work", 50)
    pane = zellij.pane("pts/6", {"ZELLIJ_PANE_ID": "4"})
    assert zellij.enter(server) == ("zellij", "attach", "--", "-work")
    assert zellij.focus(server, pane) == (("zellij", "--session", "-work", "action", "focus-pane-id", "terminal_4"),)
    assert zellij.focus(server, zellij.pane("pts/6", None)) == ()
    assert zellij.switch(server, "own") == ("zellij", "--session", "own", "action", "switch-session", "--", "-work")
