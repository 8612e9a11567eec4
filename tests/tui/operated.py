"""Operations that answer from memory: what they are asked and what they were told to do is noted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from refloat.errors import NotDone, RefloatError
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.model.stopping import Left, Progress, Sent, Stopped
from refloat.model.terminals import Attachment, Whereabouts
from refloat_tui.operations import Asked, Offer, Operation, Planned, Repaired, Row, Salvaged

WILL: Mapping[Operation, tuple[str, ...]] = {
    "continue": ("go on with this very session, in its own transcript", "hold the session while the agent runs"),
    "new": ("write the brief first, private: /home/ana/.local/share/refloat/briefs/b.md", "link both sessions"),
    "attach": ("show it in this terminal, in tmux session work, window 2, pane 1",),
    "stop": ("send SIGINT to 4711 (claude) and wait 10 s", "send SIGTERM, then SIGKILL, to what is left"),
    "salvage": ("write /home/ana/refloat-salvage-5d.patch, a patch that is readable for you alone",),
    "repair": ("write a new file, as a session of its own, which its agent finds: /home/ana/.claude/projects/p",),
}
ROWS: Mapping[Operation, tuple[Row, ...]] = {
    "stop": (Row("4711", "owner", "claude", "claude --resume b2"), Row("4790", "child", "npm", "npm run dev")),
    "repair": (
        Row("line 12", "blocks", "dangling call", "toolu_01 has no result: closed as interrupted"),
        Row("line 40", "noted", "broken line", "half a line: left out"),
    ),
}
QUESTIONS: Mapping[Operation, str] = {
    "continue": "Continue \u201cRename totals to sums everywhere\u201d?",
    "new": "Start a new session from \u201cRound prices half to even\u201d?",
    "attach": "Go to \u201cRebuild the invoices of August\u201d?",
    "stop": "Stop \u201cRebuild the invoices of August\u201d?",
    "salvage": "Write the lost work of \u201cRound prices half to even\u201d into a patch?",
    "repair": "Repair \u201cRound prices half to even\u201d into a copy?",
}
BECAUSE: Mapping[Operation, str] = {
    "continue": "its process is gone and its last turn ended",
    "new": "its process is gone: a linked session starts with the brief",
    "attach": "process 4711 owns it",
    "stop": "process 4711 owns it",
    "salvage": "what its record holds of 1 file stands nowhere else that is safe",
    "repair": "its process is gone, and the copy is a session of its own",
}
LEASES: Mapping[Operation, str] = {
    "continue": "nobody else holds it; yours while the agent runs",
    "new": "nobody else holds it; yours while the agent runs",
    "attach": "nobody else holds it",
    "stop": "nobody else holds it",
    "salvage": "none is needed: neither the session nor the checkout is written to",
    "repair": "nobody else holds it; yours while the copy is written",
}
WILL_NOT: Mapping[Operation, str] = {
    "stop": "signal anything that is not of this tree",
    "attach": "type anything",
    "salvage": "touch the checkout",
    "repair": "write to the original",
}
COMMANDS: Mapping[Operation, str] = {
    "continue": "claude --resume b3d1f6c1e",
    "new": "claude 'Read HANDOFF.md and continue from it.'",
    "attach": "tmux -S /tmp/tmux-1000/default attach-session -t '$1'",
    "stop": "refloat stop claude-code:b2",
    "salvage": "refloat salvage claude-code:5d --out /home/ana/refloat-salvage-5d.patch",
    "repair": "refloat repair claude-code:5d --install",
}


def offer_of(asked: Asked) -> Offer:
    """An offer that nothing stands against."""
    operation = asked.operation
    return Offer(
        asked,
        QUESTIONS[operation],
        (COMMANDS[operation],),
        COMMANDS[operation],
        "/home/ana/shop",
        WILL[operation],
        (WILL_NOT.get(operation, "start beside another writer"),),
        LEASES[operation],
        BECAUSE[operation],
        heading="PROCESSES" if operation == "stop" else "WHAT IS WRONG",
        rows=ROWS.get(operation, ()),
        agents=("claude-code", "codex") if operation == "new" else (),
        takes_terminal=operation in {"continue", "new", "attach"},
    )


@dataclass
class FakePlanned:
    offer: Offer
    known: "FakeOperations"

    def _note(self, what: str) -> None:
        self.known.done.append((what, self.offer.asked))
        if self.known.fault is not None:
            raise self.known.fault

    def in_terminal(self) -> int:
        self._note("terminal")
        return 0

    def in_window(self) -> str:
        self._note("window")
        return "it goes on in tmux window work:3"

    def stop(self, tell: Callable[[Progress], None]) -> Stopped:
        self._note("stop")
        session = self.offer.asked.session
        try:
            for words in self.known.steps:
                tell(Progress("signal", words))
                self.known.between()
        except KeyboardInterrupt:
            left = (Left(4711, "claude", "it owns the session"),)
            return Stopped(session, "not_verified", (), left, "you ended the stop", by_person=True)
        sent = (Sent("SIGINT", 4711, Stamp("2026-09-14T12:00:00.000Z")),)
        left = (Left(4800, "vite", "background work of the session"),)
        return Stopped(session, "stopped", sent, left, "SIGINT to 4711 ended it", ("its register was left behind",))

    def repair(self) -> Repaired:
        self._note("repair")
        return Repaired("/home/ana/.claude/projects/p/new.jsonl", self.known.copy)

    def salvage(self) -> Salvaged:
        self._note("salvage")
        return Salvaged(("/home/ana/refloat-salvage-5d.patch",), "git -C /home/ana/shop apply refloat-salvage-5d.patch")


@dataclass
class FakeOperations:
    """`changes` is applied to every offer; tests set it between two looks."""

    changes: Callable[[Offer], Offer] = lambda offer: offer
    fault: RefloatError | None = None
    asked: list[Asked] = field(default_factory=list[Asked])
    done: list[tuple[str, Asked]] = field(default_factory=list[tuple[str, Asked]])
    steps: tuple[str, ...] = ("SIGINT to 4711 (claude)", "looking for 2 s whether anything goes on")
    between: Callable[[], object] = lambda: None
    copy: SessionName | None = None
    screen: tuple[str, ...] | None = ("$ claude", "\x1b[31mRebuild\x07 the invoices", "> _")

    def plan(self, asked: Asked) -> Planned:
        self.asked.append(asked)
        return FakePlanned(self.changes(offer_of(asked)), self)

    def peek(self, session: SessionName) -> Attachment:
        if self.screen is None:
            raise NotDone("its terminal is gone; `refloat stop` ends it")
        place = Whereabouts("tmux", 4711, "in tmux session work, window 2, pane 1")
        return Attachment(session, "/home/ana/shop", place, None, None, self.screen)


def refused(why: str, **more: object) -> Callable[[Offer], Offer]:
    """A change that refuses."""
    return lambda offer: replace(offer, refused=True, guard=why, **more)  # pyright: ignore[reportArgumentType] - by name, for tests
