"""The footer: the keys that work now, as many as there is room for, from the table of actions."""

from dataclasses import replace
from typing import NamedTuple

from textual import events
from textual.app import RenderResult
from textual.binding import ActiveBinding
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


class _Offer(NamedTuple):
    """An action as the footer has it."""

    action: Action
    key: str
    bound: ActiveBinding


class KeyLine(Widget):
    """One line. An action that is impossible now is dimmed, and one that would be refused is not offered; the keys of
    both say why. What the screen keeps stays whatever the room. A click on an entry does what its key does.
    """

    DEFAULT_CSS = """
    KeyLine { height: 1; dock: bottom; padding: 0 1; background: $background; }
    """

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self._drawn = Content()
        self._chosen: list[_Offer] = []
        """What is drawn, from left to right."""

    def on_mount(self) -> None:
        """Follow what is possible."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)

    def _follow(self, screen: Screen[object]) -> None:
        del screen
        if self.is_attached and not self._make().is_same(self._drawn):
            self.refresh()

    def _find_offers(self) -> list[_Offer]:
        """What stays whatever the room, then by its rank."""
        found: dict[str, _Offer] = {}
        kept = {_ALWAYS}
        for active in self.screen.active_bindings.values():
            action = action_of(active.binding.id or "")
            if action is None or not action.footer or action.id in found:
                continue
            screen = active.node if isinstance(active.node, RefloatScreen) else None
            said = screen.word_of(action.method) if screen is not None else None
            if said == "" or (screen is not None and screen.is_vain(action.method)):
                continue
            if isinstance(self.screen, RefloatScreen) and self.screen.is_kept(action.method):
                kept.add(action.id)
            action = action if said is None else replace(action, word=said)
            key = active.binding.key_display or self.app.get_key_display(active.binding)
            found[action.id] = _Offer(action, _shown(action, key, self.glyphs), active)
        return sorted(found.values(), key=lambda offer: (offer.action.id not in kept, offer.action.footer))

    def render(self) -> RenderResult:
        """The keys that work now."""
        self._drawn = self._make()
        return self._drawn

    def _make(self) -> Content:
        """As many as fit: what matters most first to stay, in the order of the groups."""
        room, chosen = self.size.width, list[_Offer]()
        most = _MOST_WHEN_NARROW if self.app.size.width < 100 else 99
        for offer in self._find_offers():
            need = len(offer.key) + 1 + len(offer.action.word) + 2
            if len(chosen) < most and need <= room + 2:
                chosen.append(offer)
                room -= need
        chosen.sort(key=lambda offer: GROUPS.index(offer.action.group))
        parts = [
            Content.assemble(
                (key, "$key bold" if bound.enabled else "$faint"),
                (f" {action.word}", "$quiet" if bound.enabled else "$faint"),
            )
            for action, key, bound in chosen
        ]
        self._chosen = chosen
        return Content("  ").join(parts)

    async def on_click(self, event: events.Click) -> None:
        """Do what the entry's key does; one that is dimmed says why."""
        offset, at = event.get_content_offset(self), 0
        for action, key, bound in self._chosen if offset is not None else ():
            end = at + Content(f"{key} {action.word}").cell_length
            if offset is not None and at <= offset.x < end:
                event.stop()
                await self._do(action, bound)
                return
            at = end + 2

    async def _do(self, action: Action, bound: ActiveBinding) -> None:
        screen = self.screen if isinstance(self.screen, RefloatScreen) else None
        if screen is not None and not bound.enabled:
            if (why := screen.why_not(action.method)) is not None:
                screen.tell(why)
        elif screen is not None and screen.is_no_answer(events.Key(bound.binding.key, None), None):
            screen.pass_over()
        else:
            await self.app.run_action(bound.binding.action, bound.node)
