"""The CanonKeeper: the one agent that writes what is true.

A commit is planned (the whole batch is in the log), written (canon has it) and closed (the proposals
know); see `journal.py`.
Source: AGENT_ORCHESTRATION, "CanonKeeper Agent"; design/authority.md; design/loops.md, "Recovery".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.canon_keeper import triggers
from agents.canon_keeper.commit import Closing, build
from agents.canon_keeper.commitments import Commitments
from agents.canon_keeper.contradictions import Checked, check
from agents.canon_keeper.court import Court, Sighting
from agents.canon_keeper.decisions import OPEN, UNCHANGED, is_turned_down, refuse_closed
from agents.canon_keeper.hindsight import Hindsight
from agents.canon_keeper.house import House, Houses
from agents.canon_keeper.impact import Impacts
from agents.canon_keeper.journal import Journal
from agents.canon_keeper.merges import Merges
from agents.canon_keeper.naming import named_facts
from agents.canon_keeper.policy import NO_RULES, Findings, Judgement, KindRules, judge
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.results import CommitResult, together
from agents.canon_keeper.rows import row
from agents.canon_keeper.settle import Undecided, outcomes_of, settle
from agents.canon_keeper.snapshot import CanonSnapshot, read_snapshot
from agents.views import ProposalView
from stores.errors import InputError
from stores.ports import CanonKeeperLog, CanonWriter
from stores.records.canon import CanonBatch, CreateEntity
from stores.records.ids import Clock, Id, IdMaker
from stores.records.ledger import (
    Canonization,
    Decision,
    ProposedChange,
)
from stores.records.play import Scene
from stores.records.world import Universe

__all__ = ["CanonKeeper", "CommitResult"]


class CanonKeeper:
    """Judges, decides and commits proposals. Stateless: all it knows is in the stores."""

    def __init__(
        self, canon: CanonWriter, log: CanonKeeperLog, catalogue: Catalogue, ids: IdMaker, clock: Clock
    ) -> None:
        self._canon = canon
        self._log = log
        self._journal = Journal(canon, log)
        self._catalogue = catalogue
        self._ids = ids
        self._clock = clock
        self.court = Court(canon, log, clock, self._look, self._commit_ruled)
        self.houses = Houses(log, catalogue, ids, clock)
        self.impacts = Impacts(canon, log, self.houses.read, clock)
        self.hindsight = Hindsight(canon, log, self.houses.read)
        self.merges = Merges(canon, log, self.houses.read, clock)
        self.commitments = Commitments(canon)

    # --- weighing -----------------------------------------------------------------------------------

    async def judge(
        self, proposals: Sequence[ProposedChange], *, rules: KindRules | None = None
    ) -> dict[Id, Judgement]:
        """Say of each proposal what a commit would do with it if it stayed undecided, and why.

        `rules` by kind are the universe's own if none are given.
        """
        if not proposals:
            return {}
        return (await self._weigh(proposals, rules=rules)).judgements

    async def views(
        self,
        proposals: Sequence[ProposedChange],
        *,
        turn_numbers: Mapping[Id, int] | None = None,
        rules: KindRules | None = None,
    ) -> tuple[ProposalView, ...]:
        """Return the proposals as rows draw them, numbered from 1 in the order given.

        Those that a commit closed are shown as they ended, and weigh nothing.
        """
        if not proposals:
            return ()
        weighed = [p for p in proposals if p.status in OPEN]
        closed = [p for p in proposals if p.status not in OPEN]
        seen = await self._weigh(weighed, proposals[0].universe_id, rules=rules, closed=closed)
        facts = {fact.id: fact for fact in seen.canon.facts}
        numbers = turn_numbers or {}

        def findings(proposal: ProposedChange) -> Findings:
            named = (facts[i] for i in named_facts(proposal.change) if i in facts)
            return seen.checked.findings.get(proposal.id) or Findings(ends=tuple(named))

        return tuple(
            row(
                number,
                proposal,
                seen.judgements.get(proposal.id),
                findings(proposal),
                seen.checked.entities,
                seen.house.catalogue,
                turn_number=numbers.get(proposal.turn_id) if proposal.turn_id else None,
            )
            for number, proposal in enumerate(proposals, start=1)
        )

    def critical(self, proposals: Sequence[ProposedChange]) -> list[ProposedChange]:
        """Return the staged proposals that ask to be committed at once."""
        return triggers.critical(proposals, self._catalogue)

    def trigger_batch(
        self, proposals: Sequence[ProposedChange], critical: Sequence[ProposedChange]
    ) -> list[ProposedChange]:
        """Return `critical` with the open proposals of the same turns and all that these depend on."""
        return triggers.trigger_batch(proposals, critical, self._catalogue)

    # --- deciding -----------------------------------------------------------------------------------

    async def decide(self, ids: Collection[Id], decision: Decision | None) -> None:
        """Set a decision, or with None take it back.

        Raises InputError for a proposal that is unknown, off the line or closed by a commit, and for an
        edit that is of another kind or meant for several; StoreError.
        """
        proposals = await self._log.proposals_by_id(ids)
        if await self._journal.settle({p.universe_id for p in proposals.values()}):
            proposals = await self._log.proposals_by_id(ids)
        if unknown := set(ids) - proposals.keys():
            raise InputError(f"There is no proposal {min(unknown)}.", kept=UNCHANGED)
        for proposal in proposals.values():
            refuse_closed(proposal, decision, alone=len(proposals) == 1)
        await self._log.decide(dict.fromkeys(proposals, decision))

    # --- committing ---------------------------------------------------------------------------------

    async def commit(
        self,
        proposals: Sequence[ProposedChange],
        *,
        reason: str,
        scene: Scene | None = None,
        story_id: Id | None = None,
        universe_id: Id | None = None,
        close_scene: bool = False,
        complete_story: bool = False,
        undecided: Undecided = "defer",
        rules: KindRules | None = None,
    ) -> CommitResult:
        """Write what is accepted or pre-ticked: planned, written, closed.

        What a commit before this one left half written is finished first and is in the result too.
        Raises StoreError if a store fails: everything is kept, and committing again goes on from there.
        """
        if universe_id is None:
            universe_id = scene.universe_id if scene else await self._universe_of(proposals, story_id)
        finished = await self._journal.settle([universe_id])
        closing = Closing(
            scene=scene, close_scene=close_scene, complete_story=story_id if complete_story else None
        )
        result = await self._commit(universe_id, proposals, reason, story_id, closing, undecided, rules)
        return together([*finished, result])

    async def found(self, universe: Universe, proposals: Sequence[ProposedChange] = ()) -> CommitResult:
        """Create the universe's node and commit what it begins with (staged before), in one commit.

        What meets no conflict is accepted: a world that is brought in is brought in whole.
        Raises StoreError like `commit`.
        """
        finished = await self._journal.settle([universe.id])
        reason = f"founding of {universe.name}"
        closing = Closing(universe=universe)
        result = await self._commit(universe.id, proposals, reason, None, closing, "accept", NO_RULES)
        return together([*finished, result])

    async def _commit(
        self,
        universe_id: Id,
        proposals: Sequence[ProposedChange],
        reason: str,
        story_id: Id | None,
        closing: Closing,
        undecided: Undecided,
        rules: KindRules | None,
    ) -> CommitResult:
        stored = await self._log.proposals_by_id([p.id for p in proposals])
        waiting = [stored[p.id] for p in proposals if p.id in stored and stored[p.id].status in OPEN]
        seen = await self._weigh(waiting, universe_id, rules=rules, for_commit=True)
        now = self._clock()
        settlement = settle(waiting, seen.judgements, undecided, now)
        batch_id = self._ids.new()
        built = build(
            batch_id,
            settlement.accepted,
            seen.canon,
            seen.house.catalogue,
            undecided=_proposed_entities(waiting),
            closing=closing,
            now=now,
        )
        outcomes = (*settlement.outcomes, *outcomes_of(settlement.accepted, built.failed))
        if not outcomes and _is_empty(built.batch):
            return replace(together([]), held=settlement.held)
        canonization = Canonization(
            id=batch_id,
            universe_id=universe_id,
            story_id=story_id,
            scene_id=closing.scene.id if closing.scene else None,
            reason=reason,
            outcomes=outcomes,
            batch=built.batch,
            created_at=now,
        )
        result = await self._journal.write(canonization)
        deferred_too = settlement.held if undecided != "leave" else 0
        return replace(result, held=settlement.held, deferred=result.deferred - deferred_too)

    async def retry(self, universe_id: Id | None = None) -> list[CommitResult]:
        """Finish every commit that was begun and not closed, as it was planned, oldest first.

        Raises StoreError if a store still fails.
        """
        return [await self._journal.finish(c) for c in await self._journal.unfinished([universe_id])]

    async def recover(self) -> list[str]:
        """Finish what a crash left half done; a line for the user for each. Never raises StoreError.

        A scene's commit that canon never saw is dropped: its gate opens again, with every decision.
        """
        return await self._journal.recover()

    # --- reading ------------------------------------------------------------------------------------

    async def _universe_of(self, proposals: Sequence[ProposedChange], story_id: Id | None) -> Id:
        if proposals:
            return proposals[0].universe_id
        if story_id is None:
            raise InputError("There is nothing to commit.", kept=UNCHANGED)
        return (await self._log.story(story_id)).universe_id

    async def _weigh(
        self,
        proposals: Sequence[ProposedChange],
        universe_id: Id | None = None,
        *,
        rules: KindRules | None = None,
        closed: Sequence[ProposedChange] = (),
        for_commit: bool = False,
    ) -> _Seen:
        """Read what the proposals touch and check them against it; the `closed` ones are only shown."""
        universe_id = universe_id or proposals[0].universe_id
        house = await self.houses.read(universe_id)
        canon = await read_snapshot(
            self._canon, house.catalogue, universe_id, proposals, closed=closed, for_commit=for_commit
        )
        if gains := await self.merges.gains(proposals):
            canon = replace(canon, gains=gains)
        checked = check(proposals, canon, house.catalogue, house.precedents)
        rules = house.rules if rules is None else rules
        found = {p.id: judge(p, checked.findings[p.id], rules) for p in proposals}
        return _Seen(house, canon, checked, found)

    async def _look(self, proposal: ProposedChange) -> Sighting:
        """Weigh one proposal among all that are open."""
        waiting = await self._log.proposals(universe_id=proposal.universe_id, statuses=OPEN)
        seen = await self._weigh(waiting, proposal.universe_id)
        claim = seen.checked.findings[proposal.id].fact
        return Sighting(seen.judgements[proposal.id], claim, seen.checked.proposed, seen.house.catalogue)

    async def _commit_ruled(
        self, proposals: Sequence[ProposedChange], reason: str, universe_id: Id
    ) -> CommitResult:
        return await self.commit(proposals, reason=reason, universe_id=universe_id, undecided="leave")


@dataclass(frozen=True, slots=True)
class _Seen:
    house: House
    canon: CanonSnapshot
    checked: Checked
    judgements: dict[Id, Judgement]


def _proposed_entities(proposals: Sequence[ProposedChange]) -> dict[Id, str]:
    """Return the names of entities that are proposed and not turned down."""
    creations = (p.change for p in proposals if not is_turned_down(p))
    return {c.entity_id: c.name for c in creations if isinstance(c, CreateEntity)}


def _is_empty(batch: CanonBatch) -> bool:
    return batch == CanonBatch(id=batch.id, universe_id=batch.universe_id, appearances=batch.appearances)
