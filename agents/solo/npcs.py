"""Who matters in the story, and who is here: `/npcs`, and `/cast` with those who come and go.

How much somebody matters is the books' word; canon is not touched by it.
"""

from __future__ import annotations

import re
from asyncio import gather
from dataclasses import dataclass
from typing import Final

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgenda, StoryAgendaReader
from agents.resolver.typed_text import fold_name
from agents.solo.story_journal import KEPT, Books
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id
from stores.records.story_journal import CharacterWeightEntry, PresenceEntry
from stores.records.world import ACTORS, Entity, EntityKind

WAYS: Final = "/npcs 2 + or -, /npcs 2 off (out of random events), /npcs 2 on; a name does as well"
MOST_READ: Final = 100
"""People of canon that are read beside those who were in the story."""
MOST_LISTED: Final = 40
HEAVIEST: Final = 3
HERE: Final = 2
"""What being present adds to a weight."""
_ACT: Final = re.compile(r"(?P<who>.+?)\s*(?P<verb>\+|-|\boff|\bon)", re.I | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is not the player's. `seen` is the order of the last scene of the story with them."""

    entity: Entity
    weight: int
    here: bool
    seen: int | None
    dead: bool

    @property
    def chance(self) -> int:
        """How often a random event is about them, beside the others; 0 never."""
        return 0 if self.dead or not self.weight else self.weight + (HERE if self.here else 0)


class People:
    """Reads who matters, and keeps that and who is here in the books. Stateless."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        context: SceneContextLoader,
        agendas: StoryAgendaReader,
        books: Books,
    ) -> None:
        self._log = log
        self._canon = canon
        self._context = context
        self._agendas = agendas
        self._books = books

    async def of(self, context: SceneContext, agenda: StoryAgenda) -> tuple[Person, ...]:
        """Return everyone who may matter: who is here, who was in the story's scenes or is in its books,
        and others of canon; those seen last first, then by name."""
        seen: dict[Id, int] = {}
        for scene in await self._log.scenes(context.story.id):
            seen.update(dict.fromkeys(scene.cast, scene.order))
        here = {entity.id for entity in context.present_actors()}
        seen.update(dict.fromkeys(here, context.scene.order))
        known, others = await gather(
            self._canon.entities_by_id({*seen, *agenda.person_weights}),
            self._canon.entities(context.universe.id, kind=EntityKind.CHARACTER, limit=MOST_READ),
        )
        everyone = {e.id: e for e in (*others, *known.values(), *context.entities.values())}
        people = [
            Person(
                entity,
                agenda.person_weights.get(entity.id, 1),
                entity.id in here,
                seen.get(entity.id),
                "dead" in context.working_state(entity).tags
                or context.working_state(entity).values.get("alive") is False,
            )
            for entity in everyone.values()
            if entity.kind in ACTORS and not entity.is_pc and entity.id != context.story.pc_id
        ]
        return tuple(sorted(people, key=lambda p: (-(p.seen or 0), fold_name(p.entity.name), p.entity.id)))

    # --- who matters ---------------------------------------------------------------------------------

    async def list(self, context: SceneContext) -> tuple[str, ...]:
        """Return who matters, as lines: weight, name, place, and the scene they were seen in last."""
        people = await self.of(context, await self._agendas.read_agenda(context))
        listed = people[:MOST_LISTED]
        places = await gather(*(self._place(person.entity) for person in listed))
        lines = [_line(n, *pair) for n, pair in enumerate(zip(listed, places, strict=True), start=1)]
        more = len(people) - len(listed)
        return (*lines, f"... and {more} more; a name does for them.") if more else tuple(lines)

    async def act(self, scene_id: Id, argument: str) -> tuple[str, ...]:
        """Do what was typed behind `/npcs`. Raises InputError."""
        found = _ACT.fullmatch(argument.strip())
        if found is None:
            raise InputError("It does not say what to do.", kept=KEPT, todo=WAYS)
        context = await self._books.opened(scene_id)
        people = await self.of(context, await self._agendas.read_agenda(context))
        person = await self._meant(context, people, found["who"])
        verb, now = found["verb"].casefold(), person.weight
        weight = {"off": 0, "on": max(1, now), "+": min(HEAVIEST, now + 1), "-": max(0, now - 1)}[verb]
        name = person.entity.name
        if weight == now:
            raise InputError(f"{name} weighs {now} already.", kept=KEPT, todo=WAYS)
        entry = CharacterWeightEntry(**self._books.stamp(context), entity_id=person.entity.id, weight=weight)
        await self._books.enter(context, entry)
        if not weight:
            return (f"{name} is off the list: no random event is about them. Canon is as it was.",)
        return (f"{name} weighs {weight} of {HEAVIEST} now.",)

    async def _meant(self, context: SceneContext, people: tuple[Person, ...], words: str) -> Person:
        number = words.removeprefix("#")
        if number.isdecimal() and len(number) < 6:
            if 1 <= int(number) <= len(people):
                return people[int(number) - 1]
            raise InputError(
                f"There is nobody numbered {number}.", kept=KEPT, todo="/npcs lists them with numbers."
            )
        entity = await self._context.find_one_entity(context, words)
        known = next((p for p in people if p.entity.id == entity.id), None)
        if known is None:
            why = (
                "is who you play"
                if entity.id == context.story.pc_id or entity.is_pc
                else f"is a {entity.kind}"
            )
            raise InputError(f"{entity.name} {why}.", kept=KEPT, todo=WAYS)
        return known

    async def _place(self, entity: Entity) -> str:
        facts = await self._canon.facts_about(entity.id, predicate="located_in", limit=20)
        where = [f.entity("object") for f in facts if f.entity("subject") == entity.id]
        place_id = next((i for i in reversed(where) if i), None)
        places = await self._canon.entities_by_id([place_id]) if place_id else {}
        return places[place_id].name if place_id in places else ""

    # --- who is here ---------------------------------------------------------------------------------

    async def come(self, scene_id: Id, name: str) -> tuple[str, ...]:
        """Let somebody come into the scene. Raises InputError."""
        return await self._move(scene_id, name, here=True)

    async def leave(self, scene_id: Id, name: str) -> tuple[str, ...]:
        """Let somebody leave the scene. Raises InputError."""
        return await self._move(scene_id, name, here=False)

    async def _move(self, scene_id: Id, name: str, *, here: bool) -> tuple[str, ...]:
        context = await self._books.opened(scene_id)
        entity = await self._context.find_one_entity(context, name)
        if entity.kind not in ACTORS:
            raise InputError(
                f"{entity.name} is a {entity.kind}; people and creatures come and go.",
                kept=KEPT,
                todo="/go Name says where your character is." if entity.kind is EntityKind.PLACE else "",
            )
        if not here and entity.id == context.story.pc_id:
            raise InputError(f"{entity.name} is who you play.", kept=KEPT, todo="/end ends the scene.")
        if here is (entity.id in {e.id for e in context.present_actors()}):
            raise InputError(f"{entity.name} is {'' if here else 'not '}here.", kept=KEPT)
        entry = PresenceEntry(**self._books.stamp(context), entity_id=entity.id, here=here)
        await self._books.enter(context, entry)
        return (f"{entity.name} {'comes in' if here else 'leaves'}.",)


def _line(number: int, person: Person, place: str) -> str:
    sign = "–" if not person.weight else "•" * person.weight
    seen = "here" if person.here else f"seen in scene {person.seen}" if person.seen else ""
    told = ", ".join(filter(None, ("dead" if person.dead else "", seen, place)))
    off = "" if person.weight else "  off the list"
    return f"{number}. {sign} {person.entity.name}" + (f"  ({told})" if told else "") + off
