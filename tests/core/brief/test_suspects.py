"""Whatever way many texts are looked through, no text is passed over in which a finder finds something."""

import json
import random
import sys
from collections.abc import Callable, Sequence
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.brief.cues import COLOURED, CUES, EVERY, SILENT
from refloat.brief.find_secrets import find_by, find_secrets
from refloat.brief.hits import is_random
from refloat.brief.masks import PIECE, Masker
from refloat.brief.shapes import BEGINNINGS, LIBRARY_WORDS, library_patterns, may_fit_library, pattern_hits
from refloat.brief.suspects import Engine, find_suspects
from refloat.brief.unseen import seen_part, seen_text

FOR_EVER = sys.maxsize
ENGINES = {
    "word by word": Engine(worth=FOR_EVER),
    "all words at once": Engine(small=1, worth=0, worth_more=FOR_EVER),
    "all words, and what follows short ones": Engine(small=1, worth=0, worth_more=0),
}


def random_run(chars: str, length: int, seed: int) -> str:
    """The same each time."""
    return "".join(random.Random(seed).choices(chars, k=length))  # noqa: S311 - no secret of anybody


HEX = "0123456789abcdef"
WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
NAMES = (
    "password", "PASSWORD", "db_passwd", "passphrase", "passcode", "pwd", "DB_PWD", "user_pass", "PASS_1", "secret",
    "client-secret", "Token", "API_KEY", "apiKey", "x.api.key", "SORT_KEY", "credentials", "auth", "auth_pat",
    "AUTH_PW",    "aws_access_key_id", "secret_value_2", "signature", "n-token", "ключ_token", "token·key", "keyed",
    "primary_key",
    "z" * 70 + "_token", "token_" + "9" * 70, "a" * 59 + "token", "token" + "9" * 59,
)  # fmt: skip
AROUND = (
    "{0}={1}", "{0}: {1}", '"{0}": "{1}"', "'{0}' => '{1}'", "{0} := r'{1}'", "{0}['{1}']", "--{0} {1}", "--{0}\n{1}",
    "--{0}\\n'{1}'", '-{0}="{1}"',
    "-{0} {1}", "<{0}>{1}</{0}>", "my {0} is {1}.", "{0}s are: '{1}'", "{0} to “{1}”",
    "setenv('{0}', '{1}')", "?{0}={1}&x=1", "&{0}={1}", "{0} != {1}", "{0}]\t=\t{1}", "\\n{0}={1}", "\\{0}={1}",
    '"{0}":\n  "{1}"', '"{0}"\r\n\t:          "{1}"', "{0}:\n  {1}", "  {0}: |-\n    {1}\n", "--{0} \\\n  {1}",
    "--{0}\r\n{1}", "{0}          =          {1}", "+{0} =\n+  '{1}'", '{0} = """\n{1}"""',
    "“--{0} {1}”", "{0}\u00a0is\u00a0{1}", "{0} =\u2028{1}", "{0}\x1c\u00a0is \u00a0: {1}",
)  # fmt: skip
VALUES = ("9f8e7d6c5b4a39281706", "tr0ub4dor&3x", "correct horse", "letmein", "${X}", "a1b2c3", "Zürich-2024-xY", "")
OTHERS = (
    "Authorization: Bearer 0123456789abcdefABCDEF0123456789", "bearer%200123456789abcdefABCDEF0123456789",
    "bearer\u00a0\u00a0Ab1Ab2Ab3Ab4", "BEARER='a1b2ſ3c4d5e6'", "authorization: a1b2c3d4",
    "authorization\u2003= a1B2c3d4",     "Basic YW5hOmNvcnJlY3QgaG9yc2U=", "basic \u00a0YW5hOmhvcnNl",
    "basic \nYW5hOmNvcnJlY3QgaG9yc2U",
    "Set-Cookie: sid=q9W8e7R6t5Y4u3I2; Path=/", 'cookie\\"\u00a0: \\"é=q9W8e7R6', "cookie a=b; c=d4e5f6G7",
    "https://ana:0ld-p4ssw0rd@db.example.org/shop", "://:@@h", "git+ssh://a1b2c3d4e5f6a7b8c9@h.example",
    "s3://é" + "é" * 100 + ":p4ss@w0rd@h", "://u:" + "ü1" * 128 + "@h",
    "curl -u ana:tr0ub4dor3x https", "CURL --user 'a:b1c2d3'", "mysql -ptr0ub4dor3x shop", "mariadb -ptr0ub4dor3x",
    "docker login -u ana -p tr0ub4dor3x reg.example", "TG=7123456789:AAh9Kq2xW4eR6tY8uI0oP1aS3dF5gH7jK9l",
    "sshpass -p tr0ub4dor3x ssh db", "login ana password tr0ub4dor3x", "login\u2003ana password tr0ub4dor3x",
    "https://hooks.slack.com/services/T024BE7LD/B0192837465/q9W8e7R6t5Y4u3I2",
    "https://example.org/api/webhooks/918273645/q9W8e7R6t5Y4u3I2o1P0a",
    "-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----",
    "MIIBVgIBADANBgkqhkiG9w0B\n-----END RSA PRIVATE KEY-----",
    "PuTTY-User-Key-File-2: ssh-rsa\nMIIBVgIBADANBgkqhkiG9w0B",
    "jfrog https://x AP6a1b2c3d4e5f", "a BUILDKIT AKCp8aQ0zX1cV2bN3mL", "twilio AC" + "0a1b2c3d" * 4,
    "AWS pw 'wJalrXUtnFEMIK7MDENGbPxRfiCYzzz9876KEYab'", "azure 'aB3/" + "x" * 83 + "=='",
    "SoftLayer_Key='" + "0a" * 32 + "'",
    "cloudant:key: " + "0a1b2c3d" * 8, "discord MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
    "mailchimp " + "0a1b2c3d" * 4 + "-us12", "npm_token = 0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f",
    "artifact\neyJhbGciOi1.eyJzdWIiOiJkZXYifQ", "ibm\nxoxb-1-2-3a4b5c6d",
)  # fmt: skip


def beginnings() -> Sequence[str]:
    """A token of every provider, of letters and of small hexadecimal digits, as far as a beginning says."""
    return [
        word + random_run(chars, length, length) + end
        for word, _ in BEGINNINGS
        for chars, length in ((WORD, 16), (WORD, 60), (HEX, 32), (HEX, 40))
        for end in ("", f".{random_run(WORD, 20, 1)}.{random_run(HEX, 64, 2)}", f"_{random_run(WORD, 24, 3)}")
    ]


PLANTED = (
    *beginnings(),
    *(around.format(name, value) for around in AROUND for name in NAMES for value in VALUES),
    *OTHERS,
)
CHANGES: Sequence[Callable[[str], str]] = (
    str,
    str.upper,
    str.lower,
    str.swapcase,
    lambda text: json.dumps(text)[1:-1],
    lambda text: json.dumps(json.dumps(text, ensure_ascii=False)),
    lambda text: text.replace("k", "\u212a").replace("K", "\u212a"),
    lambda text: text.replace("i", "\u0130").replace("I", "\u0130"),
    lambda text: text.replace("s", "\u017f").replace("i", "\u0131"),
    lambda text: text.replace(" ", "\u00a0"),
    lambda text: text.replace(" ", "\x1c"),
    lambda text: text.replace(" ", "   "),
    lambda text: f"é{text}é",
    lambda text: text[: len(text) // 2] + "\x1b[0m" + text[len(text) // 2 :],
    lambda text: text[:9] + "\u200b" + text[9:],
    lambda text: text[:9] + "\\u200b" + text[9:],
)


def _cut(text: str, change: Callable[[str], str], first: int, last: int) -> str:
    changed = change(text)
    return changed[first : len(changed) - last]


planted = st.builds(
    _cut,
    st.sampled_from(PLANTED),
    st.sampled_from(CHANGES),
    st.sampled_from((0, 0, 0, 1, 5)),
    st.sampled_from((0, 0, 0, 1, 7)),
)
plain = st.one_of(
    st.text(max_size=12),
    st.text(st.sampled_from("key tokn\n\\=:'\"-pas_@/.sig\u212aé0A"), max_size=30),
    st.sampled_from((" ", "\n", "\\n", "\\", '"', "x" * 70, "api_", "-", "aws ", "artifact ", "the key to it is here")),
)
texts = st.lists(st.lists(st.one_of(planted, plain), max_size=5).map("".join), max_size=8)


@pytest.mark.parametrize("way", ENGINES)
@given(texts)
def test_what_no_finder_is_sent_to_holds_nothing_for_it(way: str, texts: list[str]) -> None:
    """The reference: every finder over every text."""
    suspects = dict(find_suspects(texts, ENGINES[way]))
    for number, text in enumerate(texts):
        finders = suspects.get(number, 0)
        assert find_by(text, finders) == find_by(text), (text, finders)
        assert find_secrets(text) == find_by(text)


@pytest.mark.parametrize("way", ENGINES)
@pytest.mark.parametrize("change", range(len(CHANGES)))
def test_nothing_planted_is_passed_over(way: str, change: int) -> None:
    texts = [CHANGES[change](text) for text in PLANTED]
    suspects = dict(find_suspects(texts, ENGINES[way]))
    missed = [text for at, text in enumerate(texts) if find_by(text, suspects.get(at, 0)) != find_by(text)]
    assert missed == []


@pytest.mark.parametrize("way", ENGINES)
@given(texts)
def test_what_is_not_seen_is_told_of_a_text(way: str, texts: list[str]) -> None:
    suspects = dict(find_suspects(texts, ENGINES[way]))
    for number, text in enumerate(texts):
        unseen = suspects.get(number, 0) & (COLOURED | SILENT)
        seen = seen_text(text)
        bare = seen_part(text, silent=unseen != COLOURED) if unseen else None
        assert bare == (None if seen is None else seen[0])


def test_ordinary_text_is_no_suspect() -> None:
    texts = [
        "for key in sorted(found, key=len): take(key)",
        "3 passed, 1 failed; the author signed it, keyboard and all",
        '{"path": "src/pattern.py", "monkey": "patched", "max_tokens": 4096}',
        "def login(user: User) -> None: re_compiled_pattern = re.compile(pattern)",
        "https://example.org:8080/a?b=c#d and git@example.org",
    ]
    for way, engine in ENGINES.items():
        assert [row for row in find_suspects(texts, engine) if row[1] & EVERY & ~1 & ~64] == [], way


def test_a_process_that_has_looked_through_enough_uses_one_pass() -> None:
    pytest.importorskip("hyperscan", reason="it has no wheel for this machine: all goes word by word")
    engine = Engine(small=10, worth=100)
    met: list[int] = []

    def meet(number: int, *_: object) -> None:
        met.append(number)

    assert not engine.scan(b"a token", meet)
    assert not engine.scan(b"a token" * 10, meet)
    assert met == []
    assert engine.scan(b"a token, and the AUTH of it" * 3, meet)
    assert {CUES[number].sign for number in met} == {b"token", b"auth"}


def test_where_much_is_expected_all_is_ready_at_once() -> None:
    pytest.importorskip("hyperscan", reason="it has no wheel for this machine: all goes word by word")
    engine = Engine(small=10, worth=100)
    engine.expect(99)
    assert not engine.scan(b"many words", never_met)
    engine.expect(100)
    assert engine.scan(b"many words", never_met)


def never_met(*_: object) -> None:
    raise AssertionError


def test_every_word_of_the_library_is_a_cue() -> None:
    assert {word.encode() for word in LIBRARY_WORDS} <= {cue.sign for cue in CUES}


@given(st.data())
def test_a_look_tells_what_the_library_may_find(data: st.DataObject) -> None:
    _, pattern = data.draw(st.sampled_from(library_patterns()))
    text = data.draw(st.from_regex(pattern))
    assert may_fit_library(text, 0, len(text)) or list(pattern_hits(text, 0, len(text))) == []


def test_a_masker_learns_the_same_of_many_texts_as_of_each() -> None:
    many = [text for text in PLANTED if "\n" not in text]
    one, each = Masker(), Masker()
    one.learn_all(many)
    for text in many:
        each.learn_all([text])
    sample = many[::7]
    assert [one.text(text) for text in sample] == [each.text(text) for text in sample]


@given(texts, st.booleans())
def test_many_texts_are_masked_as_each_of_them_is(texts: list[str], learned: bool) -> None:
    one, each = Masker(), Masker()
    if learned:
        one.learn_all(texts)
        each.learn_all(texts)
    assert one.texts(texts) == [each.text(text) for text in texts]
    assert one.count == each.count


@given(
    st.lists(st.text(st.sampled_from(WORD), min_size=6, max_size=40), max_size=60),
    st.text(st.sampled_from(WORD + "  "), max_size=80),
    st.data(),
)
def test_a_known_value_is_found_by_any_piece_of_it(values: list[str], around: str, data: st.DataObject) -> None:
    """Few values are looked for by their parts, many are not: either way every piece of twelve is masked."""
    masker = Masker()
    masker.learn_all([f'password = "{value}"' for value in values])
    known = [value for value in values if "[masked: " in Masker().text(f'password = "{value}"') and is_random(value)]
    long = [value for value in known if len(value) >= PIECE]
    if long:
        value = data.draw(st.sampled_from(long))
        at = data.draw(st.integers(0, len(value) - PIECE))
        piece = value[at : at + PIECE]
        assert piece not in masker.text(f"{around}{piece}{around}")


@pytest.mark.parametrize(
    "part",
    [
        "key=", "key", '"password": "', "://", "://a@", "-----BEGIN ", "pat", "eyJ", "\x1b[", "\\u200b", "artifact\n",
        "cookie a=b1c2d3 cookie" + " " * 500 + "!", "bearer a1b2c3d4e5 bearer" + " " * 500 + "!",
        "authorization: a1b2c3 authorization" + " " * 200 + ":" + " " * 200 + "!",
        "token=a1b2c3d4 token" + " " * 300 + "is" + " " * 300 + ":!",
    ],
)  # fmt: skip
def test_masking_takes_time_that_grows_as_the_text_does(part: str) -> None:
    """Eight times the text in less than thirty times the time: what is quadratic takes sixty-four times as long."""
    short, long = part * (20_000 // len(part)), part * (160_000 // len(part))
    Masker().text(short)  # imports and caches
    assert _least(long) < 30 * max(_least(short), 0.001)


def _least(text: str) -> float:
    times: list[float] = []
    for _ in range(3):
        begun = process_time()
        Masker().text(text)
        Masker().learn_all([text, "x"])
        times.append(process_time() - begun)
    return min(times)
