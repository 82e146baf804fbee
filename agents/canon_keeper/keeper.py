"""The CanonKeeper: the one agent that writes what is true.

A commit is planned (the whole batch is in the log), written (canon has it) and closed (the proposals
know); see `journal.py`.
Source: AGENT_ORCHESTRATION, "CanonKeeper Agent"; design/authority.md; design/loops.md, "Recovery".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from agents.canon_keeper import triggers
from agents.canon_keeper.commit import Closing
from agents.canon_keeper.commitments import Commitments
from agents.canon_keeper.court import Court
from agents.canon_keeper.decisions import OPEN, UNCHANGED, refuse_closed
from agents.canon_keeper.hindsight import Hindsight
from agents.canon_keeper.house import Houses
from agents.canon_keeper.impact import Impacts
from agents.canon_keeper.journal import Journal
from agents.canon_keeper.merges import Merges
from agents.canon_keeper.namesakes import Namesakes
from agents.canon_keeper.planning import Planning
from agents.canon_keeper.policy import NO_RULES, Judgement, KindRules
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.results import CommitResult, together
from agents.canon_keeper.settle import Undecided
from agents.canon_keeper.undoing import Undoing
from agents.canon_keeper.weighing import Weighing
from agents.views import ProposalView
from stores.errors import InputError
from stores.ports import CanonKeeperLog, CanonWriter
from stores.records.ids import Clock, Id, IdMaker
from stores.records.ledger import Decision, ProposedChange
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
        self._ids = ids
        self._clock = clock
        self.houses = Houses(log, catalogue, clock)
        self.impacts = Impacts(canon, log, self.houses.read, clock)
        self.hindsight = Hindsight(canon, log, self.houses.read)
        self.merges = Merges(canon, log, self.houses.read, clock)
        self.commitments = Commitments(canon)
        self.undoing = Undoing(canon, log, self.merges, ids, clock)
        self._weighing = Weighing(canon, log, self.houses, self.merges)
        self._planning = Planning(self._weighing, clock)
        self.court = Court(canon, log, clock, self._weighing, self._planning, self._commit_ruled)
        self.namesakes = Namesakes(canon, log, clock, self._planning, self._commit_ruled)

    # --- weighing -----------------------------------------------------------------------------------

    async def judge(
        self, proposals: Sequence[ProposedChange], *, rules: KindRules | None = None
    ) -> dict[Id, Judgement]:
        """Say of each proposal what a commit would do with it if it stayed undecided, and why.

        `rules` by kind are the universe's own if none are given.
        """
        if not proposals:
            return {}
        return dict((await self._weighing.weigh(proposals, proposals[0].universe_id, rules=rules)).judgements)

    async def views(
        self, proposals: Sequence[ProposedChange], *, turn_numbers: Mapping[Id, int] | None = None
    ) -> tuple[ProposalView, ...]:
        """Return the proposals as rows draw them, numbered from 1 in the order given.

        Those that a commit closed are shown as they ended, and weigh nothing.
        """
        return await self._weighing.views(proposals, turn_numbers=turn_numbers)

    async def critical(self, proposals: Sequence[ProposedChange]) -> list[ProposedChange]:
        """Return the staged proposals that ask to be committed at once."""
        return triggers.critical(proposals, await self._catalogue(proposals)) if proposals else []

    async def trigger_batch(
        self, proposals: Sequence[ProposedChange], critical: Sequence[ProposedChange]
    ) -> list[ProposedChange]:
        """Return `critical` with the open proposals of the same turns and all that these depend on."""
        if not critical:
            return []
        return triggers.trigger_batch(proposals, critical, await self._catalogue(proposals))

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
        plan = await self._planning.plan(
            self._ids.new, universe_id, waiting, reason, closing, undecided, story_id=story_id, rules=rules
        )
        if plan.canonization is None:
            return replace(together([]), held=plan.held)
        result = await self._journal.write(plan.canonization)
        deferred_too = plan.held if undecided != "leave" else 0
        return replace(result, held=plan.held, deferred=result.deferred - deferred_too)

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

    async def _catalogue(self, proposals: Sequence[ProposedChange]) -> Catalogue:
        """Return the predicates of the universe that the proposals are of."""
        return await self.houses.catalogue(proposals[0].universe_id)

    async def _commit_ruled(
        self, proposals: Sequence[ProposedChange], reason: str, universe_id: Id
    ) -> CommitResult:
        return await self.commit(proposals, reason=reason, universe_id=universe_id, undecided="leave")
