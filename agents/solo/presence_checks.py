"""Refuses what needs somebody who is here, alive and awake, of somebody who is not."""

from __future__ import annotations

from agents.context_assembly.scene_context import SceneContext
from stores.errors import InputError
from stores.records.story_journal import Awareness
from stores.records.world import Entity


class NotPresent(InputError):
    """Somebody is not in the scene, as far as it is recorded who came."""


def require_aware(context: SceneContext, entity: Entity, deed: str, kept: str) -> None:
    """Raise InputError if somebody is absent, dead or asleep, and so cannot do the `deed` (`to hear it`)."""
    last_entry = context.last_presence_entries().get(entity.id)
    if context.is_dead(entity) or (last_entry and last_entry.awareness is Awareness.DEAD):
        raise InputError(
            f"{entity.name} is dead, and is not there {deed}.",
            kept=kept,
            todo=f"/state {entity.name}.alive = true if they live after all.",
        )
    if entity.id not in {context.story.pc_id, *(e.id for e in context.present_actors())}:
        raise NotPresent(
            f"{entity.name} is not here {deed}.",
            kept=kept,
            todo=f"/cast + {entity.name} lets them come in; /cast shows who is here.",
        )
    if last_entry and last_entry.awareness is Awareness.ASLEEP:
        raise InputError(
            f"{entity.name} is asleep, and not there {deed}.",
            kept=kept,
            todo=f"/cast + {entity.name} wakes them.",
        )
