"""Proposes retcons of canon whose turns were undone; they wait at the gate.

Undo withdraws what is staged by itself; canon changes only through the gate.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from agents.canon_keeper.secrecy import restore_secrecy
from agents.context_assembly.scene_context import select_effective_proposals
from agents.proposals.evidence import manual_evidence
from agents.proposals.proposals import Proposals, ProposalSite, build_proposal
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery, ProposalQuery
from stores.records.canon import Authority, ChangeSecrecy, EvidenceKind, FactStatus, RetconFact
from stores.records.ids import Clock, Id, derive_id
from stores.records.play import Scene, Turn
from stores.records.workflow import ProposalStatus, ProposedChange
from stores.records.world import EntityStatus


@dataclass(frozen=True, slots=True)
class UnsupportedCanon:
    """A fact or an entity of canon that rests only on turns that leave the timeline, or left it."""

    subject_id: Id
    turn_id: Id
    label: str
    """The fact's statement, or the entity's name."""
    secrecy_change: ChangeSecrecy | None = None
    """What gives a fact back who could know it before; None: the record is retconned."""


class UndoneCanonService:
    """Proposes retcons of what rests only on turns that left the timeline."""

    def __init__(self, log: LogReader, canon: CanonReader, proposals: Proposals, clock: Clock) -> None:
        self._log = log
        self._canon = canon
        self._proposals = proposals
        self._clock = clock

    async def propose_retcons(
        self, scene: Scene, unsupported_canon: Sequence[UnsupportedCanon]
    ) -> tuple[str, ...]:
        """Propose to retcon what rests on turns that left the timeline; return a line on each. Raises StoreError."""
        await self._proposals.stage([self._build_retcon(scene, record) for record in unsupported_canon])
        return tuple(
            f"Known as before, as proposed: {record.label}"
            if record.secrecy_change
            else f"Retcon proposed: {record.label}"
            for record in unsupported_canon
        )

    async def find_unsupported(self, scene: Scene, removed_turns: Sequence[Turn]) -> list[UnsupportedCanon]:
        """Return what in canon rests only on turns that leave the timeline, or left it. Raises StoreError.

        These are their facts, and the entities they created unless something else in canon involves them.
        """
        removed_ids = {turn.id for turn in removed_turns}
        supported_pairs = await self._canon.supported_by([t.id for t in removed_turns])
        turn_id_by_subject = {subject_id: turn_id for turn_id, subject_id in reversed(supported_pairs)}
        subject_ids = list(dict.fromkeys(subject for _, subject in supported_pairs))
        unsupported_ids = [i for i in subject_ids if not await self._has_other_support(scene, i, removed_ids)]
        facts, entities = await gather(
            self._canon.facts_by_id(unsupported_ids), self._canon.entities_by_id(unsupported_ids)
        )
        label_by_subject = {f.id: f.statement for f in facts.values() if f.status is FactStatus.CANONICAL}
        retconned_ids = {*label_by_subject, *await self._read_pending_retcon_ids(scene)}
        for entity in (e for e in entities.values() if e.status is EntityStatus.CANONICAL):
            if not await self._is_otherwise_involved(scene, entity.id, retconned_ids):
                label_by_subject[entity.id] = entity.name
        return [
            *(
                UnsupportedCanon(i, turn_id_by_subject[i], label_by_subject[i])
                for i in subject_ids
                if i in label_by_subject
            ),
            *await self._find_unsupported_knowers(scene, removed_ids, label_by_subject.keys()),
        ]

    async def _find_unsupported_knowers(
        self, scene: Scene, removed_ids: Collection[Id], retconned_ids: Collection[Id]
    ) -> list[UnsupportedCanon]:
        """Return the facts of which somebody was told, or that became a secret or none, on the removed turns."""
        query = ProposalQuery(scene_id=scene.id, statuses=[ProposalStatus.ACCEPTED], kind="change_secrecy")
        changes = [
            (proposal.turn_id, proposal.change)
            for proposal in await self._log.proposals(query)
            if isinstance(proposal.change, ChangeSecrecy)
            and proposal.turn_id in removed_ids
            and proposal.change.fact_id not in retconned_ids
        ]
        facts = await self._canon.facts_by_id({c.fact_id for _, c in changes}) if changes else {}
        return [
            UnsupportedCanon(fact.id, turn_id, fact.statement, restored_change)
            for turn_id, change in changes
            if turn_id is not None and (fact := facts.get(change.fact_id)) is not None
            if (restored_change := restore_secrecy(change, fact)) is not None
        ]

    async def _has_other_support(self, scene: Scene, subject_id: Id, removed_ids: Collection[Id]) -> bool:
        """Return whether a record rests on more than turns that are off the timeline.

        Another turn, a source or a word of the GM's is support. Being mentioned in the scene is not, nor are
        the words that called for a roll, if the record came of the roll.
        """
        evidence = await self._canon.evidence_of(subject_id)
        evidence = [e for e in evidence if e.kind is not EvidenceKind.SCENE]
        roll_turn_ids = {e.turn_id for e in evidence if e.kind is EvidenceKind.RESOLUTION and e.turn_id}
        prompting_turn_ids = {turn.parent_id for turn in (await self._log.turns(roll_turn_ids)).values()}
        evidence = [
            e for e in evidence if e.kind is not EvidenceKind.TURN or e.turn_id not in prompting_turn_ids
        ]
        turn_ids = [e.turn_id for e in evidence if e.turn_id]
        if len(turn_ids) < len(evidence):
            return True
        return bool(set(await self._log.on_line(scene.id, turn_ids)) - set(removed_ids))

    async def _read_pending_retcon_ids(self, scene: Scene) -> Iterable[Id]:
        """Return the records for which an earlier undo proposed retcons that are still undecided."""
        pending_proposals = await self._log.proposals(
            ProposalQuery(scene_id=scene.id, statuses=[ProposalStatus.PENDING])
        )
        changes = (p.change for p in select_effective_proposals(pending_proposals))
        return [c.fact_id for c in changes if isinstance(c, RetconFact) and not c.restore]

    async def _is_otherwise_involved(
        self, scene: Scene, entity_id: Id, retconned_ids: Collection[Id]
    ) -> bool:
        """Return whether anything else in canon involves an entity: a current fact, or another scene."""
        facts, appearances = await gather(
            self._canon.facts_about(entity_id, FactsAboutQuery(history=True)),
            self._canon.appearances(entity_id),
        )
        standing_facts = (
            f for f in facts if f.status is not FactStatus.RETCONNED and f.id not in retconned_ids
        )
        return any(standing_facts) or any(scene_id != scene.id for scene_id in appearances)

    def _build_retcon(self, scene: Scene, record: UnsupportedCanon) -> ProposedChange:
        turn_id = record.turn_id
        undone_word = "undone secrecy" if record.secrecy_change else "undone"
        proposal_id = derive_id("proposal", undone_word, turn_id, record.subject_id)
        return build_proposal(
            proposal_id,
            record.secrecy_change or RetconFact(fact_id=record.subject_id),
            [manual_evidence(proposal_id, f"Undone: {record.label}", turn_id=turn_id, scene_id=scene.id)],
            Authority.GM,
            ProposalSite(scene.universe_id, scene.story_id, scene.id, unless_turn=turn_id),
            self._clock(),
        )
