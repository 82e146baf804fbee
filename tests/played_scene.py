"""A scene in play for tests in the player's own words: lines are typed, and what stands then is read."""

from __future__ import annotations

from dataclasses import dataclass

from agents.views.scene_views import SceneView
from monitor_tui.compose import Program
from stores.records.ids import Id


@dataclass
class PlayedScene:
    """A scene in play, with Mara as its hero."""

    program: Program
    scene_id: Id

    async def say(self, *lines: str) -> tuple[str, ...]:
        """Play lines, say yes to questions and follow into another scene; return what the last line replies."""
        replies: tuple[str, ...] = ()
        for line in lines:
            reply = await self.program.services.play.submit(self.scene_id, line)
            if reply.confirm_line:
                reply = await self.program.services.play.submit(self.scene_id, reply.confirm_line)
            replies = reply.lines
            if reply.goto == "scene" and reply.subject:
                self.scene_id = reply.subject
        return replies

    async def view(self) -> SceneView:
        return await self.program.services.play.scene(self.scene_id)

    async def place(self) -> str:
        return (await self.view()).place

    async def cast(self) -> dict[str, str]:
        """Return those in the scene with why they neither act nor hear, without the hero."""
        return {member.name: member.note for member in (await self.view()).cast if not member.is_pc}

    async def cast_names(self) -> set[str]:
        """Return who is in the scene beside the hero."""
        return set(await self.cast())
