"""Reads the past of canon: one value through world time, and all of canon as known at a moment.

World time is ticks (minutes); record time is when it was written down. Canon keeps the last word on each
fact, the log of commits every word: what was known at a moment is what the commits up to then leave.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from agents.canon_keeper.fact_readings import (
    IS,
    IS_NOT,
    OCCURRENCE_KINDS,
    SUBJECT,
    fact_key_of,
    is_in_force,
    read_fact,
)
from agents.canon_keeper.universe_policy import ReadPolicy
from stores.ports import CanonReader, LogReader
from stores.queries import FactQuery, FactsAboutQuery
from stores.records.canon import Fact, FactChange, FactStatus
from stores.records.ids import Id
from stores.records.workflow import Canonization, CanonizationState

_COMMITTED_STATES = (CanonizationState.WRITTEN, CanonizationState.CLOSED)


class CanonHistoryReader:
    """Reads the past of canon. Writes nothing."""

    def __init__(self, canon: CanonReader, log: LogReader, read_policy: ReadPolicy) -> None:
        self._canon = canon
        self._log = log
        self._read_policy = read_policy

    async def read_fact_history(self, fact: Fact) -> list[Fact]:
        """Return how what a fact tells of came to be so and went on, in the order of world time.

        All values of its predicate for its subject (or of its tag), and whatever ended or replaced any of
        them.
        """
        catalogue = (await self._read_policy(fact.universe_id)).catalogue
        reading = read_fact(fact, catalogue)
        has_value = reading.value is not None or reading.object is not None
        facts_by_id = {fact.id: fact}
        if has_value and reading.subject is not None and fact.kind not in OCCURRENCE_KINDS:
            tag = fact_key_of(fact, catalogue) if reading.predicate in (IS, IS_NOT) else None
            names = (IS, IS_NOT) if tag else (reading.predicate,)
            predicate_facts = [
                f for name in names for f in await self.read_predicate_history(reading.subject, name)
            ]
            facts_by_id |= {
                f.id: f for f in predicate_facts if tag is None or fact_key_of(f, catalogue) == tag
            }
        facts_by_id |= await self._read_supersession_chain(facts_by_id.values())
        return sorted(facts_by_id.values(), key=_world_time_key)

    async def _read_supersession_chain(self, facts: Iterable[Fact]) -> dict[Id, Fact]:
        """Return what superseded these facts and what they superseded, and so on to both ends."""
        pending_ids, chain_facts = [f.id for f in facts], dict[Id, Fact]()
        while pending_ids:
            fact_id = pending_ids.pop()
            for other in (*await self._canon.superseded_by(fact_id), *await self._canon.supersedes(fact_id)):
                if other.id not in chain_facts:
                    chain_facts[other.id] = other
                    pending_ids.append(other.id)
        return chain_facts

    async def read_predicate_history(self, entity_id: Id, predicate: str) -> list[Fact]:
        """Return every fact about a subject under one predicate, from either end, in world-time order.

        Retconned facts are included, with their status.
        """
        catalogue = (await self._read_policy((await self._canon.entity(entity_id)).universe_id)).catalogue
        canonical = catalogue[predicate].inverse_of or predicate
        names = {canonical, *catalogue.inverse_predicates(canonical)}
        facts_by_id: dict[Id, Fact] = {}
        for name in sorted(names):
            for fact in await self._canon.facts_about(
                entity_id, FactsAboutQuery(predicate=name, history=True)
            ):
                reading = read_fact(fact, catalogue)
                is_reversible = canonical != predicate or catalogue[canonical].symmetric
                if entity_id in (reading.subject, reading.object if is_reversible else fact.entity(SUBJECT)):
                    facts_by_id[fact.id] = fact
        return sorted(facts_by_id.values(), key=_world_time_key)

    async def read_facts_known_at(
        self, universe_id: Id, moment: datetime, *, tick: int | None = None
    ) -> list[Fact]:
        """Return what canon held true at a moment of record time (UTC), each fact as it stood then.

        With `tick`, only what it held to be so at that world time. Raises StoreError.
        """
        commits = await self._log.canonizations(universe_id=universe_id, states=_COMMITTED_STATES)
        current_facts = await self._canon.facts(universe_id, FactQuery(history=True, limit=1_000_000))
        facts_by_id = {
            f.id: f for f in _facts_before_commits(current_facts, commits) if f.recorded_at <= moment
        }
        for commit in commits:
            if commit.created_at <= moment:
                facts_by_id.update({f.id: f for f in commit.batch.facts})
                for change in commit.batch.fact_changes:
                    if change.fact_id in facts_by_id:
                        facts_by_id[change.fact_id] = _with_change(facts_by_id[change.fact_id], change)
        return [f for f in facts_by_id.values() if is_in_force(f) and (tick is None or _holds_at(f, tick))]


def _facts_before_commits(facts: Iterable[Fact], commits: Iterable[Canonization]) -> Iterable[Fact]:
    """Yield facts that no commit in the log brought (an import's), as they were before any changed them."""
    committed_ids, changed_ids = set[Id](), set[Id]()
    for commit in commits:
        committed_ids |= {f.id for f in commit.batch.facts}
        changed_ids |= {c.fact_id for c in commit.batch.fact_changes}
    for fact in facts:
        if fact.id not in committed_ids:
            reopened_fields = {"status": FactStatus.CANONICAL, "valid_to": None, "closed": False}
            yield fact.model_copy(update=reopened_fields) if fact.id in changed_ids else fact


def _with_change(fact: Fact, change: FactChange) -> Fact:
    is_closed = fact.closed if change.closed is None else change.closed
    changed_fields = {"status": change.status, "valid_to": change.valid_to, "closed": is_closed}
    return fact.model_copy(update={**changed_fields, "secrecy": change.secrecy or fact.secrecy})


def _holds_at(fact: Fact, tick: int) -> bool:
    began = fact.valid_from is None or fact.valid_from <= tick
    return began and (fact.valid_to is None or tick < fact.valid_to)


def _world_time_key(fact: Fact) -> tuple[bool, int, datetime]:
    return fact.valid_from is not None, fact.valid_from or 0, fact.recorded_at
