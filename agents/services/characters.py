"""Those who live in a universe: sheets, memories beside the truth, where they were, and who knows of what.

See `agents.views.character_views.CharactersDesk`. Somebody new comes in by the gate's own commit; how the GM has a
memory misremembered is the MemoryManager's to write, and never canon.
"Characters".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.declarations.entity_lookup import read_entities_by_id
from agents.memory_manager.fact_knowledge import CharacterBelief, FactKnowledge, KnowledgeReader
from agents.memory_manager.memory_changes import derive_misremembered_id
from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.reply_lines import commit_lines
from agents.proposals.statements import require_statement_length
from agents.sanitize import clean
from agents.services.entity_cards import Atlas
from agents.services.entity_edits import name_from
from agents.services.manual_edits import Act, ByHand, present
from agents.services.universe_gate import UniverseGate
from agents.solo.character_sheets import Sheets
from agents.views.character_views import CharacterRow, CharacterView, KnowledgeView, MemoryView
from agents.views.play_views import Reply, SheetView
from agents.world_time.calendar import format_tick
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import CreateEntity
from stores.records.ids import Id, IdGenerator
from stores.records.memory import Memory, MemoryOrigin
from stores.records.play import Scene, Speaker, Story, Turn
from stores.records.world import Calendar, Entity, EntityKind

LIVING: Final = (EntityKind.CHARACTER, EntityKind.CREATURE)
SCENES: Final = 40
"""Scenes of each story that are looked through, the newest."""
COUNTED: Final = 10
"""Scenes in which what somebody said is counted, the newest."""
TURNS: Final = 400
"""Turns of a scene that are counted, the newest."""
MEMORIES: Final = 10_000
"""Memories of a universe that are counted, the newest."""
MOST: Final = 200
"""Memories of somebody that are shown, the newest."""

Misremember = Callable[[Id, str], Awaitable[Memory]]
"""Has a memory remembered in these words (none: as it was lived); returns how it is remembered now."""


class Portraits:
    """Stateless."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        misremember: Misremember,
        knowledge: KnowledgeReader,
        atlas: Atlas,
        sheets: Sheets,
        by_hand: ByHand,
        gate: UniverseGate,
        dispatcher: Dispatcher,
        ids: IdGenerator,
    ) -> None:
        self._canon = canon
        self._log = log
        self._misremember = misremember
        self._knowledge = knowledge
        self._atlas = atlas
        self._sheets = sheets
        self._by_hand = by_hand
        self._gate = gate
        self._dispatcher = dispatcher
        self._ids = ids

    # --- looking -------------------------------------------------------------------------------------

    async def roster(self, universe_id: Id) -> tuple[CharacterRow, ...]:
        """Raises StoreError."""
        people = [e for kind in LIVING for e in await self._canon.entities(universe_id, kind=kind)]
        every = await self._log.memories(universe_id=universe_id, last=MEMORIES)
        counts = Counter(m.entity_id for m in every)
        seen: dict[Id, str] = {}
        for story, scene in await self._scenes(universe_id):
            for entity_id in _there(story, scene):
                seen.setdefault(entity_id, f"scene {scene.order}, {story.title}")
        people.sort(key=lambda e: (not e.is_pc, e.name.casefold(), e.id))
        return tuple(CharacterRow(e, counts[e.id], seen.get(e.id, "")) for e in people)

    async def character(self, entity_id: Id) -> CharacterView:
        """Raises NotFound; StoreError."""
        card = await self._atlas.card(entity_id)
        universe = await self._canon.universe(card.entity.universe_id)
        scenes = await self._scenes(universe.id)
        beliefs = (await self._knowledge.read_beliefs(entity_id))[-MOST:]
        sheet, scene_id = await self._sheet(card.entity, scenes)
        return CharacterView(
            card,
            sheet,
            await self._remembered(beliefs, universe.calendar),
            await self._history(card.entity, scenes, universe.calendar),
            scene_id=scene_id,
        )

    async def who_knows(self, fact_id: Id) -> tuple[KnowledgeView, ...]:
        """Raises StoreError."""
        known = await self._knowledge.find_who_knows(fact_id)
        if not known:
            return ()
        universe_id = known[0].memory.universe_id
        ids = {k.entity_id for k in known} | {k.told_by for k in known if k.told_by}
        who = await read_entities_by_id(universe_id, ids, self._canon, self._log)
        calendar = (await self._canon.universe(universe_id)).calendar
        return tuple(_known(knows, who, calendar) for knows in known)

    # --- the GM's hand -------------------------------------------------------------------------------

    async def create(
        self, universe_id: Id, name: str, description: str = "", *, is_pc: bool = False
    ) -> Reply:
        """Raises InputError for a name that cannot be, or one that waits already; StoreError."""
        change = CreateEntity(
            entity_id=self._ids.new(),
            entity_kind=EntityKind.CHARACTER,
            name=name_from(name),
            description=require_statement_length(clean(description)),
            is_pc=is_pc,
        )
        now = await present(self._log, universe_id)
        act = Act(change, f"Brought in: {change.name}")
        staged = await self._by_hand.stage(universe_id, [act], tick=now)
        async with self._dispatcher.exclusive():
            report = await self._gate.commit(universe_id, staged.proposal_ids)
        if report.entities:
            return Reply("operation", commit_lines(report), subject=report.entities[0].id)
        return Reply("operation", (f"{change.name} waits at the gate: g.",), severity="warning")

    async def misremember(self, memory_id: Id, text: str) -> Reply:
        """Raises InputError for a memory that is gone; StoreError."""
        made = await self._misremember(memory_id, require_statement_length(clean(text)))
        told = f"Remembered otherwise: {made.text}" if made.mistaken else f"As it was lived: {made.text}"
        return Reply("operation", (told, "Canon is as it was."))

    # --- inside --------------------------------------------------------------------------------------

    async def _scenes(self, universe_id: Id) -> list[tuple[Story, Scene]]:
        """Return scenes that were played in a universe, the newest story first and in it the newest scene."""
        return [
            (story, scene)
            for story in await self._log.stories(universe_id)
            for scene in reversed((await self._log.scenes(story.id))[-SCENES:])
        ]

    async def _sheet(
        self, entity: Entity, scenes: Sequence[tuple[Story, Scene]]
    ) -> tuple[SheetView, Id | None]:
        """Return the sheet as the last scene has it that they are in, by that story's rules; what is not in
        play is canon's own."""
        here = next((scene for story, scene in scenes if entity.id in _there(story, scene)), None)
        if here is not None:
            try:
                return replace(await self._sheets.view(here.id, entity.id), others=()), here.id
            except InputError:
                pass  # they are not in that scene any more: what canon says is their sheet
        return self._sheets.of_canon(entity), None

    async def _remembered(
        self, beliefs: Sequence[CharacterBelief], calendar: Calendar
    ) -> tuple[MemoryView, ...]:
        """Return memories, the newest first, with where each is from."""
        memories = [b.memory for b in beliefs]
        names = await self._canon.entities_by_id({m.told_by for m in memories if m.told_by})
        lived = {m.id: await self._lived(m) for m in memories if m.mistaken}
        views = []
        for belief in reversed(beliefs):
            memory = belief.memory
            beneath = lived.get(memory.id)
            views.append(
                MemoryView(
                    memory,
                    belief.retention,
                    belief.is_forgotten,
                    belief.current_fact.statement if belief.current_fact else "",
                    belief.agrees_with_canon,
                    f"{format_tick(calendar, memory.tick)}, {_how(memory, names)}",
                    beneath.text if beneath else "",
                )
            )
        return tuple(views)

    async def _lived(self, memory: Memory) -> Memory | None:
        """Return the memory as it was lived, if this one is how the GM has it misremembered."""
        if memory.corrects is None or memory.id != derive_misremembered_id(memory.corrects):
            return None
        return next(iter(await self._log.memories(ids=[memory.corrects])), None)

    async def _history(
        self, entity: Entity, scenes: Sequence[tuple[Story, Scene]], calendar: Calendar
    ) -> tuple[str, ...]:
        """Return the scenes that they were in, oldest first, with what they said there."""
        appeared = set(await self._canon.appearances(entity.id))
        lines: list[str] = []
        for story, scene in scenes:
            if scene.id not in appeared and entity.id not in _there(story, scene):
                continue
            said = await self._spoken(entity, story, scene) if len(lines) < COUNTED else ""
            where = f"{story.title}, scene {scene.order} “{scene.title}”"
            lines.append(f"{where}: {', '.join(filter(None, (format_tick(calendar, scene.tick), said)))}")
        return tuple(reversed(lines))

    async def _spoken(self, entity: Entity, story: Story, scene: Scene) -> str:
        turns = await self._log.line_tail(scene.id, TURNS)
        spoken = sum(1 for turn in turns if _speaks(entity, story, turn))
        return f"spoke {'once' if spoken == 1 else f'{spoken} times'}" if spoken else "said nothing"


def _there(story: Story, scene: Scene) -> Iterator[Id]:
    """Yield who is in a scene: its cast, and the story's own character."""
    yield from scene.cast
    if story.pc_id:
        yield story.pc_id


def _speaks(entity: Entity, story: Story, turn: Turn) -> bool:
    if turn.speaker is Speaker.PLAYER:
        return entity.id == story.pc_id
    names = map(str.casefold, (entity.name, *entity.aliases))
    return turn.speaker is Speaker.NPC and turn.name.casefold() in names


def _how(memory: Memory, names: Mapping[Id, Entity]) -> str:
    """Say how it came to them, and from whom."""
    teller = names.get(memory.told_by or "")
    if memory.how is MemoryOrigin.TOLD and teller is not None:
        return f"told by {teller.name}"
    return memory.source or memory.how.value


def _known(knows: FactKnowledge, people: Mapping[Id, Entity], calendar: Calendar) -> KnowledgeView:
    teller = people.get(knows.told_by or "")
    who = people.get(knows.entity_id)
    return KnowledgeView(
        knows.entity_id,
        who.name if who else "somebody",
        format_tick(calendar, knows.since_tick),
        knows.how.value,
        teller.name if teller else "",
        knows.is_mistaken,
        knows.is_forgotten,
        knows.memory.id,
    )
