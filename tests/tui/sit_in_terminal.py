"""The app on sample sessions in the terminal that it was started in; for the tests that take that terminal away."""

import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.tui.conftest import FakeLibrary, make_app, some_sessions

from refloat_tui.app import run_app

if __name__ == "__main__":
    library = FakeLibrary(some_sessions())
    if sys.argv[1:2] == ["stuck"]:
        library.gate, library.patience = threading.Event(), None
        library.on_stuck = Path(sys.argv[2]).touch
    run_app(make_app(library, environment=dict(os.environ)))
