"""Says who of those here neither acts nor hears, and refuses what needs somebody who is here, alive and awake."""

from __future__ import annotations

from agents.context_assembly.scene_context import SceneContext
from agents.memory_manager.attendance import SENSELESS_TAGS
from agents.name_forms import name_at_start
from stores.errors import InputError
from stores.records.story_journal import Awareness
from stores.records.world import Entity


class NotPresent(InputError):
    """Somebody is not in the scene, as far as it is recorded who came."""


def describe_unawareness(context: SceneContext, entity: Entity) -> str:
    """Return why somebody here neither acts nor hears, such as `asleep`; empty if they do, as the hero always does."""
    if entity.id == context.story.pc_id:
        return ""
    last_entry = context.last_presence_entries().get(entity.id)
    if context.is_dead(entity):
        return Awareness.DEAD.value
    if last_entry is not None and last_entry.awareness is not Awareness.AWARE:
        return last_entry.awareness.value
    return next((t for t in context.working_state(entity).tags if t.casefold() in SENSELESS_TAGS), "")


def describe_deaf(context: SceneContext, entity: Entity) -> str:
    """Return a line on somebody who does not hear what they are told, with what lets them; empty if they hear it."""
    state = describe_unawareness(context, entity)
    if not state or state == Awareness.DEAD:  # the dead have a warning of their own
        return ""
    is_tag = state not in set(Awareness)
    command = f"/state {entity.name} -{state}" if is_tag else f"/cast + {entity.name}"
    deed = "brings them back" if state == Awareness.OUT_OF_EARSHOT else "wakes them"
    return f"{name_at_start(entity.name)} is {state}, and does not hear it: {command} {deed}."


def require_aware(context: SceneContext, entity: Entity, deed: str, kept: str) -> None:
    """Raise InputError if somebody is absent, dead or asleep, and so cannot do the `deed` (`to hear it`)."""
    last_entry = context.last_presence_entries().get(entity.id)
    if context.is_dead(entity) or (last_entry and last_entry.awareness is Awareness.DEAD):
        raise InputError(
            f"{name_at_start(entity.name)} is dead, and is not there {deed}.",
            kept=kept,
            todo=f"/state {entity.name}.alive = true if they live after all.",
        )
    if entity.id not in {context.story.pc_id, *(e.id for e in context.present_actors())}:
        raise NotPresent(
            f"{name_at_start(entity.name)} is not here {deed}.",
            kept=kept,
            todo=f"/cast + {entity.name} lets them come in; /cast shows who is here.",
        )
    if last_entry and last_entry.awareness is Awareness.ASLEEP:
        raise InputError(
            f"{name_at_start(entity.name)} is asleep, and not there {deed}.",
            kept=kept,
            todo=f"/cast + {entity.name} wakes them.",
        )
