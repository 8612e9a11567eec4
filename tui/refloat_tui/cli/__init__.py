"""The command line. `main` takes short roads for `list`, `run`, `step`, `trail` and `hook`, and straight ones for
plain words of `search`, of the commands that look at a checkout, and for no words at all, which open the app; the rest
goes to the parser.
"""

import os
import sys


def main() -> int:
    """Run the command line of this process and return its exit code."""
    _open_streams()
    words = sys.argv[1:]
    if not words and "_REFLOAT_COMPLETE" not in os.environ:
        from refloat_tui.cli import ending, opening

        return ending.told(opening.open_desk)
    if words and (code := _answer_shortly(words)) is not None:
        return code
    from refloat_tui.cli.parser import run

    code = run(words)
    if words and words[0] == "refresh":  # thousands of sessions are held
        from refloat_tui.cli import leaving

        leaving.leave(code)
    return code


def _answer_shortly(words: list[str]) -> int | None:
    """Answer without the parser; where nothing is to be tidied up, the process ends here. None: ask the parser."""
    match words[0]:
        case "list":
            _list(words)
        case "checkout" | "triage":
            from refloat_tui.cli import leaving, straight

            if straight.read(words) is not None:
                straight.hasten()
                leaving.leave(straight.answer(words))
        case "search":
            from refloat_tui.cli import leaving, seeking

            if (code := seeking.answer(words)) is not None:
                leaving.leave(code)
        case "run" | "step":
            from refloat_tui.cli import saving

            return saving.answer(words)
        case "hook":
            from refloat_tui.cli import hooking

            return hooking.answer(words)
        case "trail":
            from refloat_tui.cli import trail

            return trail.answer(words)
        case _:
            pass
    return None


def _list(words: list[str]) -> None:
    """Answer `list` and end the process; return where the parser is asked."""
    from refloat_tui.cli import leaving, quick

    if (code := quick.answer(words)) is not None:
        leaving.leave(code)
    if (asked := quick.read(words)) is not None:
        from refloat_tui.cli import straight

        straight.hasten()
        from refloat_tui.cli import listing

        if (code := listing.answer_plain(asked)) is not None:
            leaving.leave(code)


def _open_streams() -> None:
    """A caller may have closed a standard stream; nothing else may come to stand in its place, and none is missed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 - open as long as the process
