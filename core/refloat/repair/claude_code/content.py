"""What the service refuses in a message of Claude Code's, and the note that stands in its place.

The program sends the whole conversation with each request, so one refused block breaks a session for good. Limits as
the service's errors state them: an image of more than 5 MiB in base64, of more than 8,000 pixels a side or of no bytes,
a document of more than 32 MB, an empty text block, a message without any block. Of a record that is too long to be
held, an image or a document is not there as a whole, and gives way as well.
"""

from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Final

from refloat.model.left_out import is_left_out, whole_size
from refloat.model.light import light
from refloat.model.repaired import NOTE
from refloat.readers.claude_code.values import Row, listed, mapping, text

IMAGE_BYTES: Final = 5 * 1024 * 1024
DOCUMENT_BYTES: Final = 32 * 1000 * 1000
PIXELS: Final = 8000
_PNG: Final = b"\x89PNG\r\n\x1a\n"


@light
class Rejected:
    """A block that the service refuses."""

    code: str
    what: str


def mend(row: Row, where: str) -> list[Rejected]:
    """Replace what is refused in a row's message, in place; `where` says where the original lies."""
    found: list[Rejected] = []
    message = mapping(row.get("message"))
    if row.get("type") not in {"user", "assistant"} or not message:
        return found
    content = message.get("content")
    if isinstance(content, str):
        if not content:
            found.append(Rejected("empty_message", "a message without words"))
            message["content"] = f"{NOTE} this message had no words in {where}"
    else:
        blocks = list(_mended(content, where, found))
        if not blocks:
            if not found:
                found.append(Rejected("empty_message", "a message without content"))
            blocks = [_note(f"this message had no words in {where}")]
        if found:
            message["content"] = blocks
    return found


def _mended(content: object, where: str, found: list[Rejected]) -> Iterator[object]:
    for block in listed(content):
        row = mapping(block)
        match row.get("type"):
            case "text" if isinstance(row.get("text"), str) and not row.get("text"):
                found.append(Rejected("empty_message", "an empty block of text"))
            case None | "tool_use" | "tool_result" if not _is_whole(row):
                found.append(Rejected("broken_block", "a block without its type or its id"))
                yield _note(f"a damaged block stood here; it lies in {where}")
            case "image" | "document" if (refused := _refused(row)) is not None:
                found.append(refused)
                yield _note(f"{refused.what} stood here; it lies in {where}")
            case "tool_result" if isinstance(row.get("content"), list):
                inner: list[Rejected] = []
                kept = list(_mended(row.get("content"), where, inner))
                if inner:
                    found.extend(inner)
                    row["content"] = kept or f"{NOTE} this result had no words in {where}"
                yield block
            case _:
                yield block


def _is_whole(block: Row) -> bool:
    """Whether a block has its type; a call its id, name and input; a result the id of its call."""
    match block.get("type"):
        case "tool_use":
            return bool(text(block.get("id")) and text(block.get("name"))) and isinstance(block.get("input"), dict)
        case "tool_result":
            return bool(text(block.get("tool_use_id")))
        case kind:
            return isinstance(kind, str)


def _note(words: str) -> Row:
    return {"type": "text", "text": f"{NOTE} {words}"}


def _refused(block: Row) -> Rejected | None:
    source = mapping(block.get("source"))
    data = source.get("data")
    if source.get("type") != "base64" or not isinstance(data, str):
        return None
    kind = text(block.get("type"))
    judge: Callable[[str], Rejected | None] = _image if kind == "image" else _document
    return Rejected("empty_image", f"an {kind} without bytes") if not data and kind == "image" else judge(data)


def _image(data: str) -> Rejected | None:
    size = whole_size(data)
    if size > IMAGE_BYTES or is_left_out(data):
        return Rejected("image_too_large", f"an image of {size:,} bytes in base64 (the limit is {IMAGE_BYTES:,})")
    head = _head(data)
    if head.startswith(_PNG) and len(head) >= 24:
        wide, high = int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
        if max(wide, high) > PIXELS:
            return Rejected("image_too_large", f"an image of {wide} by {high} pixels (the limit is {PIXELS} a side)")
    return None


def _document(data: str) -> Rejected | None:
    size = whole_size(data)
    if size > DOCUMENT_BYTES or is_left_out(data):
        return Rejected("image_too_large", f"a document of {size:,} bytes (the limit is {DOCUMENT_BYTES:,})")
    return None


def _head(data: str) -> bytes:
    try:
        return b64decode(data[:32])
    except ValueError:
        return b""
