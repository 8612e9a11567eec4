"""Wiring: takes a library, shows the desk. Decides the look and the keys; works nothing out by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import App
from textual.binding import BindingType

from refloat.model.light import light
from refloat.model.session import SessionName
from refloat_tui.actions import SCOPES, Scope, action_of, bindings
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.doors import Demo, Doors
from refloat_tui.theme import THEMES, choose_glyphs, choose_theme

if TYPE_CHECKING:
    from rich.console import RenderableType

    from refloat.usecases.workbench import Workbench
    from refloat_tui.bench_library import BenchLibrary
    from refloat_tui.library import Library
    from refloat_tui.operations import Operations
    from refloat_tui.screens.wizard.farewell import Farewell
    from refloat_tui.screens.wizard.screen import WizardScreen


@light
class Start:
    """How the app begins."""

    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    config: Path | None = None
    home: str = ""
    chosen: SessionName | None = None
    """The session to stand on."""
    recover: bool = False
    """Open the wizard on it straight away; leaving it ends the app."""


_NO_HELP: Final[frozenset[Scope]] = frozenset({"confirm", "help"})


class RefloatApp(App[str]):
    """The terminal app."""

    TITLE = "refloat"
    CSS_PATH = "base.tcss"
    ENABLE_COMMAND_PALETTE = False
    """The stock one; ours is opened by `anywhere.palette`."""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("anywhere")]

    def __init__(self, library: Library, doors: Doors | None = None, start: Start | None = None) -> None:
        super().__init__()
        self._library = library
        self._doors = doors or Doors()
        self._start = start or Start()
        self.glyphs = choose_glyphs(self._start.environment)
        self.keys: dict[str, str] = {}
        """What the person changed, by action id."""
        self.leaving: Callable[[], None] = lambda: None
        """Told that the app is about to end."""
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = choose_theme(self._start.environment)

    def on_mount(self) -> None:
        """Show the desk, or the wizard over it."""
        self.set_class(self.glyphs.ascii, "-ascii")
        self._take_keys()
        chosen = self._start.chosen
        desk = DeskScreen(self._library, self._doors, glyphs=self.glyphs, home=self._start.home, chosen=chosen)
        if self._start.recover and chosen is not None and self._doors.wizard is not None:
            self.push_screen(self._doors.wizard(chosen), self._leave)
        else:
            self.push_screen(desk)

    def _leave(self, farewell: Farewell | None) -> None:
        """Say where the brief is, or how to come back, where it stays on the terminal."""
        self.exit(farewell.sentence if farewell is not None else None)

    def _take_keys(self) -> None:
        if self._start.config is None:
            return
        from refloat_tui.keymap import read_keymap

        self.keys, said = read_keymap(self._start.config)
        self.set_keymap(self.keys)
        for sentence in said:
            self.notify(sentence, severity="warning", markup=False)

    def _scopes_here(self) -> list[Scope]:
        found = {
            action.scope
            for active in self.screen.active_bindings.values()
            if (action := action_of(active.binding.id or ""))
        }
        if isinstance(self.screen, DeskScreen):
            found |= {"history", "checkout", "triage", "brief", "record", "text"}
        return [scope for scope in SCOPES if scope in found - _NO_HELP]

    def action_anywhere_help(self) -> None:
        """Every key that works here."""
        from refloat_tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self._scopes_here(), self.keys, glyphs=self.glyphs))

    def action_anywhere_palette(self) -> None:
        """Find any action."""
        from refloat_tui.palette import ActionCommands, ActionPalette

        if not isinstance(self.screen, ActionPalette):
            self.push_screen(ActionPalette(providers=[ActionCommands], placeholder="What do you want to do?"))

    def action_anywhere_look(self) -> None:
        """The next look."""
        names = [theme.name for theme in THEMES]
        here = names.index(self.theme) if self.theme in names else -1
        self.theme = names[(here + 1) % len(names)]

    def _handle_exception(self, error: Exception) -> None:
        """Once the app leaves, its parts go before their last messages: what those miss is no fault to show."""
        if not self._exit:
            super()._handle_exception(error)

    def exit(self, result: str | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Leave."""
        self.leaving()
        super().exit(result, return_code, message)

    def action_anywhere_quit(self) -> None:
        """Leave."""
        self.exit()


def make_doors(
    library: BenchLibrary, operations: Operations, environment: Mapping[str, str], demo: Demo | None = None
) -> Doors:
    """The ways out of a desk over a real workbench."""
    glyphs = choose_glyphs(environment)

    def wizard(name: SessionName) -> WizardScreen:
        from refloat_tui.screens.wizard.screen import WizardScreen

        return WizardScreen(partial(library.rescue, name), glyphs=glyphs, record=library.saved, operations=operations)

    return Doors(wizard, demo, operations)


def make_app(
    bench: Workbench,
    cwd: Path,
    *,
    chosen: SessionName | None = None,
    recover: bool = False,
    demo: Callable[[], tuple[Workbench, Path]] | None = None,
    program: Sequence[str] = ("refloat",),
    starts: bool = True,
) -> RefloatApp:
    """The app over a workbench. `demo` builds one and answers with its workbench and its repository; slow. `program`:
    the words that start Refloat's command line. `starts`: agents may be started.
    """
    from refloat_tui.bench_library import BenchLibrary
    from refloat_tui.bench_operations import BenchOperations

    places = bench.machine.places

    def open_demo() -> tuple[BenchLibrary, Doors]:
        workbench, workspace = demo() if demo is not None else (bench, cwd)
        library = BenchLibrary(workbench, workspace)
        operations = BenchOperations(workbench, workspace, program, starts=False)
        doors = make_doors(library, operations, places.environment)
        return library, replace(doors, home=str(workbench.machine.places.home))

    library = BenchLibrary(bench, cwd)
    operations = BenchOperations(bench, cwd, program, starts=starts)
    doors = make_doors(library, operations, places.environment, None if demo is None else open_demo)
    return RefloatApp(library, doors, Start(places.environment, places.config, str(places.home), chosen, recover))


def run_app(app: RefloatApp) -> str | None:
    """Run until the person leaves or the terminal goes away; call from the main thread of a process with a terminal.
    Answers with a sentence for the person, where there is one. Who leaves is not kept waiting: threads that still read
    after a second and a half end with the process.
    """
    from refloat_tui.terminal import Watchman

    watchman = Watchman(lambda: app.call_from_thread(app.exit))
    app.leaving = watchman.end_soon
    watchman.start()
    said = app.run()
    watchman.rest()
    return said
