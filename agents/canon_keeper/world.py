"""Canon as it would stand: a working copy that proposals are tried on, in memory.

Judging tries every open proposal on one, committing tries the accepted ones on a fresh one; what the
second leaves behind is what gets written. Source: design/authority.md, "Contradictions", "Retcon".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from agents.canon_keeper.bearing import bear
from agents.canon_keeper.naming import meant
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.readings import (
    LOCATED_IN,
    OCCURRENCES,
    PART_OF,
    SUBJECT,
    Reading,
    Slot,
    is_open,
    read,
    same_value_given,
    slot_of,
    stands,
)
from agents.canon_keeper.snapshot import CanonSnapshot
from agents.canon_keeper.successions import Successions
from stores.records.canon import Fact, FactKind, FactStatus, Supersession
from stores.records.ids import Id
from stores.records.world import Entity, EntityStatus


class World:
    """Entities and facts, found by what they say; starts as canon was read.

    `supersedes` are the edges that were added since.
    """

    def __init__(self, canon: CanonSnapshot, catalogue: Catalogue) -> None:
        self.canon = canon
        self.catalogue = catalogue
        self.entities: dict[Id, Entity] = {**{e.id: e for e in canon.everyone}, **canon.entities}
        self.facts: dict[Id, Fact] = {}
        self.supersedes: list[Supersession] = []
        self._successions = Successions(canon.supersessions)
        self._said: defaultdict[tuple[str, Id | None], list[Id]] = defaultdict(list)
        self._slots: defaultdict[Slot, list[Id]] = defaultdict(list)
        self._statements: defaultdict[str, list[Id]] = defaultdict(list)
        self._deeds: defaultdict[Id, list[Id]] = defaultdict(list)
        self._axioms: list[Id] = []
        self._moved: dict[Slot, Fact | None] = {}
        for fact in canon.facts:
            self._index(fact)

    # --- looking ------------------------------------------------------------------------------------

    def entity(self, entity_id: Id) -> Entity | None:
        """Return the entity that this id means now: what was merged away is what it was merged into."""
        entity = meant(entity_id, self.entities)
        return entity if entity is not None and entity.status is EntityStatus.CANONICAL else None

    def said(self, predicate: str, who: Id | None) -> list[Fact]:
        """Return facts under a (canonical) predicate in which `who` is subject or object."""
        return [self.facts[i] for i in self._said[predicate, who]]

    def holding(self, slot: Slot) -> Fact | None:
        """Return the fact that gives the slot its value now."""
        facts = (self.facts[i] for i in self._slots[slot])
        return next((f for f in facts if is_open(f) and stands(f)), None)

    def deeds(self, who: Id) -> list[Fact]:
        """Return what happened, and what was said or done, with somebody in it."""
        return [self.facts[i] for i in self._deeds[who]]

    def axioms(self) -> list[Fact]:
        """Return the rules of the world, of any status."""
        return [self.facts[i] for i in self._axioms]

    def origins(self, who: Id) -> list[Fact]:
        """Return the facts that tell since when somebody or something is there."""
        told = (fact for name in self.catalogue.origins() for fact in self.said(name, who))
        return [fact for fact in told if fact.entity(SUBJECT) == who and stands(fact)]

    def nested(self, one: Id | None, other: Id | None) -> bool:
        """Say whether one of two places is the other, or lies within it."""
        return one in self._around(other) or other in self._around(one)

    def _around(self, place: Id | None) -> set[Id | None]:
        """Return the place and all that it lies in."""
        found, waiting = set[Id | None](), [place]
        while waiting:
            here = waiting.pop()
            if here is not None and here not in found:
                inside = (f for name in (LOCATED_IN, PART_OF) for f in self.said(name, here) if is_open(f))
                waiting += [s.object for s in map(self._read, inside) if s.subject == here]
            found.add(here)
        return found

    def _read(self, fact: Fact) -> Reading:
        return read(fact, self.catalogue)

    def alike(self, fact: Fact) -> Iterator[Fact]:
        """Yield facts that may say the same: in the same words or, if it is no occurrence, of the same
        subject and predicate."""
        said = read(fact, self.catalogue)
        told = () if fact.kind in OCCURRENCES else self._said[said.predicate, said.subject]
        ids = (*self._statements[fact.said], *told)
        yield from (self.facts[i] for i in dict.fromkeys(ids) if i != fact.id)

    def rivals(self, fact: Fact) -> Iterator[Fact]:
        """Yield the facts that cannot be true at the same time as this one, whatever their times."""
        slot = slot_of(fact, self.catalogue)
        for other_id in self._slots[slot] if slot else ():
            other = self.facts[other_id]
            if other.id != fact.id and not same_value_given(other, fact, self.catalogue):
                yield other
        said = read(fact, self.catalogue)
        for predicate in sorted(self.catalogue.excluded_by(said.predicate)):
            either_way = self.catalogue[said.predicate].symmetric or self.catalogue[predicate].symmetric
            for other in self.said(predicate, said.subject):
                theirs = read(other, self.catalogue)
                if (theirs.subject, theirs.object) == (said.subject, said.object) or (
                    either_way and (theirs.object, theirs.subject) == (said.subject, said.object)
                ):
                    yield other

    # --- changing -----------------------------------------------------------------------------------

    def add(self, fact: Fact, ends: Iterable[Fact] = ()) -> None:
        """Add a fact, and end others by it."""
        self._put(fact)
        for older in ends:
            self._end(older, fact)
        self._follow()

    def retcon(self, fact: Fact) -> None:
        """Make it never so: what it ended holds again, as far as nothing else ended that."""
        self._put(fact.model_copy(update={"status": FactStatus.RETCONNED}))
        self._settle_ended_by(fact)
        self._follow()

    def restore(self, fact: Fact) -> None:
        """Make a retconned fact so again: `retcon` backwards. What took its place since then ends it."""
        self._put(fact.model_copy(update={"status": FactStatus.CANONICAL}))
        self._settle(fact)
        self._settle_ended_by(fact)
        slot = slot_of(fact, self.catalogue)
        for other in [self.facts[i] for i in self._slots[slot]] if slot else ():
            # Two that give the same value stand side by side, as they did before.
            another = other.id != fact.id and not same_value_given(other, fact, self.catalogue)
            if another and is_open(other) and is_open(self.facts[fact.id]):
                self._end(self.facts[fact.id], other)
        self._follow()

    def _end(self, older: Fact, newer: Fact) -> None:
        self.supersedes.append(Supersession(newer_id=newer.id, older_id=older.id))
        self._successions.add(newer.id, older.id)
        self._settle(older)

    def _settle_ended_by(self, fact: Fact) -> None:
        for older in list(self._successions.ended_by(fact.id, self.facts)):
            self._settle(older)

    def _settle(self, fact: Fact) -> None:
        self._put(self._successions.settled(self.facts[fact.id], self.facts))

    def _put(self, fact: Fact) -> None:
        """Add a fact, or replace it by itself with another status or end."""
        slot = slot_of(fact, self.catalogue)
        if slot is not None and fact.kind is FactKind.STATE:
            self._moved.setdefault(slot, self.holding(slot))
        self._index(fact)

    def _index(self, fact: Fact) -> None:
        if fact.id not in self.facts:
            said, slot = read(fact, self.catalogue), slot_of(fact, self.catalogue)
            for who in {said.subject, said.object}:
                self._said[said.predicate, who].append(fact.id)
            self._statements[fact.said].append(fact.id)
            if slot is not None:
                self._slots[slot].append(fact.id)
            if fact.kind is FactKind.AXIOM:
                self._axioms.append(fact.id)
            elif fact.kind in OCCURRENCES or self.catalogue[fact.predicate].deed:
                for who in {i.entity_id for i in fact.involves}:
                    self._deeds[who].append(fact.id)
        self.facts[fact.id] = fact

    def _follow(self) -> None:
        """Let entities bear what their slots say now, wherever another fact holds than did before."""
        for slot, before in self._moved.items():
            held = self.holding(slot)
            entity = self.entities.get(slot.subject) if slot.subject else None
            if entity is not None and (held and held.id) != (before and before.id):
                self.entities[entity.id] = bear(entity, slot, held, self.catalogue)
        self._moved.clear()
