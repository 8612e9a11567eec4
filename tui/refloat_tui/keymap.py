"""Keys as a person wants them: `keys.toml` in the configuration directory, one line an action.

    "desk.recover" = "f5"
    "rows.down" = "down,n"

Decides what of the file is usable. Refuses unknown ids and empty keys, and says so; the rest of the file counts.
"""

from pathlib import Path

from refloat_tui.actions import action_of


def read_keymap(config: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    """The keys by action id, and a sentence for every line that is no use. A missing file is an empty one."""
    path = config / "keys.toml"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}, ()
    except (OSError, UnicodeDecodeError) as error:
        return {}, (f"{path}: {error}; the standard keys hold.",)
    import tomllib  # most have no such file, and the first paint waits

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return {}, (f"{path}: {error}; the standard keys hold.",)
    keys: dict[str, str] = {}
    said: list[str] = []
    for identifier, key in table.items():
        if action_of(identifier) is None:
            said.append(f"{path}: there is no action {identifier!r}; `?` in the app lists them.")
        elif not isinstance(key, str) or not all(part.strip() for part in key.split(",")):
            said.append(f'{path}: {identifier} wants a key like "f5" or "up,k".')
        else:
            keys[identifier] = key
    return keys, tuple(said)
