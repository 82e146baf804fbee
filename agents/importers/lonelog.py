"""Reads solo logs: Lonelog (by R. Bisceglie), and the journal that MONITOR exports, which is similar.

`@` action (`@(Name)` of whom), `?` question, `->` answer, `d:` roll, `=>` what happens, `S1` scene, `(note: ...)`.
`agents.exports.story_journal` writes the journal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from agents.importers.journal_markup import read_block, split_blocks, word_set
from agents.importers.log_entries import LEGEND, ImportProblem, LogEntry, ParsedEntries, Voice
from agents.importers.log_tags import TAG_BODY, unescape
from agents.importers.plain_text import is_name, parse_quotation
from agents.importers.scenes import find_day, find_heading
from agents.importers.voices import voice_from_name
from agents.world_time.log_times import format_day, parse_time

_SIGNS: Final = {"@": Voice.PLAYER, "?": Voice.ORACLE, "->": Voice.ORACLE, "=>": Voice.GM, "d:": Voice.ORACLE}
_SIGN: Final = re.compile(r"(?P<sign>@|\?|->|=>|d:|gen:|tbl:)\s*(?P<text>.*)", re.DOTALL)
_RESULT_BREAK: Final = re.compile(r"\s+(?==>\s)")
_ROLL_BREAK: Final = re.compile(r"\s+(?=(?:->|d:)\s)")
_SCENE: Final = re.compile(r"(?:T\d+-)?S\d+[a-z]?(?:\.\d+)?\b[:.]?\s*(?P<title>.*)")
_SPOKEN: Final = re.compile(
    r"(?P<who>PC|N|NPC)\s*(?:[(\[](?P<name>(?:\\[()\[\]\\]|\\(?![()\[\]\\])|[^()\[\]\\]){1,60})[)\]])?\s*:\s*(?P<text>.+)",
    re.DOTALL,
)
_TAGS: Final = re.compile(rf"(?:\[[A-Za-z#]+:{TAG_BODY}\]\s*)+")
_ACTOR: Final = re.compile(r"@(?P<blank>\s*)\((?P<name>[^()\n]{1,60})\):?\s*(?P<text>\S.*)", re.DOTALL)
_LABELLED: Final = re.compile(
    r"(?:[*_]{1,3})(?P<key>[A-Za-z][A-Za-z /]{1,30}):[*_]{0,3}\s*(?P<text>\S.*)", re.DOTALL
)
"""A line of a session's header: `**Recap:** ...`, `*Date: ... | Duration: ...*`."""

_META: Final = re.compile(r"\((?P<key>[a-z ]{2,20}):\s*(?P<text>.*?)\)?", re.DOTALL | re.IGNORECASE)
_FACT: Final = re.compile(r"(?:!|<-)\s")
_NAMED: Final = re.compile(r"(?P<name>[^\s:][^:\n]{0,58}?): (?P<text>.+)", re.DOTALL)
_BEGINS_WITH_SIGN: Final = re.compile(
    r"(?:@|\?|->|=>|d:)\s+\S|@\([^()\n]{1,60}\)|(?:#{1,6}\s+)?T?\d*-?S\d+\b|\[#?(?:N|L|E|PC|Thread|Clock|Track|Timer):"
)
_SESSION_KEYS: Final = word_set(
    "date duration scenes recap goal goals notes tools mood ruleset player genre theme themes tone threads"
)
_STORY_KEYS: Final = ("world", "hero", "theme", "tone", "goal", "recap")
"""What a journal says of the story besides its turns."""


def count_signs(lines: Sequence[str]) -> int:
    """Count the lines that begin with a sign of a solo log, or with a tag."""
    return sum(_BEGINS_WITH_SIGN.match(line.strip()) is not None for line in lines)


def journal_title(lines: Sequence[str]) -> str:
    """Return the title of a journal that MONITOR exported; empty for any other log."""
    is_exported = len(lines) > 1 and lines[1].strip() == LEGEND
    return lines[0].strip() if is_exported else ""


def read_lonelog(lines: Sequence[str]) -> ParsedEntries:
    """Read entries. Facts of a journal are left out and reported: nothing of an import becomes canon."""
    reader = _LonelogReader(is_journal=any(line.strip() == LEGEND for line in lines[:10]))
    if reader.is_journal:
        reader.read_lines(lines)
    else:
        for block in split_blocks(lines):
            if block.is_log:
                reader.read_lines(block.lines, block.line)
            else:
                read_block(block, reader.parsed)
    reader.report_facts()
    return reader.parsed


class _LonelogReader:
    def __init__(self, *, is_journal: bool) -> None:
        self.parsed = ParsedEntries()
        self.is_journal = is_journal
        self._hero = ""
        self._fact_count = 0
        self._day: datetime | None = None

    def read_lines(self, lines: Sequence[str], first_number: int = 1) -> None:
        for number, block in _split_blocks(lines, is_journal=self.is_journal):
            self._read_block(number + first_number - 1, block)

    def report_facts(self) -> None:
        if self._fact_count:
            noun = "line" if self._fact_count == 1 else "lines"
            message = (
                f"{self._fact_count:,} {noun} of canon and evidence (! and <-) left out: "
                "nothing of an import is canon"
            )
            self.parsed.problems.append(ImportProblem(0, message, is_lost=True))

    def _read_block(self, number: int, block: str) -> None:
        if _FACT.match(block):
            self._fact_count += 1
            return
        if (meta := _META.fullmatch(block)) and meta["key"].casefold() in _STORY_KEYS:
            self._hero = meta["text"].strip() if meta["key"].casefold() == "hero" else self._hero
            if meta["key"].casefold() in ("goal", "recap"):
                self.parsed.entries.append(LogEntry(number, str(number), block, voice=Voice.OOC))
            return
        if (labelled := _LABELLED.fullmatch(block)) and labelled["key"].casefold() in _SESSION_KEYS:
            if labelled["key"].casefold() == "date":
                _, self._day = parse_time(labelled["text"].partition("|")[0].strip("*_ "))
            note = f"{labelled['key']}: {labelled['text'].rstrip('*_ ')}"
            self.parsed.entries.append(LogEntry(number, str(number), note, voice=Voice.OOC))
            return
        self._day = find_day(block) or self._day
        for entry in _parse_block(number, block, self._hero, is_journal=self.is_journal):
            if self._day is not None and entry.voice is not Voice.MARK:
                entry = replace(entry, time_text=format_day(self._day))
            self.parsed.entries.append(entry)


def _split_blocks(lines: Sequence[str], *, is_journal: bool) -> Iterator[tuple[int, str]]:
    r"""Yield each entry with the line where it begins; indented lines and `\---` blocks belong to it."""
    start, block, is_in_block = 0, "", False
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if is_in_block:
            is_in_block = stripped != "---\\"
            block += f"\n{stripped}" if is_in_block else ""
            continue
        is_continuation = bool(block) and line[:1] in " \t" and bool(stripped)
        if is_continuation:
            block += f"\n{stripped}"
            continue
        if block:
            yield start, block
            block = ""
        is_in_block = stripped == "\\---"
        if (
            stripped
            and not is_in_block
            and not (is_journal and number <= 10 and (stripped == LEGEND or number == 1))
        ):
            start, block = number, stripped
        elif is_in_block:
            start, block = number, "\\---"
    if block:
        yield start, block


def _parse_block(number: int, block: str, hero: str, *, is_journal: bool) -> Iterator[LogEntry]:
    ref = str(number)

    def entry(voice: Voice, text: str, speaker: str = "") -> LogEntry:
        return LogEntry(number, ref, text.strip(), speaker or (hero if voice is Voice.PLAYER else ""), voice)

    if block.startswith("\\---"):
        yield entry(Voice.GM, block.removeprefix("\\---"))
    elif (heading := _scene_heading(block)) is not None:
        yield entry(Voice.MARK, heading)
    elif _SIGN.match(block):
        for piece in [block] if is_journal else _split_parts(block):
            yield from _parse_sign(piece, entry, is_journal=is_journal)
    elif match := _SPOKEN.fullmatch(block):
        voice = Voice.PLAYER if match["who"] == "PC" else Voice.NPC
        yield entry(voice, match["text"], unescape(match["name"] or "").strip())
    elif _TAGS.fullmatch(block):
        yield entry(Voice.SYSTEM, block)
    elif block.startswith("(") and (meta := _META.fullmatch(block)):
        yield entry(Voice.OOC, meta["text"])
    elif (day := find_day(block)) is not None:
        yield entry(Voice.MARK, format_day(day))
    elif (mark := find_heading(block)) is not None:
        yield entry(Voice.MARK, mark)
    elif block.startswith("(") and block.endswith(")"):
        yield entry(Voice.OOC, block.strip("()"))
    elif (
        not is_journal
        and (named := _NAMED.fullmatch(block))
        and (named_voice := voice_from_name(named["name"])) is not None
    ):
        yield entry(named_voice, named["text"])
    elif not is_journal and (quotation := parse_quotation(block)):
        name, words = quotation
        yield LogEntry(number, ref, words, name)
    else:
        yield entry(Voice.GM, block)


def _scene_heading(block: str) -> str | None:
    """Return the title of `S1 *The mill, dusk*`, also as a Markdown heading; its number if it has no title."""
    heading = re.sub(r"^#{1,6}\s+", "", block)
    match = _SCENE.fullmatch(heading)
    return (match["title"].strip("*_ ") or heading.strip()) if match else None


def _split_parts(block: str) -> Iterator[str]:
    """Split `@ I sneak d: 4 vs 5 -> fail => It barks` into action, roll and outcome."""
    for piece in _RESULT_BREAK.split(block):
        yield from _ROLL_BREAK.split(piece, maxsplit=1) if piece[0] in "@?" else [piece]


def _name_actor(text: str, name: str) -> str:
    """Return what `@(Kell) lies low` says with its subject: `Kell lies low`; whole sentences stay as they are."""
    first_word = text.split(maxsplit=1)[0].strip(".,!?…")
    return text if not text[0].islower() or first_word == "i" else f"{name} {text}"


def _is_aside(name: str) -> bool:
    """Say whether a word between brackets tells how something is done: `@ (Quietly) I open the door`."""
    return " " not in name and name.casefold().endswith(("ly", "ing"))


def _parse_sign(piece: str, entry: Callable[..., LogEntry], *, is_journal: bool) -> Iterator[LogEntry]:
    match = _SIGN.fullmatch(piece)
    assert match is not None
    sign, text = match["sign"], match["text"]
    if not text.strip():
        return
    actor = _ACTOR.fullmatch(piece)
    # In a journal of MONITOR `@ (Kell) ...` is the hero's line, as it was typed.
    if actor and is_name(actor["name"]) and not (actor["blank"] and (is_journal or _is_aside(actor["name"]))):
        name = " ".join(actor["name"].split())
        yield replace(entry(Voice.PLAYER, _name_actor(actor["text"], name), name), is_deed=True)
    elif sign in ("gen:", "tbl:"):
        yield entry(Voice.ORACLE, piece)
    elif (
        sign == "=>"
        and (named_match := _NAMED.fullmatch(text))
        and (is_journal or is_name(named_match["name"]))
    ):
        yield entry(Voice.NPC, named_match["text"], named_match["name"])
    else:
        yield entry(_SIGNS[sign], text)
