"""Finds sentences of which one denies what the other says, or that cannot both be true for another reason."""

from __future__ import annotations

from collections.abc import Iterator

from agents.canon_keeper.checks.check_input import CheckInput, FoundConflict
from agents.canon_keeper.fact_claims import conflicting_sentences

SENTENCE_RULE = "sentences"
"""The name of the check."""


def find_sentence_contradictions(check_input: CheckInput) -> Iterator[FoundConflict]:
    """Find facts and proposals that cannot be true beside the sentence of the claim."""
    for rival in conflicting_sentences(check_input.claim, check_input.draft):
        text = f"{check_input.attribution(rival.fact)} “{rival.fact.statement}” {rival.reason}"
        answer = f"Another proposal says “{check_input.fact.statement}” {rival.reason}"
        yield FoundConflict(SENTENCE_RULE, text, rival.fact, counter_text=answer)
