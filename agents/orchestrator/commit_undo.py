"""Takes from canon what the last commit of a scene wrote, and brings it back.

Both are commits of their own, which the player has confirmed by what is named: canon changes only by a decision, and
nothing that it ever held is lost. The commit that takes another back opens its proposals again, in one write: they
wait at the gate as they did before it. Redo commits those.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from agents.canon_keeper.keeper import CanonKeeper
from agents.canon_keeper.proposal_description import stated_title
from agents.canon_keeper.proposal_undo import AddedEvidenceError
from agents.context_assembly.scene_context import SceneContext, derive_place_entry_id
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.commit_reports import publish_commit
from agents.orchestrator.verdict_undo import BY_GM
from agents.proposals.decisions import BY_POLICY, gm_decision, undo_decision
from agents.proposals.proposals import Proposals
from agents.solo.story_journal import StoryJournal
from agents.views.gate_views import CommitReport
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import FactsAboutQuery
from stores.records.canon import CreateEntity, FactStatus
from stores.records.ids import Clock, Id
from stores.records.play import Scene
from stores.records.workflow import (
    Canonization,
    CanonizationState,
    Decision,
    ProposalOutcome,
    ProposalStatus,
    ProposedChange,
    Ruling,
    Verdict,
)
from stores.records.world import SceneStatus

READ_AT_ONCE: Final = 4
"""Commits, the newest first, that are read before it is asked whether older ones are wanted."""

_WRITTEN_STATES: Final = (CanonizationState.WRITTEN, CanonizationState.CLOSED)


@dataclass(frozen=True, slots=True)
class CommitStep:
    """A commit that was the last thing done; of one that is undone: the commit that took it back."""

    commit: Canonization

    @property
    def at(self) -> datetime:
        """When it was written."""
        return self.commit.created_at


@dataclass(frozen=True, slots=True)
class CommitReversal:
    """What takes back a commit."""

    commit: Canonization
    titles: tuple[str, ...]
    """What becomes canon, or is no more."""
    proposals: tuple[ProposedChange, ...]
    """What is committed for it."""
    kept: tuple[str, ...] = ()
    """What stays as it is, with the reason."""
    reopened: tuple[ProposalOutcome, ...] = ()
    """The proposals that wait again, with what was decided of them before."""
    decisions: Mapping[Id, Decision] = field(default_factory=dict)
    """What the commit that is brought back decided of its proposals."""
    scene_statuses: Mapping[Id, SceneStatus] = field(default_factory=dict)
    """How far scenes are then, if a scene ended with the commit."""


class CommitUndo:
    """Finds the last commit of a scene, takes it back and brings it back. The caller holds the session lock."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        keeper: CanonKeeper,
        proposals: Proposals,
        journal: StoryJournal,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._canon = canon
        self._keeper = keeper
        self._proposals = proposals
        self._journal = journal
        self._clock = clock
        self._events = events

    async def find_last(self, context: SceneContext) -> CommitStep | None:
        """Return the last commit that stands and was made on the last turn; None if there is none."""
        standing_commits = await self.list_standing(context, _last_turn_time(context))
        return CommitStep(standing_commits[-1]) if standing_commits else None

    async def find_undone(self, context: SceneContext) -> CommitStep | None:
        """Return what took back the commit that was undone last; None if another was made since."""
        for commit in reversed(await self._list_unreversed(context, _last_turn_time(context))):
            if commit.undoes is None:
                return None
            if await self._takes_back(commit):
                is_redoable = _reopened_ids(commit) or commit.batch.scene_status
                return CommitStep(commit) if is_redoable else None
        return None

    async def find_close(self, scene: Scene) -> Canonization | None:
        """Return the commit with which the scene ended; None if it has not, or none is on record."""
        async for commit in self._read_newest_first(scene.universe_id):
            if scene.id in commit.batch.scene_status:
                return commit if commit.batch.scene_status[scene.id] == SceneStatus.COMPLETED else None
            if commit.created_at < scene.created_at:
                return None
        return None

    async def list_standing(self, context: SceneContext, since: datetime) -> list[Canonization]:
        """Return the commits after `since` of the scene, or of no scene, that made something canon and stand."""
        commits = await self._list_unreversed(context, since)
        return [c for c in commits if not await self._takes_back(c)]

    async def read_titles(self, commits: Iterable[Canonization]) -> list[str]:
        """Return in words what these commits made canon: the newcomer that was merged by its own name, too."""
        accepted_ids = [i for commit in commits for i in _accepted_ids(commit)]
        proposals_by_id = await self._log.proposals_by_id(accepted_ids)
        rows = await self._keeper.build_views([proposals_by_id[i] for i in accepted_ids])
        return [stated_title(row.proposal.change) or row.title for row in rows]

    async def plan_return(self, step: CommitStep) -> CommitReversal:
        """Return what brings back a commit: its proposals, which wait again, as it decided them."""
        undone_commit = step.commit
        outcomes = {o.proposal_id: o for o in (await self._read_undone(undone_commit)).outcomes}
        proposals_by_id = await self._log.proposals_by_id(_reopened_ids(undone_commit))
        at, ruled_at = self._clock(), await self._read_ruled_at(undone_commit)
        decided_proposals = [
            p.model_copy(update={"decision": _decide_again(decision, at, ruled_at)})
            for i in outcomes
            if (p := proposals_by_id.get(i)) and p.canonization_id == undone_commit.id
            if (decision := outcomes[i].decision) is not None and not _is_put_off_by_policy(outcomes[i])
        ]
        rows = await self._keeper.build_views(decided_proposals)
        accepted_ids = {i for i, o in outcomes.items() if o.status is ProposalStatus.ACCEPTED}
        return CommitReversal(
            undone_commit,
            tuple(row.title for row in rows if row.proposal.id in accepted_ids),
            tuple(decided_proposals),
            decisions={p.id: p.decision for p in decided_proposals if p.decision is not None},
        )

    async def plan_reversal(self, step: CommitStep) -> CommitReversal:
        """Return what takes back a commit, in the opposite order: a fact before whom it is about."""
        accepted_ids = _accepted_ids(step.commit)
        titles_by_id = dict(zip(accepted_ids, await self.read_titles([step.commit]), strict=True))
        planned: list[ProposedChange] = []
        titles, kept, kept_ids = [], [], set[Id]()
        proposals_by_id = await self._log.proposals_by_id(accepted_ids)
        for proposal_id in reversed(accepted_ids):
            title = titles_by_id[proposal_id]
            change = proposals_by_id[proposal_id].change
            if isinstance(change, CreateEntity) and await self._is_in_facts_of_others(
                change.entity_id, step.commit
            ):
                kept.append(f"{title}: canon says more of it.")
                kept_ids.add(proposal_id)
                continue
            try:
                undo_plan = await self._keeper.undo_planner.plan_undo(
                    proposal_id, title, [p.payload for p in planned]
                )
            except AddedEvidenceError:
                continue  # it may be proposed again: canon has it, whatever becomes of this proposal
            except InputError as error:
                kept.append(f"{title} {error.what}" if title.endswith(".") else f"{title}: {error.what}")
                kept_ids.add(proposal_id)
            else:
                new_proposals = [
                    p for p in undo_plan.proposals if all(p.payload != q.payload for q in planned)
                ]
                planned += new_proposals
                titles.append(title)
        reopened_ids = [o.proposal_id for o in step.commit.outcomes if o.proposal_id not in kept_ids]
        proposals_by_id = await self._log.proposals_by_id(reopened_ids)
        ruled_at = await self._read_ruled_at(step.commit)
        reopened = [
            ProposalOutcome(
                proposal_id=i,
                status=ProposalStatus.PENDING,
                decision=_decision_before(proposals_by_id[i], ruled_at),
            )
            for i in reopened_ids
            if proposals_by_id[i].canonization_id == step.commit.id
        ]
        return CommitReversal(
            step.commit, tuple(reversed(titles)), tuple(planned), tuple(reversed(kept)), tuple(reopened)
        )

    async def take_back(self, context: SceneContext, reversal: CommitReversal) -> CommitReport:
        """Write what takes back a commit, and open its proposals again. Raises StoreError."""
        at = self._clock()
        site = {
            "scene_id": context.scene.id,
            "story_id": context.story.id,
            "command_id": None,
            "undoes": reversal.commit.id,
            # They count for nothing until the commit that takes them: a crash before it leaves no proposal.
            "decision": undo_decision(None, at),
        }
        await self._proposals.stage([p.model_copy(update=site) for p in reversal.proposals])
        decision = Decision(verdict=Verdict.ACCEPT, by=BY_GM, at=at, reason="Undone.")
        decisions = {p.id: decision for p in reversal.proposals}
        return await self._commit(context, reversal, f"undo of: {reversal.commit.reason}", decisions)

    async def bring_back(self, context: SceneContext, reversal: CommitReversal) -> CommitReport:
        """Commit again what waits since its commit was taken back. Raises StoreError."""
        undone_commit = await self._read_undone(reversal.commit)
        ruled_at = {d.at for d in reversal.decisions.values()}
        rulings = [
            ruling.model_copy(update={"is_withdrawn": False})
            for ruling in await self._log.rulings(undone_commit.universe_id)
            if ruling.at in ruled_at
        ]
        return await self._commit(context, reversal, undone_commit.reason, reversal.decisions, rulings)

    async def _commit(
        self,
        context: SceneContext,
        reversal: CommitReversal,
        reason: str,
        decisions: Mapping[Id, Decision],
        rulings: Sequence[Ruling] = (),
    ) -> CommitReport:
        report = await self._keeper.commit(
            reversal.proposals,
            reason=reason[:200],
            scene=context.scene,
            story_id=context.story.id,
            undecided="leave",
            undoes=reversal.commit.id,
            decisions=decisions,
            further_outcomes=reversal.reopened,
            rulings=rulings,
            scene_statuses=reversal.scene_statuses,
        )
        await self._move_scene(context, reversal)
        publish_commit(self._events, context.universe.id, context.scene.id, report)
        proposals = await self._log.proposals_by_id([o.proposal_id for o in reversal.reopened])
        for scene_id in dict.fromkeys((context.scene.id, *(p.scene_id for p in proposals.values()))):
            self._events.publish(ProposalsChanged(context.universe.id, scene_id))
        return report

    # --- inside --------------------------------------------------------------------------------------

    async def _list_unreversed(self, context: SceneContext, since: datetime) -> list[Canonization]:
        """Return the scene's commits after `since`, oldest first, without those that a later one took back."""
        commits: list[Canonization] = []
        async for commit in self._read_newest_first(context.universe.id):
            if commit.created_at <= since:
                break
            commits.append(commit)
        reversed_ids = {c.undoes for c in commits}
        unreversed = [
            c
            for c in commits
            if c.id not in reversed_ids
            and (_accepted_ids(c) or c.batch.scene_status)
            and await self._is_of_play(c, context)
        ]
        return sorted(unreversed, key=lambda c: c.created_at)

    async def _read_newest_first(self, universe_id: Id) -> AsyncIterator[Canonization]:
        """Yield the commits of a universe that canon has, a few at a time."""
        states = await self._log.canonization_states(universe_id)
        ids = sorted((i for i, state in states.items() if state in _WRITTEN_STATES), reverse=True)
        for start in range(0, len(ids), READ_AT_ONCE):
            read_commits = await self._log.canonizations(ids=ids[start : start + READ_AT_ONCE])
            for commit in sorted(read_commits, key=lambda c: c.created_at, reverse=True):
                yield commit

    async def _is_of_play(self, commit: Canonization, context: SceneContext) -> bool:
        """Return whether the scene made a commit, or an edit of the world; what stories begin with is no edit."""
        if commit.scene_id is not None:
            return commit.scene_id == context.scene.id
        proposals = (await self._log.proposals_by_id(_accepted_ids(commit))).values()
        return any(p.command_id or p.scene_id for p in proposals)

    async def _takes_back(self, commit: Canonization) -> bool:
        """Return whether a commit takes something from canon again; what takes that back brings it back."""
        is_reversal = False
        while commit.undoes is not None:
            (commit,) = await self._log.canonizations(ids=[commit.undoes])
            is_reversal = not is_reversal
        return is_reversal

    async def _is_in_facts_of_others(self, entity_id: Id, commit: Canonization) -> bool:
        """Return whether canon says something of an entity that another commit made so.

        A commit also writes what was so before, of which no proposal told: the hit points that a wound has changed.
        """
        own_ids = {fact.id for fact in commit.batch.facts}
        facts = await self._canon.facts_about(entity_id, FactsAboutQuery(history=True))
        return any(f.status is not FactStatus.RETCONNED and f.id not in own_ids for f in facts)

    async def _read_ruled_at(self, commit: Canonization) -> set[datetime]:
        """Return when the rulings of the commit's universe were made: what they decided has the same time."""
        return {ruling.at for ruling in await self._log.rulings(commit.universe_id)}

    async def _read_undone(self, commit: Canonization) -> Canonization:
        """Return the commit that another takes back."""
        assert commit.undoes is not None
        (undone_commit,) = await self._log.canonizations(ids=[commit.undoes])
        return undone_commit

    async def _read_first_commit(self, commit: Canonization) -> Canonization:
        """Return the commit that was taken back first, of one that takes back or brings back."""
        while commit.undoes is not None:
            (commit,) = await self._log.canonizations(ids=[commit.undoes])
        return commit

    async def _move_scene(self, context: SceneContext, reversal: CommitReversal) -> None:
        """Have the scene leave the places to which what is taken back led, or go there again."""
        is_undone = not await self._takes_back(reversal.commit)
        first_commit = await self._read_first_commit(reversal.commit)
        entry_ids = set(map(derive_place_entry_id, _accepted_ids(first_commit)))
        for entry in (*context.story_entries, *context.undone_entries):
            if entry.id in entry_ids:
                await self._journal.set_undone(context, entry, is_undone)


def _accepted_ids(commit: Canonization) -> Sequence[Id]:
    return [o.proposal_id for o in commit.outcomes if o.status is ProposalStatus.ACCEPTED]


def _reopened_ids(commit: Canonization) -> Sequence[Id]:
    return [o.proposal_id for o in commit.outcomes if o.status is ProposalStatus.PENDING]


def _is_put_off_by_policy(outcome: ProposalOutcome) -> bool:
    """Return whether nobody decided a proposal when its scene ended: it is put off again by itself."""
    return (
        outcome.status is ProposalStatus.DEFERRED
        and outcome.decision is not None
        and outcome.decision.by == BY_POLICY
    )


def _decision_before(proposal: ProposedChange, ruled_at: Collection[datetime]) -> Decision | None:
    """Return what stays decided of a proposal whose commit is taken back: not that it is accepted, but in which words.

    What was rejected was so before the commit, unless it was by one of the rulings, which are of these times.
    """
    decision = gm_decision(proposal)
    if (
        decision is None
        or decision.at in ruled_at
        or (decision.verdict is Verdict.ACCEPT and decision.edited is None)
    ):
        return None
    return decision


def _decide_again(decision: Decision, at: datetime, ruled_at: Collection[datetime]) -> Decision:
    """Return a decision as the player's own, made now; of a ruling, when that was made."""
    return decision.model_copy(update={"by": BY_GM, "at": decision.at if decision.at in ruled_at else at})


def _last_turn_time(context: SceneContext) -> datetime:
    began_at, last_turn = context.scene.created_at, context.last_play_turn
    return max(last_turn.created_at, began_at) if last_turn else began_at
