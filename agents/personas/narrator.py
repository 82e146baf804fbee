"""The Narrator's persona: tells what happens, bound by the sealed result, the rules and what was found.

It has no fallback: without a model the GM tells. Turns are written by `agents.narrator.gm_turn_writer`.
Source: LANGGRAPH_AGENTS, "Agent catalog"; AGENT_ORCHESTRATION, Narrator.
"""

from __future__ import annotations

from agents.context_assembly.package import ContextPackage
from agents.context_assembly.sections import parts
from agents.llm.call_context import CallContext, OnText, PersonaCalls, ProseAnswer
from agents.personas.narrator_brief import NarratorBrief
from stores.records.model import Persona


class Narrator:
    """Has prose told. Stateless."""

    def __init__(self, calls: PersonaCalls) -> None:
        self._calls = calls

    async def narrate(
        self, package: ContextPackage, brief: NarratorBrief, on_text: OnText, call_context: CallContext
    ) -> ProseAnswer:
        """Have the exchange told; `hear` is called with words as they come. What the bound leaves empty comes
        of the package. Raises ModelError (ModelUnset if it is off) if not a word came."""
        return await self._calls.ask_prose(
            Persona.NARRATOR, {**parts(package), **brief.parts()}, call_context, on_text
        )
