"""The GM's manual acts, staged: proposals on the GM's word that rest on the act itself, outside any scene.

They wait at the universe's gate like all else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.canon_keeper.decisions import OPEN_STATUSES, is_rejected
from agents.declarations.declarations import manual_evidence
from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.resolver.resolver import Resolver
from agents.services.universe_gate import UniverseGate
from agents.views.world_views import StagedEdits
from stores.errors import InputError
from stores.ports import LogReader
from stores.records.canon import Authority, Evidence, Payload
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.workflow import ProposedChange

STAGED_NOT = "Nothing was staged."


@dataclass(frozen=True, slots=True)
class Act:
    """One change, in the words of whoever made it; `evidence` is cited beside the act."""

    change: Payload
    words: str
    evidence: tuple[Evidence, ...] = ()
    critical: bool = False


class ByHand:
    """Stages acts. Stateless."""

    def __init__(
        self,
        log: LogReader,
        resolver: Resolver,
        gate: UniverseGate,
        views: SceneViewBuilder,
        dispatcher: Dispatcher,
        ids: IdGenerator,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._resolver = resolver
        self._gate = gate
        self._views = views
        self._dispatcher = dispatcher
        self._ids = ids
        self._clock = clock
        self._events = events

    async def stage(self, universe_id: Id, acts: Sequence[Act], *, tick: int | None) -> StagedEdits:
        """Propose the acts at world time `tick` (None: at no time in particular).

        Raises InputError if nothing would change, or if one of them waits already; StoreError.
        """
        if not acts:
            raise InputError("That is how it is already.", kept=STAGED_NOT)
        async with self._dispatcher.exclusive():
            fresh = await self._not_waiting(universe_id, acts)
            proposals = [self._proposal(universe_id, act, tick) for act in fresh]
            await self._resolver.stage(proposals)
        self._events.publish(ProposalsChanged(universe_id, None))
        return await self.staged(proposals)

    async def staged(self, proposals: Sequence[ProposedChange]) -> StagedEdits:
        """Tell of proposals that were staged just now."""
        rows = await self._views.build_proposal_rows(proposals)
        waiting, _ = await self._gate.waiting(proposals[0].universe_id)
        return StagedEdits(tuple(p.id for p in proposals), tuple(row.title for row in rows), len(waiting))

    async def _not_waiting(self, universe_id: Id, acts: Sequence[Act]) -> list[Act]:
        """Return the acts that do not wait already: a key pressed twice proposes once."""
        known = await self.changes_waiting(universe_id)
        fresh = [act for act in acts if act.change not in known]
        if not fresh:
            raise InputError(
                "That waits at the gate already.", kept=STAGED_NOT, todo="g goes there, to decide it."
            )
        return fresh

    async def changes_waiting(self, universe_id: Id) -> list[Payload]:
        """Return the changes that wait at any gate of the universe and are not turned down."""
        waiting = await self._log.proposals(universe_id=universe_id, statuses=OPEN_STATUSES)
        return [p.change for p in waiting if not is_rejected(p)]

    def _proposal(self, universe_id: Id, act: Act, tick: int | None) -> ProposedChange:
        proposal_id = self._ids.new()
        return ProposedChange(
            id=proposal_id,
            universe_id=universe_id,
            payload=act.change,
            evidence=(*manual_evidence(proposal_id, act.words, None), *act.evidence),
            authority=Authority.GM,
            tick=tick,
            critical=act.critical,
            created_at=self._clock(),
        )


async def present(log: LogReader, universe_id: Id) -> int | None:
    """Return the furthest tick at which play stands in a universe; None where nothing was played."""
    ticks = []
    for story in await log.stories(universe_id):
        scenes = await log.scenes(story.id)
        heads = await log.turns([scene.head for scene in scenes if scene.head])
        ticks += [heads[s.head].tick if s.head in heads else s.tick for s in scenes]
    return max(ticks, default=None)
