"""The command palette: every key that works now; in play slash commands, screens and names; Textual's own entries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.types import IgnoreReturnCallbackType

from screens.base import PaletteTarget
from screens.routes import NamedRoute, Visit

MIN_CARD_SCORE: Final = 0.1
"""Score of a card that was found by another of its names."""


class PaletteEntry(NamedTuple):
    """What the palette lists: a name, a word on it, and what runs."""

    name: str
    help: str
    run: IgnoreReturnCallbackType


class PaletteCommandProvider(Provider):
    """What can be done from the screen that the palette was opened over.

    The only provider, so that entries always stand in the same order.
    """

    async def discover(self) -> Hits:
        for entry in self._palette_entries():
            yield DiscoveryHit(entry.name, entry.run, help=entry.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for entry in self._palette_entries():
            score = max(matcher.match(entry.name), matcher.match(entry.help) * 0.7)
            if score > 0:
                yield Hit(score, matcher.highlight(entry.name), entry.run, help=entry.help)
        if isinstance(self.screen, PaletteTarget):
            for card in await self.screen.find_cards(query):
                entry = self._route_entry(card)
                score = max(matcher.match(entry.name), MIN_CARD_SCORE)
                yield Hit(score, matcher.highlight(entry.name), entry.run, help=entry.help)

    def _palette_entries(self) -> Iterator[PaletteEntry]:
        yield from self._key_entries()
        if isinstance(self.screen, PaletteTarget):
            yield from map(self._route_entry, self.screen.named_routes())
            for command in self.screen.commands():
                run = partial(self.screen.type_command, command)
                yield PaletteEntry(f"/{command.name.removeprefix('/')}", command.summary, run)
        for system in self.app.get_system_commands(self.screen):
            yield PaletteEntry(system.title, system.help, system.callback)

    def _route_entry(self, named: NamedRoute) -> PaletteEntry:
        return PaletteEntry(named.name, named.help, partial(self.screen.post_message, Visit(named.route)))

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
