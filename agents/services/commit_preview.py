"""What a batch would do to canon, told in lines before anything is written: ends, retcons, what is new. Pure.

+ Mara is in Crypt.  from Day 3, 18:30
− Mara is in Chapel.  until Day 3, 18:30
✗ Mara is in Chapel.  was never true
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from agents.canon_keeper.fact_readings import OCCURRENCE_KINDS
from agents.world_time.calendar import format_clock_time, format_tick, minutes_per_day
from stores.records.canon import CanonBatch, Fact, FactChange, FactStatus, Standing
from stores.records.ids import Id
from stores.records.world import Calendar, Entity, EntityStatus


def format_typed_moment(calendar: Calendar, tick: int) -> str:
    """Return a tick in a form that can be typed again, and that `read_moment` reads as the same tick."""
    if tick >= 0:
        return format_clock_time(calendar, tick)
    days, odd_minutes = divmod(-tick, minutes_per_day(calendar))
    if odd_minutes:
        return str(tick)  # no words name a minute of a day before the first
    return f"{days:,} day{'s' if days > 1 else ''} before {calendar.day_word} {calendar.first_day}"


def format_moment(calendar: Calendar, tick: int) -> str:
    """Return a tick to the minute; before the first day, as days or years before it."""
    return format_clock_time(calendar, tick) if tick >= 0 else format_tick(calendar, tick)


def format_fact_span(fact: Fact, calendar: Calendar) -> str:
    """Return the time of a fact to the minute, since two conflicting facts may be minutes apart."""
    if fact.valid_from is not None and fact.kind in OCCURRENCE_KINDS:
        return f"at {format_moment(calendar, fact.valid_from)}"
    parts = []
    if fact.valid_from is not None:
        parts.append(f"from {format_moment(calendar, fact.valid_from)}")
    if fact.valid_to is not None:
        parts.append(f"until {format_moment(calendar, fact.valid_to)}")
    return " ".join(parts)


def preview_batch(
    batch: CanonBatch, facts: Mapping[Id, Fact], entities: Mapping[Id, Entity], calendar: Calendar
) -> Iterator[str]:
    """Yield a line for each change that the batch would make; `facts` and `entities` are those of canon."""
    for entity in batch.entities:
        yield from _describe_entity_change(entity, entities, batch.entities)
    superseded_ids = {edge.older_id for edge in batch.supersedes if edge.older_id in facts}
    changed_ids = {change.fact_id for change in batch.fact_changes} | {e.older_id for e in batch.supersedes}
    for fact in batch.facts:
        if fact.id not in changed_ids and fact.status is FactStatus.CANONICAL:
            yield f"+ {fact.statement}{_describe_bounds(fact, calendar)}"
    for change in batch.fact_changes:
        if change.fact_id in facts:
            yield from _describe_fact_change(
                change, facts[change.fact_id], change.fact_id in superseded_ids, calendar
            )


def _describe_fact_change(
    change: FactChange, fact: Fact, is_superseded: bool, calendar: Calendar
) -> Iterator[str]:
    if change.status is FactStatus.RETCONNED:
        yield f"✗ {fact.statement}  was never true"
    elif change.status is FactStatus.CANONICAL and fact.status is not FactStatus.CANONICAL:
        yield f"+ {fact.statement}  is true again"
    elif change.valid_to is not None and change.valid_to != fact.valid_from:
        yield f"− {fact.statement}  until {format_moment(calendar, change.valid_to)}"
    elif is_superseded:
        yield f"− {fact.statement}  is replaced"
    if change.secrecy is not None:
        yield f"~ {fact.statement}  {'open to all' if change.secrecy.is_revealed else 'a secret: who knows it changes'}"


def _describe_entity_change(
    entity: Entity, entities: Mapping[Id, Entity], changed_entities: Iterable[Entity]
) -> Iterator[str]:
    entity_before = entities.get(entity.id)
    if entity.status is EntityStatus.MERGED:
        surviving_entity = next(
            (e for e in (*changed_entities, *entities.values()) if e.id == entity.merged_into), entity
        )
        yield f"= “{entity.name}” is {surviving_entity.name}: they share their facts from now on"
        return
    if entity_before is None:
        yield f"+ {entity.name}  a new {entity.kind}"
        return
    added_aliases = [name for name in entity.aliases if name not in entity_before.aliases]
    if added_aliases:
        yield f"+ {entity.name} is also called {', '.join(added_aliases)}"


def _describe_bounds(fact: Fact, calendar: Calendar) -> str:
    parts = []
    if fact.standing is not Standing.TRUE:
        parts.append("disputed" if fact.standing is Standing.DISPUTED else f"as a {fact.standing}")
    if fact.is_secret:
        parts.append("a secret")
    if span_text := format_fact_span(fact, calendar):
        parts.append(span_text)
    return f"  {', '.join(parts)}" if parts else ""
