"""Colours and signs: three looks of our own, and two sets of glyphs.

The only file with colours in it. Everything else names what a thing means (`$state-live`, `$pile-gone`, `$quiet`).
Each look answers the same names, so nothing asks which one is on.
"""

from collections.abc import Mapping
from typing import Final

from textual.theme import Theme

from refloat.model.light import light

DARK: Final = "refloat-dark"
LIGHT: Final = "refloat-light"
ANSI: Final = "refloat-16"

_DARK: Final = Theme(
    name=DARK,
    primary="#5cb8c4",
    secondary="#8fa7bf",
    accent="#5cb8c4",
    warning="#e2b14c",
    error="#f0736a",
    success="#86c77b",
    foreground="#d3dae2",
    background="#10151a",
    surface="#151b21",
    panel="#1b232b",
    dark=True,
    variables={
        "quiet": "#8593a1",
        "faint": "#4a5661",
        "rule": "#2a343d",
        "state-live": "#86c77b",
        "state-unresolved": "#e2b14c",
        "state-failed": "#f0736a",
        "state-stopped": "#8fb0d6",
        "state-unbound": "#8593a1",
        "pile-saved": "#86c77b",
        "pile-claimed": "#e2b14c",
        "pile-gone": "#f0736a",
        "added": "#9bd08f",
        "removed": "#f0938b",
        "added-ground": "#16261b",
        "removed-ground": "#2b1a1b",
        "cursor-ground": "#22313a",
        "cursor-blurred": "#1a242b",
        "key": "#5cb8c4",
        "person": "#c9b2e6",
        "border": "#2a343d",
        "border-blurred": "#2a343d",
        "block-cursor-background": "#22313a",
        "block-cursor-foreground": "#d3dae2",
        "block-cursor-text-style": "bold",
        "block-hover-background": "#1a242b",
        "input-selection-background": "#5cb8c4 35%",
        "scrollbar": "#2a343d",
        "scrollbar-hover": "#3a4752",
        "scrollbar-active": "#5cb8c4",
        "scrollbar-background": "#10151a",
        "scrollbar-background-hover": "#10151a",
        "scrollbar-background-active": "#10151a",
        "scrollbar-corner-color": "#10151a",
        "footer-background": "#10151a",
        "footer-key-foreground": "#5cb8c4",
    },
)

_LIGHT: Final = Theme(
    name=LIGHT,
    primary="#0b6f7d",
    secondary="#47617a",
    accent="#0b6f7d",
    warning="#8a5a00",
    error="#b3261e",
    success="#2f6f27",
    foreground="#1d2730",
    background="#fbfaf7",
    surface="#f4f2ed",
    panel="#eceae4",
    dark=False,
    variables={
        "quiet": "#5d6a75",
        "faint": "#9aa4ac",
        "rule": "#d8d5cd",
        "state-live": "#2f6f27",
        "state-unresolved": "#8a5a00",
        "state-failed": "#b3261e",
        "state-stopped": "#2a5c94",
        "state-unbound": "#5d6a75",
        "pile-saved": "#2f6f27",
        "pile-claimed": "#8a5a00",
        "pile-gone": "#b3261e",
        "added": "#2f6f27",
        "removed": "#b3261e",
        "added-ground": "#e4f0df",
        "removed-ground": "#f8e3e0",
        "cursor-ground": "#d9e7e8",
        "cursor-blurred": "#eceae4",
        "key": "#0b6f7d",
        "person": "#6a3f9c",
        "border": "#d8d5cd",
        "border-blurred": "#d8d5cd",
        "block-cursor-background": "#d9e7e8",
        "block-cursor-foreground": "#1d2730",
        "block-cursor-text-style": "bold",
        "block-hover-background": "#eceae4",
        "scrollbar": "#d8d5cd",
        "scrollbar-hover": "#b9b5ab",
        "scrollbar-active": "#0b6f7d",
        "scrollbar-background": "#fbfaf7",
        "scrollbar-background-hover": "#fbfaf7",
        "scrollbar-background-active": "#fbfaf7",
        "scrollbar-corner-color": "#fbfaf7",
        "footer-background": "#fbfaf7",
        "footer-key-foreground": "#0b6f7d",
    },
)

_ANSI: Final = Theme(
    name=ANSI,
    ansi=True,
    primary="ansi_cyan",
    secondary="ansi_blue",
    accent="ansi_cyan",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_white",
        "quiet": "ansi_default",
        "faint": "ansi_bright_black",
        "rule": "ansi_bright_black",
        "state-live": "ansi_green",
        "state-unresolved": "ansi_yellow",
        "state-failed": "ansi_red",
        "state-stopped": "ansi_blue",
        "state-unbound": "ansi_default",
        "pile-saved": "ansi_green",
        "pile-claimed": "ansi_yellow",
        "pile-gone": "ansi_red",
        "added": "ansi_green",
        "removed": "ansi_red",
        "added-ground": "ansi_default",
        "removed-ground": "ansi_default",
        "cursor-ground": "ansi_blue",
        "cursor-blurred": "ansi_default",
        "key": "ansi_cyan",
        "person": "ansi_magenta",
        "border": "ansi_bright_black",
        "border-blurred": "ansi_bright_black",
        "block-cursor-foreground": "ansi_bright_white",
        "block-cursor-background": "ansi_blue",
        "block-cursor-text-style": "bold",
        "input-cursor-background": "ansi_white",
        "input-cursor-foreground": "ansi_black",
        "input-selection-background": "ansi_blue",
        "input-selection-foreground": "ansi_bright_white",
        "screen-selection-background": "ansi_blue",
        "screen-selection-foreground": "ansi_bright_white",
        "scrollbar": "ansi_bright_black",
        "scrollbar-hover": "ansi_white",
        "scrollbar-active": "ansi_cyan",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "scrollbar-corner-color": "ansi_default",
        "footer-background": "ansi_default",
        "footer-key-foreground": "ansi_cyan",
    },
)

THEMES: Final = (_DARK, _LIGHT, _ANSI)
"""In the order in which `anywhere.look` walks them."""


def choose_theme(environment: Mapping[str, str]) -> str:
    """The look to begin with.

    `REFLOAT_THEME` (`dark`, `light`, `16`) decides; else a terminal that promises 256 colours or more gets dark, or
    light where it says that its ground is light (`COLORFGBG`, set by rxvt, Konsole and iTerm2), any other the sixteen.
    """
    wanted = f"refloat-{environment.get('REFLOAT_THEME', '')}"
    if wanted in {theme.name for theme in THEMES}:
        return wanted
    term = environment.get("TERM", "")
    if not environment.get("COLORTERM") and not term.endswith(("256color", "direct", "kitty", "ghostty", "alacritty")):
        return ANSI
    ground = environment.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if ground in {"7", "9", "10", "11", "12", "13", "14", "15"} else DARK


@light
class Glyphs:
    """Every sign that Refloat draws. Nothing else draws a sign of its own."""

    live: str
    unresolved: str
    failed: str
    stopped: str
    unbound: str
    present: str
    changed: str
    reverted: str
    deleted: str
    moved: str
    unknown: str
    partly: str
    ok: str
    error: str
    denied: str
    interrupted: str
    dangling: str
    prompt: str
    reply: str
    thinking: str
    marker: str
    open: str
    closed: str
    cursor: str
    watching: str
    not_watching: str
    bar: str
    quotes: tuple[str, str]
    left_only: str
    """Beside a change: the record alone has this line."""
    right_only: str
    """The disk alone has it."""
    ellipsis: str
    dot: str
    dash: str
    minus: str
    arrow: str
    chosen: str
    free: str
    crash: str
    compaction: str
    spark: str
    """From nothing to most."""
    spinner: tuple[str, ...]
    keys: Mapping[str, str]
    """Rewrites of `Action.shown_key` characters."""
    ascii: bool


UNICODE: Final = Glyphs(
    live="●",
    unresolved="◐",
    failed="✖",
    stopped="■",
    unbound="○",
    present="=",
    changed="≠",
    reverted="↩",
    deleted="✂",
    moved="→",
    unknown="?",
    partly="≈",
    ok="✔",
    error="✖",
    denied="⊘",
    interrupted="‖",
    dangling="◌",
    prompt="❯",
    reply="•",
    thinking="∴",
    marker="┄",
    open="▾",
    closed="▸",
    cursor="▌",
    watching="◉",
    not_watching="○",
    bar="│",
    quotes=("“", "”"),
    left_only="‹",
    right_only="›",
    ellipsis="…",
    dot="·",
    dash="–",
    minus="−",
    arrow="→",
    chosen="(•)",
    free="( )",
    crash="║",
    compaction="⌁",
    spark=" ▁▂▃▄▅▆▇█",
    spinner=("⠋", "⠙", "⠸", "⠴", "⠦", "⠇"),
    keys={},
    ascii=False,
)

ASCII: Final = Glyphs(
    live="*",
    unresolved="?",
    failed="x",
    stopped="#",
    unbound="o",
    present="=",
    changed="!",
    reverted="<",
    deleted="-",
    moved=">",
    unknown="?",
    partly="~",
    ok="+",
    error="x",
    denied="/",
    interrupted="=",
    dangling="o",
    prompt=">",
    reply=":",
    thinking="~",
    marker="-",
    open="v",
    closed=">",
    cursor=">",
    watching="(*)",
    not_watching="( )",
    bar="|",
    quotes=('"', '"'),
    left_only="<",
    right_only=">",
    ellipsis="...",
    dot="-",
    dash="-",
    minus="-",
    arrow="->",
    chosen="(*)",
    free="( )",
    crash="|",
    compaction="~",
    spark=" .:-=+*#@",
    spinner=("|", "/", "-", "\\"),
    keys={"↑": "up", "↓": "down", "←": "left", "→": "right", "⏎": "enter", "␣": "space", "⌫": "backspace"},
    ascii=True,
)


def choose_glyphs(environment: Mapping[str, str]) -> Glyphs:
    """Unicode where the locale is UTF-8 and nobody asked for ASCII by `REFLOAT_ASCII=1`; decided once, by the app."""
    if environment.get("REFLOAT_ASCII", "") not in {"", "0"}:
        return ASCII
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    return UNICODE if "UTF8" in locale.upper().replace("-", "") else ASCII
