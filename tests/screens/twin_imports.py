"""The twin's side of `desk.imports`: a log of three scenes that comes in a scene at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from agents.events import ImportProgressed
from agents.importers.import_views import ImportPreview, ImportProgress, ImportRequest, ImportResult
from agents.importers.log_entries import ImportProblem, LogFormat
from stores.errors import InputError

if TYPE_CHECKING:
    from tests.screens.twin import TwinDesk

TURNS = 300
SCENES = 3


class TwinImports:
    """It stands still before each scene but the first until `go` is set; `begun` scenes are in."""

    def __init__(self, twin: TwinDesk) -> None:
        self._twin = twin
        self._task: asyncio.Task[ImportResult] | None = None
        self.progress: ImportProgress | None = None
        self.files: dict[str, bytes] = {"log.jsonl": b"{}"}
        self.go = asyncio.Event()
        self.begun = 0

    async def open_request(
        self, path: str, *, universe: str = "", story: str = "", hero: str = ""
    ) -> ImportRequest:
        if path not in self.files:
            raise InputError(
                f"{path} cannot be read: No such file or directory.", kept="Nothing was imported."
            )
        return ImportRequest(path, self.files[path], universe, story, hero)

    async def preview(self, request: ImportRequest) -> ImportPreview:
        return ImportPreview(
            form=LogFormat.JSON,
            universe=request.universe or "Log",
            new_universe=True,
            story=request.story or "Log",
            hero=request.hero,
            new_hero=bool(request.hero),
            scenes=SCENES,
            turns=TURNS,
            notes=2,
            turns_already_in=self.begun * TURNS // SCENES,
            titles=("Session of 8 May 2023", "Session of 25 May 2023", "Session of 9 June 2023"),
            speakers=(("Mara", "player", 120), ("GM", "gm", 180)),
            problems=(ImportProblem(14, "it is not whole JSON at column 3; left out", is_lost=True),),
        )

    async def run(self, request: ImportRequest) -> ImportResult | None:
        self._task = asyncio.ensure_future(self.import_log(request, self._hear))
        try:
            return await self._task
        except asyncio.CancelledError:
            return None
        finally:
            self.progress = None
            self._twin.events.publish(ImportProgressed())

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def import_log(
        self, request: ImportRequest, on_progress: Callable[[ImportProgress], None] = lambda progress: None
    ) -> ImportResult:
        first = self.begun
        for scene in range(first, SCENES):
            if scene > first:
                await self.go.wait()
            self.begun = scene + 1
            on_progress(
                ImportProgress(self.begun * TURNS // SCENES, TURNS, self.begun, SCENES, f"Scene {scene + 1}")
            )
        resumed = first * TURNS // SCENES + 1 if first else 0
        return ImportResult("u", "Log", "s", "Log", SCENES, TURNS, 2, resumed, first == SCENES, "c", ())

    def _hear(self, progress: ImportProgress) -> None:
        self.progress = progress
        self._twin.events.publish(ImportProgressed(progress.turns, progress.total_turns))
