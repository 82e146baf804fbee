"""Compares a note with what was exported, and says what the player changed in it, line by line. Pure."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from agents.exports.markdown import unescape
from agents.exports.vault_notes import STANDING_PREFIXES, WORLD_KIND
from agents.exports.vault_reading import KNOWN_KEYS, NoteLine, ReadNote

MIN_REWORDED: Final = 0.5
"""How alike a line without its footnote must be to one that is gone, of 1, to be that line in other words."""

_WORD: Final = re.compile(r"\w+")
_MARK: Final = re.compile(r"\[\^[0-9a-f]{10}\]")
_UNREAD_SECTION: Final = "this section is not read: put it below the mark, or write its sentences under Facts"
_STRUCK: Final = re.compile(r"~~(.+)~~")
_TASK: Final = re.compile(r"\[ \]\s+(.+)")
_SUBJECT_WORD: Final = re.compile(r"(?:he|she|it)\b", re.IGNORECASE)
_OWNER_WORD: Final = re.compile(r"(?:his|her|its)\b", re.IGNORECASE)


class EntityField(StrEnum):
    """What of an entity itself is changed in a note."""

    NAME = "name"
    ALIASES = "aliases"
    DESCRIPTION = "description"
    ADDED_TAG = "added tag"
    REMOVED_TAG = "removed tag"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class FieldEdit:
    """A changed name, other names, description, tag or number; `value` are the new words, one for each name."""

    line: int
    field: EntityField
    value: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AddedFact:
    """A sentence that was written under facts or relations."""

    line: int
    sentence: str


@dataclass(frozen=True, slots=True)
class RemovedFact:
    """A fact whose line was taken out, or struck through; `line` is where it stood or stands."""

    line: int
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class RewordedFact:
    """A fact whose line reads otherwise."""

    line: int
    label: str
    sentence: str


NoteEdit = FieldEdit | AddedFact | RemovedFact | RewordedFact


def edit_key(edit: NoteEdit) -> str:
    """Return by what an edit is known again, wherever it stands in its note."""
    words = repr((type(edit).__name__, replace(edit, line=0)))
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(slots=True)
class NoteChanges:
    """What a player changed in a note, and what of it cannot be read: line and reason."""

    edits: list[NoteEdit] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    read_texts: list[str] = field(default_factory=list)
    """The words of the note that became edits, as they stand there."""


def compare_note(before: ReadNote, now: ReadNote, old_stem: str, stem: str) -> NoteChanges:
    """Return what differs between a note as it was exported, and as it is.

    `old_stem` and `stem` are the names of its file without the ending.
    """
    changes = NoteChanges(problems=list(now.problems))
    if now.title != before.title and now.title:
        changes.edits.append(FieldEdit(now.title_line, EntityField.NAME, (now.title,)))
    elif not now.title:
        changes.problems.append((1, "its title is gone; a note begins with # and the name"))
    elif stem != old_stem:
        changes.edits.append(FieldEdit(now.title_line, EntityField.NAME, (stem,)))
    name = next((e.value[0] for e in changes.edits if isinstance(e, FieldEdit)), before.title)
    if now.kind != before.kind:
        line = now.key_lines.get("kind", 1)
        changes.problems.append((line, "what kind something is cannot be changed in a note"))
    changes.edits += _compare_fields(before, now)
    _read_where_and_status(before, now, name, changes)
    kept_numbers = {number.text.partition(":")[0].strip().casefold() for number in now.numbers}
    if any(n.text.partition(":")[0].strip().casefold() not in kept_numbers for n in before.numbers):
        changes.problems.append((1, "a number is not taken off a sheet from a note"))
    subject = "" if before.kind == WORLD_KIND else name
    before_lines, lines = [*before.facts, *before.relations], [*now.facts, *now.relations]
    changes.edits += _compare_lines(before_lines, lines, subject)
    changes.problems += [(line.number, _UNREAD_SECTION) for line in now.unread[:1]]
    changes.problems += _find_read_only_changes(before.read_only, now)
    changes.read_texts += _find_headings(before, now)
    changes.read_texts += _find_read_texts(before, now)
    return changes


def _find_headings(before: ReadNote, now: ReadNote) -> Iterator[str]:
    """Yield the properties and sections that a note has now and had not: what stands in them was read."""
    yield from (key for key in KNOWN_KEYS if key in now.key_lines and key not in before.key_lines)
    yield from (section for section in now.sections if section not in before.sections)


def _find_read_texts(before: ReadNote, now: ReadNote) -> Iterator[str]:
    """Yield what of a note became edits, in its own words: fields and lines that are not as they were."""
    fields = [
        (before.title, now.title),
        (before.description, now.description),
        (before.kind, now.kind),
        (before.status, now.status),
        (before.place, now.place),
    ]
    yield from (text for text_before, text in fields if text != text_before)
    yield from (name for name in now.aliases if name not in before.aliases)
    yield from (tag for tag in now.tags if tag not in before.tags)
    known = {line.content for line in (*before.facts, *before.relations, *before.numbers)}
    for line in (*now.facts, *now.relations, *now.numbers):
        # What is struck through and was never there is proposed as nothing.
        if line.content not in known and (line.label or not _STRUCK.fullmatch(line.text)):
            yield from (line.text, *line.links)


def find_unread_words(
    before_text: str, text: str, whole_text: str, changes: NoteChanges
) -> list[tuple[int, str]]:
    """Return the line of the first word of a note that neither stood there before nor became an edit.

    Whatever reads a note can miss something in it (a comment, the end of a link): that may not be written over.
    `text` is the note without the player's own part, `whole_text` with it: by that lines are counted.
    """
    known_words = _count_words(before_text)
    for words in changes.read_texts:
        known_words.update(_count_words(words))
    for line in text.split("\n"):
        for word, count in _count_words(line).items():
            known_words[word] -= count
            if known_words[word] < 0:
                number = whole_text.split("\n").index(line) + 1
                why = f"“{word}” is not read here: put it below the mark, or write it under Facts"
                return [(number, why)]
    return []


def _count_words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(unescape(_MARK.sub(" ", text)).casefold()))


def read_new_note(note: ReadNote, name: str) -> NoteChanges:
    """Return what the note of something new says of it besides its names and description."""
    changes = NoteChanges(problems=list(note.problems))
    _read_where_and_status(ReadNote(), note, name, changes)
    changes.edits += [
        AddedFact(line.number, complete_sentence(line.text, name))
        for line in (*note.facts, *note.relations)
        if line.text
    ]
    changes.problems += [(line.number, _UNREAD_SECTION) for line in note.unread[:1]]
    changes.read_texts += _find_headings(ReadNote(), note)
    changes.read_texts += _find_read_texts(ReadNote(), note)
    return changes


def _compare_fields(before: ReadNote, now: ReadNote) -> Iterator[FieldEdit]:
    if now.aliases != before.aliases:
        yield FieldEdit(now.key_lines.get("aliases", 1), EntityField.ALIASES, now.aliases)
    if now.description != before.description:
        yield FieldEdit(now.description_line, EntityField.DESCRIPTION, (now.description,))
    line = now.key_lines.get("tags", 1)
    for tag in (tag for tag in now.tags if tag not in before.tags):
        yield FieldEdit(line, EntityField.ADDED_TAG, (tag,))
    for tag in (tag for tag in before.tags if tag not in now.tags):
        yield FieldEdit(line, EntityField.REMOVED_TAG, (tag,))
    known_numbers = {number.text for number in before.numbers}
    for number in (number for number in now.numbers if number.text not in known_numbers):
        yield FieldEdit(number.number, EntityField.NUMBER, (number.text,))


def complete_sentence(text: str, name: str) -> str:
    """Return a line of a note as a sentence that says whom it is about: `is wet` and `She is wet` are `Mara is wet`."""
    if task := _TASK.fullmatch(text):
        return f"question: {task[1]}"
    text = next((text.removeprefix(p) for p in STANDING_PREFIXES if text.startswith(p)), text)
    if not name:
        return text
    if match := _SUBJECT_WORD.match(text):
        return f"{name}{text[match.end() :]}"
    if match := _OWNER_WORD.match(text):
        return f"{name}'s{text[match.end() :]}"
    return f"{name} {text}" if text[:1].islower() and not _names_kind(text) else text


def _names_kind(text: str) -> bool:
    """Return whether a line begins as a typed fact does that names its kind: `promise: ...`."""
    return re.match(r"[a-z][a-z ]{2,14}:\s", text) is not None


def _compare_lines(before: Sequence[NoteLine], now: Sequence[NoteLine], name: str) -> Iterator[NoteEdit]:
    """Yield what became of the lines: by their footnotes, and of those that lost it by their words."""
    known = {line.content for line in before}
    before_by_label = {line.label: line for line in before if line.label}
    kept_labels: set[str] = set()
    new_lines: list[NoteLine] = []
    for line in now:
        if line.content in known:
            kept_labels.add(line.label)
            continue
        old_line = before_by_label.get(line.label)
        if old_line is None or line.label in kept_labels:
            new_lines.append(line)
            continue
        kept_labels.add(line.label)
        if struck := _STRUCK.fullmatch(line.text):
            yield RemovedFact(line.number, line.label, struck[1])
        elif not line.text:
            yield RemovedFact(line.number, line.label, old_line.text)
        else:
            yield RewordedFact(line.number, line.label, complete_sentence(line.text, name))
    gone_lines = [line for line in before if line.label and line.label not in kept_labels]
    for line in new_lines:
        if same := next((one for one in gone_lines if _is_reworded(one.text, line.text)), None):
            gone_lines.remove(same)
            if same.text != line.text:
                yield RewordedFact(line.number, same.label, complete_sentence(line.text, name))
        elif line.text and not _STRUCK.fullmatch(line.text):
            yield AddedFact(line.number, complete_sentence(line.text, name))
    for line in gone_lines:
        yield RemovedFact(line.number, line.label, line.text)


def _is_reworded(old_text: str, text: str) -> bool:
    return SequenceMatcher(None, old_text.casefold(), text.casefold(), autojunk=False).ratio() > MIN_REWORDED


def _read_where_and_status(before: ReadNote, now: ReadNote, name: str, changes: NoteChanges) -> None:
    if now.place != before.place:
        line = now.key_lines.get("where", 1)
        if now.place:
            changes.edits.append(AddedFact(line, f"{name} is in {now.place}."))
        else:
            changes.problems.append((line, "to leave a place, take its line out under Relations"))
    if now.status != before.status:
        line = now.key_lines.get("status", 1)
        if now.status == "dead" or (now.status == "alive" and before.status):
            changes.edits.append(AddedFact(line, f"{name} is {now.status}."))
        elif now.status != "alive":
            changes.problems.append((line, "a status is alive or dead; anything else is a fact"))


def _find_read_only_changes(
    before: Mapping[str, Sequence[NoteLine]], now: ReadNote
) -> Iterator[tuple[int, str]]:
    for section in before.keys() | now.read_only.keys():
        old_texts = [line.text for line in before.get(section, ())]
        new_lines = now.read_only.get(section, [])
        if old_texts != [line.text for line in new_lines]:
            changed = next((line for line in new_lines if line.text not in old_texts), None)
            number = changed.number if changed else new_lines[0].number if new_lines else 1
            yield number, f"{section} are not changed from a note"
