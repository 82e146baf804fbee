"""A log imported while a server is down is the same there once it is back."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.importers.import_views import ImportProgress
from monitor_tui.compose import compose
from stores.authority import Store
from stores.records.ids import SeededIdGenerator
from tests.agents.importers.test_importer import TURNS, import_request
from tests.replication.fake_servers import (
    FakeServers,
    ManualSleep,
    open_copy,
    read_everything,
    wait_until_healthy,
)
from tests.replication.sessions import new_clock


@pytest.mark.parametrize("down", [Store.LOG, Store.CANON])
async def test_import_log_works_during_an_outage(
    far: FakeServers, naps: ManualSleep, tmp_path: Path, down: Store
) -> None:
    clock = new_clock()
    async with open_copy(far, tmp_path / "home", sleep=naps) as stores:
        services = compose(stores, tmp_path / "home", clock, SeededIdGenerator(1, clock))

        def hear(progress: ImportProgress) -> None:
            if progress.scenes == 2:
                far.down.add(down)

        done = await services.imports.import_log(import_request(), hear)
        assert done.turns == TURNS
        assert (await services.imports.import_log(import_request())).was_already_complete
        far.down.clear()
        await wait_until_healthy(stores, naps)
        assert await read_everything(stores) == await read_everything(far.stores)
