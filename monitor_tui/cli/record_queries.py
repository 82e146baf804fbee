"""What commands that query the record share: they index it first, and wait for the embedding model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeVar

from monitor_tui.cli.common import find_story, find_universe, print_progress

if TYPE_CHECKING:
    from agents.services.services import Services
    from stores.records.ids import Id

EMBEDDER_TIMEOUT: Final = 60.0
"""Seconds that a question waits for an embedding model that wakes up; a screen does not wait so long."""
_RETRY_PAUSE: Final = 0.2


class HasNotes(Protocol):
    @property
    def notes(self) -> tuple[str, ...]: ...


Answered = TypeVar("Answered", bound=HasNotes)


async def index_universe(services: Services, universe_id: Id) -> None:
    """Index what is missing of a universe; how far it is goes to stderr, if it takes long."""
    index_task = asyncio.ensure_future(services.jobs.wait_until_idle(universe_id))
    has_reported = False
    try:
        while True:
            finished_tasks, _ = await asyncio.wait([index_task], timeout=2.0)
            if finished_tasks:
                index_task.result()
                break
            if remaining_count := services.jobs.count_items_left(universe_id):
                print_progress(f"Indexing: {remaining_count:,} words and vectors to do ...")
                has_reported = True
    finally:
        index_task.cancel()
    if has_reported:
        print_progress("Indexed.")


class QueryScope(NamedTuple):
    """Where a command is to look, as it was said. `now`: whatever is indexed, at once."""

    universe: str = ""
    story: str = ""
    skip_indexing: bool = False


async def prepare_scope(services: Services, scope: QueryScope) -> tuple[Id, Id | None]:
    """Return the universe (and the story) that is meant, indexed unless that is not waited for.

    Raises InputError.
    """
    universe_id, story_id = await _resolve_scope(services, scope)
    if not scope.skip_indexing:
        await index_universe(services, universe_id)
    return universe_id, story_id


async def _resolve_scope(services: Services, scope: QueryScope) -> tuple[Id, Id | None]:
    if scope.story and not scope.universe:
        # A title that one story alone bears says where that is.
        matching_cards = [
            card
            for card in await services.stories.stories()
            if card.story.title.casefold() == scope.story.casefold()
        ]
        if len(matching_cards) == 1:
            return matching_cards[0].universe.id, matching_cards[0].story.id
    universe = await find_universe(services, scope.universe)
    return universe.id, await find_story(services, universe, scope.story) if scope.story else None


async def query_until_awake(run_query: Callable[[], Awaitable[Answered]]) -> Answered:
    """Ask; and again while the embedding model wakes up."""
    from agents.indexer.question_vectors import STARTING_NOTE

    deadline = time.monotonic() + EMBEDDER_TIMEOUT
    while True:
        answer = await run_query()
        if not any(STARTING_NOTE in note for note in answer.notes) or time.monotonic() > deadline:
            return answer
        await asyncio.sleep(_RETRY_PAUSE)
