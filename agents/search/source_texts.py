"""Which texts of sources may be taken at their word: those of rule books, and not those of character cards."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection

from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.sources import CARD_MEDIA_TYPE, Snippet


async def read_source_texts(log: LogReader, snippet_ids: Collection[Id]) -> dict[Id, Snippet]:
    """Return the snippets without those of character cards, of which nothing was decided."""
    if not snippet_ids:
        return {}
    snippets = await log.snippets_by_id(snippet_ids)
    source_ids = sorted({snippet.source_id for snippet in snippets.values()})
    sources = await gather(*(log.source(source_id) for source_id in source_ids))
    card_ids = {source.id for source in sources if source.media_type == CARD_MEDIA_TYPE}
    return {i: snippet for i, snippet in snippets.items() if snippet.source_id not in card_ids}
