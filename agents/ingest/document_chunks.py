"""Makes the records of a document's pages and chunks. Pure.

Their identifiers are derived, so that reading a document again makes the same records. A chunk keeps its identifier,
and what served it, in every edition that has its text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from agents.ingest.documents.document import Chunk, Page
from stores.records.sources import LadderStage, Snippet, Source, SourcePage, derive_page_id, derive_snippet_id


def build_pages(source: Source, pages: Iterable[Page]) -> list[SourcePage]:
    """Return the records of the pages of the source's present edition."""
    return [
        SourcePage(
            id=derive_page_id(source.id, source.edition, page.number),
            source_id=source.id,
            universe_id=source.universe_id,
            edition=source.edition,
            number=page.number,
            label=page.label,
            text=page.text,
        )
        for page in pages
    ]


def build_snippets(source: Source, chunks: Iterable[Chunk], stored: Iterable[Snippet] = ()) -> list[Snippet]:
    """Return the records of the chunks of the present edition.

    One that is `stored` keeps what served it, and takes its place in this edition.
    """
    stored_by_id = {snippet.id: snippet for snippet in stored}
    text_counts: Counter[str] = Counter()
    snippets = []
    for chunk in chunks:
        snippet_id = derive_snippet_id(source.id, chunk.text, text_counts[chunk.text])
        text_counts[chunk.text] += 1
        place = {
            "ordinal": chunk.ordinal,
            "page": chunk.page,
            "span": chunk.span,
            "edition": source.edition,
        }
        if earlier := stored_by_id.get(snippet_id):
            snippets.append(earlier.model_copy(update=place))
        else:
            snippets.append(
                Snippet(
                    id=snippet_id,
                    source_id=source.id,
                    universe_id=source.universe_id,
                    text=chunk.text,
                    **place,
                )
            )
    return snippets


def select_present(source: Source, snippets: Iterable[Snippet]) -> list[Snippet]:
    """Return the snippets that the present edition has."""
    return [snippet for snippet in snippets if snippet.edition == source.edition]


def needs_enrichment(stage: LadderStage) -> bool:
    """Return whether a chunk that this stage served is read again once there is a model."""
    return stage in (LadderStage.GENERATED, LadderStage.FORCED)


def select_unanswered(source: Source, snippets: Iterable[Snippet]) -> list[Snippet]:
    """Return the snippets that a model was asked about in vain, and that plain rules served."""
    return [
        snippet
        for snippet in select_present(source, snippets)
        if snippet.asked_model and snippet.stage is not None and needs_enrichment(snippet.stage)
    ]
