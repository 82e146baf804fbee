"""The Narrator's persona: tells what happens, bound by the sealed result, the rules and what was found.

It has no fallback: without a model the GM tells. Turns are written by `agents.narrator.narrator`.
Source: LANGGRAPH_AGENTS, "Agent catalog"; AGENT_ORCHESTRATION, Narrator.
"""

from __future__ import annotations

from agents.context_assembly.package import ContextPackage
from agents.context_assembly.sections import parts
from agents.model.asking import Calls, Hear, Occasion, Told
from agents.personas.bound import Bound
from stores.records.model import Persona


class NarratorPersona:
    """Has prose told. Stateless."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def tell(self, package: ContextPackage, bound: Bound, hear: Hear, occasion: Occasion) -> Told:
        """Have the exchange told; `hear` is called with words as they come. What the bound leaves empty comes
        of the package. Raises ModelError (ModelUnset if it is off) if not a word came."""
        return await self._calls.words(Persona.NARRATOR, {**parts(package), **bound.parts()}, occasion, hear)
