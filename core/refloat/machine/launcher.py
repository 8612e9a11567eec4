"""Starts other programs for a person. Decides only how: no shell, no standard input, a time limit, the whole group."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from refloat.machine.programs import find_program
from refloat.ports import GitAnswer

if TYPE_CHECKING:
    from subprocess import Popen


def _quiet(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Variables with which a read-only question asks nobody for a password, opens no pager and starts no helper.

    git-config(1): `GIT_SSH_COMMAND`, `GIT_ASKPASS` and `GIT_PROXY_COMMAND` win over `core.sshCommand`, `core.askPass`
    and `core.gitProxy` of the checkout that it runs in. A person's own `GIT_SSH_COMMAND` stays.
    """
    own = environment.get("GIT_SSH_COMMAND") or environment.get("GIT_SSH")
    ssh = {} if own else {"GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=15"}
    return {
        **ssh,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_PROXY_COMMAND": "",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "GIT_OPTIONAL_LOCKS": "0",
        **dict.fromkeys(("GIT_PAGER", "PAGER", "GH_PAGER", "GLAB_PAGER", "SYSTEMD_PAGER", "MANPAGER"), "cat"),
        "AWS_PAGER": "",
        "GH_PROMPT_DISABLED": "1",
        "GH_NO_UPDATE_NOTIFIER": "1",
        "NO_PROMPT": "1",
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
        "TF_INPUT": "0",
        "TF_IN_AUTOMATION": "1",
        "CHECKPOINT_DISABLE": "1",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "NO_COLOR": "1",
    }


class SystemLauncher:
    """Programs of this machine, in the person's own environment."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._started: dict[int, Popen[bytes]] = {}

    def which(self, program: str) -> str | None:
        """The full path of a program, or None."""
        return find_program(program, self._environment)

    def run(self, argv: Sequence[str], cwd: Path, seconds: float) -> GitAnswer:
        """Run a program without input or prompts.

        After `seconds` it and its children are killed (code -9, `timed_out`). A program that cannot be started answers
        127 with the system's words.
        """
        import signal
        import subprocess

        program = self.which(argv[0])
        if program is None:
            return GitAnswer(127, b"", f"{argv[0]}: no such program on the path")
        try:
            child = subprocess.Popen(
                [program, *argv[1:]],
                cwd=cwd,
                env={**self._environment, **_quiet(self._environment)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as refused:
            return GitAnswer(127, b"", str(refused))
        with child:
            try:
                out, err = child.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                out, err = child.communicate()
                return GitAnswer(-signal.SIGKILL, out, err.decode("utf-8", "replace"), timed_out=True)
        return GitAnswer(child.returncode, out, err.decode("utf-8", "replace"))

    def start(self, argv: Sequence[str], cwd: Path, *, executable: str) -> int | None:
        """Start a program of our own in the background under the name `argv[0]`; its process number, or None.

        It has no terminal and no output; its input is a pipe that closes with this process, however that ends: a
        program that reads it (`cat`) cannot outlive a killed Refloat. It is started through a link of that name,
        gone again when this returns, so that the process table shows it under the name.
        """
        import subprocess

        program = self.which(executable)
        if program is None:
            return None
        with TemporaryDirectory(prefix="refloat-") as place:
            link = Path(place) / Path(argv[0]).name
            link.symlink_to(program)
            try:
                child = subprocess.Popen(
                    list(argv),
                    executable=link,
                    cwd=cwd,
                    env=dict(self._environment),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError:
                return None
        self._started[child.pid] = child
        return child.pid

    def end(self, pid: int) -> None:
        """End a program that `start` started, and wait for its end; of other process numbers it keeps off."""
        child = self._started.pop(pid, None)
        if child is not None:
            child.kill()
            if child.stdin is not None:
                child.stdin.close()
            child.wait()
