"""The table of actions: every row is unique, is done by somebody, and can be remapped."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from refloat_tui import actions
from refloat_tui.actions import GROUPS, SCOPES, Scope, action_of, bindings, find_actions, list_actions
from refloat_tui.app import RefloatApp
from refloat_tui.keymap import read_keymap
from refloat_tui.screens.confirm import Confirm
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.help import HelpScreen
from refloat_tui.screens.job import JobScreen
from refloat_tui.screens.jobs import JobsScreen
from refloat_tui.screens.move import MoveFinding
from refloat_tui.screens.operation import OperationScreen
from refloat_tui.screens.peek import PeekScreen
from refloat_tui.screens.pickup import PickupScreen
from refloat_tui.screens.text import TextScreen
from refloat_tui.screens.wizard.screen import WizardScreen
from refloat_tui.screens.wrap import WrapScreen
from refloat_tui.widgets.brief_pane import BriefPane
from refloat_tui.widgets.checkout_pane import CheckoutPane
from refloat_tui.widgets.history_pane import HistoryPane
from refloat_tui.widgets.record_pane import RecordPane
from refloat_tui.widgets.row_list import RowList
from refloat_tui.widgets.triage_pane import TriagePane

OWNERS: dict[Scope, type] = {
    "anywhere": RefloatApp,
    "rows": RowList,
    "text": TextScreen,
    "desk": DeskScreen,
    "history": HistoryPane,
    "checkout": CheckoutPane,
    "triage": TriagePane,
    "brief": BriefPane,
    "record": RecordPane,
    "jobs": JobsScreen,
    "job": JobScreen,
    "wrap": WrapScreen,
    "pickup": PickupScreen,
    "operation": OperationScreen,
    "peek": PeekScreen,
    "confirm": Confirm,
    "move": MoveFinding,
    "help": HelpScreen,
    "wizard": WizardScreen,
}


def test_ids_are_unique_and_begin_with_their_scope():
    assert not [name for name, count in Counter(action.id for action in list_actions()).items() if count > 1]
    assert all(action.id.startswith(f"{scope}.") for scope in SCOPES for action in find_actions(scope))
    assert all(action_of(action.id) is action for action in list_actions())


def test_every_module_of_rows_is_a_scope():
    modules = {path.stem for path in Path(actions.__file__).parent.glob("*.py")} - {"__init__", "row"}
    assert modules == {*SCOPES} == {*get_args(Scope)}


def test_a_row_is_loaded_with_its_scope_alone():
    asked = "from refloat_tui.actions import action_of; action_of('desk.stop'); action_of('rows.up'); action_of('x.y')"
    told = "import sys; print(*(name for name in sys.modules if name.startswith('refloat_tui.actions.')))"
    done = subprocess.run([sys.executable, "-c", f"{asked}; {told}"], capture_output=True, check=True, text=True)
    assert {name.rpartition(".")[2] for name in done.stdout.split()} == {"row", "desk", "rows"}


@pytest.mark.parametrize("scope", list(SCOPES))
def test_no_key_twice_in_a_scope(scope: Scope):
    keys = [key for action in find_actions(scope) for key in action.key.split(",")]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("scope", list(OWNERS))
def test_every_row_is_done_by_its_owner(scope: Scope):
    for action in find_actions(scope):
        assert callable(getattr(OWNERS[scope], f"action_{action.method}", None)), action.id


def test_every_row_is_told_in_words():
    for action in list_actions():
        assert action.help.endswith("."), action.id
        assert action.title
        assert len(action.word) <= 12
        assert action.group in GROUPS


def test_keys_of_the_panes_leave_the_desks_alone():
    desk = {key for action in find_actions("desk") for key in action.key.split(",")}
    for scope in ("rows", "history", "checkout", "triage", "record"):
        shared = {key for action in find_actions(scope) for key in action.key.split(",")} & desk
        assert not shared, (scope, shared)


def test_bindings_carry_id_and_tooltip():
    for binding in bindings("desk", "rows"):
        assert binding.id is not None
        assert binding.tooltip


def test_keys_as_a_person_wants_them(tmp_path: Path):
    (tmp_path / "keys.toml").write_text('"desk.recover" = "f5"\n"desk.nothing" = "x"\n"rows.up" = 3\n')
    keys, said = read_keymap(tmp_path)
    assert keys == {"desk.recover": "f5"}
    assert len(said) == 2


def test_no_file_or_a_broken_one_leaves_the_standard_keys(tmp_path: Path):
    assert read_keymap(tmp_path) == ({}, ())
    (tmp_path / "keys.toml").write_text("[[")
    keys, said = read_keymap(tmp_path)
    assert keys == {}
    assert "standard keys" in said[0]
