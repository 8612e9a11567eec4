"""Who else is at which session, for a list of them."""

from collections.abc import Mapping

from refloat.model.record import Lease
from refloat.usecases.workbench import Workbench


def holders(bench: Workbench) -> Mapping[str, Lease]:
    """Who else is at which session, by its name; nobody where the record cannot be read, which others say."""
    from refloat.errors import RefloatError
    from refloat.usecases.hold_session import find_holders
    from refloat_tui.cli.asking import actor

    own = actor()
    try:
        with own.peek() as record:
            return find_holders(record, bench.machine.clock.now(), own.own)
    except RefloatError:
        return {}
