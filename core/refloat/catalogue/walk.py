"""The stat walk: which files lie below the agents' directories, and what `stat` says of each. Opens no file.

Decides which files count (regular ones whose name ends in one of the wanted suffixes) and how deep. Refuses to follow a
linked directory into a tree that it walks anyway. Plain tuples and nothing but `os`, because the quick road of
`refloat list` pays for every import.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

Spec = tuple[str, str, tuple[str, ...], int, str]
"""(agent, root, suffixes, depth, what it holds): `readers.contract.Walk` as a tuple. The root may be a file."""

Row = tuple[str, int, int, int, int]
"""(path, size, mtime_ns, inode, device)."""

Fault = tuple[str, str]
"""(path, what could not be read)."""

_KIND = 0o170000
_REGULAR = 0o100000
_Want = tuple[int, tuple[str, ...], int]
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def walk(specs: Sequence[Spec]) -> tuple[list[list[Row]], list[Fault]]:
    """For each spec the files below its root, and what could not be looked into. A missing root is no fault.

    Specs of one root share a single pass.
    """
    found: list[list[Row]] = [[] for _ in specs]
    faults: list[Fault] = []
    roots: dict[str, list[_Want]] = {}
    for index, (_, root, suffixes, depth, _) in enumerate(specs):
        roots.setdefault(root, []).append((index, suffixes or ("",), depth))
    for root, wants in roots.items():
        _walk_root(root, wants, found, faults)
    return found, faults


def fingerprint(specs: Sequence[Spec], found: Sequence[Iterable[Row]], faults: Iterable[Fault]) -> str:
    """One text that is equal when, and only when, two walks saw the same: it is kept and compared whole."""
    lines = [f"{path}\t{why}" for path, why in faults]
    for spec, rows in zip(specs, found, strict=True):
        head = spec[0] + spec[4][:1]
        lines += [f"{path}\t{size} {mtime} {inode} {device} {head}" for path, size, mtime, inode, device in rows]
    lines.sort()
    return "\n".join(lines)


def differing(before: str, after: str) -> tuple[set[str], set[str]]:
    """The lines that only the one and only the other of two fingerprints has; cheap where few differ."""
    start = _common(before, after, 0)
    end = _common(before, after, start, backwards=True)
    return _apart(before[start : len(before) - end], after[start : len(after) - end])


def _apart(before: str, after: str) -> tuple[set[str], set[str]]:
    was, is_now = set(before.split("\n")), set(after.split("\n"))
    return was - is_now, is_now - was


def _common(one: str, other: str, apart: int, *, backwards: bool = False) -> int:
    """How many characters, in whole lines, both begin with, or end with behind the first `apart`."""
    least, most = 0, min(len(one), len(other)) - apart
    while least < most:
        middle = (least + most + 1) // 2
        if backwards:
            same = one[len(one) - middle : len(one) - least] == other[len(other) - middle : len(other) - least]
        else:
            same = one[least:middle] == other[least:middle]
        least, most = (middle, most) if same else (least, middle - 1)
    if backwards:
        at = one.find("\n", len(one) - least)
        return 0 if at < 0 else len(one) - at
    return one.rfind("\n", 0, least) + 1


def patched(seen: str, since: str) -> str:
    """A fingerprint in which lines were replaced since; `since`: each old line, and the new one behind it."""
    if not since:
        return seen
    lines = since.split("\n")
    text = f"\n{seen}\n"
    for old, new in zip(lines[::2], lines[1::2], strict=True):
        text = text.replace(f"\n{old}\n", f"\n{new}\n", 1)
    return text[1:-1]


def _walk_root(root: str, wants: list[_Want], found: list[list[Row]], faults: list[Fault]) -> None:
    deepest = max(depth for _, _, depth in wants)
    trees: list[str] | None = None
    pending = [(root, 0)]
    while pending:
        directory, level = pending.pop()
        here = [(found[index].append, names) for index, names, depth in wants if depth >= level]
        suffixes = tuple(suffix for _, names in here for suffix in names)
        only = here[0][0] if len(here) == 1 else None
        prefix = directory if directory.endswith("/") else directory + "/"
        try:
            # By its descriptor: the kernel need not look up the same long path for each of thousands of files.
            opened = os.open(directory, _DIRECTORY)
        except FileNotFoundError:
            continue
        except NotADirectoryError:
            if level == 0:
                _keep_root(root, wants, found, faults)
            continue
        except OSError as fault:
            faults.append((directory, fault.strerror or str(fault)))
            continue
        try:
            with os.scandir(opened) as entries:
                for entry in entries:
                    name = entry.name
                    try:
                        if name.endswith(suffixes):
                            stat = entry.stat()
                            if stat.st_mode & _KIND == _REGULAR:
                                row = (prefix + name, stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_dev)
                                if only is not None:
                                    only(row)
                                    continue
                                for keep, names in here:
                                    if name.endswith(names):
                                        keep(row)
                                continue
                        if entry.is_dir() and level < deepest:
                            path = prefix + name
                            if entry.is_symlink():
                                trees = trees or [os.path.realpath(root)]
                                if _is_known(os.path.realpath(path), trees):
                                    continue
                            pending.append((path, level + 1))
                    except FileNotFoundError:
                        continue
                    except OSError as fault:
                        faults.append((prefix + name, fault.strerror or str(fault)))
        except OSError as fault:
            faults.append((directory, fault.strerror or str(fault)))
        finally:
            os.close(opened)


def _is_known(real: str, trees: list[str]) -> bool:
    """Whether a linked directory lies in a tree that is walked anyway; remembers it otherwise."""
    if any(real == tree or real.startswith(tree + "/") for tree in trees):
        return True
    trees.append(real)
    return False


def _keep_root(root: str, wants: list[_Want], found: list[list[Row]], faults: list[Fault]) -> None:
    """A root that is a file itself."""
    try:
        stat = os.stat(root)  # noqa: PTH116 - pathlib is dear at start-up
    except FileNotFoundError:
        return
    except OSError as fault:
        faults.append((root, fault.strerror or str(fault)))
        return
    if stat.st_mode & _KIND == _REGULAR:
        for index, suffixes, _ in wants:
            if root.endswith(suffixes):
                found[index].append((root, stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_dev))
