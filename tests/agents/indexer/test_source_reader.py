"""Tests that reading for the index leaves a store reader free for play."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.indexer.source_reader import SourceReader
from stores.authority import Role
from tests.contract import builders as make
from tests.libraries import library


async def test_source_reader_leaves_a_store_reader_for_play(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """At a start the queues of words and vectors compare all of canon at the same time."""
    async with library(tmp_path) as stores:
        canon, log = stores.canon(Role.INDEXER), stores.log(Role.INDEXER)
        active_reads, max_reads = 0, 0

        def count_reads(read_method: Any) -> Any:
            async def counted_read(*args: Any, **kwargs: Any) -> Any:
                nonlocal active_reads, max_reads
                active_reads += 1
                max_reads = max(max_reads, active_reads)
                try:
                    await asyncio.sleep(0)
                    return await read_method(*args, **kwargs)
                finally:
                    active_reads -= 1

            return counted_read

        for store, name in ((canon, "entities"), (canon, "facts"), (log, "snippets")):
            monkeypatch.setattr(store, name, count_reads(getattr(store, name)))
        source_reader = SourceReader(canon, log)
        await asyncio.gather(
            *(source_reader.read_canon(make.UNIVERSE) for _ in range(2)),
            *(source_reader.read_snippets(make.new_id()) for _ in range(2)),
        )
        assert max_reads == 1
