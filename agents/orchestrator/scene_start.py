"""How a scene begins: the check that may alter or interrupt it, offered while nothing much is played.

Source: design/product.md, "Solo procedures" (scene check: as expected, altered, interrupted).
"""

from __future__ import annotations

from typing import Final

from agents.context_assembly.context import SceneContext
from agents.resolver.events import CHECK_RULE
from stores.errors import InputError
from stores.ports import LogReader
from stores.records.play import Speaker, Turn

FIRST: Final = "/zero sets it up · /start rolls how it begins"
LATER: Final = "/start rolls how it begins · /scene names it"
_FEW: Final = 12
"""Turns that still may be a beginning: an opening that was told before the player acted."""


class SceneStart:
    """Says what may still be asked of a scene's beginning. Stateless and read-only."""

    def __init__(self, log: LogReader) -> None:
        self._log = log

    async def opening(self, context: SceneContext) -> str:
        """Return a few words on how the scene may be begun; empty once somebody has acted or asked."""
        line = await self._line(context)
        if line is None or any(turn.speaker in (Speaker.PLAYER, Speaker.ORACLE) for turn in line):
            return ""
        return FIRST if context.scene.order == 1 else LATER

    async def check(self, context: SceneContext) -> None:
        """Raise InputError if it is too late to roll how the scene begins, or if that was rolled."""
        line = await self._line(context)
        if line is None or sum(turn.speaker is Speaker.PLAYER for turn in line) > 1:
            raise InputError(
                "This scene is well under way.",
                kept="Nothing was rolled.",
                todo="/start belongs to its first turns. /event rolls a random event at any time.",
            )
        results = await self._log.resolutions([t.id for t in line if t.speaker is Speaker.ORACLE])
        if any(result.rule.startswith(CHECK_RULE) for result in results):
            raise InputError(
                "How this scene begins was rolled already.",
                kept="Nothing was rolled.",
                todo="/undo takes that back, if it was the last thing that happened.",
            )

    async def _line(self, context: SceneContext) -> list[Turn] | None:
        """Return the turns of the line; None if they are too many for a beginning."""
        if context.head is None:
            return []
        if context.head.depth >= _FEW:
            return None
        return await self._log.line_slice(context.scene.id, 0, _FEW)
