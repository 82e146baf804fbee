"""What an operation on a scene came to: the reply, and the scene as it stands afterwards."""

from __future__ import annotations

from dataclasses import dataclass

from agents.context_assembly.scene_context import SceneContext
from agents.orchestrator.exchange import Exchange
from agents.views.play_views import Reply


@dataclass(frozen=True, slots=True)
class Outcome:
    reply: Reply
    context: SceneContext | None = None
    """The scene as it stands now; None where it has to be read again."""
    state: str = ""
    """The scene loop's state; empty where it has to be read again."""
    exchange: Exchange | None = None
    """The exchange that was played; a model may still have to narrate it."""
    next_line: str = ""
    """A line that was meant instead of this one, to be run now."""
