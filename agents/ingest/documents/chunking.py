"""Splits pages into chunks that are read, indexed and quoted as a whole.

Imported by the processes that work on documents, never at the program's start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from semantic_text_splitter import MarkdownSplitter

from agents.ingest.documents.document import Chunk, Page

CHUNK_CHARACTERS: Final = (1_200, 1_600)
"""Characters at which a chunk is full, and at most. That is about 300 to 400 tokens: a rule with its heading
and exceptions, or a stat block, stays together; a small model's context takes several; and the embedding
model, which reads 256 tokens, still sees most of it."""


def split_document(pages: Iterable[Page]) -> Iterator[Chunk]:
    """Yield the chunks of pages in order: at headings, else paragraphs, sentences, words; never over a page's end.

    Whitespace around a chunk is no part of it: `page.text[first:last] == chunk.text`.
    """
    splitter = MarkdownSplitter(CHUNK_CHARACTERS)
    ordinal = 0
    for page in pages:
        for start, text in splitter.chunk_indices(page.text):
            yield Chunk(ordinal, page.number, (start, start + len(text)), text)
            ordinal += 1
