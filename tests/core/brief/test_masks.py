"""No secret, and no twelve characters in a row of one, leaves; look-alikes and the words around stay."""

import base64
import json
import string
import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from time import process_time

import pytest

from refloat.brief.find_secrets import find_secrets
from refloat.brief.masks import PIECE, Masker, mask_tree

LETTERS = string.ascii_letters + string.digits


def pieces(secret: str, length: int = PIECE) -> list[str]:
    return [secret[at : at + length] for at in range(max(1, len(secret) - length + 1))]


def leaks(secret: str, shown: str) -> list[str]:
    return [piece for piece in pieces(secret) if piece in shown]


def sample(length: int, seed: str = "q") -> str:
    """Letters and digits without meaning, the same each time."""
    import hashlib

    text = "".join(
        base64.b32encode(hashlib.sha256(f"{seed}{n}".encode()).digest()).decode() for n in range(length // 40 + 1)
    )
    return "".join(c.lower() if n % 3 else c for n, c in enumerate(text.replace("=", "")))[:length]


# Put together at run time: no scanner of leaks shall take this file for one.
TOKENS = {
    "GitHub token": "gh" + "p_" + sample(36),
    "GitHub fine token": "github" + "_pat_" + sample(22) + "_" + sample(59),
    "GitLab token": "gl" + "pat-" + sample(20),
    "Slack token": "xo" + "xb-2401-55512345-" + sample(24),
    "AWS access key": "AK" + "IA" + sample(16).upper(),
    "Anthropic key": "sk-" + "ant-api03-" + sample(60),
    "OpenAI key": "sk-" + sample(48),
    "OpenAI project key": "sk-" + "proj-" + sample(60),
    "Stripe key": "sk" + "_live_" + sample(24),
    "Google key": "AI" + "za" + sample(35),
    "Google token": "ya" + "29." + sample(60),
    "npm token": "np" + "m_" + sample(36),
    "PyPI token": "py" + "pi-AgEIcHlwaS5vcmc" + sample(60),
    "SendGrid key": "S" + "G." + sample(22) + "." + sample(43),
    "Hugging Face token": "h" + "f_" + sample(34),
    "DigitalOcean token": "do" + "p_v1_" + "0123456789abcdef" * 4,
    "JSON web token": "ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZXYifQ." + sample(43),
    "Square token": "sq0" + "csp-" + sample(43),
    "Twilio key": "SK" + "0a1b2c3d" * 4,
    "Mailgun key": "key-" + "0a1b2c3d" * 4,
    "Atlassian token": "ATA" + "TT3xFfGF0" + sample(60),
}


@pytest.mark.parametrize("kind", TOKENS)
@pytest.mark.parametrize(
    "around",
    [
        "use {} now",
        '{{"a":"{}"}}',
        "x={}",
        "\\n{}\\n",
        "({})",
        "`{}`.",
        "https://h.example/?k={}&b=1",
        "+{}",
        '\\"{}\\"',
    ],
)
def test_a_providers_token_is_masked_and_the_words_around_stay(kind: str, around: str) -> None:
    masker = Masker()
    shown = masker.text(around.format(TOKENS[kind]))
    assert not leaks(TOKENS[kind], shown)
    before, after = around.format("\0").split("\0")
    assert shown.startswith(before)
    assert shown.endswith(after)
    assert masker.count == 1


@pytest.mark.parametrize("user", ["0a1b2c3d" * 5, "0a1b2c3d" * 8, sample(40), "5d1f6c1e-0b7a-4b60-9a54-2f1f0e7c9a11"])
def test_a_token_in_place_of_the_user_of_an_address_is_masked_also_where_it_looks_like_a_commit(user: str) -> None:
    shown = Masker().text(f"origin https://{user}@github.example/shop.git (fetch)")
    assert shown == "origin https://[masked: token in a URL]@github.example/shop.git (fetch)"


HARMLESS = [
    "git+https://h.example/shop.git@9505cacb7c710ed17125fcc6cb3669e8ddca6c8c",
    "9505cacb7c710ed17125fcc6cb3669e8ddca6c8c",
    "commit 9505cacb7c710ed17125fcc6cb3669e8ddca6c8c (HEAD -> main)",
    "5d1f6c1e-0b7a-4b60-9a54-2f1f0e7c9a11",
    "needs sk-learn-helpers; see ghp_parser.py",
    "sk-some-long-kebab-case-package-name",
    "export TOKEN=<token>",
    "export TOKEN=$TOKEN",
    'password = "${DB_PASSWORD}"',
    "API_KEY=xxxxxxxxxxxx",
    "PASSWORD=changeme",
    'api_key = os.environ["API_KEY"]',
    "token = parser.next_token()",
    "self.token = token",
    "def login(password: str, token: Token | None = None) -> Session:",
    '{"max_tokens": 4096, "next_page_token": "abc123def456"}',
    "primary_key=True, sort_key='created_at'",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "postgres://user:${PASSWORD}@localhost/db",
    "https://example.invalid/a:b/c",
    "git@github.com:ana/shop.git",
    "the password is required",
    "Enter your password: ",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "cookies are set by the browser; cookie: see the docs",
    "PWD=/home/ana/shop OLDPWD=/home/ana",
    "tests/test_token_refresh_2024.py::test_secret_is_masked PASSED",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "basic usage of the module",
    "Read /home/ana/shop/src/api_key_store.py",
    '"integrity": "sha512-z8d0m5b2O9McPEK1xHG/dWgUBT6EfBDz6wA0F7xSPTA=="',
    'class Token:\n    """Holds what the lexer2 gave."""',
    'class Secret:\n    """Holds-what-2-gave"""\n',
    'if not password:\n    "x1y2z3 is no way to say it"',
    "password:\n  type: string\n  pattern2: x1y2z3",
    "  - name: token\n    secret:\n      secretName: db-2024-x1\n",
    "secrets:\n- db-2024-x1\n- mail-2024-x2",
    "where password:\n  src/a1b2c3",
    "token:\nsrc/a1b2c3/d4e5.py",
    "PASSWORD=\nHOST=db-2024-x1",
    "the password is a Secret:\n`projects/*/secrets/*/versions/2`",
    'SECRET = """\nvalue[terminator2=x]\nname2=y\n"""',
    "gh auth login -p https -h github.com",
    "docker login reg.example.invalid && ssh -p 2222 h",
    "docker login --password-stdin -u ana < pw.txt; mkdir -p build/out",
    "login -p 12345",
    "1234:AA" + "b" * 33,
    "module 7123456789:AAA is not there",
    "{'--clear-auth-token':\n  'httpTarget.oidcToken.serviceAccountEmail,'}",
    "PASSWORD=\n'db-2024-x1'",
    '{"password":\n"k3y2024": 5}',
    "password:\n  'k3y2024': 5",
    '"password"\n, "db-2024-x1"',
    '["password",\n "db-2024-x1"]',
    r'printf("token:\n", a1b2c3d4, e5f6a7b8)',
    r'print("Secret:\n"+user2name+"!")',
    "the auth token\n= a thing that lasts 20 minutes",
    '-secrets:\n+  "db-2024-x1"',
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_alike_stays(text: str) -> None:
    masker = Masker()
    assert masker.text(text) == text
    assert masker.count == 0


PASSWORD = "tr0ub4dor-" + sample(8)
NAMED = [
    "DB_PASSWORD={}",
    "export STRIPE_SECRET='{}'",
    "password: {}",
    '{{"password": "{}"}}',
    '{{\\"client_secret\\": \\"{}\\"}}',
    "postgres://mailer:{}@db.example.invalid:5432/mail",
    "DATABASE_URL=mysql+pymysql://u:{}@h/db",
    "curl -u ana:{} https://h.example.invalid/",
    "mysql -h h -u root -p{} shop",
    "docker login --password {} -u ana",
    "docker login -u ana -p {} reg.example.invalid",
    "echo x && podman login -p='{}' -u ana",
    "helm registry login h -u ana -p {}",
    "az login --service-principal -u id -p {} --tenant t",
    "oc login h -u ana -p {}",
    "deploy --api-key={}",
    "X-Api-Key: {}",
    "Authorization: Bearer {}",
    '-H "Authorization: token {}"',
    "Cookie: session={}; theme=dark",
    "Set-Cookie: sid={}; Path=/; HttpOnly",
    "machine h login ana password {}",
    "<password>{}</password>",
    "my password is {}, keep it",
    "_authToken={}",
    'client_secret := "{}"',
    "const apiKey = '{}';",
    "  access_token: '{}'",
    "?access_token={}&x=1",
]


@pytest.mark.parametrize("around", NAMED)
def test_a_value_is_known_by_the_name_before_it(around: str) -> None:
    masker = Masker()
    shown = masker.text(around.format(PASSWORD))
    assert PASSWORD not in shown
    assert not leaks(PASSWORD, shown)
    assert "[masked: " in shown


def _lines(sign: str, *lines: str) -> str:
    return "\n".join(sign + line for line in lines)


@pytest.mark.parametrize("space", [" " * 9, " " * 3000, "\t" * 20, "\n  ", "\r\n\r\n\t"])
@pytest.mark.parametrize(
    "around", ['"password":_"{}"', '{{"a": {{"password"_:_"{}"}}}}', '{{\n  "db_secret" :_"{}"\n}}']
)
def test_white_space_parts_no_value_from_its_name(around: str, space: str) -> None:
    text = around.format(PASSWORD).replace("_:_", f"{space}:{space}").replace('_"', f'{space}"')
    for shown in (text, json.dumps(text), json.dumps(json.dumps(text))):
        assert PASSWORD not in Masker().text(shown)


@pytest.mark.parametrize(
    "around",
    [
        "DB_PASSWORD=            {}",
        "password                =             {}",
        "password:               {}",
        "password:\n  {}\n",
        "password:\n  '{}'\n",
        "password:\r\n    {}\r\nuser: ana\r\n",
        "  - password:\n      {}",
        "  3\tpassword:\n  4\t  {}\n  5\tuser: ana",
        '  3→"password":\n  4→  "{}"\n  5→user: ana',
        _lines("+", "password:", "  {}", "user: ana"),
        _lines("-", '"password":', '  "{}",', '"user": "ana"'),
        "const password =\n  '{}';",
        "deploy --password            {}",
        "deploy --password \\\n  {} \\\n  --user ana",
        "password = \\\n  '{}'",
        'password = """{}"""',
        'password = """\n{}\n"""',
        "password = '''\n{}'''",
    ],
)
def test_a_value_far_from_its_name_or_below_it_is_masked(around: str) -> None:
    shown = Masker().text(around.format(PASSWORD))
    assert not leaks(PASSWORD, shown)
    before, after = around.format("\0").split("\0")
    assert shown.startswith(before)
    assert shown.endswith(after)


@pytest.mark.parametrize("sign", ["|", ">", "|-", ">2", "|  "])
def test_all_lines_of_a_block_are_masked(sign: str) -> None:
    lines = [sample(40, seed) for seed in "abc"]
    shown = Masker().text(f"user: ana\ntoken: {sign}\n  " + "\n  ".join(lines) + "\nhost: db\n")
    assert not any(leaks(line, shown) for line in lines)
    assert shown.startswith(f"user: ana\ntoken: {sign}\n  [masked: ")
    assert shown.endswith("]\nhost: db\n")
    assert "letmein" not in Masker().text(f"password: {sign}\n  letmein\n")


def test_basic_authorization_is_masked() -> None:
    pair = base64.b64encode(b"ana:correct horse").decode()
    assert pair not in Masker().text(f"Authorization: Basic {pair}")


BODY = [sample(64, seed) for seed in "abcdef"] + [sample(30, "g") + "=="]
PEM = "\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", *BODY, "-----END RSA " + "PRIVATE KEY-----"])


@pytest.mark.parametrize(
    "text",
    [
        PEM,
        json.dumps({"key": PEM}),
        json.dumps(json.dumps({"key": PEM})),
        PEM.replace("\n", "\r\n"),
        "\n".join("+" + row for row in PEM.split("\n")),
        "\n".join("> " + row for row in PEM.split("\n")),
        "\n".join(f"  {n}\t{row}" for n, row in enumerate(PEM.split("\n"), 1)),
        PEM.split("-----END", maxsplit=1)[0],
        PEM.split("-----BEGIN RSA PRIVATE KEY-----\n", maxsplit=1)[1],
        PEM.split("-----END", maxsplit=1)[0] + "\nand then the words go on",
    ],
    ids=["plain", "json", "json in json", "crlf", "diff", "quoted", "numbered", "no end", "no begin", "cut"],
)
def test_a_private_key_is_masked_whole(text: str) -> None:
    shown = Masker().text(text)
    for row in BODY:
        assert not leaks(row, shown)
    assert "[masked: private key]" in shown
    assert shown.count("[masked: private key]") == 1 or "\t" in text or text[0] in "+>"
    if "words go on" in text:
        assert shown.endswith("and then the words go on")


def test_a_private_key_over_the_lines_of_a_hunk_keeps_their_number() -> None:
    lines = tuple("+" + row for row in PEM.split("\n"))
    masked = mask_tree(lines, Masker())
    assert len(masked) == len(lines)
    assert masked[0] == lines[0]
    for row in BODY:
        assert not leaks(row, "\n".join(masked))


def test_a_secret_once_known_is_masked_wherever_it_stands() -> None:
    texts = [f"try {PASSWORD} by hand", f"DB_PASSWORD={PASSWORD}", f"begins {PASSWORD[:13]}…"]
    masked = mask_tree(texts, Masker())
    for text in masked:
        assert not leaks(PASSWORD, text)
    assert masked[0].startswith("try [masked: ")


def test_a_masker_remembers_from_call_to_call() -> None:
    masker = Masker()
    masker.text(f"password={PASSWORD}")
    assert PASSWORD not in masker.text(f"bare {PASSWORD}")


def test_a_weak_password_is_masked_where_it_is_named_alone() -> None:
    masker = Masker()
    masked = mask_tree(["postgres://app:letmein@h/db", "letmein in, said the postgres log"], masker)
    assert masked == ["postgres://app:[masked: password in a URL]@h/db", "letmein in, said the postgres log"]


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Inner:
    text: str
    number: int
    colour: Colour


@dataclass(frozen=True, slots=True)
class Outer:
    rows: tuple[Inner, ...]
    table: dict[str, str | None]
    path: PurePosixPath
    flag: bool = True


def test_a_tree_keeps_its_types_and_what_holds_no_secret_is_the_same_object() -> None:
    token = TOKENS["GitHub token"]
    plain = Outer((Inner("nothing", 1, Colour.RED),), {"a": None}, PurePosixPath("/a"))
    assert mask_tree(plain, Masker()) is plain
    told = Outer((Inner(f"say {token}", 1, Colour.RED),), {"a": token}, PurePosixPath(f"/tmp/{token}/x"))
    masked = mask_tree(told, Masker())
    assert masked == Outer(
        (Inner("say [masked: GitHub token]", 1, Colour.RED),),
        {"a": "[masked: GitHub token]"},
        PurePosixPath("/tmp/[masked: GitHub token]/x"),
    )
    assert masked.rows[0].colour is Colour.RED


def test_a_secret_in_a_command_given_as_words_is_masked() -> None:
    assert mask_tree(("mysql", "--password", PASSWORD), Masker())[2] == "[masked: password]"


def test_shown_secrets_are_left_alone_and_not_counted() -> None:
    masker = Masker(enabled=False)
    assert mask_tree([PEM], masker) == [PEM]
    assert masker.text(PEM) == PEM
    assert masker.count == 0


@pytest.mark.parametrize("around", ["TG={}", "https://api.telegram.org/bot{}/sendMessage", '{{"token_of_bot": "{}"}}'])
def test_the_secret_half_of_a_bots_token_is_masked(around: str) -> None:
    half = "AAh9Kq2xW4eR6tY8uI0oP1aS3dF5gH7jK9l"
    assert half not in Masker().text(around.format(f"7123456789:{half}"))


def test_the_library_is_not_loaded_for_ordinary_text() -> None:
    script = (
        "import sys; from refloat.brief.masks import Masker; m = Masker();"
        "m.text('API_KEY=' + 'a1b2c3d4e5f6' * 3); m.text('token = next(tokens)');"
        "assert 'detect_secrets' not in sys.modules; assert 'requests' not in sys.modules;"
        "m.text('twilio AC' + '0a1b2c3d' * 4); assert 'detect_secrets' in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, env={"PYTHONPATH": ":".join(sys.path)})


def test_formats_that_the_library_alone_knows_are_masked() -> None:
    account = "AC" + "0a1b2c3d" * 4
    assert account not in Masker().text(f"the twilio account {account} sends it")


# ── what stands before a token, and how long it takes ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("before", ["-", "_", "x-", "my_", "a1_", "é", "—", "=", "/", ".", "\\n"])
@pytest.mark.parametrize("kind", sorted(TOKENS))
def test_a_token_directly_behind_a_sign_is_masked(kind: str, before: str) -> None:
    assert not leaks(TOKENS[kind], Masker().text(f"it says {before}{TOKENS[kind]} there"))


def test_a_long_token_without_a_digit_is_masked_and_a_name_is_not() -> None:
    letters = "hf" + "_" + "aBcDEfgHiJKlmNoPQrsTuvWXyZabCdEFgh"
    assert not leaks(letters, Masker().text(f"use {letters} now"))
    assert find_secrets("hf_tokenizer_for_the_wholeModelOfThisRun and npm_configUserAgentOfThisVeryLongName") == ()


_ROUND = [
    "password=", "password:'", "authorization:", "bearer:", "cookie=", "cookie=a1b2c3d;", "sk-", "gh" + "p_", "eyJ",
    "xoxb-", "SG.", "curl ", "curl -u a:", "login a ", "?sig=", "--token ", "<secret>", "token is ", "key", "://a:",
    "PuTTY-User-Key-File-2: x\n", "-----END PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\\n", "Private-MAC: ",
    "-----BEGIN PRIVATE KEY-----\nMIIEabcdefghijklmnop\n-----END PRIVATE KEY-----\n", "aws ", "npm_token\n", "\\",
    "password:\n", "password:\n  a1b2c3d4", '"key"\n', "\n+", '"token":\\n', "\n 1\t", "  ",
]  # fmt: skip


@pytest.mark.parametrize("part", _ROUND)
def test_masking_takes_time_that_grows_as_the_text_does(part: str) -> None:
    """Eight times the text in less than thirty times the time: what is quadratic takes sixty-four times as long."""
    short, long = part * (8_000 // len(part)), part * (64_000 // len(part))
    Masker().text(short)  # imports and caches
    assert _least(long) < 30 * max(_least(short), 0.001)


def test_many_different_secrets_take_time_that_grows_as_their_number_does() -> None:
    def made(number: int) -> str:
        return "".join(f"password=a1{sample(5, str(n))} token=a1{sample(30, str(n))} " for n in range(number))

    assert _least(made(1_600)) < 30 * max(_least(made(200)), 0.001)


def test_a_key_of_letters_that_are_also_escapes_is_soon_judged() -> None:
    def made(length: int) -> str:
        return "-----BEGIN PRIVATE KEY-----\n" + "nr" * length + "!"

    assert _least(made(16_000)) < 30 * max(_least(made(2_000)), 0.001)


def test_a_tree_of_many_short_texts_takes_time_that_grows_as_their_number_does() -> None:
    def made(number: int) -> list[dict[str, str]]:
        return [{"note": "ab"} for _ in range(number)]

    assert _least(made(40_000)) < 30 * max(_least(made(5_000)), 0.001)


def _least(value: object) -> float:
    """The shortest of several times: what else the machine does only adds to one."""
    times: list[float] = []
    for _ in range(3):
        begun = process_time()
        Masker().text(value) if isinstance(value, str) else Masker().learn(value)
        times.append(process_time() - begun)
    return min(times)


def test_a_secret_that_is_named_within_another_is_masked_to_its_end() -> None:
    first, second = sample(30, "f"), sample(40, "s")
    for text in (
        f"API_KEY={first}password: {second}",
        f"cookie: a={first}cookie: b={second}",
        f"Bearer {first}Bearer: {second}",
        f"login a password {first}login b password {second}",
        f"curl -u a:{first}curl -u b:{second}",
    ):
        shown = Masker().text(text)
        assert not leaks(first, shown), text
        assert not leaks(second, shown), text


@pytest.mark.parametrize("kind", sorted(TOKENS.keys() - {"AWS access key", "Twilio key"}))
def test_of_two_tokens_in_one_word_both_are_masked(kind: str) -> None:
    """The first letters of the second one may be such as the first one is made of."""
    other = TOKENS[kind][:-12] + sample(12, "z").lower()
    shown = Masker().text(f"see {TOKENS[kind]}{other} there")
    assert not leaks(TOKENS[kind][-16:], shown)


def test_a_token_within_a_key_leaves_the_marks_as_they_are() -> None:
    token = TOKENS["GitHub token"]
    shown = Masker().text(f"Bearer {sample(40)} -----BEGIN RSA PRIVATE KEY-----{token}hf_-----END RSA PRIVATE KEY-----")
    assert not leaks(token, shown)
    assert "[[masked" not in shown
    assert Masker().text("mysql -pSG.[masked: password].x") == "mysql -pSG.[masked: password].x"


def test_a_long_value_is_masked_to_its_end() -> None:
    value = sample(5_000)
    for around in ("password={} x", "PASSWORD={}", "Authorization: Bearer {}", "bearer {} x"):
        assert not leaks(value, Masker().text(around.format(value)))


def test_short_values_are_known_again_however_many_there_are() -> None:
    values = [f"a{n:03d}Bc7" for n in range(60)]
    masker = Masker()
    masker.learn([f'password = "{value}"' for value in values])
    shown = masker.text(" ".join(values) + f" x{values[0]} {values[1]}!")
    assert [value for value in values[1:] if value in shown] == []
    assert f"x{values[0]}" in shown  # within a longer word it is no secret


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
