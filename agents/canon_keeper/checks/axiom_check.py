"""Checks rules of the world as far as code can; the others get a note that nobody checked them."""

from __future__ import annotations

from collections.abc import Iterator

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.checks.check_input import CheckInput, FoundConflict
from agents.canon_keeper.fact_readings import (
    IS,
    OBJECT,
    SUBJECT,
    FactKey,
    FactReading,
    is_open,
    is_true,
    read_fact,
)
from agents.canon_keeper.predicates import same_value
from agents.canon_keeper.sheet_values import sheet_value_of
from stores.records.canon import AxiomForm, CreateEntity, Fact, FactKind, NoteAxiom, Requirement
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind

MUST_SEVERITY = "must"
"""The severity of a rule that is kept; what breaks a lesser one is only pointed out."""

UNCHECKED = "No form of this rule can be checked by the program: what breaks it is left to a reader."

_MAX_SHOWN = 3
"""Facts shown that a new rule would make impossible."""


def find_broken_axioms(check_input: CheckInput) -> Iterator[FoundConflict]:
    """Find rules that the claim breaks and, for a new rule, what breaks it already."""
    for axiom in _axioms_broken_by(check_input):
        if axiom.severity == MUST_SEVERITY:
            yield FoundConflict("breaks_axiom", f"A rule of this world: “{axiom.statement}”", axiom)
    form = check_input.fact.form
    if form is not None:
        facts = [
            f
            for f in check_input.draft.facts.values()
            if _is_checked_fact(f) and _breaks_axiom(f, form, check_input.draft)
        ]
        for fact in facts[:_MAX_SHOWN]:
            yield FoundConflict(
                "breaks_axiom", f"{check_input.attribution(fact)} “{fact.statement}” That breaks it.", fact
            )


def axiom_notes(check_input: CheckInput) -> Iterator[str]:
    """Note broken rules that are only preferences, and a new rule that code cannot check."""
    for axiom in _axioms_broken_by(check_input):
        if axiom.severity != MUST_SEVERITY:
            yield f"It is against “{axiom.statement}” ({axiom.severity or 'a wish'})."
    if isinstance(check_input.proposal.change, NoteAxiom) and check_input.fact.form is None:
        yield UNCHECKED


def find_axioms_broken_at_creation(
    change: CreateEntity, entity: Entity, draft: CanonDraft
) -> Iterator[FoundConflict]:
    """Find rules that a new entity breaks by its first values."""
    for axiom, form in _checkable_axioms(draft):
        initial_values = [*((IS, tag) for tag in change.tags), *change.numbers.items()]
        for predicate, value in initial_values:
            same = predicate == form.predicate and (form.value is None or same_value(form.value, value))
            if same and not _has_object_terms(form) and _fits_terms(entity, *_subject_terms(form)):
                yield FoundConflict("breaks_axiom", f"A rule of this world: “{axiom.statement}”", axiom)


def _axioms_broken_by(check_input: CheckInput) -> Iterator[Fact]:
    if is_true(check_input.fact) and check_input.fact.kind is not FactKind.AXIOM:
        for axiom, form in _checkable_axioms(check_input.draft):
            if _breaks_axiom(check_input.fact, form, check_input.draft):
                yield axiom


def _checkable_axioms(draft: CanonDraft) -> Iterator[tuple[Fact, AxiomForm]]:
    for fact in draft.axioms():
        if fact.form is not None and is_open(fact) and is_true(fact):
            yield fact, fact.form


def _is_checked_fact(fact: Fact) -> bool:
    return fact.kind is not FactKind.AXIOM and is_open(fact) and is_true(fact)


def _breaks_axiom(fact: Fact, form: AxiomForm, draft: CanonDraft) -> bool:
    return any(_matches_form(reading, form, draft) for reading in _all_readings(fact, draft))


def _matches_form(reading: FactReading, form: AxiomForm, draft: CanonDraft) -> bool:
    if reading.predicate != form.predicate or reading.subject is None:
        return False
    if form.value is not None and not same_value(form.value, reading.value):
        return False
    subject = draft.entities.get(reading.subject)
    if subject is None or not _fits_terms(subject, *_subject_terms(form)):
        return False
    if _has_object_terms(form):
        object_entity = draft.entities.get(reading.object) if reading.object else None
        if object_entity is None or not _fits_terms(
            object_entity, form.object_id, form.object_kind, form.object_tag
        ):
            return False
    return form.unless is None or not _meets_requirement(subject, form.unless, draft)


def _all_readings(fact: Fact, draft: CanonDraft) -> Iterator[FactReading]:
    """Read the fact from each end that it can be read from."""
    literal_reading = FactReading(fact.predicate, fact.entity(SUBJECT), fact.entity(OBJECT), fact.value)
    canonical_reading = read_fact(fact, draft.catalogue)
    reversed_reading = canonical_reading._replace(
        subject=canonical_reading.object, object=canonical_reading.subject
    )
    inverses = (
        reversed_reading._replace(predicate=name)
        for name in sorted(draft.catalogue.inverse_predicates(canonical_reading.predicate))
    )
    both_ways = [reversed_reading] if draft.catalogue[canonical_reading.predicate].symmetric else []
    yield from dict.fromkeys([literal_reading, canonical_reading, *both_ways, *inverses])


def _meets_requirement(entity: Entity, requirement: Requirement, draft: CanonDraft) -> bool:
    """Say whether the entity bears what a rule asks for, now."""
    for fact in draft.facts_under(requirement.predicate, entity.id):
        reading = read_fact(fact, draft.catalogue)
        if reading.subject == entity.id and is_open(fact) and is_true(fact):
            is_value_met = requirement.value is None or same_value(requirement.value, reading.value)
            if is_value_met and requirement.object_id in (None, reading.object):
                return True
    tag = str(requirement.value).casefold() if requirement.predicate == IS else ""
    sheet_value = sheet_value_of(entity, FactKey(requirement.predicate, entity.id, tag), draft.catalogue)
    if requirement.object_id is not None or sheet_value is None:
        return False
    return bool(tag) or requirement.value is None or same_value(requirement.value, sheet_value)


def _subject_terms(form: AxiomForm) -> tuple[Id | None, EntityKind | None, str]:
    return form.subject_id, form.subject_kind, form.subject_tag


def _has_object_terms(form: AxiomForm) -> bool:
    return bool(form.object_id or form.object_kind or form.object_tag)


def _fits_terms(entity: Entity, entity_id: Id | None, kind: EntityKind | None, tag: str) -> bool:
    tags = {t.casefold() for t in entity.tags}
    return (
        entity_id in (None, entity.id) and kind in (None, entity.kind) and (not tag or tag.casefold() in tags)
    )
