"""Looking at the world: entities, their cards, what rests on what."""

from __future__ import annotations

from collections.abc import Sequence

from agents.views.play_views import EntityCard, FactView
from agents.world_time.calendar import format_tick
from stores.ports import CanonReader, LogReader
from stores.records.canon import Evidence, Fact, FactKind, FactStatus
from stores.records.ids import Id
from stores.records.world import Calendar, Entity

_HAPPENINGS = (FactKind.EVENT, FactKind.ENCOUNTER, FactKind.CHANGE, FactKind.ASSERTION)


class Atlas:
    """Reads canon for screens. Stateless and read-only."""

    def __init__(self, canon: CanonReader, log: LogReader) -> None:
        self._canon = canon
        self._log = log

    async def card(self, entity_id: Id) -> EntityCard:
        """Return one entity with its facts, relations, history, evidence and scenes."""
        entity = await self._canon.entity(entity_id)
        calendar = (await self._canon.universe(entity.universe_id)).calendar
        every = await self._canon.facts_about(entity_id, history=True)
        views = await self.views(every, calendar)
        current = [v for v in views if v.current]
        return EntityCard(
            entity=entity,
            facts=tuple(v for v in current if v.fact.kind is not FactKind.RELATION),
            relations=await self._relations(entity, [v for v in current if v.fact.kind is FactKind.RELATION]),
            history=tuple(v for v in views if not v.current),
            evidence=tuple(await self._canon.evidence_of(entity_id)),
            appears_in=tuple(await self._scenes(entity_id)),
        )

    async def facts(self, fact_ids: Sequence[Id], calendar: Calendar) -> list[FactView]:
        """Return these facts with what they rest on, in this order; unknown ones are left out."""
        known = await self._canon.facts_by_id(fact_ids)
        return await self.views([known[i] for i in fact_ids if i in known], calendar)

    async def views(self, facts: Sequence[Fact], calendar: Calendar) -> list[FactView]:
        """Return facts with what they rest on and what took their place."""
        evidence = await self._canon.evidence_of_all([fact.id for fact in facts])
        return [await self._fact(fact, calendar, evidence[fact.id]) for fact in facts]

    async def as_they_were(self, facts: Sequence[Fact], calendar: Calendar) -> list[FactView]:
        """Return facts as they stood at a moment in the past, at which they were so."""
        evidence = await self._canon.evidence_of_all([fact.id for fact in facts])
        return [FactView(f, True, when_so(f, calendar), tuple(evidence[f.id])) for f in facts]

    async def _fact(self, fact: Fact, calendar: Calendar, evidence: Sequence[Evidence]) -> FactView:
        newer = [] if _current(fact) else await self._canon.superseded_by(fact.id)
        return FactView(
            fact=fact,
            current=_current(fact),
            when=when_so(fact, calendar),
            evidence=tuple(evidence),
            superseded_by=newer[-1].statement if newer else "",
        )

    async def _relations(
        self, entity: Entity, relations: Sequence[FactView]
    ) -> tuple[tuple[str, Entity, FactView], ...]:
        """Pair each relation with the entity at its other end."""
        others = {i.entity_id for view in relations for i in view.fact.involves if i.entity_id != entity.id}
        known = await self._canon.entities_by_id(others)
        return tuple(
            (view.fact.predicate, known[i.entity_id], view)
            for view in relations
            for i in view.fact.involves
            if i.entity_id in known
        )

    async def _scenes(self, entity_id: Id) -> list[str]:
        titles = []
        for scene_id in await self._canon.appearances(entity_id):
            scene = await self._log.scene(scene_id)
            titles.append(f'Scene {scene.order} "{scene.title}"')
        return titles


def _current(fact: Fact) -> bool:
    """What happened stays so; what was the case is history once it has ended."""
    return fact.status is FactStatus.CANONICAL and (fact.valid_to is None or fact.kind in _HAPPENINGS)


def when_so(fact: Fact, calendar: Calendar) -> str:
    """Return the time that a fact holds, as people say it."""
    if fact.valid_from is None:
        return "" if fact.valid_to is None else f"until {format_tick(calendar, fact.valid_to)}"
    since = format_tick(calendar, fact.valid_from)
    until = since if fact.valid_to is None else format_tick(calendar, fact.valid_to)
    return since if until == since else f"{since} to {until}"
