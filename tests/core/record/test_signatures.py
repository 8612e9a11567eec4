# ruff: noqa: S608 - the SQL of these tests is their own
"""What a key signs, what a check says of it, and whose key it was."""

import json
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import psycopg
import pytest

from refloat.errors import NotDone, UsageError
from refloat.model.record import Signed, Verified
from refloat.model.saving import LINK_KINDS
from refloat.record.chain import add_step
from refloat.record.checking import verify_job
from refloat.record.contents import hold
from refloat.record.exported import verify_export
from refloat.record.keys import KNOWN, OWN, KeyUnusable, read_known, read_own
from refloat.record.receipts import seal
from refloat.record.signing import Signer, judge_signature, new_seed
from refloat.record.store import FILE_NAME, Record
from refloat.record.whole import load_job
from refloat.testing.jobs import ENDING, NOW, OPENING, fill
from refloat.usecases.export_job import export_job
from refloat.usecases.known_keys import get_own_key, known_in, list_keys, make_key, trust_key, untrust_key
from refloat.usecases.verify_saved import verify_file

Change = Callable[[str], None]
OTHER = Signer(bytes(range(32)))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Where this test's record and keys lie."""
    return tmp_path / "data"


@pytest.fixture
def ada(data: Path) -> str:
    """This machine's key."""
    return make_key(data, "ada").key


@pytest.fixture
def signed(ada: str, opened: Callable[[], Record], data: Path) -> Record:
    """A job with every kind of link, all signed."""
    assert ada
    record = opened()
    fill(record, data)
    return record


@pytest.fixture
def alter(url: str | None, data: Path) -> Change:
    def change(sql: str) -> None:
        if url is None:
            with closing(sqlite3.connect(data / FILE_NAME)) as connection, connection:
                connection.execute(sql)
        else:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(sql)  # pyright: ignore[reportArgumentType, reportCallIssue] - a test's own words

    return change


def exported(record: Record) -> dict[str, object]:
    document: dict[str, object] = json.loads("".join(export_job(record, "retry", "json", lambda _: None)))
    return document


def fields(verified: Verified) -> set[tuple[int | None, str]]:
    return {(fault.seq, fault.field) for fault in verified.problems}


def test_keys_and_signatures_are_those_of_the_standard() -> None:
    """RFC 8032, section 7.1, test 1: the public key of its private key."""
    signer = Signer(bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
    assert signer.public == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    signature = signer.sign("ab" * 32)
    assert judge_signature(signer.public, "ab" * 32, signature, {signer.public: "x"}) == "valid"
    assert judge_signature(signer.public, "ab" * 32, signature, {}) == "unknown_key"
    assert judge_signature(signer.public, "ac" * 32, signature, {signer.public: "x"}) == "invalid"


@pytest.mark.parametrize("part", ["signer", "receipt", "signature"])
def test_every_changed_letter_is_seen(part: str) -> None:
    """A flipped bit turns `a` into `A` as well, which most readers of hex take alike."""
    receipt = "ab" * 32
    whole = {"signer": OTHER.public, "receipt": receipt, "signature": OTHER.sign(receipt)}
    for at in range(len(whole[part])):
        for bit in range(7):
            text = whole[part]
            flipped = {**whole, part: text[:at] + chr(ord(text[at]) ^ 1 << bit) + text[at + 1 :]}
            assert judge_signature(**flipped, known={OTHER.public: "x"}) == "invalid"


@pytest.mark.parametrize(
    ("signer", "signature"),
    [
        (None, "ab" * 64),
        (OTHER.public, None),
        ("zz", "ab" * 64),
        (OTHER.public, "ab"),
        (7, b"x"),
        ("ff" * 32, "0" * 128),
    ],
)
def test_half_a_signature_is_none(signer: object, signature: object) -> None:
    assert judge_signature(signer, "ab" * 32, signature, {OTHER.public: "x"}) == "invalid"


def test_all_that_is_sealed_is_signed(signed: Record, ada: str) -> None:
    verified = verify_job(signed, "retry")
    assert (verified.ok, verified.problems, verified.signature) == (True, (), "valid")
    assert verified.signers == (Signed(ada, "ada", "valid", 6),)
    with signed.reading() as connection:
        links = load_job(connection, "retry").links
    assert {kind for kind, row in links if row["signer"] == ada} == set(LINK_KINDS)
    assert [row["signature"] for _, row in links if row["sealed"] is None] == [None]


def test_without_a_key_nothing_is_signed_and_it_says_so(record: Record, data: Path) -> None:
    fill(record, data)
    verified = verify_job(record, "retry")
    assert (verified.signature, verified.signers) == ("unsigned", (Signed(None, None, "unsigned", 6),))
    assert not (data / OWN).exists()


def test_what_was_sealed_before_the_key_stays_unsigned(
    record: Record, opened: Callable[[], Record], data: Path
) -> None:
    add_step(record, OPENING, ENDING, None, hold(b"1"))
    key = make_key(data, "ada").key
    later = opened()
    add_step(later, OPENING, ENDING, None, hold(b"2"))
    add_step(later, OPENING, ENDING, None, hold(b"3"))
    verified = verify_job(later, "retry")
    assert (verified.ok, verified.signature) == (True, "unsigned")
    assert set(verified.signers) == {Signed(key, "ada", "valid", 2), Signed(None, None, "unsigned", 1)}


@pytest.mark.parametrize("table", ["steps", "wraps", "pickups", "decisions"])
@pytest.mark.parametrize("value", ["NULL", "upper(signature)", "'ab' || substr(signature, 3)", "signature || '0'"])
def test_an_altered_signature_is_found_and_named(signed: Record, alter: Change, table: str, value: str) -> None:
    alter(f"UPDATE {table} SET signature = {value}{' WHERE seq = 2' if table == 'steps' else ''}")
    verified = verify_job(signed, "retry")
    assert (verified.ok, verified.signature) == (False, "invalid")
    wanted = (2, "signature") if table == "steps" else f"{table[:-1]}.signature"
    assert wanted in (fields(verified) if table == "steps" else {fault.field for fault in verified.problems})
    assert sum(each.links for each in verified.signers if each.signature == "invalid") == 1


def test_an_altered_field_does_not_pass_for_signed(signed: Record, alter: Change) -> None:
    alter("UPDATE steps SET exit_code = 0 WHERE seq = 2")
    verified = verify_job(signed, "retry")
    assert (verified.ok, fields(verified)) == (False, {(2, "exit_code")})


def test_a_forged_receipt_is_told_from_one_of_another_machine(signed: Record, ada: str, alter: Change) -> None:
    """Whoever rewrites a step, its receipt and the chain behind it cannot sign for ada."""
    with signed.reading() as connection:
        rows = connection.rows("links.steps_of", job="retry", after=1, many=2)
        job = connection.row("jobs.one", job="retry")
    assert job is not None
    forged = seal("step", {**rows[0], "outcome": "ok"}, job["created_at"])
    made = f"outcome = 'ok', digests = '{forged['digests']}', receipt = '{forged['receipt']}'"
    alter(f"UPDATE steps SET {made}, signature = '{OTHER.sign(str(forged['receipt']))}' WHERE seq = 2")
    assert (2, "signature") in fields(verify_job(signed, "retry"))
    assert verify_job(signed, "retry").signature == "invalid"

    own = seal("step", {**rows[0], "outcome": "ok", "signer": OTHER.public}, job["created_at"])
    made = f"signer = '{OTHER.public}', digests = '{own['digests']}', receipt = '{own['receipt']}'"
    alter(f"UPDATE steps SET {made}, signature = '{OTHER.sign(str(own['receipt']))}' WHERE seq = 2")
    elsewhere = verify_job(signed, "retry")
    assert elsewhere.signature == "unknown_key"
    assert Signed(OTHER.public, None, "unknown_key", 1) in elsewhere.signers
    assert Signed(ada, "ada", "valid", 5) in elsewhere.signers


def test_another_machine_knows_a_key_from_when_it_is_trusted(signed: Record, ada: str, tmp_path: Path) -> None:
    document, there = exported(signed), tmp_path / "there"
    path = tmp_path / "e.json"
    path.write_text(json.dumps(document))
    found = verify_file(path, NOW, known_in(there))
    assert (found.ok, found.signature) == (True, "unknown_key")
    assert found.signers == (Signed(ada, None, "unknown_key", 6),)
    trust_key(there, ada, "ada of the office")
    found = verify_file(path, NOW, known_in(there))
    assert (found.signature, found.signers) == ("valid", (Signed(ada, "ada of the office", "valid", 6),))
    assert (there / KNOWN).stat().st_mode & 0o777 == 0o600
    untrust_key(there, "ada of the office")
    assert verify_file(path, NOW, known_in(there)).signature == "unknown_key"
    assert not (there / FILE_NAME).exists()


def test_an_export_with_an_altered_signature_fails_by_itself(signed: Record, ada: str) -> None:
    document = exported(signed)
    wraps = document["wraps"]
    assert isinstance(wraps, list)
    wraps[0]["signature"] = wraps[0]["signature"].upper()
    found = verify_export(document, lambda: {ada: "ada"})
    assert (found.ok, found.signature) == (False, "invalid")
    assert {fault.field for fault in found.problems} == {"wrap.signature"}


def test_one_receipt_alone_tells_its_own_signature(signed: Record, ada: str, alter: Change) -> None:
    alter("UPDATE steps SET signature = 'ab' WHERE seq = 2")
    with signed.reading() as connection:
        first, second = connection.rows("links.steps_of", job="retry", after=0, many=2)
    assert verify_job(signed, "retry", str(first["receipt"])).signers == (Signed(ada, "ada", "valid", 1),)
    assert fields(verify_job(signed, "retry", str(second["receipt"]))) == {(2, "signature")}


def test_a_step_in_flight_that_is_signed_is_no_step_in_flight(signed: Record, alter: Change) -> None:
    alter("UPDATE steps SET signature = 'ab' WHERE seq = 4")
    assert fields(verify_job(signed, "retry")) == {(4, "sealed")}


# ── files of keys ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_key_is_private_and_made_once(data: Path) -> None:
    before = os.umask(0)
    try:
        made = make_key(data, "ada")
    finally:
        os.umask(before)
    assert [(data / name).stat().st_mode & 0o777 for name in (OWN, KNOWN)] == [0o600, 0o600]
    assert data.stat().st_mode & 0o777 == 0o700
    whole = (data / OWN).read_bytes()
    with pytest.raises(NotDone, match="a key already"):
        make_key(data, "bob")
    assert (data / OWN).read_bytes() == whole
    seed = read_own(data)
    assert seed is not None
    assert (Signer(seed).public, made.name, made.own) == (made.key, "ada", True)
    assert get_own_key(data) == made
    assert list_keys(data) == [made]


def test_what_an_old_key_signed_stays_valid(ada: str, data: Path, opened: Callable[[], Record]) -> None:
    add_step(opened(), OPENING, ENDING, None, hold(b"1"))
    (data / OWN).rename(data / "old.key")
    new = make_key(data, "ada's second").key
    record = opened()
    add_step(record, OPENING, ENDING, None, hold(b"2"))
    verified = verify_job(record, "retry")
    assert verified.signature == "valid"
    assert {each.key for each in verified.signers} == {ada, new}


def test_the_own_key_is_not_forgotten_while_it_signs(ada: str, data: Path) -> None:
    with pytest.raises(NotDone, match="signs with that key"):
        untrust_key(data, ada)
    (data / OWN).unlink()
    assert untrust_key(data, ada[:8]).key == ada
    assert read_known(data) == {}


@pytest.mark.parametrize("fault", ["readable", "empty", "words", "directory"])
def test_a_key_that_cannot_be_used_costs_no_step(data: Path, opened: Callable[[], Record], fault: str) -> None:
    make_key(data, "ada")
    if fault == "readable":
        (data / OWN).chmod(0o644)
    elif fault == "directory":
        (data / OWN).unlink()
        (data / OWN).mkdir(mode=0o700)
    else:
        (data / OWN).write_text("" if fault == "empty" else "ed25519 nonsense\n")
    record = opened()
    sealed = add_step(record, OPENING, ENDING, None, hold(b"1"))
    assert (sealed.row["signer"], sealed.row["signature"]) == (None, None)
    assert record.unsigned_because is not None
    assert record.unsigned_because.startswith("saved without a signature: ")
    assert str(data / OWN) in record.unsigned_because
    verified = verify_job(record, "retry")
    assert (verified.ok, verified.signature) == (True, "unsigned")
    with pytest.raises(KeyUnusable):
        get_own_key(data)
    with pytest.raises(KeyUnusable):
        make_key(data, "again")
    trust_key(data, OTHER.public, "bob")
    assert [(each.name, each.own) for each in list_keys(data)] == [("ada", False), ("bob", False)]


def test_known_keys_that_cannot_be_read_are_a_sentence(signed: Record, data: Path) -> None:
    (data / KNOWN).write_text(f"{OTHER.public} bob\nnonsense\n")
    with pytest.raises(KeyUnusable, match=r"line 2 of .* is no key"):
        verify_job(signed, "retry")
    with pytest.raises(KeyUnusable):
        trust_key(data, OTHER.public, "bob")
    assert "nonsense" in (data / KNOWN).read_text()


@pytest.mark.parametrize(
    "key", ["", "ab", OTHER.public.upper(), OTHER.public + "0", OTHER.public[:-1] + "g", f" {OTHER.public}"]
)
def test_what_is_no_key_is_not_trusted(data: Path, key: str) -> None:
    with pytest.raises(UsageError, match="64 hex digits"):
        trust_key(data, key, "bob")
    assert not (data / KNOWN).exists()


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 101, "a\x1b[31m"])
def test_a_name_is_one_line(data: Path, name: str) -> None:
    with pytest.raises(UsageError, match="a key's name"):
        trust_key(data, OTHER.public, name)


def test_a_name_or_beginning_that_means_two_keys_forgets_neither(data: Path) -> None:
    for digit in "ab":
        trust_key(data, "0123456789" + digit * 54, "bob")
    for word in ("bob", "0123456789", "0123", "carol"):
        with pytest.raises(UsageError, match="known keys are called"):
            untrust_key(data, word)
    assert len(read_known(data)) == 2
    assert untrust_key(data, "0123456789a").key.endswith("a")
    trust_key(data, "0123456789" + "b" * 54, "carol")
    assert list(read_known(data).values()) == ["carol"]


def test_many_that_trust_at_once_lose_none(data: Path) -> None:
    keys = [f"{n:064x}" for n in range(40)]
    start = Barrier(8)

    def trust(part: int) -> None:
        start.wait(60)
        for key in keys[part::8]:
            trust_key(data, key, f"key {int(key, 16)}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(trust, range(8)))
    assert read_known(data) == {key: f"key {n}" for n, key in enumerate(keys)}
    assert sorted(path.name for path in data.iterdir()) == [KNOWN, f"{KNOWN}.lock"]


def test_two_that_make_a_key_at_once_make_one(data: Path) -> None:
    start = Barrier(4)

    def make(name: str) -> str | None:
        start.wait(60)
        try:
            return make_key(data, name).key
        except NotDone:
            return None

    with ThreadPoolExecutor(4) as pool:
        made = [key for key in pool.map(make, "abcd") if key]
    assert len(made) == 1
    assert list(read_known(data)) == made


def test_fresh_keys_differ() -> None:
    assert len({new_seed() for _ in range(8)}) == 8
