"""The command palette: every key that works now, the slash commands in play, and Textual's own entries."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.types import IgnoreReturnCallbackType

from screens.base import TakesCommands


class Entry(NamedTuple):
    """What the palette lists: a name, a word on it, and what runs."""

    name: str
    help: str
    run: IgnoreReturnCallbackType


class MonitorCommands(Provider):
    """What can be done from the screen that the palette was opened over.

    The only provider, so that entries always stand in the same order.
    """

    async def discover(self) -> Hits:
        for entry in self._entries():
            yield DiscoveryHit(entry.name, entry.run, help=entry.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for entry in self._entries():
            score = max(matcher.match(entry.name), matcher.match(entry.help) * 0.7)
            if score > 0:
                yield Hit(score, matcher.highlight(entry.name), entry.run, help=entry.help)

    def _entries(self) -> Iterator[Entry]:
        yield from self._keys()
        if isinstance(self.screen, TakesCommands):
            for command in self.screen.commands():
                run = partial(self.screen.type_command, command)
                yield Entry(f"/{command.name.removeprefix('/')}", command.summary, run)
        for system in self.app.get_system_commands(self.screen):
            yield Entry(system.title, system.help, system.callback)

    def _keys(self) -> Iterator[Entry]:
        """Yield each action of a key of ours once, by the first of its keys."""
        told: set[str] = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.id is None or not active.enabled or binding.id in told:
                continue
            told.add(binding.id)
            key = self.app.get_key_display(binding)
            run = partial(self.app.run_action, binding.action, active.node)
            yield Entry(f"{binding.description}  ({key})", binding.tooltip, run)
