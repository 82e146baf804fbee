"""The Archivist: records an exchange in one call, as a summary line and the changes with their quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.prompt_sections import build_prompt_sections
from agents.llm.call_context import CallContext, PersonaCalls
from agents.personas.narrator_brief import NarratorBrief
from agents.personas.outputs import Chronicle, ReportedChange
from stores.records.llm import Persona

MAX_SUMMARY = 200
"""Characters of a summary that is made without a model."""

_SENTENCE_END = re.compile(r"""(?:(?<=[.!?…])|(?<=[.!?…]["”’]))\s+(?=["“‘]?[^\Wa-z])""")


@dataclass(frozen=True, slots=True)
class ArchivistRecord:
    """What the Archivist recorded of one exchange."""

    summary: str
    changes: tuple[ReportedChange, ...] | None = None
    """None: no model read the prose, and plain rules have to find the changes."""


class Archivist:
    """Summarises an exchange and reports its changes."""

    def __init__(self, calls: PersonaCalls) -> None:
        self._calls = calls

    async def record(
        self, draft: str, package: ContextPackage, brief: NarratorBrief, call_context: CallContext
    ) -> ArchivistRecord:
        """Return the summary and the changes; if it is off or gave no answer, the draft's first sentence.

        Raises ModelError if the model did not answer.
        """
        if not self._calls.is_on(Persona.ARCHIVIST):
            return ArchivistRecord(first_sentence(draft))
        sections = {**build_prompt_sections(package), **replace(brief, draft=draft).parts()}
        structured = await self._calls.ask_structured(Persona.ARCHIVIST, sections, call_context, Chronicle)
        if structured.value is None:
            return ArchivistRecord(first_sentence(draft))
        summary = _unique_sentences(structured.value.summary)
        return ArchivistRecord(summary or first_sentence(draft), structured.value.changes)


def _unique_sentences(text: str) -> str:
    """Return a text in one line with each sentence once: small models repeat themselves."""
    return " ".join(dict.fromkeys(" ".join(part.split()) for part in _SENTENCE_END.split(text.strip())))


def first_sentence(text: str, limit: int = MAX_SUMMARY) -> str:
    """Return the first sentence in one line, cut after a word at `limit` characters."""
    line = " ".join(_SENTENCE_END.split(text.strip(), maxsplit=1)[0].split())
    return line if len(line) <= limit else line[: limit - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"
