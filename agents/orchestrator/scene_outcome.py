"""Tells the outcome of a scene from other proposals: it rests on the scene itself. A scene has one."""

from __future__ import annotations

from collections.abc import Iterable

from agents.proposals.decisions import is_rejected
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


def _evidence_id(scene_id: Id) -> Id:
    return derive_id("evidence", EvidenceKind.SCENE, scene_id)
