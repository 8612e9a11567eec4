"""Events to a session: pairs calls with results, joins split messages, counts, and tells how the record ends.

`Assembler(keep_items=False)` keeps nothing that grows with the transcript but ids, and can be frozen and thawed: a
list needs no more. `keep_items=True` keeps the items as well, each text up to `KEPT` characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, assert_never, cast

from refloat.model.light import replace
from refloat.model.problem import Place, Problem
from refloat.model.session import PendingKind
from refloat.model.stamp import Stamp
from refloat.model.story import Story, Summary
from refloat.model.transcript import (
    BackgroundSeen,
    Call,
    Ending,
    Event,
    Fact,
    FileEdit,
    Item,
    Marker,
    Message,
    Queued,
    Result,
    TakenBack,
    Touched,
    TurnBegan,
    TurnEnded,
    Unknown,
)  # fmt: skip
from refloat.readers.contract import Sink
from refloat.readers.counters import Counters, freeze, thaw
from refloat.readers.numbers import Numbers
from refloat.readers.pairing import Calls, OpenCall, is_edit, keep_ends, short

if TYPE_CHECKING:
    from refloat.readers.history import History
    from refloat.readers.places import Places

KEPT: Final = 12 * 1024
"""Characters kept of each text unless the whole is asked for: three times what any surface shows, so that masking sees
secrets whole before anything is cut, and little enough that a long session fits into memory."""

HANDED: Final = 3 * 1024
"""Characters of an output that whoever searches is handed, a third of them from its end. How much of that is
searched is theirs to say."""

_ANSWERED: Final = 64
"""Calls answered of late whose items are remembered."""
_PROBLEMS: Final = 1000
"""Problems kept of one transcript; of a file that is damaged all over, the first thousand say enough."""
_TITLE: Final = 4096
_FIRST_STAYS: Final = frozenset({"commit", "started", "lineage"})


class Assembler:
    """Takes the events of one session, or of one sub-agent, in reading order."""

    def __init__(
        self,
        agent: str,
        session_id: str,
        *,
        keep_items: bool,
        subagent: str | None = None,
        kept: int | None = KEPT,
        frozen: Mapping[str, object] | None = None,
        sink: Sink | None = None,
        places: Places | None = None,
    ) -> None:
        self.agent = agent
        self.session_id = session_id
        self._subagent = subagent
        self._kept = kept
        self._c, self._calls = thaw(frozen) if frozen else (Counters(), Calls())
        given = {**cast("Mapping[str, object]", frozen["numbers"]), "rows": frozen["#rows"]} if frozen else None
        self._numbers = Numbers(given) if places is None else places
        self._sink = sink
        self._told_outputs: dict[str, int] = {}
        self._prompt_rows = {row for row, _, _ in self._c.prompts}
        self._history: History | None = None
        if keep_items:
            from refloat.readers.history import History  # who only counts does without

            self._history = History(kept)

    @property
    def keeps_items(self) -> bool:
        """Whether it can tell items, not counts alone."""
        return self._history is not None

    @property
    def is_searched(self) -> bool:
        """Whether somebody takes the texts."""
        return self._sink is not None

    @property
    def was_asked(self) -> bool:
        """Whether a prompt came."""
        return bool(self._c.prompts)

    @property
    def is_alive(self) -> bool:
        """Whether anything told of its time."""
        return self._c.last_at is not None

    @property
    def title_told(self) -> str:
        """The name that somebody gave it, or ""."""
        told = map(self._c.facts.get, ("title_set", "title_made", "title_summary"))
        return next((title.strip() for title in told if title and title.strip()), "")

    @property
    def place(self) -> str:
        """Where the session works as far as is known now, or ""."""
        facts = self._c.facts
        return facts.get("worktree") or facts.get("workspace") or facts.get("first_cwd") or ""

    def tally(self) -> tuple[int, int]:
        """Items so far, where they are kept, and steps."""
        return 0 if self._history is None else len(self._history), self._c.steps

    def open_steps(self, *, of_last_turn: bool = False) -> tuple[int, ...]:
        """Numbers of the steps without a result, in order."""
        return tuple(sorted(call.n for call in self._calls.dangling(self._c.turn if of_last_turn else None)))

    # ── taking events ────────────────────────────────────────────────────────────────────────────────────────────────

    def take(self, events: Iterable[Event]) -> None:
        """Take events."""
        for event in events:
            self._take(event)

    def cut(self, problem: Problem) -> None:
        """The last record is incomplete. Call it on an assembler that reads no further."""
        self._problem(problem)
        self._c.cut = True

    def _take(self, event: Event) -> None:
        if isinstance(event, Problem):
            self._problem(event)
            return
        if isinstance(event, Unknown):
            self._c.unknown[event.type] = self._c.unknown.get(event.type, 0) + 1
            return
        self.saw(event.at)
        match event:  # the frequent ones first
            case Call():
                self._call(event)
            case Result():
                self._result(event)
            case Fact():
                self.fact(event.key, event.value)
            case Message():
                self._message(event)
            case Marker():
                self._marker(event)
            case TurnBegan():
                self._begin_turn(event.at, event.id)
            case TurnEnded():
                self.ended(event)
            case TakenBack():
                self._take_back(event)
            case Queued() | BackgroundSeen() | Touched():
                if self._history is not None:
                    self._history.side(self._calls.renamed(event) if isinstance(event, Touched) else event)
            case _:
                assert_never(event)

    def saw(self, at: Stamp | None) -> None:
        """A sign of life at that time."""
        if at is None:
            return
        c = self._c
        if c.first_at is None or at < c.first_at:
            c.first_at = at
        if c.last_at is None or at > c.last_at:
            c.last_at = at

    def _problem(self, problem: Problem) -> None:
        if len(self._c.problems) < _PROBLEMS:
            self._c.problems.append(problem)

    def fact(self, key: str, value: str) -> None:
        """Something about the session as a whole; see `model.transcript.Fact`."""
        facts = self._c.facts
        if key in _FIRST_STAYS and facts.get(key):
            return
        if key == "cwd" and "first_cwd" not in facts and value:
            facts["first_cwd"] = value
        facts[key] = value

    def _begin_turn(self, at: Stamp | None, told: str = "") -> None:
        c = self._c
        c.turn += 1
        c.told_turn = told
        c.turn_status, c.turn_since, c.failure = "open", at, None

    def _reopen(self, at: Stamp | None) -> None:
        """A turn that was told to be over goes on."""
        c = self._c
        c.turn_status, c.failure = "open", None
        c.turn_since = c.turn_since or at
        c.turn = max(c.turn, 1)

    def ended(self, end: TurnEnded) -> None:
        """A turn ended, at a time that was seen already."""
        c = self._c
        if end.id and c.told_turn and end.id != c.told_turn:
            return
        c.turn_status = end.status
        told = end.failure
        c.failure = [told.kind, told.detail, told.at] if told else None

    def _message(self, message: Message) -> None:
        c = self._c
        if message.type != "prompt":
            n = self.said(message.type, message.id, message.row, message.at)
        else:
            c.last_row = message.row or c.last_row
            if message.row and message.row in self._prompt_rows:
                return
            self._prompt_rows.add(message.row)
            if not (c.told_turn and c.turn_status == "open"):
                self._begin_turn(message.at)
            c.prompts.append([message.row, c.turn, int(message.superseded)])
            if not c.first_prompt and not message.superseded:
                c.first_prompt = message.text[:_TITLE]
            n = self._numbers.message("prompt", message.id, message.row)
        self.tell(n, message.place, message.type, message.text)
        if self._history is not None:
            self._history.message(message, c.turn)

    def _marker(self, marker: Marker) -> None:
        if marker.kind != "plan":
            self.tell(self._numbers.add(), marker.place, "marker", marker.text)
        if self._history is not None:
            self._history.marker(marker)

    def _call(self, call: Call) -> None:
        name = self.called(
            call.id, call.told, call.kind, call.at, call.edits, call.pending,
            needs_result=call.needs_result, superseded=call.superseded,
        )  # fmt: skip
        if name is None:
            return
        if name != call.id:
            what = "the id of an earlier tool call stands on another one: both are kept"
            self._problem(Problem(call.place.path, call.place.line, call.place.offset, what))
            call = replace(call, id=name)
        if self._sink is not None:
            self.tell_call(call.place, call.command or call.summary, call.files, call.edits)
        if self._history is not None:
            self._history.call(call, self._c.steps, self._c.turn, self._subagent)

    def _result(self, result: Result) -> None:
        if result.made:
            if self._history:
                self._history.result(result)
            return
        name = self.answered(
            result.id, result.kind, result.edits, result.place, result.output,
            shutdown=result.shutdown, placeholder=result.placeholder,
        )  # fmt: skip
        if self._history is not None:
            self._history.result(result if name == result.id else replace(result, id=name))

    # ── what events come to, for a reader that makes none of a row whose shape it knows ──────────────────────────────

    def said(self, kind: str, message_id: str, row: str, at: Stamp | None) -> int:
        """The agent said or thought something; the number of its item, 0 for a row that was there already."""
        c = self._c
        if row:
            c.last_row = row
        if c.turn_status != "open" and not c.told_turn:
            self._reopen(at)
        return self._numbers.message(kind, message_id, row)

    def called(
        self,
        call_id: str,
        told: str,
        kind: str,
        at: Stamp | None,
        edits: Iterable[FileEdit],
        pending: str | None,
        *,
        needs_result: bool = True,
        superseded: bool = False,
    ) -> str | None:
        """The agent called a tool; the call's name in this session, None for a copy of one that is known."""
        c, calls = self._c, self._calls
        name = calls.name_call(call_id, told)
        if name is None:
            return None
        c.last_row = call_id
        if c.turn_status != "open" and not c.told_turn:
            self._reopen(at)
        c.steps += 1
        c.edits += is_edit(kind)
        if edits:
            self._edited(edits)
        n = self._numbers.add_step()
        early = calls.early.pop(name, None) if calls.early else None
        if early is None:
            calls.open[name] = OpenCall(c.steps, c.turn, pending, kind, at, needs_result, superseded, n)
        else:
            self._settled(OpenCall(c.steps, c.turn, None, kind, at), name, *early)
        return name

    def answered(
        self,
        call_id: str,
        kind: str | None,
        edits: Iterable[FileEdit] | None,
        place: Place | None,
        output: str,
        *,
        shutdown: bool = False,
        placeholder: bool = False,
    ) -> str:
        """A call got an answer; the call's name in this session."""
        calls = self._calls
        if edits:
            self._edited(edits)
        name = calls.name_result(call_id) if calls.again else call_id
        found = calls.open.pop(name, None)
        if found is not None:
            if kind is not None or shutdown:
                self._settled(found, name, kind, shutdown)
            if self._sink is not None:
                self._tell_output(name, found.item, place, output)
        elif short(call_id) not in calls.seen:
            calls.early[name] = (kind, shutdown)
        else:
            if not shutdown and not placeholder:
                calls.ended_by_shutdown.pop(name, None)
            self._tell_output(name, self._told_outputs.get(name, 0), place, output)
        return name

    def _tell_output(self, name: str, n: int, place: Place | None, output: str) -> None:
        """Hand over an answer; the item is remembered for a while, since another answer to the same call may come."""
        if self._sink is None or place is None or not n:
            return
        self._told_outputs[name] = n
        if len(self._told_outputs) > _ANSWERED:
            del self._told_outputs[next(iter(self._told_outputs))]
        self.tell(n, place, "output", keep_ends(output, HANDED))

    def provisional(self) -> None:
        """What comes now stands behind the place where reading goes on, and will be told again then."""
        if self._sink is not None:
            self._sink.provisional()

    def tell(self, n: int, place: Place, kind: str, text: str) -> None:
        """Hand a text to whoever searches."""
        if self._sink is not None and n and text:
            self._sink.take(n, place, kind, text)

    def tell_call(self, place: Place, text: str, files: Sequence[str], edits: Sequence[FileEdit]) -> None:
        """Hand over what the newest call asks for."""
        if self._sink is None:
            return
        self.tell(self._numbers.last, place, "command", text)
        if not files and not edits:  # nearly always
            return
        for path in dict.fromkeys((*files, *(edit.path for edit in edits))):
            self.tell(self._numbers.last, place, "path", path)

    def _settled(self, call: OpenCall, call_id: str, kind: str | None, shutdown: bool) -> None:
        if kind is not None:
            self._c.edits += is_edit(kind) - is_edit(call.kind)
        if shutdown:
            self._calls.ended_by_shutdown[call_id] = call.turn

    def _edited(self, edits: Iterable[FileEdit]) -> None:
        for edit in edits:
            self._c.edited[edit.path] = None
            if edit.moved_to:
                self._c.edited[edit.moved_to] = None

    def _take_back(self, taken: TakenBack) -> None:
        c = self._c
        turns: set[int] = set()
        if taken.turns:
            standing = [prompt for prompt in c.prompts if not prompt[2]]
            turns = {int(prompt[1]) for prompt in standing[-taken.turns :]}
            if turns and max(turns) >= c.turn:
                left = len(standing) > taken.turns
                c.turn_status, c.failure, c.told_turn = ("completed" if left else "none"), None, ""
        rows = frozenset(map(self._calls.last_named, taken.rows))
        for prompt in c.prompts:
            if prompt[0] in rows or prompt[1] in turns:
                prompt[2] = 1
        for call_id, call in self._calls.open.items():
            call.superseded = call.superseded or call_id in rows or call.turn in turns
        if self._history is not None:
            self._history.take_back(rows, turns)

    # ── what it adds up to ───────────────────────────────────────────────────────────────────────────────────────────

    def summary(self) -> Summary:
        """What the events so far add up to."""
        c, facts = self._c, self._c.facts
        return Summary(
            agent=self.agent,
            session_id=self.session_id,
            title=self.title_told or c.first_prompt.strip(),
            workspace=facts.get("workspace") or facts.get("first_cwd"),
            cwd=facts.get("cwd"),
            worktree=facts.get("worktree") or None,
            branch=facts.get("branch") or None,
            commit=facts.get("commit") or None,
            model=facts.get("model") or None,
            version=facts.get("version", ""),
            entrypoint=facts.get("entrypoint", ""),
            started_at=_stamp(facts.get("started") or c.first_at),
            last_activity_at=_stamp(c.last_at),
            turns=c.turn,
            prompts=sum(1 for prompt in c.prompts if not prompt[2]),
            steps=c.steps,
            dangling=len(self._calls.dangling()),
            edits=c.edits,
            parent=facts.get("parent", ""),
            continued_in=facts.get("continued_in", ""),
            lineage=facts.get("lineage", ""),
            last_row=c.last_row,
            ending=self._ending(),
            problems=tuple(c.problems),
            edited_paths=tuple(c.edited),
            unknown=dict(c.unknown),
            repaired=facts.get("repaired", ""),
        )

    def _ending(self) -> Ending:
        c, calls = self._c, self._calls
        open_calls = [call for call in calls.dangling(c.turn) if not call.superseded] if calls.open else []
        shut = sum(turn == c.turn for turn in calls.ended_by_shutdown.values()) if calls.ended_by_shutdown else 0
        last = max(open_calls, key=lambda call: call.n, default=None)
        return Ending(
            turn=c.turn_status,
            dangling=len(open_calls) + shut,
            failure=c.told_failure,
            cut=c.cut,
            prompts=sum(1 for prompt in c.prompts if not prompt[2]),
            pending=_pending(last.pending if last else None),
            open_since=_stamp(c.turn_since) if c.turn_status == "open" else None,
            user_interrupted=c.turn_status == "interrupted",
            shutdown=bool(shut),
        )

    def items(self) -> tuple[Item, ...]:
        """The items so far, in order.

        Raises:
            ValueError: they were not kept.
        """
        if self._history is None:
            raise ValueError("this assembler keeps no items")
        return self._history.items()

    def story(self, subagents: Mapping[str, Story]) -> Story:
        """The whole.

        Raises:
            ValueError: the items were not kept.
        """
        items = self.items()
        history = self._history
        assert history is not None  # noqa: S101 - items() has just said so
        return Story(
            summary=self.summary(),
            items=items,
            subagents=dict(subagents),
            plan=history.plan,
            touched=tuple(history.touched),
            open_work=history.open_work(),
            queued=tuple(history.queued.values()),
        )

    def freeze(self) -> dict[str, object]:
        """All that must be known to go on, as JSON values. What has a name with a `#` at this level holds no text."""
        numbers = {"numbers": self._numbers.freeze(), "#rows": self._numbers.freeze_rows()}
        return freeze(self._c, self._calls) | numbers


def _stamp(value: str | None) -> Stamp | None:
    return Stamp(value) if value else None


def _pending(value: str | None) -> PendingKind | None:
    return "approval" if value == "approval" else "input" if value == "input" else None
