"""What is small is asked once, what is large each time; nothing large is kept."""

from refloat.caching import cached_if
from refloat.commands.checks import sort_of
from refloat.commands.outside import effects_of
from refloat.search import words


def test_answers_are_kept_for_small_questions_alone():
    asked: list[tuple[str, int]] = []

    def is_small(text: str, *, times: int = 1) -> bool:
        return len(text) * times <= 4

    @cached_if(is_small, 2)
    def repeat(text: str, *, times: int = 1) -> str:
        """Say it so often."""
        asked.append((text, times))
        return text * times

    assert [repeat("ab", times=2), repeat("ab", times=2), repeat("abcde"), repeat("abcde")] == ["abab"] * 2 + [
        "abcde"
    ] * 2
    assert asked == [("ab", 2), ("abcde", 1), ("abcde", 1)]
    assert repeat.many == 1
    repeat.cache_clear()
    assert (repeat.many, repeat("ab", times=2), len(asked)) == (0, "abab", 4)
    assert repeat.__doc__ == "Say it so often."


def test_a_whole_file_in_a_question_is_not_kept_with_its_answer():
    held = [words._fold.many, len(words._FORMS), sort_of.many, effects_of.many]
    paragraph = "\u6587\u5b57" * 500
    assert words.index_form(paragraph)
    assert words.word_spans(paragraph)
    assert sort_of(("pytest", "x" * 5000)) == "test"
    assert effects_of(f"git push origin a # {'x' * 5000}")
    assert [words._fold.many, len(words._FORMS), sort_of.many, effects_of.many] == held
