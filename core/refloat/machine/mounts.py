"""On which file system a path lies, and what that means for looking at it. Linux; elsewhere nothing is known."""

import os
from pathlib import Path
from typing import Final

from refloat.model.light import light

_REMOTE_WORDS: Final = (
    "9p afs afpfs autofs beegfs ceph cifs coda davfs fuse.glusterfs fuse.rclone fuse.s3fs fuse.sshfs glusterfs gpfs "
    "lustre ncpfs nfs nfs4 ocfs2 orangefs prl_fs smb3 smbfs vboxsf virtiofs vmhgfs fuse.vmhgfs-fuse webdav"
)
REMOTE: Final = frozenset(_REMOTE_WORDS.split())
"""File systems on which somebody else may write without this kernel hearing of it (names of `/proc/filesystems`)."""


@light
class Mount:
    """One mounted file system."""

    point: str
    kind: str
    device: str
    """`major:minor` in decimal, as the kernel's own tables have it; differs from `st_dev` on btrfs."""

    @property
    def remote(self) -> bool:
        """Whether others may write to it unheard."""
        return self.kind in REMOTE

    @property
    def hides_locks(self) -> bool:
        """Whether a lock on it may be missing from `/proc/locks`."""
        return self.remote or self.kind.startswith("fuse")


def read_mounts(table: Path = Path("/proc/self/mountinfo")) -> tuple[Mount, ...]:
    """Every mount, in mounting order (proc(5)); empty where there is no such table."""
    try:
        text = table.read_text("utf-8", "surrogateescape")
    except OSError:
        return ()
    return tuple(mount for line in text.splitlines() if (mount := _mount(line)) is not None)


def _mount(line: str) -> Mount | None:
    before, dash, after = line.partition(" - ")
    head, tail = before.split(" "), after.split(" ")
    if not dash or len(head) < 5:
        return None
    return Mount(point=_plain(head[4]), kind=tail[0], device=head[2])


def _plain(octal: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        octal = octal.replace(code, character)
    return octal


def mount_of(path: Path, mounts: tuple[Mount, ...] | None = None) -> Mount | None:
    """The mount that a path lies on (or would lie on: missing parts are no obstacle); None where unknown."""
    real = os.path.realpath(path)
    over = [
        mount
        for mount in (read_mounts() if mounts is None else mounts)
        if real == mount.point or real.startswith(mount.point.rstrip("/") + "/")
    ]
    # The last of the longest: a later mount on the same point hides the earlier.
    return max(enumerate(over), key=lambda pair: (len(pair[1].point), pair[0]))[1] if over else None
