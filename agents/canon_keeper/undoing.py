"""Taking back what a commit did with one proposal: the proposal that undoes it. It writes nothing.

What became canon is retconned, restored, split or described as before; what was kept out is proposed
again. Source: design/authority.md, "what a policy decided is shown and can be undone".
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.canon_keeper.claims import fact_id_of
from agents.canon_keeper.decisions import OPEN
from agents.canon_keeper.merges import Merges
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import (
    Authority,
    CreateEntity,
    Evidence,
    EvidenceKind,
    FactStatus,
    MergeEntities,
    Payload,
    RetconFact,
    UpdateEntity,
)
from stores.records.ids import Clock, Id, IdMaker, derived
from stores.records.ledger import Canonization, CanonizationState, ProposalStatus, ProposedChange
from stores.records.world import Entity, EntityStatus

UNCHANGED = "Canon is as it was."
_DONE = (CanonizationState.WRITTEN, CanonizationState.CLOSED)


@dataclass(frozen=True, slots=True)
class Undo:
    """A closed proposal, and the proposals that together undo it."""

    closed: ProposedChange
    proposals: tuple[ProposedChange, ...]


class Undoing:
    """Finds what undoes a closed proposal. Stateless."""

    def __init__(
        self, canon: CanonReader, log: LogReader, merges: Merges, ids: IdMaker, clock: Clock
    ) -> None:
        self._canon = canon
        self._log = log
        self._merges = merges
        self._ids = ids
        self._clock = clock

    async def of(self, proposal_id: Id, words: str) -> Undo:
        """Return what undoes what a commit made of this proposal; `words` say what it was.

        Stage them. Raises InputError if it is still open, if there is nothing to undo, or if the same is
        proposed already.
        """
        found = (await self._log.proposals_by_id([proposal_id])).get(proposal_id)
        if found is None:
            raise InputError("That proposal is gone.", kept=UNCHANGED)
        if found.status in OPEN:
            raise InputError("It is still open: decide it.", kept=UNCHANGED)
        if found.status is ProposalStatus.REJECTED:
            changes: tuple[Payload, ...] = (found.payload,)
            undoing = [self._again(found)]
        else:
            changes = await self._changes(found)
            undoing = [self._by_hand(found, change, words) for change in changes]
        waiting = await self._log.proposals(universe_id=found.universe_id, statuses=OPEN)
        if any(p.payload in changes for p in waiting):
            raise InputError("That is proposed already.", kept=UNCHANGED, todo="It waits at the gate.")
        return Undo(found, tuple(undoing))

    async def _changes(self, proposal: ProposedChange) -> tuple[Payload, ...]:
        change = proposal.change
        match change:
            case CreateEntity():
                return (await self._never(change.entity_id),)
            case UpdateEntity():
                return await self._as_before(proposal, change)
            case MergeEntities():
                return await self._merges.split(change.absorbed_id)
            case RetconFact():
                return (RetconFact(fact_id=change.fact_id, restore=not change.restore),)
            case _:
                return (await self._never(fact_id_of(proposal)),)

    async def _never(self, subject_id: Id) -> RetconFact:
        """Return the retcon of what a proposal made."""
        fact = (await self._canon.facts_by_id([subject_id])).get(subject_id)
        entity = (await self._canon.entities_by_id([subject_id])).get(subject_id)
        if fact is None and entity is None:
            raise _nothing("Canon had it already; only evidence was added.")
        retconned = (fact is not None and fact.status is FactStatus.RETCONNED) or (
            entity is not None and entity.status is not EntityStatus.CANONICAL
        )
        if retconned:
            raise _nothing("It was taken back already.")
        return RetconFact(fact_id=subject_id)

    async def _as_before(self, proposal: ProposedChange, change: UpdateEntity) -> tuple[UpdateEntity, ...]:
        """Return how the entity was before, in what the change touched and nothing has touched since.

        A name that is given back stays as another name: that is taken off in a second step.
        """
        now = await self._canon.entity(change.entity_id)
        before = await self._before(proposal)
        fields = ("name", "aliases", "description", "locked")
        touched = [f for f in fields if (new := getattr(change, f)) is not None and getattr(now, f) == new]
        if before is None and touched == ["locked"]:
            before = now.model_copy(update={"locked": not now.locked})  # it was the other way round
        if before is None:
            raise _nothing("How it was before is not on record.", "Edit it by hand.")
        back = {f: getattr(before, f) for f in touched if getattr(before, f) != getattr(now, f)}
        if not back:
            raise _nothing("It was changed again since.", "Edit it by hand.")
        changes = [UpdateEntity(entity_id=change.entity_id, **back)]
        if "name" in back:
            changes.append(UpdateEntity(entity_id=change.entity_id, aliases=before.aliases))
        return tuple(changes)

    async def _before(self, proposal: ProposedChange) -> Entity | None:
        """Return the entity as the commits before the proposal's own left it."""
        commits = await self._log.canonizations(universe_id=proposal.universe_id, states=_DONE)
        change = proposal.change
        assert isinstance(change, UpdateEntity)
        last: Entity | None = None
        for commit in commits:
            if commit.id == proposal.canonization_id:
                return last
            last = _entity_in(commit, change.entity_id) or last
        return None

    # --- proposals -----------------------------------------------------------------------------------

    def _again(self, proposal: ProposedChange) -> ProposedChange:
        """Return the same proposal anew, with the same evidence."""
        return proposal.model_copy(
            update={
                "id": self._ids.new(),
                "created_at": self._clock(),
                "status": ProposalStatus.PENDING,
                "decision": None,
                "canonization_id": None,
                "error": "",
            }
        )

    def _by_hand(self, proposal: ProposedChange, change: Payload, words: str) -> ProposedChange:
        """Return a proposal of the GM's own, on the evidence of the GM's act."""
        proposal_id = self._ids.new()
        act = Evidence(
            id=derived("evidence", EvidenceKind.MANUAL, proposal_id),
            kind=EvidenceKind.MANUAL,
            ref_id=proposal_id,
            quote=f"Taken back: {words}",
        )
        return ProposedChange(
            id=proposal_id,
            universe_id=proposal.universe_id,
            story_id=proposal.story_id,
            scene_id=proposal.scene_id,
            payload=change,
            evidence=(act,),
            authority=Authority.GM,
            tick=proposal.tick,
            created_at=self._clock(),
        )


def _entity_in(commit: Canonization, entity_id: Id) -> Entity | None:
    return next((e for e in commit.batch.entities if e.id == entity_id), None)


def _nothing(what: str, todo: str = "") -> InputError:
    return InputError(what, kept=UNCHANGED, todo=todo)
