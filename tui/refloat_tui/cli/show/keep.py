"""`keep` for a person."""

from collections.abc import Iterator

from refloat.model.kept import KeptMany, KeptNow
from refloat_tui.cli.show.table import counted, labelled


def kept_lines(kept: KeptNow, width: int) -> Iterator[str]:
    """What is kept, where, how big, and what it holds."""
    copy = kept.copy
    how = "kept already, and DAMAGED" if kept.damaged else "kept" if kept.changed else "kept already, unchanged"
    yield from labelled("KEPT", f"{copy.session}  {how}", width)
    yield from labelled("in", str(copy.directory), width)
    size = sum(file.kept_bytes for file in copy.files)
    files = counted(len(copy.files), "file")
    yield from labelled("files", f"{files}, {copy.bytes:,} bytes, compressed to {size:,}", width)
    yield from labelled("sha256", copy.sha256, width)
    if kept.secrets:
        what = f"{counted(kept.secrets, 'value')} that may be secrets: the copy is exact, and private (0600)"
        yield from labelled("holds", what, width)
    if kept.missing:
        gone = f"{counted(len(kept.missing), 'original')} no longer with the agent; the copy has them"
        yield from labelled("gone", gone, width)
    for path, what in kept.damaged:
        yield from labelled("damaged", f"{path}: {what}", width)
    for path in kept.unlike:
        what = f"{path} is shorter than, or another file than, what was kept of it: the earlier copy of it stays"
        yield from labelled("changed", what, width)


def kept_many_lines(many: KeptMany, width: int) -> Iterator[str]:
    """Each session that was due."""
    if not many.kept and not many.failed:
        yield "Nothing is due: no agent deletes anything within a week that is not kept."
    for kept in many.kept:
        yield from kept_lines(kept, width)
        yield ""
    for session, why in many.failed:
        yield from labelled("NOT KEPT", f"{session}: {why}", width)
