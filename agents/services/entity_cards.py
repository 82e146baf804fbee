"""Reads entities of canon with their facts, relations and evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.canon_keeper.evidence_order import sort_evidence
from agents.canon_keeper.universe_policy import PolicyStore
from agents.context_assembly.known_secrets import describe_knowers
from agents.views.card_views import EntityCard, FactView
from agents.world_time.calendar import format_tick
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery
from stores.records.canon import Evidence, Fact, FactKind, FactStatus
from stores.records.ids import Id
from stores.records.world import Calendar, Entity, EntityKind

_OCCURRENCE_KINDS = (FactKind.EVENT, FactKind.ENCOUNTER, FactKind.CHANGE, FactKind.ASSERTION)


class EntityCardReader:
    """Reads entities and facts of canon for screens."""

    def __init__(self, canon: CanonReader, log: LogReader, policies: PolicyStore) -> None:
        self._canon = canon
        self._log = log
        self._policies = policies

    async def read_card(self, entity_id: Id) -> EntityCard:
        """Return one entity with its facts, relations, history, evidence and scenes."""
        entity = await self._canon.entity(entity_id)
        calendar = (await self._canon.universe(entity.universe_id)).calendar
        all_facts = await self._canon.facts_about(entity_id, FactsAboutQuery(history=True))
        views = await self.build_fact_views(all_facts, calendar)
        current_views = [v for v in views if v.is_current]
        return EntityCard(
            entity=entity,
            facts=tuple(v for v in current_views if v.fact.kind is not FactKind.RELATION),
            relations=await self._pair_relations(
                entity, [v for v in current_views if v.fact.kind is FactKind.RELATION]
            ),
            history=tuple(v for v in views if not v.is_current),
            evidence=tuple(sort_evidence(await self._canon.evidence_of(entity_id), entity.name)),
            appearance_titles=tuple(await self._read_scene_titles(entity, views)),
        )

    async def build_fact_views(self, facts: Sequence[Fact], calendar: Calendar) -> list[FactView]:
        """Return facts with their evidence, the best first, and their successors."""
        evidence = await self._canon.evidence_of_all([fact.id for fact in facts])
        secret_notes = await self._describe_secrets(facts)
        views = [
            await self._build_fact_view(f, calendar, sort_evidence(evidence[f.id], f.statement))
            for f in facts
        ]
        return [replace(view, secret_note=secret_notes.get(view.fact.id, "")) for view in views]

    async def build_past_fact_views(self, facts: Sequence[Fact], calendar: Calendar) -> list[FactView]:
        """Return facts as they were at a past moment at which they held."""
        evidence = await self._canon.evidence_of_all([fact.id for fact in facts])
        secret_notes = await self._describe_secrets(facts)
        return [
            FactView(
                f,
                True,
                format_validity(f, calendar),
                tuple(sort_evidence(evidence[f.id], f.statement)),
                secret_note=secret_notes.get(f.id, ""),
            )
            for f in facts
        ]

    async def _describe_secrets(self, facts: Sequence[Fact]) -> dict[Id, str]:
        """Return by fact who may know those that are secrets."""
        secrets = [fact for fact in facts if fact.is_secret and fact.secrecy]
        knower_ids = {i for fact in secrets if fact.secrecy for i in fact.secrecy.known_to}
        entities = await self._canon.entities_by_id(knower_ids) if knower_ids else {}
        return {fact.id: describe_knowers(fact, entities) for fact in secrets}

    async def _build_fact_view(
        self, fact: Fact, calendar: Calendar, evidence: Sequence[Evidence]
    ) -> FactView:
        successors = [] if _is_current(fact) else await self._canon.superseded_by(fact.id)
        return FactView(
            fact=fact,
            is_current=_is_current(fact),
            when=format_validity(fact, calendar),
            evidence=tuple(evidence),
            superseded_by=successors[-1].statement if successors else "",
        )

    async def _pair_relations(
        self, entity: Entity, relations: Sequence[FactView]
    ) -> tuple[tuple[str, Entity, FactView], ...]:
        """Pair each relation with the entity at its other end."""
        other_ids = {
            i.entity_id for view in relations for i in view.fact.involves if i.entity_id != entity.id
        }
        entities_by_id = await self._canon.entities_by_id(other_ids)
        catalogue = await self._policies.read_catalogue(entity.universe_id)
        return tuple(
            (
                catalogue.label(
                    view.fact.predicate, is_reversed=view.fact.involves[0].entity_id != entity.id
                ),
                entities_by_id[i.entity_id],
                view,
            )
            for view in relations
            for i in view.fact.involves
            if i.entity_id in entities_by_id
        )

    async def _read_scene_titles(self, entity: Entity, views: Iterable[FactView]) -> list[str]:
        """Return the scenes in which somebody was, or of which facts tell what became of a thing."""
        scene_ids = dict.fromkeys(await self._canon.appearances(entity.id))
        if entity.kind is EntityKind.OBJECT:
            told_in = (piece.scene_id for view in views for piece in view.evidence if piece.scene_id)
            scene_ids |= dict.fromkeys(told_in)
        titles = []
        for scene_id in scene_ids:
            scene = await self._log.scene(scene_id)
            titles.append(scene.label)
        return titles


def _is_current(fact: Fact) -> bool:
    """Return whether a fact still holds; an event always does."""
    return fact.status is FactStatus.CANONICAL and (fact.valid_to is None or fact.kind in _OCCURRENCE_KINDS)


def format_validity(fact: Fact, calendar: Calendar) -> str:
    """Return the time during which a fact holds, in words."""
    if fact.valid_from is None:
        return "" if fact.valid_to is None else f"until {format_tick(calendar, fact.valid_to)}"
    start_text = format_tick(calendar, fact.valid_from)
    end_text = start_text if fact.valid_to is None else format_tick(calendar, fact.valid_to)
    return start_text if end_text == start_text else f"{start_text} to {end_text}"
