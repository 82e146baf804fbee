"""Reads a log from a file's bytes: decodes it, detects the format, parses, cleans, and assigns voices.

Encoding: a byte order mark decides (UTF-8, UTF-16, UTF-32). Without one the file is read as UTF-8 line by
line; a line that is not UTF-8 is read as Windows-1252 (which most Latin-1 files are), and a byte invalid
there becomes `�`. UTF-16 without a mark is recognised by every other byte being zero.
"""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.importers.json_lines import looks_like_json, read_json
from agents.importers.log_entries import ImportProblem, LogEntry, LogFormat, ParsedLog, Voice
from agents.importers.lonelog import count_signs, read_lonelog
from agents.importers.plain_text import looks_like_play, read_text
from agents.importers.voices import assign_voices, split_asides
from agents.sanitize import MAX_LINE_LENGTH, clean
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


MAX_NAME: Final = 80
MAX_REF: Final = 120
MIN_SIGNS: Final = 2
"""Signs that a text must have to be a solo log."""

MIN_SIGN_SHARE: Final = 0.2
"""Share of the lines with content that must have signs for a text to be a solo log."""


def read_log(data: bytes, *, form: LogFormat | None = None, hero: str = "") -> ParsedLog:
    """Read a log. `form` overrides the detected format; `hero` names the speaker who is the player.

    Raises InputError for a file that is no log.
    """
    decoded = decode(data)
    lines = decoded.lines
    log_format = form or _detect_format(lines)
    parsed = _PARSERS[log_format](lines)
    named_entries = [_normalize_names(entry, hero) for entry in parsed.entries]
    entries, voice_problems = assign_voices(named_entries, hero)
    problems = [*decoded.problems, *parsed.problems, *voice_problems]
    clean_entries = list(_clean_entries(entries, problems))
    if not any(e.voice not in (Voice.OOC, Voice.MARK) for e in clean_entries):
        raise _nothing_read_error(log_format, problems)
    problems += _find_repeated_refs(clean_entries)
    return ParsedLog(
        log_format,
        tuple(clean_entries),
        tuple(replace(p, message=" ".join(clean(p.message).split())) for p in problems),
    )


def _detect_format(lines: Sequence[str]) -> LogFormat:
    """Return the format of the lines. Raises InputError if nothing shows it."""
    if looks_like_json(lines):
        return LogFormat.JSON
    signs, line_count = count_signs(lines), sum(bool(line.strip()) for line in lines)
    if signs >= MIN_SIGNS and signs >= line_count * MIN_SIGN_SHARE:
        return LogFormat.LONELOG
    if looks_like_play(lines):
        return LogFormat.TEXT
    reason = "no line of it says who speaks (`Name: words`), and it is neither JSON lines nor a solo log"
    raise refused_file_error(reason, "If it is a story in prose, add --format text")


_PARSERS: Final = {LogFormat.JSON: read_json, LogFormat.TEXT: read_text, LogFormat.LONELOG: read_lonelog}


def _normalize_names(entry: LogEntry, hero: str) -> LogEntry:
    """Clean names and ids, and give the hero's name to a player without one."""
    speaker = " ".join(clean(entry.speaker).split())[:MAX_NAME]
    return replace(
        entry,
        speaker=speaker or (hero if entry.voice is Voice.PLAYER else ""),
        ref=" ".join(clean(entry.ref).split())[:MAX_REF],
        time_text=" ".join(clean(entry.time_text).split()),
        scene=" ".join(clean(entry.scene).split())[:MAX_NAME],
    )


def _clean_entries(entries: Sequence[LogEntry], problems: list[ImportProblem]) -> Iterator[LogEntry]:
    """Yield entries with clean texts, with asides separated and long texts split."""
    for entry in entries:
        text = clean(entry.text)
        if entry.voice is Voice.MARK:
            yield replace(entry, text=text)
            continue
        words, asides = split_asides(text)
        if words:
            yield from _split_long_entry(replace(entry, text=words), problems)
        for aside in asides:
            yield from _split_long_entry(replace(entry, voice=Voice.OOC, text=aside), problems)
        if not words and not asides:
            problems.append(ImportProblem(entry.line, "it has no words; left out", is_lost=True))


def _split_long_entry(entry: LogEntry, problems: list[ImportProblem]) -> Iterator[LogEntry]:
    """Yield the entry, split at the end of a sentence or word if it is longer than one turn."""
    rest, count = entry.text, 0
    while len(rest) > MAX_LINE_LENGTH:
        cut = (
            max(rest.rfind(end, MAX_LINE_LENGTH // 2, MAX_LINE_LENGTH) for end in ("\n", ". ", " ")) + 1
            or MAX_LINE_LENGTH
        )
        yield replace(entry, text=rest[:cut].strip())
        rest, count = rest[cut:].strip(), count + 1
    if rest:
        yield replace(entry, text=rest)
    if count:
        message = (
            f"it is {len(entry.text):,} characters long, and was cut into {count + 1} turns of the same id"
        )
        problems.append(ImportProblem(entry.line, message))


def _find_repeated_refs(entries: Sequence[LogEntry]) -> list[ImportProblem]:
    lines: dict[str, set[int]] = {}
    for entry in entries:
        if entry.voice is not Voice.MARK:
            lines.setdefault(entry.ref, set()).add(entry.line)
    repeated_refs = Counter({ref: len(at) for ref, at in lines.items() if len(at) > 1})
    if not repeated_refs:
        return []
    examples = ", ".join(f"“{ref}”" for ref, _ in repeated_refs.most_common(3))
    noun = "turn id stands" if len(repeated_refs) == 1 else "turn ids stand"
    message = (
        f"{len(repeated_refs):,} {noun} in the log more than once ({examples}); all those turns are kept"
    )
    return [ImportProblem(0, message)]


def _nothing_read_error(form: LogFormat, problems: Sequence[ImportProblem]) -> Exception:
    first_problem = next((str(p) for p in problems if p.is_lost), "")
    reason = f"nothing in it could be read as {_FORMAT_NAMES[form]}" + (
        f" ({first_problem})" if first_problem else ""
    )
    return refused_file_error(
        reason, "See `docs/import.md` for what is read, or name the format with --format"
    )


_FORMAT_NAMES: Final = {
    LogFormat.JSON: "a turn in JSON lines",
    LogFormat.TEXT: "“Name: words”",
    LogFormat.LONELOG: "an entry of a solo log",
}
