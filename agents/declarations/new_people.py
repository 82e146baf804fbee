"""Finds the person whom a sentence makes known: `Corin Orrin is my brother`, where no Corin Orrin is known. Pure.

Only what is said of people alone makes somebody of a name: kinship, marriage, and of a full name life and death.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from agents.canon_keeper.fact_readings import ALIVE, OBJECT, SUBJECT
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentence_facts import read_sentence_fact
from agents.declarations.lasting_facts import guess_entities
from agents.prose.names import find_names
from stores.records.canon import AssertFact, CreateEntity
from stores.records.ids import Id
from stores.records.world import ACTORS, Entity, EntityKind


class NewPerson(NamedTuple):
    """Somebody who is not known yet, and the fact that says so."""

    creation: CreateEntity
    fact: AssertFact


def find_unknown_names(text: str, known: Sequence[Entity]) -> list[str]:
    """Return the names in a text that none of these has, each once."""
    guesses = {guess.name for guess in guess_entities(text, known, EntityKind.CHARACTER)}
    return [name for name in find_names(text) if name in guesses]


def read_new_person(
    sentence: str, mentioned: Sequence[Entity], catalogue: Catalogue, new_id: Callable[[], Id], tick: int
) -> NewPerson | None:
    """Return whom a sentence makes known, and the fact of the catalogue that it states of them.

    `mentioned` are the known entities that the sentence names.
    """
    if (match := _find_new_person(sentence, mentioned, catalogue, tick)) is None:
        return None
    person, fact = match
    creation = CreateEntity(entity_id=new_id(), entity_kind=EntityKind.CHARACTER, name=person.name)
    involves = tuple(
        i.model_copy(update={"entity_id": creation.entity_id}) if i.entity_id == person.id else i
        for i in fact.involves
    )
    return NewPerson(creation, fact.model_copy(update={"involves": involves}))


def _find_new_person(
    sentence: str, known: Sequence[Entity], catalogue: Catalogue, tick: int
) -> tuple[Entity, AssertFact] | None:
    for person in guess_entities(sentence, known, EntityKind.CHARACTER):
        fact = read_sentence_fact(sentence, [*known, person], catalogue, tick)
        if fact is not None and _is_of_people(fact, person, catalogue):
            return person, fact
    return None


def _is_of_people(fact: AssertFact, person: Entity, catalogue: Catalogue) -> bool:
    """Say whether what is said of somebody is said of people and creatures alone."""
    role = next((i.role for i in fact.involves if i.entity_id == person.id), None)
    predicate = catalogue[fact.predicate]
    kinds = {SUBJECT: predicate.subjects, OBJECT: predicate.objects}.get(role or "", ())
    is_full_name = " " in person.name and not person.name.casefold().startswith("the ")
    return bool(kinds) and set(kinds) <= set(ACTORS) and (is_full_name or fact.predicate != ALIVE)
