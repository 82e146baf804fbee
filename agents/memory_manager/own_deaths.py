"""Tells the facts of somebody's own death, which they do not remember. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from agents.canon_keeper.fact_readings import ALIVE, SUBJECT
from agents.canon_keeper.sentences.killings import find_killers
from agents.prose.cast_reader import CastReader
from agents.prose.death_phrases import TELLS_DEATH
from agents.prose.mentions import Figure
from stores.records.canon import Fact, Standing
from stores.records.ids import Id


def is_death_of(fact: Fact, entity_id: Id) -> bool:
    """Say whether a fact is that somebody died, also if it was replaced or taken back since: a rumour may be heard."""
    is_death = fact.predicate == ALIVE and fact.value is False and fact.standing is Standing.TRUE
    return is_death and fact.entity(SUBJECT) == entity_id


def is_killing(fact: Fact, entity_id: Id) -> bool:
    """Say whether a fact tells of a killing in which somebody has a part: their own, in a turn by which they die."""
    return entity_id in {i.entity_id for i in fact.involves} and bool(find_killers(fact.statement, ()))


def tells_death_of(fact: Fact, names: Sequence[str]) -> bool:
    """Say whether a true fact tells in its words that whoever has these names died, and perhaps other things, too."""
    if fact.standing is not Standing.TRUE or not names or not TELLS_DEATH.search(fact.statement):
        return False
    return _names_die_in(fact.statement, tuple(names))


@lru_cache(maxsize=1_024)
def _names_die_in(statement: str, names: tuple[str, ...]) -> bool:
    return bool(CastReader([Figure(names)]).find_deaths(statement, is_gm=True))
