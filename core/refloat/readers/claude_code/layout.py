"""Where Claude Code's files lie, what each is, and how files make up sessions.

Decides by path where the path tells, else by the first 64 KB. A session's workspace is never decoded from a directory's
name: the name loses information, the rows do not.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from refloat.model.light import replace
from refloat.model.stamp import read_stamp
from refloat.patterns import late
from refloat.readers.claude_code.kin import Descent, Member, find_descents
from refloat.readers.claude_code.values import get_object, mapping, text
from refloat.readers.contract import Found, FoundSubagent, Identity, Segment, SourceFile, Walk
from refloat.readers.lines import raw_lines, read_stretch
from refloat.readers.load import loads
from refloat.readers.naming import make_id
from refloat.there import from_here, is_directory, is_plain_file

if TYPE_CHECKING:
    from pathlib import Path

HEAD: Final = 64 * 1024
_HEAD_FIRST: Final = 8 * 1024
_LOOKED_THROUGH: Final = 4 * 1024 * 1024
"""Bytes of a file of unknown origin that are looked through: attachments before the first prompt can be long."""
_SMALL: Final = 64 * 1024
_DEEPEST: Final = 5
"""`<project>/<session>/subagents/workflows/<run>`."""
_TIME: Final = late(rb'"timestamp":\s?"([^"\\]{20,40})"')
_SESSION: Final = late(rb'"sessionId":\s?"([^"\\]{1,200})"')
_FIRST_ROW: Final = late(rb'"uuid":\s?"([^"\\]{1,200})"')
_BACKGROUND: Final = late(rb'"sessionKind":\s?"bg"')
_FORK: Final = late(rb'"forkedFrom":\s?\{"sessionId":\s?"([^"\\]{1,200})"')
_OLD: Final = late(rb'"version":\s?"1\.')
ID: Final = late(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
"""A session's id, after which the program calls its transcript."""
_INLINE: Final = b'"isSidechain":true'
_ROOT: Final = b'"parentUuid":null'
_TALK: Final = frozenset({"user", "assistant", "system", "attachment", "progress"})
_ASIDE: Final = frozenset(
    {"journal.jsonl", "resume-head.jsonl", "history.jsonl", "memory", "session-memory", "tool-results", "workflows"}
)
_AGENT: Final = "agent-"
_NO_TRANSCRIPT: Final = frozenset({".replaced", ".json"})
_COMPACTOR: Final = "agent-acompact"


def config_directory(home: Path, environment: Mapping[str, str]) -> Path:
    """The program's directory: `CLAUDE_CONFIG_DIR`, else `~/.claude`."""
    named = environment.get("CLAUDE_CONFIG_DIR", "")
    return home / from_here(named) if named else home / ".claude"


def settings_file(home: Path, environment: Mapping[str, str]) -> Path:
    """`.claude.json`, of which only `projects` is ever read: the rest is account data."""
    named = environment.get("CLAUDE_CONFIG_DIR", "")
    return home / from_here(named) / ".claude.json" if named else home / ".claude.json"


def walks(home: Path, environment: Mapping[str, str]) -> Sequence[Walk]:
    """Where files lie."""
    config = config_directory(home, environment)
    projects = str(config / "projects")
    return (
        Walk(projects, (".jsonl",), _DEEPEST, "transcripts"),
        Walk(projects, (".meta.json", "custom-title.json"), _DEEPEST, "side"),
        Walk(str(config / "sessions"), (".json",), 0, "registers"),
        Walk(str(config / "jobs"), ("state.json",), 1, "registers"),
        Walk(str(config / "daemon"), ("roster.json",), 0, "registers"),
        Walk(str(config), ("history.jsonl",), 0, "history"),
        Walk(str(settings_file(home, environment).parent), (".claude.json",), 0, "history"),
    )


# ── what a file is ───────────────────────────────────────────────────────────────────────────────────────────────────


def identify(file: SourceFile) -> Identity:
    """What a `.jsonl` file is."""
    # A path of the library takes several times as long, and thousands of files are asked for.
    *directories, name = file.path.split("/")
    bare, suffix = os.path.splitext(name)  # noqa: PTH122 - as above
    stem = make_id(bare)
    if name.startswith(_COMPACTOR):
        return Identity("hidden", stem)
    folder = _session_folder(directories)
    if folder is not None:
        if not stem.startswith(_AGENT):
            return Identity("none", "")  # journals and the like
        head = _head(file.path)
        return Identity("subagent", folder, parent=folder, own=stem.removeprefix(_AGENT), started=_started(head))
    if suffix in _NO_TRANSCRIPT or _is_aside(name, directories):
        return Identity("none", "")
    head = _head(file.path)
    if stem.startswith(_AGENT):
        match = _SESSION.search(head)
        session = make_id(match[1].decode("utf-8", "replace")) if match else ""
        if session:
            own = stem.removeprefix(_AGENT)
            return Identity("subagent", session, parent=session, own=own, started=_started(head))
    return _main(file, stem, head)


def _main(file: SourceFile, stem: str, head: bytes) -> Identity:
    # A plain search for a word passes over 64 KB in a tenth of the time.
    fork = _FORK.search(head) if b'"forkedFrom"' in head else None
    parent = make_id(fork[1].decode("utf-8", "replace")) if fork else ""
    note: dict[str, str] = {}
    if first := _first_row(file, head):
        note["first"] = first
    if b'"sessionKind"' in head and _BACKGROUND.search(head):
        note["background"] = "first"
    if not stem.startswith(_AGENT) and (named := _named_by_rows(stem, head)):
        note["named"] = named
    if stem.startswith(_AGENT):
        note["sidechain"] = "alone"
    elif (
        (b'"version":"1.' in head or b'"version": "1.' in head)
        and _OLD.search(head)
        and (roots := _inline_roots(file.path))
    ):
        note["inline"] = " ".join(roots)
    parent = "" if parent == stem else parent
    return Identity("main", stem, parent=parent, started=_started(head), note=note or None)


def _named_by_rows(stem: str, head: bytes) -> str:
    """The session that the rows of a file name which is called by no id: somebody's copy. "" for the program's own."""
    if ID.fullmatch(stem) or not (match := _SESSION.search(head)):
        return ""
    session = match[1].decode("utf-8", "replace")
    return session if ID.fullmatch(session) else ""


def _session_folder(directories: Sequence[str]) -> str | None:
    """The session whose `subagents` directory holds a file, at any depth below it."""
    for at in range(len(directories) - 1, max(0, len(directories) - 4), -1):
        if directories[at] == "subagents":
            return make_id(directories[at - 1])
    return None


def _is_aside(name: str, directories: Sequence[str]) -> bool:
    """Whether a file is known to hold no session by its name or by the directory that it lies in."""
    return name in _ASIDE or ("projects" in directories[-5:-1] and not _ASIDE.isdisjoint(directories[-3:]))


def _head(path: str) -> bytes:
    """The first 8 KB, and where the first row of the talk does not end in them, 64; nothing where it cannot be read
    (reading it will tell why). What tells a session's kind stands in that row.
    """
    try:
        head = read_stretch(path, 0, _HEAD_FIRST)
        match = _FIRST_ROW.search(head)
        whole = len(head) < _HEAD_FIRST or (match and head.find(b"\n", match.end()) >= 0)
        return head if whole else head + read_stretch(path, len(head), HEAD - len(head))
    except OSError:
        return b""


def _first_row(file: SourceFile, head: bytes) -> str:
    """Id of the first row of the talk: copies share it. Its row may be long: a prompt with a picture."""
    match = _FIRST_ROW.search(head)
    if match is None and file.size > len(head):
        try:
            with open(file.path, "rb", buffering=0) as opened:  # noqa: PTH123 - one read
                match = _FIRST_ROW.search(opened.read(_LOOKED_THROUGH))
        except OSError:
            match = None
    return match[1].decode("utf-8", "replace") if match else ""


def _started(head: bytes) -> str:
    match = _TIME.search(head)
    return read_stamp(match[1].decode("utf-8", "replace")) or "" if match else ""


def _inline_roots(path: str) -> list[str]:
    """First rows of sub-agents that stand inline, as 1.0 wrote them."""
    roots: list[str] = []
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a stream of bytes
            for line in raw_lines(file):
                if _INLINE in line and _ROOT in line:
                    row = get_object(line) or {}
                    if row.get("isSidechain") is True and row.get("parentUuid") is None:
                        roots += [root] if (root := text(row.get("uuid"))) else []
    except OSError:
        return []
    return list(dict.fromkeys(roots))


# ── files from anywhere ──────────────────────────────────────────────────────────────────────────────────────────────


def recognise(path: Path) -> Sequence[SourceFile] | None:
    """The files of a transcript given by path: a file, a project's directory, a session's own, or a copied config."""
    try:
        files = _recognised(path)
    except OSError:  # a directory that went while it was listed
        return None
    found = [source for file in dict.fromkeys(files) if (source := source_file(file))]
    return found or None


def _recognised(path: Path) -> list[Path]:
    if is_directory(path):
        files = [file for file in _transcripts(path) if _is_transcript(file)]
        return files + [below for file in files for below in _below(file)]
    if path.suffix != ".replaced" and is_plain_file(path) and _is_transcript(path):
        return [path, *_below(path)]
    return []


def _transcripts(directory: Path) -> list[Path]:
    found = sorted(directory.glob("*.jsonl"))
    if is_directory(directory / "subagents") and is_plain_file(main := directory.with_name(f"{directory.name}.jsonl")):
        found.append(main)
    if not found:
        found = sorted(directory.glob("subagents/**/*.jsonl"))
    for projects in (directory / "projects", directory):
        if not found and is_directory(projects):
            found = sorted(projects.glob("*/*.jsonl"))
    return found


def _below(file: Path) -> list[Path]:
    return sorted(file.with_suffix("").glob("subagents/**/*.jsonl"))


def source_file(path: Path) -> SourceFile | None:
    """A file with what `stat` says, or None where there is none."""
    try:
        known = path.stat()
    except OSError:
        return None
    return SourceFile(str(path), known.st_size, known.st_mtime_ns, known.st_ino, known.st_dev)


def _is_transcript(path: Path) -> bool:
    """Whether the first rows are of this program: a row of the talk with its envelope, or metadata with a session."""
    try:
        with path.open("rb") as file:
            data = file.read(HEAD)
            if any(_is_row(line) for line in data.splitlines()[:50]):
                return True
            data += file.read(_LOOKED_THROUGH - HEAD)
    except OSError:
        return False
    return b'"parentUuid":' in data and b'"sessionId":' in data and any(map(_is_row, data.splitlines()[:200]))


def _is_row(line: bytes) -> bool:
    try:
        row = mapping(loads(line.strip(b"\x00 \t\r")))
    except ValueError:
        return False
    kind = row.get("type")
    if not isinstance(kind, str) or "payload" in row:
        return False
    if kind in _TALK:
        return "sessionId" in row and ("uuid" in row or "parentUuid" in row)
    return kind in _METADATA and ("sessionId" in row or "leafUuid" in row or "messageId" in row)


_METADATA: Final = frozenset(
    [
        "summary",
        "ai-title",
        "custom-title",
        "last-prompt",
        "mode",
        "permission-mode",
        "worktree-state",
        "queue-operation",
        "file-history-snapshot",
        "agent-name",
        "relocated",
    ]
)


def turn_before(rows: bytes) -> Sequence[Mapping[str, object]]:
    """A prompt that stands for one that is not in `rows`."""
    match = _TIME.search(rows)
    at = match[1].decode("utf-8", "replace") if match else None
    message = {"role": "user", "content": "…"}
    return ({"type": "user", "uuid": "before", "parentUuid": None, "timestamp": at, "message": message},)


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def group(files: Sequence[tuple[SourceFile, Identity]], side: Sequence[SourceFile] = ()) -> Sequence[Found]:
    """Sessions: files of one id in any project, oldest first, each with its sub-agents and its descent."""
    mains: defaultdict[str, list[Segment]] = defaultdict(list)
    parts: defaultdict[str, dict[str, list[Segment]]] = defaultdict(dict)
    for file, identity in files:
        if identity.role == "main":
            mains[identity.session_id].append(Segment(file, identity=identity))
        elif identity.role == "subagent":
            parts[identity.parent].setdefault(identity.own, []).append(Segment(file, identity=identity))
    if not mains:
        return tuple(_alone(own, segments) for some in parts.values() for own, segments in some.items())
    titles, calls = _side(side)
    ordered = {name: _titled(_in_order(segments), titles.get(name, "")) for name, segments in mains.items()}
    descents = find_descents([_member(name, segments, parts.get(name, ())) for name, segments in ordered.items()])
    return tuple(
        _session(descents.get(name) or Descent(_named_source(segments)), name, segments, parts.get(name, {}), calls)
        for name, segments in ordered.items()
    )


def _member(name: str, segments: Sequence[Segment], agents: Iterable[str]) -> Member:
    note = _note_of(segments)
    files = tuple(segment.file for segment in segments)
    return Member(
        name,
        note.get("first", ""),
        files,
        _named_source(segments),
        "background" in note,
        renamed="named" in note,
        agents=tuple(agents),
    )


def _named_source(segments: Sequence[Segment]) -> str:
    return next((s.identity.parent for s in segments if s.identity and s.identity.parent), "")


def _session(
    descent: Descent,
    name: str,
    segments: tuple[Segment, ...],
    parts: Mapping[str, list[Segment]],
    calls: Mapping[str, str],
) -> Found:
    subagents = [
        FoundSubagent(own, _in_order(some), calls.get(some[0].file.path, "")) for own, some in sorted(parts.items())
    ]
    for segment in segments:
        note = (segment.identity.note if segment.identity else None) or {}
        subagents += [FoundSubagent(root, (segment,)) for root in note.get("inline", "").split()]
    renamed = _note_of(segments).get("named", "")
    return Found("claude-code", name, segments, tuple(subagents), descent.parent, descent.relatives, renamed=renamed)


def _note_of(segments: Sequence[Segment]) -> Mapping[str, str]:
    identity = segments[0].identity
    return (identity.note if identity else None) or {}


def _alone(own: str, segments: list[Segment]) -> Found:
    """A sub-agent's file that was given without its session's: read as one."""
    return Found("claude-code", _AGENT + own, tuple(_with_note(s, "sidechain", "alone") for s in _in_order(segments)))


def _in_order(segments: Iterable[Segment]) -> tuple[Segment, ...]:
    return tuple(sorted(segments, key=lambda s: (s.identity.started if s.identity else "", s.file.path)))


def _titled(segments: tuple[Segment, ...], title: str) -> tuple[Segment, ...]:
    return tuple(_with_note(segment, "title", title) for segment in segments) if title else segments


def _with_note(segment: Segment, key: str, value: str) -> Segment:
    identity = segment.identity
    if identity is None:
        return segment
    return replace(segment, identity=replace(identity, note={**(identity.note or {}), key: value}))


def _side(side: Sequence[SourceFile]) -> tuple[dict[str, str], dict[str, str]]:
    """Titles by session, and the starting call by transcript of a sub-agent, from small files beside them."""
    titles: dict[str, str] = {}
    calls: dict[str, str] = {}
    for file in side:
        if file.size > _SMALL:
            continue
        directory, name = os.path.split(file.path)
        if name == "custom-title.json":
            session = make_id(os.path.basename(directory))  # noqa: PTH119 - as above
            titles[session] = text((_small(file.path) or {}).get("customTitle"))
        elif name.startswith(_AGENT) and name.endswith(".meta.json"):
            beside = file.path.removesuffix(".meta.json") + ".jsonl"
            calls[beside] = text((_small(file.path) or {}).get("toolUseId"))
    return titles, calls


def _small(path: str) -> Mapping[str, object] | None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as above
            return get_object(file.read())
    except OSError:
        return None
