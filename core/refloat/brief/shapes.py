"""Secrets that show by their own shape: tokens of providers, private keys, headers, addresses with a password.

Decides from the text alone where a secret stands and of what kind it is. Refuses to judge names and values of
assignments (`brief.assignments`) and to replace anything (`brief.masks`). Shapes of providers come from their own
documentation of token formats; the kept library knows further ones (`library_hits`).
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Final, cast

from refloat.brief.hits import MASK, Hit, find_all, is_mixed, is_placeholder, is_random, judged
from refloat.late import stand_in
from refloat.patterns import late

_COMMIT: Final = late(r"[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


# (kind, how it begins, the whole). `how it begins` is a literal, so that the scan for all of them is one pass.
_WORD: Final = r"[A-Za-z0-9_-]"
_WORD_RUN: Final = late(rf"{_WORD}+")
_JSON_WEB_TOKEN: Final = rf"eyJ{_WORD}{{8,}}={{0,2}}\.[\w=-]{{8,}}(?:\.[\w.+/=-]*)?"
_SURE: Final[Sequence[tuple[str, Sequence[str], str]]] = (
    ("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9_]{16,}"),
    ("GitHub token", ("github_pat_",), r"github_pat_\w{20,}"),
    ("GitLab token", ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glsoat-"), r"gl[a-z]+-[\w.-]{18,}"),
    ("Slack token", ("xoxb-", "xoxp-", "xoxa-", "xoxo-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xoxc-", "xoxd-"),
     r"xox[a-z][-.][A-Za-z0-9%./+=-]{10,}"),
    ("Slack token", ("xapp-",), r"xapp-\d-[A-Za-z0-9-]{16,}"),
    ("Anthropic key", ("sk-ant-",), rf"sk-ant-{_WORD}{{12,}}"),
    ("OpenAI key", ("sk-proj-", "sk-svcacct-", "sk-admin-"), rf"sk-(?:proj|svcacct|admin)-{_WORD}{{16,}}"),
    ("OpenRouter key", ("sk-or-v1-",), r"sk-or-v1-[0-9a-f]{16,}"),
    ("API key", ("sk-lf-", "pk-lf-"), r"[sp]k-lf-[0-9a-f-]{20,}"),
    ("Stripe key", ("sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"),
     r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9+/=]{12,}"),
    ("Google key", ("AIza",), rf"AIza{_WORD}{{30,}}"),
    ("Google token", ("ya29.",), r"ya29\.[\w./-]{16,}"),
    ("Google secret", ("GOCSPX-",), rf"GOCSPX-{_WORD}{{16,}}"),
    ("npm token", ("npm_",), r"npm_[A-Za-z0-9]{30,}"),
    ("PyPI token", ("pypi-Ag",), rf"pypi-Ag{_WORD}{{30,}}"),
    ("SendGrid key", ("SG.",), rf"SG\.{_WORD}{{16,}}\.{_WORD}{{16,}}"),
    ("Hugging Face token", ("hf_", "api_org_"), r"(?:hf|api_org)_[A-Za-z0-9]{24,}"),
    ("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[opr]_v1_[0-9a-f]{32,}"),
    ("JSON web token", ("eyJ",), _JSON_WEB_TOKEN),
    ("Vault token", ("hvs.", "hvb.", "hvr."), rf"hv[sbr]\.{_WORD}{{20,}}"),
    ("Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{30,}"),
    ("Linear key", ("lin_api_", "lin_oauth_"), r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    ("Notion token", ("ntn_",), r"ntn_[A-Za-z0-9]{30,}"),
    ("Figma token", ("figd_", "figu_"), rf"fig[du]_{_WORD}{{30,}}"),
    ("Groq key", ("gsk_",), r"gsk_[A-Za-z0-9]{30,}"),
    ("xAI key", ("xai-",), r"xai-[A-Za-z0-9]{40,}"),
    ("Replicate token", ("r8_",), r"r8_[A-Za-z0-9]{30,}"),
    ("Perplexity key", ("pplx-",), r"pplx-[A-Za-z0-9]{30,}"),
    ("NVIDIA key", ("nvapi-",), rf"nvapi-{_WORD}{{40,}}"),
    ("Tavily key", ("tvly-",), rf"tvly-{_WORD}{{20,}}"),
    ("LangSmith key", ("lsv2_pt_", "lsv2_sk_"), r"lsv2_(?:pt|sk)_\w{30,}"),
    ("Atlassian token", ("ATATT3", "ATCTT3", "ATBB"), r"(?:AT[AC]TT3|ATBB)[\w=-]{24,}"),
    ("Supabase key", ("sbp_", "sb_secret_"), rf"sb(?:p|_secret)_{_WORD}{{20,}}"),
    ("Docker token", ("dckr_pat_", "dckr_oat_"), rf"dckr_[po]at_{_WORD}{{20,}}"),
    ("Sentry token", ("sntrys_", "sntryu_"), r"sntry[su]_[\w+/=-]{30,}"),
    ("Grafana token", ("glsa_", "glc_eyJ"), r"(?:glsa_\w{30,}|glc_eyJ[\w+/=-]{20,})"),
    ("New Relic key", ("NRAK-", "NRJS-"), r"NR(?:AK|JS)-[A-Za-z0-9]{18,}"),
    ("Pulumi token", ("pul-",), r"pul-[0-9a-f]{40}"),
    ("RubyGems key", ("rubygems_",), r"rubygems_[0-9a-f]{40,}"),
    ("PostHog key", ("phx_", "phs_"), r"ph[xs]_[A-Za-z0-9]{30,}"),
    ("Tailscale key", ("tskey-",), r"tskey-[a-z]+-[A-Za-z0-9-]{16,}"),
    ("Fly token", ("fm1r_", "fm2_", "fo1_"), r"(?:fm1r|fm2|fo1)_[\w+/=-]{30,}"),
    ("Postman key", ("PMAK-",), r"PMAK-[0-9a-f]{20,}-[0-9a-f]{20,}"),
    ("Databricks token", ("dapi",), r"dapi[0-9a-f]{32}(?:-\d)?"),
    ("Square token", ("sq0atp-", "sq0csp-"), rf"sq0(?:at|cs)p-{_WORD}{{20,}}"),
    ("Mailgun key", ("key-",), r"key-[0-9a-f]{32}"),
    ("1Password token", ("ops_eyJ",), r"ops_eyJ[\w+/=-]{30,}"),
    ("age key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{30,}"),
    ("Doppler token", ("dp.pt.", "dp.st.", "dp.ct."), r"dp\.[psc]t\.[\w.-]{30,}"),
    ("Netlify token", ("nfp_", "nfc_"), r"nf[pc]_[A-Za-z0-9]{30,}"),
    ("Render key", ("rnd_",), r"rnd_[A-Za-z0-9]{24,}"),
    ("Resend key", ("re_",), r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    ("Airtable token", ("pat",), r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("Artifactory key", ("AKC",), r"AKC[A-Za-z0-9]{50,}"),
)  # fmt: skip
_UNSURE: Final[Sequence[tuple[str, Sequence[str], str]]] = (
    ("AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
     r"A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("API key", ("sk-",), rf"sk-{_WORD}{{20,}}"),
    ("Twilio key", ("SK",), r"SK[0-9a-f]{32}(?![0-9a-zA-Z])"),
)  # fmt: skip
"""Short beginnings: they count only where no letter or digit goes before and the rest looks random."""

_WEBHOOKS: Final = (
    ("Slack webhook", "hooks.slack.com/", late(r"hooks\.slack\.com/[a-z]+/([A-Za-z0-9/_-]{16,})")),
    ("Discord webhook", "/api/webhooks/", late(r"/api/webhooks/\d+/([\w-]{20,})")),
    ("Telegram bot token", ":AA", late(r"(?<=\d{8}):(AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])")),
)

_RULES: Final = tuple((True, row) for row in _SURE) + tuple((False, row) for row in _UNSURE)


def _least(word: str, pattern: str) -> str:
    """What must follow a short beginning, as an expression: `re_` alone is in every other program. No more is looked
    at than must be there, so that many beginnings in a row cost no more than one each.
    """
    if len(word) > 4 or not pattern.startswith(word):
        return ""
    least, open_end, _ = pattern[len(word) :].partition(",}")
    return f"{least}{'}' if open_end else ''}"


BEGINNINGS: Final = tuple((word, _least(word, pattern)) for _, (_, words, pattern) in _RULES for word in words)
"""How tokens begin, and what must follow each; "" where the beginning says enough."""
_BEGINNINGS: Final = stand_in(
    lambda: re.compile(
        "|".join(
            f"{word}(?={least})" if least else re.escape(word)
            for word, least in sorted(BEGINNINGS, key=lambda row: len(row[0]), reverse=True)
        )
    )
)
# Every token of a provider lies in such a run: looking there alone makes the scan of ordinary text four times faster.
_TOKEN_RUN: Final = late(r"[A-Za-z0-9_.-]{15,}")


@cache
def _rules_for(beginning: str) -> tuple[tuple[str, re.Pattern[str], bool, bool], ...]:
    """(kind, pattern, sure, short) of each rule that `beginning` may be meant by."""
    return tuple(
        (kind, re.compile(pattern), sure, len(word) <= 4)
        for sure, (kind, words, pattern) in _RULES
        for word in words
        if beginning.startswith(word)
    )


def _starts_here(text: str, start: int) -> bool:
    """No letter or digit of ASCII goes before; the `n` of a JSON-escaped line end is none."""
    if not start or not (text[start - 1].isascii() and text[start - 1].isalnum()):
        return True
    return start > 1 and text[start - 2] == "\\" and text[start - 1] in "nrt"


def _long_enough(found: str, kind: str, *, sure: bool) -> bool:
    if kind == "AWS access key":
        return True
    rest = found[3:] if sure else found.partition("-")[2] or found
    return is_random(rest) or (sure and is_mixed(rest))


def _may_hold_token(text: str) -> bool:
    runs = set(_TOKEN_RUN.findall(text))
    return _BEGINNINGS.search("\n".join(runs)) is not None and any(_BEGINNINGS.search(run) for run in runs)


def provider_hits(text: str) -> Iterator[Hit]:
    """Tokens that begin as their provider makes them begin."""
    if not _may_hold_token(text):
        return
    done: dict[str, int] = {}
    for begin in _BEGINNINGS.finditer(text):
        yield from _tokens_at(text, begin.start(), begin.group(), done)


def webhook_hits(text: str) -> Iterator[Hit]:
    """The secret parts of addresses that take messages from whoever knows them."""
    for kind, host, pattern in _WEBHOOKS:
        for at in find_all(text, host):
            if match := pattern.match(text, at):
                yield Hit(*match.span(1), kind)


def _tokens_at(text: str, at: int, beginning: str, done: dict[str, int]) -> Iterator[Hit]:
    """Tokens that begin here. `done`: how far each pattern has looked. What begins wholly within a stretch that one
    matched, ends where that ended: it is a part of the token, or as little random as the whole.
    """
    for kind, pattern, sure, short in _rules_for(beginning):
        if at + len(beginning) <= done.get(pattern.pattern, 0) or (short and not _starts_here(text, at)):
            continue
        match = pattern.match(text, at)
        if match is None:
            run = _WORD_RUN.match(text, at) if pattern.pattern == _JSON_WEB_TOKEN else None
            done[pattern.pattern] = run.end() if run else 0  # no dot behind this run: none behind a part of it
            continue
        done[pattern.pattern] = match.end()
        if _long_enough(match.group(), kind, sure=sure):
            yield Hit(at, match.end(), kind)


# ── private keys ─────────────────────────────────────────────────────────────────────────────────────────────────────

_KEY_BEGIN: Final = late(
    r"-{2,}\s?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?\s?-{2,}|PuTTY-User-Key-File-\d: ?(?:[a-z0-9]+(?:-[a-z0-9]+)*)?"
)
_KEY_END: Final = late(r"-{2,}\s?END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?\s?-{2,}|Private-MAC: ?")
_KEY_LONGEST: Final = 64 * 1024
# Pieces of a body: a line may carry a diff's sign, a quote's `>`, a line number, a string's quotes and escapes.
_KEY_PIECE: Final = late(r"[A-Za-z0-9+/=_-]{4,}")
_KEY_LINE: Final = late(
    r"[ \t]*(?:\d+[ \t→|:]+)?[-+ >|\"'`,]{0,6}(?:[A-Za-z0-9+/=_]{16,}+|[A-Za-z0-9+/]++={1,2})[ \t\\nr\"'`,;+]*"
)
_MASKED: Final = stand_in(lambda: re.compile(re.escape(MASK) + r"[^\]\n]{0,60}\]"))
_KEY_BREAK: Final = late(r"\r?\n|(?:\\{1,8}r)?\\{1,8}n")


def _pieces(text: str, start: int, end: int) -> Iterator[Hit]:
    """Every run of key characters in a body; line ends, their escapes and what is masked already apart."""
    at = start
    for part in [*_KEY_BREAK.finditer(text, start, end), None]:
        stop = part.start() if part else end
        for gap in [*_MASKED.finditer(text, at, stop), None]:
            upto = gap.start() if gap else stop
            yield from (Hit(*piece.span(), "private key") for piece in _KEY_PIECE.finditer(text, at, upto))
            at = gap.end() if gap else upto
        at = part.end() if part else end


def body_end(text: str, start: int, limit: int) -> int:
    """Where a private key without a last line ends: behind its last line that can be key, before the next at most."""
    at = start
    while at < limit:
        brk = _KEY_BREAK.search(text, at, limit)
        stop = brk.start() if brk else limit
        line = text[at:stop].strip(" \t+->|\"'`,\\")
        header = re.fullmatch(r"[A-Z][\w-]+: .*", line)
        if line and not header and not _KEY_LINE.fullmatch(text, at, stop) and MASK not in line:
            found = _KEY_LINE.match(text, at, stop)
            return found.end() if found else at
        if brk is None:
            return stop
        at = brk.end()
    return limit


def private_key_hits(text: str) -> Iterator[Hit]:
    """The bodies of private keys: whole ones, ones cut at either end, ones inside JSON strings and diffs."""
    if "PRIVATE KEY" not in text and "PuTTY-User-Key" not in text:
        return
    begins, ends = _key_marks(text)
    for number, start in enumerate(begins):
        following = begins[number + 1] if number + 1 < len(begins) else len(text)
        limit = min(following, start + _KEY_LONGEST)
        place = bisect_left(ends, start)
        end = ends[place] if place < len(ends) and ends[place] <= limit else body_end(text, start, limit)
        yield from _pieces(text, start, end)
    above = 0
    for end in ends:
        if begins and begins[0] <= end:
            break
        yield from _tail_pieces(text, max(above, end - _KEY_LONGEST), end)
        above = end


def _key_marks(text: str) -> tuple[list[int], list[int]]:
    """Ends of first lines, starts of last lines."""
    near = sorted((*find_all(text, "PRIVATE KEY"), *find_all(text, "PuTTY-User-Key"), *find_all(text, "Private-MAC")))
    begins: dict[int, None] = {}
    ends: dict[int, None] = {}
    for at in near:
        around = max(0, at - 48), min(len(text), at + 48)
        begins |= {
            match.end(): None for match in _KEY_BEGIN.finditer(text, *around) if match.start() <= at < match.end()
        }
        ends |= {match.start(): None for match in _KEY_END.finditer(text, *around) if match.start() <= at < match.end()}
    return sorted(begins), sorted(ends)


def _tail_pieces(text: str, floor: int, end: int) -> Iterator[Hit]:
    """The lines of a key whose first line is missing, upwards from its last."""
    lines: list[tuple[int, int]] = []
    at = floor
    for brk in _KEY_BREAK.finditer(text, floor, end):
        lines.append((at, brk.start()))
        at = brk.end()
    lines.append((at, end))
    for start, stop in reversed(lines):
        if start == stop or not text[start:stop].strip(" +->|\"'`"):
            continue
        if not _KEY_LINE.fullmatch(text, start, stop):
            return
        yield from _pieces(text, start, stop)


# ── headers and addresses ────────────────────────────────────────────────────────────────────────────────────────────

_BEARER: Final = late(r"bearer(?:\s+|%20|\\?[\"'`]?\s*[:=]\s*\\?[\"'`]?)([A-Za-z0-9._~+/=:-]{8,})", re.IGNORECASE)
_AUTHORIZATION: Final = late(
    r"authorization\\*+[\"'`]?\s*+[:=,]\s*+\\*+[\"'`]?\s*+(?:(?:basic|bearer|token|digest|apikey|negotiate|key|bot)\s+)?"
    r"([A-Za-z0-9._~+/=:-]{6,})",
    re.IGNORECASE,
)
_BASIC: Final = late(r"basic\s+([A-Za-z0-9+/]{8,}={0,2})(?![A-Za-z0-9+/=])", re.IGNORECASE)
_COOKIE: Final = late(
    r"cookie\\*+[\"'`]?\s*+[:=,]?\s*+\\*+[\"'`]?\s*+((?:[\w.%$-]++=[^;\s\"'`\\]+)(?:;\s*[\w.%$-]+(?:=[^;\s\"'`\\]*)?)*)",
    re.IGNORECASE,
)
_CRUMB: Final = late(r"([\w.%$-]+)=([^;\s\"'`\\]+)")
_COOKIE_WORDS: Final = frozenset({"path", "domain", "expires", "max-age", "samesite", "httponly", "secure", "priority"})
_SCHEMES: Final = frozenset({"basic", "bearer", "digest", "token", "apikey", "negotiate"})
# As many `@` as there are before a slash belong to the password; the host begins behind the last.
_USERINFO: Final = late(r"://[^\s:/@\"'`<>\\]{0,128}:([^\s/\"'`<>\\]{1,256})@(?=[\w.\[$*-])")
_BARE_USER: Final = late(r"://([^\s:/@\"'`<>\\]{16,256})@(?=[\w.\[-])")


def _decodes_to_pair(value: str) -> bool:
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (ValueError, binascii.Error):
        return False
    return b":" in plain and plain.isascii()


def header_hits(text: str, low: str) -> Iterator[Hit]:
    """What stands behind `Bearer`, `Basic`, `Authorization:` and `Cookie:`. `low` is `text` in lower case."""
    yield from _values_behind(text, low, "bearer", _BEARER, "bearer token", _is_bearer)
    yield from _values_behind(text, low, "authorization", _AUTHORIZATION, "authorization header", _is_authorization)
    yield from _values_behind(text, low, "basic ", _BASIC, "basic authorization", _decodes_to_pair)
    done = 0
    for at in find_all(low, "cookie"):
        if match := judged(_COOKIE, text, at, lambda _: True, done):
            done = max(done, match.end())
            yield from _crumbs(text, *match.span(1))


def _values_behind(
    text: str, low: str, word: str, pattern: re.Pattern[str], kind: str, is_secret: Callable[[str], bool]
) -> Iterator[Hit]:
    done = 0
    for at in find_all(low, word):
        if match := judged(pattern, text, at, lambda found: is_secret(found[1]), done):
            done = max(done, match.end())
            yield Hit(*match.span(1), kind)


def _is_bearer(value: str) -> bool:
    return is_random(value) or len(value) >= 24


def _is_authorization(value: str) -> bool:
    return value.lower() not in _SCHEMES and (is_random(value) or _decodes_to_pair(value))


def _crumbs(text: str, start: int, end: int) -> Iterator[Hit]:
    for crumb in _CRUMB.finditer(text, start, end):
        value = crumb[2]
        if crumb[1].lower() not in _COOKIE_WORDS and len(value) >= 6 and is_random(value):
            yield Hit(*crumb.span(2), "cookie")


def userinfo_hits(text: str) -> Iterator[Hit]:
    """Passwords of addresses (`scheme://name:password@host`), and tokens that stand in place of the name."""
    for at in find_all(text, "://"):
        if match := _USERINFO.match(text, at):
            if not is_placeholder(match[1]):
                yield Hit(*match.span(1), "password in a URL", is_random(match[1]))
        elif (match := _BARE_USER.match(text, at)) and is_random(match[1]):
            yield Hit(*match.span(1), "token in a URL")


# ── the library ──────────────────────────────────────────────────────────────────────────────────────────────────────

LIBRARY_WORDS: Final = (
    "artif", "jfrog", "buildkit", "azure", "accountkey", "account_key", "cloudant", "discord", "ibm", "softlayer",
    "mailchimp", "twilio", "aws", "bluemix", "npm_token", "_authtoken",
)  # fmt: skip


@cache
def library_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The patterns of bc-detect-secrets, by kind. Imported here only: it costs three hundred milliseconds."""
    from detect_secrets.plugins import (
        artifactory,
        aws,
        azure_storage_key,
        cloudant,
        discord,
        github_token,
        ibm_cloud_iam,
        ibm_cos_hmac,
        jwt,
        mailchimp,
        npm,
        sendgrid,
        slack,
        softlayer,
        square_oauth,
        stripe,
        twilio,
    )

    plugins = (
        artifactory.ArtifactoryDetector, aws.AWSKeyDetector, azure_storage_key.AzureStorageKeyDetector,
        cloudant.CloudantDetector, discord.DiscordBotTokenDetector, github_token.GitHubTokenDetector,
        ibm_cloud_iam.IbmCloudIamDetector, ibm_cos_hmac.IbmCosHmacDetector, jwt.JwtTokenDetector,
        mailchimp.MailchimpDetector, npm.NpmDetector, sendgrid.SendGridDetector, slack.SlackDetector,
        softlayer.SoftlayerDetector, square_oauth.SquareOAuthDetector, stripe.StripeDetector, twilio.TwilioKeyDetector,
    )  # fmt: skip
    found: list[tuple[str, re.Pattern[str]]] = []
    for plugin in plugins:
        # Class attributes that the library's base class declares as abstract properties.
        kind, patterns = cast("str", plugin.secret_type), cast("Iterable[re.Pattern[str]]", plugin.denylist)
        found += ((kind, pattern) for pattern in patterns)
    return tuple(found)


# What each of its patterns asks for: a long run with a digit in it, or one of a few beginnings.
_LONG_RUN: Final = late(r"[\w.\\-]{20,}|[A-Za-z0-9+/]{40,}", re.IGNORECASE)
_SHORT_FORM: Final = late(r"AKC|AP[\dA-F][A-Za-z0-9]{8}|eyJ|xox|hooks", re.IGNORECASE)
_A_DIGIT: Final = late(r"\d")


def may_fit_library(text: str, start: int, end: int) -> bool:
    """Whether one of the library's patterns can give a secret in `text[start:end]`: without loading it."""
    runs = _LONG_RUN.findall(text, start, end)
    return any(map(_A_DIGIT.search, runs)) or _SHORT_FORM.search(text, start, end) is not None


_AROUND: Final = 2
"""Lines that the library's widest patterns look up and down from a provider's name."""


def library_hits(text: str, low: str) -> Iterator[Hit]:
    """What the library's patterns find near the words that go with them, commit hashes and UUIDs apart. `low` is `text`
    in lower case.

    Its own `analyze_string` is not used: for some plugins it yields only the prefix that a group caught.
    """
    for start, end in _library_windows(text, low):
        if may_fit_library(text, start, end):
            yield from pattern_hits(text, start, end)


def pattern_hits(text: str, start: int, end: int) -> Iterator[Hit]:
    """What the library's patterns find in `text[start:end]`."""
    for kind, pattern in library_patterns():
        for match in pattern.finditer(text, start, end):
            for hit in _lines_of(text, *_most_of(match), kind):
                value = text[hit.start : hit.end]
                if len(value) >= 12 and MASK not in value and not _COMMIT.fullmatch(value) and is_random(value):
                    yield hit


def _library_windows(text: str, low: str) -> Iterator[tuple[int, int]]:
    done = 0
    for at in sorted(at for word in LIBRARY_WORDS for at in find_all(low, word)):
        if at < done:
            continue
        start, end = at, at
        for _ in range(_AROUND + 1):
            start = max(text.rfind("\n", 0, start), 0)
            following = text.find("\n", end)
            end = len(text) if following < 0 else following + 1
        done = end
        yield start, end


def _lines_of(text: str, start: int, end: int, kind: str) -> Iterator[Hit]:
    for line in re.compile(r"[^\n]+").finditer(text, start, end):
        yield Hit(*line.span(), kind)


def _most_of(match: re.Match[str]) -> tuple[int, int]:
    """The longest group that may be a whole secret, else the match without what surrounds it."""
    spans = [match.span(number) for number in range(1, (match.re.groups or 0) + 1) if match.start(number) >= 0]
    best = max(spans, key=lambda span: span[1] - span[0], default=(0, 0))
    if best[1] - best[0] >= 12:
        return best
    start, end = match.span()
    trimmed = match.group()
    return start + len(trimmed) - len(trimmed.lstrip(' =:"\t')), end - (len(trimmed) - len(trimmed.rstrip(' "\t')))
