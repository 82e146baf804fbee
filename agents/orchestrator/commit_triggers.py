"""The offer to commit in the middle of a scene, when something critical was proposed or the scene is long."""

from __future__ import annotations

import asyncio

from agents.events import EventBus, ProposalsChanged
from agents.orchestrator.loops import LoopTransitions
from agents.orchestrator.reply_lines import commit_lines
from agents.orchestrator.scene_loop import SceneLoop
from agents.views.play_views import CommitReport
from stores.ports import OrchestratorLog
from stores.records.ids import Id
from stores.records.workflow import Loop


class CommitTriggers:
    """Offers mid-scene commits, and remembers until the program ends which ones the player put off."""

    def __init__(
        self,
        log: OrchestratorLog,
        scenes: SceneLoop,
        loops: LoopTransitions,
        session_lock: asyncio.Lock,
        events: EventBus,
    ) -> None:
        self._log = log
        self._scenes = scenes
        self._loops = loops
        self._session_lock = session_lock
        self._events = events
        self._dismissed_ids: set[Id] = set()

    async def reason(self, scene_id: Id) -> str:
        """Return why a commit is offered now; empty when none is."""
        reason, _ = await self._scenes.find_trigger(scene_id, self._dismissed_ids)
        return reason

    async def offer(self, scene_id: Id) -> tuple[str, ...]:
        """Offer a commit after something was staged in a scene that is being played.

        Returns a line for each thing that was committed at once, if the story is set to do that.
        """
        if await self._loops.read_state(Loop.SCENE, scene_id) != "active":
            return ()
        async with self._session_lock:
            report = await self._scenes.raise_trigger(scene_id, self._dismissed_ids)
        return commit_lines(report) if report else ()

    async def commit(self, scene_id: Id) -> CommitReport:
        """Commit what is offered, and what that needs; the scene goes on."""
        async with self._session_lock:
            reason, ids = await self._scenes.find_trigger(scene_id, self._dismissed_ids)
            return await self._scenes.commit(scene_id, ids, reason=reason)

    async def dismiss(self, scene_id: Id) -> None:
        """Leave what is offered to the scene's end."""
        _, ids = await self._scenes.find_trigger(scene_id, self._dismissed_ids)
        self._dismissed_ids.update(ids)
        scene = await self._log.scene(scene_id)
        self._events.publish(ProposalsChanged(scene.universe_id, scene_id))
