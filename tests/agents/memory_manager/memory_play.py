"""Scenes played at a real desk, and what their characters remember of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agents.canon_keeper.fact_claims import fact_id_of
from agents.canon_keeper.predicates import Catalogue, load_catalogue
from agents.events import Event, MemoriesRead
from agents.jobs.worker import JobSubject
from agents.memory_manager.fact_knowledge import KnowledgeReader
from agents.memory_manager.memory_worker import READ_SUBJECT, MemoryManager
from agents.memory_manager.scene_reader import SceneReader
from monitor_tui.compose import Program
from stores.authority import Role
from stores.queries import FactQuery, MemoryQuery, ProposalQuery
from stores.records.canon import CreateEntity, Fact, normalize_statement
from stores.records.ids import Id, SteppingClock
from stores.records.jobs import JobKind
from stores.records.memory import Memory
from stores.stores import AnyLog
from tests.program import START, begin, opened


class Noted:
    """How far a worker came, without a store."""

    def __init__(self) -> None:
        self.words: dict[Id, str] = {}

    async def read_cursor(self, kind: JobKind, subject_id: Id) -> str:
        return self.words.get(subject_id, "")

    async def write_cursor(self, kind: JobKind, subject: JobSubject, cursor: str) -> None:
        self.words[subject.id] = cursor


CATALOGUE = load_catalogue()


async def catalogue_of(universe_id: Id) -> Catalogue:
    return CATALOGUE


@dataclass
class Remembering:
    """A desk in play with the MemoryManager beside it, brought up to date by hand."""

    program: Program
    scene_id: Id
    manager: MemoryManager
    knowledge: KnowledgeReader
    noted: Noted
    published: list[Event] = field(default_factory=list)

    @property
    def log(self) -> AnyLog:
        return self.program.stores.log(Role.MEMORY_MANAGER)

    async def play(self, *lines: str) -> None:
        for line in lines:
            reply = await self.program.services.play.submit(self.scene_id, line)
            if reply.goto == "scene" and reply.subject:
                self.scene_id = reply.subject

    async def remember(self, *scenes: Id) -> None:
        """Bring these scenes (by default the one in play) up to date."""
        for scene_id in scenes or (self.scene_id,):
            for _ in range(1_000):
                if not await self.manager.reconcile(scene_id):
                    break

    async def read(self, *memory_ids: Id, tick: int) -> None:
        """Have these memories come to mind at a world time (ticks)."""
        for subject in await self.manager.on_event(MemoriesRead(memory_ids, tick)):
            assert subject.id == READ_SUBJECT
            await self.manager.reconcile(subject.id)

    async def everyone(self) -> dict[str, Id]:
        """Return everybody by name, whether in canon or only proposed."""
        universe_id = await self.universe()
        new = (p.change for p in await self.log.proposals(ProposalQuery(universe_id=universe_id)))
        proposed = {c.name: c.entity_id for c in new if isinstance(c, CreateEntity)}
        return proposed | {e.name: e.id for e in await self.program.services.world.list_entities(universe_id)}

    async def universe(self) -> Id:
        return (await self.log.scene(self.scene_id)).universe_id

    async def fact(self, statement: str) -> Id:
        """Return the fact in these words, whether in canon or only proposed."""
        universe_id = await self.universe()
        found = [
            f.id for f in await self._facts(universe_id) if f.statement_key == normalize_statement(statement)
        ]
        if found:
            return found[-1]
        proposals = await self.log.proposals(ProposalQuery(universe_id=universe_id))
        waiting = [
            p
            for p in proposals
            if normalize_statement(str(getattr(p.change, "statement", ""))) == normalize_statement(statement)
        ]
        assert waiting, f"nothing says {statement!r}"
        return fact_id_of(waiting[-1])

    async def _facts(self, universe_id: Id) -> Iterable[Fact]:
        canon = self.program.stores.canon(Role.CONTEXT_ASSEMBLY)
        return await canon.facts(universe_id, FactQuery(history=True))

    async def of(self, name: str) -> list[Memory]:
        """Return what somebody remembers, oldest first."""
        return await self.log.memories(MemoryQuery(entity_id=(await self.everyone())[name]))


@asynccontextmanager
async def remembering(home: Path, seed: int = 1) -> AsyncIterator[Remembering]:
    async with opened(home, seed) as program:
        yield await sit_down(program)


async def sit_down(program: Program, name: str = "Test") -> Remembering:
    """Begin a story in a world of its own."""
    canon, log = program.stores.canon(Role.MEMORY_MANAGER), program.stores.log(Role.MEMORY_MANAGER)
    noted, scenes = Noted(), SceneReader(canon, log, catalogue_of)
    manager = MemoryManager(log, scenes, noted, SteppingClock(START), program.services.events)
    scene_id = await begin(program, name=name)
    played = Remembering(program, scene_id, manager, KnowledgeReader(canon, log, catalogue_of), noted)
    program.services.events.subscribe(played.published.append)
    return played
