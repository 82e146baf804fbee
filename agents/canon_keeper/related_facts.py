"""Reads the facts that show who was where and when: stays, births, deeds, rules, nested places.

Only what a proposal makes necessary: most say nothing of a place or of the past.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, assert_never

from agents.canon_keeper.fact_readings import ALIVE, LOCATED_IN, OCCURRENCE_KINDS, PART_OF
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposal_subjects import (
    causes_of,
    current_entity,
    is_about_the_past,
    is_outcome,
    is_premise,
)
from stores.ports import CanonReader
from stores.queries import FactQuery, FactsAboutQuery, FactsQuery
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    Fact,
    FactKind,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    StateChange,
    UpdateEntity,
)
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

MAX_RELATED_FACTS = 10_000
_END_OF_TIME = 2**53
"""Later than any tick."""

_MEETING_PREDICATES = ("met", FactKind.ENCOUNTER.value)
_ANSWER_PREDICATES = ("said", FactKind.ASSERTION.value)


class _FactQuery(NamedTuple):
    who: Id
    predicate: str | None = None
    begins: tuple[int, int] | None = None


class RelatedFactsLoader:
    """Loads related facts and entities, and the places and deaths that a scene's play states.

    It adds to the given `facts` and `entities`.
    """

    def __init__(
        self,
        canon: CanonReader,
        catalogue: Catalogue,
        universe_id: Id,
        day: int,
        entities: dict[Id, Entity],
        facts: dict[Id, Fact],
    ) -> None:
        self._canon = canon
        self._catalogue = catalogue
        self._universe_id = universe_id
        self._day = day
        self._entities = entities
        self._facts = facts
        self.scenes_by_fact: dict[Id, frozenset[Id]] = {}

    async def read(self, proposals: Sequence[ProposedChange]) -> None:
        """Read what the proposals make necessary. Raises StoreError."""
        if not proposals:
            return
        is_fact_stated = any(isinstance(p.change, AssertFact | StateChange) for p in proposals)
        origins = self._catalogue.origin_predicates() if is_fact_stated else ()
        await self._read_all(
            FactsQuery(
                ids={fact_id for p in proposals for fact_id in causes_of(p.change)},
                about=self._about_queries(q for p in proposals for q in self._queries_for(p)),
                of_universe=[
                    FactQuery(kind=FactKind.AXIOM),
                    *(FactQuery(predicate=origin, history=True) for origin in origins),
                ],
            )
        )
        await self._read_facts(self._queries_for_axioms(proposals))
        await self._read_axiom_forms(proposals)
        await self._read_scenes(proposals)
        await self._read_surroundings(proposals)

    def _queries_for(self, proposal: ProposedChange) -> Iterator[_FactQuery]:
        change = proposal.change
        if not isinstance(change, AssertFact):
            return
        tick = proposal.tick if change.valid_from is None else change.valid_from
        involved_ids = [i.entity_id for i in change.involves if i.role != "location"]
        has_place = any(i.role == "location" for i in change.involves)
        predicate = self._catalogue[change.predicate]
        is_meeting = change.fact_kind is FactKind.ENCOUNTER
        if tick is None:
            return
        if change.fact_kind in OCCURRENCE_KINDS and (has_place or is_meeting) and not predicate.from_afar:
            yield from (_FactQuery(who, LOCATED_IN) for who in involved_ids)
        if change.fact_kind in OCCURRENCE_KINDS and has_place:
            yield from (_FactQuery(who, begins=(tick, tick)) for who in involved_ids)
        if predicate.origin:
            yield from (_FactQuery(who, begins=(-_END_OF_TIME, tick)) for who in involved_ids)
        is_later_relevant = is_about_the_past(proposal) or proposal.tick is None
        if is_later_relevant and (
            change.predicate == ALIVE or LOCATED_IN in self._catalogue.related_predicates(change.predicate)
        ):
            yield from (
                _FactQuery(who, begins=(tick, change.valid_to or _END_OF_TIME)) for who in involved_ids
            )
        if is_premise(proposal):
            yield from self._queries_around(change, involved_ids, tick)

    def _queries_around(self, change: AssertFact, involved_ids: list[Id], tick: int) -> Iterator[_FactQuery]:
        is_meeting = change.fact_kind is FactKind.ENCOUNTER or change.predicate in _MEETING_PREDICATES
        is_answer = change.fact_kind is FactKind.ASSERTION or change.predicate in _ANSWER_PREDICATES
        for who in involved_ids if is_meeting or is_answer else ():
            yield _FactQuery(who, begins=(tick - self._day, tick + self._day))
            yield from (
                _FactQuery(who, name) for name in (_MEETING_PREDICATES if is_meeting else _ANSWER_PREDICATES)
            )

    def _queries_for_axioms(self, proposals: Sequence[ProposedChange]) -> Iterator[_FactQuery]:
        """Ask what the rules need to know of those who might break them."""
        forms = [f.form for f in self._facts.values() if f.form is not None]
        for proposal in proposals:
            change = proposal.change
            match change:
                case AssertFact():
                    predicates, entity_ids = {change.predicate}, [i.entity_id for i in change.involves]
                case StateChange():
                    predicates, entity_ids = {change.key}, [change.entity_id]
                case (
                    CreateEntity()
                    | UpdateEntity()
                    | MergeEntities()
                    | EndFact()
                    | RetconFact()
                    | ChangeSecrecy()
                    | AdvanceClock()
                    | NoteAxiom()
                ):
                    continue
                case _:
                    assert_never(change)
            predicates = {r for name in predicates for r in self._catalogue.related_predicates(name)}
            for form in forms:
                if form.unless is not None and (
                    form.predicate in predicates or isinstance(change, StateChange)
                ):
                    yield from (_FactQuery(entity_id, form.unless.predicate) for entity_id in entity_ids)

    async def _read_axiom_forms(self, proposals: Sequence[ProposedChange]) -> None:
        """Read what a new rule might make impossible."""
        axioms = [p.change for p in proposals if isinstance(p.change, NoteAxiom)]
        forms = [axiom.form for axiom in axioms if axiom.form is not None]
        names = sorted({r for form in forms for r in self._catalogue.related_predicates(form.predicate)})
        if forms:
            await self._read_all(
                FactsQuery(
                    of_universe=[
                        *(FactQuery(predicate=name, limit=MAX_RELATED_FACTS) for name in names),
                        *(FactQuery(predicate=f.unless.predicate) for f in forms if f.unless is not None),
                    ]
                )
            )
            people = {i.entity_id for f in self._facts.values() for i in f.involves} - self._entities.keys()
            self._entities.update(await self._canon.entities_by_id(people))

    async def _read_scenes(self, proposals: Sequence[ProposedChange]) -> None:
        ticks = {p.tick for p in proposals} | {
            p.change.valid_from for p in proposals if isinstance(p.change, AssertFact)
        }
        placed_facts = [f for f in self._facts.values() if f.entity("location") and f.valid_from in ticks]
        if any(map(is_outcome, proposals)):
            placed_facts += [f for f in self._facts.values() if f.predicate == ALIVE]
        if not placed_facts:
            return
        evidence_by_fact = await self._canon.evidence_of_all({fact.id for fact in placed_facts})
        for fact in placed_facts:
            self.scenes_by_fact[fact.id] = frozenset(
                evidence.scene_id for evidence in evidence_by_fact.get(fact.id, ()) if evidence.scene_id
            )

    async def _read_surroundings(self, proposals: Sequence[ProposedChange]) -> None:
        """Read what the places lie in that are spoken of, up to the widest."""
        visited_ids: set[Id] = set()
        pending_ids = {place for p in proposals for place in self._named_places(p)}
        if not pending_ids:
            return
        pending_ids |= {i.entity_id for f in self._facts.values() if _is_stay(f) for i in f.involves}
        while pending_ids:
            visited_ids |= pending_ids
            containing_facts = await self._read_facts(
                _FactQuery(place, name) for place in pending_ids for name in (LOCATED_IN, PART_OF)
            )
            pending_ids = {
                i.entity_id
                for f in containing_facts
                for i in f.involves
                if f.entity("subject") in visited_ids
            } - visited_ids

    def _named_places(self, proposal: ProposedChange) -> Iterable[Id]:
        change = proposal.change
        if not isinstance(change, AssertFact):
            return ()
        is_location = LOCATED_IN in self._catalogue.related_predicates(change.predicate)
        roles: tuple[str, ...] = ("object", "location") if is_location else ("location",)
        if change.fact_kind is FactKind.ENCOUNTER:
            roles = ("subject", "object", "location")
        return [i.entity_id for i in change.involves if i.role in roles]

    async def _read_facts(self, queries: Iterable[_FactQuery]) -> list[Fact]:
        about_queries = self._about_queries(queries)
        return await self._read_all(FactsQuery(about=about_queries)) if about_queries else []

    def _about_queries(self, queries: Iterable[_FactQuery]) -> list[tuple[Id, FactsAboutQuery]]:
        distinct_queries = {q._replace(who=self._current_id(q.who)) for q in queries}
        return [
            (
                q.who,
                FactsAboutQuery(
                    predicate=q.predicate, history=True, begins_within=q.begins, limit=MAX_RELATED_FACTS
                ),
            )
            for q in sorted(distinct_queries, key=str)
        ]

    async def _read_all(self, query: FactsQuery) -> list[Fact]:
        matching_facts = await self._canon.facts_of_all(self._universe_id, query)
        self._add_facts(matching_facts)
        return matching_facts

    def _current_id(self, entity_id: Id) -> Id:
        merged_entity = current_entity(entity_id, self._entities)
        return merged_entity.id if merged_entity is not None else entity_id

    def _add_facts(self, facts: Iterable[Fact]) -> None:
        self._facts.update({fact.id: fact for fact in facts})


def _is_stay(fact: Fact) -> bool:
    return fact.predicate in (LOCATED_IN, "contains") or fact.entity("location") is not None
