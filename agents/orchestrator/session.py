"""The Main Loop: modes, suspend and resume, recovery, and the menu.

It never writes canon.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from agents.canon_keeper.keeper import CanonKeeper
from agents.loop_transitions import LoopTransitions
from agents.orchestrator.exchange_pipeline import ExchangePipeline
from agents.orchestrator.scene_loop import SceneLoop
from agents.state_machines import legal_events
from agents.story_outline import MainMode
from agents.views.play_views import MenuView, StoryCard
from stores.errors import IllegalTransition, LibraryUnreadable, NotFound, StoreError
from stores.ports import CanonReader, OrchestratorLog
from stores.records.ids import Id, derive_id
from stores.records.play import Scene, Speaker, Story
from stores.records.workflow import Loop

SESSION_ID = derive_id("loop", "main")
"""The subject of the Main Loop: there is one session for each library."""

MAX_MAIN_LOOKBACK = 200
"""Transitions of the Main Loop in which the story that was played last is looked for."""


class SessionLoop:
    """The Main Loop."""

    def __init__(
        self,
        log: OrchestratorLog,
        canon: CanonReader,
        keeper: CanonKeeper,
        scenes: SceneLoop,
        pipeline: ExchangePipeline,
        loops: LoopTransitions,
    ) -> None:
        self._log = log
        self._canon = canon
        self._keeper = keeper
        self._scenes = scenes
        self._pipeline = pipeline
        self._loops = loops

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
        suspended_id = await self.read_suspended_story_id()
        if suspended_id == story_id:
            await self._loops.fire(Loop.MAIN, SESSION_ID, "resume", detail=story_id)
        elif await self._loops.read_state(Loop.MAIN, SESSION_ID) != MainMode.START_STORY.value:
            if await self._read_open_story_id() not in (None, story_id):
                await self.leave_mode()  # from another story, so that this one is on record as the last
            await self.enter_mode(MainMode.CONTINUE, story_id)
        return scenes[-1]

    async def read_suspended_story_id(self) -> Id | None:
        """Return the story that the Main Loop is suspended in, or None."""
        last_transition = await self._log.loop_state(Loop.MAIN, SESSION_ID)
        return (
            last_transition.detail or None
            if last_transition and last_transition.target == "suspended"
            else None
        )

    async def _read_open_story_id(self) -> Id | None:
        """Return the story that Continue was entered with and not left, or None."""
        last_transition = await self._log.loop_state(Loop.MAIN, SESSION_ID)
        is_open = last_transition is not None and last_transition.target == MainMode.CONTINUE.value
        return (last_transition.detail or None) if last_transition and is_open else None

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
            await self.suspend(await self._find_last_played_story_id())
        return lines

    async def build_menu(self, health: tuple[tuple[str, str], ...], notes: tuple[str, ...]) -> MenuView:
        """Return what the main menu shows."""
        stories = (await self._log.readable_stories()).records
        last_story_id = await self._find_last_played_story_id()
        open_stories = sorted(await self._read_open_stories(), key=lambda story: story.id != last_story_id)
        universes = (await self._canon.readable_universes()).records
        _, facts = await self._canon.count()
        return MenuView(
            resume_story=await self._build_first_card(open_stories),
            story_count=len(stories),
            universe_count=len(universes),
            fact_count=facts,
            health=health,
            notes=notes,
        )

    async def build_story_cards(self) -> list[StoryCard]:
        """Return every story that can be read, newest first; `recover` names the others."""
        cards = []
        for story in (await self._log.readable_stories()).records:
            with suppress(LibraryUnreadable):
                cards.append(await self.build_story_card(story))
        return cards

    async def build_story_card(self, story: Story) -> StoryCard:
        scenes = await self._log.scenes(story.id)
        played_scenes = [s for s in scenes if s.head] or scenes
        last_turns = await self._log.line_tail(played_scenes[-1].id, 8) if played_scenes else []
        narrative_texts = [
            turn.text for turn in last_turns if turn.speaker not in (Speaker.ORACLE, Speaker.SYSTEM)
        ]
        scene = scenes[-1] if scenes else None
        return StoryCard(
            story=story,
            universe=await self._canon.universe(story.universe_id),
            scene=scene,
            state=await self._loops.read_state(Loop.STORY, story.id),
            scene_state=await self._loops.read_state(Loop.SCENE, scene.id) if scene else "",
            scene_count=len(scenes),
            turn_count=await self._log.line_length(scene.id) if scene else 0,
            last_line=narrative_texts[-1] if narrative_texts else "",
            is_suspended=await self.read_suspended_story_id() == story.id,
        )

    # --- inside --------------------------------------------------------------------------------------

    async def _build_first_card(self, stories: Sequence[Story]) -> StoryCard | None:
        """Return the card of the first of these stories that can be read."""
        for story in stories:
            with suppress(LibraryUnreadable):
                return await self.build_story_card(story)
        return None

    async def _read_open_stories(self) -> list[Story]:
        stories = (await self._log.readable_stories()).records
        states = await self._log.loop_states(Loop.STORY, [s.id for s in stories])
        return [s for s in stories if s.id in states and states[s.id].target == "active"]

    async def _find_last_played_story_id(self) -> Id | None:
        """Return the open story that the player was in last; imports and background work do not count.

        After a crash in a story that was just started, the one whose scene moved last.
        """
        open_stories = await self._read_open_stories()
        open_ids = {story.id for story in open_stories}
        main_transitions = await self._log.transitions(
            loop=Loop.MAIN, subject_id=SESSION_ID, limit=MAX_MAIN_LOOKBACK
        )
        last_transition = main_transitions[-1] if main_transitions else None
        if last_transition is None or last_transition.event != MainMode.START_STORY.value:
            for transition in reversed(main_transitions):
                if transition.detail in open_ids:
                    return transition.detail
        move_times = []
        for story in open_stories:
            with suppress(LibraryUnreadable):
                scenes = await self._log.scenes(story.id)
                last_transition = await self._log.loop_state(Loop.SCENE, scenes[-1].id) if scenes else None
                if last_transition is not None:
                    move_times.append((last_transition.at, story.id))
        return max(move_times)[1] if move_times else None

    async def _recover_story(self, story: Story) -> list[str]:
        scenes = await self._log.scenes(story.id)
        if scenes:
            return await self._recover_scene(scenes[-1])
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
                lines.append(f'Scene "{scene.title}" was written to canon and is now closed.')
            else:
                lines.append(f'Scene "{scene.title}" waits at the gate with your decisions kept.')
        if await self._loops.read_state(Loop.SCENE, scene.id) == "created":
            await self._scenes.finish_interrupted_opening(scene)
        elif await self._loops.read_state(Loop.SCENE, scene.id) == "completed":
            await self._scenes.open_missing_next_scene(scene)
        return lines
