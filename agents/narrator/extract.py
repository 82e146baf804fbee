"""Proposals from prose: each with the verbatim words that it rests on, and none that canon has already.

A quote that is not in the text is dropped and counted: nothing rests on words that nobody told. All of it is
of authority SYSTEM and waits at the gate, whatever the text says about itself. Source: design/loops.md, node
`extract`; design/authority.md, "Security".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.canon_keeper.predicates import Catalogue
from agents.context_assembly.package import ContextPackage
from agents.personas.outputs import Change
from stores.ports import CanonReader
from stores.records.ledger import ProposedChange
from stores.records.model import DecisionMark
from stores.records.play import Turn

THRESHOLD = 40
"""Significance, of 100, from which a change is proposed."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was not proposed, and why, in a few words."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Extracted:
    proposals: tuple[ProposedChange, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    def in_short(self) -> str:
        """Return it in one line: `2 proposals; 1 dropped (quote not in the text)`."""
        count = len(self.proposals)
        line = f"{count or 'no'} proposal{'' if count == 1 else 's'}"
        if self.dropped:
            line += f"; {len(self.dropped)} dropped ({', '.join(dict.fromkeys(d.why for d in self.dropped))})"
        return line


class Extraction:
    """Makes proposals of what a turn told. Stateless; reads canon for names alone."""

    def __init__(self, canon: CanonReader) -> None:
        self._canon = canon

    async def of(
        self, turn: Turn, changes: Sequence[Change] | None, package: ContextPackage, catalogue: Catalogue
    ) -> Extracted:
        """Return what `turn` (told, not yet canon) would change. `changes` are the Archivist's; None: it is
        off or had no answer, and a few plain rules read the prose.

        Identifiers are derived from the turn: extracting twice is extracting once.
        """
        raise NotImplementedError


def marks_in(text: str, turn: Turn) -> tuple[DecisionMark, ...]:
    """Return the `@DECISION(reason=..., impact=...)` markers of a text as marks of `turn`."""
    raise NotImplementedError


def strip_markers(text: str) -> str:
    """Return the text without its `@DECISION(...)` markers, as it is told and stored."""
    raise NotImplementedError
