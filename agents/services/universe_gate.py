"""The gate of a universe: what no scene's gate will show (any more), decided and written without a scene.

The GM's own edits, what was deferred when its scene closed, what could not be written, and what an abandoned
story left behind.
"""

from __future__ import annotations

from collections.abc import Collection

from agents.canon_keeper.decisions import OPEN_STATUSES
from agents.canon_keeper.keeper import CanonKeeper
from agents.events import EventBus
from agents.orchestrator.commit_events import publish_commit
from agents.orchestrator.scene_views import CLOSED_STATUSES, MAX_CLOSED_ROWS, SceneViewBuilder
from agents.views.play_views import CommitReport, GateView
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id
from stores.records.workflow import Loop, ProposedChange


class UniverseGate:
    """Shows and commits what waits in a universe. Stateless."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        keeper: CanonKeeper,
        views: SceneViewBuilder,
        events: EventBus,
    ) -> None:
        self._log = log
        self._canon = canon
        self._keeper = keeper
        self._views = views
        self._events = events

    async def view(self, universe_id: Id) -> GateView:
        """Return what waits here, how much waits at the gates of scenes that are being played, and what
        commits closed lately: that can be taken back."""
        universe = await self._canon.universe(universe_id)
        waiting, elsewhere = await self.waiting(universe_id)
        rows = await self._views.build_proposal_rows([*waiting, *await self._closed(universe_id)])
        return GateView(universe.name, universe, None, False, rows, elsewhere)

    async def commit(self, universe_id: Id, only: Collection[Id] | None) -> CommitReport:
        """Write what is accepted or ticked (of `only`, if given); all else waits on. Raises StoreError."""
        waiting, _ = await self.waiting(universe_id)
        chosen = [p for p in waiting if only is None or p.id in only]
        report = await self._keeper.commit(
            chosen, reason="by hand", universe_id=universe_id, undecided="defer"
        )
        publish_commit(self._events, universe_id, None, report)
        return report

    async def waiting(self, universe_id: Id) -> tuple[list[ProposedChange], int]:
        """Return what is open and belongs to no scene in play, and how much belongs to one."""
        open_ones = await self._log.proposals(universe_id=universe_id, statuses=OPEN_STATUSES)
        in_play = await self._in_play({p.scene_id for p in open_ones if p.scene_id})
        here = [p for p in open_ones if p.scene_id not in in_play]
        return here, len(open_ones) - len(here)

    async def _closed(self, universe_id: Id) -> list[ProposedChange]:
        """Return what commits closed last, but for what the gate of a scene in play shows, and for what the
        world was brought in with."""
        closed = await self._log.proposals(
            universe_id=universe_id, statuses=CLOSED_STATUSES, last=MAX_CLOSED_ROWS
        )
        in_play = await self._in_play({p.scene_id for p in closed if p.scene_id})
        return [p for p in closed if p.scene_id not in in_play and not _is_founding(p)]

    async def _in_play(self, scene_ids: Collection[Id]) -> set[Id]:
        """Return the scenes that will come to a gate of their own: not closed, in a story that goes on."""
        states = await self._log.loop_states(Loop.SCENE, scene_ids)
        closed = {i for i, last in states.items() if last.target == "completed"}
        scenes = [await self._log.scene(i) for i in sorted(set(scene_ids) - closed)]
        stories = await self._log.loop_states(Loop.STORY, {s.story_id for s in scenes})
        return {s.id for s in scenes if s.story_id in stories and stories[s.story_id].target == "active"}


def _is_founding(proposal: ProposedChange) -> bool:
    """Say whether the proposal rests on nothing but the universe's own founding."""
    return {e.ref_id for e in proposal.evidence} == {proposal.universe_id}
