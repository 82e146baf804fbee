"""What else must be read to see who was where and when: stays, births, deeds, rules, what lies in what.

Only what a proposal makes necessary: most say nothing of a place or of the past.
Source: design/authority.md, "Contradictions".
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agents.canon_keeper.naming import causes, is_about_the_past, is_outcome, is_premise, meant
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.readings import ALIVE, LOCATED_IN, OCCURRENCES, PART_OF
from stores.ports import CanonReader
from stores.records.canon import AssertFact, Fact, FactKind, NoteAxiom, StateChange
from stores.records.ids import Id
from stores.records.ledger import ProposedChange
from stores.records.world import Entity

MOST = 10_000
_EVER = 2**53
"""Later than any tick."""

_MEETINGS = ("met", FactKind.ENCOUNTER.value)
_ANSWERS = ("said", FactKind.ASSERTION.value)


class _Question(NamedTuple):
    who: Id
    predicate: str | None = None
    begins: tuple[int, int] | None = None


class Backdrop:
    """Reads into `facts` (and `entities`), and tells in `scenes` where deeds with a place were told, and
    deaths for a scene's outcome."""

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
        self.scenes: dict[Id, frozenset[Id]] = {}

    async def read(self, proposals: Sequence[ProposedChange]) -> None:
        """Read what the proposals make necessary. Raises StoreError."""
        if not proposals:
            return
        self._take(await self._canon.facts(self._universe_id, kind=FactKind.AXIOM))
        if any(isinstance(p.change, AssertFact | StateChange) for p in proposals):
            for origin in self._catalogue.origins():
                self._take(await self._canon.facts(self._universe_id, predicate=origin, history=True))
        named = {fact_id for p in proposals for fact_id in causes(p.change)}
        self._take((await self._canon.facts_by_id(named)).values())
        await self._ask(q for p in proposals for q in self._questions(p))
        await self._ask(self._what_rules_ask(proposals))
        await self._read_forms(proposals)
        await self._read_scenes(proposals)
        await self._read_surroundings(proposals)

    def _questions(self, proposal: ProposedChange) -> Iterator[_Question]:
        change = proposal.change
        if not isinstance(change, AssertFact):
            return
        when = proposal.tick if change.valid_from is None else change.valid_from
        everyone = [i.entity_id for i in change.involves if i.role != "location"]
        place = any(i.role == "location" for i in change.involves)
        predicate = self._catalogue[change.predicate]
        meeting = change.fact_kind is FactKind.ENCOUNTER
        if when is None:
            return
        if change.fact_kind in OCCURRENCES and (place or meeting) and not predicate.from_afar:
            yield from (_Question(who, LOCATED_IN) for who in everyone)
        if change.fact_kind in OCCURRENCES and place:
            yield from (_Question(who, begins=(when, when)) for who in everyone)
        if predicate.origin:
            yield from (_Question(who, begins=(-_EVER, when)) for who in everyone)
        later = is_about_the_past(proposal) or proposal.tick is None
        if later and (change.predicate == ALIVE or LOCATED_IN in self._catalogue.related(change.predicate)):
            yield from (_Question(who, begins=(when, change.valid_to or _EVER)) for who in everyone)
        if is_premise(proposal):
            yield from self._about_then(change, everyone, when)

    def _about_then(self, change: AssertFact, everyone: list[Id], when: int) -> Iterator[_Question]:
        meeting = change.fact_kind is FactKind.ENCOUNTER or change.predicate in _MEETINGS
        answer = change.fact_kind is FactKind.ASSERTION or change.predicate in _ANSWERS
        for who in everyone if meeting or answer else ():
            yield _Question(who, begins=(when - self._day, when + self._day))
            yield from (_Question(who, name) for name in (_MEETINGS if meeting else _ANSWERS))

    def _what_rules_ask(self, proposals: Sequence[ProposedChange]) -> Iterator[_Question]:
        """Ask what the rules need to know of those who might break them."""
        forms = [f.form for f in self._facts.values() if f.form is not None]
        for proposal in proposals:
            change = proposal.change
            match change:
                case AssertFact():
                    names, who = {change.predicate}, [i.entity_id for i in change.involves]
                case StateChange():
                    names, who = {change.key}, [change.entity_id]
                case _:
                    continue
            names = {r for name in names for r in self._catalogue.related(name)}
            for form in forms:
                if form.unless is not None and (form.predicate in names or isinstance(change, StateChange)):
                    yield from (_Question(entity_id, form.unless.predicate) for entity_id in who)

    async def _read_forms(self, proposals: Sequence[ProposedChange]) -> None:
        """Read what a new rule might make impossible."""
        axioms = [p.change for p in proposals if isinstance(p.change, NoteAxiom)]
        forms = [axiom.form for axiom in axioms if axiom.form is not None]
        for name in sorted({r for form in forms for r in self._catalogue.related(form.predicate)}):
            self._take(await self._canon.facts(self._universe_id, predicate=name, limit=MOST))
        for form in forms:
            if form.unless is not None:
                self._take(await self._canon.facts(self._universe_id, predicate=form.unless.predicate))
        if forms:
            people = {i.entity_id for f in self._facts.values() for i in f.involves} - self._entities.keys()
            self._entities.update(await self._canon.entities_by_id(people))

    async def _read_scenes(self, proposals: Sequence[ProposedChange]) -> None:
        ticks = {p.tick for p in proposals} | {
            p.change.valid_from for p in proposals if isinstance(p.change, AssertFact)
        }
        told = [f for f in self._facts.values() if f.entity("location") and f.valid_from in ticks]
        if any(map(is_outcome, proposals)):
            told += [f for f in self._facts.values() if f.predicate == ALIVE]
        for fact, evidence in zip(told, await gather(*map(self._evidence, told)), strict=True):
            self.scenes[fact.id] = evidence

    async def _evidence(self, fact: Fact) -> frozenset[Id]:
        return frozenset(e.scene_id for e in await self._canon.evidence_of(fact.id) if e.scene_id)

    async def _read_surroundings(self, proposals: Sequence[ProposedChange]) -> None:
        """Read what the places lie in that are spoken of, up to the widest."""
        known: set[Id] = set()
        waiting = {place for p in proposals for place in self._places_named(p)}
        if not waiting:
            return
        waiting |= {i.entity_id for f in self._facts.values() if _is_stay(f) for i in f.involves}
        while waiting:
            known |= waiting
            found = await self._ask(
                _Question(place, name) for place in waiting for name in (LOCATED_IN, PART_OF)
            )
            waiting = {i.entity_id for f in found for i in f.involves if f.entity("subject") in known} - known

    def _places_named(self, proposal: ProposedChange) -> Iterable[Id]:
        change = proposal.change
        if not isinstance(change, AssertFact):
            return ()
        here = LOCATED_IN in self._catalogue.related(change.predicate)
        roles: tuple[str, ...] = ("object", "location") if here else ("location",)
        if change.fact_kind is FactKind.ENCOUNTER:
            roles = ("subject", "object", "location")
        return [i.entity_id for i in change.involves if i.role in roles]

    async def _ask(self, questions: Iterable[_Question]) -> list[Fact]:
        asked = {q._replace(who=self._meant(q.who)) for q in questions}
        answers = await gather(
            *(
                self._canon.facts_about(
                    q.who, predicate=q.predicate, history=True, begins=q.begins, limit=MOST
                )
                for q in sorted(asked, key=str)
            )
        )
        found = [fact for answer in answers for fact in answer]
        self._take(found)
        return found

    def _meant(self, entity_id: Id) -> Id:
        known = meant(entity_id, self._entities)
        return known.id if known is not None else entity_id

    def _take(self, facts: Iterable[Fact]) -> None:
        self._facts.update({fact.id: fact for fact in facts})


def _is_stay(fact: Fact) -> bool:
    return fact.predicate in (LOCATED_IN, "contains") or fact.entity("location") is not None
