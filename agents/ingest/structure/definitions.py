"""Reads definitions: bold terms that open a paragraph, lines `Term: meaning`, and tables of term and meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agents.ingest.structure.introductions import is_proper_name, kind_of_described
from agents.ingest.structure.markdown_blocks import TableBlock, TextBlock, plain_text, strip_list_mark
from stores.records.world import EntityKind

_BOLD_TERM: Final = re.compile(
    r"\s*(?P<mark>\*{1,3}|_{1,3})(?:\*|_)?(?P<term>[^*_\n]{2,60}?)(?P<inner>[.:]?)(?:\*|_)?(?P=mark)"
    r"(?P<outer>\s*[:–—]|\s+-(?=\s)|[.,]|)\s*(?P<meaning>\S.*)",
    re.DOTALL,
)
_PLAIN_TERM: Final = re.compile(
    r"\s*(?P<term>[A-Z][\w'’ /()-]{1,50}?)\s*(?::|\s[–—]\s)\s*(?P<meaning>\S.*)", re.DOTALL
)
_NUMBERED: Final = re.compile(r"\s*\d{1,3}[.)]\s")
_DEFINITION_LINE: Final = re.compile(r"\s*:\s+(\S.*)", re.DOTALL)
_MAX_TERM_WORDS: Final = 6
_MIN_MEANING_WORDS: Final = 3
_MIN_SIBLINGS: Final = 2
"""Lines `Term: meaning` from which they are definitions."""
_TERM_HEADERS: Final = frozenset(
    ["term", "name", "word", "keyword", "condition", "trait", "property", "item", "move", "skill", "ability",
     "tag", "concept", "spell", "faction", "place", "person", "npc", "location", "god", "deity", "deities",
     "rank", "role"]
)  # fmt: skip
_MEANING_HEADERS: Final = frozenset(
    ["meaning", "definition", "description", "effect", "explanation", "what it is", "what it does", "summary",
     "details", "notes", "benefit", "purpose", "who they are"]
)  # fmt: skip
_NO_TERMS: Final = frozenset(
    ["note", "notes", "example", "examples", "tip", "warning", "important", "optional", "optional rule",
     "variant", "see", "designer's note", "sidebar", "armor class", "armour class", "hit points", "speed",
     "skills", "senses", "languages", "challenge", "saving throws", "damage resistances", "damage immunities",
     "damage vulnerabilities", "actions", "condition immunities", "str", "dex", "con", "int", "wis", "cha",
     "hp", "ac", "hd", "cr", "level", "cost", "weight", "range", "duration", "casting time", "components",
     "requirements", "prerequisite", "prerequisites", "table", "figure", "page", "chapter", "hit", "miss",
     "melee weapon attack", "ranged weapon attack", "author", "title", "date", "source", "by", "to", "from",
     "subject", "q", "a", "gm", "player", "http", "https", "on a hit", "on a miss", "at higher levels"]
)  # fmt: skip
_SPEECH: Final = frozenset("\"“‘'«")


@dataclass(frozen=True, slots=True)
class Definition:
    term: str
    meaning: str
    start: int
    end: int
    meaning_start: int = 0
    """Where its meaning starts."""


def read_definitions(block: TextBlock, text: str, *, in_glossary: bool) -> Iterator[Definition]:
    """Return the definitions of a paragraph or list."""
    plain_lines: list[Definition] = []
    introductions: list[Definition] = []
    """Items of a list that say who somebody is, of which one is enough."""
    for number, (start, end) in enumerate(
        block.lines if block.is_list or in_glossary else _paragraphs(block, text)
    ):
        line = text[start:end]
        if _NUMBERED.match(line):
            continue  # a step, or a row of a table
        bare_line = strip_list_mark(line)
        if match := _BOLD_TERM.match(bare_line):
            is_term = match["outer"] != "," or is_proper_name(plain_text(match["term"]))
            if (
                (match["inner"] or match["outer"])
                and is_term
                and (definition := _definition(match, start, end))
            ):
                yield definition
        elif (match := _PLAIN_TERM.match(bare_line)) and (definition := _definition(match, start, end)):
            plain_lines.append(definition)
            kind = kind_of_described(definition.meaning, EntityKind.CONCEPT)
            if bare_line != line and is_proper_name(definition.term) and kind is not EntityKind.CONCEPT:
                introductions.append(definition)
        elif number and (match := _DEFINITION_LINE.match(line)):
            term = plain_text(text[slice(*block.lines[number - 1])])
            if _is_term(term):
                yield Definition(term, plain_text(match[1]), block.lines[number - 1][0], end)
    if len(plain_lines) >= _MIN_SIBLINGS or (in_glossary and plain_lines):
        yield from plain_lines
    else:
        yield from introductions


def _paragraphs(block: TextBlock, text: str) -> list[tuple[int, int]]:
    """Return the lines of a paragraph, a wrapped one with its first."""
    spans: list[tuple[int, int]] = []
    for start, end in block.lines:
        line = text[start:end]
        opens = bool(_BOLD_TERM.match(line) or _PLAIN_TERM.match(line) or _DEFINITION_LINE.match(line))
        if spans and not opens:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _definition(match: re.Match[str], start: int, end: int) -> Definition | None:
    term, meaning = plain_text(match["term"]).strip(" .:"), plain_text(match["meaning"])
    if not _is_term(term) or len(meaning.split()) < _MIN_MEANING_WORDS or match["meaning"][0] in _SPEECH:
        return None
    return Definition(term, meaning, start, end, end - len(match["meaning"]))


def _is_term(term: str) -> bool:
    words = term.split()
    return (
        0 < len(words) <= _MAX_TERM_WORDS
        and term[0].isalpha()
        and term.casefold() not in _NO_TERMS
        and not term.endswith(("?", "!", ","))
        and "," not in term
    )


def read_term_table(block: TableBlock) -> Iterator[Definition]:
    """Return the rows of a table of terms and what they mean."""
    headers = [cell.casefold().strip(" :") for cell in block.header]
    if len(headers) < 2 or headers[0] not in _TERM_HEADERS:
        return
    column = next((n for n, cell in enumerate(headers) if n and cell in _MEANING_HEADERS), None)
    if column is None:
        return
    for row, (start, end) in zip(block.rows, block.row_spans, strict=True):
        if len(row) > column and _is_term(row[0]) and row[column]:
            yield Definition(row[0], row[column], start, end)
