"""Settings in JSON (Claude Code's `settings.json`, Codex' `hooks.json`): our hooks put in, or taken out.

Decides which events lack a hook of ours. Touches no other byte; refuses what has another shape than the agent takes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, cast

from refloat.hooks.events import Agent, mapping
from refloat.hooks.json_text import Damaged, Part, Span, insert, parse, parts, remove, whole
from refloat.hooks.wanted import entry, is_ours

EMPTY: Final = "{}\n"
"""What a file that is not there counts as."""


def installed(text: str, agent: Agent) -> Mapping[str, str]:
    """Events that have a hook of ours, each with its command.

    Raises:
        Damaged: the settings cannot be understood.

    """
    found: dict[str, str] = {}
    for event, groups in _events(text).items():
        for group in groups:
            for handler in _handlers(group):
                if is_ours(handler, agent):
                    found[event] = str(mapping(handler)["command"])
    return found


def put_in(text: str, agent: Agent, commands: Mapping[str, str]) -> str:
    """The text with a hook at each of these events that has none of ours with that command.

    Raises:
        Damaged: the settings cannot be understood.

    """
    there = installed(text, agent)
    stale = {event for event, told in there.items() if commands.get(event) != told}
    if stale:
        text = take_out(text, agent, lambda event: event in stale)
    for event, command in commands.items():
        if there.get(event) == command:
            continue
        top = whole(text)
        hooks = _member(text, top, "hooks")
        if hooks is None:
            text = insert(text, top, "hooks", {event: [entry(command)]})
            continue
        groups = _member(text, hooks.value, event)
        if groups is None:
            text = insert(text, hooks.value, event, [entry(command)])
        else:
            text = insert(text, groups.value, "", entry(command))
    return text


def take_out(text: str, agent: Agent, chosen: Callable[[str], bool] = lambda _: True) -> str:
    """The text without our hooks; what is empty then goes with them.

    Raises:
        Damaged: the settings cannot be understood.

    """
    for event in [event for event in installed(text, agent) if chosen(event)]:
        while (changed := _take_one(text, agent, event)) != text:
            text = changed
    return text


def _take_one(text: str, agent: Agent, event: str) -> str:
    top = whole(text)
    hooks = _member(text, top, "hooks")
    groups = _member(text, hooks.value, event) if hooks else None
    if hooks is None or groups is None:
        return text
    for group in parts(text, groups.value):
        handlers = _member(text, group.value, "hooks")
        for handler in parts(text, handlers.value) if handlers else ():
            if not is_ours(parse(text[slice(*handler.value)]), agent):
                continue
            chain: Sequence[tuple[Span, Part]] = [(top, hooks), (hooks.value, groups), (groups.value, group)]
            if handlers is None or len(parts(text, handlers.value)) > 1:
                return remove(text, handlers.value if handlers else group.value, handler)
            return _remove_last(text, chain)
    return text


def _remove_last(text: str, chain: Sequence[tuple[Span, Part]]) -> str:
    """Remove the innermost part, and each container that held nothing else."""
    for container, part in reversed(chain):
        if len(parts(text, container)) > 1 or container == chain[0][0]:
            return remove(text, container, part)
    return text


def _events(text: str) -> Mapping[str, Sequence[object]]:
    top = parse(text)
    if not isinstance(top, dict):
        raise Damaged("it is no object")
    hooks = mapping(cast("object", top)).get("hooks", {})
    if not isinstance(hooks, dict):
        raise Damaged('its "hooks" is no object')
    found: dict[str, Sequence[object]] = {}
    for event, groups in mapping(cast("object", hooks)).items():
        if not isinstance(groups, list):
            raise Damaged(f"its hooks of {event} are no list")
        found[event] = cast("list[object]", groups)
    return found


def _handlers(group: object) -> Sequence[object]:
    handlers = mapping(group).get("hooks", [])
    return cast("list[object]", handlers) if isinstance(handlers, list) else []


def _member(text: str, container: Span, name: str) -> Part | None:
    return next((part for part in parts(text, container) if part.name == name), None)
