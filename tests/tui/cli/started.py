"""A stand-in for an agent's program that Refloat starts itself: it notes how it was started, and waits for the test.

What it notes is one JSON line in `$STANDIN_LOG`. It ends when the test writes an exit code of one digit into
`$STANDIN_LEASH`, a FIFO, and by itself when nobody does for two minutes.
"""

import json
import os
import select
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _claude(session: str, prompt: str) -> None:
    """The transcript of a new session that was asked something."""
    place = Path(os.environ["HOME"]) / ".claude" / "projects" / "p"
    place.mkdir(parents=True, exist_ok=True)
    row = {
        "parentUuid": None,
        "isSidechain": False,
        "type": "user",
        "message": {"role": "user", "content": prompt},
        "uuid": f"{session}-row",
        "timestamp": _now(),
        "userType": "external",
        "entrypoint": "cli",
        "cwd": str(Path.cwd()),
        "sessionId": session,
        "version": "2.1.100",
        "promptSource": "typed",
    }
    (place / f"{session}.jsonl").write_text(json.dumps(row) + "\n")


def _go_on(session: str, prompt: str) -> None:
    """A whole turn more in the transcript."""
    (path,) = (Path(os.environ["HOME"]) / ".claude").rglob(f"{session}.jsonl")
    rows = path.read_text().splitlines()
    last = json.loads(rows[-1])
    said = {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn"}
    for n, (kind, message) in enumerate((("user", {"role": "user", "content": prompt}), ("assistant", said))):
        last |= {"parentUuid": last["uuid"], "type": kind, "message": message, "uuid": f"more-{n}", "timestamp": _now()}
        rows.append(json.dumps(last))
    path.write_text("\n".join(rows) + "\n")


def _codex(prompt: str) -> None:
    """A thread whose id nobody could choose."""
    sys.path[:0] = os.environ["PYTHONPATH"].split(os.pathsep)
    from refloat.demo.transcripts import CodexTranscript
    from refloat.model.stamp import Stamp

    talk = CodexTranscript(Path(os.environ["HOME"]), "started", Path.cwd(), Stamp(_now()), "9" * 40)
    talk.prompt(prompt)
    talk.write()


def main() -> None:
    """Note, write what the agent would, wait, end."""
    agent, words = sys.argv[1], sys.argv[2:]
    heard = Path(os.environ["STANDIN_LOG"] + ".heard")
    signal.signal(signal.SIGINT, lambda number, frame: heard.open("a").write("SIGINT\n"))
    if "--session-id" in words:
        _claude(words[words.index("--session-id") + 1], words[-1])
    elif words[0] == "--resume" and words[-1] == "Say more":
        _go_on(words[1], words[-1])
    elif agent == "codex" and words[0] != "resume":
        _codex(words[-1])
    told = {"pid": os.getpid(), "argv": words, "cwd": str(Path.cwd()), "tty": os.isatty(0)}
    with Path(os.environ["STANDIN_LOG"]).open("a") as log:
        log.write(json.dumps(told) + "\n")
    leash = os.open(os.environ["STANDIN_LEASH"], os.O_RDONLY | os.O_NONBLOCK)
    os.open(os.environ["STANDIN_LEASH"], os.O_WRONLY)  # else the FIFO is at its end before anybody wrote
    ready = select.select([leash], [], [], 120)[0]
    os._exit(int(os.read(leash, 1) or b"0") if ready else 99)


main()
