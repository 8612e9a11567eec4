"""The command line. `main` takes the quick road for a warm `refloat list`; everything else goes through the parser."""

import sys


def main() -> int:
    """Run the command line of this process and return its exit code."""
    words = sys.argv[1:]
    if words and words[0] == "list":
        from refloat_tui.cli import quick

        if (code := quick.answer(words)) is not None:
            return code
    from refloat_tui.cli.parser import run

    return run(words)
