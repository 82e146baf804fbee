"""From a change in the Archivist's words to a change that canon can take: the typed payload. Pure.

Names are resolved before; here is what each kind means. What canon could not take, or has already, is refused
with a reason in few words. Source: design/ontology.md, "Proposed change kinds".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz

from agents.canon_keeper.predicates import Catalogue
from agents.clean import clean
from agents.context_assembly.package import ContextPackage
from agents.orchestrator.declare import MAX_NAME, STATED, located, sentence
from agents.personas.outputs import Change
from agents.resolver.effects import MAX_NUMBER
from stores.records.canon import (
    AssertFact,
    CreateEntity,
    EndFact,
    Fact,
    FactKind,
    Involvement,
    Payload,
    StateChange,
    StateOp,
    UpdateEntity,
)
from stores.records.ids import Id, derived
from stores.records.play import Turn
from stores.records.world import Entity, EntityKind

ENDS: Final = 85
"""Likeness, in per cent, from which words mean something on record that is over."""

KINDS: Final[Mapping[str, EntityKind]] = {
    **{kind.value: kind for kind in EntityKind},
    "person": EntityKind.CHARACTER,
    "npc": EntityKind.CHARACTER,
    "thing": EntityKind.OBJECT,
    "item": EntityKind.OBJECT,
    "location": EntityKind.PLACE,
    "group": EntityKind.FACTION,
    "animal": EntityKind.CREATURE,
    "monster": EntityKind.CREATURE,
    "idea": EntityKind.CONCEPT,
}
_TRUTHS: Final = {"yes": True, "true": True, "on": True, "": True, "no": False, "false": False, "off": False}
_NUMBER = re.compile(r"([+-−–])?\s*(\d{1,9}(?:\.\d{1,4})?)")
_KEY = re.compile(r"[^\W\d][\w '-]{0,38}[\w]|[^\W\d]")


class Refused(Exception):
    """It is not proposed, for this reason."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes payloads of one turn's changes. `find` gives whom a name means here, `tick` is when it was."""

    turn: Turn
    package: ContextPackage
    catalogue: Catalogue
    find: Callable[[str], Entity | None]

    def payload(self, change: Change) -> Payload:
        """Return the change as canon takes it. Raises Refused."""
        if change.kind == "new":
            return self._new(change)
        if change.kind == "ended":
            return self._ended(change)
        who = self._entity(change.subject)
        match change.kind:
            case "fact":
                return self._fact(who, change)
            case "state":
                return self._state(who, change)
            case "moved":
                return self._moved(who, change.object)
            case "died":
                return self._died(who)
            case "promise":
                return self._matter(who, "promised", f"{who.name} promised: {_words(change.object)}")
            case "debt":
                return self._matter(who, "owes", f"{who.name} owes {_words(change.object)}")
            case "question":
                return self._matter(who, "question", _words(change.object))
            case "said":
                return self._said(who, change.object)
            case "met":
                return self._met(who, change.object)
            case _:
                return self._described(who, change)

    def _entity(self, name: str) -> Entity:
        entity = self.find(name)
        if entity is None:
            raise Refused("names nobody on record")
        return entity

    def _new(self, change: Change) -> CreateEntity:
        name = _words(change.subject).strip(" .,:;!?\"“”'")
        if not name or len(name) > MAX_NAME:
            raise Refused("has no name")
        kind = KINDS.get(change.predicate.strip().casefold(), EntityKind.CHARACTER)
        return CreateEntity(
            entity_id=derived("entity", self.turn.scene_id, self.turn.exchange_id, name.casefold()),
            entity_kind=kind,
            name=name,
            description=_words(change.object),
        )

    def _fact(self, who: Entity, change: Change) -> Payload:
        """A predicate of the catalogue between two is a relation; anything else is told in a sentence."""
        predicate = re.sub(r"\W+", "_", change.predicate.strip().casefold()).strip("_")
        other = self.find(change.object)
        if predicate in ("located_in", "is_in", "in") and other is not None:
            return self._moved(who, change.object)
        if predicate in ("met", "said"):
            return self._met(who, change.object) if predicate == "met" else self._said(who, change.object)
        if predicate in self.catalogue.names() and other is not None and other.id != who.id:
            return AssertFact(
                fact_kind=FactKind.RELATION,
                predicate=predicate,
                statement=self.catalogue.phrase(predicate, who.name, other.name),
                involves=_two(who, other),
                valid_from=self.turn.tick,
            )
        words = _words(f"{change.predicate.replace('_', ' ')} {change.object}")
        if not words:
            raise Refused("says nothing")
        told = words if words.casefold().startswith(who.name.casefold()) else f"{who.name} {words}"
        involves = [Involvement(role="subject", entity_id=who.id)]
        if other is not None and other.id != who.id:
            involves.append(Involvement(role="participant", entity_id=other.id))
        return AssertFact(
            fact_kind=FactKind.ATTRIBUTE,
            predicate=STATED,
            statement=sentence(told),
            involves=tuple(involves),
            valid_from=self.turn.tick,
        )

    def _state(self, who: Entity, change: Change) -> Payload:
        key = _words(change.predicate).casefold()
        if not _KEY.fullmatch(key):
            raise Refused("names no number or tag")
        value = _words(change.object)
        if key in ("alive", "dead"):
            died = _TRUTHS.get(value.casefold(), True) is (key == "dead")
            if not died:
                raise Refused("only you bring back the dead")
            return self._died(who)
        if key in ("location", "located_in", "place"):
            return self._moved(who, value)
        if value.casefold() in _TRUTHS:
            return self._changed(who, key, StateOp.TAG if _TRUTHS[value.casefold()] else StateOp.UNTAG, None)
        number = _NUMBER.fullmatch(value)
        if number is None:
            return self._changed(who, key, StateOp.SET, value)
        amount = float(number[2]) if "." in number[2] else int(number[2])
        if amount > MAX_NUMBER:
            raise Refused("no number that a sheet can hold")
        if number[1]:
            return self._changed(who, key, StateOp.ADD, amount if number[1] == "+" else -amount)
        return self._changed(who, key, StateOp.SET, amount)

    def _changed(
        self, who: Entity, key: str, op: StateOp, value: bool | int | float | str | None
    ) -> StateChange:
        state = self.package.scene.state(who)
        tags = {tag.casefold() for tag in state.tags}
        held = state.numbers.get(key, state.values.get(key))
        same = (op is StateOp.SET and held == value) or (op is StateOp.TAG and key in tags)
        if same or (op is StateOp.UNTAG and key not in tags):
            raise Refused("is so already")
        if op in (StateOp.ADD, StateOp.SET) and self._by_the_dice(who, key):
            raise Refused("the result does that already")
        return StateChange(entity_id=who.id, key=key, op=op, value=value)

    def _by_the_dice(self, who: Entity, key: str) -> bool:
        """Say whether what was rolled or declared for this telling moves the same number already."""
        since = max((t.tick for t in self.package.narrative.line), default=-1)
        return any(
            isinstance(p.change, StateChange)
            and p.change.entity_id == who.id
            and p.change.key.casefold() == key
            and (p.tick or 0) > since
            for p in self.package.scene.staged
        )

    def _died(self, who: Entity) -> StateChange:
        state = self.package.scene.state(who)
        if state.values.get("alive") is False or "dead" in {tag.casefold() for tag in state.tags}:
            raise Refused("is so already")
        if who.kind not in (EntityKind.CHARACTER, EntityKind.CREATURE):
            raise Refused("does not live")
        return StateChange(entity_id=who.id, key="alive", op=StateOp.SET, value=False)

    def _moved(self, who: Entity, name: str) -> AssertFact:
        place = self._entity(name)
        if place.kind is not EntityKind.PLACE or place.id == who.id:
            raise Refused("goes to no place on record")
        here = self.package.scene.place
        if who.id == self.package.scene.story.pc_id and here is not None and here.id == place.id:
            raise Refused("is so already")
        return located(who, place, self.turn.tick)

    def _matter(self, who: Entity, predicate: str, words: str) -> AssertFact:
        if len(words.split()) < 3:
            raise Refused("says nothing")
        return AssertFact(
            fact_kind=FactKind.COMMITMENT,
            predicate=predicate,
            statement=sentence(words),
            involves=(Involvement(role="subject", entity_id=who.id),),
            valid_from=self.turn.tick,
        )

    def _said(self, who: Entity, words: str) -> AssertFact:
        said = _words(words)
        if not said:
            raise Refused("says nothing")
        return AssertFact(
            fact_kind=FactKind.ASSERTION,
            predicate="said",
            statement=self.catalogue.phrase("said", who.name, sentence(said)),
            involves=(Involvement(role="subject", entity_id=who.id),),
            valid_from=self.turn.tick,
        )

    def _met(self, who: Entity, name: str) -> AssertFact:
        other = self._entity(name)
        if other.id == who.id:
            raise Refused("says nothing")
        return AssertFact(
            fact_kind=FactKind.ENCOUNTER,
            predicate="met",
            statement=self.catalogue.phrase("met", who.name, other.name),
            involves=_two(who, other),
            valid_from=self.turn.tick,
        )

    def _ended(self, change: Change) -> EndFact:
        words = _words(change.object).casefold()
        matters = [f for f in self.package.agenda.matters.values() if f.id not in self.package.agenda.payoffs]
        canon = self.package.canonical
        fact = _nearest(words, matters) or _nearest(words, (*canon.facts, *canon.relations))
        if fact is None:
            raise Refused("nothing on record is over by that")
        return EndFact(fact_id=fact.id, at=self.turn.tick, closed=fact.kind is FactKind.COMMITMENT)

    def _described(self, who: Entity, change: Change) -> UpdateEntity:
        words = _words(change.object)
        if not words:
            raise Refused("says nothing")
        known = {n.casefold() for n in (who.name, *who.aliases)}
        match change.predicate.strip().casefold():
            case "name" | "alias" if words.casefold() in known or len(words) > MAX_NAME:
                raise Refused("is so already")
            case "name":
                return UpdateEntity(entity_id=who.id, name=words)
            case "alias":
                return UpdateEntity(entity_id=who.id, aliases=(*who.aliases, words))
            case _ if who.description:
                # What somebody wrote is not written over by what a telling says in passing.
                raise Refused("is described already")
            case _:
                return UpdateEntity(entity_id=who.id, description=sentence(words))


def _two(who: Entity, other: Entity) -> tuple[Involvement, Involvement]:
    return Involvement(role="subject", entity_id=who.id), Involvement(role="object", entity_id=other.id)


def _nearest(words: str, facts: Sequence[Fact]) -> Fact | None:
    if len(words) < 6:
        return None
    likeness: dict[Id, float] = {f.id: fuzz.token_set_ratio(words, f.statement.casefold()) for f in facts}
    best = max(facts, key=lambda f: likeness[f.id], default=None)
    return best if best is not None and likeness[best.id] >= ENDS else None


def _words(text: str) -> str:
    """Return outside words in one line, cleaned: they are data, and never a command."""
    return " ".join(clean(text).split()).lstrip("/>?").strip()
