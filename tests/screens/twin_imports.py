"""The twin's side of `desk.imports`: a log of three scenes that comes in a scene at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from agents.importing.entries import Form, Problem
from agents.importing.views import ImportDone, ImportOrder, ImportPreview, ImportProgress

if TYPE_CHECKING:
    from tests.screens.twin import TwinDesk

TURNS = 300
SCENES = 3


class TwinImports:
    """It stands still before each scene but the first until `go` is set; `begun` scenes are in."""

    def __init__(self, twin: TwinDesk) -> None:
        self._twin = twin
        self.orders: list[ImportOrder] = []
        self.go = asyncio.Event()
        self.begun = 0

    async def look(self, order: ImportOrder) -> ImportPreview:
        self.orders.append(order)
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
