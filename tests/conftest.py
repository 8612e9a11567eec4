"""Keeps the developer's own home, agents and git out of every test, and time still."""

import os
import signal
import time
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: the machines are shared. In CI the same examples each time: a run that passed must pass again.
settings.register_profile("house", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("house")

# What a shell or nohup puts in the background ignores some of these, and so do its children: the tests send them.
for _key in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP):
    if signal.getsignal(_key) is signal.SIG_IGN:
        signal.signal(_key, signal.default_int_handler if _key is signal.SIGINT else signal.SIG_DFL)

_FOREIGN = ("CLAUDE", "CODEX", "XDG_", "REFLOAT_", "GIT_", "NO_COLOR", "TMUX", "COLUMNS")


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:  # pyright: ignore[reportUnusedFunction] - used by pytest
    for name in [name for name in os.environ if name.startswith(_FOREIGN)]:
        monkeypatch.delenv(name)
    home: Path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()  # without it this process keeps the zone that it began in
