"""A file's bytes to a log: decoded, its form found out, parsed, cleaned, everybody given a voice. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.clean import MAX_LINE, clean
from agents.importing.asides import parted
from agents.importing.decoding import decode, refused
from agents.importing.entries import Entry, Form, Log, Problem, Voice
from agents.importing.json_lines import looks_like_json, read_json
from agents.importing.lonelog import read_lonelog, signs_in
from agents.importing.plain_text import looks_like_play, read_text
from agents.importing.voices import with_voices

MAX_NAME: Final = 80
MAX_REF: Final = 120
FEW_SIGNS: Final = 2
SHARE_OF_SIGNS: Final = 0.2
"""Of the lines with anything on them: from so many signs on, a text is a solo log."""


def read_log(data: bytes, *, form: Form | None = None, hero: str = "") -> Log:
    """Read a log. `form` overrides what its content says; `hero` is whose words are the player's.

    Raises InputError, in words, for what is no log.
    """
    decoded = decode(data)
    lines = decoded.lines
    found = form or _form(lines)
    gathered = _PARSERS[found](lines)
    named = [_named(entry, hero) for entry in gathered.entries]
    entries, guesses = with_voices(named, hero)
    problems = [*decoded.problems, *gathered.problems, *guesses]
    told = list(_told(entries, problems))
    if not any(e.voice not in (Voice.OOC, Voice.MARK) for e in told):
        raise _nothing(found, problems)
    problems += _doubled(told)
    return Log(
        found, tuple(told), tuple(replace(p, words=" ".join(clean(p.words).split())) for p in problems)
    )


def _form(lines: Sequence[str]) -> Form:
    """Return what the lines are written in. Raises InputError if nothing in them tells."""
    if looks_like_json(lines):
        return Form.JSON
    signs, written = signs_in(lines), sum(bool(line.strip()) for line in lines)
    if signs >= FEW_SIGNS and signs >= written * SHARE_OF_SIGNS:
        return Form.LONELOG
    if looks_like_play(lines):
        return Form.TEXT
    why = "no line of it says who speaks (`Name: words`), and it is neither JSON lines nor a solo log"
    raise refused(why, "If it is a story that is told, say so with --format text")


_PARSERS: Final = {Form.JSON: read_json, Form.TEXT: read_text, Form.LONELOG: read_lonelog}


def _named(entry: Entry, hero: str) -> Entry:
    """Give names and ids the shape that they are kept in, and the hero's to who plays without a name."""
    speaker = " ".join(clean(entry.speaker).split())[:MAX_NAME]
    return replace(
        entry,
        speaker=speaker or (hero if entry.voice is Voice.PLAYER else ""),
        ref=" ".join(clean(entry.ref).split())[:MAX_REF],
        said=" ".join(clean(entry.said).split()),
        scene=" ".join(clean(entry.scene).split())[:MAX_NAME],
    )


def _told(entries: Sequence[Entry], problems: list[Problem]) -> Iterator[Entry]:
    """Yield the entries with clean texts, what is out of character apart, long ones in pieces."""
    for entry in entries:
        text = clean(entry.text)
        if entry.voice is Voice.MARK:
            yield replace(entry, text=text)
            continue
        words, asides = parted(text)
        if words:
            yield from _pieces(replace(entry, text=words), problems)
        for aside in asides:
            yield from _pieces(replace(entry, voice=Voice.OOC, text=aside), problems)
        if not words and not asides:
            problems.append(Problem(entry.line, "it has no words; left out", lost=True))


def _pieces(entry: Entry, problems: list[Problem]) -> Iterator[Entry]:
    """Yield the entry, cut at the end of a sentence or a word where it is more than one turn holds."""
    rest, count = entry.text, 0
    while len(rest) > MAX_LINE:
        cut = max(rest.rfind(end, MAX_LINE // 2, MAX_LINE) for end in ("\n", ". ", " ")) + 1 or MAX_LINE
        yield replace(entry, text=rest[:cut].strip())
        rest, count = rest[cut:].strip(), count + 1
    if rest:
        yield replace(entry, text=rest)
    if count:
        words = (
            f"it is {len(entry.text):,} characters long, and was cut into {count + 1} turns of the same id"
        )
        problems.append(Problem(entry.line, words))


def _doubled(entries: Sequence[Entry]) -> list[Problem]:
    lines: dict[str, set[int]] = {}
    for entry in entries:
        if entry.voice is not Voice.MARK:
            lines.setdefault(entry.ref, set()).add(entry.line)
    doubled = Counter({ref: len(at) for ref, at in lines.items() if len(at) > 1})
    if not doubled:
        return []
    most = ", ".join(f"“{ref}”" for ref, _ in doubled.most_common(3))
    noun = "turn id stands" if len(doubled) == 1 else "turn ids stand"
    words = f"{len(doubled):,} {noun} in the log more than once ({most}); all those turns are kept"
    return [Problem(0, words)]


def _nothing(form: Form, problems: Sequence[Problem]) -> Exception:
    first = next((str(p) for p in problems if p.lost), "")
    why = f"nothing in it could be read as {_FORMS[form]}" + (f" ({first})" if first else "")
    return refused(why, "See `docs/import.md` for what is read, or name the form with --format")


_FORMS: Final = {
    Form.JSON: "a turn in JSON lines",
    Form.TEXT: "“Name: words”",
    Form.LONELOG: "an entry of a solo log",
}
