"""What a proposal would make true: the fact it becomes, and how that meets what stands. Pure.

A state change, a clock and an ending become facts as well: nothing in canon moves without a sentence
that says so and evidence for it. Source: design/ontology.md, "Canon graph", "Proposed change kinds".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from agents.canon_keeper.bearing import borne, is_number
from agents.canon_keeper.commitments import told_closed
from agents.canon_keeper.predicates import Catalogue, Predicate, words_of
from agents.canon_keeper.readings import (
    ENDED,
    IS,
    IS_NOT,
    OBJECT,
    SUBJECT,
    Slot,
    is_open,
    slot_of,
    stands,
    starts_later,
)
from agents.canon_keeper.world import World
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    Authority,
    EndFact,
    Fact,
    FactKind,
    FactStatus,
    Involvement,
    Literalish,
    NoteAxiom,
    StateChange,
    StateOp,
)
from stores.records.clocks import BOXES, ProgressClock
from stores.records.ids import Id, derived
from stores.records.ledger import ProposedChange


class UnwritableError(Exception):
    """The proposal cannot become canon as it stands; says why, for the GM."""


class MissingError(UnwritableError):
    """It is about an entity that is not in canon."""

    def __init__(self, entity_id: Id) -> None:
        super().__init__("it is about something that is not in canon")
        self.entity_id = entity_id


@dataclass(frozen=True, slots=True)
class Claim:
    """`ends` are facts that it names as ended; `moves` says that it is a change through time by nature."""

    proposal: ProposedChange
    fact: Fact
    ends: frozenset[Id] = frozenset()
    moves: bool = False


class Move(NamedTuple):
    """A state change in canon's terms: a bare truth value is a tag, and some tags are values."""

    predicate: str
    op: StateOp
    value: Literalish | None


def fact_id_of(proposal: ProposedChange) -> Id:
    """Return the id of the fact that a proposal becomes: a commit done twice is done once."""
    return derived("fact", proposal.id)


def claim_of(proposal: ProposedChange, world: World) -> Claim | None:
    """Return what the proposal would make true; None for kinds that make no fact of their own.

    Raises MissingError or UnwritableError.
    """
    change = proposal.change
    match change:
        case AssertFact():
            return _assertion(proposal, change, world)
        case NoteAxiom():
            return _axiom(proposal, change, world)
        case StateChange():
            return _state(proposal, change, world)
        case AdvanceClock():
            return _clock(proposal, change, world)
        case EndFact():
            return _ending(proposal, change, world)
        case _:
            return None


def move_of(change: StateChange, catalogue: Catalogue) -> Move:
    """Return the change in canon's terms: `+dead` is `alive = false`, `wounded = true` is `+wounded`."""
    if change.op in (StateOp.TAG, StateOp.UNTAG):
        tagged = change.op is StateOp.TAG
        for predicate in catalogue.predicates.values():
            for words, tag in predicate.tags.items():
                if tag.casefold() == change.key.casefold() and words in ("true", "false"):
                    return Move(predicate.name, StateOp.SET, (words == "true") is tagged)
        return Move(IS if tagged else IS_NOT, change.op, change.key)
    if isinstance(change.value, bool) and change.key not in catalogue.predicates:
        return Move(IS, StateOp.TAG, change.key) if change.value else Move(IS_NOT, StateOp.UNTAG, change.key)
    return Move(change.key, change.op, change.value)


def is_natural(claim: Claim, other: Fact, world: World) -> bool:
    """Say whether the claim is a change through time that simply ends the other fact.

    It is when it names it, when it moves by nature, or when a value is given anew, at a later time, on
    the line of play. What is final (death) ends by the GM's word alone.
    """
    if other.id in claim.ends:
        return True
    if _predicate(other, world).is_final(other.value):
        return False
    one_value = slot_of(claim.fact, world.catalogue)
    in_play = claim.proposal.scene_id is not None
    given_anew = in_play and claim.fact.valid_to is None and starts_later(claim.fact, other)
    same_slot = one_value is not None and one_value == slot_of(other, world.catalogue)
    return same_slot and (claim.moves or (given_anew and is_open(other)))


def ended_by(claim: Claim, world: World) -> list[Fact]:
    """Return what the claim ends once it is accepted: what it names, and what cannot hold beside it.

    A fact with an end of its own is left as it is: it tells of its time; one that another ended can be
    named, and ends sooner. A claim with an end ends only what it names: what holds now holds on after it.
    """
    named = [world.facts[i] for i in sorted(claim.ends) if i in world.facts]
    holds_now = stands(claim.fact) and claim.fact.valid_to is None
    met = list(world.rivals(claim.fact)) if holds_now else []
    named = [f for f in named if is_open(f) or f.status is FactStatus.SUPERSEDED]
    met = [f for f in met if is_open(f)]
    return list({f.id: f for f in (*named, *met) if stands(f)}.values())


def first_value(claim: Claim, world: World) -> Fact | None:
    """Return the fact that keeps the value an entity was created with, when the claim is the first to
    change it; without it the old value would be lost. It is the GM's word, whoever changes it."""
    slot = slot_of(claim.fact, world.catalogue)
    entity = world.entities.get(slot.subject) if slot and slot.subject else None
    if slot is None or entity is None or claim.fact.kind is not FactKind.STATE or world.holding(slot):
        return None
    value = borne(entity, slot, world.catalogue)
    if value is None:
        return None
    predicate = IS if slot.tag else slot.predicate
    return claim.fact.model_copy(
        update={
            "id": derived("fact", "first value", claim.proposal.id),
            "predicate": predicate,
            "value": value,
            "statement": world.catalogue.phrase(predicate, entity.name, value=value),
            "involves": (Involvement(role=SUBJECT, entity_id=entity.id),),
            "valid_from": None,
            "authority": Authority.GM,
            "proposal_id": None,
        }
    )


# --- one function a kind ----------------------------------------------------------------------------


def _assertion(proposal: ProposedChange, change: AssertFact, world: World) -> Claim:
    if any(cause not in world.facts for cause in change.because):
        raise UnwritableError("what caused it is not in canon")
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=change.fact_kind,
        predicate=change.predicate,
        statement=change.statement,
        involves=tuple(_present(change.involves, world)),
        value=change.value,
        valid_from=proposal.tick if change.valid_from is None else change.valid_from,
        valid_to=change.valid_to,
        standing=change.standing,
        because=change.because,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    return Claim(proposal, fact, ends=frozenset(change.ends))


def _axiom(proposal: ProposedChange, change: NoteAxiom, world: World) -> Claim:
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.AXIOM,
        predicate=change.predicate,
        statement=change.statement,
        involves=tuple(_present(change.involves, world)),
        scope=change.scope,
        severity=change.severity,
        form=change.form,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    return Claim(proposal, fact)


def _state(proposal: ProposedChange, change: StateChange, world: World) -> Claim:
    entity = world.entity(change.entity_id)
    if entity is None:
        raise MissingError(change.entity_id)
    move = move_of(change, world.catalogue)
    predicate = world.catalogue[move.predicate]
    involves = [Involvement(role=SUBJECT, entity_id=entity.id)]
    value = move.value
    other = ""
    if predicate.about_two and isinstance(value, str):
        target = world.entity(value)
        if target is None:
            raise MissingError(value)
        involves.append(Involvement(role=OBJECT, entity_id=target.id))
        value, other = None, target.name
    elif move.op is StateOp.ADD:
        value = _added(entity.id, move, world)
    elif value is None:
        raise UnwritableError(f"it gives {entity.name}'s {move.predicate} no value")
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.RELATION if other else FactKind.STATE,
        predicate=move.predicate,
        statement=world.catalogue.phrase(move.predicate, entity.name, other, value),
        involves=tuple(involves),
        value=value,
        valid_from=proposal.tick,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    return Claim(proposal, fact, moves=True)


def _added(entity_id: Id, move: Move, world: World) -> Literalish:
    """Return the number after something was added to it: what the sheet says, in the order of play."""
    slot = Slot(move.predicate, entity_id)
    held = world.holding(slot)
    before = held.value if held else borne(world.entities[entity_id], slot, world.catalogue)
    if not is_number(move.value):
        raise UnwritableError(f"{words_of(move.value) or 'nothing'} is no number to add to {move.predicate}")
    if before is not None and not is_number(before):
        raise UnwritableError(f"{move.predicate} is {words_of(before)}, which nothing can be added to")
    return (before or 0) + move.value


def _clock(proposal: ProposedChange, change: AdvanceClock, world: World) -> Claim:
    held = world.holding(Slot(change.predicate, None))
    before = _standing_clock(held, change) if held else None
    clock = change.after(before)
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.STATE,
        predicate=change.predicate,
        statement=_clock_stands(clock),
        value=clock.filled,
        clock=clock,
        valid_from=proposal.tick,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    # One that only goes otherwise has the same value, and is no rival of what stood there.
    otherwise = held is not None and before is not None and before != clock
    return Claim(proposal, fact, ends=frozenset([held.id]) if held and otherwise else frozenset(), moves=True)


def _standing_clock(held: Fact, change: AdvanceClock) -> ProgressClock:
    """Return the clock of a fact; one that says no more than how far it is filled is as the change has it."""
    if held.clock is not None:
        return held.clock
    filled = max(0, int(held.value)) if is_number(held.value) else 0
    return ProgressClock(name=change.clock, filled=filled, size=max(change.size, filled), pace=change.pace)


def _clock_stands(clock: ProgressClock) -> str:
    what = f"The {'track' if clock.is_track else 'clock'} “{clock.name}”"
    far = f"{clock.boxes} of {BOXES} boxes" if clock.is_track else f"{clock.filled} of {clock.size}"
    if clock.closed:
        ends = "ended" if clock.is_track else "struck" if clock.is_full else "was stopped"
        return f"{what} {ends} at {far}."
    goes = f" and moves by {clock.per_scene} each scene" if clock.per_scene else ""
    return f"{what} stands at {far}{goes}."


def _ending(proposal: ProposedChange, change: EndFact, world: World) -> Claim:
    """An ending is an event that supersedes the fact: so it has evidence, and can be retconned itself."""
    ended = world.facts.get(change.fact_id)
    if ended is None:
        raise UnwritableError("the fact that it ends is not in canon")
    if not is_open(ended):
        raise UnwritableError("the fact that it ends holds no more")
    known = (change.at, proposal.tick, ended.valid_from, 0)
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.EVENT,
        predicate=ENDED,
        statement=told_closed(ended) if change.closed else f"No longer so: {ended.statement}",
        involves=ended.involves,
        valid_from=next(tick for tick in known if tick is not None),
        authority=proposal.authority,
        closed=change.closed,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    return Claim(proposal, fact, ends=frozenset([ended.id]), moves=True)


def _present(involves: tuple[Involvement, ...], world: World) -> Iterator[Involvement]:
    for involved in involves:
        entity = world.entity(involved.entity_id)
        if entity is None:
            raise MissingError(involved.entity_id)
        yield Involvement(role=involved.role, entity_id=entity.id)


def _predicate(fact: Fact, world: World) -> Predicate:
    inverse_of = world.catalogue[fact.predicate].inverse_of
    return world.catalogue[inverse_of or fact.predicate]
