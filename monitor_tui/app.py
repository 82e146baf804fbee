"""The application shell: opens the library after the first frame, and is the one place that changes screens.

It holds no feature. Screens post `Visit` and the app pushes and pops; the program's events go to every open
screen; an error with no better place is shown in one dialog.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import math
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from textual import events, on
from textual.app import App
from textual.binding import Binding
from textual.driver import Driver
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import Screen
from textual.theme import Theme
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import Worker, WorkerState

import screens
from monitor_tui import hangup, typed_on, typed_run
from monitor_tui.alt_enter import read_alt_enter_as_line_break
from monitor_tui.command_palette import PaletteCommandProvider, find_universe_id
from monitor_tui.garbage import CHECK_SECONDS, GarbageCollector
from monitor_tui.held_keys import HeldKeys
from monitor_tui.interface_memory import InterfaceMemory
from monitor_tui.key_names import complete_keymap, read_bindings
from monitor_tui.theme import DARK, register_themes
from monitor_tui.typed_on import TypedOn
from monitor_tui.typed_run import TypedRun
from screens import navigation, routes
from screens.base import (
    ErrorRaised,
    EventReceived,
    FilterTarget,
    PaletteTarget,
    PasteTarget,
    ServiceScreen,
    TypedLineTarget,
)
from screens.dialogs.dialog import Dialog
from screens.dialogs.error_dialog import ErrorAnswer, ErrorDialog
from screens.interface_settings import InterfaceSettingsSaved
from screens.opening_screen import OpeningScreen
from screens.play.panel_width import PanelResizeRequested
from screens.system.menu_screen import OPENING_DEMO, OPENING_LIBRARY, MenuScreen
from screens.typed_ahead import TypedAhead, TypedAheadDropped, TypedAheadReady
from stores.errors import MonitorError
from widgets.plain_line_filter import PlainLineFilter
from widgets.single_keys import (
    BURST_SECONDS,
    ENTER_AFTER_PASTE_SECONDS,
    PASTE_IGNORED,
    SingleKeys,
    begins_burst,
    is_pasted,
)
from widgets.worker import start_worker

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.menu_views import MenuView
    from monitor_tui.tour import Tour
    from stores.records.ids import Id
    from widgets.pictures.picture_kinds import PictureKind

CloseServices = Callable[[], Awaitable[None]]
ShowMenu = Callable[["MenuView"], None]
OpenServices = Callable[[ShowMenu], Awaitable[tuple["Services", CloseServices]]]
"""Opens the stores, shows the menu, and builds the services; the second value closes all."""

NARROW_CLASS, ROOMY_CLASS, ROOMY_MIN_CELLS = "-narrow", "-roomy", 100
"""Classes of a screen by its width: whether there is room beside the story."""

SCREENS_FOLDER = Path(screens.__file__).parent

log = logging.getLogger("monitor")


@dataclass
class EventPublished(Message):
    """The program published an event, on whatever thread."""

    event: Event


class MonitorApp(App[None]):
    """MONITOR, full screen."""

    TITLE = "MONITOR"
    CSS_PATH = [
        "monitor.tcss",
        SCREENS_FOLDER / "system" / "menu_screen.tcss",
    ]  # Textual loads no sheet for an app's first screen
    COMMANDS = {PaletteCommandProvider}
    HORIZONTAL_BREAKPOINTS = [(0, NARROW_CLASS), (ROOMY_MIN_CELLS, ROOMY_CLASS)]
    BINDING_GROUP_TITLE = "Everywhere"
    BINDINGS = [
        Binding("question_mark,f1", "help", "Help", id="app.help", tooltip="Keys, commands and the tour"),
        Binding(
            "comma",
            "settings",
            "Settings",
            id="app.settings",
            tooltip="Theme, keys, budgets, folders and the rest",
            show=False,
            key_display=",",
        ),
        Binding(
            "f10",
            "tour",
            "Tour",
            id="app.tour",
            tooltip="A tour of five minutes; in it, on to the next idea",
            show=False,
        ),
        Binding(
            "f12",
            "jump",
            "Jump",
            id="app.jump",
            tooltip="Letters at the panes: one of them focuses its pane",
            show=False,
        ),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", tooltip="Leave MONITOR", show=False, priority=True),
    ]

    def __init__(
        self,
        open_services: OpenServices,
        *,
        start_at: Literal["menu", "demo"] = "menu",
        interface: InterfaceMemory | None = None,
    ) -> None:
        super().__init__()
        self._interface = interface or InterfaceMemory()
        register_themes(self)
        self.theme = self._interface.theme if self._interface.theme in self.available_themes else DARK.name
        self.add_class(self._interface.panel_width.css_class)
        self._settings_notes: tuple[str, ...] = ()
        self._open_services = open_services
        self._is_opening_demo = start_at == "demo"
        self._services: Services | None = None
        self._close_services: CloseServices | None = None
        self._pending_route: routes.Route | None = None
        self._is_going_home = False
        self._held_keys = HeldKeys()
        self._burst: list[events.Key] = []
        """Keys that were sent together, while it is not known whether they are pasted."""
        self._ignored_paste_time = -math.inf
        self._typed_on = TypedOn()
        self._typed_run = TypedRun()
        self._typed_run_timer: Timer | None = None
        self._is_quitting = False
        self._plain_line_filter = PlainLineFilter()
        self._garbage_collector = GarbageCollector()
        self._tour: Tour | None = None
        """The tour, once it was begun."""
        self._is_tour_wanted = False

    @property
    def library_services(self) -> Services | None:
        """The services, once the library is open."""
        return self._services

    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = tuple(super().get_line_filters())
        if filters != self._plain_line_filter.earlier:
            self._plain_line_filter = PlainLineFilter(filters)
        return [self._plain_line_filter]

    def get_default_screen(self) -> Screen[None]:
        return MenuScreen(OPENING_DEMO if self._is_opening_demo else OPENING_LIBRARY)

    @property
    def _background_screens(self) -> list[Screen[object]]:
        """Return the screens that are seen behind the one on top.

        Textual (8.2, since its pull request 6307) counts the screen below also where the top one covers it, and
        draws both of them whole whenever the lower one has anything to draw.
        """
        covers_all = self.screen.styles.background.a == 1
        return [] if covers_all else super()._background_screens

    def get_driver_class(self) -> type[Driver]:
        return hangup.make_lasting_driver(super().get_driver_class())

    @property
    def picture_kind(self) -> PictureKind:
        """Return how the terminal shows pictures."""
        from widgets.pictures.picture_kinds import choose_picture_kind  # not before the first frame

        has_terminal = not (self.is_headless or self.is_web)
        return choose_picture_kind(self._interface.pictures, os.environ, has_terminal=has_terminal)

    # --- opening and closing -----------------------------------------------------------------------

    def on_ready(self) -> None:
        """The first frame is up: now the heavy things."""
        start_worker(self, self._open_library, "open")
        read_alt_enter_as_line_break()
        if not self.is_headless and (self.is_web or hangup.has_terminal()):
            self.set_interval(hangup.CHECK_SECONDS, self._leave_if_hung_up)

    async def _open_library(self) -> None:
        gc.disable()  # almost nothing that is loaded here is garbage: to sort through it would be slow
        try:
            services = await self._open_at_menu()
            await self._load_screens()
        finally:
            gc.enable()
        if not self.is_headless:  # it is the whole process's
            self._garbage_collector.start()
            self.set_interval(CHECK_SECONDS, self._garbage_collector.collect_in_pause)
        # Its import costs seconds of a core: only now, and in its own process.
        start_worker(self, services.llm.start_process, "warm")
        services.jobs.start()

    async def _open_at_menu(self) -> Services:
        """Open the library and fill the menu; keys that were pressed meanwhile lead to other screens then."""
        if self._interface.keymap:  # it may name the keys of any screen
            await asyncio.to_thread(navigation.import_screens)
        self._apply_keymap()
        services = self._services = await self._open_recovered_services()
        try:
            if self._is_opening_demo:
                self._pending_route = await self._demo_route(services)
        finally:
            self._is_opening_demo = False
            await self._fill_menu()  # with what was recovered, and notes on the user's files
        self._open_pending_route()
        self._begin_wanted_tour()
        return services

    async def _open_recovered_services(self) -> Services:
        """Open the library and finish what a crash interrupted. On failure nothing stays open."""
        services, close = await self._open_services(self._show_menu)
        try:
            await services.stories.recover()
        except BaseException:
            await close()
            raise
        self._close_services = close
        services.events.subscribe(self._forward_event)
        return services

    async def _load_screens(self) -> None:
        """Load what every screen needs, so that no key has to wait for it.

        All style sheets are parsed at once: Textual would parse all of them again at each new screen.
        """
        await asyncio.to_thread(navigation.import_screens)
        for path in sorted(SCREENS_FOLDER.rglob("*.tcss")):
            if not self.stylesheet.has_source(str(path)):
                self.stylesheet.read(path)
        self.stylesheet.reparse()

    # --- how it looks ------------------------------------------------------------------------------

    def _apply_keymap(self) -> None:
        """Take the keys of settings.toml; warn of names, there and of the theme, that nothing has."""
        keymap, notes = self._interface.keymap, []
        bindings_by_class = list(read_bindings(type(self))) if keymap else []
        key_names = {b.id for bindings in bindings_by_class for b in bindings if b.id}
        for name in keymap.keys() - key_names:
            hint = _nearest_name_hint(name, key_names)
            notes.append(f"“keymap.{name[:60]}” in settings.toml names no key, and is left out.{hint}")
        theme = self._interface.fixed_theme
        if theme and theme not in self.available_themes:
            hint = _nearest_name_hint(theme, self.available_themes)
            notes.append(f"“{theme[:60]}” in settings.toml is no theme: {self.theme} is used.{hint}")
        self._settings_notes = tuple(notes)
        if keymap or self._keymap:
            self.set_keymap(complete_keymap(keymap, bindings_by_class))

    @on(InterfaceSettingsSaved)
    def _reread_interface(self) -> None:
        start_worker(self, self._apply_saved_settings, "look")

    async def _apply_saved_settings(self) -> None:
        """Look as settings.toml says now, with its keys."""
        width_before = self._interface.panel_width
        await asyncio.to_thread(self._interface.read_settings)
        self.remove_class(width_before.css_class)
        self.add_class(self._interface.panel_width.css_class)
        if (theme := self._interface.theme or DARK.name) in self.available_themes:
            self._interface.theme = theme
            self.theme = theme
        self._apply_keymap()

    def get_key_display(self, binding: Binding) -> str:
        """Return the key as it is shown; the key map's, for a binding that is listed as its class has it."""
        own_keys = self._interface.keymap.get(binding.id or "", binding.key).split(",")
        if binding.key not in own_keys:
            own_bindings = Binding.make_bindings([Binding(",".join(own_keys), binding.action)])
            return " ".join(super(MonitorApp, self).get_key_display(own) for own in own_bindings)
        return super().get_key_display(binding)

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, self._remember_theme)

    def _remember_theme(self, theme: Theme) -> None:
        if theme.name == self._interface.theme:
            return
        self._interface.choose_theme(theme.name)
        self._save_interface()
        if theme_at_start := self._interface.fixed_theme:
            from agents.events import Notice  # not before the first frame

            text = f"settings.toml names the theme {theme_at_start}: it is back when MONITOR starts again."
            self.post_message(EventPublished(Notice(text)))

    @on(PanelResizeRequested)
    def _resize_panel(self) -> None:
        width_before = self._interface.panel_width
        self._interface.choose_panel_width(width_before.next_width)
        self.remove_class(width_before.css_class)
        self.add_class(self._interface.panel_width.css_class)
        self._save_interface()

    def _save_interface(self) -> None:
        start_worker(self, partial(asyncio.to_thread, self._interface.save), "remember")

    async def _leave_if_hung_up(self) -> None:
        if hangup.is_terminal_gone():
            log.warning("the terminal is gone: closing")
            await self.action_quit()

    async def action_quit(self) -> None:
        if not self._is_quitting:
            self._is_quitting = True
            self.workers.cancel_group(self, "open")
            start_worker(self, self._close_library, "close")

    async def _close_library(self) -> None:
        """Suspend the story, close the library, and exit; print what could not be done."""
        steps = [
            screen.leave_for_menu for screen in self.screen_stack[1:2] if isinstance(screen, ServiceScreen)
        ]
        await asyncio.to_thread(self._interface.save)
        error_texts = []
        for step in (*steps, self._close_open_services):
            try:
                await step()
            except MonitorError as error:
                error_texts.append(str(error))
        self.exit(return_code=1 if error_texts else 0, message="\n".join(error_texts) or None)

    async def _close_open_services(self) -> None:
        close, self._close_services = self._close_services, None
        if close is not None:
            await close()

    async def on_unmount(self) -> None:
        """Close the library however the program ends: leaving closes it before, a fault of the program does not."""
        try:
            await self._close_open_services()
        except MonitorError as error:
            log.error("the library was not closed: %s", error)

    # --- going places ------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Hold what is pressed after a key of the menu until the screen is there to which it leads: none is lost."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self._garbage_collector.note_key()
            is_for_any_screen = event.key in self._bindings.key_to_bindings and event.key.startswith("ctrl+")
            if self._leaves_opening(event):
                self._held_keys.release()
            elif not is_for_any_screen and self._held_keys.hold(event):
                return
            if isinstance(self.screen, MenuScreen) and self.screen.leads_on(event.key):
                # Enter pressed twice on the menu's story must not answer what the scene offers.
                self._held_keys.start(skips_enter=self.screen.resumes_on(event.key))
            if isinstance(self.screen, PaletteTarget):
                self.screen.note_key(event.key)
            if self._is_typed_on(event):
                return
            if not self._burst and self._ends_ignored_paste(event):
                return
            if self._wait_for_burst(event) or await self._wait_for_line(event):
                return
        if isinstance(event, events.Paste) and not event.is_forwarded and self._take_paste(event):
            return
        await super().on_event(event)

    def _leaves_opening(self, key: events.Key) -> bool:
        """Return whether a key leads back at once: the library may take long to open, as while another one has it.

        Behind other keys it is meant for the screen to which they lead.
        """
        if self._services is not None or self._held_keys.has_keys:
            return False
        return isinstance(self.screen, OpeningScreen) and self.screen.leaves_on(key.key)

    def _wait_for_burst(self, key: events.Key) -> bool:
        """Keep a key that would decide something until it is known not to be pasted; return whether it is kept."""
        if not self._burst and not (isinstance(self.focused, SingleKeys) and begins_burst(key)):
            return False
        self._burst.append(key)
        if len(self._burst) == 1:
            self.set_timer(BURST_SECONDS, self._press_burst)
        return True

    async def _press_burst(self) -> None:
        """Press the keys that came together; pasted ones are typed into the prompt, or decide nothing."""
        keys, self._burst = self._burst, []
        is_paste = isinstance(self.focused, SingleKeys) and is_pasted(keys)
        if is_paste and isinstance(self.screen, FilterTarget) and keys[0].key == "slash":
            self.screen.type_filter("".join(key.character or "" for key in keys[1:] if key.is_printable))
            return
        if is_paste and not isinstance(self.screen, TypedLineTarget):
            self._ignore_paste(keys[-1].time)
            return
        for key in keys:
            if is_paste and isinstance(self.screen, TypedLineTarget) and key.is_printable and key.character:
                self.screen.type_text(key.character)
            elif not await self._wait_for_line(key):
                await super().on_event(key)

    def _is_typed_on(self, key: events.Key) -> bool:
        """Keep a key from what its line brought, which nobody can have read; return whether it is kept.

        That is a key typed straight on at the gate which the line opened, or Enter once more on an offered roll.
        """
        if not typed_run.TYPING_SECONDS:
            return False
        is_bounced = self._typed_on.is_bounced(key)
        self._typed_on.note_key(key, self.screen, is_play=isinstance(self.screen, PaletteTarget))
        if is_bounced and isinstance(self.screen, PaletteTarget) and self.screen.offers_roll:
            return True
        is_for_gate = isinstance(self.screen, FilterTarget) and begins_burst(key)
        if not (is_for_gate and self._typed_on.is_typed_on(self.screen)):
            return False
        if self._typed_on.keep(key):
            self.set_timer(typed_on.PAUSE_SECONDS, self._tell_typed_on)
        return True

    def _tell_typed_on(self) -> None:
        words = self._typed_on.take_words()
        text = f"“{words}” was typed on" if words else "Enter was pressed"
        self.notify(f"{text} as this page came. It decided nothing.", markup=False)

    async def _wait_for_line(self, key: events.Key) -> bool:
        """Keep a letter that a panel, or a list of answers, would act on until it is known not to begin a line.

        Return whether it is kept, or was typed into the prompt with those before it.
        """
        screen, run = self.screen, self._typed_run
        if not typed_run.TYPING_SECONDS or not isinstance(screen, TypedLineTarget):
            return False
        if run and not key.is_printable:
            await self._press_typed_run()
        if not (screen.may_be_of_line(key) if run else screen.may_begin_line(key)):
            return False
        if run and not screen.is_letter_key(key):
            screen.type_text(run.end_as_text(key))
            return True
        if run.repeats(key):
            await self._press_typed_run()
        if run.add(key, self.screen):
            await super().on_event(key)
        if self._typed_run_timer is not None:
            self._typed_run_timer.stop()
        self._typed_run_timer = self.set_timer(typed_run.TYPING_SECONDS, self._press_typed_run)
        return True

    async def _press_typed_run(self) -> None:
        """Press the letters that waited: they are no line."""
        for key in self._typed_run.end_as_keys(self.screen):
            await super().on_event(key)

    def _take_paste(self, paste: events.Paste) -> bool:
        """Keep pasted text from a widget whose keys decide: it is for the prompt or the screen, if that wants it."""
        if not isinstance(self.focused, SingleKeys):
            return False
        if isinstance(self.screen, TypedLineTarget):
            self.screen.type_text(paste.text)
        elif isinstance(self.screen, PasteTarget):
            self.screen.take_paste(paste.text)
        else:
            self._ignore_paste(paste.time)
        return True

    def _ignore_paste(self, time: float) -> None:
        """Let text that came at once decide nothing, nor the Enter that ends it."""
        self._ignored_paste_time = time
        self.notify(PASTE_IGNORED, markup=False)

    def _ends_ignored_paste(self, key: events.Key) -> bool:
        """Say whether a key is the Enter behind text that decided nothing: it must not commit what nobody has read."""
        is_end = key.key == "enter" and key.time - self._ignored_paste_time < ENTER_AFTER_PASTE_SECONDS
        self._ignored_paste_time = -math.inf
        return is_end

    @on(TypedAhead)
    def _hold_typed_ahead(self, message: TypedAhead) -> None:
        if not self._held_keys.hold(message.key):
            self._held_keys.start()
            self._held_keys.hold(message.key)

    @on(TypedAheadReady)
    async def _press_typed_ahead(self) -> None:
        await self._press_held_keys()

    @on(TypedAheadDropped)
    def _drop_typed_ahead(self) -> None:
        self._held_keys.release()

    def _press_keys_when_shown(self, screen: Screen[Any]) -> None:
        """Press what was held once the screen shows what it has to show: a key may be about a row of it."""
        press = partial(self.call_later, self._press_held_keys)
        if isinstance(screen, ServiceScreen):
            screen.call_when_read(press)
        else:
            screen.call_after_refresh(press)

    async def _press_held_keys(self) -> None:
        for key in self._held_keys.release():
            await super().on_event(key)

    @on(routes.Visit)
    def _visit(self, message: routes.Visit) -> None:
        """Go to a route, once the library is open and the Main Loop is back at the menu."""
        if self._services is None and isinstance(message.route, routes.ToMenu):
            self._pending_route = None
            self._open_menu()
        elif self._services is None:
            self._pending_route = message.route
            self._show_opening(message.route)
        elif self._is_going_home:
            self._pending_route = message.route
        else:
            self._open_route(self._services, message.route)

    def _open_pending_route(self) -> None:
        route, self._pending_route = self._pending_route, None
        if route is not None:
            self.post_message(routes.Visit(route))

    def _open_route(self, services: Services, route: routes.Route) -> None:
        match route:
            case routes.ToMenu():
                self._open_menu()
            case routes.Back(leaving, note):
                if self.screen is leaving:
                    self.pop_screen()
                    self._press_keys_when_shown(self.screen)
                    if note:
                        from agents.events import Notice  # not before the first frame

                        self.screen.post_message(EventReceived(Notice(note)))
            case routes.ToPrompt(scene_id, text):
                self._open_prompt(scene_id, text)
            case _ if not navigation.is_loaded(route):
                self._show_opening(route)
                start_worker(self, partial(self._load_screen, route), "load", is_exclusive=True)
            case _:
                is_over_menu = navigation.SCREENS[type(route)].is_over_menu
                self._show_screen(navigation.create_screen(services, route), over_menu=is_over_menu)

    def _show_opening(self, route: routes.Route) -> None:
        """Show at once where a key leads; the keys after it wait for that screen."""
        if not isinstance(self.screen, OpeningScreen):
            if not self._held_keys.is_holding:
                self._held_keys.start()
            self.push_screen(OpeningScreen(route, navigation.SCREENS[type(route)].title))

    async def _load_screen(self, route: routes.Route) -> None:
        await asyncio.to_thread(navigation.screen_class, navigation.SCREENS[type(route)])
        if any(isinstance(screen, OpeningScreen) for screen in self.screen_stack):
            self.post_message(routes.Visit(route))

    def _show_screen(self, screen: Screen[None], *, over_menu: bool = False) -> None:
        """Push `screen`; `over_menu` replaces everything over the menu."""
        if type(screen) is type(self.screen) and not over_menu:
            return  # its key was pressed twice
        if any(isinstance(below, OpeningScreen) for below in self.screen_stack[:-1]):
            return  # an error is shown over where it belongs, which asks for it again
        # Textual sets this class after the first layout, and then styles every widget again: 20 ms.
        screen.add_class(NARROW_CLASS if self.size.width < ROOMY_MIN_CELLS else ROOMY_CLASS)
        while over_menu and len(self.screen_stack) > 2:
            self.pop_screen()
        if isinstance(self.screen, OpeningScreen) or (over_menu and len(self.screen_stack) == 2):
            self.switch_screen(screen)
        else:
            self.push_screen(screen)
        self._press_keys_when_shown(screen)
        if self._tour is not None:
            screen.call_after_refresh(self.call_later, self._tour.show_on, screen)

    def _open_prompt(self, scene_id: Id, text: str) -> None:
        """Close what is over the scene, and put words into its prompt."""
        from screens.play.scene_screen import SceneScreen

        scene_screens = (
            s for s in self.screen_stack if isinstance(s, SceneScreen) and s.scene_id == scene_id
        )
        if (scene_screen := next(scene_screens, None)) is not None:
            while self.screen is not scene_screen:
                self.pop_screen()
            scene_screen.fill_prompt(text)

    def _open_menu(self) -> None:
        """Show the menu at once; it is read again when the Main Loop is idle."""
        over_menu = self.screen_stack[1] if len(self.screen_stack) > 1 else None
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self._is_going_home = True
        start_worker(self, partial(self._finish_going_home, over_menu), "home")

    async def _finish_going_home(self, left_screen: Screen[object] | None) -> None:
        try:
            if isinstance(left_screen, ServiceScreen):
                await left_screen.leave_for_menu()
            await self._fill_menu()
        finally:
            self._is_going_home = False
            self._open_pending_route()

    async def _demo_route(self, services: Services) -> routes.Route:
        """Return the route to the sample universe: its story, or a new one as suggested."""
        sample = await services.stories.add_sample()
        for card in await services.stories.stories():
            if card.universe.id == sample.id and card.state == "active":
                return routes.ToStory(card.story.id)
        return routes.ToScene(await services.stories.start_story(await services.stories.sample_outline()))

    async def _fill_menu(self) -> None:
        if self._services is not None:
            self._show_menu(await self._services.stories.menu())

    def _show_menu(self, view: MenuView) -> None:
        if self._is_opening_demo:
            return  # its story comes next: nothing is chosen here
        view = replace(view, notes=(*self._settings_notes, *view.notes))
        self.screen_stack[0].post_message(MenuScreen.MenuLoaded(view))

    # --- events and errors -------------------------------------------------------------------------

    def _forward_event(self, event: Event) -> None:
        """Forward an event from the publishing thread to the app's."""
        self.post_message(EventPublished(event))

    @on(EventPublished)
    def _broadcast_event(self, message: EventPublished) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, ServiceScreen):
                screen.post_message(EventReceived(message.event))
        if self._tour is not None and self._tour.is_on:
            start_worker(self, self._follow_tour, "tour", is_exclusive=True)
        from agents.events import Notice  # not before the first frame

        if isinstance(message.event, Notice) and isinstance(self.screen, MenuScreen):
            self.screen.post_message(MenuScreen.NoteReceived(message.event.text))

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        """Handle the failure of any of the app's own workers."""
        error = message.worker.error
        if message.state is not WorkerState.ERROR or error is None:
            return
        if message.worker.name == "open" and self._services is None:
            self._log_error(error)
            self._held_keys.release()  # they were meant for the scene
            self.push_screen(
                ErrorDialog("The library cannot be opened", error, is_fatal=True), self._apply_opening_answer
            )
        else:
            self.post_message(ErrorRaised(error))

    def _apply_opening_answer(self, answer: ErrorAnswer | None) -> None:
        if answer == "retry":
            start_worker(self, self._open_library, "open")
        else:
            self.exit(return_code=1)

    @on(ErrorRaised)
    def _show_error(self, message: ErrorRaised) -> None:
        self._log_error(message.error)
        self._held_keys.release()
        if isinstance(self.screen, ErrorDialog):
            return  # one at a time: what follows from the first error is in the log
        title = (
            "That could not be done" if isinstance(message.error, MonitorError) else "Something went wrong"
        )
        self.push_screen(ErrorDialog(title, message.error))

    def _log_error(self, error: BaseException) -> None:
        log.error("%s", error, exc_info=error)

    def action_help(self) -> None:
        if self._services is None and isinstance(self.screen, Dialog):
            return  # the library cannot be opened: the dialog itself says what to do
        self.post_message(routes.Visit(routes.ToHelp()))

    def action_tour(self) -> None:
        """Begin the tour on the menu; on it, go on to the next idea."""
        if self._tour is not None and self._tour.is_on:
            self._tour.go_on()
            self._show_tour()
        elif isinstance(self.screen, MenuScreen):
            self._held_keys.start()
            self._is_tour_wanted = True
            self._begin_wanted_tour()

    def _begin_wanted_tour(self) -> None:
        """Begin the tour that was asked for, once the library is open."""
        if self._is_tour_wanted and self._services is not None:
            self._is_tour_wanted = False
            start_worker(self, partial(self._begin_tour, self._services), "tour", is_exclusive=True)

    async def _begin_tour(self, services: Services) -> None:
        from monitor_tui.tour import Tour  # not before the first frame

        self._tour = Tour()
        self.post_message(routes.Visit(routes.ToScene(await self._tour.begin(services))))

    async def _follow_tour(self) -> None:
        if self._tour is not None and self._services is not None:
            await self._tour.note_progress(self._services)
            self._show_tour()

    def _show_tour(self) -> None:
        for screen in self.screen_stack:
            if self._tour is not None and isinstance(screen, ServiceScreen):
                self._tour.show_on(screen)

    def action_jump(self) -> None:
        """Show a letter at every pane; the one that is pressed focuses its pane."""
        from screens.dialogs.jump_screen import JumpScreen, list_panes  # not before the first frame

        screen = self.screen
        panes = list_panes(screen)

        def focus(pane: Widget | None) -> None:
            if pane is not None:
                screen.set_focus(pane)

        if panes:
            self.push_screen(JumpScreen(panes), focus)

    def action_settings(self) -> None:
        self.post_message(routes.Visit(routes.ToSettings(universe_id=find_universe_id(self.screen_stack))))


def _nearest_name_hint(name: str, known_names: Iterable[str]) -> str:
    # Its import costs a tenth of a second: only where a name is wrong.
    from monitor_tui.settings import nearest_name_hint

    return nearest_name_hint(name, sorted(known_names))
