"""The rules that a story is played by, and somebody's sheet as they read it."""

from __future__ import annotations

from collections.abc import Callable

from agents.context_assembly.scene_context import SceneContext
from agents.resolver.ruleset_schema import Pack
from agents.resolver.rulesets import PackLibrary
from agents.resolver.sheets import NewSheet, Sheet
from stores.records.world import Entity


class StoryRules:
    """Finds the rule pack of a story; `read_packs` returns those that are installed."""

    def __init__(self, read_packs: Callable[[], PackLibrary]) -> None:
        self._read_packs = read_packs

    def find_pack(self, context: SceneContext) -> Pack | None:
        """Return the story's rule pack; None if it has none or it is missing."""
        return self._read_packs().packs.get(context.story.system)


def read_working_sheet(context: SceneContext, entity: Entity | None) -> Sheet:
    """Return somebody's numbers and tags at the end of the timeline; an empty sheet for nobody."""
    if entity is None:
        return NewSheet()
    state = context.working_state(entity)
    return NewSheet(entity.name, entity.is_pc, state.numbers, state.tags)
