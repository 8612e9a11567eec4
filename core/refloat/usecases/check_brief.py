"""Does a brief still hold, and what moved?"""

from pathlib import Path

from refloat.brief.fingerprint import check_fingerprint, load_fingerprint
from refloat.model.brief import BriefCheck
from refloat.usecases.workbench import Workbench


def check_brief(bench: Workbench, path: Path) -> BriefCheck:
    """Look again at all that the brief in a file speaks of: HEAD, its files, the end of the transcript.

    Raises:
        UsageError: there is no such file, or it is no brief.

    """
    return check_fingerprint(load_fingerprint(path), bench.machine.git)
