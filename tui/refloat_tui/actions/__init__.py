"""The one table of everything a person can do: footer, help, palette, key remapping and the docs read these rows.

The rows of a scope stand in the module of its name, as `ACTIONS`, and are loaded when one of them is asked for: a first
paint needs a fifth of them. A new key is a row there; a new scope is a module and its lines in `row`. Decides ids, keys
and words. Refuses to decide what an action does (its screen or widget has a method of the row's `method` name) or
whether it is possible now (`why_not` of the screen).
"""

from functools import cache
from importlib import import_module
from typing import Final, cast

from textual.binding import Binding

from refloat_tui.actions.row import GROUPS, SCOPES, Action, Group, Scope

__all__ = [
    "GROUPS",
    "SCOPES",
    "Action",
    "Group",
    "Scope",
    "action_of",
    "bindings",
    "find_actions",
    "list_actions",
    "load_action",
]

_NONE: Final[dict[str, Action]] = {}


@cache
def _load(scope: Scope) -> dict[str, Action]:
    """The rows of one scope by their ids, in their order."""
    rows = cast("tuple[Action, ...]", import_module(f"{__name__}.{scope}").ACTIONS)  # a test holds the modules to it
    return {row.id: row for row in rows}


def action_of(identifier: str) -> Action | None:
    """The row of that id."""
    scope = identifier.partition(".")[0]
    return (_load(scope) if scope in SCOPES else _NONE).get(identifier)


def load_action(identifier: str) -> Action:
    """The row of an id that the table has; another is a `KeyError`."""
    return _load(cast("Scope", identifier.partition(".")[0]))[identifier]


def find_actions(scope: Scope) -> tuple[Action, ...]:
    """The rows of one scope, in their order."""
    return tuple(_load(scope).values())


def list_actions() -> tuple[Action, ...]:
    """Every row, in the order of the help page; loads all of them."""
    return tuple(action for scope in SCOPES for action in find_actions(scope))


def bindings(*scopes: Scope) -> list[Binding]:
    """Textual's bindings of one or more scopes, each with its id (for remapping) and its help as the tooltip."""
    return [
        Binding(
            action.key,
            action.method,
            action.word,
            show=action.footer > 0,
            key_display=action.shown_key,
            priority=action.priority,
            tooltip=action.help,
            id=action.id,
        )
        for scope in scopes
        for action in find_actions(scope)
    ]
