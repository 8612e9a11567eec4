"""Going to real agents in real tmux, screen and ptys: what a person's terminal shows afterwards is what counts."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.standin.agent import Standin, until
from tests.standin.terminals import Screen, Tmux, Window, refloat, surroundings, telling

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="terminals of Linux")


def ask(home: Path, *words: str, **more: str) -> tuple[int, str, str]:
    """Run refloat without a terminal, also where the tests themselves have one."""
    done = subprocess.run(
        refloat(*words),
        capture_output=True,
        text=True,
        check=False,
        env=surroundings(home, **more),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    return done.returncode, done.stdout, done.stderr


def plan(home: Path, session: str, *words: str, **more: str) -> dict[str, object]:
    _, out, err = ask(home, "attach", session, "--json", "--dry-run", *words, **more)
    assert out, err
    return json.loads(out)


def pane_of(tmux: Tmux, agent: Standin) -> str:
    """The pane that an agent runs in."""
    rows = tmux.do("list-panes", "-a", "-F", "#{pane_tty} #{pane_id}").splitlines()
    tty = os.path.realpath(f"/proc/{agent.pid}/fd/0")
    return next(row.split(" ")[1] for row in rows if row.split(" ")[0] == tty)


# ── tmux ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_from_outside_a_terminal_becomes_one_that_shows_the_pane(tmp_path: Path) -> None:
    with Tmux(tmp_path) as tmux, Standin(tmp_path, wrapper=tmux.wrapper()) as agent:
        pane = pane_of(tmux, agent)
        other = tmux.new("split-window", "-t", pane)
        tmux.do("select-pane", "-t", other)
        tmux.do("resize-pane", "-Z", "-t", other)
        with Window(refloat("attach", agent.session_id), surroundings(tmp_path)) as window:
            until(lambda: window.terminal in tmux.clients(), "the terminal")
            until(lambda: tmux.seen(window.terminal) == f"$0 {pane}", "the pane")
            tmux.do("detach-client", "-t", window.terminal)
            assert window.wait() == 0


def test_the_plan_names_ids_alone_and_changes_nothing(tmp_path: Path) -> None:
    with Tmux(tmp_path) as tmux, Standin(tmp_path, wrapper=tmux.wrapper()) as agent:
        pane = pane_of(tmux, agent)
        before = tmux.panes()
        told = plan(tmp_path, agent.session_id)
        session, window, _ = next(row.split() for row in before if row.endswith(f" {pane}"))
        assert told["command"] == [
            "tmux", "-S", str(tmux.socket), "select-window", "-t", f"{session}:{window}", ";",
            "select-pane", "-t", pane, ";", "attach-session", "-t", session,
        ]  # fmt: skip
        assert told["refused"] is None
        assert told["workspace"] == str(agent.workspace)
        place = told["place"]
        assert isinstance(place, dict)
        assert (place["kind"], place["server"], place["pane"], place["pid"]) == (
            "tmux",
            str(tmux.socket),
            pane,
            agent.pid,
        )
        assert tmux.panes() == before
        assert tmux.clients() == []


def test_from_inside_the_same_tmux_the_view_is_switched(tmp_path: Path) -> None:
    with Tmux(tmp_path) as tmux:
        tmux.new("new-session", "-s", "other: one")
        with Standin(tmp_path, wrapper=tmux.wrapper("new-window", "-t", "$1")) as agent, tmux.look("$0") as window:
            code, said = tmux.run("attach", agent.session_id)
            assert code == 0, said
            assert tmux.seen(window.terminal) == f"$1 {pane_of(tmux, agent)}"
            assert tmux.clients() == [window.terminal]


def test_a_window_that_is_linked_here_is_shown_here(tmp_path: Path) -> None:
    with Tmux(tmp_path) as tmux:
        tmux.new("new-session", "-s", "other")
        with Standin(tmp_path, wrapper=tmux.wrapper("new-window", "-t", "$1")) as agent, tmux.look("$0") as window:
            pane = pane_of(tmux, agent)
            tmux.do("link-window", "-d", "-s", pane, "-t", "$0:9")
            code, said = tmux.run("attach", agent.session_id)
            assert code == 0, said
            assert tmux.seen(window.terminal) == f"$0 {pane}"


def test_of_a_group_of_sessions_the_one_that_nobody_looks_at_is_taken(tmp_path: Path) -> None:
    with Tmux(tmp_path) as tmux, Standin(tmp_path, wrapper=tmux.wrapper()) as agent:
        tmux.do("new-session", "-d", "-t", "$0")
        with tmux.look("$0") as other:
            before = tmux.seen(other.terminal)
            with Window(refloat("attach", agent.session_id), surroundings(tmp_path)) as window:
                until(
                    lambda: tmux.seen(window.terminal) == f"$1 {pane_of(tmux, agent)}", "the pane in the other session"
                )
                assert tmux.seen(other.terminal) == before


def test_where_somebody_else_looks_too_it_is_said(tmp_path: Path) -> None:
    with Tmux(tmp_path) as tmux, Standin(tmp_path, wrapper=tmux.wrapper()) as agent, tmux.look():
        assert "1 other terminal looks at that session, and will show the same" in str(
            plan(tmp_path, agent.session_id)["notes"]
        )


def test_from_another_tmux_its_terminal_goes_over_and_comes_back(tmp_path: Path) -> None:
    with (
        Tmux(tmp_path, "own") as own,
        Tmux(tmp_path) as tmux,
        Standin(tmp_path, wrapper=tmux.wrapper()) as agent,
        own.look() as window,
    ):
        code, said = own.run("attach", agent.session_id)
        assert code == 0, said
        assert "comes back" in said
        until(lambda: window.terminal in tmux.clients(), "the terminal at the other tmux")
        until(lambda: tmux.seen(window.terminal) == f"$0 {pane_of(tmux, agent)}", "the pane")
        assert own.clients() == []
        tmux.do("detach-client", "-t", window.terminal)
        until(lambda: own.clients() == [window.terminal], "the way back")


def test_an_agent_in_a_tmux_that_is_shown_in_this_one_is_shown_there(tmp_path: Path) -> None:
    with Tmux(tmp_path, "outer") as outer, Tmux(tmp_path, "inner") as inner:
        shows = outer.do(
            "new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "$0",
            f"env -u TMUX TERM=screen tmux -S {inner.socket} attach-session -t '$0'",
        )  # fmt: skip
        until(lambda: len(inner.clients()) == 1, "the inner terminal")
        with Standin(tmp_path, wrapper=inner.wrapper()) as agent, outer.look() as window:
            code, said = outer.run("attach", agent.session_id)
            assert code == 0, said
            assert outer.seen(window.terminal) == f"$0 {shows}"
            assert inner.seen(inner.clients()[0]) == f"$0 {pane_of(inner, agent)}"


def test_a_program_that_holds_a_terminal_of_its_own_is_passed(tmp_path: Path) -> None:
    if shutil.which("script") is None:
        pytest.skip("script is not installed")
    line = 'exec script -q -c "$(printf "%q " "$@")" /dev/null'
    with Tmux(tmp_path) as tmux, Standin(tmp_path, wrapper=[*tmux.wrapper(), "bash", "-c", line, "bash"]) as agent:
        place = plan(tmp_path, agent.session_id)["place"]
        assert isinstance(place, dict)
        assert place["pane"] in {row.split(" ")[2] for row in tmux.panes()}
        assert place["terminal"] != os.path.realpath(f"/proc/{agent.pid}/fd/0").removeprefix("/dev/")


def test_a_window_opened_from_a_pane_is_not_in_that_pane(tmp_path: Path) -> None:
    emulator = tmp_path / "bin" / "xterm"
    emulator.parent.mkdir()
    emulator.symlink_to(Path(sys.executable).resolve())
    opens = [str(emulator), "-c", "import pty, sys; pty.spawn(sys.argv[1:])"]
    with Tmux(tmp_path) as tmux, Standin(tmp_path, wrapper=[*tmux.wrapper(), *opens]) as agent:
        told = plan(tmp_path, agent.session_id)
        place, refused = told["place"], told["refused"]
        assert isinstance(place, dict)
        assert isinstance(refused, dict)
        assert place["kind"] == "elsewhere"
        assert str(place["program"]).startswith("xterm (process ")
        assert f"refloat stop {agent.session}" in str(refused["why"])


def test_a_server_without_its_socket_is_told_with_what_brings_it_back(tmp_path: Path) -> None:
    with Tmux(tmp_path) as tmux, Standin(tmp_path, wrapper=tmux.wrapper()) as agent:
        tmux.socket.unlink()
        code, out, err = ask(tmp_path, "attach", agent.session_id)
        assert (code, out) == (1, "")
        assert f"kill -USR1 {tmux.pid}" in err
        os.kill(tmux.pid, signal.SIGUSR1)
        until(tmux.socket.exists, "the socket")
        assert plan(tmp_path, agent.session_id)["refused"] is None


def test_a_server_that_is_stopped_is_not_waited_for(tmp_path: Path) -> None:
    with Tmux(tmp_path) as tmux, Standin(tmp_path, wrapper=tmux.wrapper()) as agent:
        os.kill(tmux.pid, signal.SIGSTOP)
        code, _, err = ask(tmp_path, "attach", agent.session_id)
        os.kill(tmux.pid, signal.SIGCONT)
        assert code == 1
        assert "does not answer" in err


def test_peeking_shows_the_screen_masked_and_inert_and_switches_nothing(tmp_path: Path) -> None:
    token = "gh" + "p_" + "a1B2c3D4e5" * 4
    with Tmux(tmp_path) as tmux, Standin(tmp_path, wrapper=tmux.wrapper()) as agent, tmux.look() as window:
        pane, before = pane_of(tmux, agent), tmux.seen(window.terminal)
        Path(os.path.realpath(f"/proc/{agent.pid}/fd/0")).write_text(f"key {token}\r\n\u202egnipeek\r\n")
        until(lambda: "key" in tmux.do("capture-pane", "-p", "-t", pane), "the text")
        code, out, err = ask(tmp_path, "attach", agent.session_id, "--peek")
        assert code == 0, err
        assert token not in out
        assert out.startswith("key ")
        assert "\u202e" not in out
        _, said, _ = ask(tmp_path, "attach", agent.session_id, "--peek", "--json")
        told = json.loads(said)
        assert token not in said
        assert told["screen"][0].startswith("key ")
        assert tmux.seen(window.terminal) == before


def test_a_suspended_agent_is_said_to_be_suspended(tmp_path: Path) -> None:
    # tmux lets what it started itself go on at once; a shell in between leaves its jobs alone.
    shell = ["sh", "-c", '"$@"; exec cat', "sh"]
    with Tmux(tmp_path) as tmux, Standin(tmp_path, wrapper=[*tmux.wrapper(), *shell]) as agent:
        agent.suspend()
        told = plan(tmp_path, agent.session_id)
        assert told["refused"] is None
        assert f"process {agent.pid} is suspended" in str(told["notes"])
        os.kill(agent.pid, signal.SIGCONT)


# ── screen ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_from_outside_a_terminal_joins_the_screen_session_at_the_window(tmp_path: Path) -> None:
    with Screen(tmp_path) as session, Standin(tmp_path, wrapper=session.wrapper()) as agent:
        session.do("-S", session.address, "-X", "select", "0")
        told = plan(tmp_path, agent.session_id)
        assert told["command"] == ["env", f"SCREENDIR={session.directory}", "screen", "-x", session.address, "-p", "1"]
        with Window(refloat("attach", agent.session_id), surroundings(tmp_path)) as window:
            until(lambda: "1*" in session.windows, "the window")
            session.do("-S", session.address, "-X", "detach")
            assert window.wait() == 0


def test_a_window_that_was_renumbered_is_not_guessed(tmp_path: Path) -> None:
    with Screen(tmp_path) as session, Standin(tmp_path, wrapper=session.wrapper()) as agent:
        session.do("-S", session.address, "-p", "1", "-X", "number", "5")
        until(lambda: "5" in session.windows, "the new number")
        told = plan(tmp_path, agent.session_id)
        assert told["command"] == ["env", f"SCREENDIR={session.directory}", "screen", "-x", session.address]
        assert "renumbered" in str(told["place"])


def test_peeking_into_a_screen_session(tmp_path: Path) -> None:
    with Screen(tmp_path) as session, Standin(tmp_path, wrapper=session.wrapper()) as agent:
        Path(os.path.realpath(f"/proc/{agent.pid}/fd/0")).write_text("round and round\r\n")
        code, out, err = ask(tmp_path, "attach", agent.session_id, "--peek")
        assert code == 0, err
        assert out.startswith("round and round\n")


def test_from_inside_the_same_screen_session_the_window_is_selected(tmp_path: Path) -> None:
    with Screen(tmp_path) as session, Standin(tmp_path, wrapper=session.wrapper()) as agent:
        script = tmp_path / "script"  # screen itself would expand what stands on its command line
        script.write_text(f"{telling(shlex.join(refloat('attach', agent.session_id)), tmp_path)}\nexec cat\n")
        given = surroundings(tmp_path)
        ours = [f"{name}={text}" for name, text in given.items() if name.startswith(("HOME", "REFLOAT", "PYTHONPATH"))]
        with Window(["screen", "-x", session.address, "-p", "0"], session.environment):
            until(lambda: "0*" in session.windows, "a terminal that looks at it")
            session.do("-S", session.address, "-X", "screen", "env", *ours, "sh", str(script))
            until((tmp_path / "code").exists, "the end of refloat")
            assert (tmp_path / "code").read_text().strip() == "0", (tmp_path / "out").read_text()
            until(lambda: "1*" in session.windows, "the window")


# ── zellij, by a stand-in that is called as it is ────────────────────────────────────────────────────────────────────


def test_a_pane_of_zellij_is_focused_peeked_at_and_entered(tmp_path: Path) -> None:
    server, client, told = tmp_path / "server" / "zellij", tmp_path / "client" / "zellij", tmp_path / "told"
    for program in (server, client):
        program.parent.mkdir()
    server.symlink_to(Path(sys.executable).resolve())
    client.write_text(f'#!/bin/sh\necho "$*" >>{told}\ncase "$*" in *dump-screen*) echo from the pane;; esac\n')
    client.chmod(0o755)
    opens = "import os, pty, sys; os.setsid(); os.environ['ZELLIJ_PANE_ID'] = '3'; pty.spawn(sys.argv[3:])"
    serves = [str(server), "-c", opens, "--server", str(tmp_path / "0.44.3" / "-shy lion")]
    path = os.pathsep.join((str(client.parent), os.environ["PATH"]))
    with Standin(tmp_path, wrapper=serves) as agent:
        code, out, err = ask(tmp_path, "attach", agent.session_id, "--peek", PATH=path)
        assert (code, out) == (0, "from the pane\n"), err
        told.unlink()
        with Window(refloat("attach", agent.session_id), surroundings(tmp_path, PATH=path)) as window:
            assert window.wait() == 0
        focus = "--session -shy lion action focus-pane-id terminal_3"
        assert told.read_text().splitlines() == [focus, "attach -- -shy lion"]


# ── where nothing leads there ────────────────────────────────────────────────────────────────────────────────────────


def test_a_dropped_connection_leaves_a_process_without_its_terminal(tmp_path: Path) -> None:
    with Standin(tmp_path, where="pty", signals={"SIGHUP": "ignore"}) as agent:
        agent.close_terminal()
        agent.wait_for("SIGHUP")
        code, _, err = ask(tmp_path, "attach", agent.session_id)
        assert code == 1
        assert "is gone (a dropped connection or a closed window)" in err
        assert f"`refloat stop {agent.session}` ends it" in err


def test_a_killed_login_leaves_what_ignores_its_hangup(tmp_path: Path) -> None:
    login = tmp_path / "bin" / "sshd"
    login.parent.mkdir()
    login.symlink_to(Path(sys.executable).resolve())
    plays = [str(login), "-c", "import pty, sys; pty.spawn(['sh', '-c', '\"$@\"; :', 'sh', *sys.argv[1:]])"]
    came = {"SSH_CONNECTION": "203.0.113.7 50022 10.0.0.2 22"}
    with Standin(tmp_path, wrapper=plays, signals={"SIGHUP": "ignore"}, environment=came) as agent:
        told = plan(tmp_path, agent.session_id)
        place = told["place"]
        assert isinstance(place, dict)
        assert (told["command"], place["kind"], place["from"]) == (None, "elsewhere", "203.0.113.7")
        assert str(place["program"]).startswith("an SSH login (process ")
        assert place["terminal"] == os.path.realpath(f"/proc/{agent.pid}/fd/0").removeprefix("/dev/")
        assert place["since"]
        agent._child_process.kill()
        agent.wait_for("SIGHUP")
        code, _, err = ask(tmp_path, "attach", agent.session_id)
        assert code == 1
        assert f"its terminal {place['terminal']} is gone (a dropped connection or a closed window)" in err
        assert f"process {agent.pid} lives on" in err


def test_without_a_terminal(tmp_path: Path) -> None:
    with Standin(tmp_path, where="orphan") as agent:
        code, _, err = ask(tmp_path, "attach", agent.session_id)
        assert code == 1
        assert "without a terminal, taken over by process 1" in err


def test_a_session_whose_process_is_gone_has_no_place(tmp_path: Path) -> None:
    with Standin(tmp_path) as agent:
        agent.end()
        told = plan(tmp_path, agent.session_id)
        assert told["place"] is None
        assert told["command"] is None
        assert told["refused"] is not None
