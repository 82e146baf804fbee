"""The Librarian: says in a few points what of the record bears on this exchange, and answers from it.

Source: LANGGRAPH_AGENTS, "Agent catalog".
"""

from __future__ import annotations

from agents.context_assembly.package import ContextPackage
from agents.context_assembly.sections import parts
from agents.model.asking import Calls, Occasion
from agents.model.prompt_files import ANSWER
from agents.personas.outputs import CitedAnswer, Digest
from stores.records.model import Persona


class Librarian:
    """Sums evidence up. Stateless."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def digest(self, package: ContextPackage, words: str, occasion: Occasion) -> tuple[str, ...]:
        """Return up to 6 points; none if it is off or had no answer: the Narrator then reads the record.

        Raises ModelError if the model did not answer.
        """
        if not self._calls.on(Persona.LIBRARIAN):
            return ()
        sections = {**parts(package), "words": words}
        shaped = await self._calls.shaped(Persona.LIBRARIAN, sections, occasion, Digest)
        return shaped.value.points if shaped.value else ()

    async def answer(self, question: str, evidence: str, occasion: Occasion) -> CitedAnswer | None:
        """Return an answer to `question` that cites the numbered lines of `evidence`; None if what came could
        not be read. It is asked by a key, so the persona's switch does not matter.

        Raises ModelError if nothing was answered.
        """
        sections = {"evidence": evidence, "words": question}
        shaped = await self._calls.shaped(Persona.LIBRARIAN, sections, occasion, CitedAnswer, ANSWER)
        return shaped.value
