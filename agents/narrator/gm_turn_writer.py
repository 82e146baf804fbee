"""The Narrator: the only agent that writes GM and NPC turns. Without a model, the words are the GM's own.

Source: AGENT_ORCHESTRATION, Narrator; design/loops.md ("Without a model ... the GM writes the prose").
"""

from __future__ import annotations

from collections.abc import Sequence

from stores.ports import NarratorLog
from stores.records.model import DecisionMark
from stores.records.play import MoveKind, Turn


class GmTurnWriter:
    """Appends what the GM says to the line. Stateless."""

    def __init__(self, log: NarratorLog) -> None:
        self._log = log

    async def append_turn(self, turn: Turn, kind: MoveKind = MoveKind.APPEND) -> Turn:
        """Append `turn` in its words; telling the same turn again changes nothing."""
        await self._log.append_gm_turn(turn, kind)
        return turn

    async def record_decisions(self, marks: Sequence[DecisionMark]) -> None:
        """Keep the decisions that a turn marks; marking the same again changes nothing."""
        if marks:
            await self._log.mark_decisions(marks)
