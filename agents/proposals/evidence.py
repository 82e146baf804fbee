"""Evidence of proposals: the words that were typed, and the words of a turn."""

from __future__ import annotations

from typing import Final

from stores.records.canon import Evidence, EvidenceKind
from stores.records.ids import Id, derive_id, derive_ordered_id
from stores.records.play import Turn

MAX_QUOTE_LENGTH: Final = 500
"""Characters that evidence quotes of typed words or of a turn, from their beginning."""


def show_words(quote: str, *, is_quotation: bool) -> str:
    """Return the words of evidence as they are shown: between quotation marks only what somebody wrote."""
    return f"“{quote}”" if quote and is_quotation else quote


def manual_evidence(
    proposal_id: Id,
    quote: str,
    *,
    is_quotation: bool = False,
    turn_id: Id | None = None,
    scene_id: Id | None = None,
) -> Evidence:
    """Return the evidence that somebody's own act is, which a proposal rests on alone.

    The words say what was done, unless they are a quotation of what was typed.
    """
    return Evidence(
        id=derive_ordered_id("evidence", proposal_id),
        kind=EvidenceKind.MANUAL,
        ref_id=proposal_id,
        quote=quote,
        is_quotation=is_quotation,
        turn_id=turn_id,
        scene_id=scene_id,
    )


def typed_evidence(proposal_id: Id, typed_text: str, turn: Turn | None) -> Evidence:
    """Return the evidence that typed words are; `turn` is the turn that they were typed on."""
    return manual_evidence(
        proposal_id,
        typed_text[:MAX_QUOTE_LENGTH],
        is_quotation=True,
        turn_id=turn.id if turn else None,
        scene_id=turn.scene_id if turn else None,
    )


def is_declared_after(evidence: Evidence, turn: Turn) -> bool:
    """Say whether evidence is a declaration that was typed after a turn, and no words of the turn."""
    is_of_turn = bool(evidence.quote) and evidence.quote in turn.text
    return evidence.kind is EvidenceKind.MANUAL and not is_of_turn


def turn_evidence(turn: Turn) -> Evidence:
    """Return the evidence that a turn's own words are."""
    return Evidence(
        id=derive_id("evidence", EvidenceKind.TURN, turn.id),
        kind=EvidenceKind.TURN,
        ref_id=turn.id,
        quote=turn.text[:MAX_QUOTE_LENGTH],
        turn_id=turn.id,
        scene_id=turn.scene_id,
    )


def words_evidence(turn: Turn, quote: str) -> Evidence:
    """Return the evidence that a part of a turn's words is, with where it stands in them."""
    start = max(turn.text.find(quote), 0)
    return Evidence(
        id=derive_id("evidence", EvidenceKind.TURN, turn.id, start, start + len(quote)),
        kind=EvidenceKind.TURN,
        ref_id=turn.id,
        quote=quote,
        turn_id=turn.id,
        scene_id=turn.scene_id,
        span=(start, start + len(quote)),
    )
