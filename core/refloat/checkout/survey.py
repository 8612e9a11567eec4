"""One comparison of a session with its checkout: what was asked once and is used for every file.

Decides which questions are asked at all: places that hold lost content are searched only when something is missing.
Refuses to know how an answer is shown.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from stat import S_ISLNK
from typing import Final

from refloat.checkout.compare import STANDS, Comparison, judge
from refloat.checkout.dangling import Store
from refloat.checkout.earlier import judge_earlier
from refloat.checkout.files import Content, content_of, read_content, state_of
from refloat.checkout.fold import Folded, Known, Standing, folded_whole
from refloat.checkout.hunks import changed_hunks
from refloat.checkout.lines import align, bare_all, bare_lines, tells
from refloat.checkout.owners import Fallback, Ground
from refloat.checkout.pieces import FOREIGN
from refloat.checkout.places import Archive, open_archive
from refloat.checkout.porcelain import StatusEntry
from refloat.checkout.recorded import OtherRecords, OwnRecord, fold_record, may_take_away, name_of
from refloat.checkout.reported import Reported, find_reported
from refloat.checkout.repository import Repository
from refloat.checkout.runs import FileRuns, Run, find_runs, runs_between, stands_laid_out
from refloat.checkout.support import Circumstance, find_fallback, run_at
from refloat.checkout.trees import Trees, find_origins, names_in
from refloat.checkout.widen import widen
from refloat.checkout.witness import Witness
from refloat.model.checkout import FileState, Warned
from refloat.model.light import field, slotted
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp, stamp_of_seconds
from refloat.model.story import Story
from refloat.model.transcript import Step
from refloat.there import is_there
from refloat.together import Running

_UNTIDY: Final = frozenset({FileState.PARTLY, FileState.DIVERGED})
_RANK: Final = tuple(FileState)


@slotted
class Survey:
    """Everything that the answers of one comparison rest on."""

    story: Story
    trees: Trees
    steps: Sequence[Step]
    folded: Mapping[str, Folded]
    without_superseded: Mapping[str, Folded]
    others: OtherRecords
    """Found when they are first looked at: of a session whose work stands in a clean checkout nobody asks for them."""
    backups: Mapping[str, Sequence[tuple[str, Content]]]
    base: str | None
    missing_workspace: str | None
    known: Mapping[str, Sequence[Known]] = field(default_factory=dict[str, Sequence[Known]])
    """Whole contents that the session's record shows apart from edits, oldest first."""
    moved: dict[str, str] = field(default_factory=dict[str, str])
    """Files that are gone from their path, and where their content stands now; filled before places are looked at."""
    _edited_by: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _targets: dict[str, str] = field(default_factory=dict[str, str])
    _inside: dict[str, tuple[Repository, str] | None] = field(default_factory=dict[str, tuple[Repository, str] | None])
    _states: dict[str, os.stat_result | None] = field(default_factory=dict[str, os.stat_result | None])
    _contents: dict[str, Content] = field(default_factory=dict[str, Content])
    _comparisons: dict[str, Comparison] = field(default_factory=dict[str, Comparison])
    _archives: dict[str, Archive] = field(default_factory=dict[str, Archive])
    _stores: dict[str, Store] = field(default_factory=dict[str, Store])
    _opening: Running[Archive] | None = None
    _undoing: Sequence[Step] | None = None
    _runs: list[Run] | None = None
    _origins: Mapping[str, str] | None = None
    _written: dict[str, str] | None = None
    _reported: tuple[Reported | None] | None = None
    _gone_places: Sequence[str] | None = None
    _fallbacks: dict[str, Fallback] = field(default_factory=dict[str, Fallback])

    @property
    def name(self) -> SessionName:
        """`agent:id` of the session."""
        return name_of(self.story)

    @property
    def since(self) -> Stamp | None:
        """When the session began."""
        return self.story.summary.started_at

    def content(self, real: str) -> Content:
        """What lies at a path now."""
        if real not in self._contents:
            self._contents[real] = self._read(real)
        return self._contents[real]

    def _read(self, real: str) -> Content:
        if not real.startswith("/"):
            return Content("unreadable")
        repository = self.trees.of(real)
        return read_content(real, str(repository.root) if repository else self.trees.workspace, self.state(real))

    def state(self, real: str) -> os.stat_result | None:
        """What the disk says of a path itself, a link not followed; asked once."""
        if real not in self._states:
            self._states[real] = state_of(real)
        return self._states[real]

    def _written_at(self, real: str) -> float | None:
        """When a path itself was written: a link's own time, not that of what it leads to."""
        state = self.state(real)
        return None if state is None else state.st_mtime

    def comparison(self, real: str) -> Comparison:
        """What became of a file that the session edited."""
        if real not in self._comparisons:
            self._comparisons[real] = self._compare(real)
        return self._comparisons[real]

    def is_unseen(self, real: str) -> bool:
        """Whether an edited file lay in a workspace that is gone, so that nothing is there to look at."""
        inside = self.missing_workspace and f"{real}/".startswith(self.missing_workspace.rstrip("/") + "/")
        return bool(inside and self.folded[real].made)

    def _compare(self, real: str) -> Comparison:
        folded = self.folded[real]
        if self.is_unseen(real):
            if folded.deleted:
                return Comparison(FileState.UNVERIFIABLE, "the workspace is gone: there is nothing to compare with")
            return Comparison(FileState.DELETED, "the workspace is gone, and the file with it")
        if folded.made and not folded.deleted and self._became_link(real):
            return Comparison(FileState.DIVERGED, "a symbolic link that leads out of the checkout stands there now")
        self._widen(folded, real)
        made = self._in_other_layout(folded, self.content(real), judge(folded, self.content(real)))
        made = judge_earlier(folded, self.content(real), made, self.known.get(real, ()))
        kept = self.without_superseded.get(real)
        if kept is None or made.state in STANDS:
            return made
        self._widen(kept, real, frozenset({Standing.SUPERSEDED}))
        if not kept.pieces and not kept.deleted:
            return Comparison(made.state, f"its edits were taken back with their part of the talk; {made.why}",
                              made.origins, made.lines)  # fmt: skip
        other = judge(kept, self.content(real))
        if _RANK.index(other.state) < _RANK.index(made.state):
            return Comparison(
                other.state, f"{other.why}; edits that were taken back are left out", made.origins, made.lines
            )
        return made

    def _widen(self, folded: Folded, real: str, without: frozenset[Standing] = frozenset()) -> None:
        """What a record tells within lines is told in whole ones, as the file has them now."""
        content = self.content(real)
        if content.kind == "text":
            widen(folded, content.text, lambda: self.head_text(real), without)

    def _became_link(self, real: str) -> bool:
        """Whether a link that is not followed stands where HEAD has a plain file."""
        if self.content(real).kind != "link":
            return False
        inside = self.place_in_tree(real)
        entry = inside[0].entries.get(inside[1]) if inside is not None else None
        return entry is not None and entry.head_mode.startswith("100")

    def _in_other_layout(self, folded: Folded, content: Content, made: Comparison) -> Comparison:
        """What a formatter of the session made of its lines is there all the same."""
        if made.state not in _UNTIDY or content.kind != "text" or folded.blind:
            return made
        run = self._formatter_behind(folded, content, any_command=made.state is FileState.DIVERGED)
        written = [piece.lines[own] for piece in folded.pieces for own in piece.own_stretches()]
        told = any(tells(line) for lines in written for line in lines)
        if run is None or not told or not stands_laid_out(written, content.text):
            return made
        why = f"every recorded hunk is there, in the layout that step {run.step} gave it"
        return replace(made, state=FileState.CHANGED_SINCE, why=why, laid_out_by=run.step)

    def _formatter_behind(self, folded: Folded, content: Content, *, any_command: bool) -> Run | None:
        """The session's formatter behind its last edit of a file; else, of `any_command` (a script, a hook of git's, an
        editor of streams), the one that names the file, or that ran when it was written.
        """
        real, last = folded.path, folded.made[-1].at
        behind = [run for run in self.runs if last is not None and run.at >= last]
        found = next((run for run in behind if run.formats), None)
        if found is not None or not any_command:
            return found
        written = stamp_of_seconds(content.mtime) if content.mtime is not None else None
        able = [run for run in behind if run.may_write(real) and (run.names(real) or (written and run.spans(written)))]
        return able[-1] if able else None

    def witnesses(self, real: str, other: Content | None = None) -> list[Witness]:
        """What each session's record says of a file, or of an `other` content of it; this one's first."""
        found: list[Witness] = []
        came = [source for source, target in self.moved.items() if target == real]
        for path in (*self.aliases(self.target(real)), *came):
            folded = self.folded[path]
            held = self.content(real) if other is None else other
            made = self.comparison(path) if other is None and path not in came else judge(folded, held)
            found.append(Witness(self.name, own=True, folded=folded, comparison=self._with_moved(folded, made)))
        for record in self.others:
            folded = record.folded.get(real)
            if folded is not None and folded.made:
                self._widen(folded, real)
                made = judge(folded, self.content(real) if other is None else other)
                made = judge_earlier(folded, self.content(real), made) if other is None else made
                found.append(Witness(record.name, own=False, folded=folded, comparison=made))
        return found

    def _with_moved(self, folded: Folded, made: Comparison) -> Comparison:
        """Where the lines of a file come from: one that the session edited and moved brought HEAD's own lines along."""
        moves = {at: row.edit.path for at, row in enumerate(folded.edits) if row.edit.moved_to == folded.path}
        if not folded.pieces or not moves:
            return made
        origins = list(made.origins)
        for at, source in moves.items():
            head = self.head_text(source) if folded.edits[at].standing is not Standing.REFUSED else None
            for place in align(bare_lines(head), made.lines) if head is not None else ():
                if place is not None and origins[place] in (None, FOREIGN):
                    origins[place] = at
        return replace(made, origins=tuple(origins))

    def written_elsewhere(self, text: str) -> str | None:
        """The path at which the session wrote a text, every line of it; also where it deleted that file later."""
        if self._written is None:
            self._written = {}
            for path, folded in self.folded.items():
                whole = folded_whole(folded)
                if whole is not None and any(map(tells, whole.lines)) and FOREIGN not in whole.origins:
                    self._written.setdefault(whole.text, path)
        return self._written.get(text)

    def ground(self, real: str, *, staged: bool = False) -> Ground:
        """What the dirty places of a file are judged on; or, `staged`, those of what is staged of it."""
        content = self._staged(real) if staged else self.content(real)
        witnesses = self.witnesses(real, content if staged else None)
        lines = _lines_of(content, witnesses)
        moment = stamp_of_seconds(content.mtime) if content.mtime is not None else None
        last = run_at(self.runs, moment, real) if moment is not None else None
        between = tuple(run for witness in witnesses if witness.own for run in self._runs_between(witness.folded))
        seen = self._seen(real)
        ahead = self._runs_ahead(real, seen)
        if between or ahead or (last is not None and last.formats):  # else nobody asks what was there before
            self._tell_earliest(witnesses)
        head = self.head_text(real) if witnesses or seen is not None else None
        return Ground(
            lines,
            witnesses,
            self.fallback(real),
            head if witnesses else None,
            FileRuns(last, between, ahead),
            frozenset(bare_lines(seen.text)) if seen is not None else frozenset(),
            frozenset(bare_lines(head)) if seen is not None and head is not None else frozenset(),
        )

    def _tell_earliest(self, witnesses: Sequence[Witness]) -> None:
        for witness in witnesses:
            if witness.own:
                witness.earliest = frozenset(bare_all(witness.folded.first_lines or ()))
                head = bare_lines(self.head_text(witness.folded.path) or "")
                witness.earlier = witness.earliest.difference(head)

    def _seen(self, real: str) -> Known | None:
        """A file as the session read it whole before it wrote anything: whatever is dirty there was there."""
        if real not in self.known:
            return None
        writes = [step.at or "" for step in self.steps if step.edits][:1]
        writes += [run.at for run in self.runs if run.may_write(real)][:1]
        until = min(writes, default="~")
        return next((one for one in self.known[real] if one.at is not None and one.at < until), None)

    def _runs_ahead(self, real: str, seen: Known | None) -> Sequence[Run]:
        """Those runs that can have written a file between the session's first look and its first edit of it."""
        made = self.folded[real].made if real in self.folded else []
        if seen is None or seen.at is None or not made or made[0].at is None:
            return ()
        return runs_between(self.runs, real, seen.at, made[0].at)

    def _staged(self, real: str) -> Content:
        inside = self.place_in_tree(real)
        entry = inside[0].entries.get(inside[1]) if inside is not None else None
        if inside is None or entry is None or entry.index is None:
            return Content("missing")
        data = inside[0].load_objects([entry.index]).get(entry.index)
        return Content("missing") if data is None else content_of(data)

    def _runs_between(self, folded: Folded) -> Sequence[Run]:
        made = folded.made
        if len(made) < 2 or made[0].at is None or made[-1].at is None:
            return ()
        return runs_between(self.runs, folded.path, made[0].at, made[-1].at)

    def head_text(self, real: str) -> str | None:
        """The text of a dirty file in HEAD; None where HEAD has none, or the file is not dirty."""
        inside = self.place_in_tree(real)
        entry = inside[0].entries.get(inside[1]) if inside is not None else None
        if inside is None or entry is None or entry.head is None:
            return None
        data = inside[0].load_objects([entry.head]).get(entry.head)
        content = content_of(data) if data is not None else None
        return content.text if content is not None and content.kind == "text" else None

    def prefetch_heads(self) -> None:
        """Ask for HEAD's contents of every dirty file that some record edits, at once for each repository."""
        wanted: dict[str, tuple[Repository, list[str]]] = {}
        for real in self._recorded():
            inside = self.place_in_tree(real)
            entry = inside[0].entries.get(inside[1]) if inside is not None else None
            if inside is not None and entry is not None and entry.head is not None:
                wanted.setdefault(str(inside[0].root), (inside[0], []))[1].append(entry.head)
        for repository, oids in wanted.values():
            repository.load_objects(oids)

    def target(self, real: str) -> str:
        """The file that an edit of a path writes: where a link within one worktree leads, else the path itself."""
        if real not in self._targets:
            state = self.state(real)
            path = os.path.realpath(real) if state is not None and S_ISLNK(state.st_mode) else real
            inside = path != real and self.trees.of(path) is not None and self.trees.of(path) is self.trees.of(real)
            self._targets[real] = path if inside else real
        return self._targets[real]

    def aliases(self, real: str) -> list[str]:
        """Links by which the session edited a file; the file's own path first where it edited that."""
        if not self._edited_by:
            for path in self.folded:
                if self.folded[path].made:
                    self._edited_by.setdefault(self.target(path), []).append(path)
        return self._edited_by.get(real, [])

    def place_in_tree(self, real: str) -> tuple[Repository, str] | None:
        """The repository that a path lies in, and the path relative to its root."""
        if real not in self._inside:
            target = self.target(real)
            found = self.trees.of(target)
            self._inside[real] = found and (found, target[len(str(found.root).rstrip("/")) + 1 :])
        return self._inside[real]

    def reveal(self) -> None:
        """Look at what git was told to overlook, of files that some record edits: it counts as dirty all the same.

        A file that a sparse checkout leaves out is taken as it is staged.
        """
        for repository, paths in self._overlooked():
            staged = repository.load_staged(paths)
            for path in paths:
                real = f"{repository.root}/{path}"
                content, known = self.content(real), content_of(staged.get(path, b""))
                if content.kind == "missing" and repository.index.tag(path) in ("S", "s"):
                    words = "outside the sparse checkout: compared as git keeps it"
                    self.trees.warnings.append(Warned(words, self.trees.shown(real)))
                    self._contents[real] = known
                elif path in staged and content != replace(known, mtime=content.mtime):
                    oid = repository.oid(staged[path])
                    repository.entries[path] = StatusEntry(" M", oid, index=oid)
                    repository.hunks[path] = changed_hunks(known, content)

    def _overlooked(self) -> list[tuple[Repository, list[str]]]:
        found: dict[str, tuple[Repository, list[str]]] = {}
        for real in self._recorded():
            inside = self.place_in_tree(real)
            if inside is not None and inside[1] not in inside[0].entries and inside[0].is_overlooked(inside[1]):
                found.setdefault(str(inside[0].root), (inside[0], []))[1].append(inside[1])
        return list(found.values())

    def _recorded(self) -> Iterable[str]:
        """The files that some record edits. Where nothing is dirty, the others' hold none that this one's does not."""
        others = self.others if self.trees.main is not None and self.trees.main.entries else ()
        return dict.fromkeys(real for files in (self.folded, *(other.folded for other in others)) for real in files)

    def archive(self, real: str) -> tuple[Archive, list[str]] | None:
        """What the repository keeps of a file, and what it is called there; None where there is no repository."""
        repository = self.trees.of(real) or self.trees.main
        if repository is None:
            return None
        key = str(repository.root)
        if key not in self._archives:
            begun = self._opening if repository is self.trees.main and not self.moved else None
            self._archives[key] = begun.result() if begun is not None else self._opener(repository)()
        archive = self._archives[key]
        names = self._names(real, repository, archive.worktrees)
        return (archive, names) if names else None

    def store(self, repository: Repository) -> Store:
        """The objects of a repository."""
        return self._stores.setdefault(str(repository.root), Store(repository, self.since))

    def _names(self, real: str, repository: Repository, worktrees: Sequence[str]) -> list[str]:
        paths = dict.fromkeys((self.target(real), real))
        return [name for path in paths for name in self.names_in(path, repository, worktrees)]

    def names_in(self, path: str, repository: Repository, worktrees: Sequence[str]) -> list[str]:
        """What a path may be called in the trees of a repository, worktrees that were removed among them."""
        return list(dict.fromkeys(names_in(path, repository, worktrees, self.gone_places)))

    @property
    def gone_places(self) -> Sequence[str]:
        """Directories that the session was in by its record and that are gone: worktrees that were removed, or mere
        folders.
        """
        if self._gone_places is None:
            summary = self.story.summary
            named = (summary.worktree, summary.workspace, summary.cwd)
            told = dict.fromkeys(self.trees.real(one).rstrip("/") for one in named if one and one.startswith("/"))
            self._gone_places = [one for one in told if not is_there(one)]
        return self._gone_places

    def begin_archive(self) -> None:
        """Begin to ask what the session's repository keeps, before it is known what has moved."""
        if self.trees.main is not None and self.folded:
            self._opening = Running(self._opener(self.trees.main))

    def _opener(self, repository: Repository) -> Callable[[], Archive]:
        worktrees = repository.find_worktrees()
        wanted = [*self.folded, *self.moved.values()]
        names = [name for real in wanted for name in self._names(real, repository, worktrees)]
        base = self.base if repository is self.trees.main else None
        store = self.store(repository)

        def ask() -> Archive:
            archive = open_archive(store, list(dict.fromkeys(names)), base, worktrees)
            archive.prefetch(archive.of(names))
            return archive

        return ask

    @property
    def runs(self) -> Sequence[Run]:
        """The session's commands that can have written files."""
        if self._runs is None:
            self._runs = find_runs(self.steps)
        return self._runs

    def fallback(self, real: str) -> Fallback:
        """Who made what no text explains."""
        if real not in self._fallbacks:
            inside = self.place_in_tree(real)
            entry = inside[0].entries.get(inside[1]) if inside is not None else None
            changed = inside is None or entry is None or entry.head is None or bool(inside[0].hunks.get(inside[1]))
            place = Circumstance(
                real,
                self.content(real),
                entry,
                self._written_at(real),
                changed,
                self.origins.get(self.target(real)),
                self._reported_of(inside),
            )
            self._fallbacks[real] = find_fallback(place, self.since, self.runs)
        return self._fallbacks[real]

    def _reported_of(self, inside: tuple[Repository, str] | None) -> tuple[int, bool] | None:
        """What the session's own recorded status said of a path, before the session edited anything."""
        if inside is None or inside[0] is not self.trees.main:
            return None
        if self._reported is None:
            self._reported = (find_reported(self.steps, str(inside[0].root)),)
        told = self._reported[0]
        return None if told is None else (told.step, told.lists(inside[1]))

    @property
    def origins(self) -> Mapping[str, str]:
        """New paths whose whole content HEAD has at a path that is gone, and that path."""
        if self._origins is None:
            main = self.trees.main
            self._origins = find_origins(main, self.content) if main is not None else {}
        return self._origins

    def undone_by(self, real: str) -> str | None:
        """The first recorded command behind the session's last edit of a file that can have taken it away."""
        last = max((row.ended_at or row.at or "" for row in self.folded[real].made), default="")
        found = [(s.at or "", f"step {s.n}") for s in self._undoers() if _can_undo(s, last, real)]
        for record in self.others:
            found += [(s.at or "", str(record.name)) for s in record.undoing if _can_undo(s, last, real)]
        return min(found)[1] if found else None

    def _undoers(self) -> Sequence[Step]:
        """The session's steps that can have taken work away, sought once: each lost file asks for them."""
        if self._undoing is None:
            self._undoing = [step for step in self.steps if may_take_away(step)]
        return self._undoing


def _lines_of(content: Content, witnesses: Sequence[Witness]) -> Sequence[str]:
    """The lines of a content that these witnesses were held against; none where it is no text."""
    if content.kind != "text":
        return ()
    compared = (witness.comparison.lines for witness in witnesses)
    return next(filter(None, compared), None) or bare_lines(content.text)


def _can_undo(step: Step, after: str, real: str) -> bool:
    if step.command is None or (step.at or "") < after:
        return False
    return "git" in step.command or any(part in step.command for part in real.split("/")[-3:] if len(part) > 1)


def survey(
    trees: Trees,
    story: Story,
    others: Sequence[Story],
    base: str | None,
    missing_workspace: str | None,
    own: OwnRecord | None = None,
) -> Survey:
    """Put together what the session's record says (`own`, where it was folded already) and what the others' do."""
    own = own or fold_record(story, trees)
    return Survey(
        story,
        trees,
        own.steps,
        own.folded,
        own.without_superseded,
        OtherRecords(others, name_of(story), own.folded, trees),
        own.backups,
        base,
        missing_workspace,
        own.known,
    )
