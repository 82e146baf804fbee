"""The command palette: every key that works now, and on the play screen every slash command."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.types import IgnoreReturnCallbackType

from screens.base import TakesCommands


class Entry(NamedTuple):
    name: str
    help: str
    run: IgnoreReturnCallbackType


class MonitorCommands(Provider):
    """What can be done from the screen that the palette was opened over."""

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
        seen: set[str] = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.id is None or not active.enabled or binding.id in seen:
                continue
            seen.add(binding.id)
            key = self.app.get_key_display(binding)
            run = partial(self.app.run_action, binding.action, active.node)
            yield Entry(f"{binding.description}  ({key})", binding.tooltip, run)
        if isinstance(self.screen, TakesCommands):
            for command in self.screen.commands():
                yield Entry(
                    f"/{command.name.lstrip('/')}",
                    command.summary,
                    partial(self.screen.type_command, command),
                )
