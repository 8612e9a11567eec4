"""`run` and `step`: the short road, without the parser that loads everything a command line can say.

Decides what their plain words mean; anything else (`--help`, a typing error) is left to the parser, which knows the
same commands and calls back here.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from shlex import join
from typing import Final, cast

from refloat import wire_record
from refloat.errors import RefloatError, UsageError
from refloat.machine import here
from refloat.machine.moment import now
from refloat.machine.places import find_directories, find_places
from refloat.machine.transparent import run_transparently
from refloat.machine.worktree import look_at_tree
from refloat.model.saving import OUTCOMES, SavedOutcome
from refloat.model.stamp import Stamp
from refloat.sparing import load_least
from refloat.usecases.save_step import (
    Desk,
    Elsewhere,
    default_producer,
    refuse_receipt,
    run_step,
    save_elsewhere,
    write_receipt,
)
from refloat.usecases.targets import refuse_dash
from refloat.waiting import tell_to
from refloat_tui.cli import err, out

_RUN: Final = ("--job", "--producer", "--receipt")
_STEP: Final = (
    "--job",
    "--producer",
    "--tool",
    "--input",
    "--output",
    "--outcome",
    "--exit-code",
    "--summary",
    "--note",
)


def answer(words: Sequence[str]) -> int | None:
    """Answer `["run", …]` or `["step", …]`; None where the parser must."""
    read = _read(words)
    if read is None or "--job" not in read[0]:
        return None
    given, flag, rest = read
    if words[0] == "run":
        argv = rest[1:] if rest[:1] == ["--"] else rest
        return (
            _guarded(lambda: run(given["--job"], given.get("--producer"), given.get("--receipt"), argv, force=flag))
            if argv
            else None
        )
    code = given.get("--exit-code", "")
    if rest or "--tool" not in given or given.get("--outcome", "ok") not in OUTCOMES or not _is_code(code):
        return None
    return _guarded(
        lambda: step(
            given["--job"],
            given["--tool"],
            producer=given.get("--producer"),
            given=given.get("--input"),
            output=given.get("--output"),
            outcome=cast("SavedOutcome | None", given.get("--outcome")),
            exit_code=int(code) if code else None,
            summary=given.get("--summary"),
            note=given.get("--note"),
            as_json=flag,
        )
    )


def _read(words: Sequence[str]) -> tuple[dict[str, str], bool, list[str]] | None:
    """The options' values, whether the one flag is given (`--force` of `run`, `--json` of `step`), and what follows."""
    names, flag = (_RUN, "--force") if words[0] == "run" else (_STEP, "--json")
    given: dict[str, str] = {}
    flagged = False
    rest = list(words[1:])
    while rest and rest[0].startswith("-") and rest[0] != "--":
        name, sign, value = rest.pop(0).partition("=")
        if name == flag and not sign:
            flagged = True
            continue
        if name not in names or name in given or (not sign and not rest):
            return None
        given[name] = value if sign else rest.pop(0)
    return given, flagged, rest


def run(job: str, producer: str | None, receipt: str | None, argv: Sequence[str], *, force: bool = False) -> int:
    """`refloat run`: the command's own exit code. `force`: whatever plain file is there, the receipt replaces."""
    if force and receipt is None:
        raise UsageError("--force replaces a file; name it with --receipt")
    if receipt is not None:
        refuse_dash(receipt, "--receipt", "that is the command's own; name a file, such as receipt.json")
        load_least()  # what agents' directories are called is asked of their readers, which decode rows too
        refuse_receipt(receipt, find_places(os.environ), force=force)
    desk = real_desk(os.environ)
    who = producer or default_producer(desk.environment, lambda: here.user(desk.environment))
    ran = run_step(desk, job, who, argv, join(argv))
    if ran.ended.failed is not None:
        err.say(f"{argv[0]}: {ran.ended.failed}")
    if ran.trouble is not None:
        err.say(ran.trouble)
    if receipt is not None and ran.sealed is not None:
        from refloat.brief.masks import Masker

        try:
            document = wire_record.dump(wire_record.saved_step(job, ran.sealed.row), Masker())
            write_receipt(receipt, document, find_places(os.environ), force=force)
        except RefloatError as fault:
            err.say(f"{fault}; the step itself is saved")
    ran.ended.hand_on()
    return ran.ended.code


def step(
    job: str,
    tool: str,
    *,
    producer: str | None,
    given: str | None,
    output: str | None,
    outcome: SavedOutcome | None,
    exit_code: int | None,
    summary: str | None,
    note: str | None,
    as_json: bool,
) -> int:
    """`refloat step`: save a step that ran elsewhere."""
    if given == "-" and output == "-":
        raise UsageError("standard input is either the step's input or its output, not both")
    desk = real_desk(os.environ)
    told = Elsewhere(
        job,
        producer or default_producer(desk.environment, lambda: here.user(desk.environment)),
        tool,
        outcome or ("error" if exit_code else "ok"),
        summary or tool,
        exit_code,
        _bytes(given),
        _bytes(output),
        note,
    )
    sealed = save_elsewhere(desk, told, err.say)
    if as_json:
        from refloat.brief.masks import Masker

        out.write(wire_record.dump(wire_record.saved_step(job, sealed.row), Masker()))
    else:
        out.write(f"step {sealed.row['seq']} of {job} is saved, receipt {sealed.receipt[:12]}\n")
    return 0


def real_desk(environment: Mapping[str, str]) -> Desk:
    """This machine's own."""
    places = find_directories(environment)
    return Desk(
        data=places.data,
        config=places.config,
        environment=environment,
        workspace=here.directory(),
        runner=here.runner(),
        now=lambda: Stamp(now()),
        look=partial(look_at_tree, environment=environment),
        run=run_transparently,
    )


def _bytes(path: str | None) -> bytes | None:
    if path is None:
        return None
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error


def _is_code(text: str) -> bool:
    return not text or (text.isdecimal() and text.isascii() and len(text) <= 9)


def _guarded(work: Callable[[], int]) -> int:
    tell_to(err.say)
    try:
        return work()
    except RefloatError as fault:
        err.say(str(fault))
        return fault.exit_code
    except KeyboardInterrupt:
        return 130
