"""Turns a promise in plain words into the fact that is proposed, with whom it binds and to whom it is made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.context_assembly.scene_context import SceneContext
from agents.declarations.reader import FindEntity
from agents.name_forms import name_at_start, name_within
from agents.prose.hero_name import as_first_person, name_hero
from agents.prose.plain_promises import PlainPromise
from stores.records.canon import AssertFact, FactKind, Involvement
from stores.records.world import ACTORS, Entity, EntityKind

_INFINITIVE: Final = re.compile(r"(?:(?:never|not)\s+)?to\s", re.IGNORECASE)
_SPOKEN_TO_SOMEBODY: Final = re.compile(
    r"\b(?:I|me|my|mine|myself|we|us|our|ours|you|your|yours)\b", re.IGNORECASE
)
"""Words that mean somebody else when they are told by another."""
_FUTURE: Final = re.compile(r"\b(?:will|shall|would|won['’]t)\b|['’]ll\b")


async def build_promise_fact(
    promise: PlainPromise,
    context: SceneContext,
    listeners: Sequence[Entity],
    find: FindEntity,
    tick: int,
) -> AssertFact | None:
    """Return the promise as a fact; None if it is not known who makes it.

    It is made to whoever is named, else to the hero or the only listener that the words speak to. A name that nobody
    has yet stays in its words, which say to whom it was made when somebody has it.
    """
    hero = context.player_character()
    promiser = await find(promise.promiser) if promise.promiser else hero
    if promiser is None or promiser.kind not in ACTORS:
        return None
    promisee = await _find_promisee(promise, promiser, hero, listeners, find)
    promisee_name = promisee.name if promisee else promise.addressee
    to_whom = f" {name_within(promisee_name)}" if promisee_name else ""
    involved = [("subject", promiser), *([("participant", promisee)] if promisee else [])]
    return AssertFact(
        fact_kind=FactKind.COMMITMENT,
        predicate="promised",
        statement=f"{name_at_start(promiser.name)} promised{to_whom}{_word_promise(promise, hero)}",
        involves=tuple(Involvement(role=role, entity_id=entity.id) for role, entity in involved),
        valid_from=tick,
    )


def _word_promise(promise: PlainPromise, hero: Entity | None) -> str:
    """Return what stands behind `promised`; what the prose reports names the hero, and is no quotation."""
    if not promise.is_reported or hero is None or promise.words.startswith("I "):
        return _word_promised(promise.words)
    words = name_hero(as_first_person(promise.words), hero.name)
    if _FUTURE.search(words):
        return f" that {words}."
    return _word_promised(words)


def _word_promised(words: str) -> str:
    """Return what stands behind `promised`: ` to mend her net.`, or what was said, in quotes."""
    if _INFINITIVE.match(words) and not _SPOKEN_TO_SOMEBODY.search(words):
        return f" {words[:1].lower()}{words[1:]}."
    return f": “{words[:1].upper()}{words[1:]}.”"


async def _find_promisee(
    promise: PlainPromise,
    promiser: Entity,
    hero: Entity | None,
    listeners: Sequence[Entity],
    find: FindEntity,
) -> Entity | None:
    for name in promise.named_promisees:
        entity = await find(name)
        if entity is not None and entity.id != promiser.id and entity.kind in (*ACTORS, EntityKind.FACTION):
            return entity
    if not promise.is_to_listener:
        return None
    if promise.promiser:
        return hero if hero is not None and hero.id != promiser.id else None
    return listeners[0] if len(listeners) == 1 else None
