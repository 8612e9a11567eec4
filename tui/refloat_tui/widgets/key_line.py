"""The footer: the keys that work now, as many as there is room for, from the table of actions."""

from dataclasses import replace

from textual.app import RenderResult
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from refloat_tui.actions import GROUPS, Action, action_of
from refloat_tui.base import RefloatScreen
from refloat_tui.theme import Glyphs

_MOST_WHEN_NARROW = 6
_ALWAYS = "anywhere.help"
"""The key that tells all others is in every footer."""


def _shown(action: Action, display: str, glyphs: Glyphs) -> str:
    key = action.footer_key or display
    for sign, word in glyphs.keys.items():
        key = key.replace(sign, f"{word} ")
    return key.strip()


class KeyLine(Widget):
    """One line. An action that is impossible now, or would be refused, is dimmed; its key says why. What would be
    refused has the room that is left.
    """

    DEFAULT_CSS = """
    KeyLine { height: 1; dock: bottom; padding: 0 1; background: $background; }
    """

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs

    def on_mount(self) -> None:
        """Follow what is possible."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)

    def _follow(self, screen: Screen[object]) -> None:
        del screen
        self.refresh()

    def _find_rows(self) -> list[tuple[Action, str, bool, bool]]:
        """Each action, its key, whether it works, and whether the room is for others first."""
        found: dict[str, tuple[Action, str, bool, bool]] = {}
        for active in self.screen.active_bindings.values():
            action = action_of(active.binding.id or "")
            if action is None or not action.footer or action.id in found:
                continue
            screen = active.node if isinstance(active.node, RefloatScreen) else None
            said = screen.word_of(action.method) if screen is not None else None
            if said == "":
                continue
            action = action if said is None else replace(action, word=said)
            key = active.binding.key_display or self.app.get_key_display(active.binding)
            vain = screen is not None and screen.is_vain(action.method)
            found[action.id] = (action, _shown(action, key, self.glyphs), active.enabled and not vain, vain)
        return sorted(found.values(), key=lambda row: row[0].footer)

    def render(self) -> RenderResult:
        """As many as fit: what matters most first to stay, in the order of the groups."""
        room, chosen = self.size.width, list[tuple[Action, str, bool, bool]]()
        most = _MOST_WHEN_NARROW if self.app.size.width < 100 else 99
        rows = self._find_rows()
        rows.sort(key=lambda row: (row[0].id != _ALWAYS, row[3]))
        for row in rows:
            need = len(row[1]) + 1 + len(row[0].word) + 2
            if len(chosen) < most and need <= room + 2:
                chosen.append(row)
                room -= need
        chosen.sort(key=lambda row: GROUPS.index(row[0].group))
        parts = [
            Content.assemble((key, "$key bold" if on else "$faint"), (f" {action.word}", "$quiet" if on else "$faint"))
            for action, key, on, _ in chosen
        ]
        return Content("  ").join(parts)
