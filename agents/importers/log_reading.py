"""A file's bytes to a log: decoded, its form found out, parsed, cleaned, everybody given a voice. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.importers.json_lines import looks_like_json, read_json
from agents.importers.log_decoding import decode, refused_file_error
from agents.importers.log_entries import ImportProblem, LogEntry, LogFormat, ParsedLog, Voice
from agents.importers.lonelog import count_signs, read_lonelog
from agents.importers.out_of_character import split_asides
from agents.importers.plain_text import looks_like_play, read_text
from agents.importers.speaker_roles import assign_voices
from agents.sanitize import MAX_LINE, clean

MAX_NAME: Final = 80
MAX_REF: Final = 120
MIN_SIGNS: Final = 2
MIN_SIGN_SHARE: Final = 0.2
"""Of the lines with anything on them: from so many signs on, a text is a solo log."""


def read_log(data: bytes, *, form: LogFormat | None = None, hero: str = "") -> ParsedLog:
    """Read a log. `form` overrides what its content says; `hero` is whose words are the player's.

    Raises InputError, in words, for what is no log.
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
    """Return what the lines are written in. Raises InputError if nothing in them tells."""
    if looks_like_json(lines):
        return LogFormat.JSON
    signs, line_count = count_signs(lines), sum(bool(line.strip()) for line in lines)
    if signs >= MIN_SIGNS and signs >= line_count * MIN_SIGN_SHARE:
        return LogFormat.LONELOG
    if looks_like_play(lines):
        return LogFormat.TEXT
    reason = "no line of it says who speaks (`Name: words`), and it is neither JSON lines nor a solo log"
    raise refused_file_error(reason, "If it is a story that is told, say so with --format text")


_PARSERS: Final = {LogFormat.JSON: read_json, LogFormat.TEXT: read_text, LogFormat.LONELOG: read_lonelog}


def _normalize_names(entry: LogEntry, hero: str) -> LogEntry:
    """Give names and ids the shape that they are kept in, and the hero's to who plays without a name."""
    speaker = " ".join(clean(entry.speaker).split())[:MAX_NAME]
    return replace(
        entry,
        speaker=speaker or (hero if entry.voice is Voice.PLAYER else ""),
        ref=" ".join(clean(entry.ref).split())[:MAX_REF],
        time_text=" ".join(clean(entry.time_text).split()),
        scene=" ".join(clean(entry.scene).split())[:MAX_NAME],
    )


def _clean_entries(entries: Sequence[LogEntry], problems: list[ImportProblem]) -> Iterator[LogEntry]:
    """Yield the entries with clean texts, what is out of character apart, long ones in pieces."""
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
    """Yield the entry, cut at the end of a sentence or a word where it is more than one turn holds."""
    rest, count = entry.text, 0
    while len(rest) > MAX_LINE:
        cut = max(rest.rfind(end, MAX_LINE // 2, MAX_LINE) for end in ("\n", ". ", " ")) + 1 or MAX_LINE
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
    return refused_file_error(reason, "See `docs/import.md` for what is read, or name the form with --format")


_FORMAT_NAMES: Final = {
    LogFormat.JSON: "a turn in JSON lines",
    LogFormat.TEXT: "“Name: words”",
    LogFormat.LONELOG: "an entry of a solo log",
}
