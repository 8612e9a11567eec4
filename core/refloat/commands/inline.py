"""Effects outside of a program that stands in the line: `python - <<EOF`, `node -e "…"`.

Decides by calls that send: requests with a writing method, mail, statements of a database that lies elsewhere. Refuses
what speaks to this machine's own servers, tests with a stand-in for them, calls that stand within a text or a comment
(a program that edits another), and methods that other things have too, where nothing tells of a client.
"""

import re
from typing import Final

from refloat.commands.line import Simple
from refloat.commands.literals import literals, within
from refloat.commands.options import objects
from refloat.commands.probes import shortened
from refloat.patterns import late

_CODE: Final = frozenset({"-c", "-e", "--eval", "-p", "-pe", "-r", "eval"})
_SENDS: Final = late(
    r"""\b(?:requests|httpx|aiohttp|axios|superagent|Faraday|HTTParty|RestClient)\s*\.\s*(?:post|put|patch|delete)\s*\(
    |\bmethod['"]?\s*[:=]\s*['"](?:POST|PUT|PATCH|DELETE)['"]
    |\.request\(\s*['"](?:POST|PUT|PATCH|DELETE)['"]
    |\bNet::HTTP(?:::|\.)(?:post|put|patch|delete)
    |\burlopen\([^)]*\bdata\s*=
    |\bCURLOPT_POST\b
    |\b(?:sendmail|sendMail|send_message|send_email|upload_file(?:obj)?)\s*\(""",
    re.VERBOSE | re.IGNORECASE,
)
_BY_CLIENT: Final = late(r"\b(?:session|client|got|ky)\s*\.\s*(?:post|put|patch|delete)\s*\(", re.IGNORECASE)
"""Calls that send where the program has a client: the session of a database has them too."""
_CLIENT: Final = late(
    r"\b(?:import|from|require)\b[^\n;]*?\b(?:requests|httpx|aiohttp|axios|got|ky|undici|superagent|faraday"
    r"|httparty|rest-client)\b",
    re.IGNORECASE,
)
_URL: Final = late(r"https?://", re.IGNORECASE)
_BY_STORE: Final = late(r"\b(?:put_object|delete_objects?)\s*\(")
_STORE: Final = late(r"\b(?:boto3|botocore|aioboto3|minio|oss2|s3)\b", re.IGNORECASE)
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
_PLACE: Final = late(
    r"""(?:://(?:[^\s/@'"]*@)?|\b(?!mailto:)[\w.-]+:[^\s/:@'"]+@|host['"]?\s*[:=]\s*['"])(?P<host>\[::1\]|[\w.-]+)"""
)
_HERE: Final = late(r"localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]")
_EDITS: Final = late(r"-[nlaw\d]*[ip].*")
"""Options of perl and ruby with which the program is done to each line of a file (perlrun(1), -p and -i)."""


def inline(part: Simple) -> tuple[str, None] | None:
    """The name of what a program in the line sends, by the line of it that does; None where it sends nothing."""
    code = _code_of(part)
    if not code or _STANDS_IN.search(code):
        return None
    places = [match["host"] for match in _PLACE.finditer(code)]
    if places and all(map(_HERE.fullmatch, places)):
        return None
    found = _sending(code, part.words[0])
    if found is None:
        return None
    start, end = code.rfind("\n", 0, found.start()) + 1, code.find("\n", found.end())
    return f"{part.words[0]}: {shortened(code[start : end if end >= 0 else None])}", None


def _sending(code: str, program: str) -> re.Match[str] | None:
    """The first call that sends; what lies wholly within a text or a comment is none."""
    if not any(pattern.search(code) for pattern in (_SENDS, _BY_CLIENT, _BY_STORE, _DATABASE)):
        return None
    texts = literals(code, program)

    def first(pattern: re.Pattern[str]) -> re.Match[str] | None:
        return next((match for match in pattern.finditer(code) if not within(match, texts)), None)

    found = first(_SENDS)
    if found is None and (_URL.search(code) or first(_CLIENT)):
        found = first(_BY_CLIENT)
    if found is None and _STORE.search(code):
        found = first(_BY_STORE)
    return found or (_CHANGES.search(code) if first(_DATABASE) else None)


def _code_of(part: Simple) -> str:
    words = part.words
    at = next((index for index, word in enumerate(words) if index and word in _CODE), None)
    if at is not None:
        edits = words[0] in {"perl", "ruby"} and any(map(_EDITS.fullmatch, words[1 : at + 1]))
        return "" if edits else " ".join(words[at + 1 : at + 2])
    return part.stdin if objects(words)[1:] == () else ""
