"""Reads who of a universe is dead by canon."""

from __future__ import annotations

from agents.canon_keeper.fact_readings import ALIVE, SUBJECT, is_true_death
from stores.ports import CanonReader
from stores.queries import FactQuery
from stores.records.ids import Id


async def read_dead_ids(canon: CanonReader, universe_id: Id) -> frozenset[Id]:
    """Return who of a universe is dead by canon."""
    facts_of_life = await canon.facts(universe_id, FactQuery(predicate=ALIVE))
    return frozenset(filter(None, (f.entity(SUBJECT) for f in facts_of_life if is_true_death(f))))
