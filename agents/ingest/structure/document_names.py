"""The names of a whole document: what a chunk of it calls by a short name, another chunk names in full."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agents.ingest.documents.document import Page
from agents.ingest.names.named_text import NamedOne, read_named_text
from agents.ingest.structure.definitions import read_definitions, read_term_table
from agents.ingest.structure.headings import kind_of_title, name_in_heading
from agents.ingest.structure.markdown_blocks import (
    FenceBlock,
    HeadingBlock,
    TableBlock,
    TextBlock,
    split_blocks,
)
from stores.records.world import EntityKind

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


def find_introduced_names(texts: Iterable[str]) -> set[str]:
    """Return what has a heading or a definition of its own in the parts of a document."""
    names: set[str] = set()
    for text in texts:
        for block in split_blocks(text):
            if isinstance(block, HeadingBlock):
                names.add(name_in_heading(block.title))
            elif isinstance(block, TextBlock):
                names.update(each.term for each in read_definitions(block, text, in_glossary=False))
            elif isinstance(block, TableBlock):
                names.update(each.term for each in read_term_table(block))
    return names - {""}


def find_names_in_texts(texts: Sequence[str]) -> tuple[DocumentName, ...]:
    """Return the names of the parts of a document."""
    prose: list[str] = []
    titles: list[str] = []
    for text in texts:
        for block in split_blocks(text):
            if isinstance(block, HeadingBlock):
                if title := name_in_heading(block.title):
                    titles.append(title)
            elif not isinstance(block, FenceBlock | TableBlock):
                prose.append(_MARKUP.sub(" ", text[block.start : block.end]))
    named = read_named_text("\n\n".join(prose)).named
    names = [DocumentName(one.name, kind_of_named(one), one.aliases) for one in named]
    known = {spelling.casefold() for name in names for spelling in (name.name, *name.aliases)}
    kinds = {name.name.casefold(): name.kind for name in names}
    names += [
        DocumentName(title, kind_of_title(title, kinds))
        for title in dict.fromkeys(titles)
        if title.casefold() not in known
    ]
    return tuple(names[:MAX_DOCUMENT_NAMES])
