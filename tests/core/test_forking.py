"""A copy of this process answers one question; where none can be made, the question is asked here. No copy outlives
its asker.
"""

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from refloat import forking
from refloat.forking import asked_in_copy

SCRIPT = """
import os, sys
from refloat.forking import asked_in_copy
made = []
def asked(answer):
    made.append(os.getpid())
    if answer is None:
        raise ValueError("it cannot be said")
    return answer
here = os.getpid()
waiting = [asked_in_copy(lambda: asked(True)), asked_in_copy(lambda: asked(False))]
assert [answer() for answer in waiting] == [True, False]
assert (made == []) == (sys.platform == "linux")
try:
    asked_in_copy(lambda: asked(None))()
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

    answer = asked_in_copy(question)
    assert asked == []
    assert answer()
    assert asked == [os.getpid()]


ORPHAN = """
import os, signal, sys
from refloat.forking import Copy
copy = Copy(lambda: bytes(1 << 20))
os.write(int(sys.argv[1]), b"made")
while True:
    signal.pause()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")
def test_a_copy_ends_with_its_asker_even_while_it_tells_what_it_made():
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    ours, theirs = os.pipe()  # the copy holds its end open for as long as it lives
    asker = subprocess.Popen([sys.executable, "-c", ORPHAN, str(theirs)], env=environment, pass_fds=[theirs])
    os.close(theirs)
    try:
        assert os.read(ours, 4) == b"made"
        asker.kill()
        asker.wait()
        assert select.select([ours], [], [], 60)[0], "the copy goes on"
        assert os.read(ours, 1) == b""
    finally:
        asker.kill()
        asker.wait()
        os.close(ours)
