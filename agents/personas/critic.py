"""The Critic: scores a draft and says whether to tell it again, with one note.

Source: LANGGRAPH_AGENTS, "Agent catalog"; design/loops.md (at most one rewrite).
"""

from __future__ import annotations

from dataclasses import replace

from agents.context_assembly.package import ContextPackage
from agents.context_assembly.sections import parts
from agents.model.asking import Calls, Occasion
from agents.personas.bound import Bound
from agents.personas.outputs import Critique
from stores.records.model import Persona


class Critic:
    """Judges drafts. Stateless."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def judge(self, draft: str, package: ContextPackage, bound: Bound, occasion: Occasion) -> Critique:
        """Return its judgement; to keep the draft, if it is off or had no answer.

        Raises ModelError if the model did not answer.
        """
        if not self._calls.on(Persona.CRITIC):
            return Critique()
        sections = {**parts(package), **replace(bound, draft=draft).parts()}
        shaped = await self._calls.shaped(Persona.CRITIC, sections, occasion, Critique)
        return shaped.value or Critique()
