"""Where things lie, the clock, the launcher, and the bundle of them all."""

import os
import pwd
import subprocess
import sys
import time
from pathlib import Path

import pytest

from refloat.machine import here, launcher
from refloat.machine.clock import SystemClock
from refloat.machine.launcher import SystemLauncher, run_program
from refloat.machine.mounts import Mount, mount_of, read_mounts
from refloat.machine.places import find_places
from refloat.machine.programs import find_program
from refloat.machine.real import real_machine
from refloat.model.stamp import seconds_of
from refloat.testing.fakes import fake_machine
from refloat.usecases.rescue import who


def test_places_follow_xdg_and_home() -> None:
    places = find_places({"HOME": "/h"})
    assert (places.home, places.cache, places.data, places.config) == (
        Path("/h"),
        Path("/h/.cache/refloat"),
        Path("/h/.local/share/refloat"),
        Path("/h/.config/refloat"),
    )


def test_a_person_has_one_name_as_the_login_set_it(tmp_path: Path) -> None:
    assert here.user({"USER": "ada", "LOGNAME": "other"}) == "ada"
    assert here.user({"USER": "", "LOGNAME": "ada"}) == "ada"
    assert here.user({}) == pwd.getpwuid(os.getuid()).pw_name
    nobody = fake_machine(tmp_path, environment={})
    assert who(nobody).partition("@")[0] == here.user({}), "a step and a lease of one person name one person"
    assert here.user_at_host({"USER": "ada"}) == f"ada@{os.uname().nodename}"


def test_a_relative_xdg_is_ignored_and_own_variables_win() -> None:
    places = find_places(
        {
            "HOME": "/h",
            "XDG_CACHE_HOME": "rel",
            "XDG_DATA_HOME": "/d",
            "REFLOAT_CONFIG_DIR": "~/c",
            "REFLOAT_DATA_DIR": "",
        }
    )
    assert (places.cache, places.data, places.config) == (Path("/h/.cache/refloat"), Path("/d/refloat"), Path("/h/c"))
    moved = find_places({"HOME": "/h", "REFLOAT_CACHE_DIR": "x/../y"})
    assert moved.cache == Path.cwd() / "y"


def test_without_home_the_user_table_counts() -> None:
    assert find_places({}).home.is_absolute()


def test_the_clock_tells_utc() -> None:
    assert abs(seconds_of(SystemClock().now()) - time.time()) < 5


def test_a_program_that_answers(tmp_path: Path) -> None:
    launcher = SystemLauncher(dict(os.environ))
    answer = launcher.run(["sh", "-c", "pwd; echo no >&2; cat; exit 3"], tmp_path, 20)
    assert (answer.code, answer.out, answer.err, answer.timed_out) == (3, f"{tmp_path}\n".encode(), "no\n", False)


def test_a_program_and_its_children_are_ended_in_time(tmp_path: Path) -> None:
    began = time.monotonic()
    answer = SystemLauncher(dict(os.environ)).run(["sh", "-c", "echo said; sleep 3600 & sleep 3600"], tmp_path, 0.3)
    assert answer.timed_out
    assert answer.out == b"said\n"
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("descriptors", [True, False])
def test_input_goes_in_and_much_comes_out_of_both_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, descriptors: bool
) -> None:
    if not descriptors:
        monkeypatch.setattr(launcher, "_has_descriptors", lambda: False)
    sent = bytes(range(256)) * 20_000
    answer = run_program(["/bin/sh", "-c", "cat; head -c 200000 /dev/zero >&2; exit 7"], {}, 60, stdin=sent)
    assert (answer.code, answer.out, len(answer.err), answer.timed_out) == (7, sent, 200_000, False)
    answer = run_program(["/bin/sh", "-c", "env; pwd; cat"], {"A": "b"}, 60, cwd=tmp_path)
    assert b"A=b\n" in answer.out
    assert b"HOME=" not in answer.out
    assert answer.out.endswith(f"{tmp_path}\n".encode())


@pytest.mark.parametrize("descriptors", [True, False])
def test_a_limit_ends_the_program_and_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, descriptors: bool
) -> None:
    if not descriptors:
        monkeypatch.setattr(launcher, "_has_descriptors", lambda: False)
    line = f"sleep 3600 & echo $! >{tmp_path}/child; echo said; wait"
    limit = 1.0
    while True:  # a slow machine takes longer to start a shell
        answer = run_program(["/bin/sh", "-c", line], {"PATH": os.environ["PATH"]}, limit)
        assert (answer.code, answer.timed_out) == (-9, True)
        if answer.out == b"said\n":
            break
        limit *= 2
        assert limit <= 64
    child = int((tmp_path / "child").read_text())
    until = time.monotonic() + 60
    while _runs(child):
        assert time.monotonic() < until
        time.sleep(0.01)
    assert run_program(["/no/such"], {}, 1.0).code == 127
    assert run_program(["/bin/sh", "-c", "kill -TERM $$"], {}, 60).code == -15


def _runs(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("argv", [["no-such-program"], ["./no-such"]])
def test_a_missing_program_is_an_answer(tmp_path: Path, argv: list[str]) -> None:
    assert SystemLauncher(dict(os.environ)).run(argv, tmp_path, 5).code == 127


def test_a_missing_directory_is_an_answer(tmp_path: Path) -> None:
    assert SystemLauncher(dict(os.environ)).run(["sh"], tmp_path / "no", 5).code == 127


def test_programs_are_never_found_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    (tmp_path / "tool").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find_program("tool", {"PATH": ":.:"}) is None
    assert find_program("tool", {"PATH": f".:{tmp_path}"}) == str(tmp_path / "tool")
    assert find_program("./tool", {"PATH": str(tmp_path)}) is None
    assert find_program(str(tmp_path / "tool"), {"PATH": ""}) == str(tmp_path / "tool")


@pytest.mark.parametrize("path", [".:{}", ":{}:", "sub:{}:."])
def test_what_a_program_starts_in_turn_is_not_found_where_it_stands(path: str, tmp_path: Path) -> None:
    (tmp_path / "ls").write_text("#!/bin/sh\necho hostile\n")
    (tmp_path / "ls").chmod(0o755)
    launcher = SystemLauncher({**os.environ, "PATH": path.format(os.environ["PATH"])})
    assert launcher.run(["sh", "-c", "ls"], tmp_path, 60).out == b"ls\n"


def test_mounts(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(
        "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "40 22 0:50 / /mnt/my\\040share rw,nosuid shared:1 - nfs4 host:/x rw\n"
        "41 40 0:51 / /mnt/my\\040share/in rw - tmpfs tmpfs rw\n"
        "42 22 0:52 / /mnt/my\\040share rw - fuse.sshfs host: rw\n"
        "torn line\n"
    )
    mounts = read_mounts(table)
    assert len(mounts) == 4
    assert mount_of(Path("/mnt/my share/a"), mounts) == Mount("/mnt/my share", "fuse.sshfs", "0:52")
    assert mount_of(Path("/mnt/my sharecropper"), mounts) == Mount("/", "ext4", "8:1")
    assert mount_of(Path("/x"), ()) is None
    assert read_mounts(tmp_path / "none") == ()
    assert Mount("/", "nfs", "0:1").remote
    assert not Mount("/", "tmpfs", "0:1").remote


def test_a_machine_loads_nothing_that_costs() -> None:
    code = (
        "import sys; from refloat.machine.real import real_machine; real_machine();"
        "print(sorted({'psutil','git','watchfiles','orjson','asyncio'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True,
        check=True,
    )
    assert answer.stdout.strip() == b"[]"


def test_the_machine_takes_its_environment(tmp_path: Path) -> None:
    machine = real_machine({"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})
    assert machine.places.home == tmp_path
    assert machine.launcher.which("sh")
    assert list(tmp_path.iterdir()) == []
