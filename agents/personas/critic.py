"""The Critic: scores a draft and decides whether it is rewritten, with one note. At most one rewrite
follows."""

from __future__ import annotations

from dataclasses import replace

from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.prompt_sections import build_prompt_sections
from agents.llm.call_context import CallContext, PersonaCalls
from agents.personas.narrator_brief import NarratorBrief
from agents.personas.outputs import Critique
from stores.records.llm import Persona


class Critic:
    """Reviews drafts."""

    def __init__(self, calls: PersonaCalls) -> None:
        self._calls = calls

    async def review_draft(
        self, draft: str, package: ContextPackage, brief: NarratorBrief, call_context: CallContext
    ) -> Critique:
        """Return the critique. If the persona is off or gave no answer, the draft is kept.

        Raises ModelError if the model did not answer.
        """
        if not self._calls.is_on(Persona.CRITIC):
            return Critique()
        sections = {**build_prompt_sections(package), **replace(brief, draft=draft).parts()}
        structured = await self._calls.ask_structured(Persona.CRITIC, sections, call_context, Critique)
        return structured.value or Critique()
