"""Builds facts and entities for tests: `build_fact("ally_of", "Stint", "Hester")`. A name is its own id."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from typing import Any

from agents.canon_keeper.predicates import load_catalogue
from stores.records.canon import Fact, FactKind, FactValue, Involvement
from stores.records.world import Entity, EntityKind

UNIVERSE = "u"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
_CATALOGUE = load_catalogue()
_numbers = count()


def build_fact(
    predicate: str, subject: str, object_: str = "", *, value: FactValue | None = None, **fields: Any
) -> Fact:
    """Return a fact with the statement of the catalogue."""
    involves = [Involvement(role="subject", entity_id=subject)]
    if object_:
        involves.append(Involvement(role="object", entity_id=object_))
    statement = fields.pop("statement", "") or _CATALOGUE.phrase(predicate, subject, object_, value)
    kind = fields.pop("kind", FactKind.RELATION if object_ else FactKind.STATE)
    return Fact(
        id=f"f{next(_numbers)}",
        universe_id=UNIVERSE,
        kind=kind,
        predicate=predicate,
        statement=statement,
        involves=tuple(involves),
        value=value,
        recorded_at=NOW,
        **fields,
    )


def build_entity(name: str, kind: EntityKind = EntityKind.CHARACTER, **fields: Any) -> Entity:
    """Return an entity whose id is its name."""
    return Entity(id=name, universe_id=UNIVERSE, kind=kind, name=name, recorded_at=NOW, **fields)
