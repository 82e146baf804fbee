"""From accepted proposals to the one batch that a commit writes. Pure.

The batch holds absolute values and derived ids, so that writing it twice is writing it once.
Source: design/ontology.md, "Canon graph"; design/loops.md, "Recovery".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agents.canon_keeper.changes import apply, in_order
from agents.canon_keeper.claims import MissingError, UnwritableError, claim_of
from agents.canon_keeper.duplicates import duplicate_of
from agents.canon_keeper.naming import named_entities
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.snapshot import CanonSnapshot
from agents.canon_keeper.trial import Trial
from agents.canon_keeper.world import World
from stores.records.canon import (
    Appearance,
    CanonBatch,
    CreateEntity,
    Evidence,
    EvidenceKind,
    Fact,
    FactChange,
    MergeEntities,
    Support,
    UpdateEntity,
)
from stores.records.ids import Id, derived
from stores.records.ledger import ProposedChange
from stores.records.play import Scene
from stores.records.world import Entity, Universe


@dataclass(frozen=True, slots=True)
class Accepted:
    """A proposal that is to become true, and how far it is believed (1 when somebody decided so)."""

    proposal: ProposedChange
    confidence: float


@dataclass(frozen=True, slots=True)
class Closing:
    """What a commit writes beside its proposals."""

    universe: Universe | None = None
    scene: Scene | None = None
    close_scene: bool = False
    complete_story: Id | None = None


@dataclass(frozen=True, slots=True)
class Built:
    """The batch, and why some proposals are not in it."""

    batch: CanonBatch
    failed: Mapping[Id, str] = field(default_factory=dict)


def build(
    batch_id: Id,
    accepted: Sequence[Accepted],
    canon: CanonSnapshot,
    catalogue: Catalogue,
    *,
    undecided: Mapping[Id, str],
    closing: Closing,
    now: datetime,
    trial: Trial | None = None,
) -> Built:
    """Fold the accepted proposals into one batch, in the order they depend on each other.

    `undecided` names entities that are proposed and not accepted: a proposal that needs one fails with
    words, and the rest goes on. A `trial` of just these proposals spares folding them again.
    """
    failed: dict[Id, str] = {}
    confidence = {a.proposal.id: a.confidence for a in accepted}
    ordered = in_order(a.proposal for a in accepted)
    if trial is not None and trial.is_of(ordered):
        draft = _Draft(canon, trial.world, now)
        for proposal, step in zip(ordered, trial.steps, strict=True):
            draft.note(proposal, step.known, step.made, confidence[proposal.id])
        return Built(draft.batch(batch_id, closing))
    draft = _Draft(canon, World(canon, catalogue), now)
    for proposal in ordered:
        try:
            draft.take(proposal, confidence[proposal.id])
        except MissingError as error:
            name = undecided.get(error.entity_id)
            failed[proposal.id] = (
                f"It needs {name}, which is still undecided." if name else "It needs what is not in canon."
            )
        except UnwritableError as error:
            failed[proposal.id] = f"It cannot be written: {error}."
    return Built(draft.batch(batch_id, closing), failed)


class _Draft:
    """The world with what was accepted, and what each new thing in it rests on."""

    def __init__(self, canon: CanonSnapshot, world: World, now: datetime) -> None:
        self._canon = canon
        self._world = world
        self._now = now
        self._facts: dict[Id, float] = {}
        self._created: dict[Id, Id | None] = {}
        self._evidence: dict[Id, Evidence] = {}
        self._supports: dict[tuple[Id, Id], Support] = {}

    def take(self, proposal: ProposedChange, confidence: float) -> None:
        """Make one proposal true in the draft. Raises MissingError or UnwritableError and changes nothing."""
        for entity_id in sorted(named_entities(proposal.change)):
            if self._world.entity(entity_id) is None:
                raise MissingError(entity_id)
        claim = claim_of(proposal, self._world)
        known = duplicate_of(proposal, claim, self._world)
        made = apply(proposal, self._world, claim=claim) if known is None else []
        self.note(proposal, known, made, confidence)

    def note(
        self, proposal: ProposedChange, known: Id | None, made: Iterable[Fact], confidence: float
    ) -> None:
        """Note what one proposal came to in the world, and what that rests on."""
        change, evidence = proposal.change, _evidence_of(proposal)
        if known is not None:
            self._support(known, evidence)
            return
        for fact in made:
            self._facts[fact.id] = confidence
            self._support(fact.id, self._basis(fact, proposal) or evidence)
        if isinstance(change, CreateEntity):
            self._created[change.entity_id] = proposal.scene_id
            self._support(change.entity_id, evidence)
        if isinstance(change, UpdateEntity):
            self._support(change.entity_id, evidence)
        if isinstance(change, MergeEntities):
            self._support(change.kept_id, evidence)

    def batch(self, batch_id: Id, closing: Closing) -> CanonBatch:
        scene = closing.scene
        return CanonBatch(
            id=batch_id,
            universe_id=self._canon.universe_id,
            universe=closing.universe,
            entities=tuple(self._changed_entities()),
            facts=tuple(self._new_facts()),
            fact_changes=tuple(self._changed_facts()),
            evidence=tuple(self._evidence.values()),
            supports=tuple(self._supports.values()),
            supersedes=tuple(self._world.supersedes),
            appearances=tuple(self._appearances(scene)) if scene else (),
            scene_status={scene.id: "completed"} if scene and closing.close_scene else {},
            story_status={closing.complete_story: "completed"} if closing.complete_story else {},
        )

    # --- provenance ---------------------------------------------------------------------------------

    def _support(self, subject_id: Id, evidence: Iterable[Evidence]) -> None:
        for piece in evidence:
            self._evidence.setdefault(piece.id, piece)
            self._supports.setdefault(
                (subject_id, piece.id), Support(subject_id=subject_id, evidence_id=piece.id)
            )

    def _basis(self, fact: Fact, proposal: ProposedChange) -> tuple[Evidence, ...]:
        """Return what a fact rests on that is older than its proposal: an entity's first value on what
        the entity rests on, a fact that moved on what it rested on before, and on the merge."""
        if fact.proposal_id is None:
            return tuple(piece for i in fact.involves for piece in self._known_evidence(i.entity_id))
        if isinstance(proposal.change, MergeEntities):
            moved = (old.older_id for old in self._world.supersedes if old.newer_id == fact.id)
            before = tuple(piece for old_id in moved for piece in self._known_evidence(old_id))
            return (*before, *_evidence_of(proposal))
        return ()

    def _known_evidence(self, subject_id: Id) -> list[Evidence]:
        new = [self._evidence[e] for s, e in self._supports if s == subject_id]
        return [*self._canon.evidence.get(subject_id, ()), *new]

    # --- what differs from canon --------------------------------------------------------------------

    def _changed_entities(self) -> Iterable[Entity]:
        before = {e.id: e for e in (*self._canon.everyone, *self._canon.entities.values())}
        for entity in self._world.entities.values():
            if entity.id in self._created:
                yield entity.model_copy(update={"recorded_at": self._now})
            elif entity != before[entity.id]:
                yield entity

    def _new_facts(self) -> Iterable[Fact]:
        for fact_id, confidence in self._facts.items():
            yield self._world.facts[fact_id].model_copy(
                update={"confidence": confidence, "recorded_at": self._now}
            )

    def _changed_facts(self) -> Iterable[FactChange]:
        for before in self._canon.facts:
            after = self._world.facts[before.id]
            if after != before:
                yield FactChange(
                    fact_id=after.id,
                    status=after.status,
                    valid_to=after.valid_to,
                    closed=after.closed if after.closed != before.closed else None,
                )

    def _appearances(self, scene: Scene) -> Iterable[Appearance]:
        created = (entity_id for entity_id, scene_id in self._created.items() if scene_id == scene.id)
        for entity_id in dict.fromkeys((*scene.cast, *created)):
            yield Appearance(entity_id=entity_id, scene_id=scene.id)


def _evidence_of(proposal: ProposedChange) -> tuple[Evidence, ...]:
    """Return what the proposal rests on: its own evidence, its scene, and if there is neither, the word
    of whoever decided it."""
    evidence = list(proposal.evidence)
    if proposal.scene_id is not None:
        evidence.append(
            Evidence(
                id=derived("evidence", "scene", proposal.scene_id),
                kind=EvidenceKind.SCENE,
                ref_id=proposal.scene_id,
                scene_id=proposal.scene_id,
            )
        )
    if not evidence:
        evidence.append(
            Evidence(
                id=derived("evidence", "manual", proposal.id),
                kind=EvidenceKind.MANUAL,
                ref_id=proposal.id,
                quote=proposal.decision.reason if proposal.decision else "",
            )
        )
    return tuple(evidence)
