"""Builds the one batch that a commit writes from the accepted proposals. Pure.

The batch holds absolute values and derived ids, so that writing it twice is writing it once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.canon_snapshot import CanonSnapshot
from agents.canon_keeper.change_application import apply_change, in_writing_order
from agents.canon_keeper.checks.duplicate_check import find_duplicate
from agents.canon_keeper.dry_run import DryRun
from agents.canon_keeper.fact_claims import MissingError, UnwritableError, build_claim
from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_subjects import named_entities
from agents.proposals.statements import STATED_PREDICATE
from stores.records.canon import (
    Appearance,
    AssertFact,
    CanonBatch,
    CreateEntity,
    Evidence,
    EvidenceKind,
    Fact,
    FactChange,
    FactKind,
    MergeEntities,
    Support,
    UpdateEntity,
)
from stores.records.ids import Id, derive_id
from stores.records.play import Scene
from stores.records.workflow import ProposalOutcome, ProposedChange, Ruling
from stores.records.world import ACTORS, Entity, SceneStatus, Universe


@dataclass(frozen=True, slots=True)
class AcceptedProposal:
    """A proposal that is to become true, and how far it is believed (1 when somebody decided so)."""

    proposal: ProposedChange
    confidence: float


class CommitKind(StrEnum):
    """What a commit belongs to."""

    SCENE_END = "scene_end"
    STORY_END = "story_end"
    SCENE = "scene"
    """A commit in the middle of a scene."""
    UNDO = "undo"
    UNIVERSE = "universe"
    """A commit outside any scene."""


@dataclass(frozen=True, slots=True)
class CommitExtras:
    """What a commit writes beside its proposals."""

    universe: Universe | None = None
    scene: Scene | None = None
    close_scene: bool = False
    scene_statuses: Mapping[Id, SceneStatus] = field(default_factory=dict)
    """How far scenes are from now on, beside the one that is closed."""
    complete_story: Id | None = None
    undoes: Id | None = None
    """The commit that this one takes back."""
    further_outcomes: tuple[ProposalOutcome, ...] = ()
    """How proposals end that the commit is not of: what the one that is taken back had closed waits again."""
    rulings: tuple[Ruling, ...] = ()
    """Withdrawn rulings that hold again with it."""

    @property
    def kind(self) -> CommitKind:
        if self.undoes is not None:
            return CommitKind.UNDO
        if self.complete_story is not None:
            return CommitKind.STORY_END
        if self.scene is None:
            return CommitKind.UNIVERSE
        return CommitKind.SCENE_END if self.close_scene else CommitKind.SCENE


@dataclass(frozen=True, slots=True)
class BuiltBatch:
    """The batch, and why some proposals are not in it."""

    batch: CanonBatch
    failures: Mapping[Id, str] = field(default_factory=dict)
    other_fact_ids: Mapping[Id, Id] = field(default_factory=dict)
    """By proposal the fact that it becomes where that is not the one that it became before it was taken back."""


def build_batch(
    batch_id: Id,
    accepted_proposals: Sequence[AcceptedProposal],
    canon: CanonSnapshot,
    catalogue: Catalogue,
    *,
    undecided: Mapping[Id, str],
    closing: CommitExtras,
    now: datetime,
    dry_run: DryRun | None = None,
) -> BuiltBatch:
    """Fold the accepted proposals into one batch, in the order they depend on each other.

    `undecided` names entities that are proposed and not accepted: a proposal that needs one fails with
    words, and the rest goes on. A `dry_run` of exactly these proposals is used in place of folding them again.
    """
    failures: dict[Id, str] = {}
    confidence = {a.proposal.id: a.confidence for a in accepted_proposals}
    ordered_proposals = in_writing_order(a.proposal for a in accepted_proposals)
    if dry_run is not None and dry_run.is_dry_run_of(ordered_proposals):
        builder = _BatchBuilder(canon, dry_run.draft, now)
        for proposal, step in zip(ordered_proposals, dry_run.steps, strict=True):
            builder.record_result(proposal, step.duplicate_id, step.new_facts, confidence[proposal.id])
        return BuiltBatch(builder.batch(batch_id, closing), {}, builder.other_fact_ids)
    builder = _BatchBuilder(canon, CanonDraft(canon, catalogue), now)
    for proposal in ordered_proposals:
        try:
            builder.add_proposal(proposal, confidence[proposal.id])
        except MissingError as error:
            name = undecided.get(error.entity_id)
            failures[proposal.id] = (
                f"It needs {name}, which is still undecided." if name else "It needs what is not in canon."
            )
        except UnwritableError as error:
            failures[proposal.id] = f"It cannot be written: {error}."
    return BuiltBatch(builder.batch(batch_id, closing), failures, builder.other_fact_ids)


class _BatchBuilder:
    """Applies accepted proposals to a draft and collects the evidence of each new fact and entity."""

    def __init__(self, canon: CanonSnapshot, draft: CanonDraft, now: datetime) -> None:
        self._canon = canon
        self._draft = draft
        self._now = now
        self._confidence_by_fact: dict[Id, float] = {}
        self._created_scenes: dict[Id, Id | None] = {}
        self._evidence: dict[Id, Evidence] = {}
        self._supports: dict[tuple[Id, Id], Support] = {}
        self.other_fact_ids: dict[Id, Id] = {}
        self._quoted: set[tuple[Id, EvidenceKind, Id, str]] = set()

    def add_proposal(self, proposal: ProposedChange, confidence: float) -> None:
        """Make one proposal true in the draft. Raises MissingError or UnwritableError and changes nothing."""
        proposal = self._without_missing_participants(proposal)
        for entity_id in sorted(named_entities(proposal.change)):
            if self._draft.entity(entity_id) is None:
                raise MissingError(entity_id)
        claim = build_claim(proposal, self._draft)
        duplicate_id = find_duplicate(proposal, claim, self._draft)
        new_facts = apply_change(proposal, self._draft, claim=claim) if duplicate_id is None else []
        self.record_result(proposal, duplicate_id, new_facts, confidence)

    def _without_missing_participants(self, proposal: ProposedChange) -> ProposedChange:
        """Return an event told in a sentence without those of its people who are not in canon.

        The sentence names them all the same, so it is true whether or not they are decided.
        """
        change = proposal.change
        if not (
            isinstance(change, AssertFact)
            and change.fact_kind is FactKind.EVENT
            and change.predicate == STATED_PREDICATE
        ):
            return proposal
        known = tuple(i for i in change.involves if self._draft.entity(i.entity_id) is not None)
        known_change = change.model_copy(update={"involves": known})
        if proposal.decision is not None and proposal.decision.edited is not None:
            decision = proposal.decision.model_copy(update={"edited": known_change})
            return proposal.model_copy(update={"decision": decision})
        return proposal.model_copy(update={"payload": known_change})

    def record_result(
        self, proposal: ProposedChange, duplicate_id: Id | None, new_facts: Iterable[Fact], confidence: float
    ) -> None:
        """Note what one proposal came to in the world, and what that rests on."""
        change, evidence = proposal.change, _evidence_of(proposal)
        if duplicate_id is not None:
            self._support(duplicate_id, evidence)
            return
        for fact in new_facts:
            self._confidence_by_fact[fact.id] = confidence
            self._support(fact.id, self._older_evidence(fact, proposal) or evidence)
            is_own_fact = fact.proposal_id == proposal.id and not isinstance(change, MergeEntities)
            if is_own_fact and fact.id != fact_id_of(proposal):
                self.other_fact_ids[proposal.id] = fact.id
        if isinstance(change, CreateEntity):
            self._created_scenes[change.entity_id] = proposal.scene_id
            self._support(change.entity_id, evidence)
        if isinstance(change, UpdateEntity):
            self._support(change.entity_id, evidence)
        if isinstance(change, MergeEntities):
            self._support(change.kept_id, evidence)

    def batch(self, batch_id: Id, closing: CommitExtras) -> CanonBatch:
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
            supersedes=tuple(self._draft.supersessions),
            appearances=tuple(self._appearances(scene)) if scene else (),
            scene_status=_changed_statuses(closing),
            story_status={closing.complete_story: "completed"} if closing.complete_story else {},
        )

    # --- provenance ---------------------------------------------------------------------------------

    def _support(self, subject_id: Id, evidence: Iterable[Evidence]) -> None:
        for piece in evidence:
            quoted = (subject_id, piece.kind, piece.ref_id, piece.quote.strip(" .!?…"))
            if piece.quote and quoted in self._quoted:
                continue  # two proposals quote the same words, one of them with the stop
            self._quoted.add(quoted)
            self._evidence.setdefault(piece.id, piece)
            self._supports.setdefault(
                (subject_id, piece.id), Support(subject_id=subject_id, evidence_id=piece.id)
            )

    def _older_evidence(self, fact: Fact, proposal: ProposedChange) -> tuple[Evidence, ...]:
        """Return what a fact rests on that is older than its proposal.

        An entity's first value on what the entity rests on, a fact that moved on what it rested on before,
        and on the merge.
        """
        if fact.proposal_id is None:
            return tuple(piece for i in fact.involves for piece in self._known_evidence(i.entity_id))
        if isinstance(proposal.change, MergeEntities):
            moved_ids = [old.older_id for old in self._draft.supersessions if old.newer_id == fact.id]
            # What moved is else the description of who was merged away, which rests on what they rest on.
            earlier_ids = moved_ids or [proposal.change.absorbed_id]
            earlier_evidence = tuple(piece for i in earlier_ids for piece in self._known_evidence(i))
            return (*earlier_evidence, *_evidence_of(proposal))
        return ()

    def _known_evidence(self, subject_id: Id) -> list[Evidence]:
        new = [self._evidence[e] for s, e in self._supports if s == subject_id]
        return [*self._canon.evidence.get(subject_id, ()), *new]

    # --- what differs from canon --------------------------------------------------------------------

    def _changed_entities(self) -> Iterable[Entity]:
        before, compared = self._canon.entities, {e.id: e for e in self._canon.everyone}
        for entity_id, entity in self._draft.entities.items():
            # The names in a hero's many facts are read with them: hundreds stay as they were.
            old = before.get(entity_id) or compared.get(entity_id)
            if entity_id in self._created_scenes:
                yield entity.model_copy(update={"recorded_at": self._now})
            elif entity is not old and entity != old:
                yield entity

    def _new_facts(self) -> Iterable[Fact]:
        for fact_id, confidence in self._confidence_by_fact.items():
            yield self._draft.facts[fact_id].model_copy(
                update={"confidence": confidence, "recorded_at": self._now}
            )

    def _changed_facts(self) -> Iterable[FactChange]:
        for before, after in self._draft.changed_facts():
            yield FactChange(
                fact_id=after.id,
                status=after.status,
                valid_to=after.valid_to,
                closed=after.closed if after.closed != before.closed else None,
                secrecy=after.secrecy if after.secrecy != before.secrecy else None,
            )

    def _appearances(self, scene: Scene) -> Iterable[Appearance]:
        """Yield who and what appears in the scene: its cast, and places and things that it brought into canon."""
        created = (entity_id for entity_id, scene_id in self._created_scenes.items() if scene_id == scene.id)
        for entity_id in dict.fromkeys((*scene.cast, *created)):
            entity = self._draft.entity(entity_id)
            if entity is not None and (entity.kind not in ACTORS or entity_id in scene.cast):
                yield Appearance(entity_id=entity_id, scene_id=scene.id)


def _changed_statuses(closing: CommitExtras) -> dict[Id, str]:
    """Return how far scenes are once the commit is written."""
    closed_scene = {closing.scene.id: SceneStatus.COMPLETED} if closing.scene and closing.close_scene else {}
    return {**closing.scene_statuses, **closed_scene}


def _evidence_of(proposal: ProposedChange) -> tuple[Evidence, ...]:
    """Return what the proposal rests on.

    Its own evidence, its scene, and if there is neither, the word of whoever decided it.
    """
    evidence = list(proposal.evidence)
    if proposal.scene_id is not None:
        evidence.append(_build_scene_evidence(proposal.scene_id))
    if not evidence:
        evidence.append(
            Evidence(
                id=derive_id("evidence", "manual", proposal.id),
                kind=EvidenceKind.MANUAL,
                ref_id=proposal.id,
                quote=proposal.decision.reason if proposal.decision else "",
            )
        )
    return tuple(evidence)


@lru_cache(maxsize=64)
def _build_scene_evidence(scene_id: Id) -> Evidence:
    """Return the scene as evidence: the same for every proposal in it."""
    return Evidence(
        id=derive_id("evidence", "scene", scene_id),
        kind=EvidenceKind.SCENE,
        ref_id=scene_id,
        scene_id=scene_id,
    )
