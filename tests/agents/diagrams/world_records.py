"""Records of a small world, for tests of diagrams."""

from __future__ import annotations

from datetime import UTC, datetime

from stores.records.canon import (
    AssertFact,
    Authority,
    CreateEntity,
    Fact,
    FactKind,
    Involvement,
    Standing,
)
from stores.records.ids import derive_id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityKind

AT = datetime(2026, 1, 1, tzinfo=UTC)
WORLD = derive_id("universe", "diagrams")


def entity(name: str, kind: EntityKind = EntityKind.CHARACTER, *, is_pc: bool = False) -> Entity:
    return Entity(id=name, universe_id=WORLD, kind=kind, name=name, is_pc=is_pc, recorded_at=AT)


def involves(subject: str, object_: str) -> tuple[Involvement, ...]:
    return Involvement(role="subject", entity_id=subject), Involvement(role="object", entity_id=object_)


def relation(
    subject: str,
    predicate: str,
    object_: str,
    *,
    standing: Standing = Standing.TRUE,
    valid_from: int | None = None,
) -> Fact:
    return Fact(
        id=f"{subject} {predicate} {object_}",
        universe_id=WORLD,
        kind=FactKind.RELATION,
        predicate=predicate,
        statement=f"{subject} {predicate} {object_}",
        involves=involves(subject, object_),
        standing=standing,
        valid_from=valid_from,
        recorded_at=AT,
    )


def proposed(change: AssertFact | CreateEntity) -> ProposedChange:
    return ProposedChange(
        id=derive_id("proposal", change.model_dump_json()),
        universe_id=WORLD,
        payload=change,
        authority=Authority.GM,
        created_at=AT,
    )


def proposed_relation(subject: str, predicate: str, object_: str) -> ProposedChange:
    return proposed(
        AssertFact(
            fact_kind=FactKind.RELATION,
            predicate=predicate,
            statement=f"{subject} {predicate} {object_}",
            involves=involves(subject, object_),
        )
    )
