"""The Character: one NPC in the first person, who knows its own memories and what is plain to see.

Source: LANGGRAPH_AGENTS, "Agent catalog"; design/product.md, pain 12.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.context_assembly.package import ContextPackage
from agents.context_assembly.sections import own_parts
from agents.llm.call_context import CallContext, OnText, PersonaCalls, ProseAnswer
from agents.personas.narrator_brief import NarratorBrief
from stores.records.memory import Memory
from stores.records.model import Persona
from stores.records.world import Entity


class Character:
    """Speaks for NPCs. Stateless: who it is comes with each call."""

    def __init__(self, calls: PersonaCalls) -> None:
        self._calls = calls

    async def speak(
        self,
        npc: Entity,
        memories: Sequence[Memory],
        package: ContextPackage,
        brief: NarratorBrief,
        call_context: CallContext,
        on_text: OnText = lambda words: None,
    ) -> ProseAnswer | None:
        """Return what this NPC says and does now; None if it is off: the Narrator speaks for it.

        Of the package it is given who and what is plain to see here, and of memories only those in `memories`
        that are its own. Raises ModelError if not a word came.
        """
        if not self._calls.is_on(Persona.CHARACTER):
            return None
        own_memories = [m for m in memories if m.entity_id == npc.id]
        sections = own_parts(package, npc, own_memories)
        brief_parts = brief.parts()
        shared_parts = {name: brief_parts[name] for name in ("lines", "words", "note") if name in brief_parts}
        return await self._calls.ask_prose(
            Persona.CHARACTER, {**sections, **shared_parts}, call_context, on_text
        )
