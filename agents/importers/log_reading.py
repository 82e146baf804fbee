"""Reads a log from a file's bytes: decodes it, detects the format, parses, cleans, and assigns voices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.importers.journal_comments import split_comments
from agents.importers.journal_markup import FrontMatter, has_markup, read_front_matter
from agents.importers.journal_speakers import (
    assign_deeds,
    find_played_names,
    find_unplayed_names,
    join_speakers,
)
from agents.importers.json_lines import looks_like_json, read_json
from agents.importers.link_tags import linked_kinds, read_links
from agents.importers.log_decoding import decode, refused_file_error
from agents.importers.log_entries import ImportProblem, LogEntry, LogFormat, ParsedLog, Voice
from agents.importers.log_tags import read_tags
from agents.importers.lonelog import count_signs, journal_title, read_lonelog
from agents.importers.markdown_journal import has_session_heading, read_markdown
from agents.importers.plain_text import looks_like_play, read_text
from agents.importers.scenes import drop_dates_at_headings, find_heading, names_a_part
from agents.importers.voices import assign_voices, split_asides
from agents.sanitize import MAX_LINE_LENGTH, MAX_TITLE_LENGTH, clean

_JOURNAL_FORMATS: Final = (LogFormat.LONELOG, LogFormat.MARKDOWN)
_TITLE_BYTES: Final = 65_536

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
    front_matter = read_front_matter(decoded.lines)
    lines = ("",) * front_matter.line_count + decoded.lines[front_matter.line_count :]
    log_format = form or _detect_format(lines, front_matter)
    parsed = _PARSERS[log_format](lines)
    title = _title_of(lines, front_matter)
    problems = [*decoded.problems, *_front_matter_problems(front_matter), *parsed.problems]
    entries = parsed.entries
    is_exported = bool(journal_title(lines))
    if log_format in _JOURNAL_FORMATS and not is_exported:
        entries = [part for entry in entries for part in split_comments(entry)]
    if log_format is not LogFormat.JSON:
        entries = [*_metadata_entries(front_matter), *entries]
        kinds = linked_kinds(front_matter)
        entries, tag_problems = read_tags([read_links(entry, kinds) for entry in entries])
        problems += tag_problems
        entries = [e for e in entries if not (e.voice is Voice.MARK and _is_same_title(e.text, title))]
    if log_format in _JOURNAL_FORMATS:
        entries = drop_dates_at_headings(entries)
    entries = [_normalize_names(entry, hero) for entry in entries]
    if log_format in _JOURNAL_FORMATS:
        # In a journal that MONITOR exported everybody speaks under the full name.
        entries = entries if is_exported else join_speakers(entries, front_matter)
        entries = assign_deeds(entries, hero, front_matter)
    played_names: list[str] = []
    unplayed_names: frozenset[str] = frozenset()
    if log_format in _JOURNAL_FORMATS and not hero:
        played_names = find_played_names(entries, front_matter)
        unplayed_names = find_unplayed_names(entries, front_matter)
    entries, voice_problems = assign_voices(
        entries, hero, played_names=played_names, unplayed_names=unplayed_names
    )
    problems += voice_problems
    if played_names or (log_format is LogFormat.LONELOG and not hero):
        problems += _unnamed_hero_problems(entries, played_names)
    clean_entries = list(_clean_entries(entries, problems))
    if not any(e.voice not in (Voice.OOC, Voice.MARK) for e in clean_entries):
        raise _nothing_read_error(log_format, problems)
    problems += _find_repeated_refs(clean_entries)
    return ParsedLog(
        log_format,
        tuple(clean_entries),
        tuple(replace(p, message=" ".join(clean(p.message).split())) for p in problems),
    )


def _unnamed_hero_problems(
    entries: Sequence[LogEntry], played_names: Sequence[str]
) -> Iterator[ImportProblem]:
    actors = Counter(e.speaker for e in entries if e.voice is Voice.PLAYER and e.speaker)
    if actors:
        (name, _), *_ = actors.most_common(1)
        yield ImportProblem(0, f"{name} acts in it: name {name} as your character to play on as {name}")
    elif played_names:
        name = played_names[0]
        yield ImportProblem(0, f"{name} is played in it: name {name} as your character to play on as {name}")


def read_title(data: bytes) -> tuple[str, str]:
    """Return what a log calls itself and its world, from its beginning; empty where it says neither.

    Raises InputError for a file that is no log.
    """
    lines = decode(data[:_TITLE_BYTES]).lines
    front_matter = read_front_matter(lines)
    title = _title_of(lines[front_matter.line_count :], front_matter)
    world = front_matter.value("world", "setting", "campaign")
    return _title_line(title), _title_line(world or title)


def _title_line(text: str) -> str:
    return " ".join(clean(text).split())[:MAX_TITLE_LENGTH]


def _title_of(lines: Sequence[str], front_matter: FrontMatter) -> str:
    """Return the title in the front matter, or else a heading of the first level before anything else."""
    if title := front_matter.value("title", "campaign") or journal_title(lines):
        return title
    first_line = next((line.strip() for line in lines if line.strip()), "")
    heading = (find_heading(first_line) or "") if first_line.startswith("# ") else ""
    return "" if names_a_part(heading) else heading


def _is_same_title(heading: str, title: str) -> bool:
    return bool(title) and " ".join(heading.casefold().split()) == " ".join(title.casefold().split())


def _metadata_entries(front_matter: FrontMatter) -> Iterator[LogEntry]:
    """Yield the front matter as a note."""
    if front_matter.fields:
        text = "\n".join(f"{key}: {value}" for key, value in front_matter.fields)
        yield LogEntry(1, "1", text, voice=Voice.OOC)


def _front_matter_problems(front_matter: FrontMatter) -> Iterator[ImportProblem]:
    if front_matter.problem:
        message = f"the front matter could not be read in full ({front_matter.problem}); kept as a note"
        yield ImportProblem(1, message)


def _detect_format(lines: Sequence[str], front_matter: FrontMatter) -> LogFormat:
    """Return the format of the lines. Raises InputError if nothing shows it."""
    if looks_like_json(lines):
        return LogFormat.JSON
    if front_matter.value("type", "format").casefold() == LogFormat.LONELOG:
        return LogFormat.LONELOG  # long prose has few signs
    signs, line_count = count_signs(lines), sum(bool(line.strip()) for line in lines)
    if signs >= MIN_SIGNS and signs >= line_count * MIN_SIGN_SHARE:
        return LogFormat.LONELOG
    if front_matter.fields or has_markup(lines):
        return LogFormat.MARKDOWN
    if looks_like_play(lines):
        return LogFormat.TEXT
    if has_session_heading(lines):
        return LogFormat.MARKDOWN
    reason = "no line of it says who speaks (`Name: words`), and it is neither JSON lines nor a solo log nor a journal"
    raise refused_file_error(reason, "If it is a story in prose, add --format text")


_PARSERS: Final = {
    LogFormat.JSON: read_json,
    LogFormat.TEXT: read_text,
    LogFormat.LONELOG: read_lonelog,
    LogFormat.MARKDOWN: read_markdown,
}


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
        # What stood beside a bracket may have nothing to see by itself.
        words, asides = clean(words), [aside for aside in map(clean, asides) if aside]
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
    LogFormat.MARKDOWN: "a paragraph of a journal",
}
