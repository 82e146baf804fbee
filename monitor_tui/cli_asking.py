"""What the commands share that ask the record: it is indexed first, and what wakes up is waited for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeVar

from monitor_tui.cli_common import progress, story_named, universe_named

if TYPE_CHECKING:
    from agents.services.services import Services
    from stores.records.ids import Id

PATIENCE: Final = 60.0
"""Seconds that a question waits for an embedding model that wakes up; a screen does not wait so long."""
_AGAIN: Final = 0.2


class Noted(Protocol):
    @property
    def notes(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=Noted)


async def up_to_date(services: Services, universe_id: Id) -> None:
    """Index what is missing of a universe; how far it is goes to stderr, if it takes long."""
    settling = asyncio.ensure_future(services.jobs.wait_until_idle(universe_id))
    told = False
    try:
        while True:
            done, _ = await asyncio.wait([settling], timeout=2.0)
            if done:
                settling.result()
                break
            if waiting := services.jobs.count_items_left(universe_id):
                progress(f"Indexing: {waiting:,} words and vectors to do ...")
                told = True
    finally:
        settling.cancel()
    if told:
        progress("Indexed.")


class Where(NamedTuple):
    """Where a command is to look, as it was said. `now`: whatever is indexed, at once."""

    universe: str = ""
    story: str = ""
    now: bool = False


async def looked_in(services: Services, where: Where) -> tuple[Id, Id | None]:
    """Return the universe (and the story) that is meant, indexed unless that is not waited for. Raises
    InputError."""
    universe_id, story_id = await _meant(services, where)
    if not where.now:
        await up_to_date(services, universe_id)
    return universe_id, story_id


async def _meant(services: Services, where: Where) -> tuple[Id, Id | None]:
    if where.story and not where.universe:
        # A title that one story alone bears says where that is.
        titled = [
            card
            for card in await services.stories.stories()
            if card.story.title.casefold() == where.story.casefold()
        ]
        if len(titled) == 1:
            return titled[0].universe.id, titled[0].story.id
    universe = await universe_named(services, where.universe)
    return universe.id, await story_named(services, universe, where.story) if where.story else None


async def patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask; and again while the embedding model wakes up."""
    from agents.indexer.meaning import WAKES

    until = time.monotonic() + PATIENCE
    while True:
        found = await ask()
        if not any(WAKES in note for note in found.notes) or time.monotonic() > until:
            return found
        await asyncio.sleep(_AGAIN)
