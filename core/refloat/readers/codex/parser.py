"""Rows of a Codex rollout to events, for every era: envelopes, bare rows, and the one document of the first builds.

Decides what is one fact told twice, what is a copy of a parent's, whose words a user-role text is, and when a turn
ended. Refuses to guess how a call ended that has no answer: it dangles, wherever it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from refloat.model.repaired import CODEX_FIELD
from refloat.model.stamp import Stamp, read_stamp
from refloat.model.transcript import Event, Fact, Marker, Message, Touched, TurnEnded, Unknown
from refloat.readers.codex.copies import Ancestry, Copying, is_copy, names_itself
from refloat.readers.codex.items import read_event, read_item
from refloat.readers.codex.lifecycle import Lifecycle
from refloat.readers.codex.prompts import (
    cwd_of,
    is_injected,
    looks_like_a_tag,
    person_text,
    shell_command,
    words_of_row,
)
from refloat.readers.codex.shape import Json, as_dict, as_id, as_int, as_list, as_text, is_dict, texts
from refloat.readers.codex.skipped import SKIPPED_EVENTS, SKIPPED_ITEMS, SKIPPED_ROWS
from refloat.readers.codex.state import State
from refloat.readers.codex.talk import EVENT, ITEM, ROW
from refloat.readers.codex.turns import limit_reached
from refloat.readers.contract import Found, FoundSubagent, Line, Segment
from refloat.readers.naming import make_id
from refloat.readers.patch import absolute
from refloat.readers.story import Assembler

if TYPE_CHECKING:
    from refloat.readers.codex.quick import Quick
    from refloat.readers.plain import QuickRows

_CALLS: Final = frozenset(
    {
        "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call",
        "image_generation_call",
    }
)  # fmt: skip


class CodexParser(Lifecycle):
    """Turns the lines of one thread, or of one sub-agent's, into events."""

    def __init__(
        self,
        found: Found,
        subagent: FoundSubagent | None = None,
        frozen: Mapping[str, object] | None = None,
        *,
        skim: bool = False,
    ) -> None:
        self._found = found
        self._subagent = subagent
        super().__init__(State.thaw(frozen) if frozen else State(), skim=skim)
        relatives = found.relatives if subagent is None else ()
        self._ancestry = Ancestry(relatives)
        self._quick: Quick | None = None

    # ── the contract ─────────────────────────────────────────────────────────────────────────────────────────────────

    def open(self, segment: Segment) -> Iterable[Event]:
        """The lines that follow come from this segment."""
        s, out = self._s, list[Event]()
        self._resolve(out)
        if s.superseded and not segment.superseded:
            # What was taken back says nothing about how the thread ends.
            out.append(TurnEnded(s.kept_status, None, failure=None))
            s.turn, s.status = s.kept_turn, s.kept_status
        elif segment.superseded and not s.superseded:
            s.kept_turn, s.kept_status = s.turn, s.status
        s.superseded = segment.superseded
        s.new_file(whole=segment.start == 0)
        return out

    def feed(self, line: Line) -> Iterable[Event]:
        """The events of one line."""
        if self._quick is not None:
            self._quick.doubt()
        out: list[Event] = []
        row = line.value
        if not is_dict(row):
            return (Unknown("not an object"),)
        self._line = line
        self._row(row, out)
        return out

    def quick(self, assembler: Assembler, path: str) -> QuickRows | None:
        """What takes the plain rows of a summary."""
        from refloat.readers.codex.quick import Quick

        self._quick = Quick(self._s, assembler, path)
        return self._quick

    def finish(self) -> Iterable[Event]:
        """What can be concluded at the present end: prompts whose event never came, the name, the last activity."""
        out: list[Event] = []
        if self._quick is not None and self._quick.last[1:] > (self._line.line, self._line.offset):
            self._at, line, offset = self._quick.last
            self._line = Line(self._line.path, line, offset, None)
        for text, at, place, row, sure in self._s.waiting():
            if sure or not looks_like_a_tag(text):
                out.append(Message("prompt", text, at, place, row=row, superseded=self._s.superseded))
        out.extend(self._possibly_run())
        out.extend(self._unended())
        if self._found.title and self._subagent is None:
            out.append(Fact("title_set", self._found.title))
        if self._s.last:
            out.append(Fact("version", self._s.version, Stamp(self._s.last)))
        return out

    def freeze(self) -> dict[str, object]:
        """All that must be known to go on, as JSON values."""
        return self._s.freeze()

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _row(self, row: Json, out: list[Event]) -> None:
        kind = row.get("type")
        self._at = at = read_stamp(row.get("timestamp"))
        if at is not None and at > self._s.last:
            self._s.last = at
        if not self._s.first:
            self._s.first = at or ""
        payload = row.get("payload")
        if isinstance(kind, str) and is_dict(payload):
            if self._s.copying is None or not self._is_copy(row, payload):
                self._envelope(kind, payload, out)
        elif isinstance(kind, str):
            if "payload" in row:
                out.append(Unknown(kind))
            else:
                self._item(row, out)
        elif "record_type" in row:
            return
        elif "session" in row and "items" in row:
            self._document(row, out)
        elif "id" in row and ("timestamp" in row or "instructions" in row):
            self._meta(row, out)
        else:
            out.append(Unknown("no type"))

    def _document(self, row: Json, out: list[Event]) -> None:
        """The whole file of a TypeScript build, where it stands on one line."""
        self._row(as_dict(row.get("session")), out)
        for item in as_list(row.get("items")):
            if is_dict(item):
                self._row(item, out)

    def _is_copy(self, row: Json, payload: Json) -> bool:
        """Whether a row behind such a head is a copy of a parent's; the first that is none ends them."""
        s = self._s
        if s.copying is None or not s.meta_seen:
            return False
        if is_copy(s.copying, self._ancestry, row, payload, self._at):
            return True
        s.copying = None
        return False

    def _envelope(self, kind: str, payload: Json, out: list[Event]) -> None:
        handler = self._ROWS.get(kind)
        if handler is not None:
            handler(self, payload, out)
        elif kind not in SKIPPED_ROWS:
            out.append(Unknown(kind))

    def _meta(self, payload: Json, out: list[Event]) -> None:
        """The head of a file. Later ones are copies of a parent's, and say that such a copy follows."""
        s = self._s
        own = make_id(as_id(payload.get("id")))
        expected = self._subagent.id if self._subagent else self._found.session_id
        if not s.meta_seen and own and own != expected and self._line.line > 1:
            s.meta_seen, s.own = True, expected  # its own head is damaged; this one is a copy
        if s.meta_seen:
            if own and s.own and own != s.own and not s.active:
                s.copying = s.copying or self._copies()
            return
        s.meta_seen = True
        s.own = own or expected
        started = read_stamp(payload.get("timestamp"))
        s.created, s.first = started or "", self._at or started or ""
        self._begin_copies(payload)
        if s.superseded:
            return
        if (origin := as_text(payload.get("forked_from_id"))) and origin != s.own:
            out.append(Marker("fork", f"forked from {origin}", self._at, self._place))
        if s.files > 1:
            out.append(Marker("rewind", "the thread was rewound and goes on from here", self._at, self._place))
        self._facts(payload, started, out)

    def _begin_copies(self, payload: Json) -> None:
        s = self._s
        start = as_int(payload.get("subagent_history_start_ordinal"))
        forked = as_text(payload.get("forked_from_id")) and not as_dict(payload.get("history_base"))
        if start is not None:
            s.copying = Copying(s.own, s.created, s.first, until_ordinal=start)
        elif forked:
            s.copying = self._copies()

    def _copies(self) -> Copying:
        s = self._s
        return Copying(s.own, s.created, s.first, settings=names_itself(self._place.path, s.own))

    def _facts(self, payload: Json, started: Stamp | None, out: list[Event]) -> None:
        s, at = self._s, self._at
        git = as_dict(payload.get("git"))
        cwd = as_text(payload.get("cwd"))
        parent = self._found.parent if self._subagent is None else ""
        s.version = as_text(payload.get("cli_version")) or s.version
        pairs: tuple[
            tuple[Literal["started", "version", "entrypoint", "commit", "branch", "parent", "repaired"], str], ...
        ] = (
            ("repaired", read_stamp(as_dict(payload.get(CODEX_FIELD)).get("at")) or ""),
            ("started", started or ""),
            ("version", s.version),
            ("entrypoint", as_text(payload.get("originator"))),
            ("commit", as_text(git.get("commit_hash"))),
            ("branch", as_text(git.get("branch"))),
            ("parent", parent),
        )
        for key, value in pairs:
            if value:
                out.append(Fact(key, value, at))
        if cwd:
            s.cwd = absolute(cwd, "")
            if not s.placed:
                out.append(Fact("workspace", s.cwd, at))
            out.append(Fact("cwd", s.cwd, at))
            s.placed = True

    def _context(self, payload: Json, out: list[Event]) -> None:
        """`turn_context`, or the settings of `thread_settings_applied`."""
        s = self._s
        if s.superseded:
            return
        cwd, model = as_text(payload.get("cwd")), as_text(payload.get("model"))
        if cwd and (cwd := absolute(cwd, "")) != s.cwd:
            if s.cwd:
                out.append(Marker("cwd_change", cwd, self._at, self._place))
            elif not s.placed:
                out.append(Fact("workspace", cwd, self._at))
                s.placed = True
            s.cwd = cwd
            out.append(Fact("cwd", cwd, self._at))
        if model and model != s.model:
            if s.model:
                out.append(Marker("model_change", model, self._at, self._place))
            s.model = model
            out.append(Fact("model", model, self._at))
        self._policy(payload, out)

    def _policy(self, payload: Json, out: list[Event]) -> None:
        s = self._s
        told = payload.get("approval_policy")
        approval = as_text(told) or ("granular" if as_dict(told) else "")
        sandbox = as_dict(payload.get("sandbox_policy"))
        box = as_text(sandbox.get("type")) or as_text(sandbox.get("mode")) or as_text(payload.get("sandbox_policy"))
        policy = ", ".join(part for part in (approval and f"approval {approval}", box and f"sandbox {box}") if part)
        if not policy or (not box and s.policy.startswith(policy)):
            return
        if s.policy and policy != s.policy:
            out.append(Marker("context", policy, self._at, self._place))
        s.policy = policy

    def _compacted(self, payload: Json, out: list[Event]) -> None:
        summary = as_text(payload.get("message"))
        if self._s.fresh("c", ROW, ""):
            text = summary or "the talk so far was compacted; the summary is not readable"
            out.append(Marker("compaction", text, self._at, self._place, claim=bool(summary)))
        self._s.compacted = True

    # ── response items ───────────────────────────────────────────────────────────────────────────────────────────────

    def _item(self, payload: Json, out: list[Event]) -> None:
        kind = as_text(payload.get("type"))
        if kind == "message":
            self._message_row(payload, out)
        elif kind in _CALLS:
            self._call_row(kind, payload, out)
        elif kind.endswith("_output"):
            self._output_row(payload, out)
        elif kind == "reasoning":
            self._work(out)
            if summary := payload.get("summary"):
                for part in texts(summary):
                    self._think(part, ROW, out)
            self._again(out)
        elif kind == "ghost_snapshot":
            self._snapshot(payload, out)
        elif kind == "agent_message":
            self._agents_talk(payload, out)
        elif kind not in SKIPPED_ITEMS:
            out.append(Unknown(kind))

    def _message_row(self, payload: Json, out: list[Event]) -> None:
        role = payload.get("role")
        if role == "user":
            self._user_row(payload, out)
        elif role == "assistant":
            said = "\n".join(part for part in texts(payload.get("content")) if part)
            self._say(said, ROW, as_id(payload.get("id")), as_text(payload.get("phase")), out)

    def _user_row(self, payload: Json, out: list[Event]) -> None:
        words = words_of_row(payload)
        if words is None:
            for text in texts(payload.get("content")):
                self._injected(text, out)
            return
        text = person_text(words[0])
        if self._s.fresh("p", ROW, text):
            self._s.hold(text, self._at, self._place, as_id(payload.get("id")), sure=words[1])

    def _injected(self, text: str, out: list[Event]) -> None:
        bare = text.lstrip()
        s = self._s
        if (cwd := cwd_of(bare)) and not s.cwd and not s.superseded:
            self._context({"cwd": cwd}, out)
        elif ran := shell_command(bare):
            self._user_shell(ran[0], ran[1], out)
        elif bare.startswith("<codex_internal_context") and "daemon_recovery" in bare[:200]:
            s.asked = True
            out.append(Marker("resume", "the server restarted and interrupted the turn before", self._at, self._place))
        elif bare.startswith("<subagent_notification>"):
            inner = bare.removeprefix("<subagent_notification>").partition("</subagent_notification>")[0].strip()
            out.append(Marker("subagent", inner, self._at, self._place))
        elif bare.startswith("<hook_prompt"):
            out.append(Marker("hook", bare.partition(">")[2].rpartition("</")[0].strip(), self._at, self._place))

    def _snapshot(self, payload: Json, out: list[Event]) -> None:
        commit = as_dict(payload.get("ghost_commit"))
        if name := as_text(commit.get("id")):
            out.append(Touched(self._s.cwd, "snapshot_commit", self._at, source=name))
        listed = (as_text(path) for path in as_list(commit.get("preexisting_untracked_files")))
        out.extend(Touched(absolute(path, self._s.cwd), "dirty_before", self._at) for path in listed if path)

    def _agents_talk(self, payload: Json, out: list[Event]) -> None:
        said = "\n".join(part for part in texts(payload.get("content")) if part)
        way = f"{as_text(payload.get('author'))} to {as_text(payload.get('recipient'))}"
        out.append(Marker("subagent", f"{way}: {said or 'the text is encrypted'}", self._at, self._place))

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _event(self, payload: Json, out: list[Event]) -> None:
        match as_text(payload.get("type")):
            case "token_count":
                self._usage(as_dict(payload.get("rate_limits")), out)
            case "item_completed":
                self._finished_item(as_dict(payload.get("item")), out)
            case "user_message":
                self._user_event(payload, out)
            case "agent_message":
                self._say(as_text(payload.get("message")), EVENT, "", as_text(payload.get("phase")), out)
            case "agent_reasoning" | "agent_reasoning_raw_content":
                self._work(out)
                self._think(as_text(payload.get("text")), EVENT, out)
                self._again(out)
            case "task_started" | "turn_started":
                self._turn_began(as_id(payload.get("turn_id")), out)
            case "task_complete" | "turn_complete":
                self._turn_completed(payload, out)
            case "turn_aborted":
                self._turn_aborted(payload, out)
            case "error":
                self._error(payload, out)
            case kind:
                self._rarer(kind, payload, out)

    def _usage(self, limits: Json, out: list[Event]) -> None:
        limit = limit_reached(limits) if limits else self._s.limit
        if limit and not self._s.limit:
            what = "the credits are used up" if limit == "credits" else "the usage limit is reached"
            out.append(Marker("rate_limit", what, self._at, self._place))
        self._s.limit = limit
        if limit and self._s.last_word != "error":
            self._s.last_word = "limit"

    def _rarer(self, kind: str, payload: Json, out: list[Event]) -> None:
        at, place = self._at, self._place
        match kind:
            case "thread_rolled_back":
                self._rolled_back(as_int(payload.get("num_turns")) or 0, out)
            case "thread_name_updated":
                if name := as_text(payload.get("thread_name")):
                    out.append(Fact("title_set", name, at))
            case "thread_settings_applied":
                self._context(as_dict(payload.get("thread_settings")), out)
            case "thread_goal_updated":
                self._goal(as_dict(payload.get("goal")), out)
            case "context_compacted":
                self._compaction_event(EVENT, out)
            case "entered_review_mode":
                out.append(Marker("notice", "a review began", at, place))
            case "exited_review_mode":
                self._review_ended(payload.get("review_output"), out)
            case "undo_completed":
                out.append(
                    Marker("notice", as_text(payload.get("message")) or "a turn's changes were undone", at, place)
                )
            case "sub_agent_activity":
                self._subagent_activity(payload, out)
            case "guardian_assessment":
                said = as_text(payload.get("rationale")) or as_text(payload.get("status"))
                out.append(Marker("permission_request", f"automatic review: {said}", at, place))
            case _ if (done := read_event(payload, self._s.cwd)) is not None:
                self._done(done, EVENT, out)
            case _ if kind not in SKIPPED_EVENTS:
                out.append(Unknown(kind))
            case _:
                pass

    def _user_event(self, payload: Json, out: list[Event]) -> None:
        s = self._s
        s.has_events = True
        text = as_text(payload.get("message"))
        if as_text(payload.get("kind")) in {"user_instructions", "environment_context"} or is_injected(text):
            self._injected(text, out)
            return
        self._prompt(text, EVENT, "", out)

    def _goal(self, goal: Json, out: list[Event]) -> None:
        status = as_text(goal.get("status"))
        text = f"{as_text(goal.get('objective'))} ({status})" if status else as_text(goal.get("objective"))
        if text and text != self._s.goal:
            self._s.goal = text
            out.append(Marker("goal", text, self._at, self._place))

    def _compaction_event(self, source: int, out: list[Event]) -> None:
        self._s.compacted = True
        if self._s.fresh("c", source, ""):
            out.append(Marker("compaction", "the talk so far was compacted", self._at, self._place))

    def _review_ended(self, review: object, out: list[Event]) -> None:
        self._s.said = True
        told = as_text(as_dict(review).get("overall_explanation")) or as_text(review)
        out.append(Marker("notice", told or "a review ended", self._at, self._place, claim=bool(told)))

    def _subagent_activity(self, row: Json, out: list[Event]) -> None:
        who = as_text(row.get("agent_path")) or as_text(row.get("agent_thread_id"))
        out.append(Marker("subagent", f"{who} {as_text(row.get('kind'))}".strip(), self._at, self._place))

    # ── finished items ───────────────────────────────────────────────────────────────────────────────────────────────

    def _finished_item(self, item: Json, out: list[Event]) -> None:
        row = as_id(item.get("id"))
        match as_text(item.get("type")):
            case "UserMessage":
                self._user_item(item, row, out)
            case "AgentMessage":
                said = "\n".join(part for part in texts(item.get("content")) if part)
                self._say(said, ITEM, row, as_text(item.get("phase")), out)
            case "Reasoning":
                self._work(out)
                for part in (*texts(item.get("summary_text")), *texts(item.get("raw_content"))):
                    self._think(part, ITEM, out)
            case "Plan":
                if text := as_text(item.get("text")):
                    self._s.said = True
                    out.append(Marker("notice", text, self._at, self._place))
            case "ContextCompaction":
                self._compaction_event(ITEM, out)
            case "HookPrompt":
                fragments = texts(item.get("fragments"))
                out.append(Marker("hook", "\n".join(part for part in fragments if part), self._at, self._place))
            case "SubAgentActivity":
                self._subagent_activity(item, out)
            case "EnteredReviewMode":
                out.append(Marker("notice", "a review began", self._at, self._place))
            case "ExitedReviewMode":
                self._review_ended(item.get("review") or item.get("review_output"), out)
            case "Extension":
                pass
            case kind:
                if (done := read_item(item, self._s.cwd, self._s.kind_of(row))) is not None:
                    self._done(done, ITEM, out)
                else:
                    out.append(Unknown(f"item {kind}"))

    def _user_item(self, item: Json, row: str, out: list[Event]) -> None:
        self._s.has_events = True
        text = "\n".join(part for part in texts(item.get("content")) if part)
        if is_injected(text):
            self._injected(text, out)
        else:
            self._prompt(text, ITEM, row, out)

    _ROWS: ClassVar[Mapping[str, Callable[..., None]]] = {
        "response_item": _item,
        "event_msg": _event,
        "turn_context": _context,
        "session_meta": _meta,
        "compacted": _compacted,
    }
    """Of the class: a value that held its own methods would live until somebody looks for cycles."""
