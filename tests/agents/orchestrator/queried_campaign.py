"""A campaign with something of every standing, indexed, to ask the record through the real services."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from agents.llm.llm_settings import AppSettings
from agents.views.query_views import Answer, AnswerStanding, QueryFinding
from stores.authority import Role
from stores.ports import TextItem
from stores.queries import FactQuery, MemoryQuery
from stores.records.ids import Id, derive_id
from stores.records.memory import Memory, MemoryOrigin
from tests.agents.orchestrator.scripted_program import NO_SCRIPT, Script, ScriptedProgram, telling
from tests.program import START

PLAYED = (
    "/npc Wenna Pike: keeps the Net Loft",
    "/thing Iron Key: cold to the touch",
    "/place Net Loft: full of tarred rope",
    "/place Chapel: on the cliff",
    "/fact Wenna Pike owns Iron Key",
    "/fact Wenna Pike located_in Net Loft",
    "/accept all",
    "/commit",
    "> The rope on the buoy was cut with one stroke of a filleting knife.",
    '"Who rang the bell?" I ask the dark.',
    "> Nothing stirs but the tide.",
    "/time +1d",
    "/fact Wenna Pike located_in Chapel",
    "/accept all",
    "/commit",
    "/fact Mara promised Wenna Pike a lantern",
)


@dataclass
class Asked:
    scripted: ScriptedProgram
    universe_id: Id

    async def ask(self, question: str, *, in_words: bool = False) -> Answer:
        return await self.scripted.program.services.query.answer_question(
            question, universe_id=self.universe_id, in_words=in_words
        )

    async def index(self) -> None:
        """Put everything there is into the index of words."""
        canon = self.scripted.program.stores.canon(Role.INDEXER)
        log = self.scripted.program.stores.log(Role.INDEXER)
        words = self.scripted.program.stores.words(Role.INDEXER)
        scope = {"universe": self.universe_id}
        entities = await canon.entities(self.universe_id)
        await words.put("entities", [TextItem(e.id, f"{e.name} {e.description}", scope) for e in entities])
        facts = await canon.facts(self.universe_id, FactQuery(history=True))
        await words.put("facts", [TextItem(f.id, f.statement, scope) for f in facts])
        memories = await log.memories(MemoryQuery(universe_id=self.universe_id))
        items = [TextItem(m.id, m.text, {**scope, "entity": m.entity_id}) for m in memories]
        await words.put("memories", items)
        for story in await log.stories(self.universe_id):
            for scene in await log.scenes(story.id):
                turns = await log.line_slice(scene.id, 0, 1_000)
                within = {**scope, "story": story.id, "scene": scene.id}
                await words.put("turns", [TextItem(t.id, f"{t.name} {t.text}", within) for t in turns])


@asynccontextmanager
async def asking(
    home: Path,
    script: Script = NO_SCRIPT,
    settings: AppSettings | None = None,
    lines: tuple[str, ...] = PLAYED,
) -> AsyncIterator[Asked]:
    """Play the campaign by hand, with a memory of Wenna's that is mistaken, and index it."""
    async with telling(home, script, settings) as scripted:
        services = scripted.program.services
        for line in lines:
            await services.play.submit(scripted.scene_id, line)
        asked = Asked(scripted, (await services.play.scene(scripted.scene_id)).universe.id)
        wenna = await services.world.list_entities(asked.universe_id, "Wenna")
        if wenna:
            memory = Memory(
                id=derive_id("memory", "test", 1),
                entity_id=wenna[0].id,
                universe_id=asked.universe_id,
                scene_id=scripted.scene_id,
                text="The buoy broke loose by itself in the storm.",
                source="told by the harbour master",
                how=MemoryOrigin.TOLD,
                mistaken=True,
                tick=480,
                created_at=START,
            )
            await scripted.program.stores.log(Role.MEMORY_MANAGER).put_memories([memory])
        await asked.index()
        yield asked


def of(answer: Answer, standing: AnswerStanding) -> list[QueryFinding]:
    return [finding for finding in answer.findings if finding.standing is standing]
