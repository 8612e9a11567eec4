"""What leaves a tool: masked, bounded, inert, and honest about what was left out."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from refloat_tui.mcp.answers import LIMIT, LONGEST, write_answer, write_sentence

SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def answer(document: dict[str, object]) -> Any:
    return json.loads(write_answer(document))


def test_a_small_answer_is_whole() -> None:
    assert answer({"schema": "refloat/1", "steps": [1, "zwei"]}) == {
        "schema": "refloat/1",
        "steps": [1, "zwei"],
        "masked": 0,
    }


def test_a_secret_is_masked_and_counted_before_anything_is_cut() -> None:
    padding = "x" * (LONGEST - 10)
    found = write_answer({"schema": "refloat/1", "note": f"{padding} {SECRET}", "list": [f"token {SECRET}"]})
    assert SECRET[:12] not in found
    assert json.loads(found)["masked"] >= 2


def test_a_long_text_is_cut_and_says_how_long_it_was() -> None:
    note = answer({"note": {"deep": ["y" * 9000]}})["note"]["deep"][0]
    assert len(note) <= LONGEST
    assert note.endswith("(9000 characters in all)")


def test_a_brief_is_bounded_by_its_own_limit() -> None:
    assert len(answer({"markdown": "z" * 60_000})["markdown"]) == 60_000


def test_a_long_list_loses_its_end_and_says_how_many() -> None:
    text = write_answer({"schema": "refloat/1", "job": "j", "steps": [{"n": n, "s": "w" * 90} for n in range(5000)]})
    assert len(text) <= LIMIT
    found = json.loads(text)
    assert [step["n"] for step in found["steps"]] == list(range(len(found["steps"])))
    assert found["cut"]["steps"] == 5000 - len(found["steps"])
    assert len(found["steps"]) > 300


def test_a_huge_value_that_is_no_list_is_left_out() -> None:
    text = write_answer({"schema": "refloat/1", "tree": {str(n): "v" * 3000 for n in range(200)}, "ok": True})
    found = json.loads(text)
    assert len(text) <= LIMIT
    assert (found["tree"], found["ok"], found["cut"]) == (None, True, {"tree": 1})


def test_controls_and_direction_tricks_are_escaped() -> None:
    text = write_answer({"note": "a\x1b[31m\u202eb\x85"})
    assert all(character not in text for character in "\x1b\u202e\x85")
    assert json.loads(text)["note"] == "a\x1b[31m\u202eb\x85"


def test_a_sentence_is_masked_on_one_line_and_bounded() -> None:
    said = write_sentence(f"no job is called\n'{SECRET}'\x1b[2J" + "q" * 9000)
    assert SECRET[:12] not in said
    assert "\n" not in said
    assert "\x1b" not in said
    assert len(said) <= 2000


@given(st.dictionaries(st.text(), JSON, max_size=5), st.integers(1, 4000))
def test_whatever_is_answered_is_json_within_the_limit(document: dict[str, object], many: int) -> None:
    many = min(many, 1 + 2 * LIMIT // len(json.dumps(document)))  # what is left out is no better proved by more of it
    text = write_answer({"schema": "refloat/1", **document, "many": [document] * many})
    assert len(text) <= LIMIT
    assert json.loads(text)["masked"] is not None or "masked" in document
