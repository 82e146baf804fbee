"""Notices numbers that come to 0 and tracks that fill up as changes are staged.

The rule pack's text (`at_zero`, `at_full`) is shown and its effects are suggested; nothing is staged, for the
GM decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from agents.context_assembly.scene_context import SceneContext
from agents.proposals.effects import Effect
from agents.resolver.ruleset_schema import Pack
from agents.resolver.sheets import NewSheet, Sheet, find_crossings, suggestions_at_ends
from agents.resolver.working_state import fold_changes
from agents.solo.story_rules import StoryRules, read_working_sheet
from agents.typed_numbers import number_label
from agents.typed_text import fold_name
from agents.views.replies import Reply
from agents.views.scene_views import Offer
from stores.errors import InputError
from stores.records.canon import StateChange, StateOp
from stores.records.world import Entity

RULES_SUGGEST: Final = "The rules suggest"
"""The question of an offer that the rules make for a number at 0 or a full track."""

_STATE: Final = "/state "


class DepletionWatcher:
    """Describes what the story's rule pack says of numbers at 0 and of full tracks."""

    def __init__(self, rules: StoryRules) -> None:
        self._rules = rules

    def add_depletion_lines(self, before: SceneContext, context: SceneContext, reply: Reply) -> Reply:
        """Add to a reply what the rules suggest for numbers that came to 0 and tracks that filled up.

        Compares with the scene `before`; the effects are lines to accept.
        """
        reply = replace(reply, lines=(*reply.lines, *_describe_floors(before, context)))
        pack = self._rules.find_pack(context)
        if pack is None or self._rules.find_pack(before) is None:
            return reply
        staged_before_ids = {p.id for p in before.staged_proposals}
        new_changes = [p.change for p in context.staged_proposals if p.id not in staged_before_ids]
        state_changes = [change for change in new_changes if isinstance(change, StateChange)]
        if not state_changes:
            return reply
        lines: list[str] = []
        effects: list[Effect] = []
        for entity_id in dict.fromkeys(change.entity_id for change in state_changes):
            entity = context.entities[entity_id]
            entity_changes = [change for change in state_changes if change.entity_id == entity_id]
            sheet_before, sheet_after = self._sheets_before_and_after(context, entity, entity_changes)
            lines += _describe_new_numbers(pack, sheet_before, entity_changes)
            try:
                suggestions = find_crossings(pack, sheet_before, sheet_after)
            except InputError as error:  # what was played stays played, whatever the pack makes of it
                lines.append(f"{entity.name}: {error.what}")
                continue
            for suggestion in suggestions:
                lines.append(
                    f"{entity.name}: {suggestion.cause}." + (f" {suggestion.says}" if suggestion.says else "")
                )
                effects += suggestion.effects
        if not effects:
            return replace(reply, lines=(*reply.lines, *lines))
        state_command = _STATE + ", ".join(dict.fromkeys(map(str, effects)))
        lines.append(f"{RULES_SUGGEST} {state_command} (Tab takes it)")
        return replace(
            reply,
            lines=(*reply.lines, *lines),
            suggested_line=state_command,
            offers=(*reply.offers, Offer(RULES_SUGGEST, state_command)),
        )

    def is_still_suggested(self, context: SceneContext, state_command: str) -> bool:
        """Say whether the rules suggest anything of a command that they suggested before, as the sheets are now."""
        pack = self._rules.find_pack(context)
        if pack is None:
            return False
        effect_texts = set(state_command.removeprefix(_STATE).split(", "))
        for entity in context.entities.values():
            if entity.name not in state_command or context.is_dead(entity):
                continue
            try:
                suggestions = suggestions_at_ends(pack, read_working_sheet(context, entity))
            except InputError:  # the pack can be asked nothing
                return True
            if any(str(effect) in effect_texts for one in suggestions for effect in one.effects):
                return True
        return False

    def _sheets_before_and_after(
        self, context: SceneContext, entity: Entity, changes: Sequence[StateChange]
    ) -> tuple[Sheet, Sheet]:
        """Return somebody's sheet before these changes and after them."""
        earlier_changes = list(context.state_changes(entity.id))
        for change in changes:
            earlier_changes.remove(change)
        state_before = fold_changes(entity, earlier_changes)
        sheet = NewSheet(entity.name, entity.is_pc, state_before.numbers, state_before.tags)
        return sheet, read_working_sheet(context, entity)


def _describe_floors(before: SceneContext, context: SceneContext) -> list[str]:
    """Return a line on each number that stopped at its floor with the changes since the scene `before`."""
    lines = []
    staged_before_ids = {p.id for p in before.staged_proposals}
    new_changes = [p.change for p in context.staged_proposals if p.id not in staged_before_ids]
    for change in new_changes:
        if not isinstance(change, StateChange) or change.floor is None:
            continue
        entity = context.entities[change.entity_id]
        changes = list(context.state_changes(entity.id))
        state = fold_changes(entity, changes[: changes.index(change)])
        number = state.numbers.get(change.key)
        if number is None or not isinstance(change.value, int | float):
            continue
        if change.value < 0 and number + change.value < change.floor:
            lines.append(f"{entity.name}: {number_label(change.key)} stops at {change.floor}.")
    return list(dict.fromkeys(lines))


def _describe_new_numbers(pack: Pack, sheet_before: Sheet, changes: Iterable[StateChange]) -> list[str]:
    """Return a line on numbers of the rules that somebody did not have: they count from 0."""
    known_keys = {fold_name(key) for key in sheet_before.numbers}
    new_keys = [
        c.key
        for c in changes
        if c.op is StateOp.ADD and c.key in pack.number_keys() and fold_name(c.key) not in known_keys
    ]
    return [
        f"{sheet_before.name} had no {number_label(key)}, so it counts from 0: /state "
        f"{sheet_before.name}.{key} = 8 sets it."
        for key in dict.fromkeys(new_keys)
    ]
