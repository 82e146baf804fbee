"""Libraries for tests of what goes from one to another: opened, filled, and told in full."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from stores.authority import Role
from stores.history import NO_UNIVERSE
from stores.open import Stores, open_stores
from stores.records.base import Record
from stores.records.ids import Id, derive_id
from stores.records.workflow import Loop
from tests.campaign import play_campaign
from tests.contract import builders as make

SESSION = derive_id("loop", "main")

Told = dict[Id, dict[str, list[Record]]]


@asynccontextmanager
async def library(home: Path) -> AsyncIterator[Stores]:
    stores = await open_stores(home)
    try:
        yield stores
    finally:
        await stores.close()


async def fill(stores: Stores) -> list[Id]:
    """Two campaigns that share a book and a cold archive, and a session that was left suspended."""
    ids = [await play_campaign(stores), await play_campaign(stores, name="The Other Coast")]
    log = stores.log(Role.ORCHESTRATOR)
    (story, *_) = await log.stories(ids[0])
    moves = (("continue_story", "continue_story"), ("suspend", "suspended"))
    for seq, (event, target) in enumerate(moves, 1):
        move: dict[str, Any] = {
            "seq": seq,
            "loop": Loop.MAIN,
            "event": event,
            "target": target,
            "detail": story.id,
        }
        await log.record_transition(make.transition(SESSION, **move))
    return ids


async def everything(stores: Stores) -> Told:
    """Every record of the library, by universe and collection."""
    found: Told = {}

    def take(universe_id: Id, collection: str, records: Iterator[Record]) -> None:
        found.setdefault(universe_id, {})[collection] = list(records)

    await stores.history.dump_all(take)
    return found


async def objects(stores: Stores) -> dict[str, list[str]]:
    held = stores.objects(Role.CONTEXT_ASSEMBLY)
    return {collection: await held.keys(collection) for collection in ("originals", "archives")}


def in_words(told: Told, universe_id: Id) -> dict[str, list[str]]:
    """A universe's records as sorted lines of JSON."""
    return {name: sorted(r.model_dump_json() for r in records) for name, records in told[universe_id].items()}


def session_of(told: Told) -> list[Record]:
    return told[NO_UNIVERSE]["transitions"]


@contextmanager
def no_room_beyond(size: int) -> Iterator[None]:
    """Let no file of this process grow past `size` bytes: the nearest thing to a full disk."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
