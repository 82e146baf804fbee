"""Reading what should be indexed, beside play."""

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
    """The lanes of words and of vectors compare all of canon at a start, both at once."""
    async with library(tmp_path) as stores:
        canon, log = stores.canon(Role.INDEXER), stores.log(Role.INDEXER)
        reading, most = 0, 0

        def counted(read: Any) -> Any:
            async def counting(*given: Any, **named: Any) -> Any:
                nonlocal reading, most
                reading += 1
                most = max(most, reading)
                try:
                    await asyncio.sleep(0)
                    return await read(*given, **named)
                finally:
                    reading -= 1

            return counting

        for store, name in ((canon, "entities"), (canon, "facts"), (log, "snippets")):
            monkeypatch.setattr(store, name, counted(getattr(store, name)))
        truth = SourceReader(canon, log)
        await asyncio.gather(
            *(truth.read_canon(make.UNIVERSE) for _ in range(2)),
            *(truth.read_snippets(make.new_id()) for _ in range(2)),
        )
        assert most == 1
