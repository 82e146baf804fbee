"""Finds the scene in play."""

from __future__ import annotations

from typing import Final

from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.play import Scene
from stores.records.workflow import Loop

_SCENE_OVER: Final = "completed"


async def find_scene_in_play(log: LogReader, universe_id: Id, story_id: Id | None = None) -> Scene | None:
    """Return the newest scene that is not over: of one story, or of all in a universe. Raises StoreError."""
    stories = (await log.readable_stories(universe_id)).records
    scenes = [
        scene
        for story in stories
        if story_id in (None, story.id)
        for scene in (await log.scenes(story.id))[-1:]
    ]
    states = await log.loop_states(Loop.SCENE, [scene.id for scene in scenes])
    open_scenes = [s for s in scenes if s.id not in states or states[s.id].target != _SCENE_OVER]
    return max(open_scenes, key=lambda scene: scene.created_at, default=None)
