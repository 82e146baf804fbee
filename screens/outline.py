"""The outline of a new story as it is suggested, and as it is typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.story_outline import NewCharacter, Newcomer, NewUniverse, StoryOutline
from agents.typed_numbers import parse_numbers as parse_numbers
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind, Universe

_CAST = 3
"""How many of the world's people a suggested first scene brings on."""


def suggested(
    universe: Universe | NewUniverse,
    characters: Sequence[Entity],
    places: Sequence[Entity],
    pc: Entity | NewCharacter | None,
    opening: StoryOutline | None = None,
) -> StoryOutline:
    """Return an outline that can be played as it stands: this hero, the world's first place, its people.

    `opening` is the world's own, where it has one; another hero takes the place of the one it is for.
    """
    hero = pc.id if isinstance(pc, Entity) else pc
    if opening is not None:
        return replace(opening, pc=hero, cast=tuple(c for c in opening.cast if c not in (opening.pc, hero)))
    others = [c.id for c in characters if not c.is_pc and c is not pc]
    return StoryOutline(
        universe_id=universe.id if isinstance(universe, Universe) else "",
        title=f"{pc.name} in {universe.name}" if pc else f"A story of {universe.name}",
        pc=hero,
        theme=universe.genre,
        tone=universe.tone,
        scene_title=f"Arrival at {places[0].name}" if places else "The beginning",
        scene_goal="",
        place=places[0].id if places else None,
        cast=tuple(others[:_CAST]),
    )


def bare(outline: StoryOutline) -> StoryOutline:
    """Return the outline with nothing in it that somebody has to have thought of."""
    return replace(
        outline,
        title="",
        theme="",
        tone="",
        constraints="",
        lines_and_veils="",
        scene_title="",
        scene_goal="",
        place=None,
        cast=(),
        prose=(),
    )


def newcomer_from(text: str, kind: EntityKind) -> Newcomer:
    """Read `Name: who or what that is`."""
    name, _, description = text.partition(":")
    return Newcomer(kind, name.strip(), description.strip())


def words_from(text: str) -> tuple[str, ...]:
    """Read a list with commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def place_from(text: str, places: Sequence[Entity]) -> Id | str | None:
    """Return the id of the place that goes by this name, or the name of a new one."""
    name = text.strip()
    known = {alias.casefold(): p.id for p in places for alias in (*p.aliases, p.name)}
    return known.get(name.casefold(), name) if name else None
