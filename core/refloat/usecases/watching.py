"""Which directories are watched for changes, and which changes there say something.

Decides by the agents' walks. Refuses to watch a home directory for the one file of an agent that lies in it: watching
goes all the way down, and everything that anybody writes there, Refloat's own catalogue too, would ask for a look.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from refloat.ports import Places
from refloat.readers.contract import Reader, Walk
from refloat.usecases.workbench import Workbench


class Watched:
    """What the agents' walks make of a machine's directories."""

    def __init__(self, readers: Iterable[Reader], places: Places) -> None:
        self._home = places.home
        walks = (walk for reader in readers for walk in reader.walks(places.home, places.environment))
        self._walks = [walk for walk in walks if walk.holds != "index"]

    def roots(self) -> list[Path]:
        """Directories to watch with all that is below, none inside another; there or not."""
        roots = {Path(walk.root) for walk in self._walks}
        roots -= {self._home, *self._home.parents}
        return sorted(root for root in roots if roots.isdisjoint(root.parents))

    def concerns(self, path: str) -> bool:
        """Whether a changed path may be one of a walk's files, or a directory on the way to them."""
        return any(_fits(walk, path) for walk in self._walks)

    def is_holder(self, path: str) -> bool:
        """Whether a path is a register's or a lock's, and nothing else's: every look reads those anew."""
        fitting = [walk for walk in self._walks if _fits(walk, path)]
        return bool(fitting) and all(_holds_processes(walk) and _is_inside(walk, path) for walk in fitting)


def _holds_processes(walk: Walk) -> bool:
    return walk.holds in {"registers", "locks"}


def _is_inside(walk: Walk, path: str) -> bool:
    return path.startswith(f"{walk.root}/") and path.endswith(walk.suffixes)


def _fits(walk: Walk, path: str) -> bool:
    if path == walk.root or walk.root.startswith(f"{path}/"):
        return True
    if not path.startswith(f"{walk.root}/"):
        return False
    inside = path[len(walk.root) + 1 :]
    deep = inside.count("/")
    # A directory that came or went whole is told by its own name.
    return deep <= walk.depth and (path.endswith(walk.suffixes) or (deep < walk.depth and "." not in Path(path).name))


def watch_records(bench: Workbench, stop: Callable[[], bool]) -> Iterator[frozenset[str] | None]:
    """Block and tell which files of agents changed, until `stop`; None: some were missed, look at everything."""
    watched = Watched(bench.readers, bench.machine.places)
    for change in bench.machine.watch.changes(watched.roots(), stop):
        if change.overflow:
            yield None
        elif told := frozenset(filter(watched.concerns, change.paths)):
            yield told
