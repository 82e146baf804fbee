"""The twin's side of `desk.people`: Father Ode remembers three things, one of them wrong and one no more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agents.views.character_views import CharacterRow, CharacterView, KnowledgeView, MemoryView
from agents.views.play_views import Reply
from stores.records.ids import Id
from stores.records.memory import Memory, MemoryOrigin

if TYPE_CHECKING:
    from tests.screens.twin import TwinDesk


class TwinPeople:
    def __init__(self, services: TwinDesk) -> None:
        self._services = services
        self.memories: tuple[MemoryView, ...] = ()

    async def list_characters(self, universe_id: Id) -> tuple[CharacterRow, ...]:
        self._services._call("roster", universe_id)
        here = await self._services.characters(universe_id)
        return tuple(
            CharacterRow(e, 3 if n == 1 else 0, "scene 1, The Drowned Bell") for n, e in enumerate(here)
        )

    async def read_character(self, entity_id: Id) -> CharacterView:
        self._services._call("character", entity_id)
        card = await self._services.read_card(entity_id)
        scene_id = next(iter(self._services.lines), None)
        sheet = await self._services.sheet(scene_id or "", entity_id)
        mine = self._memories() if entity_id == self._services.folk[1].id else ()
        history = ("The Drowned Bell, scene 1 “Under the chapel”: Day 3, dusk, spoke twice",)
        return CharacterView(card, sheet, mine, history, scene_id)

    async def find_who_knows(self, fact_id: Id) -> tuple[KnowledgeView, ...]:
        self._services._call("who_knows", fact_id)
        _, ode, ilse = self._services.folk
        return (
            KnowledgeView(ilse.id, ilse.name, "Day 1, noon", "saw"),
            KnowledgeView(ode.id, ode.name, "Day 2, dusk", "told", ilse.name, mistaken=True),
        )

    async def create_character(
        self, universe_id: Id, name: str, description: str = "", *, is_pc: bool = False
    ) -> Reply:
        self._services._call("create_character", universe_id, name, description, is_pc)
        return Reply("operation", (f"Canon: {name} (character)",))

    async def misremember(self, memory_id: Id, text: str) -> Reply:
        self._services._call("misremember", memory_id, text)
        self.memories = tuple(
            replace(
                v,
                memory=v.memory.model_copy(update={"text": text}),
                agrees_with_canon=False,
                original_text=v.memory.text,
            )
            if v.memory.id == memory_id
            else v
            for v in self._memories()
        )
        return Reply("operation", (f"Remembered differently: {text}", "Canon is as it was."))

    def _memories(self) -> tuple[MemoryView, ...]:
        from tests.screens.twin import NOW, an_id

        line = next(iter(self._services.lines.values()), [])
        turn_id = line[1].turn.id if len(line) > 1 else None
        ode = self._services.folk[1]

        def memory(number: int, text: str, how: MemoryOrigin, **more: object) -> Memory:
            return Memory.model_validate(
                {
                    "id": an_id("memory", number),
                    "entity_id": ode.id,
                    "universe_id": self._services.universe.id,
                    "turn_id": turn_id,
                    "text": text,
                    "how": how,
                    "created_at": NOW,
                    **more,
                }
            )

        bell = an_id("fact", "The bell hangs in the tower")
        self.memories = self.memories or (
            MemoryView(
                memory(
                    1, "The bell never left the tower.", MemoryOrigin.TOLD, linked_fact_id=bell, mistaken=True
                ),
                0.82,
                canon_statement="The bell lies under the chapel.",
                agrees_with_canon=False,
                origin="Day 2, dusk, told by Ilse Karr",
            ),
            MemoryView(
                memory(2, "The hinges gave with a shriek.", MemoryOrigin.SAW),
                0.6,
                canon_statement="The iron door stands open.",
                agrees_with_canon=True,
                origin="Day 3, dusk, saw",
            ),
            MemoryView(
                memory(3, "Somebody sang.", MemoryOrigin.INFERRED), 0.2, True, origin="Day 1, night, inferred"
            ),
        )
        return self.memories
