"""The twin's side of `desk.imports`: a log of three scenes that comes in a scene at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from agents.importing.entries import Form, Problem
from agents.importing.views import ImportDone, ImportOrder, ImportPreview, ImportProgress
from agents.messages import ImportMoved
from stores.errors import InputError

if TYPE_CHECKING:
    from tests.screens.twin import TwinDesk

TURNS = 300
SCENES = 3


class TwinImports:
    """It stands still before each scene but the first until `go` is set; `begun` scenes are in."""

    def __init__(self, twin: TwinDesk) -> None:
        self._twin = twin
        self._task: asyncio.Task[ImportDone] | None = None
        self.running: ImportProgress | None = None
        self.files: dict[str, bytes] = {"log.jsonl": b"{}"}
        self.go = asyncio.Event()
        self.begun = 0

    async def order(self, path: str, *, universe: str = "", story: str = "", hero: str = "") -> ImportOrder:
        if path not in self.files:
            raise InputError(
                f"{path} cannot be read: No such file or directory.", kept="Nothing was brought in."
            )
        return ImportOrder(path, self.files[path], universe, story, hero)

    async def look(self, order: ImportOrder) -> ImportPreview:
        return ImportPreview(
            form=Form.JSON,
            universe=order.universe or "Log",
            new_universe=True,
            story=order.story or "Log",
            hero=order.hero,
            new_hero=bool(order.hero),
            scenes=SCENES,
            turns=TURNS,
            notes=2,
            begun=self.begun * TURNS // SCENES,
            titles=("Session of 8 May 2023", "Session of 25 May 2023", "Session of 9 June 2023"),
            speakers=(("Mara", "player", 120), ("GM", "gm", 180)),
            problems=(Problem(14, "it is not whole JSON at column 3; left out", lost=True),),
        )

    async def run(self, order: ImportOrder) -> ImportDone | None:
        self._task = asyncio.ensure_future(self.bring(order, self._hear))
        try:
            return await self._task
        except asyncio.CancelledError:
            return None
        finally:
            self.running = None
            self._twin.events.publish(ImportMoved())

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def bring(
        self, order: ImportOrder, hear: Callable[[ImportProgress], None] = lambda progress: None
    ) -> ImportDone:
        first = self.begun
        for scene in range(first, SCENES):
            if scene > first:
                await self.go.wait()
            self.begun = scene + 1
            hear(
                ImportProgress(self.begun * TURNS // SCENES, TURNS, self.begun, SCENES, f"Scene {scene + 1}")
            )
        resumed = first * TURNS // SCENES + 1 if first else 0
        return ImportDone("u", "Log", "s", "Log", SCENES, TURNS, 2, resumed, first == SCENES, "c", ())

    def _hear(self, progress: ImportProgress) -> None:
        self.running = progress
        self._twin.events.publish(ImportMoved(progress.turns, progress.of_turns))
