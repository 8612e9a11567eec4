"""Help: every key from the table of actions, and what the signs mean."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from refloat.model.fate_words import FATE_WORDS, OWNER_WORDS, STATE_WORDS
from refloat.model.session import State
from refloat_tui.actions import GROUPS, SCOPES, Action, Scope, bindings, find_actions
from refloat_tui.base import RefloatScreen
from refloat_tui.present.markdown import MarkdownLine
from refloat_tui.present.state import state_glyph, state_style
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.key_line import KeyLine
from refloat_tui.widgets.text_lines import TextLines

_STATES = {
    State.LIVE: "a running process verifiably owns it: attach, never start a second writer",
    State.UNRESOLVED: "a process may own it, or its absence cannot be proved: resolve that first",
    State.FAILED: "its process is gone and its record ends badly: a new linked session, with a brief",
    State.STOPPED: "its process is gone and its last turn ended: continue it",
    State.UNBOUND: "it exists, and nothing was ever asked of it",
}


_WORDS = {
    "dangling": "a call whose result was never recorded: nobody knows how far it came",
    "file state": f"how a file stands against all that was recorded of it: {', '.join(STATE_WORDS.values())}",
    "fate": f"what became of one recorded edit: {', '.join(FATE_WORDS.values())}",
    "owner": f"who made a change on disk: {', '.join(OWNER_WORDS.values())}",
    "check": "current: no file changed after it; stale: one did; unknown tree: nobody can say what it saw",
    "linked": "a session that was started from the brief of another",
    "receipt": "the hash-bound record of a finished step: unchanged since saved, which does not make it right",
    "sealed": "a step that ended and has its receipt",
    "wrap": "a handover: summary, goal, recipient and next steps, with the receipted steps so far",
}


def _signs(glyphs: Glyphs) -> dict[str, str]:
    """What the signs and numbers mean that stand on screen without a word."""
    steps = (glyphs.ok, glyphs.error, glyphs.denied, glyphs.interrupted, glyphs.dangling)
    return {
        f"{glyphs.present} {glyphs.partly} {glyphs.changed}": "a file: present; changed since, or partly; diverged",
        f"{glyphs.reverted} {glyphs.deleted} {glyphs.moved} {glyphs.unknown}": "reverted; deleted; moved; unverifiable",
        glyphs.dot: "a dirty file that the session did not edit",
        " ".join(steps): "a step: ok; error; refused; interrupted; dangling",
        f"{glyphs.prompt} {glyphs.reply} {glyphs.thinking} {glyphs.marker}": "history: asked; said; thought; a marker",
        f"{glyphs.compaction} {glyphs.crash}": "on the strip of time: the talk was compacted; it ended badly",
        f"{glyphs.left_only} {glyphs.right_only}": "a line that the record alone has; that the disk alone has",
        f"{glyphs.ok} {glyphs.reply} {glyphs.partly} {glyphs.unknown}": (
            "a line of a brief: verified; recorded; reconstructed; unknown"
        ),
        f"{glyphs.changed} {glyphs.prompt}": "a line of a brief: verified, and lost; a person's own",
        "40m  2": "at the end of a session's row: how long ago, and how many of its calls have no result",
        "2/3": "in a session's row: the second of three attempts at one piece of work",
        f"Triage 3{glyphs.dot}1{glyphs.dot}2": "three saved, one only claimed, two gone",
    }


def _key(action: Action, keys: dict[str, str], glyphs: Glyphs) -> str:
    shown = action.shown_key
    if shown == "← →":  # the footer shows both under one
        shown = "→"
    if action.key.partition(",")[0] == "left" and shown is None:
        shown = "←"
    shown = keys.get(action.id) or shown or action.key.replace(",", " ").replace("slash", "/")
    for sign, word in glyphs.keys.items():
        shown = shown.replace(sign, word)
    return shown


def _scope_lines(scope: Scope, keys: dict[str, str], glyphs: Glyphs) -> Iterator[MarkdownLine]:
    rows = sorted(find_actions(scope), key=lambda action: GROUPS.index(action.group))
    if not rows:
        return
    yield MarkdownLine(((SCOPES[scope], "$accent bold"),))
    for action in rows:
        lead = f"  {_key(action, keys, glyphs):<12}"
        yield MarkdownLine(((f"{action.title}. ", "bold"), (action.help, "$quiet")), lead=lead, style="$key bold")
    yield MarkdownLine(())


def help_lines(scopes: Sequence[Scope], keys: dict[str, str], glyphs: Glyphs) -> list[MarkdownLine]:
    """The page: keys of these scopes, then the signs."""
    lines = [line for scope in SCOPES if scope in scopes for line in _scope_lines(scope, keys, glyphs)]
    lines.append(MarkdownLine((("What the states mean: may another writer start?", "$accent bold"),)))
    lines += [
        MarkdownLine(
            ((meaning, "$quiet"),), lead=f"  {state_glyph(state, glyphs)} {state.value:<11}", style=state_style(state)
        )
        for state, meaning in _STATES.items()
    ]
    lines += [MarkdownLine(()), MarkdownLine((("Signs and numbers", "$accent bold"),))]
    lines += [
        MarkdownLine(((meaning, "$quiet"),), lead=f"  {sign:<13}", style="bold")
        for sign, meaning in _signs(glyphs).items()
    ]
    lines += [MarkdownLine(()), MarkdownLine((("Words", "$accent bold"),))]
    lines += [
        MarkdownLine(((meaning, "$quiet"),), lead=f"  {word:<13}", style="bold") for word, meaning in _WORDS.items()
    ]
    return lines


class HelpScreen(RefloatScreen[None]):
    """The page."""

    CSS = """
    HelpScreen > #heading { height: 1; padding: 0 1; margin: 0 0 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("help")]

    def __init__(self, scopes: Sequence[Scope], keys: dict[str, str], *, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self._scopes = scopes
        self._keys = keys

    def compose(self) -> ComposeResult:
        """Heading, page, keys."""
        yield Static(
            content((("Help", "bold"), ("   keys can be changed in keys.toml, by id", "$quiet"))), id="heading"
        )
        yield TextLines(self.glyphs, id="help-text")
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Begin at the top."""
        text = self.query_one(TextLines)
        text.take(help_lines(self._scopes, self._keys, self.glyphs))
        text.focus()

    def action_help_leave(self) -> None:
        """Back."""
        self.dismiss(None)
