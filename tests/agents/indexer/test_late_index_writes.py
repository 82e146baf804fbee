"""A write of a lost worker that an index takes in late is found: what was taken from a worker is compared whole."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from agents.indexer.index_reconciler import Indexer
from agents.indexer.index_worker import IndexWorker
from agents.jobs.remote_messages import DoPiece
from agents.jobs.remote_worker import RemoteWorker
from agents.jobs.worker import RetryLater
from agents.jobs.worker_pipe import WorkAnswer
from agents.jobs.worker_pool import PieceTaken, WorkerPool
from agents.jobs.worker_process import ProcessLost
from tests.agents.indexer.dict_index_writer import DictIndexWriter
from tests.agents.indexer.rebuilt_index import non_empty_collections, rebuild_index
from tests.agents.indexer.test_index_reconciler import create_scene
from tests.libraries import library


class LosingPool:
    """A pool whose first piece is taken from its worker, and whose second is up to date."""

    lease_seconds = 10.0

    def __init__(self, error: Exception) -> None:
        self._errors = [error]

    async def work(self, skill: str, request: DoPiece) -> WorkAnswer:
        if self._errors:
            raise self._errors.pop()
        return WorkAnswer(items_left=0)


@pytest.mark.parametrize("error", [PieceTaken("Lost.", seconds=0.0), ProcessLost("Lost.")])
async def test_late_write_of_a_lost_worker_is_made_up_for(tmp_path: Path, error: Exception) -> None:
    async with library(tmp_path) as stores:
        fixture = await create_scene(stores)
        scene, source_reader = fixture.scene, fixture.source_reader
        turn = await fixture.append_turn("The ford is silent.", None)
        writer = DictIndexWriter()
        local = IndexWorker(source_reader, Indexer(source_reader, writer))
        while await local.reconcile(scene.id):
            pass
        now = 0.0
        remote = RemoteWorker(
            local, cast(WorkerPool, LosingPool(error)), distrust=local.distrust, seconds=lambda: now
        )

        with pytest.raises(type(error)):
            await remote.reconcile(scene.id)
        # Another looks at the scene; it is not done, as the index takes in later what the lost worker has sent.
        with pytest.raises(RetryLater):
            await remote.reconcile(scene.id)
        item = writer.items_by_collection["turns"][turn.id]
        await writer.put("turns", [item._replace(fingerprint="of a line that was undone")])
        now = 10.0
        while await remote.reconcile(scene.id):
            pass
        rebuilt = await rebuild_index(source_reader)
        assert non_empty_collections(writer)["turns"] == rebuilt["turns"]
