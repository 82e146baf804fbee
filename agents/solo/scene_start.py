"""The check that may alter or interrupt the beginning of a scene, offered while little is played."""

from __future__ import annotations

from typing import Final

from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.resolver.random_events import CHECK_RULE
from stores.errors import InputError
from stores.ports import LogReader
from stores.records.play import Speaker, Turn

FIRST_SCENE_HINT: Final = "/zero sets it up · /start rolls how it begins"
LATER_SCENE_HINT: Final = "/start rolls how it begins · /scene names it"
_MAX_OPENING_TURNS: Final = 12
"""Turns that still count as a beginning: an opening narrated before the player acted."""


class SceneStartRules:
    """Says whether the beginning of a scene may still be rolled for. Read-only."""

    def __init__(self, log: LogReader, contexts: SceneContextLoader) -> None:
        self._log = log
        self._contexts = contexts

    async def describe_opening(self, context: SceneContext) -> str:
        """Return a few words on how the scene may be begun; empty once somebody has acted or asked."""
        opening_turns = await self._read_opening_turns(context)
        if opening_turns is None or any(
            turn.speaker in (Speaker.PLAYER, Speaker.ORACLE) for turn in opening_turns
        ):
            return ""
        if context.scene.order == 1:
            return FIRST_SCENE_HINT
        earlier_cast = await self._read_earlier_cast(context)
        names = ", ".join(earlier_cast)
        return (
            f"/cast + {names} if they are still with you · {LATER_SCENE_HINT}" if names else LATER_SCENE_HINT
        )

    async def _read_earlier_cast(self, context: SceneContext) -> list[str]:
        """Return the names of the living who were here as the scene before ended, and are not here yet."""
        scenes = await self._log.scenes(context.story.id)
        earlier_scenes = [s for s in scenes if s.order < context.scene.order]
        if not earlier_scenes:
            return []
        earlier_context = await self._contexts.load_context(earlier_scenes[-1].id)
        present_ids = {e.id for e in context.present_actors()} | {context.story.pc_id}
        return [
            e.name
            for e in earlier_context.present_actors()
            if e.id not in present_ids and not earlier_context.is_dead(e)
        ]

    async def require_start_roll(self, context: SceneContext) -> None:
        """Raise InputError if it is too late to roll how the scene begins, or if that was rolled."""
        opening_turns = await self._read_opening_turns(context)
        if opening_turns is None or sum(turn.speaker is Speaker.PLAYER for turn in opening_turns) > 1:
            raise InputError(
                "This scene is well under way.",
                kept="Nothing was rolled.",
                todo="/start belongs to its first turns. /event rolls a random event at any time.",
            )
        results = await self._log.resolutions([t.id for t in opening_turns if t.speaker is Speaker.ORACLE])
        if any(result.rule.startswith(CHECK_RULE) for result in results):
            raise InputError(
                "How this scene begins was rolled already.",
                kept="Nothing was rolled.",
                todo="/undo takes that back, if it was the last thing that happened.",
            )

    async def _read_opening_turns(self, context: SceneContext) -> list[Turn] | None:
        """Return the turns of the timeline; None if they are too many for a beginning."""
        if context.head is None:
            return []
        if context.head.depth >= _MAX_OPENING_TURNS:
            return None
        return await self._log.line_slice(context.scene.id, 0, _MAX_OPENING_TURNS)
