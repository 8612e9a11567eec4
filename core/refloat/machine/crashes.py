"""Files that crashes leave: core dumps, reports of macOS and of Node.js. Found by name, read as little as possible.

Decides what a file says of itself. Refuses to say whose crash it was. A core dump is never opened: systemd names it
`core.PROGRAM.UID.BOOT.PID.MICROSECONDS[.zst]` (systemd-coredump(8)), the kernel `core.PID` (core(5)).
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, cast

from refloat.model.stamp import Stamp, read_stamp, stamp_of_seconds
from refloat.model.traces import CrashFile

COREDUMPS: Final = Path("/var/lib/systemd/coredump")
_MAC_REPORTS: Final = "Library/Logs/DiagnosticReports"
_SYSTEMD: Final = re.compile(r"core\.(?P<program>.+)\.(?P<uid>\d+)\.[0-9a-f]{32}\.(?P<pid>\d+)\.(?P<micros>\d{10,20})")
_CORE: Final = re.compile(r"core\.(\d{1,10})")
_NODE: Final = re.compile(r"report\.\d{8}\.\d{6}\.\d+\.\d+\.\d+\.json")
_MOST_NAMES: Final = 20_000
_MOST_FILES: Final = 40
_MOST_BYTES: Final = 4 * 1024 * 1024


def find_crash_files(home: Path, directories: Sequence[str], since: Stamp, until: Stamp) -> tuple[CrashFile, ...]:
    """Crash files of that time, in the system's places and (reports and cores of their own) in some directories."""
    folders = [COREDUMPS, home / _MAC_REPORTS, Path("/") / _MAC_REPORTS, *map(Path, directories)]
    found = (crash for folder in dict.fromkeys(folders) for crash in _in_folder(folder))
    return tuple(crash for crash in found if crash.at is not None and since <= crash.at <= until)


def readable_places(home: Path) -> tuple[str, ...]:
    """The system's places for crash files that are there and may be listed."""
    places = (COREDUMPS, home / _MAC_REPORTS, Path("/") / _MAC_REPORTS)
    return tuple(dict.fromkeys(str(place) for place in places if os.access(place, os.R_OK | os.X_OK)))


def _in_folder(folder: Path) -> Iterator[CrashFile]:
    """The newest first, so that a folder full of old ones costs no more than an empty one."""
    read = 0
    for path in sorted(_names(folder), key=_changed, reverse=True):
        if match := _SYSTEMD.match(path.name):
            at = stamp_of_seconds(int(match["micros"]) / 1_000_000)
            yield CrashFile(str(path), match["program"], int(match["pid"]), at, "core dump")
        elif match := _CORE.fullmatch(path.name):
            yield CrashFile(str(path), "", int(match[1]), stamp_of_seconds(_changed(path)), "core dump")
        elif read < _MOST_FILES:
            read += 1
            crash = _read_ips(path) if path.suffix == ".ips" else _read_node(path)
            if crash is not None:
                yield crash


def _names(folder: Path) -> list[Path]:
    found: list[Path] = []
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number >= _MOST_NAMES:
                    break
                if _is_crash_name(entry.name) and entry.is_file(follow_symlinks=False):
                    found.append(folder / entry.name)
    except (OSError, ValueError):  # a record's directory may hold anything, a zero byte too
        return found
    return found


def _is_crash_name(name: str) -> bool:
    return bool(name.endswith(".ips") or _NODE.fullmatch(name) or (name.startswith("core.") and _is_core(name)))


def _is_core(name: str) -> bool:
    return bool(_CORE.fullmatch(name) or _SYSTEMD.match(name))


def _changed(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _text(path: Path) -> str:
    """The file's text; "" for what is no plain file, is huge, or may not be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as file:
        try:
            raw = file.read(_MOST_BYTES + 1)
        except OSError:
            return ""
    return "" if len(raw) > _MOST_BYTES else raw.decode("utf-8", "replace")


def _mapping(text: str) -> dict[str, object]:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _inner(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _words(value: object) -> str:
    return value if isinstance(value, str) else ""


def _pid(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _read_ips(path: Path) -> CrashFile | None:
    """A crash report of macOS: one line of JSON as its head, then a JSON document (Apple, "Interpreting the JSON
    format of a crash report").
    """
    first, _, rest = _text(path).partition("\n")
    head, body = _mapping(first), _mapping(rest)
    program = _words(body.get("procName")) or _words(head.get("app_name"))
    if not program:
        return None
    fault, end = _inner(body.get("exception")), _inner(body.get("termination"))
    told = (_words(fault.get("type")), _words(fault.get("signal")), _words(end.get("indicator")))
    at = read_stamp(_zoned(_words(body.get("captureTime")) or _words(head.get("timestamp"))))
    return CrashFile(str(path), program, _pid(body.get("pid")), at, ", ".join(filter(None, told)))


def _zoned(moment: str) -> str:
    """`2026-09-14 11:02:03.4512 +0200` in the form of RFC 3339."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)? ([+-]\d\d)(\d\d)", moment)
    return f"{match[1]}T{match[2]}{(match[3] or '')[:7]}{match[4]}:{match[5]}" if match else ""


def _read_node(path: Path) -> CrashFile | None:
    """A diagnostic report of Node.js (its documentation, "Diagnostic report"), written where the process worked."""
    head = _inner(_mapping(_text(path)).get("header"))
    told = tuple(filter(None, (_words(head.get("event")), _words(head.get("trigger")))))
    if not head or not told:
        return None
    line = head.get("commandLine")
    argv = tuple(map(str, cast("Iterable[object]", line))) if isinstance(line, list) else ()
    at = read_stamp(_words(head.get("dumpEventTime")))
    return CrashFile(str(path), "node", _pid(head.get("processId")), at, ", ".join(told), argv)
