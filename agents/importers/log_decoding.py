"""Decodes a log from a file's bytes.

Encoding: a byte order mark decides (UTF-8, UTF-16, UTF-32). Without one the file is read as UTF-8 line by
line; a line that is not UTF-8 is read as Windows-1252 (which most Latin-1 files are), and a byte invalid
there becomes `�`. UTF-16 without a mark is recognised by every other byte being zero.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Final

from agents.importers.log_entries import ImportProblem
from stores.errors import InputError

MAX_FILE: Final = 256 * 1024 * 1024
"""Bytes of a file. A turn is about 300, so this is most of a million turns."""

REPLACEMENT: Final = "\ufffd"
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC: Final = (
    (b"%PDF-", "a PDF", "Save its text as a text file (.txt)"),
    (
        b"PK\x03\x04",
        "a zip archive (or a document that is one)",
        "Unpack it, or save it as text (.txt)",
    ),
    (b"\x1f\x8b", "compressed with gzip", "Unpack it"),
    (b"\x89PNG", "a picture", "Choose the log itself"),
    (b"\xff\xd8\xff", "a picture", "Choose the log itself"),
    (b"GIF8", "a picture", "Choose the log itself"),
    (b"SQLite format 3\x00", "a database", "Export the log as JSON lines or text"),
    (b"{\\rtf", "a rich text file", "Save it as plain text (.txt)"),
    (b"\xd0\xcf\x11\xe0", "an old office document", "Save it as plain text (.txt)"),
    (b"\x7fELF", "a program", "Choose the log itself"),
    (b"MZ", "a program", "Choose the log itself"),
)
_SNIFFED_BYTES: Final = 8_192


@dataclass(frozen=True, slots=True)
class DecodedLog:
    """The lines of a log without their ends, and the problems in decoding them."""

    lines: tuple[str, ...]
    problems: tuple[ImportProblem, ...] = ()


def decode(data: bytes) -> DecodedLog:
    """Return the lines of a log. Raises InputError for files that are no text: empty, binary, PDF, HTML."""
    if len(data) > MAX_FILE:
        raise refused_file_error(
            f"it is {len(data) / 1_000_000:,.0f} MB, and {MAX_FILE / 1_000_000:,.0f} MB are the most",
            "Cut it into several files",
        )
    if not data.strip(b" \t\r\n\x00\xef\xbb\xbf\xff\xfe"):
        raise refused_file_error("it is empty", "Choose a file with a log in it")
    _check_magic(data)
    for byte_order_mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(byte_order_mark):
            return _decode_whole(data[len(byte_order_mark) :], encoding)
    if guessed_encoding := _detect_utf16(data):
        return _decode_whole(data, guessed_encoding)
    if _is_binary(data):
        raise refused_file_error("it is no text", "Choose a log in JSON lines or in plain text")
    return _decode_lines(data)


def refused_file_error(reason: str, todo: str) -> InputError:
    """Return the error for a file that cannot be imported."""
    return InputError(
        f"This file cannot be imported: {reason}.",
        kept="Nothing was imported.",
        todo=f"{todo}.",
        field="file",
    )


def _check_magic(data: bytes) -> None:
    for magic, file_kind, todo in _MAGIC:
        if data.startswith(magic) and not (magic == b"MZ" and not _is_binary(data)):
            raise refused_file_error(f"it is {file_kind}", todo)
    start = data[:_SNIFFED_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<?xml", b"<svg", b"<head", b"<body")):
        raise refused_file_error(
            "it is a page of HTML or XML", "Open it in a browser, and save or copy its text"
        )


def _detect_utf16(data: bytes) -> str:
    """Return the encoding of UTF-16 without a byte order mark, or nothing."""
    start = data[:_SNIFFED_BYTES]
    even, odd = start[0::2].count(0), start[1::2].count(0)
    half = max(1, len(start) // 2)
    if odd > half * 0.7 and even < half * 0.1:
        return "utf-16-le"
    if even > half * 0.7 and odd < half * 0.1:
        return "utf-16-be"
    return ""


def _is_binary(data: bytes) -> bool:
    """Return whether the file begins with too many control characters for a text."""
    start = data[:_SNIFFED_BYTES]
    control_bytes = sum(byte < 32 and byte not in (9, 10, 12, 13, 27) for byte in start)
    return control_bytes > len(start) * 0.05


def _decode_whole(data: bytes, encoding: str) -> DecodedLog:
    text = data.decode(encoding, errors="replace")
    problems = _replacement_problems(text.count(REPLACEMENT), encoding.upper()) if encoding != "utf-8" else ()
    if encoding == "utf-8":
        return _decode_lines(data)
    return DecodedLog(tuple(_split_lines(text)), problems)


def _decode_lines(data: bytes) -> DecodedLog:
    lines, non_utf8_lines, first_number, replaced_count = [], 0, 0, 0
    for number, raw in enumerate(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"), 1):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            line = raw.decode("cp1252", errors="replace")
            non_utf8_lines, first_number = non_utf8_lines + 1, first_number or number
            replaced_count += line.count(REPLACEMENT)
        lines.append(line)
    problems: list[ImportProblem] = []
    if non_utf8_lines:
        noun = "line is" if non_utf8_lines == 1 else "lines are"
        message = f"{non_utf8_lines:,} {noun} not in UTF-8 (the first is line {first_number:,}); read as Windows-1252"
        problems.append(ImportProblem(0, message))
    return DecodedLog(tuple(lines), (*problems, *_replacement_problems(replaced_count, "Windows-1252")))


def _split_lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _replacement_problems(replaced_count: int, encoding: str) -> tuple[ImportProblem, ...]:
    if not replaced_count:
        return ()
    noun = "character is" if replaced_count == 1 else "characters are"
    return (
        ImportProblem(
            0, f"{replaced_count:,} {noun} none of {encoding}, and became {REPLACEMENT}", is_lost=True
        ),
    )
