"""How it used to be: one value through world time, and all of canon as it was known at a moment.

World time is ticks (minutes); record time is when it was written down. Canon keeps the last word on
each fact, the log of commits every word: what was known at a moment is what the commits up to then
leave. Source: design/ontology.md, "Time".
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from agents.canon_keeper.house import ReadHouse
from agents.canon_keeper.readings import IS, IS_NOT, OCCURRENCES, SUBJECT, is_in_force, read, slot_of
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact, FactChange, FactStatus
from stores.records.ids import Id
from stores.records.ledger import Canonization, CanonizationState

_DONE = (CanonizationState.WRITTEN, CanonizationState.CLOSED)


class Hindsight:
    """Reads the past of canon. Writes nothing."""

    def __init__(self, canon: CanonReader, log: LogReader, house: ReadHouse) -> None:
        self._canon = canon
        self._log = log
        self._house = house

    async def of_fact(self, fact: Fact) -> list[Fact]:
        """Return how what a fact tells of came to be so and went on, in the order of world time: all values
        of its predicate for its subject (or of its tag), and whatever ended or replaced any of them."""
        catalogue = (await self._house(fact.universe_id)).catalogue
        said = read(fact, catalogue)
        valued = said.value is not None or said.object is not None
        found = {fact.id: fact}
        if valued and said.subject is not None and fact.kind not in OCCURRENCES:
            tag = slot_of(fact, catalogue) if said.predicate in (IS, IS_NOT) else None
            names = (IS, IS_NOT) if tag else (said.predicate,)
            told = [f for name in names for f in await self.how_it_was(said.subject, name)]
            found |= {f.id: f for f in told if tag is None or slot_of(f, catalogue) == tag}
        found |= await self._chain(found.values())
        return sorted(found.values(), key=_in_world_time)

    async def _chain(self, facts: Iterable[Fact]) -> dict[Id, Fact]:
        """Return what superseded these facts and what they superseded, and so on to both ends."""
        waiting, seen = [f.id for f in facts], dict[Id, Fact]()
        while waiting:
            fact_id = waiting.pop()
            for other in (*await self._canon.superseded_by(fact_id), *await self._canon.supersedes(fact_id)):
                if other.id not in seen:
                    seen[other.id] = other
                    waiting.append(other.id)
        return seen

    async def how_it_was(self, entity_id: Id, predicate: str) -> list[Fact]:
        """Return all that was ever said of a subject under one predicate (from either end), in the order
        of world time; retconned facts too, with their status."""
        catalogue = (await self._house((await self._canon.entity(entity_id)).universe_id)).catalogue
        canonical = catalogue[predicate].inverse_of or predicate
        names = {canonical, *catalogue.inverses(canonical)}
        found: dict[Id, Fact] = {}
        for name in sorted(names):
            for fact in await self._canon.facts_about(entity_id, predicate=name, history=True):
                said = read(fact, catalogue)
                turned = canonical != predicate or catalogue[canonical].symmetric
                if entity_id in (said.subject, said.object if turned else fact.entity(SUBJECT)):
                    found[fact.id] = fact
        return sorted(found.values(), key=_in_world_time)

    async def facts_known_at(
        self, universe_id: Id, moment: datetime, *, tick: int | None = None
    ) -> list[Fact]:
        """Return what canon held true at a moment of record time (UTC), each fact as it stood then.

        With `tick`, only what it held to be so at that world time. Raises StoreError.
        """
        commits = await self._log.canonizations(universe_id=universe_id, states=_DONE)
        now = await self._canon.facts(universe_id, history=True, limit=1_000_000)
        known = {f.id: f for f in _before_any_commit(now, commits) if f.recorded_at <= moment}
        for commit in commits:
            if commit.created_at <= moment:
                known.update({f.id: f for f in commit.batch.facts})
                for change in commit.batch.fact_changes:
                    if change.fact_id in known:
                        known[change.fact_id] = _changed(known[change.fact_id], change)
        return [f for f in known.values() if is_in_force(f) and (tick is None or _holds_at(f, tick))]


def _before_any_commit(facts: Iterable[Fact], commits: Iterable[Canonization]) -> Iterable[Fact]:
    """Yield facts that no commit in the log brought (an import's), as they were before any changed them."""
    brought, changed = set[Id](), set[Id]()
    for commit in commits:
        brought |= {f.id for f in commit.batch.facts}
        changed |= {c.fact_id for c in commit.batch.fact_changes}
    for fact in facts:
        if fact.id not in brought:
            open_again = {"status": FactStatus.CANONICAL, "valid_to": None, "closed": False}
            yield fact.model_copy(update=open_again) if fact.id in changed else fact


def _changed(fact: Fact, change: FactChange) -> Fact:
    closed = fact.closed if change.closed is None else change.closed
    return fact.model_copy(update={"status": change.status, "valid_to": change.valid_to, "closed": closed})


def _holds_at(fact: Fact, tick: int) -> bool:
    began = fact.valid_from is None or fact.valid_from <= tick
    return began and (fact.valid_to is None or tick < fact.valid_to)


def _in_world_time(fact: Fact) -> tuple[bool, int, datetime]:
    return fact.valid_from is not None, fact.valid_from or 0, fact.recorded_at
