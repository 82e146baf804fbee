"""The program on a library into which documents are read, as the process behind play reads them, by plain rules."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from agents.ingest.chunk_server import LadderChunkServer
from agents.ingest.ports import ChunkServer
from agents.llm.llm_settings import AppSettings
from agents.services.llm_setup import ModelProcess
from agents.services.services import Services
from agents.story_outline import NewUniverse
from monitor_tui.compose import Program
from stores.authority import Role
from stores.records.ids import Id
from tests.agents.ingest.reading_in import build_worker, read_in
from tests.program import opened
from tests.screens.screen_driver import ROOMY, ScreenDriver, started_app

RULEBOOK = """# The Salt Coast

Captain Mara Venn rules over Salt Quay. Old Bram keeps the lamp of Salt Quay. Mara Venn fears the tide.

The dead must never be named aloud in Salt Quay.

## Glossary

**Saltglass.** Clear stone that washes ashore after storms.
"""


@dataclass(slots=True)
class Reader:
    """The player's application, with what reads documents behind it."""

    ui: ScreenDriver
    program: Program

    async def read_all(self, server: ChunkServer | None = None) -> None:
        """Read what waits to its end, and let the screen follow."""
        await read_in(self.program, server or ladder_server(self.program))
        await self.ui.settle()

    async def read_pages(self, source_id: Id) -> None:
        """Read the pages of a document, and nothing of what they say."""
        worker = build_worker(self.program, ladder_server(self.program))
        log = self.program.stores.log(Role.CONTEXT_ASSEMBLY)
        while (await log.source(source_id)).chunk_count is None:
            await worker.reconcile(source_id)
        await self.ui.settle()

    async def source_id(self) -> Id:
        """Return the document that is there."""
        (source,) = await self.program.stores.log(Role.CONTEXT_ASSEMBLY).sources()
        return source.id


def ladder_server(program: Program) -> LadderChunkServer:
    stores, role = program.stores, Role.INGEST
    return LadderChunkServer(stores.canon(role), stores.log(role), program.services.gate.read_catalogue)


@asynccontextmanager
async def reading(
    home: Path,
    size: tuple[int, int] = ROOMY,
    *,
    universe: str = "Salt",
    model: ModelProcess | None = None,
    settings: AppSettings | None = None,
) -> AsyncIterator[Reader]:
    """Sit down at the menu of a library with one empty universe, or (`universe` empty) with none."""
    async with opened(home, model=model, settings=settings) as program:
        if universe:
            await program.services.stories.create_universe(NewUniverse(universe))

        async def open_services(show_menu: object = None) -> tuple[Services, Callable[[], object]]:
            async def close() -> None: ...

            return program.services, close

        async with started_app(open_services, size) as ui:  # type: ignore[arg-type]
            yield Reader(ui, program)


def write_rulebook(folder: Path, text: str = RULEBOOK, name: str = "rules.md") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)
