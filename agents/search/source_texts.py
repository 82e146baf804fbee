"""Which texts of sources count: those of present editions; and which may be taken at their word: those of no card."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.sources import CARD_MEDIA_TYPE, TAKEN_BACK_STATES, Snippet, Source


@dataclass(frozen=True, slots=True)
class SourceText:
    """A passage of a source."""

    snippet: Snippet
    source: Source

    @property
    def citation(self) -> str:
        """Return where it stands, in words: the title, and the page if there are pages."""
        return cite_page(self.source.title, self.snippet.page)


def cite_page(title: str, page: int | None) -> str:
    """Return a place in a document in words."""
    return title if page is None else f"{title}, page {page}"


async def read_present_snippets(log: LogReader, snippet_ids: Collection[Id]) -> dict[Id, SourceText]:
    """Return the snippets that count, with their sources.

    Those of documents that were taken back, and of earlier editions, do not.
    """
    if not snippet_ids:
        return {}
    snippets = await log.snippets_by_id(snippet_ids)
    sources = await log.sources_by_id({snippet.source_id for snippet in snippets.values()})
    return {
        i: SourceText(snippet, source)
        for i, snippet in snippets.items()
        if (source := sources.get(snippet.source_id)) is not None
        and source.state not in TAKEN_BACK_STATES
        and source.edition == snippet.edition
    }


async def read_source_texts(log: LogReader, snippet_ids: Collection[Id]) -> dict[Id, SourceText]:
    """Return the snippets that count without those of character cards, of which nothing was decided."""
    texts = await read_present_snippets(log, snippet_ids)
    return {i: text for i, text in texts.items() if text.source.media_type != CARD_MEDIA_TYPE}
