"""What the system tells of terminals: real streams, sockets and files, and login records as systems write them."""

import os
import pty
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from tests.core.machine.conftest import Starter, until

from refloat.machine.terminals import SystemTerminals, read_unix
from refloat.machine.wtmp import read_logins
from refloat.model.stamp import Stamp
from refloat.model.terminals import Login

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
TERMINALS = SystemTerminals(ENVIRONMENT)
TABLE = b"""Num       RefCount Protocol Flags    Type St Inode Path
00000000b205008c: 00000002 00000000 00010000 0001 01 21685 /tmp/tmux-0/a b
00000000b205008d: 00000002 00000000 00010000 0001 01 21686 @abstract
00000000b205008e: 00000003 00000000 00000000 0001 03 21685 /tmp/tmux-0/connected
00000000b205008f: 00000002 00000000 00010000 0001 01 21699 /tmp/tmux-0/other
0000000000000000: 00000002 00000000 00010000 0001 01 21685
"""


def test_sockets_that_wait_for_others() -> None:
    assert read_unix(TABLE, {"21685", "21686"}) == ("/tmp/tmux-0/a b",)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_where_streams_lead(claude: Starter) -> None:
    ours, theirs = pty.openpty()
    name = os.ttyname(theirs)
    child = claude(stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, start_new_session=True)
    os.close(theirs)
    assert tuple(TERMINALS.streams(child.pid)) == (name, "/dev/null")
    os.close(ours)
    until(lambda: f"{name} (deleted)" in TERMINALS.streams(child.pid), "the end of the terminal")
    child.kill()
    child.wait()
    assert tuple(TERMINALS.streams(child.pid)) == ()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_process_that_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as near:
        server.bind("near")  # as `tmux -S near` does
        near.bind(str(tmp_path / "bound"))
        server.listen()
        assert tuple(TERMINALS.sockets_of(os.getpid())) == (str(tmp_path / "near"),)
        assert tuple(TERMINALS.sockets_in(str(tmp_path))) == (str(tmp_path / "bound"), str(tmp_path / "near"))
    assert tuple(TERMINALS.sockets_of(0)) == ()
    assert tuple(TERMINALS.sockets_in(str(tmp_path / "nowhere"))) == ()
    assert tuple(TERMINALS.sockets_in("nul\0")) == ()


def test_only_sockets_and_pipes_of_this_user_are_its_own(tmp_path: Path) -> None:
    plain, pipe, link = tmp_path / "plain", tmp_path / "pipe", tmp_path / "link"
    plain.touch()
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    assert [TERMINALS.is_own(str(path)) for path in (plain, pipe, link, tmp_path / "none")] == [
        False,
        True,
        False,
        False,
    ]
    if os.getuid() == 0:
        os.chown(pipe, 65534, 65534)
        assert not TERMINALS.is_own(str(pipe))


def test_what_another_program_writes_is_read_when_it_is_there() -> None:
    def write(path: str) -> None:
        Path(path).write_bytes(b"screen\n")

    assert TERMINALS.written(write) == b"screen\n"
    places: list[Path] = []

    def note(path: str) -> None:
        places.append(Path(path).parent)
        assert places[0].stat().st_mode & 0o777 == 0o700

    assert TERMINALS.written(note) is None
    assert not places[0].exists()


def test_another_program_runs_to_its_end_or_is_not_found() -> None:
    assert TERMINALS.converse(["sh", "-c", "exit 7"]) == 7
    assert TERMINALS.converse(["no-such-program"]) == 127
    assert TERMINALS.replace(["no-such-program"]) == "no such program on the path"


def test_becoming_another_program_keeps_what_was_printed(tmp_path: Path) -> None:
    code = (
        "import os; from refloat.machine.terminals import SystemTerminals; print('before');"
        "SystemTerminals(dict(os.environ)).replace(['sh', '-c', 'echo after; exit 5'])"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(root / "core")},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (5, "before\nafter\n")


def test_users_have_names_or_numbers() -> None:
    assert TERMINALS.user(0) == "root"
    assert TERMINALS.user(4_000_000_001) == "4000000001"


@pytest.mark.parametrize("form", ["<hxxi32s4s32s256shhiii16s20s", "<hxxi32s4s32s256shhqqq16s20s4x"])
def test_who_is_logged_in(form: str, tmp_path: Path) -> None:
    def row(kind: int, line: bytes, user: bytes, host: bytes) -> bytes:
        return struct.pack(form, kind, 7, line, b"id", user, host, 0, 0, 1, 1_789_387_200, 0, b"", b"")

    path = tmp_path / "utmp"
    path.write_bytes(
        row(2, b"~", b"reboot", b"6.1") + row(7, b"pts/3", b"ana", b"laptop.example") + row(8, b"pts/4", b"", b"")
    )
    assert read_logins(path) == (Login("pts/3", "ana", "laptop.example", Stamp("2026-09-14T12:00:00.000Z")),)
    assert read_logins(tmp_path / "none") == ()
