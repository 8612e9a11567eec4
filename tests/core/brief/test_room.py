"""What a brief leaves out where it has too little room, and templates."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.brief.test_build import brief_of, written

from refloat.brief.markdown import render
from refloat.errors import UsageError
from refloat.model.brief import SECTIONS, Confidence, Line, lines_of
from refloat.testing.samples import crashed


@pytest.mark.parametrize("max_tokens", [200, 300, 500, 900, 4000])
def test_it_keeps_its_size_and_says_what_was_left_out(max_tokens: int) -> None:
    sample = crashed()
    rendered = render(
        brief_of(sample), sample.session.name, max_tokens=max_tokens, last_line=lambda _: "<!-- refloat/1 {} -->"
    )
    assert len(rendered.text.encode()) <= max_tokens * 4
    assert "## Next step\n\n- Look whether" in rendered.text
    assert [heading in rendered.text for _, heading in SECTIONS] == [True] * 6
    told = sum(len(lines_of(rendered.brief, section)) for section, _ in SECTIONS)
    assert told + rendered.omitted == sum(len(lines_of(brief_of(sample), section)) for section, _ in SECTIONS)
    if rendered.omitted:
        assert f"{rendered.omitted} lines left out for size" in rendered.text
        assert "`refloat " in rendered.text


@given(st.integers(0, 400), st.integers(20, 600), st.integers(0, 2))
def test_the_more_there_is_to_tell_the_room_is_used(files: int, max_tokens: int, grows: int) -> None:
    """Each file stands in the last line too, with a hash: as it leaves the text, it leaves there as well."""
    lines = tuple(
        Line(f"`src/{n}.py`: the recorded edit stands on disk", Confidence.VERIFIED, (n,), keep=86)
        for n in range(files)
    )
    brief = replace(brief_of(crashed()), established=lines)

    def last_line(text: str) -> str:
        told = [n for n in range(files) if f"`src/{n}.py`" in text]
        return f"<!-- refloat/1 {'0' * 40 * grows * len(told)} -->"

    rendered = render(brief, crashed().session.name, max_tokens=max_tokens + 300, last_line=last_line)
    size, room = len(rendered.text.encode()), (max_tokens + 300) * 4
    assert size <= room
    longest = max(len(line.text.encode()) for section, _ in SECTIONS for line in lines_of(brief, section))
    assert not rendered.omitted or size > room - longest - 40 * grows - 200


def test_a_section_of_which_all_was_left_out_does_not_say_that_there_is_nothing() -> None:
    sample = crashed()
    text = written(sample, max_tokens=200)
    assert "## What is established\n\n- (omitted)\n" in text
    assert "(nothing)" not in text


def test_the_least_is_left_out_first() -> None:
    sample = crashed()
    whole = written(sample)
    text = written(sample, max_tokens=len(whole.encode()) // 4 - 20)
    assert "Met and not obeyed" not in text
    assert "Outcome unknown" in text


def test_a_template_gets_its_sections_and_keeps_other_braces() -> None:
    text = written(crashed(), template="T {title}\n{next_step}\nuse {{x}} and {y}\n{session}")
    assert text.startswith("T “Round prices half to even”\n- Look whether")
    assert "use {{x}} and {y}" in text
    assert text.rstrip().endswith("<!-- refloat/1 {} -->")


def test_a_template_without_any_section_is_refused() -> None:
    with pytest.raises(UsageError, match="no place for any section"):
        written(crashed(), template="{title} alone")


# ── hostile words ────────────────────────────────────────────────────────────────────────────────────────────────────
