"""Gets the JSON of a character card or lorebook out of its file: JSON, PNG or CHARX (a zip).

A file may be hostile: every length is checked before it is used, and what is packed is unpacked up to a limit.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from agents.importers.cards.card_errors import broken_card_error
from stores.errors import InputError

MAX_CARD_JSON: Final = 16 * 1024 * 1024
"""Bytes of a card's JSON, unpacked. The largest lorebooks have about 2 MB."""

MAX_CHUNKS: Final = 20_000
"""Chunks of a PNG that are looked at; a picture of many megabytes has a few thousand."""

PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
ZIP_SIGNATURE: Final = b"PK\x03\x04"
CHARX_MEMBER: Final = "card.json"
_CARD_KEYWORDS: Final = ("ccv3", "chara")
"""Names of the texts that hold a card, the better one first."""

_TEXT_CHUNKS: Final = (b"tEXt", b"zTXt", b"iTXt")
_ENCODINGS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_ZIP_ERRORS: Final = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError)
_ZIP_HEADER_ERRORS: Final = (RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class CardDocument:
    """The JSON of a card as Python values, and what was wrong with its file."""

    data: Any
    notes: tuple[str, ...] = ()


def read_card_document(data: bytes) -> CardDocument | None:
    """Return the JSON in the file, or None if it is neither JSON, PNG nor a zip with a card.

    Raises InputError for a picture without a card, and for a card that is broken or too large.
    """
    if data.startswith(PNG_SIGNATURE):
        return _read_png(data)
    if data.startswith(ZIP_SIGNATURE):
        return _read_charx(data)
    return _read_json(data)


def _read_json(data: bytes) -> CardDocument | None:
    """Return the JSON of a file that holds one JSON object; None for anything else, such as JSON lines."""
    start = data[:64].lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n")
    if not start.startswith(b"{"):
        return None
    names_card = b'"chara_card_v' in data[:MAX_CARD_JSON]
    if len(data) > MAX_CARD_JSON:
        if names_card:
            raise _too_large_error()
        return None  # a log may be larger
    try:
        return CardDocument(_parse_json(data))
    except InputError:
        if names_card:
            raise
        return None


def _parse_json(data: bytes) -> Any:
    encoding, mark = next(((e, m) for m, e in _ENCODINGS if data.startswith(m)), ("utf-8", b""))
    try:
        return json.loads(data[len(mark) :].decode(encoding))
    except RecursionError:
        raise broken_card_error("its JSON is nested too deeply") from None
    except UnicodeDecodeError:
        raise broken_card_error("its JSON is not text in UTF-8") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno:,}, column {error.colno:,}"
        raise broken_card_error(f"its JSON is not whole ({place}: {error.msg})") from None
    except ValueError:  # a number of thousands of digits
        raise broken_card_error("its JSON has a number that is too large") from None


# --- PNG ------------------------------------------------------------------------------------------------


def _read_png(data: bytes) -> CardDocument:
    texts: dict[str, bytes] = {}
    notes: list[str] = []
    try:
        for kind, body in _chunks(data):
            if kind in _TEXT_CHUNKS and (text := _card_text(kind, body)):
                texts.setdefault(*text)
    except _CutOff:
        if not texts:
            raise broken_card_error("the picture is cut off before its card", "Download it again") from None
        notes.append("the picture is cut off after its card, which is whole")
    found_keywords = [keyword for keyword in _CARD_KEYWORDS if keyword in texts]
    if not found_keywords:
        raise broken_card_error(
            "it is a picture without a character card in it",
            "Download the original file of the card: pictures that were saved from a page or sent in a chat lose it",
        )
    for keyword in found_keywords[:-1]:
        try:
            return CardDocument(_parse_json(_decode_base64(texts[keyword])), tuple(notes))
        except InputError as error:
            reason = error.what.removeprefix("This file cannot be imported: ").rstrip(".")
            notes.append(f"the picture's V3 card could not be read ({reason}); its V2 card was read instead")
    return CardDocument(_parse_json(_decode_base64(texts[found_keywords[-1]])), tuple(notes))


class _CutOff(Exception):
    """The picture ends within a chunk, or never."""


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the kind and body of each chunk up to the end of the picture. Raises _CutOff."""
    offset = len(PNG_SIGNATURE)
    for _ in range(MAX_CHUNKS):
        header = data[offset : offset + 8]
        if len(header) < 8:
            raise _CutOff
        length, kind = struct.unpack(">I4s", header)
        end = offset + 8 + length
        if end > len(data):
            raise _CutOff
        # A picture's own chunks are not copied.
        yield kind, data[offset + 8 : end] if kind in _TEXT_CHUNKS else b""
        if kind == b"IEND":
            return
        offset = end + 4  # the checksum
    raise broken_card_error(f"the picture has more than {MAX_CHUNKS:,} parts")


def _card_text(kind: bytes, body: bytes) -> tuple[str, bytes] | None:
    """Return the keyword and text of a chunk that holds a card, unpacked."""
    name, _, rest = body.partition(b"\0")
    keyword = name.decode("latin-1").strip().casefold()
    if keyword not in _CARD_KEYWORDS:
        return None
    if kind == b"tEXt":
        text = rest
    elif kind == b"zTXt":
        text = _unpack(rest[1:])
    else:
        is_packed = rest[:1] == b"\1"
        text = rest[2:].split(b"\0", 2)[-1]
        text = _unpack(text) if is_packed else text
    if len(text) > MAX_CARD_JSON * 4 // 3 + 4:
        raise _too_large_error()
    return keyword, text


def _unpack(packed: bytes) -> bytes:
    unpacker, limit = zlib.decompressobj(), MAX_CARD_JSON * 4 // 3 + 4
    try:
        text = unpacker.decompress(packed, limit)
    except zlib.error:
        raise broken_card_error("the card in the picture is damaged") from None
    if unpacker.unconsumed_tail:
        raise _too_large_error()
    return text


def _decode_base64(text: bytes) -> bytes:
    stripped = b"".join(text.split())
    if stripped.startswith(b"{"):  # some programs leave the JSON as it is
        return text
    try:
        return base64.b64decode(stripped + b"=" * (-len(stripped) % 4), validate=True)
    except binascii.Error:
        raise broken_card_error("the card in the picture is damaged") from None


# --- CHARX ----------------------------------------------------------------------------------------------


def _read_charx(data: bytes) -> CardDocument | None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if CHARX_MEMBER not in packed.namelist():
                return None
            with packed.open(CHARX_MEMBER) as member:
                card = member.read(MAX_CARD_JSON + 1)
    except (*_ZIP_ERRORS, *_ZIP_HEADER_ERRORS):
        if CHARX_MEMBER.encode() not in data:
            return None
        raise broken_card_error("its zip archive is damaged or locked with a password") from None
    if len(card) > MAX_CARD_JSON:
        raise _too_large_error()
    return CardDocument(_parse_json(card))


def _too_large_error() -> InputError:
    limit = f"{MAX_CARD_JSON // 1024 // 1024} MB"
    return broken_card_error(
        f"its card has more than {limit} of text", "Split its lorebook into several files"
    )
