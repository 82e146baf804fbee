"""The Steward: warns what of the coming exchange would contradict canon, or a rule that code cannot check.

Its warnings add to those of `agents.narrator.prose_checks.find_unfounded_claims`, which need no model.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.prompt_sections import build_prompt_sections
from agents.llm.call_context import CallContext, PersonaCalls
from agents.personas.narrator_brief import NarratorBrief
from agents.personas.outputs import Warnings
from stores.records.llm import Persona


class Steward:
    """Checks an exchange before it is narrated."""

    def __init__(self, calls: PersonaCalls) -> None:
        self._calls = calls

    async def assess(
        self,
        package: ContextPackage,
        brief: NarratorBrief,
        call_context: CallContext,
        known_warnings: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Return the warnings, the `known_warnings` (found without a model) first; only those if it is off.

        Raises ModelError if the model did not answer.
        """
        if not self._calls.is_on(Persona.STEWARD):
            return tuple(known_warnings)
        sections = {**build_prompt_sections(package), **brief.parts()}
        structured = await self._calls.ask_structured(Persona.STEWARD, sections, call_context, Warnings)
        model_warnings = structured.value.warnings if structured.value else ()
        return tuple(
            dict.fromkeys((*known_warnings, *(" ".join(w.split()) for w in model_warnings if w.strip())))
        )
