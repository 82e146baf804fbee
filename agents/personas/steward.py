"""The Steward: says what of the coming exchange would contradict canon or a rule that code cannot check.

Its warnings add to the deterministic ones (`agents.narrator.checks.unfounded`), which need no model.
Source: LANGGRAPH_AGENTS, "Agent catalog"; design/authority.md, "Contradictions".
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.context_assembly.package import ContextPackage
from agents.context_assembly.sections import parts
from agents.model.asking import Calls, Occasion
from agents.personas.bound import Bound
from agents.personas.outputs import Warnings
from stores.records.model import Persona


class Steward:
    """Weighs an exchange before it is told. Stateless."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def weigh(
        self, package: ContextPackage, bound: Bound, occasion: Occasion, known: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Return warnings, the `known` ones (found without a model) first; those alone if it is off.

        Raises ModelError if the model did not answer.
        """
        if not self._calls.on(Persona.STEWARD):
            return tuple(known)
        sections = {**parts(package), **bound.parts()}
        shaped = await self._calls.shaped(Persona.STEWARD, sections, occasion, Warnings)
        more = shaped.value.warnings if shaped.value else ()
        return tuple(dict.fromkeys((*known, *(" ".join(w.split()) for w in more if w.strip()))))
