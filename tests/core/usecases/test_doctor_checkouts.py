"""What `doctor` tells of the checkouts that the sessions worked in."""

import os
import subprocess
from dataclasses import replace
from typing import Any

from refloat.machine.git import HardenedGit
from refloat.usecases.doctor import examine_machine
from refloat.usecases.workbench import Workbench

ID = "11111111-0000-4000-8000-000000000001"


def test_what_a_checkout_would_have_run_is_told_once_and_not_run(home: Any) -> None:
    mark = home.directory / "MARK"
    words = ["git", "-c", "init.defaultBranch=main", "init", "-q"]
    subprocess.run(words, cwd=home.work, check=True)
    for key in ("core.fsmonitor", "diff.external"):
        subprocess.run(["git", "config", key, f"touch {mark}"], cwd=home.work, check=True)
    for n in range(3):
        session = ID.replace("1", str(n + 1))
        home.write(session, *home.talk(session, minute=n))
    bench = home.bench
    places = replace(bench.machine.places, environment={**bench.machine.places.environment, "PATH": os.environ["PATH"]})
    made = examine_machine(replace(bench, machine=replace(bench.machine, places=places, git=HardenedGit(places))))
    told = [(warned.what, warned.path) for warned in made.warnings if "not obeyed" in warned.what]
    config = str(home.work / ".git" / "config")
    assert told == [
        ("git setting core.fsmonitor was met and not obeyed", config),
        ("git setting diff.external was met and not obeyed", config),
    ]
    assert not mark.exists()


def test_places_that_cannot_be_looked_into_end_nothing(home: Any) -> None:
    bench = home.bench
    home.write(ID, *home.talk(ID, minute=1))
    lost = home.directory / ("x" * 300)  # as below a directory of somebody else's, and so for root too
    places = replace(bench.machine.places, cache=lost / "cache", data=lost / "data", config=lost / "config")
    own = Workbench(replace(bench.machine, places=places), bench.readers)
    assert [agent.sessions for agent in examine_machine(own).agents if agent.sessions]
