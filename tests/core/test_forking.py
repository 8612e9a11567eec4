"""A copy of this process answers one question; where none can be made, the question is asked here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from refloat import forking
from refloat.forking import beside

SCRIPT = """
import os, sys
from refloat.forking import beside
made = []
def asked(answer):
    made.append(os.getpid())
    if answer is None:
        raise ValueError("it cannot be said")
    return answer
here = os.getpid()
waiting = [beside(lambda: asked(True)), beside(lambda: asked(False))]
assert [answer() for answer in waiting] == [True, False]
assert (made == []) == (sys.platform == "linux")
try:
    beside(lambda: asked(None))()
except ValueError:
    print("raised here", made[-1] == here)
"""


def test_a_copy_answers_and_what_fails_there_is_asked_here():
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False, cwd=Path.cwd()
    )
    assert (done.returncode, done.stdout) == (0, "raised here True\n"), done.stderr


def test_without_a_copy_the_question_is_asked_when_the_answer_is_wanted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(forking, "may_fork", lambda: False)
    asked: list[int] = []

    def question() -> bool:
        asked.append(os.getpid())
        return True

    answer = beside(question)
    assert asked == []
    assert answer()
    assert asked == [os.getpid()]
