"""Characters of a universe: sheets, memories beside the truth, scenes, and who knows what.

A new character goes through the gate's own commit. How the GM has a memory misremembered is written by the
MemoryManager, and is never canon.
"""

from __future__ import annotations

from asyncio import gather
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.declarations.entity_lookup import read_entities_by_id
from agents.memory_manager.fact_knowledge import CharacterBelief, FactKnowledge, KnowledgeReader
from agents.memory_manager.memory_changes import derive_misremembered_id
from agents.memory_manager.merged_entities import read_merged_entities
from agents.orchestrator.commit_reports import commit_lines
from agents.orchestrator.dispatcher import Dispatcher
from agents.proposals.statements import require_statement_length
from agents.sanitize import clean, split_described_name
from agents.services.dead_people import read_dead_ids
from agents.services.entity_cards import EntityCardReader
from agents.services.entity_edits import parse_entity_name
from agents.services.manual_edits import Edit, ManualEdits, read_present_tick
from agents.services.universe_gate import UniverseGate
from agents.solo.character_sheets import CharacterSheets
from agents.story_entries import read_story_entries
from agents.views.character_views import CharacterRow, CharacterView, KnowledgeView, MemoryView
from agents.views.replies import Reply
from agents.views.sheet_views import SheetView
from agents.world_time.calendar import format_tick
from stores.errors import InputError, parse_field
from stores.ports import CanonReader, LogReader
from stores.queries import MemoryQuery
from stores.records.canon import CreateEntity, FactStatus, Standing
from stores.records.ids import Id, IdGenerator
from stores.records.memory import Memory, MemoryOrigin
from stores.records.play import Scene, Speaker, Story, Turn
from stores.records.story_journal import find_arrived_ids
from stores.records.world import Calendar, Entity, EntityKind

ACTING_KINDS: Final = (EntityKind.CHARACTER, EntityKind.CREATURE)
KNOWS_SECRET: Final = "by the GM's word"
"""How somebody knows a secret who has no memory of it."""
MAX_SCENES_PER_STORY: Final = 40
"""Scenes of each story that are read, the newest."""
MAX_SCENES_COUNTED: Final = 10
"""Scenes in which a character's lines are counted, the newest."""
MAX_TURNS_COUNTED: Final = 400
"""Turns of a scene that are counted, the newest."""
MAX_MEMORIES_COUNTED: Final = 10_000
"""Memories of a universe that are counted, the newest."""
MAX_MEMORIES_SHOWN: Final = 200
"""Memories of a character that are shown, the newest."""

Misremember = Callable[[Id, str], Awaitable[Memory]]
"""Has a memory remembered in these words (empty: as it was experienced); returns it as it is remembered now."""


class CharacterService:
    """Shows characters, and creates them by the GM's word."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        misremember: Misremember,
        knowledge_reader: KnowledgeReader,
        entity_cards: EntityCardReader,
        sheets: CharacterSheets,
        manual_edits: ManualEdits,
        gate: UniverseGate,
        dispatcher: Dispatcher,
        ids: IdGenerator,
    ) -> None:
        self._canon = canon
        self._log = log
        self._misremember = misremember
        self._knowledge_reader = knowledge_reader
        self._entity_cards = entity_cards
        self._sheets = sheets
        self._manual_edits = manual_edits
        self._gate = gate
        self._dispatcher = dispatcher
        self._ids = ids

    # --- looking -------------------------------------------------------------------------------------

    async def list_characters(self, universe_id: Id) -> tuple[CharacterRow, ...]:
        """Return the universe's characters, those who live first. Raises StoreError."""
        characters = [e for kind in ACTING_KINDS for e in await self._canon.entities(universe_id, kind=kind)]
        dead_ids = await read_dead_ids(self._canon, universe_id)
        universe_memories = await self._log.memories(
            MemoryQuery(universe_id=universe_id, last=MAX_MEMORIES_COUNTED)
        )
        merged_entities = await read_merged_entities(self._canon, universe_id)
        memory_counts = Counter(merged_entities.current_id(m.entity_id) for m in universe_memories)
        last_seen_by_id: dict[Id, str] = {}
        for story, scene in await self._read_scenes(universe_id):
            for entity_id in _present_ids(story, scene):
                last_seen_by_id.setdefault(
                    merged_entities.current_id(entity_id), f"scene {scene.order}, {story.title}"
                )
        characters.sort(key=lambda e: (e.id in dead_ids, not e.is_pc, e.name.casefold(), e.id))
        return tuple(
            CharacterRow(e, memory_counts[e.id], last_seen_by_id.get(e.id, ""), e.id in dead_ids)
            for e in characters
        )

    async def read_character(self, entity_id: Id) -> CharacterView:
        """Return a character's card, sheet, memories and history. Raises NotFound; StoreError."""
        card = await self._entity_cards.read_card(entity_id)
        universe = await self._canon.universe(card.entity.universe_id)
        scenes = await self._read_scenes(universe.id)
        beliefs = (await self._knowledge_reader.read_beliefs(entity_id))[-MAX_MEMORIES_SHOWN:]
        own_ids = set((await read_merged_entities(self._canon, universe.id)).ids_of(entity_id))
        sheet, scene_id = await self._read_sheet(card.entity, own_ids, scenes)
        return CharacterView(
            card,
            sheet,
            await self._build_memory_views(beliefs, universe.calendar),
            await self._describe_scenes(card.entity, own_ids, scenes, universe.calendar),
            scene_id=scene_id,
        )

    async def find_who_knows(self, fact_id: Id) -> tuple[KnowledgeView, ...]:
        """Return who knows of a fact, since when and how; of a secret those who may know it. Raises StoreError."""
        fact_knowledge, facts_by_id = await gather(
            self._knowledge_reader.find_who_knows(fact_id), self._canon.facts_by_id([fact_id])
        )
        fact = facts_by_id.get(fact_id)
        knower_ids = fact.secrecy.known_to if fact is not None and fact.is_secret and fact.secrecy else ()
        if fact is not None:
            fact_knowledge = [k for k in fact_knowledge if fact.is_known_to_any({k.entity_id})]
        if not fact_knowledge and not knower_ids:
            return ()
        universe_id = fact.universe_id if fact is not None else fact_knowledge[0].memory.universe_id
        entity_ids = {k.entity_id for k in fact_knowledge} | {k.told_by for k in fact_knowledge if k.told_by}
        entities_by_id = await read_entities_by_id(
            universe_id, entity_ids | set(knower_ids), self._canon, self._log
        )
        calendar = (await self._canon.universe(universe_id)).calendar
        remembering_ids = {k.entity_id for k in fact_knowledge}
        secret_views = (
            KnowledgeView(i, entities_by_id[i].name, "", KNOWS_SECRET)
            for i in knower_ids
            if i in entities_by_id and i not in remembering_ids
        )
        return (
            *(_build_knower_view(knower, entities_by_id, calendar) for knower in fact_knowledge),
            *secret_views,
        )

    # --- the GM's hand -------------------------------------------------------------------------------

    async def create_character(
        self, universe_id: Id, name: str, description: str = "", *, is_pc: bool = False
    ) -> Reply:
        """Create a character. Raises InputError for an impossible name, or one that waits already; StoreError."""
        name, description = split_described_name(name, description)
        change = CreateEntity(
            entity_id=self._ids.new(),
            entity_kind=EntityKind.CHARACTER,
            name=parse_field("name", parse_entity_name, name),
            description=parse_field("description", require_statement_length, clean(description)),
            is_pc=is_pc,
        )
        current_tick = await read_present_tick(self._log, universe_id)
        edit = Edit(change, f"Added: {change.name}")
        staged_edits = await self._manual_edits.stage_edits(universe_id, [edit], tick=current_tick)
        async with self._dispatcher.exclusive():
            report = await self._gate.commit(universe_id, staged_edits.proposal_ids)
        if report.entities:
            return Reply("operation", commit_lines(report), subject=report.entities[0].id)
        return Reply("operation", (f"{change.name} waits at the gate: g.",), severity="warning")

    async def misremember(self, memory_id: Id, text: str) -> Reply:
        """Change how a character remembers. Raises InputError if the memory is gone; StoreError."""
        changed_memory = await self._misremember(memory_id, require_statement_length(clean(text)))
        reply_line = (
            f"Remembered differently: {changed_memory.text}"
            if changed_memory.mistaken
            else f"As it was: {changed_memory.text}"
        )
        return Reply("operation", (reply_line, "Canon is as it was."))

    # --- inside --------------------------------------------------------------------------------------

    async def _read_scenes(self, universe_id: Id) -> list[tuple[Story, Scene]]:
        """Return the played scenes of a universe, the newest story first and in it the newest scene.

        Each story has the journal entries that count alone.
        """
        scenes = []
        for story in (await self._log.readable_stories(universe_id)).records:
            entries, _ = await read_story_entries(self._log, story)
            counting = story.model_copy(update={"entries": entries})
            story_scenes = (await self._log.scenes(story.id))[-MAX_SCENES_PER_STORY:]
            scenes += [(counting, scene) for scene in reversed(story_scenes)]
        return scenes

    async def _read_sheet(
        self, entity: Entity, own_ids: Collection[Id], scenes: Sequence[tuple[Story, Scene]]
    ) -> tuple[SheetView, Id | None]:
        """Return the sheet in the character's last scene, by that story's rules; canon's own if there is none."""
        last_scene = next(
            (scene for story, scene in scenes if not _present_ids(story, scene).isdisjoint(own_ids)), None
        )
        if last_scene is not None:
            try:
                return replace(
                    await self._sheets.read_sheet(last_scene.id, entity.id), other_sheets=()
                ), last_scene.id
            except InputError:
                pass  # they are not in that scene any more: what canon says is their sheet
        return self._sheets.build_canon_sheet(entity), None

    async def _build_memory_views(
        self, beliefs: Sequence[CharacterBelief], calendar: Calendar
    ) -> tuple[MemoryView, ...]:
        """Return memories with their origin, the newest first."""
        memories = [b.memory for b in beliefs]
        informants_by_id = await self._canon.entities_by_id({m.told_by for m in memories if m.told_by})
        originals_by_id = {m.id: await self._read_original_memory(m) for m in memories if m.mistaken}
        views = []
        for belief in reversed(beliefs):
            memory, fact = belief.memory, belief.current_fact
            original = originals_by_id.get(memory.id)
            views.append(
                MemoryView(
                    memory,
                    belief.retention,
                    belief.is_forgotten,
                    canon_statement=fact.statement if fact else "",
                    canon_standing=fact.standing if fact else Standing.TRUE,
                    is_settled=bool(fact and fact.closed),
                    agrees_with_canon=belief.agrees_with_canon,
                    is_never_true=fact is not None and fact.status is FactStatus.RETCONNED,
                    origin=f"{format_tick(calendar, memory.tick)}, {_describe_origin(memory, informants_by_id)}",
                    original_text=original.text if original else "",
                )
            )
        return tuple(views)

    async def _read_original_memory(self, memory: Memory) -> Memory | None:
        """Return the memory as it was experienced, if the GM has it misremembered."""
        if memory.corrects is None or memory.id != derive_misremembered_id(memory.corrects):
            return None
        return next(iter(await self._log.memories(MemoryQuery(ids=[memory.corrects]))), None)

    async def _describe_scenes(
        self,
        entity: Entity,
        own_ids: Collection[Id],
        scenes: Sequence[tuple[Story, Scene]],
        calendar: Calendar,
    ) -> tuple[str, ...]:
        """Return the character's scenes, oldest first, with how much they said in each."""
        appearance_ids = {i for own_id in own_ids for i in await self._canon.appearances(own_id)}
        lines: list[str] = []
        for story, scene in scenes:
            if scene.id not in appearance_ids and _present_ids(story, scene).isdisjoint(own_ids):
                continue
            speech_text = (
                await self._describe_speech(entity, story, scene) if len(lines) < MAX_SCENES_COUNTED else ""
            )
            scene_label = f"{story.title}, {scene.inline_label}"
            lines.append(
                f"{scene_label}: {', '.join(filter(None, (format_tick(calendar, scene.tick), speech_text)))}"
            )
        return tuple(reversed(lines))

    async def _describe_speech(self, entity: Entity, story: Story, scene: Scene) -> str:
        turns = await self._log.line_tail(scene.id, MAX_TURNS_COUNTED)
        spoken_count = sum(1 for turn in turns if _is_speaker(entity, story, turn))
        return (
            f"spoke {'once' if spoken_count == 1 else f'{spoken_count} times'}"
            if spoken_count
            else "present, no lines"
        )


def _present_ids(story: Story, scene: Scene) -> set[Id]:
    """Return the ids of those who were in a scene: its cast, who came, and the story's player character."""
    return {*scene.cast, *find_arrived_ids(story.entries, scene.id), *filter(None, (story.pc_id,))}


def _is_speaker(entity: Entity, story: Story, turn: Turn) -> bool:
    if turn.speaker is Speaker.PLAYER:
        return entity.id == story.pc_id
    names = map(str.casefold, (entity.name, *entity.aliases))
    return turn.speaker is Speaker.NPC and turn.name.casefold() in names


def _describe_origin(memory: Memory, informants_by_id: Mapping[Id, Entity]) -> str:
    """Return how a fact came to somebody, and from whom."""
    informant = informants_by_id.get(memory.told_by or "")
    if memory.how is MemoryOrigin.TOLD and informant is not None:
        return f"heard from {informant.name}"
    return memory.source or memory.how.value


def _build_knower_view(
    fact_knowledge: FactKnowledge, entities_by_id: Mapping[Id, Entity], calendar: Calendar
) -> KnowledgeView:
    informant = entities_by_id.get(fact_knowledge.told_by or "")
    knower = entities_by_id.get(fact_knowledge.entity_id)
    return KnowledgeView(
        fact_knowledge.entity_id,
        knower.name if knower else "somebody",
        format_tick(calendar, fact_knowledge.since_tick),
        fact_knowledge.how.value,
        informant.name if informant else "",
        fact_knowledge.is_mistaken,
        fact_knowledge.is_forgotten,
        fact_knowledge.memory.id,
    )
