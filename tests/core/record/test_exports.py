"""What leaves the record: exports that are judged alone, receipts of AER-1, backups."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from refloat.errors import NotDone
from refloat.model.own_files import is_own_text
from refloat.record.aer1 import hold, merkle_root
from refloat.record.backup import back_up
from refloat.record.chain import begin_step
from refloat.record.checking import verify_job
from refloat.record.exported import NoExport
from refloat.record.store import FILE_NAME, Record, open_record
from refloat.testing.jobs import NOW, OPENING, big_output, fill
from refloat.usecases.export_job import FORMATS, Format, export_job
from refloat.usecases.verify_saved import verify_file

LATER = "2026-12-01T00:00:00.000Z"


def nothing(text: str) -> None:
    del text


@pytest.fixture
def exported(record: Record, tmp_path: Path) -> Callable[[Format], Path]:
    fill(record, tmp_path)

    def write(form: Format) -> Path:
        path = tmp_path / f"out.{'jsonl' if form == 'aer1' else form}"
        path.write_text("".join(export_job(record, "retry", form, nothing)), encoding="utf-8")
        return path

    return write


def verdicts(path: Path) -> set[tuple[int | None, str, str]]:
    return {(fault.seq, fault.field, fault.verdict) for fault in verify_file(path, NOW_LATER).problems}


NOW_LATER: Any = LATER


def test_an_export_holds_every_field_and_every_byte(exported: Callable[[Format], Path]) -> None:
    path = exported("json")
    found = verify_file(path, NOW_LATER)
    assert (found.ok, found.checked, found.in_flight, found.job) == (True, 6, (4,), "retry")
    document = json.loads(path.read_text())
    kept = {name: b64decode(entry["base64"]) for name, entry in document["contents"].items()}
    assert kept[document["steps"][2]["output_sha256"]] == big_output()


def test_every_altered_value_of_an_export_is_found(exported: Callable[[Format], Path]) -> None:
    path = exported("json")
    document = json.loads(path.read_text())
    missed: list[str] = []
    for kind in ("steps", "wraps", "pickups", "decisions"):
        for name, value in document[kind][0].items():
            altered = json.loads(path.read_text())
            altered[kind][0][name] = value + 1 if isinstance(value, int) else f"{value}x"
            path.with_name("altered.json").write_text(json.dumps(altered))
            if verify_file(path.with_name("altered.json"), NOW_LATER).ok:
                missed.append(f"{kind}.{name}")
    assert missed == []


TAKEN: list[tuple[Callable[[Any], object], tuple[int | None, str, str]]] = [
    (lambda found: found["contents"].clear(), (1, "output", "missing")),
    (lambda found: found["steps"].pop(1), (2, "step", "missing")),
    (lambda found: found["row"].update(created_at="x"), (None, "created_at", "altered")),
    (lambda found: found["decisions"].clear(), (None, "last_sealed", "missing")),
]


@pytest.mark.parametrize(("change", "fault"), TAKEN)
def test_what_is_taken_out_of_an_export_is_missed(
    exported: Callable[[Format], Path], change: Callable[[Any], object], fault: tuple[int | None, str, str]
) -> None:
    path = exported("json")
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    assert fault in verdicts(path)


@pytest.mark.parametrize(("outside", "inside"), [(True, False), (False, True), (True, True)])
def test_an_export_relabelled_as_another_job_is_altered(
    exported: Callable[[Format], Path], *, outside: bool, inside: bool
) -> None:
    path = exported("json")
    document = json.loads(path.read_text())
    if outside:
        document["job"] = "payroll"
    if inside:
        document["row"]["name"] = "payroll"
    path.write_text(json.dumps(document))
    assert (None, "job", "altered") in verdicts(path)


def test_a_member_that_was_put_into_an_export_is_named(exported: Callable[[Format], Path]) -> None:
    path = exported("json")
    document = json.loads(path.read_text())
    document["steps"][1]["approved"] = None
    path.write_text(json.dumps(document))
    assert verdicts(path) == {(2, "approved", "altered")}


def test_receipts_in_another_order_or_with_a_gap_are_told(exported: Callable[[Format], Path]) -> None:
    path = exported("aer1")
    first, second, third = path.read_text().splitlines(keepends=True)
    whole = verify_file(path, NOW_LATER).remarks
    path.write_text(second + first + third)
    found = verify_file(path, NOW_LATER)
    assert found.ok
    assert "why the steps of retry stand in another order than they were sealed in" in found.remarks
    assert [each for each in whole if "order" in each or "left away" in each] == []
    path.write_text(first + third)
    (gap,) = [each for each in verify_file(path, NOW_LATER).remarks if "left away" in each]
    assert gap.startswith("what stood at 2 of the chain of retry: ")


def test_a_job_without_a_sealed_step_has_no_receipts_to_write(record: Record) -> None:
    begin_step(record, OPENING, None)
    with pytest.raises(NotDone, match=r"no step of retry is sealed yet: there is no receipt to write"):
        list(export_job(record, "retry", "aer1", nothing))


def test_receipts_of_two_chains_are_not_one(record: Record, exported: Callable[[Format], Path], tmp_path: Path) -> None:
    path = exported("aer1")
    first, *_ = path.read_text().splitlines(keepends=True)
    (tmp_path / "other").mkdir()
    with open_record(tmp_path / "other", NOW) as other:
        fill(other, tmp_path / "other")
        _, *rest = export_job(other, "retry", "aer1", nothing)
    path.write_text(first + "".join(rest))
    assert (2, "refloat.previous", "altered") in verdicts(path)
    path.write_text(first + "".join(export_job(record, "retry", "aer1", nothing)))
    assert verdicts(path) == set(), "the same one twice"


def test_a_flipped_bit_of_exported_bytes_is_found(exported: Callable[[Format], Path]) -> None:
    path = exported("json")
    text = path.read_text()
    at = text.index('"base64":"') + 12
    path.write_text(text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :])
    assert {field for _, field, _ in verdicts(path)} <= {"input", "output"}
    assert verdicts(path)


def test_an_export_does_not_launder_what_was_altered(record: Record, tmp_path: Path) -> None:
    fill(record, tmp_path)
    with record.writing() as connection:
        connection.run("contents.put_piece", sha256=sha256(b"42 passed\n").hexdigest(), n=0, data=b"43 passed\n")
    out = tmp_path / "out.json"
    for form in ("json", "aer1"):
        out.write_text("".join(export_job(record, "retry", form, nothing)))
        assert not verify_file(out, NOW_LATER).ok
        assert (1, "output" if form == "json" else "refloat.found", "altered") in verdicts(out)
    assert "ALTERED" in "".join(export_job(record, "retry", "markdown", nothing))


def test_an_export_says_whose_it_is(record: Record, tmp_path: Path) -> None:
    fill(record, tmp_path)
    for form in FORMATS:
        assert is_own_text("".join(export_job(record, "retry", form, nothing)))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema":"refloat/1"}', '{"a":1,"a":2}', '{"a":NaN}', "[" * 100_000]
)
def test_a_file_that_is_none_of_ours_is_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(NoExport):
        verify_file(tmp_path / "x.json", NOW_LATER)


def test_parts_of_an_export_that_are_missing_are_a_sentence(exported: Callable[[Format], Path]) -> None:
    path = exported("json")
    for name in ("steps", "wraps", "job"):
        document = json.loads(path.read_text())
        del document[name]
        path.with_name("x.json").write_text(json.dumps(document))
        with pytest.raises(NoExport):
            verify_file(path.with_name("x.json"), NOW_LATER)


def test_odd_values_in_an_export_are_told_and_end_nothing(exported: Callable[[Format], Path]) -> None:
    path = exported("json")
    kinds = {"steps": "output_sha256", "wraps": "id", "pickups": "wrap"}
    for kind, name in kinds.items():
        for value in ([], {}, "\ud800", 1.5):
            document = json.loads(path.read_text())
            document[kind][0][name] = value
            path.with_name("x.json").write_text(json.dumps(document))
            assert not verify_file(path.with_name("x.json"), NOW_LATER).ok
    document = json.loads(path.read_text())
    del document["steps"][0]["output_sha256"]
    path.with_name("x.json").write_text(json.dumps(document))
    with pytest.raises(NoExport):
        verify_file(path.with_name("x.json"), NOW_LATER)


# ── AER-1 ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def receipt(payload: object | None = None, **changes: object) -> dict[str, Any]:
    """A receipt of somebody else's."""
    version = changes.get("receipt_schema_version", "0.4")
    body = payload or {
        "inputs": {"cmd": "make"},
        "issuer_claims": {"provenance_class": "EXECUTED BY EXAMPLE"},
        "output": "grün",
        "receipt_schema_version": version,
        "tool": "build",
    }
    held = hold(body)
    made: dict[str, Any] = {
        "id": "7d0f3a3e-6f1c-4c8e-9b55-0a4b1e7c2d10",
        "receipt_schema_version": "0.4",
        "created_at": "2026-11-03T10:22:41Z",
        "tool": {"name": "build", "version": "1", "scope": "workspace"},
        "provenance_class": "EXECUTED BY EXAMPLE",
        "canonical_bytes": b64encode(held.payload).decode(),
        "canonical_byte_length": len(held.payload),
        "output_hash": held.digest,
        "verification_status": "verified",
        "something_else": {"kept": "and ignored"},
    }
    return made | changes


def judged(tmp_path: Path, *receipts: object) -> set[tuple[int | None, str, str]]:
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in receipts))
    return verdicts(path)


def test_exported_receipts_verify_and_carry_refloat_s_own(exported: Callable[[Format], Path]) -> None:
    path = exported("aer1")
    found = verify_file(path, NOW_LATER)
    assert (found.ok, found.checked) == (True, 3)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    payload = json.loads(b64decode(rows[0]["canonical_bytes"]))
    assert (payload["output"], payload["refloat"]["exit_code"], payload["refloat"]["found"]) == (
        "42 passed\n",
        0,
        "unchanged",
    )
    assert rows[0]["provenance_class"] == payload["issuer_claims"]["provenance_class"]
    assert len({row["id"] for row in rows}) == 3


@pytest.mark.parametrize(
    "made",
    [
        receipt(),
        {"receipt": receipt()},
        receipt(id="11111111-2222-4333-8444-555555555555"),
        receipt(receipt_schema_version="0.3", tool="build"),
        {
            "_receipt": {
                **receipt(receipt_schema_version="0.3", tool="build", created_at=None),
                "timestamp": "2026-11-03T10:22:41Z",
            }
        },
    ],
)
def test_receipts_of_others_that_hold(tmp_path: Path, made: object) -> None:
    assert judged(tmp_path, made) == set()


@pytest.mark.parametrize(
    ("made", "field", "verdict"),
    [
        (receipt(canonical_bytes=b64encode(b'{"a":1}').decode()), "canonical_byte_length", "altered"),
        (receipt(canonical_bytes=b64encode(b'{"a":1}').decode(), canonical_byte_length=7), "output_hash", "altered"),
        (receipt(output_hash=receipt()["output_hash"].upper()), "output_hash", "altered"),
        (receipt(canonical_bytes=receipt()["canonical_bytes"].rstrip("=") + "\n"), "canonical_bytes", "altered"),
        (receipt(canonical_byte_length=3), "canonical_byte_length", "altered"),
        (receipt(id="00000000-0000-0000-0000-000000000000"), "id", "altered"),
        (receipt(created_at="2026-02-30T10:00:00Z"), "created_at", "altered"),
        (receipt(created_at="2027-02-03T10:00:00Z"), "created_at", "altered"),
        (receipt(provenance_class="EXECUTED BY ANOTHER"), "provenance_class", "altered"),
        (receipt(tool="build"), "tool", "altered"),
        (receipt(receipt_schema_version="9"), "receipt_schema_version", "not_checked"),
        (receipt(receipt_schema_version=[]), "receipt_schema_version", "not_checked"),
    ],
)
def test_receipts_of_others_that_do_not(tmp_path: Path, made: object, field: str, verdict: str) -> None:
    assert judged(tmp_path, receipt(), made) == {(2, field, verdict)}


@pytest.mark.parametrize(
    "raw", [b'{"b":1,"a":2}', b'{"a": 1}', b'{"a":1,"a":1}', b'{"a":NaN}', b'{"a":"\\u00fc"}', b"[\xff]"]
)
def test_a_payload_whose_hash_fits_and_whose_form_does_not(tmp_path: Path, raw: bytes) -> None:
    made = receipt(
        canonical_bytes=b64encode(raw).decode(),
        canonical_byte_length=len(raw),
        output_hash=f"sha256:{sha256(raw).hexdigest()}",
    )
    assert judged(tmp_path, made) == {(1, "canonical_bytes", "altered")}


def test_a_last_line_that_was_cut_off_is_told(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(receipt()) + "\n" + json.dumps(receipt())[:80])
    assert verdicts(path) == {(2, "receipt", "altered")}


def workflow(steps: int, **changes: object) -> dict[str, Any]:
    names = [f"7d0f3a3e-6f1c-4c8e-9b55-{n:012x}" for n in range(steps)]
    rows = [
        {"seq": n + 1, "receipt_id": name, "status": "ok", "output_hash": f"{n:064x}"} for n, name in enumerate(names)
    ]
    root = merkle_root([name.encode() for name in names])
    if changes.get("merkle_version") == "seq-output-v1":
        root = merkle_root([f"{n + 1}:{n:064x}".encode() for n in range(steps)])
    return {"type": "verifiable-workflow-receipt", "version": "1", "steps": rows, "merkle_root": root} | changes


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("version", ["receipt-id-v0", "seq-output-v1"])
def test_merkle_roots(tmp_path: Path, steps: int, version: str) -> None:
    made = workflow(steps, merkle_version=version)
    assert judged(tmp_path, made) == set()
    assert judged(tmp_path, {**made, "merkle_root": "0" * 64}) == {(1, "merkle_root", "altered")}


def test_merkle_roots_by_hand() -> None:
    a, b, c = (sha256(leaf).digest() for leaf in (b"a", b"b", b"c"))
    left, right = sha256(a + b).digest(), sha256(c + c).digest()
    assert merkle_root([b"a", b"b", b"c"]) == sha256(left + right).hexdigest()
    assert merkle_root([]) == sha256(b"").hexdigest()


def test_a_workflow_with_a_gap_or_an_unknown_version(tmp_path: Path) -> None:
    made = workflow(3)
    made["steps"][2]["seq"] = 4
    assert judged(tmp_path, made) == {(1, "steps.seq", "altered")}
    assert judged(tmp_path, workflow(1, merkle_version="v9")) == {(1, "merkle_version", "not_checked")}


# ── backups ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_backup_of_either_engine_is_a_whole_record(record: Record, tmp_path: Path) -> None:
    fill(record, record.directory or tmp_path)
    place = tmp_path / "backup"
    place.mkdir()
    assert back_up(record, place / FILE_NAME, NOW) == []
    assert [path.name for path in place.iterdir()] == [FILE_NAME]
    with open_record(place, NOW) as copy:
        assert verify_job(copy, "retry") == verify_job(record, "retry")
        assert verify_job(copy, "retry").ok


def test_a_backup_tells_what_it_could_not_take_along(tmp_path: Path) -> None:
    with open_record(tmp_path / "data", NOW) as record:
        fill(record, tmp_path / "data")
        (big,) = (tmp_path / "data").rglob("*.zst")
        big.unlink()
        assert back_up(record, tmp_path / "b.db", NOW) == [sha256(big_output()).hexdigest()]


def test_a_backup_replaces_nothing(record: Record, tmp_path: Path) -> None:
    (tmp_path / "b.db").write_text("mine")
    with pytest.raises(NotDone, match="there already"):
        back_up(record, tmp_path / "b.db", NOW)
    with pytest.raises(NotDone, match="could not be written"):
        back_up(record, tmp_path / "none" / "b.db", NOW)
    assert (tmp_path / "b.db").read_text() == "mine"


@pytest.mark.parametrize("name", ["summary", "exit_code", "outcome", "producer", "ended_at"])
def test_a_receipt_of_aer1_that_was_forged_with_its_hash_is_found(
    exported: Callable[[Format], Path], name: str
) -> None:
    path = exported("aer1")
    first, *rest = path.read_text().splitlines()
    for created in (True, False):  # older exports do not tell when the job was made
        document = json.loads(first)
        payload = json.loads(b64decode(document["canonical_bytes"]))
        if not created:
            del payload["refloat"]["job_created_at"]
        _rehash(document, payload)
        path.write_text("\n".join([json.dumps(document), *rest]))
        assert verify_file(path, NOW_LATER).ok
        payload["refloat"][name] = 7 if name == "exit_code" else "forged"
        if name == "summary":
            payload["inputs"]["summary"] = "forged"
        _rehash(document, payload)
        path.write_text("\n".join([json.dumps(document), *rest]))
        assert (1, f"refloat.{name}", "altered") in verdicts(path)


def test_an_output_of_aer1_that_was_replaced_is_found(exported: Callable[[Format], Path]) -> None:
    path = exported("aer1")
    document = json.loads(path.read_text().splitlines()[0])
    payload = json.loads(b64decode(document["canonical_bytes"]))
    payload["output"] = "43 passed\n"
    _rehash(document, payload)
    path.write_text(json.dumps(document))
    assert verdicts(path) == {(1, "output", "altered")}


def _rehash(document: Any, payload: object) -> None:
    held = hold(payload)
    document["canonical_bytes"] = b64encode(held.payload).decode()
    document["canonical_byte_length"] = len(held.payload)
    document["output_hash"] = held.digest


def test_an_export_cut_at_its_end_says_what_it_cannot_know(exported: Callable[[Format], Path]) -> None:
    path = exported("json")
    document = json.loads(path.read_text())
    document["decisions"] = []
    document["row"].update(last_sealed=5, head=document["pickups"][0]["receipt"])
    path.write_text(json.dumps(document))
    found = verify_file(path, NOW_LATER)
    assert (found.ok, found.by_itself) == (True, True)
    assert any("end of a chain cannot be known" in remark for remark in found.remarks)


def test_an_export_cut_at_its_end_is_found_where_what_is_left_speaks_of_it(
    exported: Callable[[Format], Path],
) -> None:
    path = exported("json")
    document = json.loads(path.read_text())
    gone = json.loads(path.read_text())
    gone["pickups"], gone["decisions"] = [], []
    gone["steps"] = [step for step in gone["steps"] if step["seq"] < 3]
    gone["row"].update(last_seq=2, last_sealed=4, head=gone["wraps"][0]["receipt"])
    path.write_text(json.dumps(gone))
    assert (3, "step", "missing") in verdicts(path)
    document["wraps"] = []
    path.write_text(json.dumps(document))
    assert {(None, "wrap", "missing")} < verdicts(path)


def test_bytes_where_a_hash_belongs_are_exported_as_altered(record: Record, tmp_path: Path) -> None:
    fill(record, tmp_path)
    if record.engine.name != "sqlite":
        pytest.skip("the other engine's columns hold no bytes")
    with record.engine.writing() as connection:
        raw: Any = connection
        raw.raw.execute("UPDATE steps SET input_sha256 = x'ff00' WHERE seq = 1")
    (first, *_) = export_job(record, "retry", "aer1", nothing)
    assert json.loads(first)["verification_status"] == "altered"
