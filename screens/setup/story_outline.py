"""The outline of a new story: as suggested, and as typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.sanitize import split_described_name
from agents.story_outline import NewCharacter, NewUniverse, ProposedNewcomer, StoryOutline
from agents.typed_numbers import parse_numbers as parse_numbers
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind, Universe


def suggest_outline(
    universe: Universe | NewUniverse,
    places: Sequence[Entity],
    player_character: Entity | NewCharacter | None,
    world_outline: StoryOutline | None = None,
) -> StoryOutline:
    """Return an outline that can be played as it is: this hero, the universe's first place.

    `world_outline` is the universe's own, if it has one; another hero takes the place of the one it is for. Without
    it nobody else is there: who of a world belongs into a scene with the hero is the player's to say.
    """
    hero = player_character.id if isinstance(player_character, Entity) else player_character
    if world_outline is not None:
        return replace(
            world_outline,
            pc=hero,
            cast=tuple(c for c in world_outline.cast if c not in (world_outline.pc, hero)),
        )
    return StoryOutline(
        universe_id=universe.id if isinstance(universe, Universe) else "",
        title=f"{player_character.name} in {universe.name}"
        if player_character
        else f"A story of {universe.name}",
        pc=hero,
        theme=universe.genre,
        tone=universe.tone,
        scene_title=f"Arrival at {places[0].name}" if places else "The beginning",
        scene_goal="",
        place=places[0].id if places else None,
    )


def clear_outline(outline: StoryOutline) -> StoryOutline:
    """Return the outline without the parts that somebody has to think up."""
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


def parse_newcomer(text: str, kind: EntityKind) -> ProposedNewcomer:
    """Parse `Name: who or what that is`."""
    return ProposedNewcomer(kind, *split_described_name(text))


def split_words(text: str) -> tuple[str, ...]:
    """Split a list at its commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def resolve_place(text: str, places: Sequence[Entity]) -> Id | str | None:
    """Return the id of the place with this name, or a new one as it was typed: `Name` or `Name: description`."""
    typed_place = text.strip()
    place_id_by_name = {alias.casefold(): p.id for p in places for alias in (*p.aliases, p.name)}
    names = (typed_place, split_described_name(typed_place)[0])
    known_ids = (place_id_by_name[name.casefold()] for name in names if name.casefold() in place_id_by_name)
    return next(known_ids, typed_place or None)
