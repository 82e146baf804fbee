"""Reads a story back, with everything in it, for an export. Read-only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from agents.canon_keeper.fact_readings import is_in_force
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_decisions import format_mark
from agents.exports.story_values import ExportedScene, StoryRecord, StoryThread
from agents.resolver.threads import build_threads
from agents.services.entity_cards import EntityCardReader
from agents.services.transcript_rows import TranscriptReader
from agents.solo.journal_lines import (
    JournalLine,
    describe_journal_entries,
    drop_taken_back_presence,
    find_never_there,
)
from agents.solo.stated_places import enter_stated_places
from agents.views.turn_views import TurnView
from agents.world_time.calendar import format_tick
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery, FactsAboutQuery, ProposalQuery
from stores.records.canon import Fact, FactStatus
from stores.records.clocks import CLOCK_PREFIX
from stores.records.ids import Id
from stores.records.play import Scene, Speaker
from stores.records.story_journal import JournalEntry, PlaceEntry, PresenceEntry, ThreadEntry
from stores.records.workflow import WAITING_STATUSES, ProposalStatus, ProposedChange
from stores.records.world import Entity

_MOVE_STATUSES: Final = (*WAITING_STATUSES, ProposalStatus.ACCEPTED)
"""Statuses of the facts that may say where the hero went."""


class Stay(NamedTuple):
    """Where the hero was from a tick of world time on."""

    since: int
    place_id: Id


class StoryRecordReader:
    """Reads stories back."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        context: SceneContextLoader,
        entity_cards: EntityCardReader,
        transcript: TranscriptReader,
    ) -> None:
        self._log = log
        self._canon = canon
        self._context = context
        self._entity_cards = entity_cards
        self._transcript = transcript

    async def read_title(self, story_id: Id) -> str:
        return (await self._log.story(story_id)).title

    async def read_story_record(self, story_id: Id) -> StoryRecord:
        """Return everything that an exported story contains."""
        story = await self._log.story(story_id)
        universe = await self._canon.universe(story.universe_id)
        scenes = await self._log.scenes(story_id)
        stays = await self._read_stays(story.pc_id) if story.pc_id else []
        scene_place_ids = {i for s in scenes for i in (s.opening_place_id, s.place_id) if i}
        places_by_id = await self._canon.entities_by_id(scene_place_ids | {stay.place_id for stay in stays})
        hero = (await self._canon.entities_by_id([story.pc_id])).get(story.pc_id) if story.pc_id else None
        notes = await self._log.notes(story_id=story_id)
        journal_texts: defaultdict[Id, list[str]] = defaultdict(list)
        context = await self._context.load_context(scenes[-1].id) if scenes else None
        rows_by_scene = {
            scene.id: await self._transcript.read_rows(scene.id, 0, await self._log.line_length(scene.id))
            for scene in scenes
        }
        first_ticks = {scene.id: _first_spoken_tick(scene, rows_by_scene[scene.id]) for scene in scenes}
        opening_place_ids = {s.id: _find_opening_place(s, stays, first_ticks[s.id]) for s in scenes}
        entries = enter_stated_places(
            _read_counting_entries(context, scenes),
            await self._read_moves(story.id, rows_by_scene),
            story.pc_id,
            opening_place_ids,
        )
        for journal_line in await self._read_journal_lines(context, entries):
            journal_texts[journal_line.turn_id or journal_line.scene_id].append(journal_line.text)
        for mark in await self._log.decision_marks(*(scene.id for scene in scenes)):
            journal_texts[mark.turn_id].append(f"Decided: {format_mark(mark)}")
        exported_scenes = []
        for scene in scenes:
            rows = rows_by_scene[scene.id]
            shown_turn_ids, scene_notes = (
                {row.turn.id for row in rows},
                [n for n in notes if n.scene_id == scene.id],
            )
            place = places_by_id.get(opening_place_ids[scene.id] or "")
            exported_scenes.append(
                ExportedScene(
                    scene,
                    rows,
                    format_tick(universe.calendar, first_ticks[scene.id]),
                    place.name if place else "",
                    notes=[n.text for n in scene_notes if n.turn_id is None],
                    removed_turn_notes=[
                        n.text for n in scene_notes if n.turn_id and n.turn_id not in shown_turn_ids
                    ],
                    events={i: journal_texts[i] for i in (scene.id, *shown_turn_ids) if i in journal_texts},
                )
            )
        return StoryRecord(
            story=story,
            scenes=exported_scenes,
            facts=await self._entity_cards.build_fact_views(
                await self._read_outcome_facts(exported_scenes), universe.calendar
            ),
            universe_name=universe.name,
            hero_name=hero.name if hero else "",
            cast=await self._read_cast(scenes, context, entries, story.pc_id),
            threads=_read_threads(context),
            clocks=[
                fact.clock
                for fact in await self._canon.facts(universe.id, FactQuery(prefix=CLOCK_PREFIX))
                if fact.clock is not None and not fact.clock.closed
            ],
        )

    async def _read_outcome_facts(self, exported_scenes: Sequence[ExportedScene]) -> list[Fact]:
        """Return the facts that the scenes made canon.

        Those that their commits wrote, and all others that rest on their turns (by a ruling, or accepted
        later); not what was retconned, nor what a correction or a merge replaced.
        """
        turn_ids = [row.turn.id for exported_scene in exported_scenes for row in exported_scene.rows]
        committed_fact_ids = dict.fromkeys(
            fact_id for part in exported_scenes for fact_id in part.scene.canonical_outcomes
        )
        supported_ids = {subject for _, subject in await self._canon.supported_by(turn_ids)}
        facts = await self._canon.facts_by_id({*committed_fact_ids, *supported_ids})
        later_fact_ids = sorted(
            facts.keys() - committed_fact_ids.keys(),
            key=lambda i: (facts[i].recorded_at, facts[i].statement_key, i),
        )
        return [
            facts[i] for i in (*committed_fact_ids, *later_fact_ids) if i in facts and is_in_force(facts[i])
        ]

    async def _read_moves(
        self, story_id: Id, rows_by_scene: Mapping[Id, Sequence[TurnView]]
    ) -> list[ProposedChange]:
        """Return the facts that were proposed in the scenes as they stand, without those of turns that were undone."""
        shown_turn_ids = {row.turn.id for rows in rows_by_scene.values() for row in rows}
        query = ProposalQuery(story_id=story_id, kind="assert_fact", statuses=_MOVE_STATUSES)
        proposals = await self._log.proposals(query)
        return [p for p in proposals if p.turn_id is None or p.turn_id in shown_turn_ids]

    async def _read_stays(self, hero_id: Id) -> list[Stay]:
        """Return where canon says that the hero was, and since when."""
        query = FactsAboutQuery(predicate="located_in", history=True)
        return [
            Stay(fact.valid_from or 0, place_id)
            for fact in await self._canon.facts_about(hero_id, query)
            if fact.status is not FactStatus.RETCONNED
            and fact.entity("subject") == hero_id
            and (place_id := fact.entity("object"))
        ]

    async def _read_cast(
        self,
        scenes: Sequence[Scene],
        context: SceneContext | None,
        entries: Sequence[JournalEntry],
        hero_id: Id | None,
    ) -> list[Entity]:
        """Return who was in the scenes or came there, and their places; not the hero."""
        never_there = find_never_there(context.story_entries, entries) if context is not None else set()
        ids = [
            i
            for scene in scenes
            for i in (*scene.cast, scene.opening_place_id, scene.place_id)
            if i and (scene.id, i) not in never_there
        ]
        for entry in entries:
            if isinstance(entry, PresenceEntry) and entry.here:
                ids.append(entry.entity_id)
            elif isinstance(entry, PlaceEntry):
                ids.append(entry.place_id)
        entities = await self._canon.entities_by_id(set(ids))
        return [entities[i] for i in dict.fromkeys(ids) if i in entities and i != hero_id]

    async def _read_journal_lines(
        self, context: SceneContext | None, entries: Sequence[JournalEntry]
    ) -> list[JournalLine]:
        """Return entries of the story's journal in words."""
        if context is None:
            return []
        named_ids = {entry.entity_id for entry in entries if isinstance(entry, PresenceEntry)}
        named_ids |= {entry.place_id for entry in entries if isinstance(entry, PlaceEntry)}
        # Whom the last scene proposes is in no canon yet.
        entities_by_id = {**context.entities, **await self._canon.entities_by_id(named_ids)}
        names_by_id = {i: entity.name for i, entity in entities_by_id.items()}
        return describe_journal_entries(entries, names_by_id)


def _read_counting_entries(context: SceneContext | None, scenes: Sequence[Scene]) -> list[JournalEntry]:
    """Return the entries of the story's journal that count, without presence that was taken back at once."""
    if context is None:
        return []
    return drop_taken_back_presence(context.story_entries, {scene.id: scene.cast for scene in scenes})


def _read_threads(context: SceneContext | None) -> list[StoryThread]:
    """Return the threads that the story's journal opened; promises, debts and questions are facts of canon."""
    if context is None:
        return []
    entries = [entry for entry in context.story_entries if isinstance(entry, ThreadEntry)]
    return [
        StoryThread(thread.name, thread.is_open) for thread in build_threads(entries, (), context.story.id)
    ]


def _find_opening_place(scene: Scene, stays: Sequence[Stay], first_tick: int) -> Id | None:
    """Return where the hero was before the first words of the scene; a scene's record has where it ended."""
    earlier_stays = [stay for stay in stays if stay.since < first_tick]
    return max(earlier_stays).place_id if earlier_stays else scene.opening_place_id or scene.place_id


def _first_spoken_tick(scene: Scene, rows: Sequence[TurnView]) -> int:
    """Return the tick of the first words: a scene often begins with time that passes."""
    return next((row.turn.tick for row in rows if row.turn.speaker is not Speaker.SYSTEM), scene.tick)
