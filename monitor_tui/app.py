"""The application shell: opens the library after the first frame, and is the one place that goes anywhere.

It holds no feature. Screens post `Visit` and this pushes and pops; the desk's events go to every open
screen; whatever fails with no better place to say so ends in one error screen.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from textual import on
from textual.app import App
from textual.binding import Binding
from textual.driver import Driver
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker, WorkerState

import screens
from monitor_tui import hangup
from monitor_tui.commands import MonitorCommands
from monitor_tui.theme import DARK, register_themes
from screens import routes
from screens.base import Happened, ServiceScreen, Trouble
from screens.error import Answer, ErrorScreen
from screens.menu import MenuScreen
from stores.errors import MonitorError

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from stores.records.ids import Id

CloseServices = Callable[[], Awaitable[None]]
OpenServices = Callable[[], Awaitable[tuple["Services", CloseServices]]]
"""Opens the stores and the Orchestrator; the second value closes them."""

LATER = (
    "setup", "continue_story", "scene", "gate", "court", "house", "universe", "world_pages", "reading",
    "model_pages", "recall_pages", "import_log", "system", "help"
)  # fmt: skip
"""Screens imported once the first frame is up, so that going to one costs no import."""

NARROW, ROOMY, ROOMY_FROM = "-narrow", "-roomy", 100
"""Classes of a screen by its width: whether there is room beside the story."""

SCREENS = Path(screens.__file__).parent

log = logging.getLogger("monitor")


@dataclass
class Published(Message):
    """The desk published an event, on whatever thread."""

    event: Event


class MonitorApp(App[None]):
    """MONITOR, full screen."""

    TITLE = "MONITOR"
    CSS_PATH = ["monitor.tcss", SCREENS / "menu.tcss"]  # Textual loads no sheet for an app's first screen
    COMMANDS = {MonitorCommands}
    HORIZONTAL_BREAKPOINTS = [(0, NARROW), (ROOMY_FROM, ROOMY)]
    BINDING_GROUP_TITLE = "Everywhere"
    BINDINGS = [
        Binding("question_mark,f1", "help", "Help", id="app.help", tooltip="Keys, commands and the tour"),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", tooltip="Leave MONITOR", show=False, priority=True),
    ]

    def __init__(self, open_services: OpenServices, *, first: Literal["menu", "demo"] = "menu") -> None:
        super().__init__()
        register_themes(self)
        self.theme = DARK.name
        self._open_services = open_services
        self._first = first
        self._services: Services | None = None
        self._close_services: CloseServices | None = None
        self._wanted: routes.Route | None = None
        self._going_home = False
        self._quitting = False

    def get_default_screen(self) -> Screen[None]:
        return MenuScreen()

    def get_driver_class(self) -> type[Driver]:
        return hangup.lasting(super().get_driver_class())

    # --- opening and closing -----------------------------------------------------------------------

    def on_ready(self) -> None:
        """The first frame is up: now the heavy things."""
        self._start(self._open(), "open")
        if not self.is_headless and hangup.has_terminal():
            self.set_interval(hangup.EVERY, self._leave_if_hung_up)

    async def _open(self) -> None:
        await asyncio.to_thread(_import_screens)
        self._read_styles()
        self._services = await self._open_recovered_services()
        await self._fill_menu()
        # Its import costs seconds of a core: only now, and in its own process.
        self._start(self._services.llm.warm(), "warm")
        self._services.jobs.start()
        # What is loaded by now stays: sorting through it again would cost a key press up to 0.2 s.
        gc.collect()
        gc.freeze()
        if self._first == "demo":
            self._wanted = await self._demo(self._services)
        self._go_where_wanted()

    async def _open_recovered_services(self) -> Services:
        """Open the library and finish what a crash cut off. What fails leaves nothing open."""
        services, close = await self._open_services()
        try:
            await services.stories.recover()
        except BaseException:
            await close()
            raise
        self._close_services = close
        services.events.subscribe(self._published)
        return services

    def _read_styles(self) -> None:
        """Parse every screen's style sheet at once: Textual would parse them all anew at each new screen."""
        for path in sorted(SCREENS.glob("*.tcss")):
            if not self.stylesheet.has_source(str(path)):
                self.stylesheet.read(path)
        self.stylesheet.reparse()

    async def _leave_if_hung_up(self) -> None:
        if hangup.is_gone():
            log.warning("the terminal is gone: closing")
            await self.action_quit()

    async def action_quit(self) -> None:
        if not self._quitting:
            self._quitting = True
            self.workers.cancel_group(self, "open")
            self._start(self._close(), "close")

    async def _close(self) -> None:
        """Suspend the story, close the library, go. What cannot be done is said on the way out."""
        steps = [screen.depart for screen in self.screen_stack[1:2] if isinstance(screen, ServiceScreen)]
        words = []
        for step in (*steps, *filter(None, [self._close_services])):
            try:
                await step()
            except MonitorError as error:
                words.append(str(error))
        self.exit(return_code=1 if words else 0, message="\n".join(words) or None)

    # --- going places ------------------------------------------------------------------------------

    @on(routes.Visit)
    def _visit(self, message: routes.Visit) -> None:
        """Go there, or as soon as the library is open and the Main Loop has come home."""
        if self._services is None or self._going_home:
            self._wanted = message.route
        else:
            self._go(self._services, message.route)

    def _go_where_wanted(self) -> None:
        route, self._wanted = self._wanted, None
        if route is not None:
            self.post_message(routes.Visit(route))

    def _go(self, services: Services, route: routes.Route) -> None:
        from screens.continue_story import StoriesScreen
        from screens.court import CourtScreen
        from screens.gate import GateScreen
        from screens.help import HelpScreen
        from screens.house import HouseScreen
        from screens.import_log import ImportScreen
        from screens.model_pages import model_page
        from screens.model_routes import ToBill, ToModel, ToXray
        from screens.reading import ReadingScreen
        from screens.recall_pages import recall_page
        from screens.recall_routes import ToCharacters, ToPrompt, ToQuery
        from screens.scene import SceneScreen
        from screens.setup import SetupScreen
        from screens.system import SystemScreen
        from screens.universe import UniverseScreen
        from screens.world_pages import world_page

        match route:
            case routes.ToMenu():
                self._go_home()
            case routes.Back(leaving):
                if self.screen is leaving:
                    self.pop_screen()
            case routes.ToSetup():
                self._show(SetupScreen(services))
            case routes.ToStories():
                self._show(StoriesScreen(services))
            case routes.ToImport():
                self._show(ImportScreen(services))
            case routes.ToStory(story_id):
                self._show(SceneScreen(services, story_id=story_id), over_menu=True)
            case routes.ToScene(scene_id, follows):
                self._show(SceneScreen(services, scene_id=scene_id, follows=follows), over_menu=True)
            case routes.ToGate(scene_id, universe_id):
                self._show(GateScreen(services, scene_id, universe_id))
            case routes.ToCourt(proposal_id):
                self._show(CourtScreen(services, proposal_id))
            case routes.ToHouse(universe_id):
                self._show(HouseScreen(services, universe_id))
            case routes.ToTurn(turn_id):
                self._show(ReadingScreen(services, turn_id))
            case routes.ToUniverse(universe_id, entity_id, beside_play, fact_id):
                self._show(
                    UniverseScreen(services, universe_id, entity_id, beside_play=beside_play, fact_id=fact_id)
                )
            case routes.ToSystem():
                self._show(SystemScreen(services))
            case routes.ToHelp():
                self._show(HelpScreen(services, self.screen))
            case ToPrompt(scene_id, words):
                self._to_prompt(scene_id, words)
            case ToQuery() | ToCharacters():
                self._show(recall_page(services, route))
            case ToXray() | ToBill() | ToModel():
                self._show(model_page(services, route))
            case _:
                self._show(world_page(services, route))

    def _show(self, screen: Screen[None], *, over_menu: bool = False) -> None:
        """Push `screen`; `over_menu`: in place of all that was over the menu."""
        if type(screen) is type(self.screen) and not over_menu:
            return  # its key was pressed twice
        # Textual sets this class after the first layout, and then styles every widget again: 20 ms.
        screen.add_class(NARROW if self.size.width < ROOMY_FROM else ROOMY)
        while over_menu and len(self.screen_stack) > 2:
            self.pop_screen()
        if over_menu and len(self.screen_stack) == 2:
            self.switch_screen(screen)
        else:
            self.push_screen(screen)

    def _to_prompt(self, scene_id: Id, words: str) -> None:
        """Take off what lies over the scene, and put words into its prompt."""
        from screens.scene_play import PlayScreen

        played = (s for s in self.screen_stack if isinstance(s, PlayScreen) and s.scene_id == scene_id)
        if (under := next(played, None)) is not None:
            while self.screen is not under:
                self.pop_screen()
            under.take_words(words)

    def _go_home(self) -> None:
        """Show the menu at once; what it shows is read again when the Main Loop has come home too."""
        over_menu = self.screen_stack[1] if len(self.screen_stack) > 1 else None
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self._going_home = True
        self._start(self._come_home(over_menu), "home")

    async def _come_home(self, left: Screen[object] | None) -> None:
        try:
            if isinstance(left, ServiceScreen):
                await left.depart()
            await self._fill_menu()
        finally:
            self._going_home = False
            self._go_where_wanted()

    async def _demo(self, services: Services) -> routes.Route:
        """The sample world: the story begun in it, or a new one with everything as suggested."""
        sample = await services.stories.add_sample()
        for card in await services.stories.stories():
            if card.universe.id == sample.id and card.state == "active":
                return routes.ToStory(card.story.id)
        return routes.ToScene(await services.stories.start_story(await services.stories.sample_outline()))

    async def _fill_menu(self) -> None:
        if self._services is not None:
            self.screen_stack[0].post_message(MenuScreen.Filled(await self._services.stories.menu()))

    # --- events and errors -------------------------------------------------------------------------

    def _published(self, event: Event) -> None:
        """Take an event from the desk's thread to ours."""
        self.post_message(Published(event))

    @on(Published)
    def _send_round(self, message: Published) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, ServiceScreen):
                screen.post_message(Happened(message.event))
        from agents.events import Notice  # not before the first frame

        if isinstance(message.event, Notice) and isinstance(self.screen, MenuScreen):
            self.screen.post_message(MenuScreen.Noted(message.event.text))

    def _start(self, job: Coroutine[None, None, None], name: str) -> None:
        """Run `job` beside the screens."""
        self.run_worker(job, name=name, group=name, exit_on_error=False)

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        """The one place where the app's own dead workers are caught."""
        error = message.worker.error
        if message.state is not WorkerState.ERROR or error is None:
            return
        if message.worker.name == "open" and self._services is None:
            self._note(error)
            self.push_screen(
                ErrorScreen("The library cannot be opened", error, fatal=True), self._opening_answered
            )
        else:
            self.post_message(Trouble(error))

    def _opening_answered(self, answer: Answer | None) -> None:
        if answer == "retry":
            self._start(self._open(), "open")
        else:
            self.exit(return_code=1)

    @on(Trouble)
    def _tell(self, message: Trouble) -> None:
        self._note(message.error)
        if isinstance(self.screen, ErrorScreen):
            return  # one at a time: what follows from the first error is in the log
        title = "That could not be done" if isinstance(message.error, MonitorError) else "Something broke"
        self.push_screen(ErrorScreen(title, message.error))

    def _note(self, error: BaseException) -> None:
        log.error("%s", error, exc_info=error)

    def action_help(self) -> None:
        self.post_message(routes.Visit(routes.ToHelp()))


def _import_screens() -> None:
    for name in LATER:
        importlib.import_module(f"screens.{name}")
