"""The names of a whole document: what a chunk of it calls by a short name, another chunk names in full."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, assert_never

from agents.ingest.documents.document import Page
from agents.ingest.names.name_words import load_name_words
from agents.ingest.names.named_text import NamedOne, read_named_text
from agents.ingest.structure.definitions import read_definitions, read_term_table
from agents.ingest.structure.headings import kind_of_title, name_in_heading
from agents.ingest.structure.introductions import is_proper_name, kind_of_described
from agents.ingest.structure.markdown_blocks import (
    FenceBlock,
    HeadingBlock,
    TableBlock,
    TextBlock,
    split_blocks,
)
from agents.ingest.structure.stat_blocks import find_sheet_blocks
from agents.ingest.structure.word_uses import count_word_uses
from stores.records.world import EntityKind

_LABEL_EDGE: Final = re.compile(
    r"(?<=[\w.])[*_]{2,3}\s+(?=[A-Z])|(?<=[A-Z]\w)\s+[*_]{2,3}(?=[A-Z])"
    r"|(?<=\w)\s+[*_]{2,3}(?=[A-Z][^*_\n]*[*_]{2,3}\s*[A-Z\d])"
)
"""Where a bold label begins or ends: it is no part of a name beside it."""
_STATED_BEING: Final = re.compile(
    r"(?:^|[.!?]\s+)(?P<name>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){0,3}) (?:is|was) (?P<being>an? [^.!?\n]{3,80})",
    re.MULTILINE,
)
"""`Gallowmere is a drowned valley`."""
_MARKUP: Final = re.compile(r"[*_`#>|\\]")
MAX_DOCUMENT_NAMES: Final = 5_000


@dataclass(frozen=True, slots=True)
class DocumentName:
    """Somebody or something that a document names."""

    name: str
    kind: EntityKind
    aliases: tuple[str, ...] = ()


def find_in_document(pages: Iterable[Page]) -> tuple[DocumentName, ...]:
    """Return the names of a document's prose and headings, with what else it calls them."""
    return find_names_in_texts([page.text for page in pages])


def kind_of_named(one: NamedOne) -> EntityKind:
    """Return the kind of a name; in a rulebook one of which nothing is told is a term, and nobody."""
    return one.kind if one.is_certain_kind else EntityKind.CONCEPT


class Introduction(NamedTuple):
    """A name that has a heading or a definition of its own, and what is said there."""

    name: str
    description: str


def find_introduced_names(texts: Iterable[str]) -> set[str]:
    """Return what has a heading or a definition of its own in the parts of a document."""
    return {one.name for text in texts for one in read_introductions(text)}


def read_introductions(text: str) -> Iterator[Introduction]:
    """Yield what a text introduces by headings and definitions; nothing of stat blocks but their headings."""
    blocks = split_blocks(text)
    sheet_blocks = find_sheet_blocks(blocks, text)
    for index, block in enumerate(blocks):
        match block:
            case HeadingBlock():
                following = blocks[index + 1] if index + 1 < len(blocks) else None
                is_described = isinstance(following, TextBlock) and not following.is_list
                if (name := name_in_heading(block.title)) and index not in sheet_blocks:
                    described = text[following.start : following.end] if following and is_described else ""
                    yield Introduction(name, described)
            case TextBlock():
                if index not in sheet_blocks:
                    for one in read_definitions(block, text, in_glossary=False):
                        yield Introduction(one.term, one.meaning)
            case TableBlock():
                for one in read_term_table(block):
                    yield Introduction(one.term, one.meaning)
            case FenceBlock():
                pass
            case _:
                assert_never(block)


def find_names_in_texts(texts: Sequence[str]) -> tuple[DocumentName, ...]:
    """Return the names of the parts of a document."""
    prose: list[str] = []
    introductions: dict[str, Introduction] = {}
    for text in texts:
        blocks = split_blocks(text)
        sheet_blocks = find_sheet_blocks(blocks, text)
        prose += [
            _MARKUP.sub(" ", _LABEL_EDGE.sub(" ; ", text[block.start : block.end]))
            for index, block in enumerate(blocks)
            if isinstance(block, TextBlock) and index not in sheet_blocks
        ]
        for one in read_introductions(text):
            introductions.setdefault(one.name.casefold(), one)
    prose_text = "\n\n".join(prose)
    uses = count_word_uses(prose_text, load_name_words().first_names)
    prose_text = _part_labels(prose_text, uses.labels)
    introductions = {
        key: one for key, one in introductions.items() if uses.is_name(one.name, is_introduced=True)
    }
    named = [
        one
        for one in read_named_text(prose_text).named
        if uses.is_name(one.name, is_introduced=one.name.casefold() in introductions)
    ]
    stated_kinds = {
        key: kind
        for match in _STATED_BEING.finditer(prose_text)
        if (kind := kind_of_described(match["being"], EntityKind.CONCEPT)) is not EntityKind.CONCEPT
        for key in [match["name"].casefold()]
    }
    guesses = {
        key: stated_kinds.get(key, kind_of_title(one.name, {}) if key in uses.terms else kind_of_named(one))
        for one in named
        for key in [one.name.casefold()]
    }
    kinds = {
        key: kind_of_described(one.description, kind_of_title(one.name, guesses))
        for key, one in introductions.items()
    }
    full_names = {short: one.name for one in introductions.values() if (short := _untitled(one.name))}
    names = [
        _under_full_name(one, full_names, kinds)
        if one.name.casefold() in full_names.keys() - introductions.keys()
        else DocumentName(
            one.name,
            kinds.get(one.name.casefold(), guesses[one.name.casefold()]),
            # What is introduced by itself is somebody of its own, and no other name of another.
            tuple(alias for alias in one.aliases if alias.casefold() not in introductions),
        )
        for one in named
    ]
    known = {spelling.casefold() for name in names for spelling in (name.name, *name.aliases)}
    names += [
        DocumentName(one.name, kinds[key])
        for key, one in introductions.items()
        if key not in known and is_proper_name(one.name)
    ]
    return tuple(names[:MAX_DOCUMENT_NAMES])


def _part_labels(text: str, labels: Collection[str]) -> str:
    """Return a text whose labels begin a clause: `Components: V, S Duration: 1 hour` has nobody called S Duration."""
    if not labels:
        return text
    label = "|".join(re.escape(one) for one in sorted(labels))
    return re.sub(rf"(?<=\w)\s+(?=[A-Z])(?=(?i:{label})[*_]{{0,3}}:)", " ; ", text)


def _untitled(name: str) -> str:
    """Return a name in lower case without the `Old` before it; empty if there is none."""
    first, _, rest = name.casefold().partition(" ")
    return rest if rest and first in load_name_words().soft_titles else ""


def _under_full_name(
    one: NamedOne, full_names: Mapping[str, str], kinds: Mapping[str, EntityKind]
) -> DocumentName:
    full_name = full_names[one.name.casefold()]
    aliases = (name for name in (one.name, *one.aliases) if name.casefold() != full_name.casefold())
    return DocumentName(full_name, kinds[full_name.casefold()], tuple(aliases))
