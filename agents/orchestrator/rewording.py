"""Whom a statement involves once its words were changed. Pure. Source: design/interface.md, key `e`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.canon_keeper.readings import SUBJECT
from agents.orchestrator.declare import FindEntity, mentioned
from stores.records.canon import AssertFact, Involvement, NoteAxiom, Payload
from stores.records.world import Entity

_TELLING = (SUBJECT, "participant")
"""The roles of a free sentence; any other belongs to a predicate, and its statement needs them all."""


async def involving(change: Payload, before: Payload, find: FindEntity) -> Payload:
    """Return `change` with those involved whom its words name now, and `before` did not.

    Who is named still keeps their role, as does who never was named (those present at a scene's outcome);
    who is named instead of another takes their place. Words that name nobody change nothing.
    """
    if not (isinstance(change, AssertFact | NoteAxiom) and isinstance(before, AssertFact | NoteAxiom)):
        return change
    was = await mentioned(before.statement, find)
    now = await mentioned(change.statement, find)
    if not now:
        return change
    return change.model_copy(update={"involves": tuple(_involves(change, was, now))})


def _involves(
    change: AssertFact | NoteAxiom, was: Sequence[Entity], now: Sequence[Entity]
) -> list[Involvement]:
    named, known = {e.id for e in now}, {i.entity_id for i in change.involves}
    dropped = {e.id: e for e in was if e.id not in named}
    new = [e for e in now if e.id not in known]
    free = all(i.role in _TELLING for i in change.involves) and getattr(change, "value", None) is None

    def kept() -> Iterator[Involvement]:
        for one in change.involves:
            gone = dropped.get(one.entity_id)
            instead = next((e for e in new if gone and e.kind is gone.kind), None)
            if instead is not None:
                new.remove(instead)
                yield one.model_copy(update={"entity_id": instead.id})
            elif gone is None or not free:
                yield one

    roles = list(kept())
    if free and not any(i.role == SUBJECT for i in roles):
        first = Involvement(role=SUBJECT, entity_id=now[0].id)
        roles = [first, *(i for i in roles if i.entity_id != first.entity_id)]
    there = {i.entity_id for i in roles}
    return [*roles, *(Involvement(role="participant", entity_id=e.id) for e in new if e.id not in there)]
