"""The Director: turns the player's intent into a short plan before anything is rolled or narrated."""

from __future__ import annotations

from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.prompt_sections import build_prompt_sections
from agents.llm.call_context import CallContext, PersonaCalls
from agents.personas.outputs import Plan
from stores.records.llm import Persona


class Director:
    """Plans exchanges."""

    def __init__(self, calls: PersonaCalls) -> None:
        self._calls = calls

    async def plan(self, package: ContextPackage, player_text: str, call_context: CallContext) -> Plan | None:
        """Return 2 to 4 beats and the assumptions; None if it is off or gave no answer.

        Raises ModelError if the model did not answer.
        """
        if not self._calls.is_on(Persona.DIRECTOR):
            return None
        sections = {**build_prompt_sections(package), "words": player_text}
        return (await self._calls.ask_structured(Persona.DIRECTOR, sections, call_context, Plan)).value
