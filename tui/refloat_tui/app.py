"""Wiring: takes a library, shows the desk. Decides the look and the keys; works nothing out by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType

from refloat import uncollected
from refloat.errors import NoThreads
from refloat.late import stand_in
from refloat.model.light import field, light
from refloat.model.session import SessionName
from refloat.together import can_start_threads
from refloat.waiting import tell_to
from refloat_tui.actions import SCOPES, Scope, action_of, bindings
from refloat_tui.screens.doors import Demo, Doors
from refloat_tui.theme import THEMES, choose_glyphs, choose_theme
from refloat_tui.turns import TurnApp

_THREADS: Final = 12
"""Threads that the app has at once: Textual's two, the watchman, the pool of the event loop, the looks at sessions."""

_OURS: Final = {theme.name: theme for theme in THEMES}

_WAIT_SHOWN: Final = 8.0
"""Seconds that a word about a wait stands."""

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.screen import Screen
    from textual.theme import Theme

    from refloat.usecases.first_rows import FirstRows
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


class RefloatApp(TurnApp[str]):
    """The terminal app."""

    TITLE = "refloat"
    CSS_PATH = "base.tcss"
    ENABLE_COMMAND_PALETTE = False
    """The stock one; ours is opened by `anywhere.palette`."""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("anywhere")]

    def __init__(self, library: Library, doors: Doors | None = None, start: Start | None = None) -> None:
        self._start = start or Start()
        # Before all else: a look that is changed has Textual read all its styles anew.
        self.set_reactive(App.theme, choose_theme(self._start.environment))
        super().__init__()
        self._library = library
        self._doors = doors or Doors()
        self.glyphs = choose_glyphs(self._start.environment)
        self.keys: dict[str, str] = {}
        """What the person changed, by action id."""
        self.leaving: Callable[[], None] = lambda: None
        """Told that the app is about to end."""
        self._first: FirstRows | None = None
        self._early: list[events.Key] | None = []
        """Keys that came before there was a screen to take them; None: there is one."""

    @property
    def available_themes(self) -> dict[str, Theme]:
        """Textual's looks, and ours."""
        return {**super().available_themes, **_OURS}

    def get_theme(self, theme_name: str) -> Theme | None:
        """A look by its name. Textual asks for it with each line that it draws."""
        return _OURS.get(theme_name) or super().get_theme(theme_name)

    def compose(self) -> ComposeResult:
        """The first rows, on Textual's own screen."""
        self._first = None if self._start.recover else self._library.first_rows(self.size.height)
        if self._first is not None:
            from refloat_tui.widgets.first_look import FirstLook

            yield FirstLook(
                self._first,
                self._library.now(),
                glyphs=self.glyphs,
                home=self._start.home,
                demo=self._doors.is_demo,
                narrows=self._start.chosen is None,
            )

    def on_mount(self) -> None:
        """Show the desk, or the wizard over it, once the first rows are painted."""
        self.set_class(self.glyphs.ascii, "-ascii")
        if self._first is None:
            self._open()
        else:
            self.call_after_refresh(self._open)

    def _open(self) -> None:
        self._take_keys()
        chosen = self._start.chosen
        if self._start.recover and chosen is not None and self._doors.wizard is not None:
            self.push_screen(self._doors.wizard(chosen), self._leave)
        else:
            self.push_screen(self._make_desk())
        self.screen.call_after_refresh(self._give_early)

    def _make_desk(self) -> Screen[None]:
        from refloat_tui.screens.desk import DeskScreen

        desk = DeskScreen(
            self._library,
            self._doors,
            glyphs=self.glyphs,
            home=self._start.home,
            chosen=self._start.chosen,
            first=self._first,
        )
        for path in desk.css_path:
            self.stylesheet.read(path)  # found by `push_screen`, it would have every style read anew
        return desk

    async def _give_early(self) -> None:
        """What was typed before there was a desk goes to it. `opening.hasten` paused the look for cycles until here."""
        uncollected.resume()
        await self.screen_stack[0].remove_children()
        self.call_later(self._take_early)

    async def _take_early(self) -> None:
        """In the app's own turn, so that none overtakes them. Of what was typed before the terminal was ours, it made
        each enter a new line.
        """
        early, self._early = self._early or [], None
        for key in early:
            enter = events.Key("enter", "\r").set_sender(self)
            enter.time = key.time
            await super().on_event(enter if key.key == "ctrl+j" else key)

    async def on_event(self, event: events.Event) -> None:
        """Keep keys until a screen can take them; drop those that come when none can any more."""
        if not isinstance(event, events.Key):
            await super().on_event(event)
        elif self._early is not None:
            self._early.append(event)
        elif self.is_running:
            await super().on_event(event)

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
        from refloat_tui.screens.desk import DeskScreen

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
        """The next look. Without colours (`NO_COLOR`) how a look is drawn is settled at the start: one whose colours
        are the terminal's own would be black on black in a terminal that was begun with others, and the other way.
        """
        names = [theme.name for theme in THEMES if not self.no_color or theme.ansi == self.current_theme.ansi]
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

    def tell_wait(self, sentence: str) -> None:
        """Show what a thread of this app waits for; to be called from that thread."""
        with suppress(RuntimeError):  # it ends just now
            self.notify(sentence, timeout=_WAIT_SHOWN, markup=False)

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

    places = bench.machine.places

    def open_demo() -> tuple[BenchLibrary, Doors]:
        workbench, workspace = demo() if demo is not None else (bench, cwd)
        library = BenchLibrary(workbench, workspace)
        operations = _operations(workbench, workspace, program, starts=False)
        doors = make_doors(library, operations, places.environment)
        return library, replace(doors, home=str(workbench.machine.places.home), is_demo=True)

    library = BenchLibrary(bench, cwd)
    operations = _operations(bench, cwd, program, starts=starts)
    doors = make_doors(library, operations, places.environment, None if demo is None else open_demo)
    doors = replace(doors, is_demo=not starts)
    return RefloatApp(library, doors, Start(places.environment, places.config, str(places.home), chosen, recover))


def _operations(bench: Workbench, cwd: Path, program: Sequence[str], *, starts: bool) -> Operations:
    """What may be done to sessions, loaded once something is asked about one: the first paint does not wait for it."""

    def make() -> Operations:
        from refloat_tui.bench_operations import BenchOperations

        return BenchOperations(bench, cwd, program, starts=starts)

    return stand_in(make)


def run_app(app: RefloatApp) -> str | None:
    """Run until the person leaves or the terminal goes away; call from the main thread of a process with a terminal.
    Answers with a sentence for the person, where there is one. Who leaves is not kept waiting: threads that still read
    after a second and a half end with the process.
    """
    from refloat_tui.terminal import Watchman

    if not can_start_threads(_THREADS):
        raise NoThreads("the app")
    tell_to(app.tell_wait)  # what is written beside the screen would spoil it
    watchman = Watchman(lambda: app.call_from_thread(app.exit))
    app.leaving = watchman.end_soon
    watchman.start()
    said = app.run()
    tell_to()
    watchman.rest()
    return said
