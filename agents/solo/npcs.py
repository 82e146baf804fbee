"""Who matters in the story: `/npcs`.

How much somebody matters is in the story's journal; canon is not touched by it.
"""

from __future__ import annotations

import re
from asyncio import gather
from dataclasses import dataclass
from typing import Final

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgenda, StoryAgendaReader
from agents.solo.story_journal import NOTHING_CHANGED, StoryJournal
from agents.typed_text import fold_name
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery
from stores.records.ids import Id
from stores.records.story_journal import CharacterWeightEntry, find_arrived_ids
from stores.records.world import ACTORS, Entity, EntityKind

USAGE: Final = "/npcs 2 + or -, /npcs 2 off (out of random events), /npcs 2 on; a name does as well"
MAX_READ: Final = 100
"""People of canon that are read besides those who were in the story."""
MAX_LISTED: Final = 40
MAX_NPC_WEIGHT: Final = 3
PRESENCE_BONUS: Final = 2
"""What being present adds to a weight."""
_NPC_COMMAND: Final = re.compile(r"(?P<who>.+?)\s*(?P<verb>\+|-|\boff|\bon)", re.I | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Npc:
    """A character other than the player's. `last_seen_scene` is the index of the last scene with them."""

    entity: Entity
    weight: int
    is_here: bool
    last_seen_scene: int | None
    is_dead: bool

    @property
    def event_weight(self) -> int:
        """Relative chance that a random event is about them; 0 is never."""
        return 0 if self.is_dead or not self.weight else self.weight + (PRESENCE_BONUS if self.is_here else 0)


class NpcService:
    """Reads and changes who matters, which is in the story's journal."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        context: SceneContextLoader,
        agenda_reader: StoryAgendaReader,
        journal: StoryJournal,
    ) -> None:
        self._log = log
        self._canon = canon
        self._context = context
        self._agenda_reader = agenda_reader
        self._journal = journal

    async def list_npcs(self, context: SceneContext, agenda: StoryAgenda) -> tuple[Npc, ...]:
        """Return everyone who may matter, those seen last first, then by name.

        Those present, those in the story's scenes or its journal, and others of canon.
        """
        last_scene_by_id: dict[Id, int] = {}
        for scene in await self._log.scenes(context.story.id):
            arrived_ids = find_arrived_ids(context.story_entries, scene.id)
            last_scene_by_id.update(dict.fromkeys((*scene.cast, *arrived_ids), scene.order))
        present_ids = {entity.id for entity in context.present_actors()}
        last_scene_by_id.update(dict.fromkeys(present_ids, context.scene.order))
        known_entities, other_characters = await gather(
            self._canon.entities_by_id({*last_scene_by_id, *agenda.person_weights}),
            self._canon.entities(context.universe.id, kind=EntityKind.CHARACTER, limit=MAX_READ),
        )
        entities_by_id = {
            e.id: e for e in (*other_characters, *known_entities.values(), *context.entities.values())
        }
        npcs = [
            Npc(
                entity,
                agenda.person_weights.get(entity.id, 1),
                entity.id in present_ids,
                last_scene_by_id.get(entity.id),
                context.is_dead(entity),
            )
            for entity in entities_by_id.values()
            if entity.kind in ACTORS and not entity.is_pc and entity.id != context.story.pc_id
        ]
        return tuple(
            sorted(npcs, key=lambda p: (-(p.last_seen_scene or 0), fold_name(p.entity.name), p.entity.id))
        )

    # --- who matters ---------------------------------------------------------------------------------

    async def describe_npcs(self, context: SceneContext) -> tuple[str, ...]:
        """Return lines on who matters: weight, name, place, and the scene they were last seen in."""
        npcs = await self.list_npcs(context, await self._agenda_reader.read_agenda(context))
        listed_npcs = npcs[:MAX_LISTED]
        place_names = await gather(*(self._read_place_name(npc.entity) for npc in listed_npcs))
        lines = [
            _format_npc(n, *pair)
            for n, pair in enumerate(zip(listed_npcs, place_names, strict=True), start=1)
        ]
        omitted_count = len(npcs) - len(listed_npcs)
        return (
            (*lines, f"... and {omitted_count} more; a name does for them.")
            if omitted_count
            else tuple(lines)
        )

    async def apply_command(self, scene_id: Id, argument: str) -> tuple[str, ...]:
        """Do what was typed after `/npcs`. Raises InputError."""
        match = _NPC_COMMAND.fullmatch(argument.strip())
        if match is None:
            raise InputError("It does not say what to do.", kept=NOTHING_CHANGED, todo=USAGE)
        context = await self._journal.load_open_scene(scene_id)
        npcs = await self.list_npcs(context, await self._agenda_reader.read_agenda(context))
        npc = await self._find_npc(context, npcs, match["who"])
        verb, current_weight = match["verb"].casefold(), npc.weight
        weight = {
            "off": 0,
            "on": max(1, current_weight),
            "+": min(MAX_NPC_WEIGHT, current_weight + 1),
            "-": max(0, current_weight - 1),
        }[verb]
        npc_name = npc.entity.name
        if weight == current_weight:
            raise InputError(f"{npc_name} weighs {current_weight} already.", kept=NOTHING_CHANGED, todo=USAGE)
        entry = CharacterWeightEntry(
            **self._journal.build_stamp(context), entity_id=npc.entity.id, weight=weight
        )
        await self._journal.add_entry(context, entry)
        if not weight:
            return (f"{npc_name} is off the list: no random event is about them. Canon is as it was.",)
        return (f"{npc_name} weighs {weight} of {MAX_NPC_WEIGHT} now.",)

    async def _find_npc(self, context: SceneContext, npcs: tuple[Npc, ...], typed_name: str) -> Npc:
        number = typed_name.removeprefix("#")
        if number.isdecimal() and len(number) < 6:
            if 1 <= int(number) <= len(npcs):
                return npcs[int(number) - 1]
            raise InputError(
                f"There is nobody numbered {number}.",
                kept=NOTHING_CHANGED,
                todo="/npcs lists them with numbers.",
            )
        entity = await self._context.find_one_entity(context, typed_name)
        matching_npc = next((p for p in npcs if p.entity.id == entity.id), None)
        if matching_npc is None:
            reason = (
                "is who you play"
                if entity.id == context.story.pc_id or entity.is_pc
                else f"is a {entity.kind}"
            )
            raise InputError(f"{entity.name} {reason}.", kept=NOTHING_CHANGED, todo=USAGE)
        return matching_npc

    async def _read_place_name(self, entity: Entity) -> str:
        facts = await self._canon.facts_about(entity.id, FactsAboutQuery(predicate="located_in", limit=20))
        place_ids = [f.entity("object") for f in facts if f.entity("subject") == entity.id]
        place_id = next((i for i in reversed(place_ids) if i), None)
        places = await self._canon.entities_by_id([place_id]) if place_id else {}
        return places[place_id].name if place_id in places else ""


def _format_npc(number: int, npc: Npc, place_name: str) -> str:
    sign = "–" if not npc.weight else "•" * npc.weight
    presence_text = (
        "here" if npc.is_here else f"seen in scene {npc.last_seen_scene}" if npc.last_seen_scene else ""
    )
    details = ", ".join(filter(None, ("dead" if npc.is_dead else "", presence_text, place_name)))
    off_list_note = "" if npc.weight else "  off the list"
    return f"{number}. {sign} {npc.entity.name}" + (f"  ({details})" if details else "") + off_list_note
