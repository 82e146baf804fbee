"""What a batch would do to canon, told in lines before anything is written: ends, retcons, what is new. Pure.

+ Mara is in Crypt.  from Day 3, 18:30
− Mara is in Chapel.  until Day 3, 18:30
✗ Mara is in Chapel.  was never so
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from agents.canon_keeper.fact_readings import OCCURRENCE_KINDS
from agents.world_time.calendar import format_clock_time
from stores.records.canon import CanonBatch, Fact, FactChange, FactStatus, Standing
from stores.records.ids import Id
from stores.records.world import Calendar, Entity, EntityStatus


def moment(calendar: Calendar, tick: int) -> str:
    """Return a tick as it can be typed again (`moments.read_moment`)."""
    return format_clock_time(calendar, tick) if tick >= 0 else str(tick)


def span(fact: Fact, calendar: Calendar) -> str:
    """Return the time of a fact to the minute: two that cannot both be so may be minutes apart."""
    if fact.valid_from is not None and fact.kind in OCCURRENCE_KINDS:
        return f"at {moment(calendar, fact.valid_from)}"
    words = []
    if fact.valid_from is not None:
        words.append(f"from {moment(calendar, fact.valid_from)}")
    if fact.valid_to is not None:
        words.append(f"until {moment(calendar, fact.valid_to)}")
    return " ".join(words)


def outlook(
    batch: CanonBatch, facts: Mapping[Id, Fact], entities: Mapping[Id, Entity], calendar: Calendar
) -> Iterator[str]:
    """Yield a line for each thing that the batch would change; `facts` and `entities` are those of canon."""
    for entity in batch.entities:
        yield from _entity(entity, entities, batch.entities)
    moved = {edge.older_id for edge in batch.supersedes if edge.older_id in facts}
    passed = {change.fact_id for change in batch.fact_changes} | {e.older_id for e in batch.supersedes}
    for fact in batch.facts:
        if fact.id not in passed and fact.status is FactStatus.CANONICAL:
            yield f"+ {fact.statement}{_bounds(fact, calendar)}"
    for change in batch.fact_changes:
        if change.fact_id in facts:
            yield from _change(change, facts[change.fact_id], change.fact_id in moved, calendar)


def _change(change: FactChange, fact: Fact, moved: bool, calendar: Calendar) -> Iterator[str]:
    if change.status is FactStatus.RETCONNED:
        yield f"✗ {fact.statement}  was never so"
    elif change.status is FactStatus.CANONICAL and fact.status is not FactStatus.CANONICAL:
        yield f"+ {fact.statement}  is so again"
    elif change.valid_to is not None and change.valid_to != fact.valid_from:
        yield f"− {fact.statement}  until {moment(calendar, change.valid_to)}"
    elif moved:
        yield f"− {fact.statement}  gives way"


def _entity(entity: Entity, entities: Mapping[Id, Entity], changed: Iterable[Entity]) -> Iterator[str]:
    before = entities.get(entity.id)
    if entity.status is EntityStatus.MERGED:
        kept = next((e for e in (*changed, *entities.values()) if e.id == entity.merged_into), entity)
        yield f"= “{entity.name}” is {kept.name}: what is told of the one is told of the other"
        return
    if before is None:
        yield f"+ {entity.name}  a new {entity.kind}"
        return
    gained = [name for name in entity.aliases if name not in before.aliases]
    if gained:
        yield f"+ {entity.name} is also called {', '.join(gained)}"


def _bounds(fact: Fact, calendar: Calendar) -> str:
    words = []
    if fact.standing is not Standing.TRUE:
        words.append("disputed" if fact.standing is Standing.DISPUTED else f"as a {fact.standing}")
    if time := span(fact, calendar):
        words.append(time)
    return f"  {', '.join(words)}" if words else ""
