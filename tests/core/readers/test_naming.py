"""An id becomes a word, whatever a file is called or a record says."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.readers.claude_code import ClaudeCode
from refloat.readers.codex import Codex
from refloat.readers.naming import is_plain, make_id

UUID = "5f0c1d2e-0000-4000-8000-000000000001"


@pytest.mark.parametrize("recorded", [UUID, "agent-a1", "s", "my_copy.2", ""])
def test_a_plain_word_stays(recorded: str):
    assert make_id(recorded) == recorded


@pytest.mark.parametrize(
    "recorded", ["--help", "-x", "a b", "$(id)", "\x1b[31m", "..", "a/b", "é", "x" * 200, "\udcff"]
)
def test_anything_else_gives_way_to_a_word_of_its_own(recorded: str):
    made = make_id(recorded)
    assert is_plain(made)
    assert make_id(recorded) == made
    assert made != make_id(recorded + "x")


@given(st.text())
def test_a_made_id_means_nothing_to_a_shell_and_is_no_option(recorded: str):
    made = make_id(recorded)
    assert not made.startswith("-")
    assert made == "" or (shlex.quote(made) == made and is_plain(made))
    assert make_id(made) == made


@pytest.mark.parametrize("reader", [ClaudeCode(), Codex()])
def test_an_agents_command_takes_its_own_ids_alone(reader: ClaudeCode | Codex):
    assert reader.takes_id(UUID)
    for other in ("--help", "last", "agent-a1", f"{UUID} ", f"{UUID}\n", ""):
        assert not reader.takes_id(other)
