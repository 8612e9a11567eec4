"""The one table of everything a person can do: footer, help, palette, key remapping and the docs read these rows.

Decides ids, keys and words. Refuses to decide what an action does (its screen or widget has a method of the row's
`method` name) or whether it is possible now (`why_not` of the screen).
"""

from collections.abc import Iterator
from typing import Final, Literal

from textual.binding import Binding

from refloat.model.light import light

Scope = Literal[
    "anywhere",
    "rows",
    "text",
    "desk",
    "history",
    "checkout",
    "triage",
    "brief",
    "record",
    "search",
    "jobs",
    "job",
    "wrap",
    "pickup",
    "operation",
    "peek",
    "confirm",
    "move",
    "help",
    "wizard",
]
"""Who has the method: the app, a list, a long text, the desk, one of its panes, or another screen."""

Group = Literal["move", "open", "do", "leave"]
"""The groups of the footer and of help, in their order."""

GROUPS: Final[tuple[Group, ...]] = ("move", "open", "do", "leave")

SCOPES: Final[dict[Scope, str]] = {
    "desk": "On the desk",
    "rows": "In any list",
    "history": "History",
    "checkout": "Checkout",
    "triage": "Triage",
    "brief": "Brief",
    "record": "Record",
    "search": "Searching all sessions",
    "jobs": "The list of jobs",
    "job": "One job",
    "wrap": "Writing a wrap",
    "pickup": "Picking a job up",
    "text": "Reading a long text",
    "wizard": "In the wizard",
    "operation": "Before something is done",
    "peek": "Looking at a session's screen",
    "confirm": "A question",
    "move": "Moving a finding",
    "help": "This page",
    "anywhere": "Anywhere",
}
"""The scopes with their headings, in the order of the help page."""


@light
class Action:
    """One row of the table."""

    id: str
    """`scope.name`; users remap keys by it, so a released id never changes."""
    key: str
    """Textual's names of keys; several with commas between."""
    word: str
    """What the footer says: one or two short words."""
    title: str
    """What the palette says."""
    help: str
    """One sentence: what comes of it."""
    scope: Scope
    group: Group = "do"
    footer: int = 0
    """0: not in the footer. Otherwise the smaller number is kept longer when there is little room."""
    shown_key: str | None = None
    """How the key is written, where its name would not do."""
    footer_key: str | None = None
    """How the footer writes it, where one row stands there for several (`↑↓`)."""
    palette: bool = True
    priority: bool = False
    """Works also while an input has the focus."""

    @property
    def method(self) -> str:
        """The name of the method that does it, without `action_`."""
        return self.id.replace(".", "_")


ANYWHERE: Final = (
    Action(
        "anywhere.help",
        "question_mark,f1",
        "help",
        "Help",
        "Every key that works here, and what the signs mean.",
        "anywhere",
        "open",
        footer=5,
        shown_key="?",
    ),
    Action(
        "anywhere.palette",
        "ctrl+p",
        "all actions",
        "All actions",
        "Find any action by its name and do it.",
        "anywhere",
        "open",
        footer=9,
        shown_key="^p",
        palette=False,
        priority=True,
    ),
    Action(
        "anywhere.look",
        "f2",
        "look",
        "Change the look",
        "Dark, light, or the terminal's own sixteen colours, one after the other.",
        "anywhere",
    ),
    Action(
        "anywhere.quit",
        "ctrl+q",
        "quit",
        "Quit",
        "Leave Refloat. Nothing is lost: answers of a recovery are saved as they are given.",
        "anywhere",
        "leave",
        shown_key="^q",
        priority=True,
    ),
)

ROWS: Final = (
    Action("rows.up", "up,k", "up", "Up", "One row up.", "rows", "move", shown_key="↑ k", palette=False),
    Action(
        "rows.down",
        "down,j",
        "move",
        "Down",
        "One row down.",
        "rows",
        "move",
        footer=10,
        shown_key="↓ j",
        footer_key="↑↓",
        palette=False,
    ),
    Action("rows.page_up", "pageup", "page up", "Page up", "One page up.", "rows", "move", palette=False),
    Action("rows.page_down", "pagedown", "page down", "Page down", "One page down.", "rows", "move", palette=False),
    Action("rows.first", "g,home", "first", "First row", "To the first row.", "rows", "move", shown_key="g"),
    Action("rows.last", "G,end", "last", "Last row", "To the last row.", "rows", "move", shown_key="G"),
    Action(
        "rows.open", "enter", "open", "Open", "Open what the cursor is on.", "rows", "open", footer=2, shown_key="enter"
    ),
)

TEXT: Final = (
    Action(
        "text.page_down",
        "space",
        "page down",
        "Page down",
        "One page down.",
        "text",
        "move",
        footer=2,
        palette=False,
    ),
    Action("text.page_up", "b", "page up", "Page up", "One page up.", "text", "move", palette=False),
    Action("text.copy", "y", "copy", "Copy this text", "Copy what is shown, secrets masked.", "text", footer=3),
    Action(
        "text.leave",
        "escape,q",
        "back",
        "Back",
        "Back to where you were.",
        "text",
        "leave",
        footer=1,
        shown_key="esc",
        palette=False,
    ),
)

DESK: Final = (
    Action(
        "desk.recover",
        "r",
        "recover",
        "Recover this session",
        "Walk the seven steps and leave with a brief. Every answer is saved as it is given.",
        "desk",
        footer=1,
    ),
    Action(
        "desk.back",
        "escape",
        "list",
        "Back to the list",
        "Where there is room for one thing only: from the session back to the list. Clears a filter.",
        "desk",
        "leave",
        footer=2,
        shown_key="esc",
    ),
    Action(
        "desk.return",
        "backspace",
        "back",
        "Back from a jump",
        "To where you stood before the last jump from one pane to another; again, to the one before it.",
        "desk",
        "leave",
        footer=3,
        shown_key="⌫",
    ),
    Action(
        "desk.attach",
        "a",
        "attach",
        "Go to where it runs",
        "Shows the exact command first, then goes to the terminal of a live session.",
        "desk",
        footer=8,
    ),
    Action(
        "desk.peek",
        "p",
        "peek",
        "Look at its screen",
        "What the terminal of a live session shows now. Nothing is switched, nobody is disturbed.",
        "desk",
        "open",
        footer=10,
    ),
    Action(
        "desk.continue",
        "c",
        "continue",
        "Continue this session",
        "The agent's own resume command, shown first; refused where another writer may be at it.",
        "desk",
        footer=8,
    ),
    Action(
        "desk.new",
        "plus",
        "new",
        "Start a new session from this one",
        "A linked session in the same workspace that reads the brief first; of this agent or another.",
        "desk",
        footer=8,
        shown_key="+",
    ),
    Action(
        "desk.stop",
        "s",
        "stop",
        "Stop its process",
        "Shows whom it will signal, then interrupts, terminates, kills, and says what was verified.",
        "desk",
        footer=8,
    ),
    Action(
        "desk.repair",
        "M",
        "repair",
        "Repair its transcript into a copy",
        "What keeps the agent from loading it, and a repaired copy. The original is never written to.",
        "desk",
    ),
    Action(
        "desk.newer",
        "right_square_bracket",
        "next attempt",
        "The next attempt",
        "To the session that went on from this one.",
        "desk",
        "move",
        footer=9,
        shown_key="]",
    ),
    Action(
        "desk.older",
        "left_square_bracket",
        "last attempt",
        "The attempt before",
        "To the session that this one went on from.",
        "desk",
        "move",
        shown_key="[",
    ),
    Action(
        "desk.evidence",
        "e",
        "evidence",
        "Unfold the evidence",
        "What was looked at to judge the state: where, when, and what it proves.",
        "desk",
        "open",
        footer=4,
    ),
    Action(
        "desk.filter",
        "slash",
        "filter",
        "Filter the sessions",
        "Type words of a title, an agent, a state, a branch or a workspace.",
        "desk",
        "move",
        footer=3,
        shown_key="/",
    ),
    Action(
        "desk.search",
        "S,ctrl+f",
        "search",
        "Search all sessions",
        "Words in prompts, replies, commands, paths and outputs of every session, and the way to each place.",
        "desk",
        "open",
        footer=10,
        shown_key="S",
    ),
    Action(
        "desk.scope",
        "h",
        "here/all",
        "Sessions of this place, or all",
        "Switch between the sessions of this repository and those of the whole machine.",
        "desk",
        "move",
        footer=6,
    ),
    Action(
        "desk.copy",
        "y",
        "copy",
        "Copy the next command",
        "Copy the command that goes on from here; it is shown beside NEXT.",
        "desk",
        footer=7,
    ),
    Action(
        "desk.recap",
        "1",
        "tab",
        "Recap",
        "What matters: asked, done, said, open, last.",
        "desk",
        "open",
        footer=11,
        footer_key="1-6",
    ),
    Action("desk.history", "2", "history", "History", "Every message, step and marker.", "desk", "open"),
    Action(
        "desk.checkout",
        "3",
        "checkout",
        "Checkout",
        "The files as they are, against what was recorded.",
        "desk",
        "open",
    ),
    Action(
        "desk.triage", "4", "triage", "Triage", "What is saved, what is only claimed, what is gone.", "desk", "open"
    ),
    Action(
        "desk.brief",
        "5,b",
        "brief",
        "Brief",
        "What the next attempt is handed.",
        "desk",
        "open",
        footer=8,
        shown_key="b",
    ),
    Action(
        "desk.record",
        "6",
        "record",
        "Record",
        "The job that this session is on: its chain, verdicts, where the crash sits, what is decided.",
        "desk",
        "open",
    ),
    Action(
        "desk.jobs",
        "J",
        "jobs",
        "Jobs",
        "Every job of the record, those of this session first; one of them can be opened.",
        "desk",
        "open",
        footer=9,
    ),
    Action(
        "desk.refresh",
        "ctrl+r",
        "look again",
        "Look again",
        "Read what changed now, without waiting for the watch.",
        "desk",
        shown_key="^r",
    ),
    Action(
        "desk.demo",
        "d",
        "demo",
        "Open the demo",
        "A small repository with sessions in every state, in a temporary place, to try Refloat on.",
        "desk",
        footer=12,
    ),
    Action("desk.quit", "q", "quit", "Quit", "Leave Refloat.", "desk", "leave", palette=False),
)

HISTORY: Final = (
    Action(
        "history.crash",
        "x",
        "crash",
        "Go to where it ended",
        "To the step that has no result, the error that ended it, or the last thing recorded.",
        "history",
        "move",
        footer=3,
    ),
    Action(
        "history.next",
        "n",
        "trouble",
        "To the next thing that went wrong",
        "A step that failed, was refused or has no result; an error of the provider, an interruption, a compaction.",
        "history",
        "move",
    ),
    Action(
        "history.before",
        "N",
        "back",
        "To the one before",
        "Back to the last thing that went wrong before the cursor.",
        "history",
        "move",
    ),
    Action(
        "history.place",
        "i",
        "go to",
        "Go to a place",
        "An item by its number (12), a step (s31), a line of the transcript (l1200), or a part of the whole (40%).",
        "history",
        "move",
    ),
    Action(
        "history.kinds",
        "f",
        "kinds",
        "Filter by kind",
        "All; then talk, steps, edits, checks, effects outside, and what went wrong; one after the other.",
        "history",
        "move",
        footer=4,
    ),
    Action(
        "history.change",
        "v",
        "its change",
        "What became of a step's change",
        "From an edit to its place in Checkout, from a check to whether it still holds.",
        "history",
        "open",
        footer=3,
    ),
)

CHECKOUT: Final = (
    Action(
        "checkout.sides",
        "u",
        "layout",
        "Both sides beside each other, or in one column",
        "Recorded and on disk: two columns, or one with a sign for each side.",
        "checkout",
        footer=4,
    ),
)

TRIAGE: Final = (
    Action(
        "triage.looked",
        "space",
        "looked at",
        "Looked at",
        "Mark a finding as looked at, or take that back. Kept with the recovery of this session.",
        "triage",
        footer=5,
    ),
    Action(
        "triage.move",
        "m",
        "move",
        "Move to another pile",
        "Say that a finding is saved, claimed or gone, and why. Kept with the recovery of this session.",
        "triage",
        footer=4,
    ),
    Action(
        "triage.undo",
        "u",
        "take back",
        "Take your word back",
        "The finding lies again where the evidence put it.",
        "triage",
        footer=9,
    ),
    Action(
        "triage.behind",
        "v",
        "behind it",
        "What stands behind a finding",
        "Its change or check in Checkout; for a claim, the step that confirms or contradicts it.",
        "triage",
        "open",
        footer=6,
    ),
    Action(
        "triage.left", "left", "left", "Pile to the left", "To the pile at the left.", "triage", "move", palette=False
    ),
    Action(
        "triage.right",
        "right",
        "piles",
        "Pile to the right",
        "To the pile at the right.",
        "triage",
        "move",
        footer=4,
        shown_key="← →",
        palette=False,
    ),
)

BRIEF: Final = (
    Action(
        "brief.write",
        "w",
        "write",
        "Write the brief to a file",
        "Write HANDOFF.md into the workspace, readable for you alone; asks before it replaces a file.",
        "brief",
        footer=3,
    ),
    Action("brief.copy", "y", "copy", "Copy the brief", "Copy the whole brief, over SSH too.", "brief", footer=3),
)

RECORD: Final = (
    Action(
        "record.verify",
        "v",
        "verify",
        "Verify this job",
        "Re-hash every field and every saved byte; says what is not as it was saved.",
        "record",
        footer=3,
    ),
    Action("record.stop", "x", "stop", "Stop verifying", "What was found so far is forgotten.", "record", footer=2),
    Action(
        "record.wrap",
        "W",
        "wrap",
        "Wrap",
        "Hand over: what was done, what for, to whom, what comes next. Sealed into the chain.",
        "record",
        footer=4,
    ),
    Action(
        "record.pickup",
        "P",
        "pick up",
        "Pick this job up",
        "Read it, verify what most rests on, and go on at the first step that nobody may take for done.",
        "record",
        footer=4,
    ),
    Action(
        "record.other",
        "o",
        "other job",
        "The next job of this session",
        "Where a session or its workspace is on several jobs: the next one.",
        "record",
        "move",
        footer=6,
    ),
)

SEARCH: Final = (
    Action("search.up", "up", "up", "Up", "One hit up.", "search", "move", shown_key="↑", palette=False, priority=True),
    Action(
        "search.down",
        "down",
        "down",
        "Down",
        "One hit down.",
        "search",
        "move",
        footer=3,
        shown_key="↓",
        footer_key="↑↓",
        palette=False,
        priority=True,
    ),
    Action(
        "search.open",
        "ctrl+o",
        "go there",
        "Go to this place",
        "Show the item in the history of its session. Enter does the same.",
        "search",
        "open",
        footer=1,
        shown_key="enter",
        palette=False,
    ),
    Action(
        "search.where",
        "f3",
        "where",
        "Sessions of this place, or all",
        "Search the sessions of this repository, or those of the whole machine.",
        "search",
        footer=4,
        priority=True,
    ),
    Action(
        "search.agent",
        "f4",
        "agent",
        "Sessions of one agent, or of any",
        "One agent after the other, then any.",
        "search",
        footer=5,
        priority=True,
    ),
    Action(
        "search.state",
        "f5",
        "state",
        "Sessions in one state, or in any",
        "One state after the other, then any.",
        "search",
        footer=6,
        priority=True,
    ),
    Action(
        "search.when",
        "f6",
        "when",
        "Of the last day, week, month, or any time",
        "Only what was said or done since then.",
        "search",
        footer=7,
        priority=True,
    ),
    Action(
        "search.leave",
        "escape",
        "back",
        "Back",
        "Takes the filters back; where none narrows the search, back to the desk.",
        "search",
        "leave",
        footer=2,
        shown_key="esc",
        palette=False,
    ),
)

JOBS: Final = (
    Action(
        "jobs.leave",
        "escape,q",
        "back",
        "Back",
        "Back to where you were.",
        "jobs",
        "leave",
        footer=1,
        shown_key="esc",
        palette=False,
    ),
)

JOB: Final = (
    Action(
        "job.leave",
        "escape,q",
        "back",
        "Back",
        "Back to where you were.",
        "job",
        "leave",
        footer=1,
        shown_key="esc",
        palette=False,
    ),
)

WRAP: Final = (
    Action(
        "wrap.seal",
        "ctrl+s",
        "seal it",
        "Seal the wrap",
        "Into the chain of the job, as it stands here.",
        "wrap",
        footer=1,
        shown_key="^s",
        palette=False,
        priority=True,
    ),
    Action(
        "wrap.next",
        "tab",
        "next field",
        "The next field",
        "From field to field.",
        "wrap",
        "move",
        footer=2,
        palette=False,
        priority=True,
    ),
    Action(
        "wrap.before",
        "shift+tab",
        "field before",
        "The field before",
        "Back from field to field.",
        "wrap",
        "move",
        palette=False,
        priority=True,
    ),
    Action(
        "wrap.leave",
        "escape",
        "leave",
        "Leave the wrap",
        "Nothing is sealed; what was typed stays where there is a session to keep it with.",
        "wrap",
        "leave",
        footer=3,
        shown_key="esc",
        palette=False,
        priority=True,
    ),
)

PICKUP: Final = (
    Action(
        "pickup.take",
        "enter",
        "pick it up",
        "Pick it up",
        "Verify what most rests on, and seal that you go on.",
        "pickup",
        footer=1,
        palette=False,
        priority=True,
    ),
    Action(
        "pickup.leave",
        "escape,q",
        "leave it",
        "Leave it",
        "Nothing is sealed.",
        "pickup",
        "leave",
        footer=2,
        shown_key="esc",
        palette=False,
    ),
)

OPERATION: Final = (
    Action(
        "operation.yes",
        "enter",
        "yes",
        "Yes",
        "Look once more, then do it. Where something moved meanwhile you are asked again.",
        "operation",
        footer=1,
        shown_key="enter",
        palette=False,
    ),
    Action(
        "operation.no",
        "escape,q",
        "no",
        "No",
        "Nothing is done. While it stops something: stop before the next signal.",
        "operation",
        "leave",
        footer=2,
        shown_key="esc",
        palette=False,
    ),
    Action(
        "operation.copy",
        "y",
        "copy",
        "Copy the command",
        "The exact command, secrets masked; it works over SSH, too.",
        "operation",
        footer=5,
        palette=False,
    ),
    Action(
        "operation.instead",
        "o",
        "instead",
        "Do what is possible instead",
        "Where it is refused and something else is right: ask about that.",
        "operation",
        footer=3,
        palette=False,
    ),
    Action(
        "operation.where",
        "w",
        "where",
        "Somewhere else",
        "In a new tmux window or in this terminal; a repaired copy: in place or in a file.",
        "operation",
        footer=3,
        palette=False,
    ),
    Action(
        "operation.agent",
        "a",
        "agent",
        "Another agent",
        "The next of the agents that are installed here.",
        "operation",
        footer=3,
        palette=False,
    ),
    Action(
        "operation.process",
        "p",
        "process",
        "Name the process",
        "Where nobody proved whose process it is: the next of those that may be it.",
        "operation",
        footer=3,
        palette=False,
    ),
    Action(
        "operation.words",
        "e",
        "words",
        "A prompt, or the file of the copy",
        "Type what the agent is asked first; of a repair, where the copy goes.",
        "operation",
        footer=4,
        palette=False,
    ),
    Action(
        "operation.force",
        "f",
        "force",
        "Overrule the refusal",
        "Asks for a reason, which is kept in the record with what it overruled.",
        "operation",
        footer=4,
        palette=False,
    ),
)

PEEK: Final = (
    Action(
        "peek.again",
        "r,space",
        "look again",
        "Look again",
        "What it shows now.",
        "peek",
        footer=2,
        shown_key="r",
        palette=False,
    ),
    Action(
        "peek.attach",
        "a",
        "attach",
        "Go there",
        "Shows the exact command first.",
        "peek",
        footer=3,
        palette=False,
    ),
    Action(
        "peek.leave",
        "escape,q",
        "back",
        "Back",
        "Back to where you were.",
        "peek",
        "leave",
        footer=1,
        shown_key="esc",
        palette=False,
    ),
)

CONFIRM: Final = (
    Action("confirm.yes", "y,enter", "yes", "Yes", "Do it.", "confirm", footer=1, shown_key="y", palette=False),
    Action(
        "confirm.no",
        "n,escape",
        "no",
        "No",
        "Leave everything as it is.",
        "confirm",
        "leave",
        footer=2,
        shown_key="n",
        palette=False,
    ),
)

MOVE: Final = (
    Action(
        "move.keep",
        "enter",
        "move it",
        "Move it",
        "To this pile, for this reason.",
        "move",
        footer=1,
        shown_key="enter",
        palette=False,
        priority=True,
    ),
    Action(
        "move.next",
        "down,tab",
        "next pile",
        "The next pile",
        "Another pile to move it to.",
        "move",
        "move",
        footer=2,
        shown_key="↓",
        palette=False,
        priority=True,
    ),
    Action(
        "move.leave",
        "escape",
        "leave it",
        "Leave it",
        "It stays where it lies.",
        "move",
        "leave",
        footer=3,
        shown_key="esc",
        palette=False,
    ),
)

HELP: Final = (
    Action(
        "help.leave",
        "escape,q,question_mark",
        "back",
        "Back",
        "Back to where you were.",
        "help",
        "leave",
        footer=1,
        shown_key="esc",
        palette=False,
    ),
)

WIZARD: Final = (
    Action(
        "wizard.next",
        "enter",
        "go on",
        "Go on",
        "The page stands as it is; on to the next. On the last one: write the brief, then leave.",
        "wizard",
        "move",
        footer=1,
    ),
    Action(
        "wizard.back",
        "escape",
        "back",
        "Back",
        "To the page before; nothing is lost. From the first page: leave.",
        "wizard",
        "move",
        footer=2,
        shown_key="esc",
    ),
    Action(
        "wizard.choose",
        "space",
        "choose",
        "Choose",
        "Say what the row under the cursor says: this answer, the next owner, looked at, it happened.",
        "wizard",
        footer=4,
    ),
    Action(
        "wizard.edit",
        "e",
        "own words",
        "Say it in your own words",
        "Type into the row under the cursor. Enter keeps, ctrl+j begins a new line.",
        "wizard",
        footer=5,
    ),
    Action(
        "wizard.move",
        "m",
        "move",
        "Move to another pile",
        "Say that a finding is saved, claimed or gone, and why.",
        "wizard",
        footer=3,
    ),
    Action(
        "wizard.probe",
        "p",
        "look now",
        "Run the look",
        "Show the read-only command that would tell, and run it when you say so.",
        "wizard",
        footer=3,
    ),
    Action(
        "wizard.undo",
        "u",
        "take back",
        "Take your word back",
        "The row under the cursor says again what the evidence says.",
        "wizard",
        footer=8,
    ),
    Action(
        "wizard.write",
        "w",
        "write",
        "Write the brief to a file",
        "Says the path first, asks before it replaces a file. Readable for you alone.",
        "wizard",
        footer=3,
    ),
    Action(
        "wizard.copy",
        "y",
        "copy",
        "Copy the brief",
        "Copy the whole brief, secrets masked; it works over SSH, too.",
        "wizard",
        footer=4,
    ),
    Action(
        "wizard.wrap",
        "W",
        "wrap",
        "Wrap",
        "Hand over in the record: a wrap of the job, filled in from the brief.",
        "wizard",
        footer=5,
    ),
    Action(
        "wizard.preview",
        "v",
        "preview",
        "What is masked, and what will age",
        "Every masked place of the brief by kind and length, and what it will be held to.",
        "wizard",
        "open",
        footer=7,
    ),
    Action(
        "wizard.command",
        "n",
        "next session",
        "Start the next session",
        "Shows the exact command that starts a linked session with this brief, then runs it on a yes.",
        "wizard",
        footer=6,
    ),
    Action(
        "wizard.add",
        "a",
        "add a line",
        "Add a line to the brief",
        "A line of yours, in the section under the cursor.",
        "wizard",
        footer=9,
    ),
    Action(
        "wizard.drop",
        "x",
        "take out",
        "Take a line out of the brief",
        "The line under the cursor goes; u brings it back.",
        "wizard",
        footer=9,
    ),
    Action(
        "wizard.brief",
        "b",
        "brief",
        "See the brief as it is now",
        "Where there is no room for it at the right.",
        "wizard",
        "open",
        footer=6,
    ),
    Action(
        "wizard.leave",
        "ctrl+c",
        "leave",
        "Leave the wizard",
        "Every answer is saved already; says how to come back.",
        "wizard",
        "leave",
        footer=7,
        shown_key="^c",
        priority=True,
    ),
)

ACTIONS: Final = (
    *DESK,
    *ROWS,
    *HISTORY,
    *CHECKOUT,
    *TRIAGE,
    *BRIEF,
    *RECORD,
    *SEARCH,
    *JOBS,
    *JOB,
    *WRAP,
    *PICKUP,
    *TEXT,
    *WIZARD,
    *OPERATION,
    *PEEK,
    *CONFIRM,
    *MOVE,
    *HELP,
    *ANYWHERE,
)
"""Every row, in the order of the help page."""

ACTIONS_BY_ID: Final = {action.id: action for action in ACTIONS}


def action_of(identifier: str) -> Action | None:
    """The row of that id."""
    return ACTIONS_BY_ID.get(identifier)


def find_actions(scope: Scope) -> Iterator[Action]:
    """The rows of one scope, in the order of the table."""
    return (action for action in ACTIONS if action.scope == scope)


def bindings(*scopes: Scope) -> list[Binding]:
    """Textual's bindings of one or more scopes, each with its id (for remapping) and its help as the tooltip."""
    return [
        Binding(
            action.key,
            action.method,
            action.word,
            show=action.footer > 0,
            key_display=action.shown_key,
            priority=action.priority,
            tooltip=action.help,
            id=action.id,
        )
        for scope in scopes
        for action in find_actions(scope)
    ]
