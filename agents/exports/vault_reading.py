"""Reads the note of an entity back, as the player left it, with the line of everything in it. Pure.

Nothing is refused: what cannot be read is a problem with its line, and the rest is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agents.exports.file_names import fold_file_name
from agents.exports.markdown import unescape
from agents.exports.vault_names import PICTURES_FOLDER
from agents.exports.vault_notes import (
    FACTS_SECTION,
    ID_KEY,
    NUMBERS_SECTION,
    OWN_PART_MARK,
    READ_ONLY_SECTIONS,
    RELATIONS_SECTION,
)
from agents.sanitize import clean
from agents.yaml_with_lines import UnreadableYaml, load_yaml

KNOWN_KEYS: Final = (ID_KEY, "kind", "player_character", "aliases", "status", "where", "tags")
"""Properties that MONITOR writes; all others are the player's own."""

MAX_NOTE_CHARS: Final = 1_000_000

_FENCE: Final = re.compile(r"---\s*")
_KEY: Final = re.compile(r"([\w][\w -]*)\s*:")
_HEADING: Final = re.compile(r"(#{1,6})\s+(.*?)(?:\s+#+)?\s*")
_ITEM: Final = re.compile(r"\s*(?:[-*+]|[0-9]{1,4}[.)])\s+(.*)")
_FOOTNOTE: Final = re.compile(r"\[\^([\w-]+)\]:.*")
_FOOTNOTE_MARK: Final = re.compile(r"\s*\[\^(?P<label>[\w-]+)\]\s*$")
_LINK: Final = re.compile(r"!?\[\[([^\[\]|#^]+)(?:[#^][^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
_OWN_PICTURE: Final = re.compile(rf"!\[\[{PICTURES_FOLDER}/[^\[\]|#^]+\]\]\s*")
_COMMENT: Final = re.compile(r"%%.*?%%|<!--.*?-->")


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A line as it reads, without Markdown; `label` is the footnote behind it."""

    number: int
    text: str
    label: str = ""
    links: tuple[str, ...] = ()
    """The notes that it links to."""

    @property
    def content(self) -> tuple[str, str]:
        """What of it is compared: two lines that differ in nothing else are one."""
        return self.text, self.label


@dataclass(slots=True)
class ReadNote:
    """What a note says. Lines are counted from 1."""

    entity_id: str = ""
    kind: str = ""
    status: str = ""
    place: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    key_lines: dict[str, int] = field(default_factory=dict)
    sections: list[str] = field(default_factory=list)
    """The headings under which lines are read."""
    title: str = ""
    title_line: int = 1
    description: str = ""
    description_line: int = 1
    facts: list[NoteLine] = field(default_factory=list)
    relations: list[NoteLine] = field(default_factory=list)
    numbers: list[NoteLine] = field(default_factory=list)
    read_only: dict[str, list[NoteLine]] = field(default_factory=dict)
    unread: list[NoteLine] = field(default_factory=list)
    """Lines under headings that nothing is read from."""
    problems: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SplitNote:
    """A note's text without what is the player's own, and that: properties, and what stands below the mark."""

    text: str
    own_properties: str = ""
    own_part: str = ""

    @property
    def has_own_words(self) -> bool:
        """Return whether the player wrote anything into the note that MONITOR neither reads nor changes."""
        return bool(self.own_properties or self.own_part.replace(OWN_PART_MARK, "").strip())

    def around(self, text: str) -> str:
        """Return another text of MONITOR's with the same parts of the player's own, or with the mark for them."""
        if self.own_properties:
            head, fence, rest = text.partition("\n---\n")
            text = f"{head}\n{self.own_properties}{fence.removeprefix(chr(10))}{rest}" if fence else text
        own_part = self.own_part or f"\n\n{OWN_PART_MARK}\n"
        return f"{text.rstrip(chr(10))}{own_part}"


def split_note(text: str) -> SplitNote:
    """Part a note into what MONITOR writes and what is the player's own."""
    position = text.find(OWN_PART_MARK)
    own_part = ""
    if position != -1:
        # The empty lines before the mark are the player's too.
        kept = text[:position].rstrip("\n")
        own_part, text = text[len(kept) :], f"{kept}\n"
    lines = text.split("\n")
    end = _front_matter_end(lines)
    own_lines: list[str] = []
    kept_lines: list[str] = lines[:1]
    is_own = False
    for line in lines[1:end]:
        if key := _KEY.match(line):
            is_own = key[1].strip() not in KNOWN_KEYS
        (own_lines if is_own else kept_lines).append(line)
    own_properties = "".join(f"{line}\n" for line in own_lines)
    return SplitNote("\n".join([*kept_lines, *lines[end:]]) if end else text, own_properties, own_part)


def read_note(text: str) -> ReadNote:
    """Read a note. Raises nothing: what cannot be read is among its problems."""
    note = ReadNote()
    if len(text) > MAX_NOTE_CHARS:
        note.problems.append((1, f"it has {len(text):,} characters; {MAX_NOTE_CHARS:,} are read"))
        text = text[:MAX_NOTE_CHARS]
    lines = text.replace("\r\n", "\n").split(OWN_PART_MARK)[0].split("\n")
    end = _front_matter_end(lines)
    if end:
        _read_properties(lines[1:end], note)
    _read_body(lines, end + 1 if end else 0, note)
    return note


def redirect_links(text: str, names: Mapping[str, str]) -> str:
    """Return a text whose links lead to other names, by the folded names that they lead to.

    Obsidian changes the links to a note with its name; so they can be read as they were written.
    """
    if not names:
        return text

    def redirect(link: re.Match[str]) -> str:
        name = names.get(fold_file_name(link[1].strip().rpartition("/")[2]))
        return link[0].replace(link[1], name, 1) if name else link[0]

    return _LINK.sub(redirect, text)


def links_to_words(text: str) -> str:
    """Return a text with the words that its links read as; of a path, the name of the note."""
    return _LINK.sub(lambda link: (link[2] or link[1].rpartition("/")[2]).strip(), text)


def _front_matter_end(lines: Sequence[str]) -> int:
    """Return the number of the line that closes the front matter, from 0; 0 if there is none."""
    if not lines or not _FENCE.fullmatch(lines[0].lstrip("\ufeff")):
        return 0
    return next((n for n, line in enumerate(lines[1:], 1) if _FENCE.fullmatch(line)), 0)


def _read_properties(lines: Sequence[str], note: ReadNote) -> None:
    for number, line in enumerate(lines, 2):
        if key := _KEY.match(line):
            note.key_lines.setdefault(key[1].strip(), number)
    try:
        data = load_yaml("\n".join(lines)).data if any(line.strip() for line in lines) else {}
    except UnreadableYaml as error:
        note.problems.append((2, f"its properties cannot be read: {error}"))
        return
    if not isinstance(data, dict):
        note.problems.append((2, "its properties are no list of names and values"))
        return
    note.entity_id = _one_text(data.get(ID_KEY))
    note.kind = _one_text(data.get("kind")).casefold()
    note.status = _one_text(data.get("status")).casefold()
    note.place = links_to_words(_one_text(data.get("where")))
    note.aliases = _texts(data.get("aliases", data.get("alias")))
    note.tags = tuple(tag.removeprefix("#") for tag in _texts(data.get("tags", data.get("tag"))))


def _one_text(value: Any) -> str:
    """Return a value as one line; `[[Yard]]` without quotes is a list in a list."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return " ".join(clean(str(value)).split()) if isinstance(value, str | int | float) else ""


def _texts(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    return tuple(dict.fromkeys(text for each in values if (text := _one_text(each))))


def _read_body(lines: Sequence[str], start: int, note: ReadNote) -> None:
    section: list[NoteLine] | None = None
    has_sections = False
    description: list[tuple[int, str]] = []
    for number, line in _joined_lines(lines, start):
        heading = _HEADING.fullmatch(line)
        if heading and len(heading[1]) == 1 and not note.title and not has_sections:
            note.title, note.title_line = _plain(heading[2]), number
        elif heading:
            has_sections = True
            section = _section(_plain(heading[2]), number, note)
        elif _OWN_PICTURE.fullmatch(line):
            continue
        elif _FOOTNOTE.match(line) or not _COMMENT.sub("", line).strip():
            if not has_sections and not line.strip():
                description.append((number, ""))
        elif has_sections and section is not None:
            item = _ITEM.fullmatch(line)
            section.append(_read_line(number, item[1] if item else line))
        else:
            description.append((number, line))
    told = [(number, line) for number, line in description if line]
    if told:
        note.description_line = told[0][0]
        texts = (_plain(_without_hard_break(line)) for _, line in description)
        note.description = re.sub(r"\n{3,}", "\n\n", "\n".join(texts).strip())


def _without_hard_break(line: str) -> str:
    """Return a line without the backslash that breaks it there; two of them are one of the text's own."""
    trailing_count = len(line) - len(line.rstrip("\\"))
    return line[:-1] if trailing_count % 2 else line


def _joined_lines(lines: Sequence[str], start: int) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers; an indented line that is no item goes on with the item before it."""
    number, current = 0, ""
    for position, line in enumerate(lines[start:], start + 1):
        if _ITEM.fullmatch(current) and line[:1] in " \t" and line.strip() and not _ITEM.fullmatch(line):
            current = f"{current} {line.strip()}"
            continue
        if number:
            yield number, current
        number, current = position, line.rstrip()
    if number:
        yield number, current


def _section(title: str, number: int, note: ReadNote) -> list[NoteLine]:
    folded = title.casefold()
    for known, lines in (
        (FACTS_SECTION, note.facts),
        (RELATIONS_SECTION, note.relations),
        (NUMBERS_SECTION, note.numbers),
    ):
        if folded == known.casefold():
            note.sections.append(known)
            return lines
    for known in READ_ONLY_SECTIONS:
        if folded == known.casefold():
            return note.read_only.setdefault(known, [])
    note.unread.append(NoteLine(number, title))
    return note.unread


def _read_line(number: int, line: str) -> NoteLine:
    label = ""
    line = _COMMENT.sub("", line).strip()
    while mark := _FOOTNOTE_MARK.search(line):
        label, line = mark["label"], line[: mark.start()]
    links = tuple(match[1].strip() for match in _LINK.finditer(line))
    return NoteLine(number, _plain(line), label, links)


def _plain(line: str) -> str:
    """Return a line as it reads: words for links, and nothing escaped."""
    return " ".join(clean(unescape(links_to_words(line))).split())
