"""An expression that is compiled when it is first asked is the one that `re` compiles."""

import re

import pytest

from refloat.patterns import late


@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
def test_it_finds_what_the_compiled_one_finds(flags: int) -> None:
    pattern, made = late(r"(?P<word>a+)b", flags), re.compile(r"(?P<word>a+)b", flags)
    for text in ("aab", "AAB ab", "none", ""):
        assert pattern.findall(text) == made.findall(text)
        assert [match.span("word") for match in pattern.finditer(text, 1)] == [
            match.span("word") for match in made.finditer(text, 1)
        ]
        assert (pattern.fullmatch(text) is None) == (made.fullmatch(text) is None)
    assert (pattern.pattern, pattern.flags, pattern.groups) == (made.pattern, made.flags, made.groups)
    assert late(rb"\d").sub(b"", b"a1b2") == b"ab"


def test_nothing_is_compiled_before_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile

    def watched(source: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(source)
        return real(source, flags)

    monkeypatch.setattr("refloat.patterns.re.compile", watched)
    pattern = late("once")
    assert compiled == []
    assert [pattern.match("once") is not None for _ in range(3)] == [True] * 3
    assert compiled == ["once"]


def test_a_mistake_is_told_at_the_first_use() -> None:
    pattern = late("(")
    with pytest.raises(re.error, match="unterminated"):
        pattern.match("")
    with pytest.raises(AttributeError):
        _ = late("a").no_such_thing  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType] - the test
