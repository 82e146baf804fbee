"""The Main Loop: modes, suspend and resume, and recovery.

It never writes canon.
"""

from __future__ import annotations

from agents.canon_keeper.keeper import CanonKeeper
from agents.loop_transitions import LoopTransitions
from agents.orchestrator.exchange_pipeline import ExchangePipeline
from agents.orchestrator.scene_end_undo import SceneEndUndo
from agents.orchestrator.scene_loop import SceneLoop
from agents.orchestrator.session_reader import SESSION_ID, SessionReader
from agents.state_machines import legal_events
from agents.story_outline import MainMode
from stores.errors import IllegalTransition, LibraryUnreadable, NotFound, StoreError
from stores.ports import CanonReader, OrchestratorLog
from stores.records.ids import Id
from stores.records.play import Scene, Story
from stores.records.workflow import Loop


class SessionLoop:
    """The Main Loop."""

    def __init__(
        self,
        log: OrchestratorLog,
        canon: CanonReader,
        keeper: CanonKeeper,
        scenes: SceneLoop,
        end_undo: SceneEndUndo,
        pipeline: ExchangePipeline,
        loops: LoopTransitions,
        reader: SessionReader,
    ) -> None:
        self._log = log
        self._canon = canon
        self._keeper = keeper
        self._scenes = scenes
        self._end_undo = end_undo
        self._pipeline = pipeline
        self._loops = loops
        self._reader = reader

    async def enter_mode(self, mode: MainMode, story_id: Id | None = None) -> None:
        """Move from Idle or Suspended to Executing(mode); a no-op in that mode already."""
        if await self._loops.read_state(Loop.MAIN, SESSION_ID) != mode.value:
            await self.leave_mode()
            await self._loops.fire(Loop.MAIN, SESSION_ID, mode.value, detail=story_id or "")

    async def leave_mode(self) -> None:
        """Move from Executing to Idle; a no-op if idle already."""
        if "leave" in legal_events(Loop.MAIN, await self._loops.read_state(Loop.MAIN, SESSION_ID)):
            await self._loops.fire(Loop.MAIN, SESSION_ID, "leave")

    async def suspend(self, story_id: Id | None) -> None:
        """Move from Executing to Suspended with the open story, or to Idle if none is open."""
        if story_id is None:
            await self.leave_mode()
        elif "suspend" in legal_events(Loop.MAIN, await self._loops.read_state(Loop.MAIN, SESSION_ID)):
            await self._loops.fire(Loop.MAIN, SESSION_ID, "suspend", detail=story_id)

    async def resume_story(self, story_id: Id) -> Scene:
        """Return to a story's scene where it was left. Raises IllegalTransition if the story is over."""
        if await self._loops.read_state(Loop.STORY, story_id) != "active":
            raise IllegalTransition(
                "That story is over.", kept="It stays readable.", todo="Start another in its universe."
            )
        story = await self._log.story(story_id)
        scenes = await self._log.scenes(story_id)
        if not scenes:
            raise NotFound(f"{story.title} has no scene.", kept="Nothing was changed.")
        suspended_id = await self._reader.read_suspended_story_id()
        if suspended_id == story_id:
            await self._loops.fire(Loop.MAIN, SESSION_ID, "resume", detail=story_id)
        elif await self._reader.read_open_story_id() != story_id:
            # Left first, also if no story is open in the mode: so this one is on record as the last, if the power goes.
            await self.leave_mode()
            await self.enter_mode(MainMode.CONTINUE, story_id)
        return scenes[-1]

    async def recover(self) -> list[str]:
        """Finish what a crash left half done; return a line for the user on each thing.

        A story or a universe with a record that cannot be read is left as it is: the others can still be played.
        """
        lines = await self._keeper.recover()
        universes, stories = await self._canon.readable_universes(), await self._log.readable_stories()
        lines += [*universes.problems, *stories.problems]
        playable_universe_ids = {universe.id for universe in universes.records}
        for story in stories.records:
            if story.universe_id not in playable_universe_ids:
                lines.append(f"“{story.title}” cannot be played: its universe cannot be read.")
                continue
            try:
                if await self._loops.read_state(Loop.STORY, story.id) in ("created", "active"):
                    lines += await self._recover_story(story)
            except LibraryUnreadable as error:
                lines.append(f"“{story.title}” cannot be played. {error}")
        state = await self._loops.read_state(Loop.MAIN, SESSION_ID)
        if "suspend" in legal_events(Loop.MAIN, state):
            await self.suspend(await self._reader.find_last_played_story_id())
        return lines

    # --- inside --------------------------------------------------------------------------------------

    async def _recover_story(self, story: Story) -> list[str]:
        scenes = await self._log.scenes(story.id)
        if scenes:
            return await self._recover_scene(
                await self._end_undo.finish_taking_back(scenes[-1]) or scenes[-1]
            )
        await self._loops.fire(Loop.STORY, story.id, "abandon", detail="recovered")
        return [f"Setting up {story.title} was cut off before its first scene: start it again."]

    async def _recover_scene(self, scene: Scene) -> list[str]:
        try:
            # Nothing is paid for before the player is there: what a model has still to tell waits.
            lines = await self._pipeline.finish_open_exchanges(scene.id, narrate=False)
        except LibraryUnreadable:
            raise
        except StoreError as error:
            lines = [f"An exchange was cut off and waits to be finished. {error}"]
        if await self._loops.read_state(Loop.SCENE, scene.id) == "active":
            await self._scenes.finish_interrupted_end(scene)
        if await self._loops.read_state(Loop.SCENE, scene.id) in ("finalizing", "failed"):
            scene_nodes = await self._canon.scene_nodes(scene.story_id)
            if any(n.id == scene.id and n.status == "completed" for n in scene_nodes):
                await self._scenes.finish_interrupted_close(scene)
                lines.append(f"Scene “{scene.title}” was written to canon and is now closed.")
            else:
                lines.append(f"Scene “{scene.title}” waits at the gate with your decisions kept.")
        if await self._loops.read_state(Loop.SCENE, scene.id) == "created":
            await self._scenes.finish_interrupted_opening(scene)
        elif await self._loops.read_state(Loop.SCENE, scene.id) == "completed":
            await self._scenes.open_missing_next_scene(scene)
        return lines
