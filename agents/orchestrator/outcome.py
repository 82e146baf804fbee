"""What an operation on a scene returns: the reply, and the scene as it is afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_agenda import StoryAgenda
from agents.orchestrator.exchange import Exchange
from agents.views.replies import Reply


@dataclass(frozen=True, slots=True)
class Outcome:
    reply: Reply
    context: SceneContext | None = None
    """The scene afterwards; None if it has to be read again."""
    state: str = ""
    """The scene loop's state; empty if it has to be read again."""
    exchange: Exchange | None = None
    """The exchange that was played and that a model may still have to narrate."""
    agenda: StoryAgenda | None = None
    """The story's agenda in that scene, if it was read already."""
    next_line: str = ""
    """A line to be run in place of this one."""
