"""Who knows what: since when, from whom, and whether they have it right. Read-only.

A belief is measured against canon when it is asked for, and never stored as right or wrong: canon may change,
and canon is not touched by what anybody believes. Source: design/product.md, "Truth against belief".
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.canon_keeper.fact_claims import fact_id_of
from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.memory_manager.claims import Claims
from agents.memory_manager.counting import counted
from agents.memory_manager.decay import is_forgotten, retention
from agents.memory_manager.scenes import names_of_all
from agents.memory_manager.staged import fact_of
from stores.errors import NotFound
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact, FactStatus, Standing, normal
from stores.records.ids import Id
from stores.records.ledger import ProposalStatus
from stores.records.memory import How, Memory

WAITING = (ProposalStatus.PENDING, ProposalStatus.DEFERRED)


@dataclass(frozen=True, slots=True)
class Knows:
    """Somebody has it that way. `since` is world time (ticks); `told_by` from whom they have it; `mistaken`:
    they have it otherwise than canon; `forgotten`: it has faded below what is recalled. `memory` is the one
    that it stands in."""

    entity_id: Id
    since: int
    how: How
    memory: Memory
    told_by: Id | None = None
    mistaken: bool = False
    forgotten: bool = False


@dataclass(frozen=True, slots=True)
class Belief:
    """A memory beside the truth: how much of it is left, what canon says of the same (None: nothing), and
    whether they agree (None: nobody can tell)."""

    memory: Memory
    retention: float
    forgotten: bool
    truth: Fact | None = None
    agrees: bool | None = None


class Knowledge:
    """Answers who knows and believes what. Stateless."""

    def __init__(self, canon: CanonReader, log: LogReader, catalogue: ReadCatalogue) -> None:
        self._canon = canon
        self._log = log
        self._catalogue = catalogue

    async def who_knows(self, fact_id: Id, now: int | None = None) -> list[Knows]:
        """Return who knows of a fact, the first to know first; `now` (ticks) is when it is asked, by default
        as late as play has come in its universe. A fact that is only proposed may be asked for too."""
        memories = await self._log.memories(fact_id=fact_id)
        if not memories:
            return []
        universe_id = memories[0].universe_id
        facts, waiting, named, catalogue, own = await gather(
            self._canon.facts_by_id([fact_id]),
            self._log.proposals(universe_id=universe_id, statuses=WAITING),
            names_of_all(universe_id, self._canon, self._log),
            self._catalogue(universe_id),
            self.valid(memories),
        )
        now = await self.now(universe_id) if now is None else now
        proposed = (fact_of(p, {}, catalogue) for p in waiting if fact_id_of(p) == fact_id)
        fact, claims = facts.get(fact_id) or next(proposed, None), Claims(catalogue)
        by_whom: dict[Id, list[Knows]] = {}
        for memory in own:
            agrees = _agrees(memory, fact, claims, named) if fact else not memory.mistaken
            by_whom.setdefault(memory.entity_id, []).append(
                Knows(
                    memory.entity_id,
                    memory.tick,
                    memory.how,
                    memory,
                    memory.told_by,
                    mistaken=agrees is False,
                    forgotten=is_forgotten(memory, now),
                )
            )
        found = [_best(rows) for rows in by_whom.values()]
        return sorted(found, key=lambda k: (k.since, k.memory.created_at, k.entity_id))

    async def believes(self, entity_id: Id, now: int | None = None) -> list[Belief]:
        """Return all that somebody remembers, oldest first, beside the truth; without what was corrected."""
        memories = await self.valid(await self._log.memories(entity_id))
        return await self._judged(memories, now)

    async def beliefs_about(self, universe_id: Id, about: str, now: int | None = None) -> list[Belief]:
        """Return what anybody believes about an entity (by identifier) or with these words, oldest first."""
        every = await self._log.memories(universe_id=universe_id)
        wanted = normal(about).split()
        meant = [
            m
            for m in every
            if about in m.about or (wanted and all(w in normal(m.text).split() for w in wanted))
        ]
        return await self._judged(await self.valid(meant), now)

    async def valid(self, memories: Sequence[Memory]) -> list[Memory]:
        """Return the memories that count: lived on the line, not faded to nothing, not corrected since."""
        return await counted(self._log, memories)

    async def now(self, universe_id: Id) -> int:
        """Return the latest world time (ticks) that play stands at in a universe."""
        latest = 0
        for story in await self._log.stories(universe_id):
            for scene in (await self._log.scenes(story.id))[-1:]:
                try:
                    head = await self._log.turn(scene.head) if scene.head else None
                except NotFound:
                    head = None
                latest = max(latest, head.tick if head else scene.tick)
        return latest

    async def _judged(self, memories: Sequence[Memory], now: int | None) -> list[Belief]:
        if not memories:
            return []
        universe_id = memories[0].universe_id
        catalogue, named = await gather(
            self._catalogue(universe_id), names_of_all(universe_id, self._canon, self._log)
        )
        at = await self.now(universe_id) if now is None else now
        linked = await self._canon.facts_by_id({m.linked_fact_id for m in memories if m.linked_fact_id})
        later = await self._now_instead(linked.values())
        claims = Claims(catalogue)
        found = []
        for memory in memories:
            fact = linked.get(memory.linked_fact_id or "")
            truth = later.get(fact.id, fact) if fact else None
            agrees = _agrees(memory, fact, claims, named) if fact else (False if memory.mistaken else None)
            if agrees and truth is not fact:
                agrees = False  # it was so then, and is not now
            found.append(Belief(memory, retention(memory, at), is_forgotten(memory, at), truth, agrees))
        return found

    async def _now_instead(self, facts: Iterable[Fact]) -> dict[Id, Fact]:
        """Return what is so now in the place of facts that are not so any more."""
        found: dict[Id, Fact] = {}
        for fact in facts:
            if fact.status is FactStatus.CANONICAL and fact.valid_to is None:
                continue
            newer = [f for f in await self._canon.superseded_by(fact.id) if f.status is FactStatus.CANONICAL]
            if newer:
                found[fact.id] = newer[-1]
        return found


def _agrees(memory: Memory, fact: Fact, claims: Claims, named: dict[str, Id]) -> bool | None:
    """Say whether a memory has the fact as canon has it."""
    if memory.mistaken:
        return False
    own = claims.of(memory.text, named, memory.told_by)
    so = claims.of_fact(fact, named)
    if any(c.meets(o) for c in own for o in so):
        return False
    if fact.status is FactStatus.RETCONNED or fact.standing is Standing.LIE:
        return False
    if fact.standing in (Standing.RUMOUR, Standing.DISPUTED):
        return None
    return True


def _best(rows: Sequence[Knows]) -> Knows:
    """Return how somebody stands to a fact: what they have right and still know comes first, and of that the
    earliest, for since then they know it."""
    return min(rows, key=lambda k: (k.mistaken, k.forgotten, k.since))
