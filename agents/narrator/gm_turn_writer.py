"""Writes GM and NPC turns to the log. Without a model, their text is the GM's own."""

from __future__ import annotations

from collections.abc import Sequence

from stores.ports import NarratorLog
from stores.records.llm import DecisionMark
from stores.records.play import MoveKind, Turn


class GmTurnWriter:
    """The only writer of GM and NPC turns; its log handle has the Narrator's role."""

    def __init__(self, log: NarratorLog) -> None:
        self._log = log

    async def append_turn(self, turn: Turn, kind: MoveKind = MoveKind.APPEND) -> Turn:
        """Append `turn`. Appending the same turn again changes nothing."""
        await self._log.append_gm_turn(turn, kind)
        return turn

    async def record_decisions(self, marks: Sequence[DecisionMark]) -> None:
        """Store the decisions that a turn marks. Storing the same marks again changes nothing."""
        if marks:
            await self._log.mark_decisions(marks)
