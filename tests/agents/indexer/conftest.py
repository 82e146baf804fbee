"""One child process of the embedding model serves all tests of a file."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from agents.indexer.minilm_embedder import MiniLmEmbedder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def embedder() -> AsyncIterator[MiniLmEmbedder]:
    made = MiniLmEmbedder()
    yield made
    await made.close()
