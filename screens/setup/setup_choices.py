"""The rows that story set-up offers: rules and heroes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from agents.story_outline import StoryOutline
from agents.views.sheet_views import RulePackView
from screens.setup.setup_pages import NEW_ROW_ID, PickRow
from stores.records.ids import Id
from stores.records.world import Entity
from widgets.entity_tree import DEAD_SIGN
from widgets.numbers import numbers_text

NOBODY_ROW_ID, NO_RULES_ROW_ID, STORY_IDEA_ROW_ID = "nobody", "no-rules", "words"


def rule_rows(systems: Mapping[str, RulePackView]) -> list[PickRow]:
    """Return the rule packs, then none, then the files that cannot be used."""
    usable_rows = [
        PickRow(key, s.name, "your own" if s.own else "", _system_description(s))
        for key, s in systems.items()
        if not s.problem
    ]
    no_rules_row = PickRow(
        NO_RULES_ROW_ID, "No rule pack", "", "Two dice plus any number you name, or plain odds."
    )
    unusable_rows = [
        PickRow(key, f"✗ {s.name}", "cannot be used", s.problem) for key, s in systems.items() if s.problem
    ]
    return [*usable_rows, no_rules_row, *unusable_rows]


def _system_description(system: RulePackView) -> str:
    numbers = ", ".join(row.label for row in (*system.numbers, *system.tracks))
    return f"{system.summary}\n{f'On the sheet: {numbers}.' if numbers else 'No numbers on the sheet.'}"


def hero_rows(
    characters: Sequence[Entity],
    world_outline: StoryOutline | None,
    *,
    dead_ids: Collection[Id] = (),
    with_story_idea: bool = False,
) -> list[PickRow]:
    """Return the rows to choose a hero from.

    In order: the hero that the universe suggests, its other heroes, a new one, one made by a model from a few
    words (if there is a model), then any other character, and the dead.
    """
    suggested_hero = world_outline.pc if world_outline else None
    living = [c for c in characters if c.id not in dead_ids]
    player_rows = [_hero_row(c) for c in sorted(living, key=lambda c: c.id != suggested_hero) if c.is_pc]
    npc_rows = [_hero_row(c) for c in living if not c.is_pc]
    dead_rows = [
        replace(row, name=f"{DEAD_SIGN} {row.name}", kind="dead")
        for row in (_hero_row(c) for c in characters if c.id in dead_ids)
    ]
    new_hero_row = PickRow(
        NEW_ROW_ID, "+ A new hero", "you name them", "Name, numbers and a line on who they are."
    )
    nobody_row = PickRow(NOBODY_ROW_ID, "Nobody", "", "Play without a hero of your own.")
    story_idea_row = PickRow(
        STORY_IDEA_ROW_ID,
        "✎ In words",
        "a model fills in the form",
        "Say in a sentence or two whom you play and what it is about. You can change everything; nothing is "
        "created before you begin.",
    )
    return [
        *player_rows,
        new_hero_row,
        *([story_idea_row] if with_story_idea else []),
        *npc_rows,
        *dead_rows,
        nobody_row,
    ]


def _hero_row(entity: Entity) -> PickRow:
    numbers = numbers_text(entity.numbers)
    return PickRow(
        entity.id, entity.name, "hero" if entity.is_pc else "", f"{entity.description}\n{numbers}".strip()
    )
