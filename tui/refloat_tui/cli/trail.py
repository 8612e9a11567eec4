"""`trail`: the short road, without the parser. What it does not understand is left to that."""

import os
from collections.abc import Sequence

from refloat import wire_record
from refloat.brief.masks import Masker, mask_tree
from refloat.errors import RefloatError
from refloat.machine.here import is_running
from refloat.machine.moment import now
from refloat.machine.places import find_directories
from refloat.model.stamp import Stamp
from refloat.usecases.saved_record import open_saved
from refloat.usecases.show_trail import SHOWN, show_trail
from refloat_tui.cli import err, out
from refloat_tui.cli.show.record import trail_lines


def answer(words: Sequence[str]) -> int | None:
    """Answer `["trail", J, …]`; None where the parser must."""
    jobs: list[str] = []
    limit, as_json, masked = SHOWN, False, True
    rest = list(words[1:])
    while rest:
        word, sign, value = rest.pop(0).partition("=")
        if word == "--limit" and (sign or rest):
            value = value if sign else rest.pop(0)
            if not (value.isdecimal() and value.isascii() and 0 < int(value) < 10**9):
                return None
            limit = int(value)
        elif word in {"--json", "--show-secrets"} and not sign:
            as_json |= word == "--json"
            masked &= word != "--show-secrets"
        elif word.startswith("-") or sign:
            return None
        else:
            jobs.append(word)
    if len(jobs) != 1:
        return None
    try:
        return trail(jobs[0], limit, as_json=as_json, masked=masked)
    except RefloatError as fault:
        err.say(str(fault))
        return fault.exit_code


def trail(job: str, limit: int, *, as_json: bool, masked: bool) -> int:
    """`refloat trail`."""
    places, moment = find_directories(os.environ), Stamp(now())
    with open_saved(places.data, places.config, os.environ, moment) as record:
        found = show_trail(record, job, limit, is_running)
    masker = Masker(enabled=masked)
    if as_json:
        out.write(wire_record.dump(wire_record.trail(found), masker))
    else:
        out.lines(trail_lines(mask_tree(found, masker), out.width(whole=not masked)), masker)
    return 0
