"""Asks a model which sentences of the record a new one cannot be true beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.llm.call_context import CallContext, PersonaCalls
from agents.personas.outputs import Doubts
from agents.personas.prompt_files import DOUBTS_TASK
from stores.records.llm import Persona


@dataclass(frozen=True, slots=True)
class SentenceDoubter:
    """The Steward's task of doubting a sentence."""

    calls: PersonaCalls

    async def find_doubts(
        self, sentence: str, record: Sequence[str], call_context: CallContext
    ) -> tuple[tuple[str, str], ...]:
        """Return each sentence of the record that the new one cannot be true beside, as the model thinks, and why.

        An answer that cannot be read doubts nothing. Asked again with the same context, the answer on record counts:
        its numbers mean the sentences that were sent with it. Raises ModelError if the model did not answer.
        """
        sections = {
            "evidence": "\n".join(f"[{n}] {text}" for n, text in enumerate(record, start=1)),
            "words": sentence,
        }
        structured = await self.calls.ask_structured(
            Persona.STEWARD, sections, call_context, Doubts, DOUBTS_TASK
        )
        if structured.value is None:
            return ()
        sent_text = next((s.text for s in structured.call.sections if s.name == "evidence"), "")
        sent_sentences = _numbered_sentences(sent_text or sections["evidence"])
        return tuple(
            (sent_sentences[doubt.number], " ".join(doubt.why.split()).rstrip("."))
            for doubt in structured.value.doubts
            if doubt.number in sent_sentences
        )


def _numbered_sentences(text: str) -> dict[int, str]:
    sentences: dict[int, str] = {}
    for line in text.splitlines():
        number, mark, sentence = line.partition("] ")
        if mark and number.startswith("[") and number[1:].isdecimal():
            sentences[int(number[1:])] = sentence
    return sentences
