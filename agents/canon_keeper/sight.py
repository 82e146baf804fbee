"""What a contradiction check is given, and what it gives back.

Each check is a function from a Sight to the conflicts that it finds; `contradictions.py` runs them all.
Ticks are minutes of world time. Source: design/authority.md, "Contradictions".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from agents.canon_keeper.claims import Claim, move_of
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.readings import IS, IS_NOT, OBJECT, OCCURRENCES, OF_CANON, SUBJECT
from agents.canon_keeper.world import World
from stores.records.canon import Fact, FactKind, StateChange
from stores.records.ids import Id
from stores.records.ledger import ProposedChange

ACTING = (SUBJECT, "actor")
"""Roles that only the living play. To be met, found, buried or spoken of is open to the dead."""

PRESENT = (*ACTING, OBJECT, "participant")
"""Roles of those who have to be there for a meeting."""

LOCATION = "location"

_DEEDS = frozenset({FactKind.EVENT, FactKind.CHANGE, FactKind.ENCOUNTER})


class Found(NamedTuple):
    """A conflict. `answer` is what the other proposal is told, if it is one that is met."""

    rule: str
    text: str
    other: Fact | None = None
    certain: bool = True
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Sight:
    """A proposal, what it would make true, and the world as it would be before it.

    `proposed` are the facts and entities that other proposals of the batch would bring.
    """

    proposal: ProposedChange
    claim: Claim
    world: World
    proposed: Mapping[Id, ProposedChange]

    @property
    def fact(self) -> Fact:
        return self.claim.fact

    @property
    def when(self) -> int | None:
        """The tick at which the claim begins."""
        return self.claim.fact.valid_from

    def who_says(self, fact: Fact) -> str:
        return "Another proposal says" if fact.id in self.proposed else "Canon says"

    def name(self, entity_id: Id) -> str:
        return self.world.entities[entity_id].name

    def same_scene(self, other: Fact) -> bool:
        """Say whether the other fact is told of the scene that the proposal was made in."""
        proposal = self.proposed.get(other.id)
        told_in = {proposal.scene_id} if proposal else self.world.canon.scenes.get(other.id, ())
        return self.proposal.scene_id is not None and self.proposal.scene_id in told_in


Check = Callable[[Sight], Iterator[Found]]


def is_deed(fact: Fact, catalogue: Catalogue) -> bool:
    """Say whether the fact tells what somebody does: an occurrence, or what the catalogue calls a deed."""
    predicate = catalogue[fact.predicate]
    happened = fact.kind in _DEEDS and fact.predicate not in OF_CANON
    return predicate.deed or (happened and not predicate.passive)


def actors(fact: Fact, catalogue: Catalogue) -> list[Id]:
    """Return who acts in a deed."""
    return _in_roles(fact, ACTING) if is_deed(fact, catalogue) else []


def actors_in(sight: Sight) -> list[Id]:
    """Return who acts in what is proposed: whoever does a deed, and whose numbers or mood change."""
    catalogue, change = sight.world.catalogue, sight.proposal.change
    if not isinstance(change, StateChange):
        return actors(sight.fact, catalogue)
    predicate = catalogue[move_of(change, catalogue).predicate]
    alive = not (predicate.irreversible or predicate.passive or predicate.name in (IS, IS_NOT))
    return _in_roles(sight.fact, (SUBJECT,)) if alive else []


def present(fact: Fact, catalogue: Catalogue) -> list[Id]:
    """Return who has to be where the deed is done; to act from afar (a letter), nobody."""
    if fact.kind not in OCCURRENCES or fact.predicate in OF_CANON or catalogue[fact.predicate].from_afar:
        return []
    return _in_roles(fact, PRESENT if fact.kind is FactKind.ENCOUNTER else ACTING)


def covers(fact: Fact, tick: int) -> bool:
    """Say whether the fact holds at `tick` and did before: what begins at that very minute may come after."""
    began = fact.valid_from is None or fact.valid_from < tick
    return began and (fact.valid_to is None or tick < fact.valid_to)


def _in_roles(fact: Fact, roles: tuple[str, ...]) -> list[Id]:
    return list(dict.fromkeys(i.entity_id for i in fact.involves if i.role in roles))
