"""Offers to commit that the player left to the end of the scene: kept with the scene, undone and redone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from agents.context_assembly.scene_context import SceneContext
from agents.events import EventBus, ProposalsChanged
from stores.ports import OrchestratorLog
from stores.records.ids import Clock, Id


@dataclass(frozen=True, slots=True)
class OfferPass:
    """One offer that was left: the proposals that the scene leaves to its end before and after it."""

    before: tuple[Id, ...]
    after: tuple[Id, ...]
    at: datetime
    """When it was left; of one that is undone: when it was undone."""
    head: Id | None
    """The turn that play stood on."""


class PassedOffers:
    """Leaves offers to the end of the scene. Their order is remembered until the program ends.

    The caller holds the session lock.
    """

    def __init__(self, log: OrchestratorLog, clock: Clock, events: EventBus) -> None:
        self._log = log
        self._clock = clock
        self._events = events
        self._made: defaultdict[Id, list[OfferPass]] = defaultdict(list)
        self._undone: defaultdict[Id, list[OfferPass]] = defaultdict(list)

    async def leave(self, context: SceneContext, proposal_ids: Iterable[Id]) -> None:
        """Leave these proposals to the end of the scene."""
        before = context.scene.passed_offer_ids
        after = tuple(dict.fromkeys((*before, *proposal_ids)))
        self._made[context.scene.id].append(OfferPass(before, after, self._clock(), context.scene.head))
        self._undone[context.scene.id].clear()
        await self._store(context, after)

    def find_last(self, context: SceneContext) -> OfferPass | None:
        """Return the offer that was left last, if that was on the turn that play stands on."""
        return _last_on_head(self._made[context.scene.id], context)

    def find_undone(self, context: SceneContext) -> OfferPass | None:
        """Return the offer that is made again, if play stands where that was undone."""
        return _last_on_head(self._undone[context.scene.id], context)

    async def undo(self, context: SceneContext, step: OfferPass) -> None:
        """Make the offer again."""
        self._made[context.scene.id].remove(step)
        self._undone[context.scene.id].append(replace(step, at=self._clock()))
        await self._store(context, step.before)

    async def redo(self, context: SceneContext, step: OfferPass) -> None:
        """Leave the offer again."""
        self._undone[context.scene.id].remove(step)
        self._made[context.scene.id].append(replace(step, at=self._clock()))
        await self._store(context, step.after)

    async def _store(self, context: SceneContext, passed_ids: tuple[Id, ...]) -> None:
        await self._log.update_scene(context.scene.model_copy(update={"passed_offer_ids": passed_ids}))
        self._events.publish(ProposalsChanged(context.universe.id, context.scene.id))


def _last_on_head(steps: list[OfferPass], context: SceneContext) -> OfferPass | None:
    return steps[-1] if steps and steps[-1].head == context.scene.head else None
