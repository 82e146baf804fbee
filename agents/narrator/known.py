"""What the record says of those whom prose tells of: who cannot act, who knows the player's character. Pure.

Source: design/authority.md, "Contradictions"; design/product.md, pain 2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agents.context_assembly.context import ACTORS
from agents.context_assembly.package import ContextPackage, Present
from agents.context_assembly.spans import HONORIFICS
from agents.resolver.bonds import is_current
from stores.records.canon import FactKind
from stores.records.ids import Id
from stores.records.play import Speaker
from stores.records.world import Entity

LONG: Final = 8 * 60
"""World time (ticks) from which a scene is so long that its own start may be spoken of as past."""

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
"""What the dead are who act all the same."""
_SMALL: Final = frozenset({"the", "of", "and", "a", "an", "in", "de", "von", "van", "la", "le"})


@dataclass(frozen=True, slots=True)
class Somebody:
    """One who may not act, by every name, the full one first."""

    names: tuple[str, ...]
    dead: bool


def names_of(entity: Entity) -> tuple[str, ...]:
    """Return what prose may call somebody: name, aliases, and the parts of the name that stand for it."""
    parts = [
        word
        for word in entity.name.split()
        if len(word) > 2 and word[0].isupper() and word.casefold() not in HONORIFICS | _SMALL
    ]
    return tuple(dict.fromkeys((entity.name, *entity.aliases, *parts)))


def gone_of(package: ContextPackage) -> tuple[Somebody, ...]:
    """Return who is dead or not here, without names that somebody bears who is here."""
    here = {n for p in package.canonical.cast if p.here and not p.dead for n in names_of(p.entity)}
    people = (*package.canonical.cast, *package.canonical.named)
    gone = (p for p in people if p.entity.kind in ACTORS and (p.dead or not p.here) and not _walks(p))
    found = (Somebody(tuple(n for n in names_of(p.entity) if n not in here), p.dead) for p in gone)
    return tuple(one for one in found if one.names)


def split_by_acquaintance(
    package: ContextPackage,
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """Return those present by names: whom the player's character never met before this scene, and "
    "the rest."""
    known = _acquainted(package)
    present = package.present()
    strangers = tuple(names_of(p.entity) for p in present if p.entity.id not in known)
    return strangers, tuple(names_of(p.entity) for p in present if p.entity.id in known)


def answers_of(package: ContextPackage) -> tuple[str, ...]:
    """Return what the record has of what was said, promised, decided and remembered."""
    said = [f.statement for f in (*package.canonical.assertions, *package.canonical.encounters)]
    promised = [f.statement for f in package.agenda.matters.values()]
    remembered = [m.text for memories in package.recalled.memories.values() for m in memories]
    turns = [
        t.text
        for t in (*package.narrative.before, *package.narrative.line)
        if t.speaker is not Speaker.SYSTEM
    ]
    found = [p.turn.text for p in package.recalled.scenes]
    return (*said, *promised, *remembered, *package.narrative.summary, *found, *turns)


def settled_of(package: ContextPackage) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return what was promised, owed or asked and is over, each with the names of everybody in view."""
    people = (*package.canonical.cast, *package.canonical.named)
    names = frozenset(n for p in people for n in names_of(p.entity))
    return tuple((fact.statement, names) for fact in package.settled())


def _acquainted(package: ContextPackage) -> set[Id]:
    """Return who may know the player's character from before: by an earlier scene, a fact, a "
    "memory, what they
    are said to be; or because this scene lasts so long."""
    pc = package.pc
    everyone = {p.entity.id for p in package.present()}
    if pc is None or package.scene.tick - package.scene.scene.tick >= LONG:
        return everyone
    known = set(package.narrative.met_before)
    canon = package.canonical
    now = package.scene.scene.tick
    for fact in (*canon.relations, *canon.encounters, *canon.assertions, *canon.facts):
        who = {i.entity_id for i in fact.involves}
        before = fact.kind is not FactKind.ENCOUNTER or fact.valid_from is None or fact.valid_from < now
        if pc.id in who and before and is_current(fact, package.scene.tick):
            known |= who
    hero = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names_of(pc)))
    for person in package.present():
        memories = package.memories_of(person.entity.id)
        about = (
            person.entity.description,
            *(m.text for m in memories if m.scene_id != package.scene.scene.id),
        )
        if any(hero.search(text) for text in about) or (person.entity.name in pc.description):
            known.add(person.entity.id)
    return known


def _walks(person: Present) -> bool:
    tags = {tag.casefold() for tag in (*person.entity.tags, *person.state.tags)}
    return bool(tags & _WALKING_DEAD)
