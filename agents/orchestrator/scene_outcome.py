"""Tells the outcome of a scene from other proposals: it rests on the scene itself. A scene has one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.proposals.decisions import decision_before_undo, is_rejected
from stores.records.canon import AssertFact, Evidence, EvidenceKind
from stores.records.ids import Id, derive_id
from stores.records.play import Scene
from stores.records.workflow import ProposedChange


def build_outcome_evidence(scene: Scene) -> Evidence:
    """Return the evidence that an outcome of the scene rests on."""
    return Evidence(
        id=_evidence_id(scene.id),
        kind=EvidenceKind.SCENE,
        ref_id=scene.id,
        quote=scene.title,
        scene_id=scene.id,
    )


def find_outcomes(proposals: Iterable[ProposedChange], scene_id: Id) -> list[ProposedChange]:
    """Return the outcomes of the scene that are among the proposals and not rejected."""
    evidence_id = _evidence_id(scene_id)
    return [
        p
        for p in proposals
        if isinstance(p.payload, AssertFact)
        and any(e.id == evidence_id for e in p.evidence)
        and not is_rejected(p)
    ]


def find_undone_outcomes(undone: Sequence[ProposedChange], scene_id: Id) -> list[ProposedChange]:
    """Return the outcomes of the scene that are among the undone proposals and were not rejected before."""
    before_undo = (p.model_copy(update={"decision": decision_before_undo(p.decision)}) for p in undone)
    ids = {p.id for p in find_outcomes(before_undo, scene_id)}
    return [p for p in undone if p.id in ids]


def find_same_outcome(
    outcomes: Iterable[ProposedChange], new_outcome: Sequence[ProposedChange]
) -> list[ProposedChange]:
    """Return what one `/end` proposed on the same turn that says what the new outcome does; the last of several."""
    changes_said = [p.change for p in new_outcome]
    outcomes_by_command: dict[Id | None, list[ProposedChange]] = {}
    for proposal in outcomes:
        if proposal.turn_id == new_outcome[0].turn_id:
            outcomes_by_command.setdefault(proposal.command_id, []).append(proposal)
    same_outcomes = [
        proposals
        for proposals in outcomes_by_command.values()
        if [p.change for p in proposals] == changes_said
    ]
    return same_outcomes[-1] if same_outcomes else []


def _evidence_id(scene_id: Id) -> Id:
    return derive_id("evidence", EvidenceKind.SCENE, scene_id)
