"""The command palette: every key that works now; in play slash commands; screens, and whatever has a name.

What is found by name (`monitor_tui.jump_targets`) is read once the palette opens, and searched beside the screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, runtime_checkable

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen
from textual.types import IgnoreReturnCallbackType

from monitor_tui.fuzzy_match import STREWN, fold_text, match_text
from screens.base import ErrorRaised, PaletteTarget, ServiceScreen
from screens.routes import NamedRoute, Visit
from stores.errors import MonitorError
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from monitor_tui.jump_targets import JumpTargets
    from stores.records.ids import Id

HELP_WEIGHT: Final = 0.5
"""What a match of the words that explain an entry counts, beside one of its name."""

MIN_NAME_LENGTH: Final = 2
"""Letters from which names are looked for."""


@runtime_checkable
class LibraryOwner(Protocol):
    """The application, which has the services once its library is open."""

    @property
    def library_services(self) -> Services | None: ...


class PaletteEntry(NamedTuple):
    """What the palette lists: a name, a word on it, and what runs."""

    name: str
    help: str
    run: IgnoreReturnCallbackType


class PaletteCommandProvider(Provider):
    """What can be done from the screen that the palette was opened over.

    The only provider, so that entries always stand in the same order.
    """

    _reading_targets: asyncio.Task[JumpTargets] | None = None

    async def startup(self) -> None:
        """Begin to read what has a name; the keys are listed meanwhile."""
        if (services := self._services) is not None:
            self._reading_targets = asyncio.create_task(self._read_targets(services))

    async def shutdown(self) -> None:
        if self._reading_targets is not None:
            self._reading_targets.cancel()

    async def discover(self) -> Hits:
        for entry in self._palette_entries():
            yield DiscoveryHit(self._draw(entry, ()), entry.run, text=entry.name)

    async def search(self, query: str) -> Hits:
        folded_query = fold_text(query.strip())
        for entry in chain(self._palette_entries(), self._theme_entries()):
            match = match_text(folded_query, fold_text(entry.name))
            help_match = match_text(folded_query, fold_text(entry.help))
            if help_match and help_match.score <= STREWN:
                help_match = None  # letters strewn over a sentence mean nothing
            score = max(match.score if match else 0, HELP_WEIGHT * help_match.score if help_match else 0)
            if score > 0:
                drawn = self._draw(entry, match.positions if match else ())
                yield Hit(score, drawn, entry.run, text=entry.name)
        if len(folded_query) < MIN_NAME_LENGTH or self._reading_targets is None:
            return
        try:
            targets = await asyncio.shield(self._reading_targets)
        except MonitorError as error:
            self._reading_targets = None
            self.screen.post_message(ErrorRaised(error))
            return
        for hit in await asyncio.to_thread(targets.search, query):
            entry = self._route_entry(hit.target.named_route)
            yield Hit(hit.match.score, self._draw(entry, hit.match.positions), entry.run, text=entry.name)

    def _draw(self, entry: PaletteEntry, matched_positions: tuple[int, ...]) -> Content:
        """Return name and help as content: what a player named is never markup."""
        name = Content(entry.name)
        for position in matched_positions:
            name = name.stylize(self.match_style or "reverse", position, position + 1)
        return Content.assemble(name, "\n", (one_line(entry.help), "$text-muted"))

    def _palette_entries(self) -> Iterator[PaletteEntry]:
        yield from self._key_entries()
        if isinstance(self.screen, PaletteTarget):
            yield from map(self._route_entry, self.screen.named_routes())
            for command in self.screen.commands():
                run = partial(self.screen.type_command, command)
                yield PaletteEntry(f"/{command.name.removeprefix('/')}", command.summary, run)
        elif self._services is not None:
            from screens.play.routes_beside_play import program_routes, world_routes

            universe_id = find_universe_id(self.app.screen_stack)
            routes = (*(world_routes(universe_id) if universe_id else ()), *program_routes())
            yield from map(self._route_entry, routes)
        for system in self.app.get_system_commands(self.screen):
            yield PaletteEntry(system.title, system.help, system.callback)

    def _theme_entries(self) -> Iterator[PaletteEntry]:
        """Yield the themes: many, so they are found by name and not listed."""
        for name in sorted(self.app.available_themes):
            yield PaletteEntry(
                f"Theme: {name}", "Show MONITOR in these colours", partial(setattr, self.app, "theme", name)
            )

    @property
    def _services(self) -> Services | None:
        """The services, once the library is open."""
        return self.app.library_services if isinstance(self.app, LibraryOwner) else None

    async def _read_targets(self, services: Services) -> JumpTargets:
        from monitor_tui.jump_targets import read_jump_targets  # not before the first frame

        screens = self.app.screen_stack
        return await read_jump_targets(services, find_universe_id(screens), find_played_scene_id(screens))

    def _route_entry(self, named: NamedRoute) -> PaletteEntry:
        return PaletteEntry(
            one_line(named.name), named.help, partial(self.screen.post_message, Visit(named.route))
        )

    def _key_entries(self) -> Iterator[PaletteEntry]:
        """Yield each action of a key of ours once, by the first of its keys."""
        listed_ids: set[str] = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.id is None or binding.system or not active.enabled or binding.id in listed_ids:
                continue
            listed_ids.add(binding.id)
            key = self.app.get_key_display(binding)
            run = partial(self.app.run_action, binding.action, active.node)
            yield PaletteEntry(f"{binding.description}  ({key})", binding.tooltip, run)


def find_universe_id(screens: Sequence[Screen[Any]]) -> Id | None:
    """Return the world that the screens are about, by the uppermost that is about one."""
    ids = (
        getattr(screen, "universe_id", None) or getattr(screen, "played_universe_id", None)
        for screen in reversed(screens)
        if isinstance(screen, ServiceScreen)
    )
    return next(filter(None, ids), None)


def find_played_scene_id(screens: Sequence[Screen[Any]]) -> Id | None:
    """Return the scene that is open to be played."""
    return next((s.scene_id for s in reversed(screens) if isinstance(s, PaletteTarget)), None)
