"""Makes changes to the world of what was found in a document. Pure.

Each has a key, by which it is known in its document: what says the same has the same key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple, assert_never

from agents.canon_keeper.predicates import Catalogue
from agents.ingest.findings import (
    Finding,
    FoundEntity,
    FoundRelation,
    FoundRule,
    FoundStatement,
    FoundTable,
    Observation,
)
from agents.ingest.source_names import NamedThing, SourceNames
from agents.proposals.statements import MAX_STATEMENT_LENGTH, STATED_PREDICATE, as_sentence
from agents.proposals.written_tables import (
    TABLE_PREDICATE,
    WrittenRow,
    format_written_table,
    normalize_table_text,
    read_written_table,
)
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    FactKind,
    Involvement,
    NoteAxiom,
    Payload,
    StateChange,
    StateOp,
    UpdateEntity,
    normalize_statement,
)
from stores.records.ids import Id
from stores.records.world import Number

MAX_NUMBER_KEY: Final = 40
"""Characters of the name of a number."""


@dataclass(frozen=True, slots=True)
class SourceSite:
    """Where a document's proposals are made, and what is known there."""

    universe_id: Id
    source_id: Id
    created_at: datetime
    """When the document was added: a chunk that is read again gives the same proposals."""
    names: SourceNames
    catalogue: Catalogue
    predicates: Mapping[str, str]
    """The catalogue's predicates, by `predicates_by_words`."""


class SourceChange(NamedTuple):
    """One change, and what its proposal is known by."""

    key: tuple[str, ...]
    change: Payload


def find_changes(finding: Finding, site: SourceSite) -> Iterator[SourceChange]:
    """Yield the changes that a finding comes to; an observation comes to none.

    Raises InputError, with the line and what to do, for a table at fault.
    """
    match finding:
        case FoundEntity():
            thing = site.names.find(finding.name)
            yield from (
                _canon_entity_changes(finding, thing, site)
                if thing.entity
                else (_entity_change(finding, thing, site),)
            )
        case FoundStatement():
            thing = site.names.find(finding.subject)
            yield _statement_change(_statement_about(thing, finding.statement), (("subject", thing.id),))
        case FoundRelation():
            yield _relation_change(finding, site)
        case FoundRule():
            statement = as_sentence(finding.statement)
            yield SourceChange(("rule", normalize_statement(statement)), NoteAxiom(statement=statement))
        case FoundTable():
            yield _table_change(finding)
        case Observation():
            return
        case _:
            assert_never(finding)


def _entity_change(finding: FoundEntity, thing: NamedThing, site: SourceSite) -> SourceChange:
    change = CreateEntity(
        entity_id=thing.id,
        entity_kind=finding.kind,
        name=thing.name,
        aliases=site.names.aliases_in(finding.name, finding.aliases),
        description=as_sentence(finding.description) if finding.description else "",
        numbers=dict(_numbers_of(finding)),
    )
    return SourceChange(("entity", thing.id), change)


def _canon_entity_changes(
    finding: FoundEntity, thing: NamedThing, site: SourceSite
) -> Iterator[SourceChange]:
    """Yield what a document says of an entity that canon has already: names, words and numbers."""
    entity = thing.entity
    assert entity is not None
    if new_names := site.names.aliases_in(finding.name, finding.aliases):
        change = UpdateEntity(entity_id=entity.id, aliases=(*entity.aliases, *new_names))
        yield SourceChange(("aliases", entity.id), change)
    if finding.description:
        yield _statement_change(_statement_about(thing, finding.description), (("subject", entity.id),))
    for key, value in _numbers_of(finding):
        if key not in entity.numbers:
            set_number = StateChange(entity_id=entity.id, key=key, op=StateOp.SET, value=value)
            yield SourceChange(("number", entity.id, key), set_number)
        elif entity.numbers[key] != value:
            # A fact, and no change of play: beside the number of canon it waits as a conflict.
            other_number = AssertFact(
                fact_kind=FactKind.STATE,
                predicate=key,
                statement=site.catalogue.phrase(key, entity.name, value=value),
                involves=(Involvement(role="subject", entity_id=entity.id),),
                value=value,
            )
            yield SourceChange(("number", entity.id, key), other_number)


def _relation_change(finding: FoundRelation, site: SourceSite) -> SourceChange:
    """Return a relation by a predicate of the catalogue, or else as a sentence about both."""
    subject, other = site.names.find(finding.subject), site.names.find(finding.object)
    involved = (("subject", subject.id), ("object", other.id))
    predicate = site.predicates.get(_predicate_key(finding.predicate))
    if predicate is None:
        words = finding.predicate.replace("_", " ")
        return _statement_change(as_sentence(f"{subject.name} {words} {other.name}"), involved)
    change = AssertFact(
        fact_kind=FactKind.RELATION,
        predicate=predicate,
        statement=site.catalogue.phrase(predicate, subject.name, other.name),
        involves=tuple(Involvement(role=role, entity_id=entity_id) for role, entity_id in involved),
    )
    return SourceChange(("relation", predicate, subject.id, other.id), change)


def _table_change(finding: FoundTable) -> SourceChange:
    """Return a table as it is rolled on. Raises InputError, with the line, if it cannot be."""
    rows = (WrittenRow(row.lowest, row.highest, row.text) for row in finding.rows)
    text = normalize_table_text(format_written_table(finding.title, finding.dice, rows))
    change = AssertFact(fact_kind=FactKind.LORE, predicate=TABLE_PREDICATE, statement=text)
    return SourceChange(("table", read_written_table(text).name), change)


def _statement_change(statement: str, involved: Sequence[tuple[str, Id]]) -> SourceChange:
    change = AssertFact(
        fact_kind=FactKind.ATTRIBUTE,
        predicate=STATED_PREDICATE,
        statement=statement[:MAX_STATEMENT_LENGTH],
        involves=tuple(Involvement(role=role, entity_id=entity_id) for role, entity_id in involved),
    )
    return SourceChange(("fact", normalize_statement(statement)), change)


def _statement_about(thing: NamedThing, words: str) -> str:
    """Return words as a sentence that says of whom it is."""
    statement = as_sentence(words)
    name_words = set(normalize_statement(thing.name).split())
    if name_words & set(normalize_statement(statement).split()):
        return statement
    return as_sentence(f"{thing.name}: {statement}")


def predicates_by_words(catalogue: Catalogue) -> dict[str, str]:
    """Return the predicates that are said of two, by their names and by their words on screens."""
    names: dict[str, str] = {}
    for predicate in catalogue.predicates.values():
        if predicate.about_two:
            for words in (predicate.name, catalogue.label(predicate.name)):
                names.setdefault(_predicate_key(words), predicate.name)
    return names


def _predicate_key(words: str) -> str:
    return normalize_statement(words.replace("_", " "))


def _numbers_of(finding: FoundEntity) -> Iterator[tuple[str, Number]]:
    """Yield the numbers of a stat block by keys as a sheet has them."""
    for name, value in finding.numbers:
        if key := "_".join(normalize_statement(name).split())[:MAX_NUMBER_KEY]:
            yield key, value
