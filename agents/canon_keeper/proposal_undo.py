"""Plans the proposals that undo what a commit did with one proposal. It writes nothing.

What became canon is retconned, restored, split or described as before; what was kept out is proposed again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import assert_never

from agents.canon_keeper.entity_merges import MergePreviewer
from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import SUBJECT
from agents.canon_keeper.secrecy import restore_secrecy
from agents.proposals.evidence import manual_evidence
from agents.proposals.proposals import ProposalSite, build_proposal, renew_proposal
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery, ProposalQuery
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    Authority,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    FactStatus,
    Involvement,
    MergeEntities,
    NoteAxiom,
    Payload,
    RetconFact,
    StateChange,
    UpdateEntity,
)
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.workflow import (
    OPEN_STATUSES,
    Canonization,
    CanonizationState,
    ProposalStatus,
    ProposedChange,
)
from stores.records.world import Entity, EntityStatus

CANON_UNCHANGED = "Canon is as it was."
_COMMITTED_STATES = (CanonizationState.WRITTEN, CanonizationState.CLOSED)


class AddedEvidenceError(InputError):
    """A commit wrote nothing of a proposal but its evidence, so that nothing is to be undone."""


@dataclass(frozen=True, slots=True)
class ProposalUndo:
    """A closed proposal, and the proposals that together undo it."""

    closed_proposal: ProposedChange
    proposals: tuple[ProposedChange, ...]


class UndoPlanner:
    """Plans what undoes a closed proposal."""

    def __init__(
        self, canon: CanonReader, log: LogReader, merges: MergePreviewer, ids: IdGenerator, clock: Clock
    ) -> None:
        self._canon = canon
        self._log = log
        self._merges = merges
        self._ids = ids
        self._clock = clock

    async def plan_undo(
        self, proposal_id: Id, words: str, earlier_undos: Collection[Payload] = ()
    ) -> ProposalUndo:
        """Return what undoes what a commit made of this proposal; `words` say what it was.

        `earlier_undos` are written before it: whoever they split from somebody else is there to be retconned.

        Stage them. Raises InputError if it is still open, if there is nothing to undo, or if the same is
        proposed already.
        """
        closed_proposal = (await self._log.proposals_by_id([proposal_id])).get(proposal_id)
        if closed_proposal is None:
            raise InputError("That proposal is gone.", kept=CANON_UNCHANGED)
        if closed_proposal.status in OPEN_STATUSES:
            raise InputError("It is still open: decide it.", kept=CANON_UNCHANGED)
        if closed_proposal.status is ProposalStatus.REJECTED:
            changes: tuple[Payload, ...] = (closed_proposal.payload,)
            undo_proposals = [renew_proposal(closed_proposal, self._ids.new(), self._clock())]
        else:
            changes = await self._undo_changes(closed_proposal, earlier_undos)
            undo_proposals = [self._propose_by_gm(closed_proposal, change, words) for change in changes]
        open_proposals = await self._log.proposals(
            ProposalQuery(universe_id=closed_proposal.universe_id, statuses=OPEN_STATUSES)
        )
        if any(p.payload in changes for p in open_proposals):
            raise InputError("That is proposed already.", kept=CANON_UNCHANGED, todo="It waits at the gate.")
        # One command of their own, so that undo in play takes them back together.
        stamp = {"command_id": undo_proposals[0].id}
        return ProposalUndo(closed_proposal, tuple(p.model_copy(update=stamp) for p in undo_proposals))

    async def _undo_changes(
        self, proposal: ProposedChange, earlier_undos: Collection[Payload]
    ) -> tuple[Payload, ...]:
        change = proposal.change
        match change:
            case CreateEntity() if RetconFact(fact_id=change.entity_id, restore=True) in earlier_undos:
                return (RetconFact(fact_id=change.entity_id),)
            case CreateEntity():
                entity = (await self._canon.entities_by_id([change.entity_id])).get(change.entity_id)
                if entity is not None and entity.status is EntityStatus.MERGED:
                    return await self._merges.plan_split(entity.id)
                return (
                    *await self._retcon_values_made_with(change.entity_id),
                    await self._retcon_subject(change.entity_id),
                )
            case UpdateEntity():
                return await self._restore_entity(proposal, change)
            case MergeEntities():
                return await self._merges.plan_split(change.absorbed_id)
            case RetconFact():
                return (RetconFact(fact_id=change.fact_id, restore=not change.restore),)
            case ChangeSecrecy():
                return (await self._restore_secrecy(change),)
            case AssertFact() | EndFact() | StateChange() | AdvanceClock() | NoteAxiom():
                return (await self._retcon_subject(fact_id_of(proposal)),)
            case _:
                assert_never(change)

    async def _retcon_values_made_with(self, entity_id: Id) -> list[RetconFact]:
        """Return the retcons of what an entity was made with, which became facts when it changed.

        They are of no proposal, and nothing else is to take them back.
        """
        facts = await self._canon.facts_about(entity_id, FactsAboutQuery(history=True))
        return [
            RetconFact(fact_id=fact.id)
            for fact in facts
            if fact.proposal_id is None
            and fact.status is not FactStatus.RETCONNED
            and fact.involves[:1] == (Involvement(role=SUBJECT, entity_id=entity_id),)
        ]

    async def _retcon_subject(self, subject_id: Id) -> RetconFact:
        """Return the retcon of what a proposal made."""
        fact = (await self._canon.facts_by_id([subject_id])).get(subject_id)
        entity = (await self._canon.entities_by_id([subject_id])).get(subject_id)
        if fact is None and entity is None:
            raise AddedEvidenceError("Canon had it already; only evidence was added.", kept=CANON_UNCHANGED)
        is_undone = (fact is not None and fact.status is FactStatus.RETCONNED) or (
            entity is not None and entity.status is not EntityStatus.CANONICAL
        )
        if is_undone:
            raise _undo_error("It was undone already.", "R in the universe restores it.")
        return RetconFact(fact_id=subject_id)

    async def _restore_secrecy(self, change: ChangeSecrecy) -> ChangeSecrecy:
        """Return the change that takes another back, in what nothing has changed since."""
        fact = (await self._canon.facts_by_id([change.fact_id])).get(change.fact_id)
        if fact is None:
            raise _undo_error("The fact that it speaks of is not in canon.")
        restored_change = restore_secrecy(change, fact)
        if restored_change is None:
            raise _undo_error("It was changed again since.", "Say who may know it by hand.")
        return restored_change

    async def _restore_entity(
        self, proposal: ProposedChange, change: UpdateEntity
    ) -> tuple[UpdateEntity, ...]:
        """Return how the entity was before, in what the change touched and nothing has touched since.

        If that is all that it changed, the fact that reports the change is taken back with it. Otherwise a name that
        is given back stays as another name, which is taken off in a second step.
        """
        current_entity = await self._canon.entity(change.entity_id)
        earlier_entity = await self._read_earlier_entity(proposal)
        fields = ("name", "aliases", "description", "locked")
        touched_fields = [
            f for f in fields if (new := getattr(change, f)) is not None and getattr(current_entity, f) == new
        ]
        if earlier_entity is None and touched_fields == ["locked"]:
            earlier_entity = current_entity.model_copy(
                update={"locked": not current_entity.locked}
            )  # it was the other way round
        if earlier_entity is None:
            raise _undo_error("How it was before is not on record.", "Edit it by hand.")
        restored_fields = {
            f: getattr(earlier_entity, f)
            for f in touched_fields
            if getattr(earlier_entity, f) != getattr(current_entity, f)
        }
        if not restored_fields:
            raise _undo_error("It was changed again since.", "Edit it by hand.")
        report_id = fact_id_of(proposal)
        changed_fields = [f for f in fields if getattr(change, f) is not None]
        if touched_fields == changed_fields and await self._canon.facts_by_id([report_id]):
            if "name" in restored_fields and "aliases" not in restored_fields:
                added_names = {earlier_entity.name} - {*earlier_entity.aliases}
                restored_fields["aliases"] = tuple(a for a in current_entity.aliases if a not in added_names)
            return (UpdateEntity(entity_id=change.entity_id, **restored_fields, takes_back=report_id),)
        changes = [UpdateEntity(entity_id=change.entity_id, **restored_fields)]
        if "name" in restored_fields and change.takes_back is None:
            changes.append(UpdateEntity(entity_id=change.entity_id, aliases=earlier_entity.aliases))
        return tuple(changes)

    async def _read_earlier_entity(self, proposal: ProposedChange) -> Entity | None:
        """Return the entity as the commits before the proposal's own left it."""
        commits = await self._log.canonizations(universe_id=proposal.universe_id, states=_COMMITTED_STATES)
        change = proposal.change
        assert isinstance(change, UpdateEntity)
        last: Entity | None = None
        for commit in commits:
            if commit.id == proposal.canonization_id:
                return last
            last = _committed_entity(commit, change.entity_id) or last
        return None

    # --- proposals -----------------------------------------------------------------------------------

    def _propose_by_gm(self, proposal: ProposedChange, change: Payload, words: str) -> ProposedChange:
        """Return a proposal of the GM's own, on the evidence of the GM's act."""
        proposal_id = self._ids.new()
        return build_proposal(
            proposal_id,
            change,
            [manual_evidence(proposal_id, f"Undone: {words}")],
            Authority.GM,
            ProposalSite(proposal.universe_id, proposal.story_id, proposal.scene_id, tick=proposal.tick),
            self._clock(),
        )


def _committed_entity(commit: Canonization, entity_id: Id) -> Entity | None:
    return next((e for e in commit.batch.entities if e.id == entity_id), None)


def _undo_error(what: str, todo: str = "") -> InputError:
    return InputError(what, kept=CANON_UNCHANGED, todo=todo)
