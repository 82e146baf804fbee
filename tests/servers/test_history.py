"""`History` on real servers: a universe round-trips, and a failed load is rolled back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from stores.history import RECORD_COLLECTIONS, CollectionRecords
from stores.open import open_stores
from stores.records.base import Record
from stores.records.ids import Id
from stores.servers.history import ServerHistory
from tests.campaign import play_campaign
from tests.servers.conftest import history_there

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("neo4j"), pytest.mark.timeout(300)]


@pytest.fixture
async def history(on_servers: dict[str, str]) -> AsyncIterator[ServerHistory]:
    async with history_there() as history:
        yield history


@pytest.fixture
async def campaign(tmp_path: Path) -> tuple[Id, dict[str, list[Record]]]:
    """A small campaign with something of everything, played at home."""
    stores = await open_stores(tmp_path / "home")
    try:
        universe_id = await play_campaign(stores)
        return universe_id, await everything(stores.history, universe_id)
    finally:
        await stores.close()


async def everything(history: object, universe_id: Id) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    await history.dump(universe_id, lambda name, records: found.update({name: list(records)}))  # type: ignore[attr-defined]
    return found


async def test_server_history_round_trips_a_universe(
    history: ServerHistory, campaign: tuple[Id, dict[str, list[Record]]]
) -> None:
    universe_id, whole = campaign
    assert await history.load(whole.items(), mentioned_ids=[universe_id]) == set()
    assert await everything(history, universe_id) == whole
    assert await history.load(whole.items(), mentioned_ids=[universe_id]) == {universe_id}
    assert await history.load(whole.items(), mentioned_ids=[universe_id], finish_partial=True) == set()
    assert await everything(history, universe_id) == whole


async def test_server_history_rolls_back_a_failed_load(
    history: ServerHistory, campaign: tuple[Id, dict[str, list[Record]]]
) -> None:
    universe_id, whole = campaign

    def cut_off() -> Iterator[CollectionRecords]:
        for name in RECORD_COLLECTIONS:
            if name == "resolutions":
                raise RuntimeError("the archive ends here")
            yield name, whole[name]

    with pytest.raises(RuntimeError):
        await history.load(cut_off(), mentioned_ids=[universe_id])
    listed: list[Id] = []
    await history.dump_all(lambda whose, name, records: listed.append(whose))
    assert universe_id not in listed
    assert await history.load(whole.items(), mentioned_ids=[universe_id]) == set()
    assert await everything(history, universe_id) == whole
