"""Every role tries on the real servers what the write matrix does not grant it, and none gets through."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from stores.authority import WRITE_MATRIX, Role, Store
from stores.doctor import AttemptOutcome
from stores.open import StoreKind, open_stores
from stores.ports import VectorItem
from tests.campaign import play_campaign
from tests.test_worked_examples import monitor

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("neo4j"), pytest.mark.timeout(300)]


async def test_doctor_finds_every_role_restricted_on_servers(
    tmp_path: Path, on_all_servers: dict[str, str]
) -> None:
    kinds = dict.fromkeys(Store, StoreKind.SERVERS)
    stores = await open_stores(tmp_path / "home", kinds=kinds, environ=os.environ)
    try:
        await play_campaign(stores)
        vector = VectorItem("a", [1.0, 0.5], {})
        for collection in ("turns", "memories"):
            await stores.vectors(Role.INDEXER).put(collection, [vector], model="doctor")
        before = await stores.canon(Role.CONTEXT_ASSEMBLY).count()
        tried = [a async for a in stores.doctor.attempts() if a.what.startswith("server: ")]
        assert [a for a in tried if a.outcome is AttemptOutcome.PASSED] == []
        found = Counter((a.store, a.outcome) for a in tried)
        for store in Store:
            assert found[store, AttemptOutcome.REFUSED], f"the server of {store} refused nothing"
        # Whoever may write nothing at all is refused by the server itself, everywhere.
        of_readers = [
            a for a in tried if a.role and not WRITE_MATRIX[a.role] and a.store is not Store.VECTORS
        ]
        assert {a.store for a in of_readers} == set(Store) - {Store.VECTORS}
        assert {a.outcome for a in of_readers} == {AttemptOutcome.REFUSED}
        assert await stores.canon(Role.CONTEXT_ASSEMBLY).count() == before
    finally:
        await stores.close()


def test_doctor_command_lists_refusals_of_servers(tmp_path: Path, on_all_servers: dict[str, str]) -> None:
    told = monitor(tmp_path / "home", "doctor").stdout
    assert "✓" in told
    assert told.count("✗") == 1, "the legend's own"
    assert "Nothing is wrong" in told
    assert "Neo4j Community has no roles" in told
