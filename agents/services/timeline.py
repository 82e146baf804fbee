"""Reads the timeline of a universe: scenes, events, deaths and commitments in the order of world time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from agents.canon_keeper.commitments import CommitmentKind, commitment_kind
from agents.canon_keeper.fact_readings import ALIVE, OCCURRENCE_KINDS, is_true_death
from agents.memory_manager.merged_entities import read_merged_entities
from agents.resolver.threads import build_threads
from agents.services.entity_cards import EntityCardReader
from agents.services.manual_edits import read_present_tick
from agents.services.scene_places import read_scene_places
from agents.story_entries import read_story_entries
from agents.views.card_views import FactView
from agents.views.world_views import SceneReference, TimelineEvent
from agents.world_time.calendar import format_tick
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery
from stores.records.canon import Fact, FactKind, FactStatus, normalize_statement
from stores.records.ids import Id
from stores.records.play import Scene, Story
from stores.records.story_journal import Thread, ThreadEntry, find_arrived_ids
from stores.records.world import Calendar

if TYPE_CHECKING:
    from agents.diagrams.diagram_views import LanesView
    from agents.diagrams.timeline_lanes import LanesInput

MAX_SHOWN = 500
"""Rows of the timeline: the last ones."""

_MAX_READ = 10_000


@dataclass(frozen=True, slots=True)
class _Happening:
    """A row before it is drawn: a scene with its story, or a fact with the words that it is listed by."""

    tick: int | None
    recorded_at: datetime
    text: str
    fact: Fact | None = None
    scene: Scene | None = None

    @property
    def order(self) -> tuple[bool, int, bool, datetime, Id]:
        """What has no time comes first, and a scene before what happened in it.

        What one commit wrote is in the order in which it was proposed: identifiers rise with time.
        """
        proposal_id = (self.fact and self.fact.proposal_id) or ""
        return (self.tick is not None, self.tick or 0, self.scene is None, self.recorded_at, proposal_id)


@dataclass(frozen=True, slots=True)
class TimelineReader:
    """Reads the timeline. Read-only."""

    canon: CanonReader
    log: LogReader
    entity_cards: EntityCardReader

    async def read_timeline(
        self, universe_id: Id, search: str = "", *, limit: int = MAX_SHOWN
    ) -> tuple[TimelineEvent, ...]:
        """Return what has all words of `search`, in the order of world time: the last of it."""
        calendar = (await self.canon.universe(universe_id)).calendar
        happenings = [*await self._read_facts(universe_id), *await self._read_scenes(universe_id)]
        wanted_words = normalize_statement(search).split()
        matching = [
            one for one in happenings if all(w in normalize_statement(one.text) for w in wanted_words)
        ]
        shown = sorted(matching, key=lambda one: one.order)[-limit:]
        facts = [one.fact for one in shown if one.fact is not None]
        views = {v.fact.id: v for v in await self.entity_cards.build_fact_views(facts, calendar)}
        return tuple([await self._describe(one, views, calendar) for one in shown])

    async def read_lanes(self, universe_id: Id) -> LanesView:
        """Return the timeline in lanes: scenes, persons, places and threads."""
        from agents.diagrams.timeline_lanes import LanesInput  # the start does without what draws

        calendar = (await self.canon.universe(universe_id)).calendar
        scene_rows = await self._read_scenes(universe_id)
        facts = [one.fact for one in await self._read_facts(universe_id) if one.fact is not None]
        scenes = [one.scene for one in scene_rows if one.scene is not None]
        casts, places, threads = await self._read_by_story(universe_id, scenes)
        merged_entities = await read_merged_entities(self.canon, universe_id)
        casts, places = (
            {scene_id: merged_entities.current_ids(ids) for scene_id, ids in by_scene.items()}
            for by_scene in (casts, places)
        )
        facts = [merged_entities.with_current_entities(fact) for fact in facts]
        named_ids = {i.entity_id for fact in facts for i in fact.involves}
        named_ids.update(i for cast in casts.values() for i in cast)
        named_ids.update(i for place_ids in places.values() for i in place_ids)
        lanes_input = LanesInput(
            entities=await self.canon.entities_by_id(named_ids),
            facts=facts,
            scenes=scenes,
            scene_titles={one.scene.id: one.text for one in scene_rows if one.scene is not None},
            casts=casts,
            places=places,
            threads=threads,
            calendar=calendar,
        )
        return await asyncio.to_thread(
            _lay_lanes, lanes_input, await read_present_tick(self.log, universe_id)
        )

    async def find_first_turn(self, scene_id: Id) -> Id | None:
        """Return the turn at which a reader of a scene starts; None if it has no turns."""
        first_turns = await self.log.line_slice(scene_id, 0, 1)
        return first_turns[0].id if first_turns else None

    async def _read_by_story(
        self, universe_id: Id, scenes: Sequence[Scene]
    ) -> tuple[dict[Id, list[Id]], dict[Id, list[Id]], list[Thread]]:
        """Return by scene who was in it and where it was played, and the stories' own threads."""
        casts: dict[Id, list[Id]] = {}
        places: dict[Id, list[Id]] = {}
        threads: list[Thread] = []
        for story in (await self.log.readable_stories(universe_id)).records:
            entries, _ = await read_story_entries(self.log, story)
            story_scenes = [scene for scene in scenes if scene.story_id == story.id]
            for scene in story_scenes:
                casts[scene.id] = [*scene.cast, *find_arrived_ids(entries, scene.id)]
            places |= await read_scene_places(self.log, self.canon, story.pc_id, story_scenes)
            threads += build_threads([e for e in entries if isinstance(e, ThreadEntry)], (), story.id)
        return casts, places, threads

    async def _read_facts(self, universe_id: Id) -> list[_Happening]:
        happenings: list[_Happening] = []
        for kind in sorted(OCCURRENCE_KINDS):
            facts = await self.canon.facts(universe_id, FactQuery(kind=kind, limit=_MAX_READ))
            happenings += [_Happening(f.valid_from, f.recorded_at, f.statement, f) for f in facts]
        lives = await self.canon.facts(universe_id, FactQuery(predicate=ALIVE, history=True, limit=_MAX_READ))
        happenings += [
            _Happening(f.valid_from, f.recorded_at, f.statement, f) for f in lives if is_true_death(f)
        ]
        commitments = await self.canon.facts(
            universe_id, FactQuery(kind=FactKind.COMMITMENT, history=True, limit=_MAX_READ)
        )
        happenings += [
            _Happening(f.valid_from, f.recorded_at, _commitment_text(f), f)
            for f in commitments
            if f.status is not FactStatus.RETCONNED
        ]
        return happenings

    async def _read_scenes(self, universe_id: Id) -> list[_Happening]:
        stories = (await self.log.readable_stories(universe_id)).records
        return [
            _Happening(scene.tick, scene.created_at, _scene_title(scene, story, len(stories)), scene=scene)
            for story in stories
            for scene in await self.log.scenes(story.id)
            if scene.head
        ]

    async def _describe(
        self, happening: _Happening, views: dict[Id, FactView], calendar: Calendar
    ) -> TimelineEvent:
        tick = happening.tick
        day = "At an unknown time" if tick is None else format_tick(calendar, tick).partition(",")[0]
        if happening.scene is not None:
            first_turns = await self.log.line_slice(happening.scene.id, 0, 1)
            reference = SceneReference(happening.text, first_turns[0].id if first_turns else None)
            return TimelineEvent(
                day, reference, " ".join(happening.scene.summary.split()), happening.scene.id
            )
        assert happening.fact is not None
        view = views[happening.fact.id]
        listed_fact = view.fact.model_copy(update={"statement": happening.text})
        return TimelineEvent(day, replace(view, fact=listed_fact))


def _lay_lanes(records: LanesInput, now: int | None) -> LanesView:
    from agents.diagrams.diagram_views import LanesView
    from agents.diagrams.timeline_lanes import AxisUnit, build_axis, build_lanes

    lanes = build_lanes(records)
    axes = {unit: build_axis(lanes, records.calendar, unit, now) for unit in AxisUnit}
    return LanesView(lanes, axes, records.calendar, now)


def _commitment_text(fact: Fact) -> str:
    """Return the words of a promise, a debt or a question when it was made; canon has an event of its end."""
    is_question = commitment_kind(fact) is CommitmentKind.QUESTION
    return f"Open question: {fact.statement}" if is_question else fact.statement


def _scene_title(scene: Scene, story: Story, story_count: int) -> str:
    of_story = f" of “{story.title}”" if story_count > 1 else ""
    return f"{scene.label}{of_story}"
