"""Who matters in the story, and who is present: `/npcs` and `/cast`.

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
from stores.records.story_journal import CharacterWeightEntry, PresenceEntry
from stores.records.world import ACTORS, Entity, EntityKind

USAGE: Final = "/npcs 2 + or -, /npcs 2 off (out of random events), /npcs 2 on; a name does as well"
MAX_READ: Final = 100
"""People of canon that are read besides those who were in the story."""
MAX_LISTED: Final = 40
MAX_NPC_WEIGHT: Final = 3
PRESENCE_BONUS: Final = 2
"""What being present adds to a weight."""
_NAME_SEPARATORS: Final = re.compile(r",|\band\b", re.IGNORECASE)
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
    """Reads and changes who matters and who is present; both are in the story's journal."""

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
            last_scene_by_id.update(dict.fromkeys(scene.cast, scene.order))
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
                _is_dead(context, entity),
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

    # --- who is here ---------------------------------------------------------------------------------

    async def enter_scene(self, scene_id: Id, typed_names: str) -> tuple[str, ...]:
        """Bring people into the scene: `Tam, Wenna and Gil`. Raises InputError, and then nobody comes."""
        return await self._record_presence(scene_id, typed_names, is_here=True)

    async def leave_scene(self, scene_id: Id, typed_names: str) -> tuple[str, ...]:
        """Have people leave the scene. Raises InputError, and then nobody leaves."""
        return await self._record_presence(scene_id, typed_names, is_here=False)

    async def _record_presence(self, scene_id: Id, typed_names: str, *, is_here: bool) -> tuple[str, ...]:
        context = await self._journal.load_open_scene(scene_id)
        entities = [
            await self._find_mover(context, typed_name, is_here=is_here)
            for typed_name in await self._split_names(context, typed_names)
        ]
        stamp = self._journal.build_stamp(context)
        for number, entity in enumerate({e.id: e for e in entities}.values()):
            entry_stamp = self._journal.build_stamp(context) if number else stamp
            entry_stamp["command_id"] = stamp["command_id"]
            await self._journal.add_entry(
                context, PresenceEntry(**entry_stamp, entity_id=entity.id, here=is_here)
            )
        return tuple(_describe_move(context, entity, is_here=is_here) for entity in entities)

    async def _split_names(self, context: SceneContext, typed_names: str) -> list[str]:
        """Return the names of a list, unless the whole is one name (`Gil and Sons`)."""
        if await self._context.find_entities(context, typed_names):
            return [typed_names]
        return [name for name in _NAME_SEPARATORS.split(typed_names) if name.strip()]

    async def _find_mover(self, context: SceneContext, typed_name: str, *, is_here: bool) -> Entity:
        """Return who comes or leaves. Raises InputError if they cannot."""
        entity = await self._context.find_one_entity(context, typed_name.strip())
        if entity.kind not in ACTORS:
            raise InputError(
                f"{entity.name} is a {entity.kind}; people and creatures come and go.",
                kept=NOTHING_CHANGED,
                todo="/go Name says where your character is." if entity.kind is EntityKind.PLACE else "",
            )
        if not is_here and entity.id == context.story.pc_id:
            raise InputError(
                f"{entity.name} is who you play.", kept=NOTHING_CHANGED, todo="/end ends the scene."
            )
        if is_here is (entity.id in {e.id for e in context.present_actors()}):
            raise InputError(f"{entity.name} is {'' if is_here else 'not '}here.", kept=NOTHING_CHANGED)
        return entity


def _describe_move(context: SceneContext, entity: Entity, *, is_here: bool) -> str:
    if is_here and _is_dead(context, entity):
        return (
            f"{entity.name} comes in, and is dead: /state {entity.name}.alive = true if they live after all."
        )
    return f"{entity.name} {'comes in' if is_here else 'leaves'}."


def _is_dead(context: SceneContext, entity: Entity) -> bool:
    state = context.working_state(entity)
    return "dead" in state.tags or state.values.get("alive") is False


def _format_npc(number: int, npc: Npc, place_name: str) -> str:
    sign = "–" if not npc.weight else "•" * npc.weight
    presence_text = (
        "here" if npc.is_here else f"seen in scene {npc.last_seen_scene}" if npc.last_seen_scene else ""
    )
    details = ", ".join(filter(None, ("dead" if npc.is_dead else "", presence_text, place_name)))
    off_list_note = "" if npc.weight else "  off the list"
    return f"{number}. {sign} {npc.entity.name}" + (f"  ({details})" if details else "") + off_list_note
