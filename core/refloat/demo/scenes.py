"""The invented stories of the demo: what was asked, done, said and left open in each session."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from refloat.demo.transcripts import ClaudeTranscript, CodexTranscript, invented_id
from refloat.model.stamp import Stamp, later, seconds_of

if TYPE_CHECKING:
    from refloat.demo.build import Repository

DEAD_PID: Final = 4194298
"""Close to the greatest process number that Linux hands out: nothing runs under it."""

IMPORTER: Final = '''"""Reads the bank's export."""


def fetch(url):
    return url.read()


def run(url):
    return fetch(url)
'''
ONCE: Final = "    return fetch(url)\n"
RETRIED: Final = """    for attempt in range(3):
        try:
            return fetch(url)
        except OSError:
            if attempt == 2:
                raise
"""
IMPORTER_2: Final = IMPORTER.replace(ONCE, RETRIED)
IMPORTER_3: Final = IMPORTER_2.replace("range(3)", "range(ATTEMPTS)").replace("attempt == 2", "attempt == ATTEMPTS - 1")
REPORT: Final = """def total(rows):
    return sum(row.amount for row in rows)


def heading(month):
    return "Report for " + month
"""
REPORT_2: Final = REPORT.replace("def total", "def sum_of_amounts")
TEST: Final = """from importer import run


def test_retries():
    assert run is not None
"""
EXPORT: Final = "def export(rows):\n    return [row.total for row in rows]\n"
EXPORT_2: Final = "import csv\n\n\ndef export(rows, out):\n    csv.writer(out).writerows(rows)\n"
VAT: Final = "RATE = 0.19\n\n\ndef vat(net):\n    return net * RATE\n"
VAT_2: Final = VAT.replace("net * RATE", "round(net * RATE, 2)")
INVOICE: Final = "def rebuild(year):\n    return []\n"


@dataclass(frozen=True, slots=True)
class Owned:
    """A session that gets a process."""

    transcript: ClaudeTranscript
    workspace: Path


@dataclass(frozen=True, slots=True)
class Heads:
    """Commits that the stories speak of."""

    ledgerly: str
    billing: str


DAY: Final = 24 * 3600
START: Final = -4 * DAY
"""When the repositories were made, seconds from now. The stories below count from now as well."""
PUSH: Final = -62 * 60
TOTALS: Final = -3 * 3600
LIMIT: Final = -26 * 3600
CUT: Final = -30 * 3600
VAT_FIX: Final = -47 * 3600


def fill_repositories(ledgerly: "Repository", billing: "Repository") -> Heads:
    """Files, commits, and the uncommitted state that the crashes left."""
    for name, content in {"README.md": "# ledgerly\n", "src/importer.py": IMPORTER, "src/report.py": REPORT}.items():
        ledgerly.write(name, content, START)
    ledgerly.write("src/export.py", EXPORT, START)
    first = ledgerly.commit("Import, report, export", START)
    ledgerly.write("src/report.py", REPORT_2, TOTALS + 60)
    ledgerly.commit("Rename totals", TOTALS + 110)
    ledgerly.write("src/importer.py", IMPORTER_3, PUSH + 781)
    ledgerly.write("tests/test_importer.py", TEST, PUSH + 131)
    ledgerly.write("src/export.py", EXPORT.replace("row.total", "row.total or 0"), PUSH + 2000)
    ledgerly.write("docs/notes.md", "Ask Ben about the retry limit.\n", START + DAY)
    billing.write("vat.py", VAT, START)
    billing.write("invoice.py", INVOICE, START)
    second = billing.commit("VAT and invoices", START)
    billing.write("vat.py", VAT_2, VAT_FIX + 31)
    return Heads(first, second)


def write_transcripts(
    home: Path, ledgerly: "Repository", billing: "Repository", heads: Heads, now: Stamp
) -> tuple[Owned, Path]:
    """Every session. Returns the one that will be live, and the directory where a candidate process will sit."""
    _failed_in_push(home, ledgerly.path, later(now, PUSH))
    _renamed_totals(home, ledgerly.path, later(now, TOTALS), heads)
    _hit_the_limit(home, ledgerly.path, later(now, LIMIT), heads)
    _cut_record(home, ledgerly.path, later(now, CUT))
    _never_asked(home, ledgerly.path, later(now, -50 * 60))
    _vat(home, billing.path, later(now, VAT_FIX))
    _unresolved(home, billing.path, later(now, -44 * 60), heads)
    _history(home, ledgerly.path, now)
    return Owned(_live(home, billing.path, later(now, -6 * 60)), billing.path), billing.path


def _failed_in_push(home: Path, path: Path, start: Stamp) -> None:
    """The crash that the demo is about: edits on disk, a stale check, a push that nobody saw end."""
    s = ClaudeTranscript(home, "importer", path, start)
    s.prompt("Make the importer retry three times, then push. Done when the tests pass and main is pushed.")
    s.title("Make the importer retry three times")
    s.at(20)
    s.reply("I'll look at the importer first.", end=False)
    call = s.call("Read", {"file_path": str(path / "src/importer.py")})
    read = {"filePath": "importer.py", "content": IMPORTER, "numLines": 9, "startLine": 1, "totalLines": 9}
    s.result(call, IMPORTER, {"type": "text", "file": read})
    s.at(45)
    agent = s.call("Agent", {"description": "find callers", "prompt": "List all callers of fetch"})
    launched = {
        "isAsync": True,
        "status": "async_launched",
        "agentId": "a4388d337bf8a9397",
        "prompt": "List all callers",
    }
    s.result(agent, "Agent launched in the background.", launched)
    _callers(home, path, later(start, 47), s, agent)
    s.at(90)
    content = s.edit(path / "src/importer.py", ONCE, RETRIED, IMPORTER)
    s.at(130)
    s.create(path / "tests/test_importer.py", TEST)
    s.at(150)
    s.edit(path / "src/export.py", "row.total for", "round(row.total, 2) for", EXPORT)
    s.at(170)
    s.background("npm run dev", "b0be39e")
    s.at(200)
    s.bash("python -m pytest -q", "41 passed, 1 failed in 2.10s\nFAILED tests/test_importer.py::test_retries", code=1)
    s.at(600)
    s.compaction("This session is being continued from a previous conversation. The importer retries; one test failed.")
    s.at(780)
    content = s.edit(path / "src/importer.py", "range(3)", "range(ATTEMPTS)", content)
    s.edit(path / "src/importer.py", "attempt == 2", "attempt == ATTEMPTS - 1", content)
    s.at(1200)
    s.bash("git status --short", " M src/importer.py\n?? tests/")
    s.at(1300)
    s.reply("All tests pass now. Pushing.", end=False)
    s.at(1320)
    s.call("Bash", {"command": "git push origin main", "description": "push"})
    s.write()
    s.register(home, DEAD_PID, "543621664")


def _callers(home: Path, path: Path, start: Stamp, parent: ClaudeTranscript, call: str) -> None:
    """A sub-agent that never reported."""
    s = ClaudeTranscript(home, "callers", path, start, subagent="a4388d337bf8a9397", parent=parent)
    s.prompt("List all callers of fetch")
    s.call("Grep", {"pattern": "fetch\\(", "path": str(path)})
    s.write()
    s.subagent_header(call, "find callers")


def _renamed_totals(home: Path, path: Path, start: Stamp, heads: Heads) -> None:
    """Finished and committed."""
    s = CodexTranscript(home, "totals", path, start, heads.ledgerly)
    s.prompt("Rename total to sum_of_amounts and commit.")
    s.at(30)
    s.command("cat src/report.py", REPORT)
    s.at(60)
    s.patch(path / "src/report.py", REPORT, REPORT_2)
    s.at(90)
    s.command("python -m pytest -q", "41 passed in 1.90s\n")
    s.at(110)
    s.command("git commit -qam 'Rename totals'", "")
    s.at(120)
    s.reply("Renamed and committed.")
    s.end("Renamed and committed.")
    s.write()


def _hit_the_limit(home: Path, path: Path, start: Stamp, heads: Heads) -> None:
    """Half a plan, then the usage limit."""
    s = CodexTranscript(home, "csv", path, start, heads.ledgerly)
    s.prompt("Write the export as CSV, document it, add a test.")
    plan = [("Write CSV", "in_progress"), ("Document it", "pending"), ("Add a test", "pending")]
    s.plan(plan)
    s.at(40)
    s.patch(path / "src/export.py", EXPORT, EXPORT_2)
    s.plan([("Write CSV", "completed"), ("Document it", "in_progress"), ("Add a test", "pending")])
    s.at(95)
    s.failed("You've hit your usage limit. Try again later.", "usage_limit_exceeded")
    s.write()


def _cut_record(home: Path, path: Path, start: Stamp) -> None:
    """The machine lost power: the last record is cut."""
    s = ClaudeTranscript(home, "docs", path, start)
    s.prompt("Explain the report module in docs/report.md.")
    s.at(25)
    s.reply("I'll read it first.", end=False)
    s.write(tail='{"parentUuid":"' + invented_id("cut") + '","isSidechain":false,"type":"assist')


def _never_asked(home: Path, path: Path, start: Stamp) -> None:
    """Opened, and nothing was ever asked."""
    s = ClaudeTranscript(home, "empty", path, start)
    s.notice("Welcome")
    s.write()


def _vat(home: Path, path: Path, start: Stamp) -> None:
    """Stopped by its user, nothing left open."""
    s = ClaudeTranscript(home, "vat", path, start)
    s.prompt("Fix the VAT rounding.")
    s.title("Fix VAT rounding")
    s.at(30)
    s.edit(path / "vat.py", "net * RATE", "round(net * RATE, 2)", VAT)
    s.at(60)
    s.interrupted()
    s.write()


def _unresolved(home: Path, path: Path, start: Stamp, heads: Heads) -> None:
    """A process of the same agent sits in the same directory: nobody can say whose it is."""
    s = CodexTranscript(home, "reader", path, start, heads.billing)
    s.prompt("Split the CSV reader out of the invoice module.")
    s.at(50)
    s.command("rg -n csv", "invoice.py:3: csv\n")
    s.at(140)
    s.command("python -m pytest -q", code=None)
    s.write()


def _live(home: Path, path: Path, start: Stamp) -> ClaudeTranscript:
    """At work right now."""
    s = ClaudeTranscript(home, "invoices", path, start)
    s.prompt("Rebuild all invoices of last year.")
    s.title("Rebuild invoices")
    s.at(40)
    s.reply("Starting with January.", end=False)
    s.at(300)
    s.call("Bash", {"command": "python invoice.py --year 2025", "description": "rebuild"})
    s.write()
    return s


def _history(home: Path, path: Path, now: Stamp) -> None:
    """The agent's own history names a session whose transcript is gone."""
    when = int(seconds_of(later(now, -40 * DAY)) * 1000)
    gone = invented_id("gone")
    history = home / ".claude" / "history.jsonl"
    rows = [
        json.dumps({"display": text, "timestamp": when, "project": str(path), "sessionId": gone})
        for text in ("Set the project up", "Add a licence")
    ]
    history.write_text("".join(row + "\n" for row in rows), encoding="utf-8")
