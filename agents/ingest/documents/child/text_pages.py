"""Decodes text and splits text that has no pages of its own into pages."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from agents.ingest.documents.document import Page
from agents.ingest.documents.errors import unreadable_document_error
from agents.sanitize import clean

PAGE_CHARACTERS: Final = 3_000
"""Characters of a page of a text that has none: about what a printed page of prose holds."""

_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SNIFFED_BYTES: Final = 8_192
_HEADING: Final = re.compile(r"^#{1,6} +(\S.*)$", re.MULTILINE)
_PLACES_TO_CUT: Final = ("\n\n", "\n", ". ", " ")


def decode_text(data: bytes, declared_encoding: str = "") -> tuple[str, list[str]]:
    """Return the text and notes on its encoding. Raises InputError for bytes that are no text.

    A byte order mark decides; then UTF-8 if it is that, then what the document declares, then Windows-1252,
    which most Latin-1 files are.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "replace")
            return text, _note_replaced(text, encoding.upper())
    if _is_binary(data):
        raise unreadable_document_error("it is no text", "Choose a document with text in it")
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError:
        encoding = _known_encoding(declared_encoding) or "cp1252"
    text = data.decode(encoding, "replace")
    encoding_name = "Windows-1252" if encoding == "cp1252" else encoding.upper()
    return text, [
        f"It is not in UTF-8; it was read as {encoding_name}.",
        *_note_replaced(text, encoding_name),
    ]


def split_into_pages(text: str) -> list[Page]:
    """Split Markdown or plain text: at form feeds if there are any, else at the ends of paragraphs.

    A page is labelled with the heading that it begins under.
    """
    parts = text.split("\f") if "\f" in text.strip("\f\n ") else _split_by_length(text)
    return label_by_headings([clean(part) for part in parts])


def label_by_headings(texts: Sequence[str]) -> list[Page]:
    pages, heading = [], ""
    for number, text in enumerate(texts, 1):
        headings = list(_HEADING.finditer(text))
        label = _heading_text(headings[0]) if headings and headings[0].start() == 0 else heading
        pages.append(Page(number, text, label[:120]))
        heading = _heading_text(headings[-1]) if headings else heading
    return pages


def first_heading(text: str) -> str:
    match = _HEADING.search(text)
    return _heading_text(match) if match else ""


def _heading_text(heading: re.Match[str]) -> str:
    return heading.group(1).rstrip("# ").strip("* ")


def _split_by_length(text: str) -> list[str]:
    cuts = [0]
    while len(text) - cuts[-1] > PAGE_CHARACTERS * 1.25:
        cuts.append(_place_to_cut(text, cuts[-1]))
    return [text[first:last] for first, last in pairwise([*cuts, len(text)])]


def _place_to_cut(text: str, start: int) -> int:
    """Return where the page that begins at `start` ends: after a paragraph if one ends in its second half."""
    end = start + PAGE_CHARACTERS
    for place in _PLACES_TO_CUT:
        found = text.rfind(place, start + PAGE_CHARACTERS // 2, end)
        if found >= 0:
            return found + len(place)
    return end


def _is_binary(data: bytes) -> bool:
    start = data[:_SNIFFED_BYTES]
    control_bytes = sum(byte < 32 and byte not in (9, 10, 12, 13, 27) for byte in start)
    return control_bytes > len(start) * 0.05


def _known_encoding(name: str) -> str:
    """Return the codec of a declared encoding; empty unless it is one of text."""
    try:
        codec = codecs.lookup(name.strip()) if name.strip() else None
    except LookupError:
        return ""
    return codec.name if codec is not None and codec._is_text_encoding and codec.name != "utf-8" else ""


def _note_replaced(text: str, encoding_name: str) -> list[str]:
    count = text.count("\ufffd")
    if not count:
        return []
    noun = "character is" if count == 1 else "characters are"
    return [f"{count:,} {noun} none of {encoding_name}, and became \ufffd."]
