"""RFC 8785: its own examples, and laws that any value keeps."""

import json
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.record.canonical import canonical

# RFC 8785, appendix B: IEEE 754 bits and how they are written.
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


@pytest.mark.parametrize(("bits", "written"), NUMBERS.items())
def test_numbers_of_the_rfc(bits: str, written: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(value).decode() == written


def test_the_example_of_the_rfc() -> None:
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }
    assert canonical(value).decode() == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_members_are_sorted_by_utf16_units() -> None:
    value = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "\u00f6": 7}
    assert list(json.loads(canonical(value))) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, 2**53 + 1, "\ud800", {"\udfff": 1}, b"x", {1: 2}, object()]
)
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r".*"):
        canonical(value)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=12,
)


@given(values)
def test_it_says_the_same_and_says_it_once(value: object) -> None:
    written = canonical(value)
    again = json.loads(written, parse_int=lambda word: int(word) if abs(int(word)) <= 2**53 else float(word))
    assert again == value
    assert canonical(again) == written


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_comes_back(value: float) -> None:
    assert float(canonical(value)) == value


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 9), min_size=2))
def test_the_order_of_members_does_not_matter(value: dict[str, int]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)
