"""Laws of masking: whatever stands around a secret."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.brief.test_masks import HARMLESS, LETTERS, PASSWORD, PEM, TOKENS, leaks, sample

from refloat.brief import masks
from refloat.brief.find_secrets import find_in_all, find_secrets
from refloat.brief.hits import is_placeholder
from refloat.brief.masks import Masker, mask_tree
from refloat.brief.suspects import find_suspects
from refloat.brief.unseen import seen_part

words = st.text(st.characters(codec="utf-8"), max_size=60)
secret_values = st.text(LETTERS, min_size=24, max_size=60).filter(
    lambda s: sum(c.isdigit() for c in s) >= 4 and any(c.isalpha() for c in s) and not is_placeholder(s)
)


@given(words, words, st.sampled_from(sorted(TOKENS)))
def test_no_piece_of_a_token_is_left_whatever_stands_around(before: str, after: str, kind: str) -> None:
    token = TOKENS[kind]
    shown = mask_tree([f"{before} {token} {after}", after], Masker())
    assert not leaks(token, shown[0])


@given(
    words,
    secret_values,
    st.sampled_from(["GITHUB_TOKEN={}", 'password = "{}"', "https://u:{}@h.example/", "Bearer {}"]),
)
def test_no_piece_of_a_named_value_is_left_anywhere(before: str, value: str, around: str) -> None:
    named = around.format(value)
    shown = mask_tree({"a": f"{before} {value}", "b": f"{before}\n{named}\nend", "c": value[3:]}, Masker())
    for text in shown.values():
        assert not leaks(value, text)


@given(
    st.lists(
        st.sampled_from(
            [*TOKENS.values(), *HARMLESS, PEM, f"password={PASSWORD}", PASSWORD, "words", "\n", "\\n", '"']
        ),
        max_size=8,
    )
)
def test_masking_again_changes_nothing(parts: list[str]) -> None:
    text = " ".join(parts)
    once = Masker().text(text)
    again = Masker()
    assert again.text(once) == once
    assert again.count == 0
    assert Masker().text(text) == once


@given(words)
def test_any_text_is_taken(text: str) -> None:
    once = Masker().text(text)
    assert Masker().text(once) == once
    assert all(0 <= hit.start < hit.end <= len(text) for hit in find_secrets(text))


@given(st.text(st.sampled_from("-BEGINPRVATKYD \n\\nr+=aA1:/@.\"'"), max_size=200))
def test_torn_keys_and_addresses_are_taken(text: str) -> None:
    once = Masker().text(text)
    assert Masker().text(once) == once


@given(
    st.lists(
        st.text(max_size=8).flatmap(
            lambda around: st.sampled_from(
                (
                    "",
                    "src/rounding_of_totals.py",
                    "export API_KEY=9f8e7d6c5b4a39281706",
                    "ghp_0123456789abcdefABCDEF0123456789abcd",
                    "Authorization: Bearer 0123456789abcdefABCDEF0123456789",
                    "https://ana:0ld-p4ssw0rd@db.example.org/shop",
                    "AWS_KEY = wJalrXUtnFEMIK7MDENGbPxRfiCYzzz9876KEYab",
                    "jfrog https://x AKCp8aQ0zX1cV2bN3mL4kJ5hG6fD7sA8qW9eR0tY1uI2oP3aS4dF5gH6jK7lZ8x",
                    "SOFTLAYER_API_KEY='0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'",
                    "\u0130 password = 'tr0ub4dor&3x'",
                    "https://hooks.slack.com/services/T024BE7LD/B0192837465/q9W8e7R6t5Y4u3I2",
                    "https://example.org/api/webhooks/918273645/q9W8e7R6t5Y4u3I2o1P0a",
                    "Set-Cookie: sid=q9W8e7R6t5Y4u3I2; Path=/",
                    "curl -u ana:tr0ub4dor3x https",
                    "sshpass -p tr0ub4dor3x ssh db",
                    "mysql -ptr0ub4dor3x shop",
                    "login ana password tr0ub4dor3x",
                    "-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----",
                )
            ).map(lambda inner: f"{around}{inner}{around}")
        ),
        max_size=12,
    )
)
def test_what_is_no_suspect_among_many_holds_no_secret(texts: list[str]):
    parts = [(n, text) for n, text in enumerate(texts)]
    parts += [(n, seen) for n, text in parts if (seen := seen_part(text, silent=True)) is not None]
    found = find_in_all(texts, find_suspects(texts))
    assert list(found) == [(n, part, hits) for n, part in parts if (hits := find_secrets(part))]


HIDDEN = (
    "ghp_0123456789abc\u200bdefABCDEF0123456789abcd",
    "ghp_0123456789abc\x1b[1mdefABCDEF0123456789abcd",
    "ghp_0123456789abc\\u200bdefABCDEF0123456789abcd",
    "ghp_0123456789abc\\\\x1b[1mdefABCDEF0123456789abcd",
    "ghp_0123456789abcdefABCDEF0123456789abcd",
    "plain",
)


@given(st.lists(st.sampled_from(HIDDEN), max_size=3))
def test_what_is_learned_from_many_texts_is_what_is_learned_from_each(texts: list[str]):
    one, each = Masker(), Masker()
    knows = one.learn_all(texts)
    for text in texts:
        each.learn(text)
    assert knows == each.knows_any == any(text != "plain" for text in texts)
    told = " ".join([*HIDDEN, "defABCDEF0123456789abcd"])
    assert one.text(told) == each.text(told)


class Named(NamedTuple):
    """A tuple whose values have names."""

    text: str
    number: int
    inner: "tuple[str, ...]" = ()


def test_a_named_tuple_stays_one() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    masked = mask_tree(Named(f"token {secret}", 7, (secret, "b")), Masker())
    assert isinstance(masked, Named)
    assert secret not in str(masked)
    assert (masked.number, masked.inner[1]) == (7, "b")


UNSEEN = (
    "\u200b",
    "\x1b[0m",
    "\x00",
    "\u2060",
    "\x1b[1;31m\u200d",
    "\\u001b[0m",
    "\\x1b[0m",
    "\\u200b",
    "\x9b0m",
    "\u00ad",
)


@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("at", [2, 12, 15, 30])
def test_a_secret_with_something_unseen_inside_is_masked_whole(unseen: str, at: int):
    token = TOKENS["GitHub token"]
    text = f"the token {token[:at]}{unseen}{token[at:]} and more"
    masker = Masker()
    shown = masker.text(text)
    assert shown == "the token [masked: GitHub token] and more"
    assert masker.count == 1


@pytest.mark.parametrize("unseen", UNSEEN)
def test_a_known_secret_is_known_also_with_something_unseen_inside(unseen: str):
    token = sample(40)
    broken = f"{token[:17]}{unseen}{token[17:]}"
    first, second = mask_tree(((broken, "x"), {"API_KEY": f"API_KEY={token}"}), Masker())
    assert not leaks(token[:17], first[0])
    assert not leaks(token[17:], first[0])
    assert not leaks(token, str(second))
    learned = Masker()
    learned.learn(f"API_KEY={broken}")
    assert not leaks(token, learned.text(f"see {token} there"))


def test_what_is_unseen_and_no_secret_stays():
    text = "\x1b[1mbold\x1b[0m zero\u200bwidth and C:\\x1b\\u200b"
    assert Masker().text(text) is text


def test_what_is_learned_a_little_at_a_time_is_what_is_learned_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z45"
    value = ("words " * 40, {"a": "token: " + secret}, ("words " * 40, "password=tr0ub4dor&3x"), "the end")
    whole, little = Masker(), Masker()
    whole.learn(value)
    monkeypatch.setattr(masks, "_BATCH", 1)
    little.learn(value)
    for text in (f"x {secret}", f"x{secret[4:20]}", "tr0ub4dor&3x", "words"):
        assert little.text(text) == whole.text(text)
    assert secret not in little.text(f"see {secret}")
    assert "tr0ub4dor" not in little.text("it is tr0ub4dor&3x")
