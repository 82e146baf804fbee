"""The Archivist: in one call, the bullet for the rolling summary and what changed, with the words for it.

Source: LANGGRAPH_AGENTS, "Agent catalog"; design/loops.md, nodes `extract` and `summarise`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from agents.context_assembly.package import ContextPackage
from agents.context_assembly.sections import parts
from agents.model.asking import Calls, Occasion
from agents.personas.bound import Bound
from agents.personas.outputs import Change, Chronicle
from stores.records.model import Persona

MOST = 200
"""Characters of a bullet that is made without a model."""

_SENTENCE_END = re.compile(r"""(?:(?<=[.!?…])|(?<=[.!?…]["”’]))\s+(?=["“‘]?[^\Wa-z])""")


@dataclass(frozen=True, slots=True)
class Recorded:
    """`changes` None: nobody read the prose for them, and plain rules have to."""

    summary: str
    changes: tuple[Change, ...] | None = None


class Archivist:
    """Records what an exchange came to. Stateless."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def record(self, draft: str, package: ContextPackage, bound: Bound, occasion: Occasion) -> Recorded:
        """Return the bullet and what changed; if it is off or had no answer, the draft's own first sentence.

        Raises ModelError if the model did not answer.
        """
        if not self._calls.on(Persona.ARCHIVIST):
            return Recorded(first_sentence(draft))
        sections = {**parts(package), **replace(bound, draft=draft).parts()}
        shaped = await self._calls.shaped(Persona.ARCHIVIST, sections, occasion, Chronicle)
        if shaped.value is None:
            return Recorded(first_sentence(draft))
        summary = _once(shaped.value.summary)
        return Recorded(summary or first_sentence(draft), shaped.value.changes)


def _once(text: str) -> str:
    """Return a text in one line with each of its sentences once: small models go round in circles."""
    return " ".join(dict.fromkeys(" ".join(part.split()) for part in _SENTENCE_END.split(text.strip())))


def first_sentence(text: str, most: int = MOST) -> str:
    """Return the first sentence in one line of at most `most` characters, cut behind a word."""
    line = " ".join(_SENTENCE_END.split(text.strip(), maxsplit=1)[0].split())
    return line if len(line) <= most else line[: most - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"
