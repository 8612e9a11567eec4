"""Effects outside of a program that stands in the line: `python - <<EOF`, `node -e "…"`.

Decides by calls that send: requests with a writing method, mail, statements of a database that lies elsewhere. Refuses
what speaks to this machine's own servers, and tests with a stand-in for them.
"""

import re
from typing import Final

from refloat.commands.line import Simple
from refloat.commands.options import objects
from refloat.commands.probes import shortened
from refloat.patterns import late

_CODE: Final = frozenset({"-c", "-e", "--eval", "-p", "-pe", "-r", "eval"})
_SENDS: Final = late(
    r"""\b(?:requests|httpx|aiohttp|session|client|axios|got|ky|superagent|Faraday|HTTParty|RestClient)
        \s*\.\s*(?:post|put|patch|delete)\s*\(
    |\bmethod['"]?\s*[:=]\s*['"](?:POST|PUT|PATCH|DELETE)['"]
    |\.request\(\s*['"](?:POST|PUT|PATCH|DELETE)['"]
    |\bNet::HTTP(?:::|\.)(?:post|put|patch|delete)
    |\burlopen\([^)]*\bdata\s*=
    |\bCURLOPT_POST\b
    |\b(?:sendmail|sendMail|send_message|send_email|put_object|delete_objects?|upload_file(?:obj)?)\s*\(""",
    re.VERBOSE | re.IGNORECASE,
)
_DATABASE: Final = late(
    r"\b(?:psycopg2?|pymysql|MySQLdb|asyncpg|pymongo|mysql\.connector)\b|require\(['\"](?:pg|mysql2?|mongodb)['\"]\)"
)
_CHANGES: Final = late(
    r"\b(?:INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|DROP\s+\w|ALTER\s+\w|TRUNCATE\s)"
    r"|\.(?:insert|update|delete|replace)_?(?:one|many)\(",
    re.IGNORECASE,
)
_STANDS_IN: Final = late(
    r"TestClient|test_client|APIClient|RequestFactory|respx|requests_mock|\bresponses\b|\bnock\b|Mock|ASGITransport"
)
_PLACE: Final = late(r"(?:https?://|@|host['\"]?\s*[:=]\s*['\"])(?P<host>\[::1\]|[\w.-]+)")
_HERE: Final = late(r"localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]")


def inline(part: Simple) -> tuple[str, None] | None:
    """The name of what a program in the line sends, by the line of it that does; None where it sends nothing."""
    code = _code_of(part)
    if not code or _STANDS_IN.search(code):
        return None
    places = [match["host"] for match in _PLACE.finditer(code)]
    if places and all(map(_HERE.fullmatch, places)):
        return None
    found = _SENDS.search(code) or (_CHANGES.search(code) if _DATABASE.search(code) else None)
    if found is None:
        return None
    start, end = code.rfind("\n", 0, found.start()) + 1, code.find("\n", found.end())
    return f"{part.words[0]}: {shortened(code[start : end if end >= 0 else None])}", None


def _code_of(part: Simple) -> str:
    words = part.words
    at = next((index for index, word in enumerate(words) if index and word in _CODE), None)
    if at is not None:
        return " ".join(words[at + 1 : at + 2])
    return part.stdin if objects(words)[1:] == () else ""
