"""One thing or two: what is to be brought in bears a known name. The court settles it and remembers.

The same: it is brought in and merged at once, so that all that is proposed of it is told of the known one.
Different: remembered of these two, and nothing is held for it any more.
Source: design/authority.md, "same thing, other name -> proposed merge, shown side by side".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from agents.canon_keeper.commit import Closing
from agents.canon_keeper.decisions import COURT, OPEN, UNCHANGED, refuse_closed
from agents.canon_keeper.planning import Planning
from agents.canon_keeper.precedents import ruling_id, two_of
from agents.canon_keeper.results import CommitResult
from stores.errors import InputError
from stores.ports import CanonKeeperLog, CanonReader
from stores.records.canon import Authority, CanonBatch, CreateEntity, Evidence, EvidenceKind, MergeEntities
from stores.records.ids import Clock, Id, derived
from stores.records.ledger import CourtRuling, Decision, ProposedChange, Ruling, Verdict

Commit = Callable[[Sequence[ProposedChange], str, Id], Awaitable[CommitResult]]


@dataclass(frozen=True, slots=True)
class Union:
    """What makes the two one: creations that are proposed, to be accepted, and then the merge."""

    creations: tuple[ProposedChange, ...]
    merge: ProposedChange


class Namesakes:
    """Rules on entities of one name. Stateless: rulings are in the log."""

    def __init__(
        self, canon: CanonReader, log: CanonKeeperLog, clock: Clock, planning: Planning, commit: Commit
    ) -> None:
        self._canon = canon
        self._log = log
        self._clock = clock
        self._planning = planning
        self._commit = commit

    async def union(self, proposal_id: Id, entity_id: Id) -> Union:
        """Say what taking the new one for the known one comes to. Stage `merge`, then `unite`.

        Raises InputError if the proposal brings nothing in or is closed, or if the other is not there.
        """
        proposal, change = await self._creation(proposal_id)
        known = (await self._canon.entities_by_id([entity_id])).get(entity_id)
        waiting = await self._log.proposals(universe_id=proposal.universe_id, statuses=OPEN)
        rival = [p for p in waiting if isinstance(p.change, CreateEntity) and p.change.entity_id == entity_id]
        if known is None and not rival:
            raise InputError("The other one is not there any more.", kept=UNCHANGED)
        kept_name = known.name if known else rival[0].change.name  # type: ignore[union-attr]
        merge_id = derived("united", proposal_id, entity_id)
        words = Evidence(
            id=derived("evidence", EvidenceKind.MANUAL, merge_id),
            kind=EvidenceKind.MANUAL,
            ref_id=merge_id,
            quote=f"{change.name} is {kept_name}.",
        )
        merge = ProposedChange(
            id=merge_id,
            universe_id=proposal.universe_id,
            payload=MergeEntities(kept_id=entity_id, absorbed_id=change.entity_id),
            evidence=(words,),
            authority=Authority.GM,
            tick=proposal.tick,
            created_at=self._clock(),
        )
        creations = (proposal,) if known else (rival[0], proposal)
        return Union(creations, merge)

    async def foresee(self, union: Union) -> CanonBatch | None:
        """Return what `unite` would write, with nothing staged and nothing decided."""
        accept = self._accept("gm")
        decided = [
            p.model_copy(update={"decision": self._kept(p, accept)}) for p in (*union.creations, union.merge)
        ]
        plan = await self._planning.plan(
            lambda: derived("foreseen", union.merge.id),
            union.merge.universe_id,
            decided,
            "ruling",
            Closing(),
            "leave",
        )
        return plan.canonization.batch if plan.canonization else None

    async def unite(self, union: Union, *, by: str = "gm") -> CommitResult:
        """Bring the new one in as the known one. Raises InputError if the merge is not staged."""
        stored = await self._log.proposals_by_id([*(p.id for p in union.creations), union.merge.id])
        if union.merge.id not in stored:
            raise InputError("What the ruling needs is not staged yet.", kept=UNCHANGED)
        waiting = [stored[p.id] for p in (*union.creations, union.merge) if stored[p.id].status in OPEN]
        accept = self._accept(by)
        carried_out = accept.model_copy(update={"by": COURT})
        await self._log.decide(
            {p.id: carried_out if p.id == union.merge.id else self._kept(p, accept) for p in waiting}
        )
        return await self._commit(waiting, "ruling: the same", union.merge.universe_id)

    async def tell_apart(self, proposal_id: Id, entity_id: Id, *, by: str = "gm") -> Ruling:
        """Remember that the two are two; nothing is written to canon. Returns the ruling."""
        proposal, change = await self._creation(proposal_id)
        pair = two_of(change.entity_id, entity_id)
        ruling = Ruling(
            id=ruling_id(proposal.universe_id, pair),
            universe_id=proposal.universe_id,
            pair=pair,
            upheld=change.entity_id,
            ruling=CourtRuling.SPLIT,
            proposal_id=proposal.id,
            by=by,
            at=self._clock(),
        )
        await self._log.put_ruling(ruling)
        return ruling

    async def _creation(self, proposal_id: Id) -> tuple[ProposedChange, CreateEntity]:
        proposal = (await self._log.proposals_by_id([proposal_id])).get(proposal_id)
        if proposal is None:
            raise InputError(f"There is no proposal {proposal_id}.", kept=UNCHANGED)
        refuse_closed(proposal, None, alone=True)
        if not isinstance(proposal.change, CreateEntity):
            raise InputError("It brings nobody and nothing in.", kept=UNCHANGED)
        return proposal, proposal.change

    def _accept(self, by: str) -> Decision:
        return Decision(verdict=Verdict.ACCEPT, by=by, at=self._clock(), reason="The same, by another name.")

    def _kept(self, proposal: ProposedChange, accept: Decision) -> Decision:
        """Return the acceptance, with what the GM had edited."""
        edited = proposal.decision.edited if proposal.decision else None
        return accept.model_copy(update={"edited": edited})
