"""The input and the result of a contradiction check.

Each check is a function from a `CheckInput` to the conflicts that it finds; `contradictions.py` runs them all. Ticks
are minutes of world time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.fact_claims import FactClaim, state_move_of
from agents.canon_keeper.fact_readings import CANON_EVENTS, IS, IS_NOT, OBJECT, OCCURRENCE_KINDS, SUBJECT
from agents.canon_keeper.predicates import Catalogue
from stores.records.canon import Fact, FactKind, StateChange
from stores.records.ids import Id
from stores.records.workflow import ProposedChange

ACTING_ROLES = (SUBJECT, "actor")
"""Roles that only the living have. The dead can still be met, found, buried or spoken of."""

PRESENT_ROLES = (*ACTING_ROLES, OBJECT, "participant")
"""Roles of those who have to be there for a meeting."""

LOCATION_ROLE = "location"

_DEED_KINDS = frozenset({FactKind.EVENT, FactKind.CHANGE, FactKind.ENCOUNTER})


class FoundConflict(NamedTuple):
    """A conflict of a proposal."""

    rule: str
    text: str
    other: Fact | None = None
    is_certain: bool = True
    counter_text: str = ""
    """Shown with the other proposal, if the conflict is with one."""


@dataclass(frozen=True, slots=True)
class CheckInput:
    """A proposal, what it would make true, and canon as it would be before it."""

    proposal: ProposedChange
    claim: FactClaim
    draft: CanonDraft
    source_proposals: Mapping[Id, ProposedChange]
    """The proposals of the batch that would create a fact or an entity, by its id."""

    @property
    def fact(self) -> Fact:
        return self.claim.fact

    @property
    def begin_tick(self) -> int | None:
        """The tick at which the claim begins."""
        return self.claim.fact.valid_from

    def attribution(self, fact: Fact) -> str:
        return "Another proposal says" if fact.id in self.source_proposals else "Canon says"

    def entity_name(self, entity_id: Id) -> str:
        return self.draft.entities[entity_id].name

    def is_same_scene(self, other: Fact) -> bool:
        """Say whether the other fact belongs to the scene that the proposal was made in."""
        proposal = self.source_proposals.get(other.id)
        scene_ids = {proposal.scene_id} if proposal else self.draft.canon.scenes_by_fact.get(other.id, ())
        return self.proposal.scene_id is not None and self.proposal.scene_id in scene_ids


ContradictionCheck = Callable[[CheckInput], Iterator[FoundConflict]]


def is_deed(fact: Fact, catalogue: Catalogue) -> bool:
    """Say whether the fact states what somebody does: an occurrence, or what the catalogue calls a deed."""
    predicate = catalogue[fact.predicate]
    happened = fact.kind in _DEED_KINDS and fact.predicate not in CANON_EVENTS
    return predicate.deed or (happened and not predicate.passive)


def actors_of(fact: Fact, catalogue: Catalogue) -> list[Id]:
    """Return who acts in a deed."""
    return _in_roles(fact, ACTING_ROLES) if is_deed(fact, catalogue) else []


def actors_in(check_input: CheckInput) -> list[Id]:
    """Return who acts in what is proposed: whoever does a deed, and whose numbers or mood change."""
    catalogue, change = check_input.draft.catalogue, check_input.proposal.change
    if not isinstance(change, StateChange):
        return actors_of(check_input.fact, catalogue)
    predicate = catalogue[state_move_of(change, catalogue).predicate]
    requires_life = not (predicate.irreversible or predicate.passive or predicate.name in (IS, IS_NOT))
    return _in_roles(check_input.fact, (SUBJECT,)) if requires_life else []


def required_presence(fact: Fact, catalogue: Catalogue) -> list[Id]:
    """Return who has to be where the deed is done; to act from afar (a letter), nobody."""
    if (
        fact.kind not in OCCURRENCE_KINDS
        or fact.predicate in CANON_EVENTS
        or catalogue[fact.predicate].from_afar
    ):
        return []
    return _in_roles(fact, PRESENT_ROLES if fact.kind is FactKind.ENCOUNTER else ACTING_ROLES)


def holds_around(fact: Fact, tick: int) -> bool:
    """Say whether the fact holds at `tick` and did before: what begins at that very minute may come after."""
    began = fact.valid_from is None or fact.valid_from < tick
    return began and (fact.valid_to is None or tick < fact.valid_to)


def _in_roles(fact: Fact, roles: tuple[str, ...]) -> list[Id]:
    return list(dict.fromkeys(i.entity_id for i in fact.involves if i.role in roles))
