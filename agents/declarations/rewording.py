"""Updates whom a statement involves after its words changed. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.canon_keeper.fact_readings import SUBJECT
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentence_facts import read_sentence_fact
from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import build_name_book
from agents.declarations.reader import FindEntity, build_involvements, find_mentioned_entities
from agents.proposals.statements import STATED_PREDICATE
from stores.records.canon import AssertFact, FactKind, Involvement, NoteAxiom, Payload
from stores.records.world import Entity

_FREE_SENTENCE_ROLES = (SUBJECT, "participant")
"""The roles of a free sentence; any other belongs to a predicate, and its statement needs them all."""


async def update_involved(
    change: Payload, before: Payload, find: FindEntity, catalogue: Catalogue
) -> Payload:
    """Return `change` with those involved whom its words name now, and `before` did not.

    A fact that was read from a plain sentence is read anew from the words that it has now.

    Who is named still keeps their role, as does who never was named (those present at a scene's outcome);
    who is named instead of another takes their place. Words that name nobody change nothing.
    """
    if not (isinstance(change, AssertFact | NoteAxiom) and isinstance(before, AssertFact | NoteAxiom)):
        return change
    mentioned_before = await find_mentioned_entities(before.statement, find)
    mentioned_now = await find_mentioned_entities(change.statement, find)
    if isinstance(change, AssertFact) and isinstance(before, AssertFact):
        reread_fact = _reread(change, before, mentioned_before, mentioned_now, catalogue)
        if reread_fact is not None:
            return reread_fact
    if not mentioned_now:
        return change
    return change.model_copy(
        update={"involves": tuple(_updated_involvements(change, mentioned_before, mentioned_now))}
    )


def _is_read_from_sentence(fact: AssertFact, mentioned: Sequence[Entity], catalogue: Catalogue) -> bool:
    """Say whether the predicate of a fact is what its sentence was read as."""
    if fact.predicate == STATED_PREDICATE:
        return fact.fact_kind is FactKind.ATTRIBUTE
    reading = read_sentence_fact(fact.statement, mentioned, catalogue, fact.valid_from or 0)
    return reading is not None and (reading.predicate, reading.value) == (fact.predicate, fact.value)


def _reread(
    change: AssertFact,
    before: AssertFact,
    mentioned_before: Sequence[Entity],
    mentioned_now: Sequence[Entity],
    catalogue: Catalogue,
) -> AssertFact | None:
    """Return the fact that the new words state, if its predicate was read from the words before, else None.

    It is a mere sentence if the new words say something that is no fact of the catalogue.
    """
    if not _is_read_from_sentence(before, mentioned_before, catalogue):
        return None
    new_fact = read_sentence_fact(change.statement, mentioned_now, catalogue, change.valid_from or 0)
    if new_fact is not None:
        return change.model_copy(
            update={
                "fact_kind": new_fact.fact_kind,
                "predicate": new_fact.predicate,
                "value": new_fact.value,
                "involves": new_fact.involves,
            }
        )
    is_understood = read_statement(change.statement, build_name_book(mentioned_now)).is_compared
    if before.predicate == STATED_PREDICATE or not is_understood:
        return None
    involves = tuple(build_involvements(mentioned_now)) or change.involves
    return change.model_copy(
        update={
            "fact_kind": FactKind.ATTRIBUTE,
            "predicate": STATED_PREDICATE,
            "value": None,
            "involves": involves,
        }
    )


def _updated_involvements(
    change: AssertFact | NoteAxiom, mentioned_before: Sequence[Entity], mentioned_now: Sequence[Entity]
) -> list[Involvement]:
    named_ids, known_ids = {e.id for e in mentioned_now}, {i.entity_id for i in change.involves}
    dropped_by_id = {e.id: e for e in mentioned_before if e.id not in named_ids}
    added_entities = [e for e in mentioned_now if e.id not in known_ids]
    is_free_sentence = (
        all(i.role in _FREE_SENTENCE_ROLES for i in change.involves)
        and getattr(change, "value", None) is None
    )

    def kept_involvements() -> Iterator[Involvement]:
        for involvement in change.involves:
            dropped_entity = dropped_by_id.get(involvement.entity_id)
            replacement = next(
                (e for e in added_entities if dropped_entity and e.kind is dropped_entity.kind), None
            )
            if replacement is not None:
                added_entities.remove(replacement)
                yield involvement.model_copy(update={"entity_id": replacement.id})
            elif dropped_entity is None or not is_free_sentence:
                yield involvement

    involvements = list(kept_involvements())
    if is_free_sentence and not any(i.role == SUBJECT for i in involvements):
        subject = Involvement(role=SUBJECT, entity_id=mentioned_now[0].id)
        involvements = [subject, *(i for i in involvements if i.entity_id != subject.entity_id)]
    involved_ids = {i.entity_id for i in involvements}
    return [
        *involvements,
        *(
            Involvement(role="participant", entity_id=e.id)
            for e in added_entities
            if e.id not in involved_ids
        ),
    ]
