"""The Main Loop: modes, suspend and resume, recovery, and the menu.

Source: CONVERSATIONAL_LOOPS, "Main Loop"; design/loops.md, "Recovery". It never writes canon.
"""

from __future__ import annotations

from agents.canon_keeper.keeper import CanonKeeper
from agents.desk import Mode
from agents.orchestrator.charts import ways
from agents.orchestrator.loops import Loops
from agents.orchestrator.scene import SceneLoop
from agents.orchestrator.turn_graph import TurnGraph
from agents.views import MenuView, StoryCard
from stores.errors import NotFound, StoreError
from stores.ports import CanonReader, OrchestratorLog
from stores.records.ids import Id, derived
from stores.records.ledger import Loop
from stores.records.play import Scene, Speaker, Story

SESSION = derived("loop", "main")
"""There is one session a library: the Main Loop's subject."""


class Session:
    """The outermost loop."""

    def __init__(
        self,
        log: OrchestratorLog,
        canon: CanonReader,
        keeper: CanonKeeper,
        scenes: SceneLoop,
        graph: TurnGraph,
        loops: Loops,
    ) -> None:
        self._log = log
        self._canon = canon
        self._keeper = keeper
        self._scenes = scenes
        self._graph = graph
        self._loops = loops

    async def enter(self, mode: Mode, story_id: Id | None = None) -> None:
        """Idle or Suspended -> Executing(mode); being there already is no error."""
        if await self._loops.state(Loop.MAIN, SESSION) != mode.value:
            await self.leave()
            await self._loops.fire(Loop.MAIN, SESSION, mode.value, detail=story_id or "")

    async def leave(self) -> None:
        """Executing -> Idle; being idle already is no error."""
        if "leave" in ways(Loop.MAIN, await self._loops.state(Loop.MAIN, SESSION)):
            await self._loops.fire(Loop.MAIN, SESSION, "leave")

    async def suspend(self, story_id: Id | None) -> None:
        """Executing -> Suspended with the open story, or Idle when none is open."""
        if story_id is None:
            await self.leave()
        elif "suspend" in ways(Loop.MAIN, await self._loops.state(Loop.MAIN, SESSION)):
            await self._loops.fire(Loop.MAIN, SESSION, "suspend", detail=story_id)

    async def resume(self, story_id: Id) -> Scene:
        """Go back to a story's scene where it was left, finishing what was cut off."""
        story = await self._log.story(story_id)
        scenes = await self._log.scenes(story_id)
        if not scenes:
            raise NotFound(f"{story.title} has no scene.", kept="Nothing was changed.")
        suspended = await self.suspended_story()
        if suspended == story_id:
            await self._loops.fire(Loop.MAIN, SESSION, "resume", detail=story_id)
        elif await self._loops.state(Loop.MAIN, SESSION) != Mode.START_STORY.value:
            await self.enter(Mode.CONTINUE, story_id)
        return scenes[-1]

    async def suspended_story(self) -> Id | None:
        """Return the story that the Main Loop is suspended in."""
        last = await self._log.loop_state(Loop.MAIN, SESSION)
        return last.detail or None if last and last.target == "suspended" else None

    async def recover(self) -> list[str]:
        """Finish what a crash left half done. Returns a line for the user for each thing."""
        lines = await self._keeper.recover()
        for story in await self._log.stories():
            if await self._loops.state(Loop.STORY, story.id) not in ("created", "active"):
                continue
            scenes = await self._log.scenes(story.id)
            if scenes:
                lines += await self._recover_scene(scenes[-1])
            else:
                await self._loops.fire(Loop.STORY, story.id, "abandon", detail="recovered")
                lines.append(f"Setting up {story.title} was cut off before its first scene: begin it anew.")
        state = await self._loops.state(Loop.MAIN, SESSION)
        if "suspend" in ways(Loop.MAIN, state):
            await self.suspend(await self._last_played())
        return lines

    async def menu(self, health: tuple[tuple[str, str], ...], notes: tuple[str, ...]) -> MenuView:
        """Return what the main menu shows."""
        stories = await self._log.stories()
        open_ids = {s.id for s in await self._open_stories()}
        last = await self._last_played()
        chosen = next((s for s in stories if s.id == last and s.id in open_ids), None) or next(
            (s for s in stories if s.id in open_ids), None
        )
        universes = await self._canon.universes()
        _, facts = await self._canon.count()
        return MenuView(
            resume=await self.card(chosen) if chosen else None,
            stories=len(stories),
            universes=len(universes),
            facts=facts,
            health=health,
            notes=notes,
        )

    async def cards(self) -> list[StoryCard]:
        """Return every story, newest first."""
        return [await self.card(story) for story in await self._log.stories()]

    async def card(self, story: Story) -> StoryCard:
        scenes = await self._log.scenes(story.id)
        played = [s for s in scenes if s.head] or scenes
        tail = await self._log.line_tail(played[-1].id, 8) if played else []
        words = [turn.text for turn in tail if turn.speaker not in (Speaker.ORACLE, Speaker.SYSTEM)]
        scene = scenes[-1] if scenes else None
        return StoryCard(
            story=story,
            universe=await self._canon.universe(story.universe_id),
            scene=scene,
            state=await self._loops.state(Loop.STORY, story.id),
            scene_state=await self._loops.state(Loop.SCENE, scene.id) if scene else "",
            scenes=len(scenes),
            turns=await self._log.line_length(scene.id) if scene else 0,
            last_line=words[-1] if words else "",
            suspended=await self.suspended_story() == story.id,
        )

    # --- inside --------------------------------------------------------------------------------------

    async def _open_stories(self) -> list[Story]:
        stories = await self._log.stories()
        states = await self._log.loop_states(Loop.STORY, [s.id for s in stories])
        return [s for s in stories if s.id in states and states[s.id].target == "active"]

    async def _last_played(self) -> Id | None:
        """Return the open story whose scene moved last."""
        moved = []
        for story in await self._open_stories():
            scenes = await self._log.scenes(story.id)
            last = await self._log.loop_state(Loop.SCENE, scenes[-1].id) if scenes else None
            if last is not None:
                moved.append((last.at, story.id))
        return max(moved)[1] if moved else None

    async def _recover_scene(self, scene: Scene) -> list[str]:
        try:
            # Nothing is paid for before the player is there: what a model has still to tell waits.
            lines = await self._graph.settle(scene.id, tell=False)
        except StoreError as error:
            lines = [f"An exchange was cut off and waits to be finished. {error}"]
        if await self._loops.state(Loop.SCENE, scene.id) == "active":
            await self._scenes.finish_end(scene)
        if await self._loops.state(Loop.SCENE, scene.id) in ("finalizing", "failed"):
            nodes = await self._canon.scene_nodes(scene.story_id)
            if any(n.id == scene.id and n.status == "completed" for n in nodes):
                await self._scenes.finish_closing(scene)
                lines.append(f'Scene "{scene.title}" was written to canon and is now closed.')
            else:
                lines.append(f'Scene "{scene.title}" waits at the gate with your decisions kept.')
        if await self._loops.state(Loop.SCENE, scene.id) == "created":
            await self._scenes.open_again(scene)
        elif await self._loops.state(Loop.SCENE, scene.id) == "completed":
            await self._scenes.open_next(scene)
        return lines
