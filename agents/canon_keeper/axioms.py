"""Rules of the world, as far as code can check them. The others are left to a reader, and say so.

Source: design/authority.md, "Contradictions": "axioms: those with a machine-checkable form".
"""

from __future__ import annotations

from collections.abc import Iterator

from agents.canon_keeper.bearing import borne
from agents.canon_keeper.predicates import same_value
from agents.canon_keeper.readings import IS, OBJECT, SUBJECT, Reading, Slot, is_open, read, stands
from agents.canon_keeper.sight import Found, Sight
from agents.canon_keeper.world import World
from stores.records.canon import AxiomForm, CreateEntity, Fact, FactKind, NoteAxiom, Requirement
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind

MUST = "must"
"""The severity of a rule that is kept; what breaks a lesser one is only pointed out."""

UNCHECKED = "No form of this rule can be checked by the program: what breaks it is left to a reader."

_AT_MOST = 3
"""Facts shown that a new rule would make impossible."""


def broken(sight: Sight) -> Iterator[Found]:
    """Find rules that the claim breaks and, for a new rule, what breaks it already."""
    for axiom in _broken_by(sight):
        if axiom.severity == MUST:
            yield Found("breaks_axiom", f"A rule of this world: “{axiom.statement}”", axiom)
    form = sight.fact.form
    if form is not None:
        facts = [f for f in sight.world.facts.values() if _is_meant(f) and _breaks(f, form, sight.world)]
        for fact in facts[:_AT_MOST]:
            yield Found("breaks_axiom", f"{sight.who_says(fact)} “{fact.statement}” That breaks it.", fact)


def notes(sight: Sight) -> Iterator[str]:
    """Point out rules that are only wished for, and those that nobody can check here."""
    for axiom in _broken_by(sight):
        if axiom.severity != MUST:
            yield f"It is against “{axiom.statement}” ({axiom.severity or 'a wish'})."
    if isinstance(sight.proposal.change, NoteAxiom) and sight.fact.form is None:
        yield UNCHECKED


def broken_by_birth(change: CreateEntity, entity: Entity, world: World) -> Iterator[Found]:
    """Find rules that a new entity breaks by what it bears from the start."""
    for axiom, form in _rules(world):
        bears = [*((IS, tag) for tag in change.tags), *change.numbers.items()]
        for predicate, value in bears:
            same = predicate == form.predicate and (form.value is None or same_value(form.value, value))
            if same and not _names_object(form) and _fits(entity, *_subject_of(form)):
                yield Found("breaks_axiom", f"A rule of this world: “{axiom.statement}”", axiom)


def _broken_by(sight: Sight) -> Iterator[Fact]:
    if stands(sight.fact) and sight.fact.kind is not FactKind.AXIOM:
        for axiom, form in _rules(sight.world):
            if _breaks(sight.fact, form, sight.world):
                yield axiom


def _rules(world: World) -> Iterator[tuple[Fact, AxiomForm]]:
    for fact in world.axioms():
        if fact.form is not None and is_open(fact) and stands(fact):
            yield fact, fact.form


def _is_meant(fact: Fact) -> bool:
    return fact.kind is not FactKind.AXIOM and is_open(fact) and stands(fact)


def _breaks(fact: Fact, form: AxiomForm, world: World) -> bool:
    return any(_forbidden(said, form, world) for said in _readings(fact, world))


def _forbidden(said: Reading, form: AxiomForm, world: World) -> bool:
    if said.predicate != form.predicate or said.subject is None:
        return False
    if form.value is not None and not same_value(form.value, said.value):
        return False
    subject = world.entities.get(said.subject)
    if subject is None or not _fits(subject, *_subject_of(form)):
        return False
    if _names_object(form):
        other = world.entities.get(said.object) if said.object else None
        if other is None or not _fits(other, form.object_id, form.object_kind, form.object_tag):
            return False
    return form.unless is None or not _meets(subject, form.unless, world)


def _readings(fact: Fact, world: World) -> Iterator[Reading]:
    """Read the fact from each end that it can be read from."""
    plain = Reading(fact.predicate, fact.entity(SUBJECT), fact.entity(OBJECT), fact.value)
    said = read(fact, world.catalogue)
    turned = said._replace(subject=said.object, object=said.subject)
    inverses = (turned._replace(predicate=name) for name in sorted(world.catalogue.inverses(said.predicate)))
    both_ways = [turned] if world.catalogue[said.predicate].symmetric else []
    yield from dict.fromkeys([plain, said, *both_ways, *inverses])


def _meets(entity: Entity, needed: Requirement, world: World) -> bool:
    """Say whether the entity bears what a rule asks for, now."""
    for fact in world.said(needed.predicate, entity.id):
        said = read(fact, world.catalogue)
        if said.subject == entity.id and is_open(fact) and stands(fact):
            value = needed.value is None or same_value(needed.value, said.value)
            if value and needed.object_id in (None, said.object):
                return True
    tag = str(needed.value).casefold() if needed.predicate == IS else ""
    value_borne = borne(entity, Slot(needed.predicate, entity.id, tag), world.catalogue)
    if needed.object_id is not None or value_borne is None:
        return False
    return bool(tag) or needed.value is None or same_value(needed.value, value_borne)


def _subject_of(form: AxiomForm) -> tuple[Id | None, EntityKind | None, str]:
    return form.subject_id, form.subject_kind, form.subject_tag


def _names_object(form: AxiomForm) -> bool:
    return bool(form.object_id or form.object_kind or form.object_tag)


def _fits(entity: Entity, named: Id | None, kind: EntityKind | None, tag: str) -> bool:
    tags = {t.casefold() for t in entity.tags}
    return named in (None, entity.id) and kind in (None, entity.kind) and (not tag or tag.casefold() in tags)
