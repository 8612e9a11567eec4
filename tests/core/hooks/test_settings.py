"""Hooks in an agent's settings: ours go in and out, and nothing else moves."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.hooks import json_settings, toml_settings
from refloat.hooks.json_text import Damaged
from refloat.hooks.wanted import EVENTS, command, is_ours

CLAUDE = dict.fromkeys(EVENTS["claude-code"], command("claude-code", ["/opt/my tools/refloat"]))
CODEX = dict.fromkeys(EVENTS["codex"], command("codex", ["/opt/refloat"]))
THEIRS = '{"hooks": [{"type": "command", "command": "mine"}]}'

JSONS = [
    "{}",
    "{}\n",
    '{\n  "ratio": 1.0,\n  "big": 12345678901234567890123,\n  "unknown": {"a": [1,2 ]}\n}\n',
    f'{{"a":1,"hooks":{{"Stop":[{THEIRS}]}}}}',
    f'{{\n\t"hooks": {{\n\t\t"PostToolUse": [\n\t\t\t{THEIRS}\n\t\t],\n\t\t"Later": []\n\t}},\n\t"z": "\\u00e9"\n}}\n',
    '{\r\n  "a": 1\r\n}\r\n',
]


@pytest.mark.parametrize("text", JSONS)
def test_json_comes_back_byte_for_byte(text: str) -> None:
    changed = json_settings.put_in(text, "claude-code", CLAUDE)
    assert json_settings.installed(changed, "claude-code") == CLAUDE
    assert json_settings.put_in(changed, "claude-code", CLAUDE) == changed
    assert json_settings.take_out(changed, "claude-code") == text


@pytest.mark.parametrize("text", JSONS)
def test_what_others_wrote_stays_as_it_is(text: str) -> None:
    changed = json.loads(json_settings.put_in(text, "claude-code", CLAUDE))
    before = json.loads(text)
    for event, groups in before.get("hooks", {}).items():
        assert changed["hooks"][event][: len(groups)] == groups
    assert {**changed, "hooks": None} == {**before, "hooks": None}


_JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_GROUP: Any = st.fixed_dictionaries(
    {"hooks": st.lists(st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=8)}), max_size=2)}
)


@given(
    st.dictionaries(st.text(max_size=3).filter(lambda name: name != "hooks"), _JSON, max_size=3),
    st.dictionaries(
        st.sampled_from(["Stop", "PostToolUse", "Other"]), st.lists(_GROUP, min_size=1, max_size=2), min_size=1
    ),
    st.sampled_from([None, 0, 2, 4, "\t"]),
)
def test_any_settings_come_back(rest: dict[str, Any], hooks: dict[str, Any], indent: Any) -> None:
    text = json.dumps({**rest, "hooks": hooks}, indent=indent)
    changed = json_settings.put_in(text, "claude-code", CLAUDE)
    assert json_settings.installed(changed, "claude-code") == CLAUDE
    assert json_settings.take_out(changed, "claude-code") == text


def test_an_older_command_of_ours_is_replaced_and_not_doubled() -> None:
    old = dict.fromkeys(EVENTS["claude-code"], command("claude-code", ["/old/refloat"]))
    changed = json_settings.put_in(json_settings.put_in("{}", "claude-code", old), "claude-code", CLAUDE)
    assert json_settings.installed(changed, "claude-code") == CLAUDE
    assert "/old/" not in changed


def test_ours_among_theirs_in_one_group_goes_alone() -> None:
    ours = json.dumps({"type": "command", "command": CLAUDE["Stop"]})
    text = f'{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "mine"}}, {ours}]}}]}}}}'
    left = json.loads(json_settings.take_out(text, "claude-code"))
    assert left == {"hooks": {"Stop": [json.loads(THEIRS)]}}


def test_one_agent_s_hook_is_not_taken_for_the_other_s() -> None:
    assert is_ours({"command": "python -m refloat_tui hook codex"}, "codex")
    assert not is_ours({"command": "python -m refloat_tui hook codex"}, "claude-code")
    assert not is_ours({"command": "echo refloat hooks codex"}, "codex")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "a": 2}', "comes twice"),
        ('{"hooks": {"Stop": [], "Stop": []}}', "comes twice"),
        ("\ufeff{}", "byte order mark"),
        ("", "no JSON"),
        ('{"a": 1,}', "no JSON"),
        ("// c\n{}", "no JSON"),
        ('{"a": NaN}', "no JSON"),
        ("[]", "no object"),
        ('{"hooks": []}', "no object"),
        ('{"hooks": {"Stop": {}}}', "no list"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_not_understood_is_left_alone(text: str, why: str) -> None:
    with pytest.raises(Damaged, match=why):
        json_settings.put_in(text, "claude-code", CLAUDE)


TOMLS = [
    "",
    '# mine\nmodel = "x"  # why\n\n[features]\nhooks = true\n',
    "[[hooks.Stop]]\nmatcher = 'x'\n[[hooks.Stop.hooks]]\ncommand = 'mine'\n\n[hooks.state]\nk = {enabled = true}\n",
]
INLINE = 'a = 1.0 # one\nhooks = { Stop = [{hooks = [{type = "command", command = "mine"}]}] } # theirs\nb = 2\n'


@pytest.mark.parametrize("text", TOMLS)
def test_toml_comes_back_byte_for_byte(text: str) -> None:
    changed = toml_settings.put_in(text, "codex", CODEX)
    assert changed.startswith(text)
    assert toml_settings.installed(changed, "codex") == CODEX
    assert toml_settings.put_in(changed, "codex", CODEX) == changed
    assert toml_settings.take_out(changed, "codex") == text


def test_hooks_written_inline_keep_their_company() -> None:
    changed = toml_settings.put_in(INLINE, "codex", CODEX)
    assert toml_settings.installed(changed, "codex") == CODEX
    assert "# one" in changed
    assert "# theirs" in changed
    assert tomllib.loads(toml_settings.take_out(changed, "codex")) == tomllib.loads(INLINE)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = 1\na = 2", "no TOML"),
        ("\ufeffa = 1", "byte order mark"),
        ("hooks = 1", "no table"),
        ("hooks.Stop = 1", "no list"),
    ],
)
def test_toml_that_is_not_understood_is_left_alone(text: str, why: str) -> None:
    with pytest.raises(Damaged, match=why):
        toml_settings.put_in(text, "codex", CODEX)
