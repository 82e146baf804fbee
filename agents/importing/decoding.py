"""Bytes of a log as lines of text, whatever wrote them.

The rule: a byte order mark says what the file is (UTF-8, UTF-16, UTF-32). Without one it is UTF-8, line by
line; a line that is not is read as Windows-1252 (what Latin-1 files mostly are), and a byte that is nothing
even there becomes `�`. UTF-16 without a mark is known by every other byte being zero.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Final

from agents.importing.entries import Problem
from stores.errors import InputError

MAX_FILE: Final = 256 * 1024 * 1024
"""Bytes of a file. A turn is about 300, so this is most of a million turns."""

REPLACED: Final = "\ufffd"
_MARKS: Final = (
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
_LOOKED_AT: Final = 8_192


@dataclass(frozen=True, slots=True)
class Decoded:
    """The lines without their ends, and what had to be said about how they were read."""

    lines: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


def decode(data: bytes) -> Decoded:
    """Return the lines of a log. Raises InputError for what is no text: empty, binary, PDF, HTML."""
    if len(data) > MAX_FILE:
        raise refused(
            f"it is {len(data) / 1_000_000:,.0f} MB, and {MAX_FILE / 1_000_000:,.0f} MB are the most",
            "Cut it into several files",
        )
    if not data.strip(b" \t\r\n\x00\xef\xbb\xbf\xff\xfe"):
        raise refused("it is empty", "Choose a file with a log in it")
    _check_magic(data)
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _whole(data[len(mark) :], encoding)
    if guessed := _wide(data):
        return _whole(data, guessed)
    if _binary(data):
        raise refused("it is no text", "Choose a log in JSON lines or in plain text")
    return _by_lines(data)


def refused(why: str, todo: str) -> InputError:
    """Return the error for a file that is no log that is read here."""
    return InputError(
        f"This file cannot be imported: {why}.", kept="Nothing was brought in.", todo=f"{todo}."
    )


def _check_magic(data: bytes) -> None:
    for magic, what, todo in _MAGIC:
        if data.startswith(magic) and not (magic == b"MZ" and not _binary(data)):
            raise refused(f"it is {what}", todo)
    start = data[:_LOOKED_AT].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<?xml", b"<svg", b"<head", b"<body")):
        raise refused("it is a page of HTML or XML", "Open it in a browser, and save or copy its text")


def _wide(data: bytes) -> str:
    """Return the encoding of UTF-16 without a mark, or nothing."""
    start = data[:_LOOKED_AT]
    even, odd = start[0::2].count(0), start[1::2].count(0)
    half = max(1, len(start) // 2)
    if odd > half * 0.7 and even < half * 0.1:
        return "utf-16-le"
    if even > half * 0.7 and odd < half * 0.1:
        return "utf-16-be"
    return ""


def _binary(data: bytes) -> bool:
    """Whether too many bytes of the beginning are none that a text has."""
    start = data[:_LOOKED_AT]
    odd = sum(byte < 32 and byte not in (9, 10, 12, 13, 27) for byte in start)
    return odd > len(start) * 0.05


def _whole(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace")
    problems = _counted(text.count(REPLACED), encoding.upper()) if encoding != "utf-8" else ()
    if encoding == "utf-8":
        return _by_lines(data)
    return Decoded(tuple(_split(text)), problems)


def _by_lines(data: bytes) -> Decoded:
    lines, other, first, replaced = [], 0, 0, 0
    for number, raw in enumerate(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"), 1):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            line = raw.decode("cp1252", errors="replace")
            other, first = other + 1, first or number
            replaced += line.count(REPLACED)
        lines.append(line)
    problems: list[Problem] = []
    if other:
        noun = "line is" if other == 1 else "lines are"
        words = f"{other:,} {noun} not in UTF-8 (the first is line {first:,}); read as Windows-1252"
        problems.append(Problem(0, words))
    return Decoded(tuple(lines), (*problems, *_counted(replaced, "Windows-1252")))


def _split(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _counted(replaced: int, encoding: str) -> tuple[Problem, ...]:
    if not replaced:
        return ()
    noun = "character is" if replaced == 1 else "characters are"
    return (Problem(0, f"{replaced:,} {noun} none of {encoding}, and became {REPLACED}", lost=True),)
