"""Starts a story with its first scene and its opening words."""

from __future__ import annotations

from agents.context_assembly.scene_context import SceneContextLoader
from agents.orchestrator.exchange import begin_exchange
from agents.orchestrator.exchange_pipeline import ExchangePipeline
from agents.orchestrator.story_loop import StoryLoop
from agents.story_outline import StoryOutline
from stores.records.ids import IdGenerator
from stores.records.play import Scene


class StoryStart:
    """Starts stories. The caller holds the session lock."""

    def __init__(
        self, contexts: SceneContextLoader, stories: StoryLoop, pipeline: ExchangePipeline, ids: IdGenerator
    ) -> None:
        self._contexts = contexts
        self._stories = stories
        self._pipeline = pipeline
        self._ids = ids

    async def start(self, outline: StoryOutline) -> Scene:
        """Create story, player character if needed, and first scene with its opening words."""
        scene = await self._stories.start_story(outline)
        context = await self._contexts.load_context(scene.id)
        for opening_text in outline.prose:
            opening = begin_exchange(
                self._ids, context.scene, context.head, words=opening_text, gm_authored=True, is_answered=True
            )
            run = await self._pipeline.play(opening, context)
            context = await self._pipeline.read_context_after(run)
        return scene
