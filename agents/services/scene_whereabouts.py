"""Answers where somebody is, and who is here, from the scene in play: what it shows is not canon. Read-only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from agents.canon_keeper.fact_readings import LOCATED_IN, OBJECT, SUBJECT
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.proposals.decisions import is_rejected
from agents.search.normal_words import word_forms
from agents.search.place_questions import (
    SoughtOne,
    asks_where_hero_is,
    asks_who_is_here,
    find_sought,
    is_called,
)
from agents.search.question import RecordQuestion
from agents.search.search_port import SearchScope
from agents.services.scene_in_play import find_scene_in_play
from agents.views.query_views import AnswerStanding, QueryFinding
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery
from stores.records.canon import AssertFact
from stores.records.ids import Id
from stores.records.play import Scene
from stores.records.story_journal import PlaceEntry, PresenceEntry
from stores.records.world import Entity

IN_PLAY: Final = "the scene in play, not canon"


@dataclass(frozen=True, slots=True)
class SceneWhereabouts:
    """Reads the scene in play."""

    canon: CanonReader
    log: LogReader

    async def find_whereabouts(self, question: RecordQuestion, scope: SearchScope) -> list[QueryFinding]:
        """Return where those sought are that are present, or who is present. Raises StoreError.

        Whose place canon or a proposal has is left to those: they are the better answer. Where `I` am in play is left
        out only if canon has me there, as I may have gone on since.
        """
        is_on_cast, is_on_hero = asks_who_is_here(question), asks_where_hero_is(question)
        sought_names = find_sought(question)
        if not (is_on_cast or is_on_hero or sought_names):
            return []
        scene = await find_scene_in_play(self.log, scope.universe_id, scope.story_id)
        if scene is None:
            return []
        context = await SceneContextLoader(self.canon, self.log).load_context(scene.id)
        hero, present = context.player_character(), context.present_actors()
        if hero is not None and hero.id not in {actor.id for actor in present}:
            present = [hero, *present]
        if is_on_cast:
            return [_build_finding(context, _describe_present(context, present))] if present else []
        if context.place is None:
            return []
        if is_on_hero:
            sought = [hero] if hero is not None else []
        else:
            sought = [actor for actor in present if any(is_called(actor, name) for name in sought_names)]
        return [
            _build_finding(context, f"{actor.name} is at {context.place.name}.", actor.id)
            for actor in sought
            if not (
                await self._is_in_place_by_canon(context.place.id, actor.id)
                if is_on_hero
                else await self._has_stated_place(context, actor.id)
            )
        ]

    async def is_present(self, sought: SoughtOne, scope: SearchScope) -> bool:
        """Say whether the one sought is present in the scene in play. Raises StoreError."""
        scene = await find_scene_in_play(self.log, scope.universe_id, scope.story_id)
        if scene is None:
            return False
        context = await SceneContextLoader(self.canon, self.log).load_context(scene.id)
        return any(
            actor.id in sought.entity_ids or sought.words <= word_forms(actor.name)
            for actor in context.present_actors()
        )

    async def find_left_behind(
        self, question: RecordQuestion, scope: SearchScope, answers: Iterable[QueryFinding]
    ) -> list[QueryFinding]:
        """Return where those sought stayed behind last in the story in play, if none of the `answers` says more.

        A place of canon or of a proposal does, and a line that was said since the scene came there. Raises StoreError.
        """
        sought_names = find_sought(question)
        scene = (
            await find_scene_in_play(self.log, scope.universe_id, scope.story_id) if sought_names else None
        )
        if scene is None:
            return []
        context = await SceneContextLoader(self.canon, self.log).load_context(scene.id)
        present_ids = {actor.id for actor in context.present_actors()}
        last_entries = {entry.entity_id: entry for entry in context.presence_entries()}
        stays = {
            who: entry
            for who, entry in last_entries.items()
            if entry.is_left_behind and entry.place_id and who not in present_ids
        }
        place_ids = {entry.place_id for entry in stays.values() if entry.place_id}
        entities = {**await self.canon.entities_by_id({*stays, *place_ids}), **context.entities}
        called = [
            (entities[who], entities[entry.place_id or ""], entry)
            for who, entry in stays.items()
            if who in entities and (entry.place_id or "") in entities
            if any(is_called(entities[who], name) for name in sought_names)
        ]
        answered_at = await self._find_last_answer(answers) if called else None
        scenes = {i: await self.log.scene(i) for i in {entry.scene_id for *_, entry in called}}
        return [
            _build_stay(context, f"{who.name} stayed behind at {place.name}.", entry, scenes[entry.scene_id])
            for who, place, entry in called
            if answered_at is None or answered_at < _find_arrival(context, entry, scenes[entry.scene_id])
        ]

    async def _find_last_answer(self, answers: Iterable[QueryFinding]) -> datetime | None:
        """Return when the last of the answers was said; what is stated, or has no turn, counts until now."""
        counting = [f for f in answers if f.standing is not AnswerStanding.CONTRADICTED]
        if any(f.standing is not AnswerStanding.ON_RECORD or f.turn_id is None for f in counting):
            return datetime.max.replace(tzinfo=UTC)
        turns = await self.log.turns({f.turn_id for f in counting if f.turn_id is not None})
        return max((turn.created_at for turn in turns.values()), default=None)

    async def _is_in_place_by_canon(self, place_id: Id, entity_id: Id) -> bool:
        facts = await self.canon.facts_about(entity_id, FactsAboutQuery(predicate=LOCATED_IN))
        return any(f.entity(SUBJECT) == entity_id and f.entity(OBJECT) == place_id for f in facts)

    async def _has_stated_place(self, context: SceneContext, entity_id: Id) -> bool:
        if any(
            fact.entity(SUBJECT) == entity_id
            for fact in await self.canon.facts_about(entity_id, FactsAboutQuery(predicate=LOCATED_IN))
        ):
            return True
        changes = (p.change for p in context.staged_proposals if not is_rejected(p))
        return any(
            involved.entity_id == entity_id and involved.role == SUBJECT
            for change in changes
            if isinstance(change, AssertFact) and change.predicate == LOCATED_IN
            for involved in change.involves
        )


def _find_arrival(context: SceneContext, stay: PresenceEntry, scene: Scene) -> datetime:
    """Return when the scene came to where somebody stayed: what was said of them there may say more."""
    arrivals = (
        entry.at
        for entry in context.story_entries
        if isinstance(entry, PlaceEntry) and entry.scene_id == scene.id and entry.at < stay.at
        if entry.place_id == stay.place_id
    )
    return max(arrivals, default=scene.created_at)


def _build_stay(context: SceneContext, text: str, stay: PresenceEntry, scene: Scene) -> QueryFinding:
    """Return the finding that somebody stayed behind, in the scene in play or in an earlier one."""
    finding = _build_finding(context, text, stay.entity_id)
    if scene.id == context.scene.id:
        return finding
    where = f"an earlier scene, not canon: {scene.inline_label}, {context.story.title}"
    return replace(finding, where=where, turn_id=stay.turn_id, scene_id=scene.id)


def _describe_present(context: SceneContext, present: list[Entity]) -> str:
    names = ", ".join(f"{one.name} (dead)" if context.is_dead(one) else one.name for one in present)
    return f"Present at {context.place.name}: {names}." if context.place else f"Present: {names}."


def _build_finding(context: SceneContext, text: str, entity_id: Id | None = None) -> QueryFinding:
    return QueryFinding(
        0,
        AnswerStanding.ON_RECORD,
        text,
        where=f"{IN_PLAY}: {context.scene.inline_label}, {context.story.title}",
        entity_id=entity_id,
        turn_id=context.head.id if context.head else None,
        scene_id=context.scene.id,
        story_id=context.story.id,
    )
