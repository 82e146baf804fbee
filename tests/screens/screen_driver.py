"""A seat at the application for tests: keys go in, what is on the screen comes out. No mouse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, Protocol

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import DirectoryTree
from textual.worker import Worker

from agents.indexer.embedding_port import Embedder
from agents.services.llm_setup import ModelProcess
from agents.services.services import Services
from monitor_tui.app import MonitorApp, ShowMenu
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.interface_memory import InterfaceMemory
from stores.records.ids import SeededIdGenerator, SteppingClock

NARROW, ROOMY = (80, 24), (120, 40)
MOST_HOPS = 30
"""Turns of the event loop in which a message comes from one widget to where it starts a worker, with some to spare."""

EVENING = datetime(2026, 1, 1, 20, tzinfo=UTC)
NIGHT = EVENING + timedelta(hours=4)
"""After the libraries that tests start from were played: undo tells by the clock what was done last."""


class OpenServices(Protocol):
    """Opens the program, as the application does; a test may leave the menu out."""

    def __call__(
        self, show_menu: ShowMenu | None = None
    ) -> Awaitable[tuple[Services, Callable[[], Awaitable[None]]]]: ...


class ScreenDriver:
    """The application, and a player with a keyboard."""

    def __init__(self, app: MonitorApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    def __repr__(self) -> str:
        """What is on the screen: pytest shows it when an assertion fails."""
        return f"{self.screen}:\n{self.text}\n"

    async def press(self, *keys: str) -> None:
        """Press keys one after another, each when all that came of the last one is done."""
        for key in keys:
            if key.startswith("alt+") and len(letter := key.removeprefix("alt+")) == 1:
                self.app.post_message(events.Key(key, letter))  # a terminal sends Alt+D with its letter
            else:
                await self.pilot.press(key)
            await self.settle()

    async def type(self, words: str, *, enter: bool = True) -> None:
        """Type words as fast as a terminal sends them, and Enter."""
        for character in words:
            self.app.post_message(events.Key(_character_to_key(character), character))
        await self.settle()
        if enter:
            await self.press("enter")

    async def until(self, *words: str) -> None:
        """Wait until these words are on the screen, though something is at work still."""
        async with asyncio.timeout(60):
            while not self.shows(*words):
                await self.pilot.pause(0.01)

    async def settle(self) -> None:
        """Wait until no worker runs and no message is under way."""
        quiet = 0
        while quiet < 2:
            await self.pilot.pause()
            # Textual takes a process that gets no processor time for idle; a message may have some hops to go still.
            for _ in range(MOST_HOPS):
                await asyncio.sleep(0)
            busy = any(is_at_work(worker) for worker in self.app.workers)
            quiet = 0 if busy else quiet + 1
            if busy:
                await asyncio.sleep(0.005)

    @property
    def services(self) -> Services:
        """The services that the application has opened."""
        assert self.app._services is not None
        return self.app._services

    @property
    def screen(self) -> str:
        """The name of the screen in front."""
        return type(self.app.screen).__name__

    @property
    def text(self) -> str:
        """What is on the screen in front, as text."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    def shows(self, *words: str) -> bool:
        """Whether all of these stand on the screen, wherever lines break."""
        text = " ".join(self.text.split())
        return all(" ".join(word.split()) in text for word in words)


def is_at_work(worker: Worker[object]) -> bool:
    """Whether a worker has something to do; that of a tree of files runs as long as the tree and waits for folders."""
    tree = worker.node
    if isinstance(tree, DirectoryTree) and worker.group == "_loader":
        return not tree._load_queue._finished.is_set()  # type: ignore[attr-defined]
    return not worker.is_finished


class SteppingTimer:
    """A timer for durations on the screen: each reading is 0.2 seconds after the one before in its task.

    What runs side by side, in whatever order, does not change what a task measures.
    """

    def __init__(self) -> None:
        self._readings = ContextVar("readings", default=0)

    def __call__(self) -> float:
        readings = self._readings.get() + 1
        self._readings.set(readings)
        return readings / 5


def real_services(
    home: Path,
    seed: int = 7,
    *,
    model: ModelProcess | None = None,
    mode: BackgroundMode = BackgroundMode.OFF,
    embedder: Embedder | None = None,
    start: datetime = EVENING,
) -> OpenServices:
    """Open the program on embedded stores in `home`, with seeded identifiers, clock and timer.

    `model` answers if settings.toml names a model; `mode` and `embedder` are as in `open_program`.
    """

    async def open_services(
        show_menu: ShowMenu | None = None,
    ) -> tuple[Services, Callable[[], Awaitable[None]]]:
        from monitor_tui.compose import open_program

        clock = SteppingClock(start)
        program = await open_program(
            home,
            clock=clock,
            ids=SeededIdGenerator(seed, clock),
            model=model,
            mode=mode,
            embedder=embedder,
            timer=SteppingTimer(),
            show_menu=show_menu,
        )
        return program.services, program.close

    return open_services


@asynccontextmanager
async def started_app(
    open_services: OpenServices,
    size: tuple[int, int] = ROOMY,
    *,
    first: Literal["menu", "demo"] = "menu",
    home: Path | None = None,
) -> AsyncIterator[ScreenDriver]:
    """Sit down at the application, opened; with `home` it looks as the settings and choices there say."""
    app = MonitorApp(open_services, start_at=first, interface=InterfaceMemory(home))
    async with app.run_test(size=size) as pilot:
        ui = ScreenDriver(app, pilot)
        await ui.settle()
        yield ui
