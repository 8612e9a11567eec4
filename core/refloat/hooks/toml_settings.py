"""Settings in TOML (Codex' `config.toml`): our hooks put in, or taken out.

Decides by the standard library what the text means. Our tables stand at its end, so that nothing else moves; where
hooks are written inline, tomlkit changes them and keeps comments and order. Refuses what would mean something else
afterwards.
"""

import tomllib
from collections.abc import Mapping, MutableMapping, MutableSequence
from typing import Final, cast

from refloat.hooks.events import Agent, mapping
from refloat.hooks.json_text import Damaged
from refloat.hooks.wanted import SECONDS, entry, is_ours

EMPTY: Final = ""
"""What a file that is not there counts as."""
_Table = MutableMapping[str, object]
_List = MutableSequence[object]


def installed(text: str, agent: Agent) -> Mapping[str, str]:
    """Events that have a hook of ours, each with its command.

    Raises:
        Damaged: the settings cannot be understood.

    """
    return {
        event: str(mapping(handler)["command"])
        for event, groups in _events(_parse(text)).items()
        for group in groups
        for handler in _handlers(group)
        if is_ours(handler, agent)
    }


def put_in(text: str, agent: Agent, commands: Mapping[str, str]) -> str:
    """The text with a hook at each of these events that has none of ours with that command.

    Raises:
        Damaged: the settings cannot be understood, or cannot be changed without changing more.

    """
    there = installed(text, agent)
    if any(commands.get(event) != told for event, told in there.items()):
        text, there = take_out(text, agent), {}
    missing = {event: command for event, command in commands.items() if event not in there}
    if not missing:
        return text
    end = "\n" if text and not text.endswith("\n") else ""
    for changed in (
        lambda: f"{text}{end}{''.join(map(_table, missing, missing.values()))}",
        lambda: _inline(text, missing),
    ):
        found = changed()
        if _means(found, text, agent, commands):
            return found
    raise Damaged("a hook cannot be added to it without changing what else stands there")


def take_out(text: str, agent: Agent) -> str:
    """The text without our hooks; what is empty then goes with them.

    Raises:
        Damaged: the settings cannot be understood, or cannot be changed without changing more.

    """
    found = text
    for event, command in installed(text, agent).items():
        found = found.replace(_table(event, command), "")  # as `put_in` wrote it
    if not _means(found, text, agent, {}):
        found = _without(text, agent)
    if not _means(found, text, agent, {}):
        raise Damaged("our hooks cannot be taken out of it without changing what else stands there")
    return found


def _inline(text: str, missing: Mapping[str, str]) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        hooks = cast("_Table", document["hooks"])
        for event, command in missing.items():
            if event in hooks:
                cast("_List", hooks[event]).append(dict(entry(command)))
            else:
                hooks[event] = [dict(entry(command))]
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise Damaged(f"a hook cannot be added to it: {error}") from error


def _without(text: str, agent: Agent) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        hooks = cast("_Table", document["hooks"])
        for event, groups in list(_events({"hooks": hooks}).items()):
            for group in list(groups):
                handlers = _handlers(group)
                ours = [handler for handler in handlers if is_ours(handler, agent)]
                if len(ours) == len(handlers) > 0:
                    groups.remove(group)
                    continue
                for handler in ours:
                    handlers.remove(handler)
            if not groups:
                del hooks[event]
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise Damaged(f"our hooks cannot be taken out of it: {error}") from error


def _means(text: str, before: str, agent: Agent, commands: Mapping[str, str]) -> bool:
    """Whether a text has just these hooks of ours, and all else means what it meant before."""
    try:
        same = _others(text, agent) == _others(before, agent)
        return same and installed(text, agent) == commands
    except Damaged:
        return False


def _others(text: str, agent: Agent) -> Mapping[str, object]:
    """What a text means without our hooks, and without lists that are empty then."""
    document = dict(_parse(text))
    events = _events(document)
    kept: dict[str, object] = {}
    for event, groups in events.items():
        rest = [
            {**mapping(group), "hooks": others}
            for group in groups
            if (others := [handler for handler in _handlers(group) if not is_ours(handler, agent)])
            or not _handlers(group)
        ]
        if rest:
            kept[event] = rest
    hooks = {**{name: value for name, value in mapping(document.get("hooks")).items() if name not in events}, **kept}
    document.pop("hooks", None)
    return {**document, "hooks": hooks} if hooks else document


def _table(event: str, command: str) -> str:
    told = command.replace("\\", "\\\\").replace('"', '\\"')
    return f'\n[[hooks.{event}]]\n[[hooks.{event}.hooks]]\ntype = "command"\ncommand = "{told}"\ntimeout = {SECONDS}\n'


def _parse(text: str) -> Mapping[str, object]:
    if text.startswith("\ufeff"):
        raise Damaged("it begins with a byte order mark")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"it is no TOML: {error}") from error


def _events(document: Mapping[str, object]) -> Mapping[str, _List]:
    hooks: object = document.get("hooks", {})
    if not isinstance(hooks, MutableMapping):
        raise Damaged("its hooks are no table")
    found: dict[str, _List] = {}
    for event, groups in cast("_Table", hooks).items():
        if event == "state":  # what the person trusted, by Codex itself
            continue
        if not isinstance(groups, MutableSequence):
            raise Damaged(f"its hooks of {event} are no list")
        found[event] = cast("_List", groups)
    return found


def _handlers(group: object) -> _List:
    handlers: object = cast("_Table", group).get("hooks") if isinstance(group, MutableMapping) else None
    return cast("_List", handlers) if isinstance(handlers, MutableSequence) else []
