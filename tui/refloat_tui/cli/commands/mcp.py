"""`mcp`: Refloat as a server of the Model Context Protocol."""

import os
import signal
import sys
from typing import Final

import click

from refloat.errors import NotDone, NoThreads
from refloat.together import can_start_threads
from refloat_tui.cli import err
from refloat_tui.cli.commands.bench import bench
from refloat_tui.cli.saving import real_desk

_OF_ITS_OWN: Final = 4
"""Threads of the event loop: both streams, and what joins them."""


@click.command(short_help="Serve the same verbs to MCP clients, on standard input and output.")
def mcp() -> None:
    """Serve the record's verbs and the reading ones as MCP tools, on standard input and output.

    An agent's settings start it, as in `claude mcp add refloat -- refloat mcp`. Every answer is masked and bounded.
    """
    try:
        from refloat_tui.mcp.door import Door
        from refloat_tui.mcp.server import AT_ONCE, serve
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] not in {"mcp", "pydantic", "anyio"}:
            raise
        raise NotDone("`refloat mcp` needs a library that is not installed: pip install 'refloat[mcp]'") from fault
    if sys.stdin.isatty():
        err.say("this speaks MCP on standard input and output, and waits for a client; ctrl-d ends it")
    if not can_start_threads(AT_ONCE + _OF_ITS_OWN):
        raise NoThreads("`refloat mcp`")
    # A thread waits for standard input and would keep an interrupt from ending the process.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    serve(Door(real_desk(os.environ), bench))
