"""The Monitor: says whether a typed line is the story's or a command of ours, when heuristics cannot.

It only chooses among commands that there are; what it chose is carried out as if it had been typed.
Source: LANGGRAPH_AGENTS, "Router decision flow".
"""

from __future__ import annotations

from collections.abc import Mapping

from agents.model.asking import Calls, Occasion
from agents.personas.outputs import NONE, Routing, routing_among
from stores.records.model import Persona

NARRATION = Routing(mode="narration", command=NONE)


class Monitor:
    """Classifies lines. Stateless."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def classify(self, line: str, operations: Mapping[str, str], occasion: Occasion) -> Routing:
        """Return what the line is; `operations` are command names with what each does in a few words.

        Narration, if it is off, has no answer or names no command. Raises ModelError if the model did not
        answer.
        """
        if not self._calls.on(Persona.MONITOR):
            return NARRATION
        table = "\n".join(f"{name}: {does}" for name, does in sorted(operations.items()))
        into = routing_among(frozenset(operations))
        sections = {"operations": table, "words": line}
        shaped = await self._calls.shaped(Persona.MONITOR, sections, occasion, into)
        routing = shaped.value
        if routing is None or routing.mode == "narration" or routing.command not in operations:
            return NARRATION
        return Routing(mode="operation", command=routing.command, argument=" ".join(routing.argument.split()))
