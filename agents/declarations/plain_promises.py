"""Turns a promise in plain words into the fact that is proposed, with whom it binds and to whom it is made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from agents.canon_keeper.commitments import SOMEBODY_ELSE
from agents.context_assembly.scene_context import SceneContext
from agents.declarations.reader import FindEntity
from agents.name_forms import join_names, name_at_start, name_within
from agents.prose.hero_name import as_first_person, name_hero
from agents.prose.plain_promises import PlainPromise
from agents.prose.promise_names import PRONOUNS, has_pronoun, split_names
from stores.records.canon import AssertFact, FactKind, Involvement
from stores.records.world import ACTORS, Entity, EntityKind

_INFINITIVE: Final = re.compile(r"(?:(?:never|not)\s+)?to\s", re.IGNORECASE)
_SPOKEN_TO_SOMEBODY: Final = re.compile(
    r"\b(?:I|me|my|mine|myself|we|us|our|ours|you|your|yours)\b", re.IGNORECASE
)
"""Words that mean somebody else when they are told by another."""
_DONE_FOR_LISTENER: Final = re.compile(
    r"to (?:pay|repay|give|bring|send|lend|write|tell|buy|fetch|show|teach|reward) (?:him|her)\b"
    r"(?=\s*$|\s+(?:back|on|by|in|at|for|when|before|after|as|until|the|an?|my|half|all|some|[0-9]+|one|two|three|ten)\b)"
)
"""What is promised to whoever it is done for, if nobody is named: `to pay her on Monday`."""
_SPOKEN_TO: Final = frozenset({"you", "me"})
"""Who is meant by the one is who hears the promise; by `him` and `her` nobody is known."""
_FUTURE: Final = re.compile(r"\b(?:will|shall|would|won['’]t)\b|['’]ll\b")


class _Promisee(NamedTuple):
    """One of those to whom something is promised."""

    name: str
    entity: Entity | None
    """None if nobody has the name yet."""


async def build_promise_fact(
    promise: PlainPromise,
    context: SceneContext,
    listeners: Sequence[Entity],
    find: FindEntity,
    tick: int,
) -> AssertFact | None:
    """Return the promise as a fact; None if it is not known who makes it.

    It is made to all who are named, else to the hero or the only listener that the words speak to. A name that nobody
    has yet stays in its words, which say to whom it was made when somebody has it.
    """
    hero = context.player_character()
    promiser = await find(promise.promiser) if promise.promiser else hero
    if promiser is None or promiser.kind not in ACTORS:
        return None
    promisees = await _find_promisees(promise, promiser, hero, listeners, find)
    names = join_names([name_within(promisee.name) for promisee in promisees]) or promise.addressee
    to_whom = f" {name_within(names)}" if names else ""
    involved = [("subject", promiser), *(("participant", one.entity) for one in promisees if one.entity)]
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


async def _find_promisees(
    promise: PlainPromise,
    promiser: Entity,
    hero: Entity | None,
    listeners: Sequence[Entity],
    find: FindEntity,
) -> list[_Promisee]:
    """Return to whom it is promised; nobody if nobody of the name is known, or no name or listener says who."""
    for names in promise.named_promisees:
        if has_pronoun(names):
            return await _find_each(split_names(names), promise, promiser, hero, listeners, find)
        # A guild may be called Salt and Iron.
        for listed_names in dict.fromkeys(((names,), split_names(names))):
            promisees = [_Promisee(name, await _find_other(name, promiser, find)) for name in listed_names]
            if any(promisee.entity for promisee in promisees):
                return [
                    _Promisee(one.entity.name if one.entity else one.name, one.entity) for one in promisees
                ]
    if not (promise.is_to_listener or (not promise.promiser and _DONE_FOR_LISTENER.match(promise.words))):
        return []
    listener = hero if promise.promiser else listeners[0] if len(listeners) == 1 else None
    is_other = listener is not None and listener.id != promiser.id
    return [_Promisee(listener.name, listener)] if listener is not None and is_other else []


async def _find_each(
    names: Sequence[str],
    promise: PlainPromise,
    promiser: Entity,
    hero: Entity | None,
    listeners: Sequence[Entity],
    find: FindEntity,
) -> list[_Promisee]:
    """Return those who are named together, of whom a pronoun is one: `somebody else` if it is not clear who that is."""
    found = {name: await _find_other(name, promiser, find) for name in names if name not in PRONOUNS}
    named_ids = {entity.id for entity in found.values() if entity}
    others = [one for one in listeners if one.id not in named_ids]
    if promise.promiser:
        others = [hero] if hero is not None and hero.id not in {promiser.id, *named_ids} else []
    addressed = others[0] if len(others) == 1 else None
    promisees = []
    for name in names:
        entity = addressed if name in _SPOKEN_TO else found.get(name)
        is_unclear = entity is None and name in PRONOUNS
        promisees.append(_Promisee(entity.name if entity else SOMEBODY_ELSE if is_unclear else name, entity))
    return sorted(promisees, key=lambda one: one.name == SOMEBODY_ELSE)


async def _find_other(name: str, promiser: Entity, find: FindEntity) -> Entity | None:
    """Return whom a name means who may be promised something by another; None if it is nobody."""
    entity = await find(name)
    if entity is None or entity.id == promiser.id or entity.kind not in (*ACTORS, EntityKind.FACTION):
        return None
    return entity
