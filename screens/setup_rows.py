"""What story set-up offers to pick from: rules and heroes, as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agents.story_outline import StoryOutline
from agents.views.play_views import SystemView
from screens.setup_pages import Row
from stores.records.world import Entity

NEW, NOBODY, NO_RULES, WORDS = "new", "nobody", "no-rules", "words"


def rules_to_pick(systems: Mapping[str, SystemView]) -> list[Row]:
    """The rule packs, then none, then the files that cannot be used."""
    usable = [
        Row(key, s.name, "your own" if s.own else "", _told(s)) for key, s in systems.items() if not s.problem
    ]
    none = Row(NO_RULES, "No rule pack", "", "Two dice and any number of yours, or plain luck.")
    wrong = [Row(key, f"✗ {s.name}", "cannot be used", s.problem) for key, s in systems.items() if s.problem]
    return [*usable, none, *wrong]


def _told(system: SystemView) -> str:
    numbers = ", ".join(row.label for row in (*system.numbers, *system.tracks))
    return f"{system.summary}\n{f'On the sheet: {numbers}.' if numbers else 'No numbers on the sheet.'}"


def heroes_to_pick(
    characters: Sequence[Entity], opening: StoryOutline | None, *, in_words: bool = False
) -> list[Row]:
    """The hero that the world suggests, its other heroes, a new one, what a model makes of a few words (if
    there is one), then anybody else."""
    first = opening.pc if opening else None
    heroes = [_hero(c) for c in sorted(characters, key=lambda c: c.id != first) if c.is_pc]
    others = [_hero(c) for c in characters if not c.is_pc]
    new = Row(NEW, "+ A new hero", "you name them", "Name, numbers and a line on who they are.")
    nobody = Row(NOBODY, "Nobody", "", "Tell the story without a hero of your own.")
    words = Row(
        WORDS,
        "✎ In words",
        "the model fills in the form",
        "Say in a sentence or two whom you play and what it is about. You change what you like; nothing is "
        "created before you begin.",
    )
    return [*heroes, new, *([words] if in_words else []), *others, nobody]


def _hero(entity: Entity) -> Row:
    numbers = "  ".join(f"{name} {value}" for name, value in entity.numbers.items())
    return Row(
        entity.id, entity.name, "hero" if entity.is_pc else "", f"{entity.description}\n{numbers}".strip()
    )
