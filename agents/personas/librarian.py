"""The Librarian: digests what of the record matters for an exchange, and answers questions from the
record."""

from __future__ import annotations

from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.prompt_sections import build_prompt_sections
from agents.llm.call_context import CallContext, PersonaCalls
from agents.personas.outputs import CitedAnswer, Digest
from agents.personas.prompt_files import ANSWER_TASK
from stores.records.llm import Persona


class Librarian:
    """Summarises evidence."""

    def __init__(self, calls: PersonaCalls) -> None:
        self._calls = calls

    async def digest(
        self, package: ContextPackage, player_text: str, call_context: CallContext
    ) -> tuple[str, ...]:
        """Return up to 6 points; none if it is off or gave no answer: then the Narrator reads the record
        itself.

        Raises ModelError if the model did not answer.
        """
        if not self._calls.is_on(Persona.LIBRARIAN):
            return ()
        sections = {**build_prompt_sections(package), "words": player_text}
        structured = await self._calls.ask_structured(Persona.LIBRARIAN, sections, call_context, Digest)
        return structured.value.points if structured.value else ()

    async def answer(self, question: str, evidence: str, call_context: CallContext) -> CitedAnswer | None:
        """Return an answer to `question` that cites the numbered lines of `evidence`; None if it could not be
        read.

        The player asks for it by a key, so it does not matter whether the persona is on. Raises ModelError if
        nothing was answered.
        """
        sections = {"evidence": evidence, "words": question}
        structured = await self._calls.ask_structured(
            Persona.LIBRARIAN, sections, call_context, CitedAnswer, ANSWER_TASK
        )
        return structured.value
