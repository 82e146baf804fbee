"""Building proposals and their evidence; pure. Identifiers derive from the turn, so a retry rebuilds them.

Source: design/ontology.md (identifiers; "Proposed change kinds"); AGENT_ORCHESTRATION, Resolver
("evidence-linked proposals").
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from agents.resolver.requests import CheckRequest, Declaration, IsCritical
from stores.records.canon import (
    AssertFact,
    Authority,
    Evidence,
    EvidenceKind,
    Payload,
    StateChange,
    StateOp,
)
from stores.records.ids import Id, derived
from stores.records.ledger import ProposedChange
from stores.records.play import Resolution

MAX_QUOTE: Final = 500
"""Characters of the very words that evidence quotes, from their beginning."""


def resolution_id(turn_id: Id) -> Id:
    """Return the identifier of the one result that a turn shows."""
    return derived("resolution", turn_id)


def proposal_id(turn_id: Id, index: int) -> Id:
    """Return the identifier of the `index`-th change that a turn's result proposes."""
    return derived("proposal", turn_id, index)


def proposals_resolved(
    request: CheckRequest, resolution: Resolution, changes: Sequence[StateChange]
) -> tuple[ProposedChange, ...]:
    """Build what a result proposes: on the player's authority, resting on the roll and on the words."""
    scene = request.scene
    evidence = (
        Evidence(
            id=derived("evidence", EvidenceKind.RESOLUTION, resolution.id),
            kind=EvidenceKind.RESOLUTION,
            ref_id=resolution.id,
            quote=resolution.text[:MAX_QUOTE],
            turn_id=request.turn_id,
            scene_id=scene.id,
        ),
        Evidence(
            id=derived("evidence", EvidenceKind.TURN, request.player_turn_id),
            kind=EvidenceKind.TURN,
            ref_id=request.player_turn_id,
            quote=request.intent[:MAX_QUOTE],
            turn_id=request.player_turn_id,
            scene_id=scene.id,
        ),
    )
    return tuple(
        ProposedChange(
            id=proposal_id(request.turn_id, index),
            universe_id=scene.universe_id,
            story_id=scene.story_id,
            scene_id=scene.id,
            turn_id=request.turn_id,
            payload=change,
            evidence=evidence,
            authority=Authority.PLAYER,
            tick=scene.tick if request.tick is None else request.tick,
            critical=touches_critical(change, request.is_critical),
            created_at=resolution.created_at,
        )
        for index, change in enumerate(changes)
    )


def proposals_declared(declaration: Declaration, key: Id, at: datetime) -> tuple[ProposedChange, ...]:
    """Build what was stated outright; identifiers derive from `key` and from what is stated."""
    scene = declaration.scene
    ids = [
        derived("proposal", "declared", key, index, payload.model_dump_json())
        for index, payload in enumerate(declaration.payloads)
    ]
    tick = scene.tick if scene and declaration.tick is None else declaration.tick
    evidence = declaration.evidence or tuple(_words_of(declaration, ref) for ref in ids[:1])
    return tuple(
        ProposedChange(
            id=own_id,
            universe_id=declaration.universe_id,
            story_id=scene.story_id if scene else None,
            scene_id=scene.id if scene else None,
            turn_id=declaration.turn_id,
            unless_turn=declaration.unless_turn,
            payload=payload,
            evidence=evidence,
            authority=declaration.authority,
            tick=tick,
            critical=declaration.critical or touches_critical(payload, declaration.is_critical),
            created_at=at,
        )
        for own_id, payload in zip(ids, declaration.payloads, strict=True)
    )


def touches_critical(payload: Payload, is_critical: IsCritical) -> bool:
    """Whether `payload` gives a critical predicate a value, as `alive = false` does."""
    match payload:
        case StateChange(op=StateOp.SET | StateOp.ADD):
            return is_critical(payload.key)
        case AssertFact():
            return is_critical(payload.predicate)
        case _:
            return False


def _words_of(declaration: Declaration, first_proposal: Id) -> Evidence:
    """Evidence of the typed words: of their turn, or of the proposal if no turn holds them."""
    ref = declaration.turn_id or first_proposal
    return Evidence(
        id=derived("evidence", EvidenceKind.MANUAL, ref),
        kind=EvidenceKind.MANUAL,
        ref_id=ref,
        quote=declaration.words[:MAX_QUOTE],
        turn_id=declaration.turn_id,
        scene_id=declaration.scene.id if declaration.scene else None,
    )
