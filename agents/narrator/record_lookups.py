"""Reads from the context package what prose is checked against: who cannot act, who knows the player's character."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agents.context_assembly.context_package import ContextPackage, ScenePerson
from agents.prose.names import names_of
from agents.resolver.bonds import is_current
from stores.records.canon import FactKind
from stores.records.ids import Id
from stores.records.play import Speaker
from stores.records.world import ACTORS

LONG_SCENE_TICKS: Final = 8 * 60
"""World time (ticks) from which a scene is so long that its start may be spoken of as past."""

_WALKING_DEAD: Final = frozenset(
    {
        "undead",
        "ghost",
        "spirit",
        "revenant",
        "zombie",
        "vampire",
        "lich",
        "wraith",
        "spectre",
        "risen",
        "skeleton",
    }
)
"""Tags of the dead who act all the same."""


@dataclass(frozen=True, slots=True)
class AbsentPerson:
    """Somebody who cannot act: dead, or not in the scene."""

    names: tuple[str, ...]
    """All names, the full one first."""

    is_dead: bool


def find_absent_people(package: ContextPackage) -> tuple[AbsentPerson, ...]:
    """Return who is dead or not present, without names that somebody present shares."""
    present_names = {
        n for p in package.canonical.cast if p.is_here and not p.is_dead for n in names_of(p.entity)
    }
    people = (*package.canonical.cast, *package.canonical.named_elsewhere)
    absent_entities = (
        p
        for p in people
        if p.entity.kind in ACTORS and (p.is_dead or not p.is_here) and not _is_walking_dead(p)
    )
    candidates = (
        AbsentPerson(tuple(n for n in names_of(p.entity) if n not in present_names), p.is_dead)
        for p in absent_entities
    )
    return tuple(person for person in candidates if person.names)


def split_by_acquaintance(
    package: ContextPackage,
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """Return the names of those present in two groups: strangers to the player's character, and the others."""
    acquaintance_ids = _acquaintance_ids(package)
    present = package.present_npcs()
    strangers = tuple(names_of(p.entity) for p in present if p.entity.id not in acquaintance_ids)
    return strangers, tuple(names_of(p.entity) for p in present if p.entity.id in acquaintance_ids)


def collect_recorded_statements(package: ContextPackage) -> tuple[str, ...]:
    """Return what the record has of what was said, promised, decided and remembered."""
    assertions = [f.statement for f in (*package.canonical.assertions, *package.canonical.encounters)]
    commitments = [f.statement for f in package.agenda.commitments.values()]
    memory_texts = [m.text for memories in package.recalled.memories_by_entity.values() for m in memories]
    turns = [
        t.text
        for t in (*package.narrative.previous_scene_turns, *package.narrative.recent_turns)
        if t.speaker is not Speaker.SYSTEM
    ]
    recalled_texts = [p.turn.text for p in package.recalled.passages]
    return (
        *assertions,
        *commitments,
        *memory_texts,
        *package.narrative.summary_lines,
        *recalled_texts,
        *turns,
    )


def find_settled_matters(package: ContextPackage) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return promises, debts and questions that are settled, each with the names of everybody in view."""
    people = (*package.canonical.cast, *package.canonical.named_elsewhere)
    names = frozenset(n for p in people for n in names_of(p.entity))
    return tuple((fact.statement, names) for fact in package.settled_commitments())


def _acquaintance_ids(package: ContextPackage) -> set[Id]:
    """Return who may know the player's character from before.

    That follows from an earlier scene, a fact, a memory or a description; in a very long scene, everybody
    may.
    """
    pc = package.player_character
    present_ids = {p.entity.id for p in package.present_npcs()}
    if pc is None or package.scene.tick - package.scene.scene.tick >= LONG_SCENE_TICKS:
        return present_ids
    acquaintance_ids = set(package.narrative.met_before_ids)
    canon = package.canonical
    scene_start = package.scene.scene.tick
    for fact in (*canon.relations, *canon.encounters, *canon.assertions, *canon.facts):
        involved_ids = {i.entity_id for i in fact.involves}
        is_earlier = (
            fact.kind is not FactKind.ENCOUNTER or fact.valid_from is None or fact.valid_from < scene_start
        )
        if pc.id in involved_ids and is_earlier and is_current(fact, package.scene.tick):
            acquaintance_ids |= involved_ids
    hero_pattern = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names_of(pc)))
    for person in package.present_npcs():
        memories = package.memories_of(person.entity.id)
        known_texts = (
            person.entity.description,
            *(m.text for m in memories if m.scene_id != package.scene.scene.id),
        )
        if any(hero_pattern.search(text) for text in known_texts) or (person.entity.name in pc.description):
            acquaintance_ids.add(person.entity.id)
    return acquaintance_ids


def _is_walking_dead(person: ScenePerson) -> bool:
    tags = {tag.casefold() for tag in (*person.entity.tags, *person.state.tags)}
    return bool(tags & _WALKING_DEAD)
