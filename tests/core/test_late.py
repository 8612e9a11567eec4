"""What is made late is made once, by whichever thread asks first."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from refloat.late import LateSequence, Once, stand_in


def test_it_is_made_at_the_first_question_and_once_for_all_threads() -> None:
    made: list[str] = []
    barrier = Barrier(8, timeout=60)

    def make() -> str:
        made.append("made")
        return "a word"

    words, count = stand_in(make), LateSequence(lambda: [make()])
    assert made == []

    def ask() -> tuple[bool, int]:
        barrier.wait()
        return words.startswith("a"), len(count)

    with ThreadPoolExecutor(8) as pool:
        answers = [each.result() for each in [pool.submit(ask) for _ in range(8)]]
    assert answers == [(True, 1)] * 8
    assert made == ["made"] * 2
    assert (count[0], list(count), count[:1]) == ("a word", ["a word"], ["a word"])


def test_what_could_not_be_made_is_tried_again() -> None:
    tries: list[int] = []

    def make() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("not now")
        return "now"

    once = Once(make)
    with pytest.raises(OSError, match="not now"):
        once()
    assert (once(), once(), len(tries)) == ("now", "now", 2)
