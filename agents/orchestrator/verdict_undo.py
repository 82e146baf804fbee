"""Undoes and redoes what the player decided of proposals, the last decision first.

Which decisions were made in which order is remembered until the program ends. Before that there is the time of
each proposal's decision, so that the latest one can be taken back all the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.scene_context import SceneContext
from agents.events import EventBus, ProposalsChanged
from agents.proposals.decisions import VERDICT_WORDS, keep_edit
from agents.views.proposal_views import UndoneDecision
from stores.errors import InputError
from stores.records.ids import Clock, Id
from stores.records.workflow import Decision, ProposedChange, Ruling

BY_GM = "gm"
"""Who decided when the player did."""


@dataclass(frozen=True, slots=True)
class VerdictStep:
    """One decision of the player's, on one or more proposals of a scene."""

    before: Mapping[Id, Decision | None]
    after: Mapping[Id, Decision | None]
    at: datetime
    """When it was made, or redone; of one that is undone: when it was undone."""
    head: Id | None = None
    """Of one that is undone: the turn that play stood on."""
    ruling: Ruling | None = None
    """The ruling that it is; it may decide nothing, as the one that two of a name are different."""

    @property
    def proposal_ids(self) -> frozenset[Id]:
        """The proposals that it is about."""
        ruled_id = self.ruling.proposal_id if self.ruling else None
        return frozenset({*self.after, ruled_id} if ruled_id else self.after)

    @property
    def ruled_at(self) -> frozenset[datetime]:
        """When the rulings were made that it may be: a ruling has the time of its decisions."""
        decided_at = {decision.at for decision in self.after.values() if decision is not None}
        return frozenset({*decided_at, self.ruling.at} if self.ruling else decided_at)

    @property
    def word(self) -> str:
        """What was done, in a word: `Accepted`, or `Resolved` of what decided nothing of a proposal."""
        if not self.after:
            return "Resolved"
        decision = next(iter(self.after.values()))
        return VERDICT_WORDS[decision.verdict if decision else None]


class VerdictUndo:
    """Remembers decisions on proposals by gate, undoes and redoes them. The caller holds the session lock."""

    def __init__(self, keeper: CanonKeeper, clock: Clock, events: EventBus) -> None:
        self._keeper = keeper
        self._clock = clock
        self._events = events
        self._made: defaultdict[Id, list[VerdictStep]] = defaultdict(list)
        self._undone: defaultdict[Id, list[VerdictStep]] = defaultdict(list)

    def remember(self, proposals: Mapping[Id, ProposedChange], decision: Decision | None) -> None:
        """Remember that `decision` was made on these proposals, which are as they were before it."""
        at = decision.at if decision else self._clock()
        for gate_id in dict.fromkeys(map(_gate_id, proposals.values())):
            before = {i: p.decision for i, p in proposals.items() if _gate_id(p) == gate_id}
            after = {i: keep_edit(earlier, decision) for i, earlier in before.items()}
            self._made[gate_id].append(VerdictStep(before, after, at))
            self._undone[gate_id].clear()

    async def find_last(self, context: SceneContext) -> VerdictStep | None:
        """Return the last decision that still stands in the scene and was made on the last turn."""
        decisions = {p.id: p.decision for p in context.undecided}
        standing_steps = [s for s in self._made[context.scene.id] if s.after.items() <= decisions.items()]
        steps = [
            *await self._list_ruling_steps(context.universe.id, decisions),
            *standing_steps[-1:],
            *_find_latest(decisions),
        ]
        last = max(steps, key=lambda step: step.at, default=None)
        return last if last is not None and _is_after_head(context, last.at) else None

    async def undo_last_of(self, proposals: Sequence[ProposedChange]) -> UndoneDecision:
        """Undo the last decision on these open proposals that still stands. Raises InputError if there is none."""
        decisions = {p.id: p.decision for p in proposals}
        standing_steps = [
            (gate_id, step)
            for gate_id in dict.fromkeys(map(_gate_id, proposals))
            for step in reversed(self._made[gate_id])  # of two at one time the later one is first
            if step.after.items() <= decisions.items()
        ]
        if proposals:
            ruling_steps = await self._list_ruling_steps(proposals[0].universe_id, decisions)
            standing_steps += [("", step) for step in ruling_steps]
        if not standing_steps:
            raise InputError(
                "There is no decision here to undo.",
                kept="Nothing was changed.",
                todo="u on a row undoes what was decided of that one.",
            )
        gate_id, step = max(standing_steps, key=lambda pair: pair[1].at)
        if step.ruling is None:
            self._made[gate_id].remove(step)
        await self._keeper.restore_decisions(step.before)
        await self._set_rulings(proposals[0].universe_id, step, is_withdrawn=True)
        for site in dict.fromkeys(
            (p.universe_id, p.scene_id) for p in proposals if p.id in step.proposal_ids
        ):
            self._events.publish(ProposalsChanged(*site))
        return UndoneDecision(step.word, tuple(step.proposal_ids))

    async def find_undone(self, context: SceneContext) -> VerdictStep | None:
        """Return the decision that was undone last, if play stands where it was undone."""
        step = next(reversed(self._undone[context.scene.id]), None)
        if step is None or step.head != context.scene.head:
            return None
        if step.ruling is None:
            return step
        # It may have been made again, or another in its place.
        rulings = await self._keeper.rulings.list_rulings(context.universe.id)
        is_withdrawn = step.ruling.model_copy(update={"is_withdrawn": True}) in rulings
        is_open = step.ruling.proposal_id in {p.id for p in context.undecided}
        return step if is_withdrawn and is_open else None

    async def undo(self, context: SceneContext, step: VerdictStep) -> None:
        """Set the proposals back to what was decided of them before."""
        made = self._made[context.scene.id]
        self._made[context.scene.id] = [other for other in made if other is not step]
        self._undone[context.scene.id].append(replace(step, at=self._clock(), head=context.scene.head))
        await self._set_decisions(context, step.before)
        await self._set_rulings(context.universe.id, step, is_withdrawn=True)

    async def redo(self, context: SceneContext, step: VerdictStep) -> None:
        """Make an undone decision again."""
        self._undone[context.scene.id].remove(step)
        if step.ruling is None:
            self._made[context.scene.id].append(replace(step, at=self._clock(), head=None))
        await self._set_decisions(context, step.after)
        await self._set_rulings(context.universe.id, step, is_withdrawn=False)

    async def _set_rulings(self, universe_id: Id, step: VerdictStep, *, is_withdrawn: bool) -> None:
        """Withdraw the rulings that made the decisions of a step, or have them hold again."""
        await self._keeper.rulings.set_withdrawn(universe_id, step.ruled_at, is_withdrawn=is_withdrawn)

    async def _list_ruling_steps(
        self, universe_id: Id, decisions: Mapping[Id, Decision | None]
    ) -> list[VerdictStep]:
        """Return the rulings on these open proposals that hold, with what they decided. They are not remembered."""
        steps = []
        for ruling in await self._keeper.rulings.list_rulings(universe_id):
            if ruling.proposal_id in decisions and not ruling.is_withdrawn:
                ruled = {i: d for i, d in decisions.items() if d and d.by == BY_GM and d.at == ruling.at}
                steps.append(VerdictStep(dict.fromkeys(ruled), ruled, ruling.at, ruling=ruling))
        return steps

    async def _set_decisions(self, context: SceneContext, decisions: Mapping[Id, Decision | None]) -> None:
        await self._keeper.restore_decisions(decisions)
        self._events.publish(ProposalsChanged(context.universe.id, context.scene.id))


def _gate_id(proposal: ProposedChange) -> Id:
    """Return what the decisions on a proposal are remembered under: its scene, its document, else its universe."""
    return proposal.scene_id or proposal.source_id or proposal.universe_id


def _find_latest(decisions: Mapping[Id, Decision | None]) -> list[VerdictStep]:
    """Return what the player decided last, all of one time, as a step; empty if there is nothing."""
    by_player = {i: d for i, d in decisions.items() if d is not None and d.by == BY_GM}
    if not by_player:
        return []
    at = max(decision.at for decision in by_player.values())
    latest = {i: d for i, d in by_player.items() if d.at == at}
    return [VerdictStep(dict.fromkeys(latest), latest, at)]


def _is_after_head(context: SceneContext, at: datetime) -> bool:
    return context.last_play_turn is None or context.last_play_turn.created_at < at
