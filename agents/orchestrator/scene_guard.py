"""Checks that must hold before a scene is changed: an open story, a scene in play, no unfinished exchange."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.loop_states import state_after
from agents.loop_transitions import LoopTransitions
from agents.loop_words import advise, describe_situation
from agents.orchestrator.exchange_pipeline import ExchangePipeline
from stores.errors import IllegalTransition
from stores.records.ids import Id
from stores.records.workflow import Loop

RefuseWhileNarrating = Callable[[Id, str], None]
"""Raises IllegalTransition while a narration streams into the scene; the argument names the action."""


class SceneGuard:
    """Refuses changes that a scene is not ready for."""

    def __init__(
        self,
        contexts: SceneContextLoader,
        loops: LoopTransitions,
        pipeline: ExchangePipeline,
        refuse_while_narrating: RefuseWhileNarrating,
    ) -> None:
        self._contexts = contexts
        self._loops = loops
        self._pipeline = pipeline
        self._refuse_while_narrating = refuse_while_narrating

    async def require_open_story(self, story_id: Id) -> None:
        """Raise IllegalTransition if the story is over."""
        story_state = await self._loops.read_state(Loop.STORY, story_id)
        if story_state != "active":
            raise IllegalTransition(
                f"Nothing more can be done in this story: {describe_situation(Loop.STORY, story_state)}.",
                kept="Nothing was changed.",
                todo=advise(Loop.STORY, story_state),
            )

    async def require_playing(self, context: SceneContext, action: str) -> SceneContext:
        """Return the scene once every unfinished exchange in it is finished.

        Raises IllegalTransition when the scene is not Active, is being narrated, or its story is over; the
        message names `action`.
        """
        scene_id = context.scene.id
        await self.require_open_story(context.story.id)
        self._refuse_while_narrating(scene_id, action)
        transition = await self._loops.read_last_transition(Loop.SCENE, scene_id)
        state = state_after(Loop.SCENE, transition)
        if state != "active":
            raise IllegalTransition(
                f"You cannot {action} in this scene: {describe_situation(Loop.SCENE, state)}.",
                kept="Nothing was changed.",
                todo=advise(Loop.SCENE, state),
            )
        finished_lines = await self._pipeline.finish_open_exchanges(scene_id)
        if finished_lines:
            return await self._contexts.load_context(scene_id)
        return replace(context, scene_transition=transition)
