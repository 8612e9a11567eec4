"""The command palette: every row of the table of actions that works where the person is."""

from collections.abc import Iterator
from functools import partial

from textual import events
from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.dom import DOMNode
from textual.screen import Screen

from refloat_tui.actions import Action, list_actions


def _owner(action: Action, screen: Screen[object]) -> DOMNode | None:
    name = f"action_{action.method}"
    nodes: list[DOMNode] = [*(screen.focused.ancestors_with_self if screen.focused else ()), screen, screen.app]
    found = next((node for node in nodes if hasattr(node, name)), None)
    if found is not None:
        return found
    return next((node for node in screen.query("*") if hasattr(node, name) and node.display), None)


class ActionCommands(Provider):
    """Rows as commands. What is impossible now is listed too, and says why when it is chosen."""

    def _find(self) -> Iterator[tuple[Action, DOMNode]]:
        for action in list_actions():
            if not action.palette or (owner := _owner(action, self.screen)) is None:
                continue
            if owner.check_action(action.method, ()) is not False:
                yield action, owner

    def _do(self, action: Action, owner: DOMNode) -> None:
        why_not = getattr(owner, "why_not", None)
        reason = why_not(action.method) if why_not is not None else None
        if reason is not None:
            self.app.notify(str(reason), markup=False)
        else:
            self.app.call_later(self.app.run_action, action.method, owner)

    async def discover(self) -> Hits:
        """Everything, in the order of the table."""
        for action, owner in self._find():
            yield DiscoveryHit(action.title, partial(self._do, action, owner), help=action.help)

    async def search(self, query: str) -> Hits:
        """What fits the words."""
        matcher = self.matcher(query)
        for action, owner in self._find():
            score = matcher.match(action.title)
            if score > 0:
                yield Hit(score, matcher.highlight(action.title), partial(self._do, action, owner), help=action.help)


class ActionPalette(CommandPalette):
    """The stock palette, guarded: under fast random keys Textual 8.2.8 pages a list that is being refilled
    (`KeyError`), and closes what lies on top once it is closed itself.
    """

    DEFAULT_CSS = """
    ActionPalette {
        background: $background 60%;
        & > Vertical { width: 84; max-width: 100%; height: auto; margin: 2 0 0 0; background: $panel; }
        & #--input { border: none; padding: 1 1 0 1; background: $panel; height: auto; }
        & #--results { background: $panel; }
        & CommandList { border: none; background: $panel; }
        & CommandInput { background: $panel; }
        & SearchIcon { display: none; }
    }
    """

    def _action_command_list(self, action: str) -> None:
        """A list without lines yet has no pages: asked for one in Textual 8.2.8, it raises `KeyError`."""
        if not action.startswith("page_") or self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Leave, once, as every screen of ours does."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    async def on_event(self, event: events.Event) -> None:
        """Let the known fault of the stock palette pass."""
        try:
            await super().on_event(event)
        except KeyError as error:
            self.log.warning(error)
