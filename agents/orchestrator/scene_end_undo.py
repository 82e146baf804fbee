"""Takes back the end of a scene, from the beginning of the scene that it opened, and ends it again.

Canon says first which of the two scenes is played, in the commit that takes back or brings back the scene's commit.
The log follows: a crash between them is seen by what canon says, and `finish_taking_back` does the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.events import EventBus, SceneOpened
from agents.loop_transitions import LoopTransitions
from agents.orchestrator.commit_undo import CommitReversal, CommitStep, CommitUndo
from agents.orchestrator.scene_loop import SceneLoop
from agents.solo.scene_end import SceneEndActions
from agents.views.gate_views import CommitReport
from stores.ports import CanonReader, OrchestratorLog
from stores.records.ids import Id
from stores.records.play import Scene
from stores.records.workflow import Loop
from stores.records.world import SceneStatus


@dataclass(frozen=True, slots=True)
class UndoableSceneEnd:
    """The end of a scene, and what takes it back or brings it back."""

    scene: Scene
    """The scene that ended."""
    next_scene_id: Id
    """The scene that began with it."""
    reversal: CommitReversal


class SceneEndUndo:
    """Takes back and brings back ends of scenes. The caller holds the session lock."""

    def __init__(
        self,
        log: OrchestratorLog,
        canon: CanonReader,
        contexts: SceneContextLoader,
        commit_undo: CommitUndo,
        scenes: SceneLoop,
        scene_end: SceneEndActions,
        loops: LoopTransitions,
        events: EventBus,
    ) -> None:
        self._log = log
        self._canon = canon
        self._contexts = contexts
        self._commit_undo = commit_undo
        self._scenes = scenes
        self._scene_end = scene_end
        self._loops = loops
        self._events = events

    async def find_last(self, context: SceneContext) -> UndoableSceneEnd | None:
        """Return the end with which the scene began; None if there is none, or no commit of it is on record.

        The caller has seen to it that nothing stands in the scene.
        """
        earlier_scenes = [
            s for s in await self._log.scenes(context.story.id) if s.order < context.scene.order
        ]
        if not earlier_scenes:
            return None
        ended_scene = earlier_scenes[-1]
        commit = await self._commit_undo.find_close(ended_scene)
        if commit is None:
            return None
        statuses = {ended_scene.id: SceneStatus.ACTIVE, context.scene.id: SceneStatus.TAKEN_BACK}
        reversal = replace(await self._commit_undo.plan_reversal(CommitStep(commit)), scene_statuses=statuses)
        return UndoableSceneEnd(ended_scene, context.scene.id, reversal)

    async def plan_return(self, context: SceneContext, step: CommitStep) -> UndoableSceneEnd | None:
        """Return what ends the scene again; None if the undone commit was not that of its end."""
        next_scene_ids = [i for i, s in step.commit.batch.scene_status.items() if s == SceneStatus.TAKEN_BACK]
        if not next_scene_ids:
            return None
        statuses = {next_scene_ids[0]: SceneStatus.ACTIVE}
        reversal = replace(await self._commit_undo.plan_return(step), scene_statuses=statuses)
        return UndoableSceneEnd(context.scene, next_scene_ids[0], reversal)

    async def take_back(self, end: UndoableSceneEnd) -> CommitReport:
        """Take from canon what the end wrote, and go on in the scene as it was before. Raises StoreError."""
        context = await self._contexts.load_context(end.scene.id)
        report = await self._commit_undo.take_back(context, end.reversal)
        await self._go_back(end.scene, await self._log.scene(end.next_scene_id))
        return report

    async def bring_back(self, context: SceneContext, end: UndoableSceneEnd) -> CommitReport:
        """End the scene again, as it was ended, and go on in the same next scene. Raises StoreError."""
        return await self._scenes.end_scene_again(context, end.reversal)

    async def finish_taking_back(self, scene: Scene) -> Scene | None:
        """After a crash between what canon and what the log says of an end that was taken back, do the rest of it.

        `scene` is the last of its story; returns the one that is played now, None if there was nothing to do.
        """
        nodes = {node.id: node for node in await self._canon.scene_nodes(scene.story_id)}
        node = nodes.get(scene.id)
        if node is None or node.status != SceneStatus.TAKEN_BACK or node.follows is None:
            return None
        ended_scene = await self._log.scene(node.follows)
        await self._go_back(ended_scene, scene)
        return ended_scene

    async def _go_back(self, ended_scene: Scene, next_scene: Scene) -> None:
        """Have play go on in the scene that had ended. The last step is the one by which a crash is seen."""
        if await self._loops.read_state(Loop.SCENE, ended_scene.id) == "completed":
            await self._loops.fire(Loop.SCENE, ended_scene.id, "take_back_end")
        if ended_scene.opening_place_id is not None:
            # The end kept where the hero was; as long as the scene is played, that follows from its line.
            await self._log.update_scene(
                ended_scene.model_copy(update={"place_id": ended_scene.opening_place_id})
            )
        await self._scene_end.revert_scene_end(await self._contexts.load_context(ended_scene.id))
        unloaded = []
        if await self._loops.read_state(Loop.SCENE, next_scene.id) == "active":
            unloaded = [await self._loops.plan_transition(Loop.SCENE, next_scene.id, "unload")]
            await self._log.record_transition(unloaded[0])
        await self._log.update_scene(next_scene.model_copy(update={"is_taken_back": True}))
        # Told only now: an index that read the scene before would keep it.
        self._loops.publish_transitions(*unloaded)
        self._events.publish(SceneOpened(ended_scene.id))
