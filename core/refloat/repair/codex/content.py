"""What the service refuses in an item of Codex, and the note that stands in its place.

Codex sends every item again with each request, so one refused item breaks a thread for good. Limits as the service's
errors state them (`string_above_max_length`): 1,048,576 characters for the arguments or input of a call, 10,485,760 for
an output or a text, 64 for an item's id; 50 MB for the images of a request, and none may be empty. Of a record that is
too long to be held, an image or the arguments of a call are not there as a whole, and give way as well.
"""

from collections.abc import Iterator
from typing import Final

import orjson

from refloat.model.left_out import is_left_out, whole_size
from refloat.model.light import light
from refloat.model.repaired import NOTE
from refloat.readers.codex.shape import Json, as_dict, as_list, as_text, is_dict, is_list

ARGUMENTS: Final = 1024 * 1024
TEXT: Final = 10 * 1024 * 1024
IMAGE: Final = 50 * 1000 * 1000
NAME: Final = 64
_KEPT: Final = 4000
"""Characters of a text that stand before its note."""


@light
class Rejected:
    """Something that the service refuses."""

    code: str
    what: str


def mend(item: Json, where: str) -> list[Rejected]:
    """Replace what is refused in an item, in place; `where` says where the original lies."""
    found: list[Rejected] = []
    kind = as_text(item.get("type"))
    if len(as_text(item.get("id"))) > NAME and "call_id" in item:
        found.append(Rejected("id_too_long", f"an item's id of {len(as_text(item['id'])):,} characters"))
        del item["id"]
    for key in ("arguments", "input"):
        said = as_text(item.get(key)) if kind.endswith("_call") else ""
        if (size := _length(said)) > ARGUMENTS or is_left_out(said):
            found.append(Rejected("call_too_large", f"{key} of {size:,} characters (the limit is {ARGUMENTS:,})"))
            note = f"{NOTE} {found[-1].what} stood here; they lie in {where}"
            item[key] = orjson.dumps({"note": note}).decode() if key == "arguments" else note
    for key in ("output", "content"):
        value = item.get(key)
        if isinstance(value, str) and _length(value) > TEXT:
            item[key] = _cut(value, where, found)
        elif is_list(value):
            before = len(found)
            kept = list(_parts(value, where, found))
            if len(found) > before:
                item[key] = kept
    return found


def _parts(parts: object, where: str, found: list[Rejected]) -> Iterator[object]:
    for part in as_list(parts):
        row = as_dict(part)
        said = as_text(row.get("text"))
        if _length(said) > TEXT:
            yield {**row, "text": _cut(said, where, found)}
        elif row.get("type") == "input_image" and (refused := _image(row.get("image_url"))) is not None:
            found.append(refused)
            yield {"type": "input_text", "text": f"{NOTE} {refused.what} stood here; it lies in {where}"}
        else:
            yield part


def _image(url: object) -> Rejected | None:
    told = as_text(url)
    if not told.startswith("data:"):
        return None
    if not told.partition(",")[2]:
        return Rejected("empty_image", "an image without bytes")
    if (size := _length(told)) > IMAGE or is_left_out(told):
        return Rejected("image_too_large", f"an image of {size:,} bytes in base64 (the limit is {IMAGE:,})")
    return None


def _length(text: str) -> int:
    """Characters of a text; of one that something was left out of, bytes of the whole."""
    return whole_size(text) if is_left_out(text) else len(text)


def _cut(said: str, where: str, found: list[Rejected]) -> str:
    found.append(Rejected("text_too_large", f"a text of {_length(said):,} characters (the limit is {TEXT:,})"))
    return f"{said[:_KEPT]}\n{NOTE} {found[-1].what} was cut here; the whole lies in {where}"


def item_of(row: Json) -> Json:
    """The item that a row holds: its payload, or the row itself in files before 0.32; {} where it is none."""
    if row.get("type") == "response_item" and is_dict(row.get("payload")):
        return as_dict(row["payload"])
    return row if "payload" not in row and isinstance(row.get("type"), str) and "record_type" not in row else {}
