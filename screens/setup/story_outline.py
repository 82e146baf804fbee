"""The outline of a new story: as suggested, and as typed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from agents.sanitize import split_described_name
from agents.services.world_now import WorldNow
from agents.story_outline import NewCharacter, NewUniverse, ProposedNewcomer, StoryOutline
from agents.typed_numbers import parse_numbers as parse_numbers
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind, Universe

NOTHING_PLAYED: Final = WorldNow()


def suggest_outline(
    universe: Universe | NewUniverse,
    places: Sequence[Entity],
    player_character: Entity | NewCharacter | None,
    world_outline: StoryOutline | None = None,
    now: WorldNow = NOTHING_PLAYED,
) -> StoryOutline:
    """Return an outline that can be played as it is: this hero, where and when canon has them, or the first place.

    Its title is none that a story of the universe has. `world_outline` is the universe's own, if it has one that was
    not played yet; another hero takes the place of the one it is for. Without it nobody else is there: who of a world
    belongs into a scene with the hero is the player's to say.
    """
    hero = player_character.id if isinstance(player_character, Entity) else player_character
    if world_outline is not None and world_outline.title not in now.story_titles:
        return replace(
            world_outline,
            pc=hero,
            cast=tuple(c for c in world_outline.cast if c not in (world_outline.pc, hero)),
        )
    place_by_id = {place.id: place for place in places}
    place = place_by_id.get(now.place_ids.get(hero, "")) if isinstance(hero, str) else None
    opening_place = place or next(iter(places), None)
    title = (
        f"{player_character.name} in {universe.name}" if player_character else f"A story of {universe.name}"
    )
    outline = StoryOutline(
        universe_id=universe.id if isinstance(universe, Universe) else "",
        title=_find_free_title(title, now.story_titles),
        pc=hero,
        theme=universe.genre,
        tone=universe.tone,
        scene_title=f"{'At' if place else 'Arrival at'} {opening_place.name}"
        if opening_place
        else "The beginning",
        scene_goal="",
        place=opening_place.id if opening_place else None,
    )
    return outline if now.tick is None else replace(outline, tick=max(outline.tick, now.tick))


def _find_free_title(title: str, taken_titles: Collection[str]) -> str:
    """Return the title with the first number that makes it none of these: `Mara in Harrow 2`."""
    taken = {taken_title.casefold() for taken_title in taken_titles}
    numbered_titles = (title if n == 1 else f"{title} {n}" for n in count(1))
    return next(one for one in numbered_titles if one.casefold() not in taken)


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
