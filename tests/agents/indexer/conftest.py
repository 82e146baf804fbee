"""Fixtures for the indexer tests: one child process of the embedding model per test file."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from agents.indexer.minilm_embedder import MiniLmEmbedder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def embedder() -> AsyncIterator[MiniLmEmbedder]:
    embedder = MiniLmEmbedder()
    yield embedder
    await embedder.close()
