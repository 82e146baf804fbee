"""What the Scene screen and the gate show, read at this moment. Source: design/interface.md."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.agenda import Agendas
from agents.context_assembly.context import ContextAssembly, SceneContext, in_line_order
from agents.orchestrator.calendar import label
from agents.orchestrator.clock_rows import folded_rows, together
from agents.orchestrator.loops import Loops
from agents.orchestrator.scene_start import SceneStart
from agents.orchestrator.threads import thread_views
from agents.views import CastMember, GateView, ProposalView, SceneView
from stores.ports import CanonReader, LogReader
from stores.records.canon import AdvanceClock
from stores.records.ids import Id
from stores.records.ledger import Loop, ProposalStatus, ProposedChange

CLOSED = (ProposalStatus.ACCEPTED, ProposalStatus.REJECTED)
MOST_CLOSED = 30
"""Decided rows stay visible, the latest ones; withdrawn ones are gone with their turn."""

OPEN = (ProposalStatus.PENDING, ProposalStatus.DEFERRED, ProposalStatus.FAILED)
"""What still waits for a decision."""


class SceneViews:
    """Builds views. Stateless and read-only."""

    def __init__(
        self,
        log: LogReader,
        canon: CanonReader,
        context: ContextAssembly,
        agendas: Agendas,
        start: SceneStart,
        keeper: CanonKeeper,
        loops: Loops,
    ) -> None:
        self._log = log
        self._canon = canon
        self._context = context
        self._agendas = agendas
        self._start = start
        self._keeper = keeper
        self._loops = loops

    async def scene(self, scene_id: Id, trigger: str) -> SceneView:
        """Return all that the Scene screen shows but the transcript."""
        context = await self._context.load(scene_id)
        scene = context.scene
        state = await self._loops.state(Loop.SCENE, scene_id)
        agenda = await self._agendas.of(context)
        return SceneView(
            universe=context.universe,
            story=context.story,
            scene=scene,
            when=label(context.universe.calendar, context.tick),
            state=state,
            turns=context.head.depth + 1 if context.head else 0,
            place=context.place.name if context.place else "",
            cast=cast_of(context),
            proposals=await self.proposals(await self.shown(scene_id)),
            trigger=trigger,
            can_undo=scene.head is not None,
            can_redo=await self._log.redo_target(scene_id) is not None,
            unfinished=len(await self._log.checkpoints(scene_id)),
            threads=tuple(t for t in thread_views(context, agenda) if t.open),
            clocks=agenda.running,
            tracks=agenda.tracks,
            opening=await self._start.opening(context) if state == "active" else "",
        )

    async def gate(self, scene_id: Id) -> GateView:
        """Return what waits at a scene's gate, and what its commits closed lately: that can be taken back."""
        scene = await self._log.scene(scene_id)
        universe = await self._canon.universe(scene.universe_id)
        rows = await self.proposals(await self.shown(scene_id))
        finalizing = await self._loops.state(Loop.SCENE, scene_id) in ("finalizing", "failed")
        return GateView(f'Scene {scene.order} "{scene.title}"', universe, scene, finalizing, rows)

    async def shown(self, scene_id: Id) -> list[ProposedChange]:
        """Return what waits on the scene's line, and what was decided last, in the order of the line;
        the changes of one moment as they were written."""
        waiting = await self._log.proposals(scene_id=scene_id, statuses=OPEN)
        closed = await self._log.proposals(scene_id=scene_id, statuses=CLOSED, last=MOST_CLOSED)
        standing = await self._log.on_line(scene_id, {p.turn_id for p in closed if p.turn_id})
        closed = [p for p in closed if p.turn_id is None or p.turn_id in standing]
        return list(in_line_order(sorted([*waiting, *closed], key=lambda p: p.created_at)))

    async def together(self, ids: Collection[Id]) -> list[Id]:
        """Return the ids with those that stand in one row with them, for a verdict is on the row."""
        chosen = await self._log.proposals_by_id(ids)
        clocks = {p.scene_id for p in chosen.values() if isinstance(p.payload, AdvanceClock) and p.scene_id}
        shown = [p for scene_id in sorted(clocks) for p in await self.shown(scene_id)]
        return together(shown, ids)

    async def of_turn(self, scene_id: Id, turn_id: Id) -> tuple[ProposalView, ...]:
        """Return what a turn would make true and nobody has decided by a commit; withdrawn with the turn."""
        wanted = (*OPEN, ProposalStatus.WITHDRAWN)
        waiting = await self._log.proposals(scene_id=scene_id, statuses=wanted)
        own = [p for p in waiting if turn_id in (p.turn_id, *(e.turn_id for e in p.evidence))]
        return await self.proposals(own)

    async def proposals(self, proposals: Sequence[ProposedChange]) -> tuple[ProposalView, ...]:
        """Return rows for the proposals, with the number of the turn that each hangs on."""
        turns = await self._log.turns({p.turn_id for p in proposals if p.turn_id})
        numbers = {turn_id: turn.depth + 1 for turn_id, turn in turns.items()}
        return folded_rows(await self._keeper.views(proposals, turn_numbers=numbers))


def cast_of(context: SceneContext) -> tuple[CastMember, ...]:
    """Return those present with their working state; `changed` names what the line has moved."""
    members = []
    for entity in context.cast():
        state = context.state(entity)
        members.append(
            CastMember(
                entity_id=entity.id,
                name=entity.name,
                is_pc=entity.is_pc,
                numbers=dict(state.numbers),
                tags=tuple(state.tags),
                changed=tuple(dict.fromkeys(c.key for c in context.changes(entity.id))),
            )
        )
    return tuple(members)
