"""Plays scenes in a real program and reads what their characters remember."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agents.canon_keeper.fact_ids import fact_id_of
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


class InMemoryCursors:
    """Implements `agents.jobs.worker.Cursors` without a store."""

    def __init__(self) -> None:
        self.cursors: dict[Id, str] = {}

    async def read_cursor(self, kind: JobKind, subject_id: Id) -> str:
        return self.cursors.get(subject_id, "")

    async def write_cursor(self, kind: JobKind, subject: JobSubject, cursor: str) -> None:
        self.cursors[subject.id] = cursor


CATALOGUE = load_catalogue()


async def read_catalogue(universe_id: Id) -> Catalogue:
    return CATALOGUE


@dataclass
class MemorySession:
    """A program in play with a MemoryManager that the test runs itself."""

    program: Program
    scene_id: Id
    manager: MemoryManager
    knowledge: KnowledgeReader
    scene_reader: SceneReader
    published_events: list[Event] = field(default_factory=list)

    @property
    def log(self) -> AnyLog:
        return self.program.stores.log(Role.MEMORY_MANAGER)

    async def play(self, *lines: str) -> None:
        for line in lines:
            reply = await self.program.services.play.submit(self.scene_id, line)
            if reply.confirm_line:
                reply = await self.program.services.play.submit(self.scene_id, reply.confirm_line)
            if reply.goto == "scene" and reply.subject:
                self.scene_id = reply.subject

    async def remember(self, *scenes: Id) -> None:
        """Write the memories of these scenes (by default the one in play)."""
        for scene_id in scenes or (self.scene_id,):
            for _ in range(1_000):
                if not await self.manager.reconcile(scene_id):
                    break

    async def strengthen(self, *memory_ids: Id, tick: int) -> None:
        """Strengthen these memories as read at a world time (ticks)."""
        for subject in await self.manager.on_event(MemoriesRead(memory_ids, tick)):
            assert subject.id == READ_SUBJECT
            await self.manager.reconcile(subject.id)

    async def ids_by_name(self) -> dict[str, Id]:
        """Return all characters by name, whether in canon or only proposed."""
        universe_id = await self.universe_id()
        changes = (p.change for p in await self.log.proposals(ProposalQuery(universe_id=universe_id)))
        proposed = {c.name: c.entity_id for c in changes if isinstance(c, CreateEntity)}
        return proposed | {e.name: e.id for e in await self.program.services.world.list_entities(universe_id)}

    async def universe_id(self) -> Id:
        return (await self.log.scene(self.scene_id)).universe_id

    async def fact_id(self, statement: str) -> Id:
        """Return the fact with this statement, whether in canon or only proposed."""
        universe_id = await self.universe_id()
        fact_ids = [
            f.id for f in await self._facts(universe_id) if f.statement_key == normalize_statement(statement)
        ]
        if fact_ids:
            return fact_ids[-1]
        proposals = await self.log.proposals(ProposalQuery(universe_id=universe_id))
        fact_proposals = [
            p
            for p in proposals
            if normalize_statement(str(getattr(p.change, "statement", ""))) == normalize_statement(statement)
        ]
        assert fact_proposals, f"no fact or proposal states {statement!r}"
        return fact_id_of(fact_proposals[-1])

    async def _facts(self, universe_id: Id) -> Iterable[Fact]:
        canon = self.program.stores.canon(Role.CONTEXT_ASSEMBLY)
        return await canon.facts(universe_id, FactQuery(history=True))

    async def memories_of(self, name: str) -> list[Memory]:
        """Return what somebody remembers, oldest first."""
        return await self.log.memories(MemoryQuery(entity_id=(await self.ids_by_name())[name]))


@asynccontextmanager
async def open_memory_session(home: Path, seed: int = 1) -> AsyncIterator[MemorySession]:
    async with opened(home, seed) as program:
        yield await start_memory_session(program)


async def start_memory_session(program: Program, name: str = "Test") -> MemorySession:
    """Start a story in a new universe."""
    return session_in_scene(program, await begin(program, name=name))


def session_in_scene(program: Program, scene_id: Id) -> MemorySession:
    """Return a session that plays on in a scene."""
    canon, log = program.stores.canon(Role.MEMORY_MANAGER), program.stores.log(Role.MEMORY_MANAGER)
    scene_reader = SceneReader(canon, log, read_catalogue)
    manager = MemoryManager(
        log, log, scene_reader, InMemoryCursors(), SteppingClock(START), program.services.events
    )
    knowledge = KnowledgeReader(canon, log, read_catalogue)
    session = MemorySession(program, scene_id, manager, knowledge, scene_reader)
    program.services.events.subscribe(session.published_events.append)
    return session
