"""The Character: speaks as one NPC, who knows its own memories and what is plain to see."""

from __future__ import annotations

from collections.abc import Sequence

from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.prompt_sections import build_npc_sections
from agents.llm.call_context import CallContext, OnText, PersonaCalls, ProseAnswer
from agents.personas.narrator_brief import NarratorBrief
from stores.records.llm import Persona
from stores.records.memory import Memory
from stores.records.world import Entity


class Character:
    """Speaks for NPCs; which one comes with each call."""

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
        """Return what this NPC says and does now, or None if the persona is off: then the Narrator speaks for
        it.

        The NPC is given what is plain to see here, and of `memories` only its own. Raises ModelError if no
        text arrived.
        """
        if not self._calls.is_on(Persona.CHARACTER):
            return None
        own_memories = [m for m in memories if m.entity_id == npc.id]
        sections = build_npc_sections(package, npc, own_memories)
        brief_parts = brief.parts()
        shared_parts = {name: brief_parts[name] for name in ("lines", "words", "note") if name in brief_parts}
        return await self._calls.ask_prose(
            Persona.CHARACTER, {**sections, **shared_parts}, call_context, on_text
        )
