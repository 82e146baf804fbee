"""The Narrator: narrates what happens, bound by the sealed result, the rules and the record.

It has no fallback: without a model the GM narrates. `agents.narrator.gm_turn_writer` writes the turns.
"""

from __future__ import annotations

from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.prompt_sections import build_prompt_sections
from agents.llm.call_context import CallContext, OnText, PersonaCalls, ProseAnswer
from agents.personas.narrator_brief import NarratorBrief
from stores.records.llm import Persona


class Narrator:
    """Narrates exchanges."""

    def __init__(self, calls: PersonaCalls) -> None:
        self._calls = calls

    async def narrate(
        self, package: ContextPackage, brief: NarratorBrief, on_text: OnText, call_context: CallContext
    ) -> ProseAnswer:
        """Have the exchange narrated; `on_text` gets the text as it arrives.

        Sections that the brief leaves empty come from the package. Raises ModelError (ModelUnset if the
        persona is off) if no text arrived.
        """
        return await self._calls.ask_prose(
            Persona.NARRATOR, {**build_prompt_sections(package), **brief.parts()}, call_context, on_text
        )
