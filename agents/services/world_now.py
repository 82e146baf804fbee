"""Reads how a universe stands when another story begins in it: its time, its stories, and where people are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.canon_keeper.fact_readings import LOCATED_IN, OBJECT, SUBJECT
from agents.services.manual_edits import read_present_tick
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery
from stores.records.canon import Standing
from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class WorldNow:
    """How a universe stands."""

    tick: int | None = None
    """The latest tick of play; None where nothing was played."""
    story_titles: frozenset[str] = frozenset()
    place_ids: Mapping[Id, Id] = field(default_factory=dict)
    """Where people and things are by canon, the newest place of each."""


@dataclass(frozen=True, slots=True)
class WorldNowReader:
    canon: CanonReader
    log: LogReader

    async def read(self, universe_id: Id) -> WorldNow:
        """Return how the universe stands. Raises StoreError."""
        facts = await self.canon.facts(universe_id, FactQuery(predicate=LOCATED_IN))
        facts = [fact for fact in facts if fact.standing is Standing.TRUE]
        facts.sort(key=lambda fact: (fact.valid_from or 0, fact.recorded_at))
        places = ((fact.entity(SUBJECT), fact.entity(OBJECT)) for fact in facts)
        stories = (await self.log.readable_stories(universe_id)).records
        return WorldNow(
            await read_present_tick(self.log, universe_id),
            frozenset(story.title for story in stories),
            {who: where for who, where in places if who is not None and where is not None},
        )
