"""Builds the proposals of a result with their evidence.

Identifiers derive from the turn, so a retry builds the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.proposals.evidence import MAX_QUOTE_LENGTH
from agents.proposals.proposals import ProposalSite, build_proposal
from agents.resolver.resolution_requests import IsCritical, ProposingRequest
from stores.records.canon import (
    Authority,
    Evidence,
    EvidenceKind,
    Payload,
    StateChange,
    StateOp,
)
from stores.records.ids import Id, derive_id
from stores.records.play import Resolution
from stores.records.workflow import ProposedChange


def resolution_id(turn_id: Id) -> Id:
    """Return the identifier of the one result that a turn shows."""
    return derive_id("resolution", turn_id)


def proposal_id(turn_id: Id, index: int) -> Id:
    """Return the identifier of the `index`-th change that a turn's result proposes."""
    return derive_id("proposal", turn_id, index)


def build_resolution_proposals(
    request: ProposingRequest, resolution: Resolution, changes: Sequence[Payload]
) -> tuple[ProposedChange, ...]:
    """Build the proposals of a result, on the player's authority; the roll and its words are evidence."""
    scene = request.scene
    evidence = [
        _build_evidence(EvidenceKind.RESOLUTION, resolution.id, resolution.text, request.turn_id, scene.id)
    ]
    if request.player_turn_id is not None:
        words_id = request.player_turn_id
        evidence.append(_build_evidence(EvidenceKind.TURN, words_id, request.intent, words_id, scene.id))
    site = ProposalSite(
        scene.universe_id,
        scene.story_id,
        scene.id,
        request.turn_id,
        tick=scene.tick if request.tick is None else request.tick,
    )
    return tuple(
        build_proposal(
            proposal_id(request.turn_id, index),
            change,
            evidence,
            Authority.PLAYER,
            site,
            resolution.created_at,
            critical=is_critical_change(change, request.is_critical),
        )
        for index, change in enumerate(changes)
    )


def is_critical_change(change: Payload, is_critical: IsCritical) -> bool:
    """Return whether `change` gives a critical predicate a critical value, as `alive = false` does."""
    if not isinstance(change, StateChange) or change.op not in (StateOp.SET, StateOp.ADD):
        return False
    return is_critical(change.key, change.value)


def _build_evidence(kind: EvidenceKind, ref_id: Id, text: str, turn_id: Id, scene_id: Id) -> Evidence:
    """Return the evidence that a roll, or the turn with its words, is; its identifier derives from what it quotes."""
    return Evidence(
        id=derive_id("evidence", kind, ref_id),
        kind=kind,
        ref_id=ref_id,
        quote=text[:MAX_QUOTE_LENGTH],
        turn_id=turn_id,
        scene_id=scene_id,
    )
