"""Builds what the cast reader needs to know of people: by what words each is meant, and how each is now. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agents.context_assembly.scene_context import SceneContext
from agents.memory_manager.attendance import SENSELESS_TAGS
from agents.prose.cast_reading import CastState
from agents.prose.mentions import Figure, Gender, read_called_role, read_gender, read_roles
from agents.prose.names import any_name_pattern, names_of
from agents.prose.stranger_subjects import read_called_nouns
from stores.records.ids import Id
from stores.records.story_journal import Awareness, PresenceEntry
from stores.records.world import ACTORS, Entity, EntityKind, fold_name


def select_people(context: SceneContext, named: Iterable[Entity]) -> list[Entity]:
    """Return the people among the entities, but for the hero."""
    return [e for e in named if e.kind in ACTORS and e.id != context.story.pc_id]


def read_cast_state(context: SceneContext, people: Sequence[Entity]) -> CastState:
    """Return who of the people is here and how, by their positions."""
    present_ids = {e.id for e in context.present_actors()}
    last_entries = context.last_presence_entries()
    dead = frozenset(n for n, e in enumerate(people) if _is_dead(context, e, last_entries))

    def find(awareness: Awareness) -> frozenset[int]:
        return frozenset(
            n
            for n, e in enumerate(people)
            if e.id in present_ids and e.id in last_entries and last_entries[e.id].awareness is awareness
        )

    senseless = {
        n
        for n, e in enumerate(people)
        if e.id in present_ids
        and SENSELESS_TAGS.intersection(map(str.casefold, context.working_state(e).tags))
    }
    return CastState(
        present=frozenset(n for n, e in enumerate(people) if e.id in present_ids) - dead,
        senseless=find(Awareness.ASLEEP) | senseless,
        out_of_earshot=find(Awareness.OUT_OF_EARSHOT),
        left_behind=frozenset(
            n
            for n, e in enumerate(people)
            if e.id not in present_ids and e.id in last_entries and last_entries[e.id].is_left_behind
        ),
        gone=frozenset(
            n
            for n, e in enumerate(people)
            if (entry := last_entries.get(e.id)) and not entry.here and not entry.is_left_behind
        ),
        dead=dead,
        bodies=frozenset(n for n in dead if people[n].id in present_ids),
        companions=frozenset(
            n
            for n, e in enumerate(people)
            if e.id in present_ids and e.id in last_entries and last_entries[e.id].is_companion
        ),
    )


def _is_dead(context: SceneContext, entity: Entity, last_entries: Mapping[Id, PresenceEntry]) -> bool:
    entry = last_entries.get(entity.id)
    return context.is_dead(entity) or (entry is not None and entry.awareness is Awareness.DEAD)


def build_figures(people: Sequence[Entity]) -> list[Figure]:
    """Return the people by the names and titles that mean one of them alone."""
    names_by_id = {e.id: names_of(e) for e in people}
    name_counts = Counter(n for names in names_by_id.values() for n in set(names))
    roles_by_id = {e.id: (*read_roles(e.name, e.description), *_read_creature_words(e)) for e in people}
    # Who is called The Miller is meant by `the miller`, though others are millers.
    called_roles = Counter(called for e in people if (called := read_called_role(e.name)))
    for e in people:
        called = read_called_role(e.name)
        own_roles = (r for r in roles_by_id[e.id] if r not in called_roles)
        roles_by_id[e.id] = (called, *own_roles) if called else tuple(own_roles)
    role_counts = Counter(r for roles in roles_by_id.values() for r in roles)
    return [
        Figure(
            tuple(n for n in names_by_id[e.id] if name_counts[n] == 1),
            tuple(r for r in roles_by_id[e.id] if role_counts[r] == 1),
            read_gender(e.name, e.description),
            e.kind is EntityKind.CREATURE,
            read_called_nouns(e.description),
        )
        for e in people
    ]


def without_roles(figures: Iterable[Figure], strangers: Sequence[Figure]) -> list[Figure]:
    """Return figures without what somebody else is said to be: by `Osric the miller` no other miller is meant."""
    roles_of_strangers = {role for stranger in strangers if stranger.names for role in stranger.roles}
    return [replace(one, roles=tuple(r for r in one.roles if r not in roles_of_strangers)) for one in figures]


def _read_creature_words(entity: Entity) -> tuple[str, ...]:
    """Return what prose calls a creature in small letters: `rat`, `toll dog`, `dog`; nothing for a person."""
    if entity.kind is not EntityKind.CREATURE:
        return ()
    name = fold_name(entity.name).removeprefix("the ")
    return tuple(dict.fromkeys((name, name.split()[-1])))


def find_figure(name: str, figures: Sequence[Figure]) -> int | None:
    """Return whom a name or a title (`the sexton`) means alone."""
    folded_name = name.casefold().strip().removeprefix("the ")
    matches = [
        n
        for n, figure in enumerate(figures)
        if folded_name in map(str.casefold, (*figure.names, *figure.roles))
    ]
    return matches[0] if len(matches) == 1 else None


def is_mentioned(figure: Figure, text: str) -> bool:
    words = (*figure.names, *figure.roles)
    return re.search(any_name_pattern(words), text, re.IGNORECASE) is not None


def read_hero_names(context: SceneContext) -> tuple[str, ...]:
    hero = context.player_character()
    return names_of(hero) if hero else ()


def read_hero_gender(context: SceneContext) -> Gender:
    hero = context.player_character()
    return read_gender(hero.name, hero.description) if hero else ""
