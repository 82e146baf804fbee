"""The gate of a universe, for proposals that no scene's gate will show.

Manual edits, what was deferred when its scene closed, what could not be written, and what an abandoned story
left.
"""

from __future__ import annotations

from collections.abc import Collection

from agents.canon_keeper.keeper import CanonKeeper
from agents.events import EventBus
from agents.orchestrator.commit_reports import publish_commit
from agents.orchestrator.folded_rows import count_by_row, split_off_nothing
from agents.orchestrator.scene_views import CLOSED_STATUSES, MAX_CLOSED_ROWS, SceneViewBuilder
from agents.proposals.decisions import came_to_nothing
from agents.views.gate_views import CommitReport, GateView
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, Loop, ProposedChange


class UniverseGate:
    """Shows and commits what waits in a universe."""

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

    async def build_gate_view(self, universe_id: Id) -> GateView:
        """Return what waits at this gate, how much waits in scenes, and what was committed lately and can be undone."""
        universe = await self._canon.universe(universe_id)
        waiting_proposals, elsewhere_count = await self.list_waiting(universe_id)
        rows = await self._views.build_proposal_rows(
            [*waiting_proposals, *await self._list_closed(universe_id)]
        )
        return GateView(universe.name, universe, None, False, rows, elsewhere_count)

    async def commit(self, universe_id: Id, only_ids: Collection[Id] | None) -> CommitReport:
        """Write what is accepted or ticked (only of `only`, if given); the rest goes on waiting. Raises StoreError."""
        waiting_proposals, _ = await self.list_waiting(universe_id)
        chosen_proposals = [p for p in waiting_proposals if only_ids is None or p.id in only_ids]
        rows = await self._views.build_proposal_rows(chosen_proposals)
        committed_proposals, _ = split_off_nothing(rows, chosen_proposals)
        report = await self._keeper.commit(
            committed_proposals, reason="by hand", universe_id=universe_id, undecided="defer"
        )
        report = count_by_row(report, rows, chosen_proposals)
        publish_commit(self._events, universe_id, None, report)
        return report

    async def list_waiting(self, universe_id: Id) -> tuple[list[ProposedChange], int]:
        """Return what is open and belongs to no scene in play, and how much belongs to one."""
        open_proposals = await self._log.proposals(
            ProposalQuery(universe_id=universe_id, statuses=OPEN_STATUSES)
        )
        playing_scene_ids = await self._find_playing_scenes(
            {p.scene_id for p in open_proposals if p.scene_id}
        )
        gate_proposals = [p for p in open_proposals if p.scene_id not in playing_scene_ids]
        return gate_proposals, len(open_proposals) - len(gate_proposals)

    async def _list_closed(self, universe_id: Id) -> list[ProposedChange]:
        """Return the proposals that commits closed last.

        Without those that the gate of a scene in play shows, and those of the universe's import.
        """
        closed_proposals = await self._log.proposals(
            ProposalQuery(universe_id=universe_id, statuses=CLOSED_STATUSES, last=MAX_CLOSED_ROWS)
        )
        playing_scene_ids = await self._find_playing_scenes(
            {p.scene_id for p in closed_proposals if p.scene_id}
        )
        return [
            p
            for p in closed_proposals
            if p.undoes is None
            and not came_to_nothing(p)
            and p.scene_id not in playing_scene_ids
            and not _is_world_import(p)
        ]

    async def takes_over(self, scene_id: Id) -> bool:
        """Return whether what a scene left open is decided here: it is over, or its story is."""
        return not await self._find_playing_scenes({scene_id})

    async def _find_playing_scenes(self, scene_ids: Collection[Id]) -> set[Id]:
        """Return the scenes that still have a gate of their own: open ones of open stories."""
        states = await self._log.loop_states(Loop.SCENE, scene_ids)
        closed_scene_ids = {i for i, transition in states.items() if transition.target == "completed"}
        scenes = [await self._log.scene(i) for i in sorted(set(scene_ids) - closed_scene_ids)]
        stories = await self._log.loop_states(Loop.STORY, {s.story_id for s in scenes})
        return {s.id for s in scenes if s.story_id in stories and stories[s.story_id].target == "active"}


def _is_world_import(proposal: ProposedChange) -> bool:
    """Return whether the proposal rests only on the universe's founding."""
    return {e.ref_id for e in proposal.evidence} == {proposal.universe_id}
