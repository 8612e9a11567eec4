"""A tmux window: what goes along, what does not, and what is told where none opens."""

from pathlib import Path

import pytest

from refloat.errors import NotDone, UsageError
from refloat.ports import GitAnswer
from refloat.testing.fakes import FakeLauncher, fake_machine
from refloat.usecases.open_window import LONGEST, open_window

WORDS = ("refloat", "continue", "codex:1", "--", "-x")
TMUX = {"tmux": "/usr/bin/tmux"}
INSIDE = {"TMUX": "/tmp/tmux-0/default,1,0"}


def test_it_says_where_and_takes_along_what_finds_the_session(tmp_path: Path) -> None:
    launcher = FakeLauncher(TMUX, {"tmux": GitAnswer(0, b"work:3\n", "")})
    environment = {"CODEX_HOME": "/c", "REFLOAT_DATA_DIR": "/d", "ANTHROPIC_API_KEY": "sk"}
    machine = fake_machine(tmp_path, launcher=launcher, environment=environment)
    assert open_window(machine, WORDS, "work", "codex") == "work:3"
    ((argv, _),) = launcher.started
    assert argv[argv.index("-t") + 1] == "=work:"
    assert argv[-len(WORDS) - 1 :] == ("--", *WORDS)
    told = [word.partition("=")[0] for at, word in enumerate(argv) if argv[at - 1] == "-e"]
    assert told == ["CODEX_HOME", "HOME", "PATH", "REFLOAT_DATA_DIR"], "what may hold a secret stays out of the words"


def test_without_a_name_it_is_the_session_that_one_sits_in(tmp_path: Path) -> None:
    launcher = FakeLauncher(TMUX, {"tmux": GitAnswer(0, b"here:1\n", "")})
    open_window(fake_machine(tmp_path, launcher=launcher, environment=INSIDE), WORDS, "", "codex")
    assert "-t" not in launcher.started[0][0]
    with pytest.raises(UsageError, match="no tmux"):
        open_window(fake_machine(tmp_path, launcher=launcher), WORDS, "", "codex")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (GitAnswer(1, b"", "can't find window: nowhere\n"), "can't find window"),
        (GitAnswer(-9, b"", "", timed_out=True), "does not answer"),
        (GitAnswer(4, b"", ""), "exit code 4"),
    ],
)
def test_a_refusal_of_tmux_is_told(tmp_path: Path, answer: GitAnswer, why: str) -> None:
    machine = fake_machine(tmp_path, launcher=FakeLauncher(TMUX, {"tmux": answer}))
    with pytest.raises(NotDone, match=why):
        open_window(machine, WORDS, "work", "codex")


def test_no_window_comes_to_another_record(tmp_path: Path) -> None:
    environment = {"REFLOAT_RECORD_URL": "postgresql://ada:secret@db/jobs"}
    machine = fake_machine(tmp_path, launcher=FakeLauncher(TMUX), environment=environment)
    with pytest.raises(UsageError, match="another record") as told:
        open_window(machine, WORDS, "work", "codex")
    assert "secret" not in str(told.value)


def test_no_tmux_and_words_that_are_too_long(tmp_path: Path) -> None:
    with pytest.raises(NotDone, match="not installed"):
        open_window(fake_machine(tmp_path), WORDS, "work", "codex")
    with pytest.raises(UsageError, match="too long"):
        open_window(fake_machine(tmp_path, launcher=FakeLauncher(TMUX)), ["x" * LONGEST], "work", "codex")
