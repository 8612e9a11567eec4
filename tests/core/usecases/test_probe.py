"""The read-only look that a person said yes to: what is run, where, and what keeps it from running."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from refloat.errors import NotDone
from refloat.machine.git import HardenedGit
from refloat.machine.launcher import SystemLauncher
from refloat.ports import GitAnswer, Machine
from refloat.testing.fakes import FakeLauncher, fake_machine
from refloat.usecases.probe import plan_look, run_look

ASK = ("git", "ls-remote", "origin", "main")


def machine_with(tmp_path: Path, launcher: FakeLauncher) -> Machine:
    return replace(fake_machine(tmp_path), launcher=launcher)


def test_it_runs_where_the_action_ran(tmp_path: Path) -> None:
    launcher = FakeLauncher({"npm": "/bin/npm"}, {"npm": GitAnswer(0, b"1.0.0\n", "note\n")})
    machine = machine_with(tmp_path, launcher)
    look = plan_look(machine, ("npm", "view"), ("npm", "view"), str(tmp_path), Path("/"))
    said = run_look(machine, look, lambda text: text.replace("1.0.0", "***"))
    assert launcher.started == [(("npm", "view"), tmp_path)]
    assert (said.argv, said.code, said.out) == (("npm", "view"), 0, "***\nnote")
    gone = plan_look(machine, ("npm", "view"), ("npm", "view"), str(tmp_path / "gone"), tmp_path)
    assert gone.place == tmp_path


@pytest.mark.parametrize(
    ("exact", "shown", "why"),
    [
        (None, None, "No read-only command is known"),
        (("npm", "view", "token"), ("npm", "view", "***"), "holds a secret"),
        (("absent", "view"), ("absent", "view"), "absent is not installed here"),
    ],
)
def test_what_is_not_run(
    tmp_path: Path, exact: tuple[str, ...] | None, shown: tuple[str, ...] | None, why: str
) -> None:
    launcher = FakeLauncher({"npm": "/bin/npm"})
    machine = machine_with(tmp_path, launcher)
    look = plan_look(machine, exact, shown, None, tmp_path)
    assert why in (look.why_not or "")
    with pytest.raises(NotDone):
        run_look(machine, look, str)
    assert launcher.started == []


def test_an_answer_that_did_not_come_in_time_is_told(tmp_path: Path) -> None:
    launcher = FakeLauncher({"npm": "/bin/npm"}, {"npm": GitAnswer(-9, b"half", "", timed_out=True)})
    machine = machine_with(tmp_path, launcher)
    said = run_look(machine, plan_look(machine, ("npm",), ("npm",), None, tmp_path), str)
    assert said.out == "no answer within 20 s\nhalf"


def test_an_answer_is_masked_before_it_is_cut(tmp_path: Path) -> None:
    launcher = FakeLauncher(
        {"npm": "/bin/npm"}, {"npm": GitAnswer(0, b"x" * 1_990 + b"SECRETSECRETSECRET" + b"y" * 99, "")}
    )
    machine = machine_with(tmp_path, launcher)
    look = plan_look(machine, ("npm",), ("npm",), None, tmp_path)
    said = run_look(machine, look, lambda text: text.replace("SECRETSECRETSECRET", "***"))
    assert "SECRET" not in said.out
    assert len(said.out) <= 2_010


# ── real git ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def real(tmp_path: Path, **extra: str) -> Machine:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", **extra}
    machine = fake_machine(tmp_path, environment=environment)
    return replace(machine, git=HardenedGit(machine.places), launcher=SystemLauncher(environment))


def git(directory: Path, *words: str) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(directory.parent),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        **{f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    subprocess.run(["git", *words], cwd=directory, env=environment, check=True, capture_output=True)


@pytest.fixture
def pushed(tmp_path: Path) -> Path:
    """A checkout whose `main` stands at its remote."""
    (tmp_path / "far").mkdir()
    git(tmp_path / "far", "init", "-q", "--bare", "-b", "main")
    here = tmp_path / "here"
    here.mkdir()
    git(here, "init", "-q", "-b", "main")
    git(here, "commit", "-q", "--allow-empty", "-m", "a")
    git(here, "remote", "add", "origin", "../far")
    git(here, "push", "-q", "origin", "main")
    return here


def test_a_push_is_told_back_by_its_remote(tmp_path: Path, pushed: Path) -> None:
    machine = real(tmp_path)
    said = run_look(machine, plan_look(machine, ASK, ASK, str(pushed), tmp_path), str)
    assert said.code == 0
    assert said.out.endswith("refs/heads/main")


@pytest.mark.parametrize(
    "setting",
    ["credential.helper", "credential.https://example.org.helper", "remote.origin.uploadpack", "remote.origin.vcs"],
)
def test_a_checkout_that_would_start_a_program_is_not_asked(tmp_path: Path, pushed: Path, setting: str) -> None:
    git(pushed, "config", setting, f"!touch {tmp_path}/ran")
    machine = real(tmp_path)
    look = plan_look(machine, ASK, ASK, str(pushed), tmp_path)
    assert setting in (look.why_not or "")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("setting", "value", "url"),
    [
        ("core.sshCommand", "touch {ran}; false", "ssh://a@127.0.0.1:1/x"),
        ("core.askPass", "{script}", "http://127.0.0.1:1/x"),
        ("core.gitProxy", "{script}", "git://127.0.0.1:1/x"),
        ("core.pager", "touch {ran}", "../far"),
        ("core.fsmonitor", "{script}", "../far"),
        ("protocol.ext.allow", "always", "ext::touch {ran}"),
        ("alias.ls-remote", "!touch {ran}", "../far"),
    ],
)
def test_what_a_hostile_checkout_names_is_not_run(
    tmp_path: Path, pushed: Path, setting: str, value: str, url: str
) -> None:
    ran, script = tmp_path / "ran", tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(0o755)
    git(pushed, "config", setting, value.format(ran=ran, script=script))
    git(pushed, "remote", "set-url", "origin", url.format(ran=ran))
    machine = real(tmp_path)
    run_look(machine, plan_look(machine, ASK, ASK, str(pushed), tmp_path), str)
    assert not ran.exists()


def test_nobody_is_asked_for_a_password(tmp_path: Path) -> None:
    show = tmp_path / "show"
    show.write_text("#!/bin/sh\nenv\ncat\n")
    show.chmod(0o755)
    machine = real(tmp_path, SSH_ASKPASS="/bin/echo", GIT_PAGER="less")
    told = run_look(machine, plan_look(machine, (str(show),), (str(show),), None, tmp_path), str).out.splitlines()
    wanted = (
        "GIT_TERMINAL_PROMPT=0",
        "GIT_ASKPASS=",
        "SSH_ASKPASS=",
        "SSH_ASKPASS_REQUIRE=never",
        "GH_PROMPT_DISABLED=1",
    )
    for line in (*wanted, "GIT_PAGER=cat", "GIT_SSH_COMMAND=ssh -oBatchMode=yes -oConnectTimeout=15"):
        assert line in told
    own = real(tmp_path, GIT_SSH_COMMAND="ssh -i key")
    assert (
        "GIT_SSH_COMMAND=ssh -i key"
        in run_look(own, plan_look(own, (str(show),), (str(show),), None, tmp_path), str).out.splitlines()
    )
