"""Trying a proposal on a world: what each kind of change does to entities and facts.

Source: design/ontology.md, "Proposed change kinds".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from agents.canon_keeper.bearing import borne
from agents.canon_keeper.claims import (
    Claim,
    MissingError,
    UnwritableError,
    claim_of,
    ended_by,
    fact_id_of,
    first_value,
)
from agents.canon_keeper.readings import (
    IS,
    MERGED,
    SUBJECT,
    UPDATED,
    Slot,
    is_in_force,
    is_open,
    same_thing_said,
    slot_of,
)
from agents.canon_keeper.world import World
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    CreateEntity,
    EndFact,
    Fact,
    FactKind,
    FactStatus,
    Involvement,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    StateChange,
    UpdateEntity,
    normal,
)
from stores.records.ids import Id, derived
from stores.records.ledger import ProposedChange
from stores.records.world import Entity, EntityStatus


def in_order(proposals: Iterable[ProposedChange]) -> list[ProposedChange]:
    """Return proposals as they are to be written: new entities first, the rest as they were made."""
    return sorted(proposals, key=lambda p: not isinstance(p.change, CreateEntity))


def apply(
    proposal: ProposedChange, world: World, *, claim: Claim | None = None, ending: bool = True
) -> list[Fact]:
    """Make the change in `world` and return the facts that it added.

    `claim` is what `claim_of` gave for it in this very world, if that was asked already. Without `ending`
    it takes its place beside what it would end, as a claim that is held does.
    Raises MissingError or UnwritableError, with the world as it was.
    """
    change = proposal.change
    match change:
        case CreateEntity():
            world.entities.setdefault(change.entity_id, created(proposal, change))
            return []
        case UpdateEntity():
            return _update(proposal, change, world)
        case MergeEntities():
            return _merge(proposal, change, world)
        case RetconFact():
            return _retcon(change, world)
        case AssertFact() | NoteAxiom() | StateChange() | AdvanceClock() | EndFact():
            return _claim(claim or claim_of(proposal, world), world, ending=ending)
        case _:
            assert_never(change)


def created(proposal: ProposedChange, change: CreateEntity) -> Entity:
    """Return the entity that the proposal would create."""
    return Entity(
        id=change.entity_id,
        universe_id=proposal.universe_id,
        kind=change.entity_kind,
        name=change.name,
        aliases=change.aliases,
        description=change.description,
        is_pc=change.is_pc,
        tags=tuple(dict.fromkeys(change.tags)),
        numbers=change.numbers,
        recorded_at=proposal.created_at,
    )


def _claim(claim: Claim | None, world: World, *, ending: bool) -> list[Fact]:
    assert claim is not None
    first = first_value(claim, world)
    if first is not None:
        world.add(first)
    world.add(claim.fact, ended_by(claim, world) if ending else ())
    return [first, claim.fact] if first is not None else [claim.fact]


def _update(proposal: ProposedChange, change: UpdateEntity, world: World) -> list[Fact]:
    """An entity is put whole; what it was called and how it was described stays, as an alias and a fact."""
    entity = _known(change.entity_id, world)
    renamed = change.name is not None and change.name != entity.name
    aliases = entity.aliases if change.aliases is None else change.aliases
    updated = entity.model_copy(
        update={
            "name": entity.name if change.name is None else change.name,
            "aliases": tuple(dict.fromkeys((*aliases, entity.name))) if renamed else aliases,
            "description": entity.description if change.description is None else change.description,
            "locked": entity.locked if change.locked is None else change.locked,
        }
    )
    world.entities[entity.id] = updated
    statement = " ".join(_what_changed(entity, updated))
    if not statement:
        return []
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.EVENT,
        predicate=UPDATED,
        statement=statement,
        involves=(Involvement(role=SUBJECT, entity_id=entity.id),),
        valid_from=proposal.tick,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    world.add(fact)
    return [fact]


def _what_changed(before: Entity, after: Entity) -> Iterable[str]:
    if after.name != before.name:
        yield f"{before.name} is called {after.name}."
    gone = [alias for alias in before.aliases if alias not in after.aliases]
    new = [alias for alias in after.aliases if alias not in (*before.aliases, before.name)]
    if new:
        yield f"{after.name} is also called {_listed(new)}."
    if gone:
        yield f"{after.name} is no longer called {_listed(gone)}."
    if after.description != before.description:
        yield f"{after.name} was described anew; before: “{before.description}”"


def _merge(proposal: ProposedChange, change: MergeEntities, world: World) -> list[Fact]:
    """What is told of the absorbed one is told of the kept one from now on; where both have a value that
    there is only one of, the kept one's stays."""
    kept, absorbed = _known(change.kept_id, world), _known(change.absorbed_id, world)
    if kept.id == absorbed.id:
        raise UnwritableError(f"{kept.name} and {absorbed.name} are one already")
    names = (*kept.aliases, absorbed.name, *absorbed.aliases)
    world.entities[kept.id] = kept.model_copy(
        update={
            "aliases": tuple(name for name in dict.fromkeys(names) if name != kept.name),
            "description": kept.description or absorbed.description,
            "tags": tuple(dict.fromkeys((*kept.tags, *absorbed.tags))),
            "numbers": {**absorbed.numbers, **kept.numbers},
            "is_pc": kept.is_pc or absorbed.is_pc,
        }
    )
    world.entities[absorbed.id] = absorbed.model_copy(
        update={"status": EntityStatus.MERGED, "merged_into": kept.id}
    )
    moved: list[Fact] = []
    for old in [f for f in world.facts.values() if is_open(f) and _involves(f, absorbed.id)]:
        fact = old.model_copy(
            update={
                "id": derived("fact", proposal.id, old.id),
                "involves": tuple(_moved(old.involves, absorbed.id, kept.id)),
                "proposal_id": proposal.id,
            }
        )
        standing = _standing_instead(fact, old, world)
        slot = slot_of(fact, world.catalogue)
        if standing is not None:
            left = _left_behind(fact, old, kept.id)
            world.add(left, [old])
            moved.append(left)
        elif slot is None or slot.subject != kept.id or borne(kept, slot, world.catalogue) is None:
            world.add(fact, [old])
            moved.append(fact)
    return moved


def _left_behind(fact: Fact, old: Fact, kept_id: Id) -> Fact:
    """Return the event that a fact does not move along: it ends it, and undoing the merge undoes it too."""
    statement = f"Left behind in the merge: {old.statement}"
    return fact.model_copy(
        update={
            "kind": FactKind.EVENT,
            "predicate": MERGED,
            "statement": statement,
            "said": normal(statement),
            "involves": tuple(i for i in fact.involves if i.entity_id == kept_id),
            "value": None,
            "valid_to": None,
            "because": (),
            "form": None,
        }
    )


def _standing_instead(fact: Fact, old: Fact, world: World) -> Fact | None:
    """Return what stands where a moved fact would: another value of the same, or the same said already."""
    slot = slot_of(fact, world.catalogue)
    held = world.holding(slot) if slot else None
    if held is not None and held.id != old.id:
        return held
    alike = (f for f in world.alike(fact) if f.id != old.id and is_in_force(f) and is_open(f))
    return next((f for f in alike if same_thing_said(f, fact, world.catalogue)), None)


def _retcon(change: RetconFact, world: World) -> list[Fact]:
    fact = world.facts.get(change.fact_id)
    if fact is not None:
        retconned = fact.status is FactStatus.RETCONNED
        if change.restore and retconned:
            world.restore(fact)
        elif not change.restore and not retconned:
            world.retcon(fact)
        return []
    entity = world.entities.get(change.fact_id)
    if entity is None:
        raise UnwritableError("what it would retcon is not in canon")
    if entity.status is EntityStatus.MERGED:
        if change.restore:
            _split(entity, world)
    else:
        status = EntityStatus.CANONICAL if change.restore else EntityStatus.RETCONNED
        world.entities[entity.id] = entity.model_copy(update={"status": status})
    return []


def _split(absorbed: Entity, world: World) -> None:
    """Let a merged entity be itself again, and give it back what the other gained by it."""
    gain = world.canon.gains.get(absorbed.id)
    kept = world.entities.get(absorbed.merged_into or "")
    if gain is not None and kept is not None:
        facts = (world.facts.values()) if gain.tags or gain.numbers else ()
        said = {slot_of(f, world.catalogue) for f in facts if is_open(f)}
        tags = [t for t in gain.tags if Slot(IS, kept.id, t.casefold()) not in said]
        numbers = [n for n in gain.numbers if Slot(n, kept.id) not in said]
        world.entities[kept.id] = kept.model_copy(
            update={
                "aliases": tuple(name for name in kept.aliases if name not in gain.names),
                "tags": tuple(tag for tag in kept.tags if tag not in tags),
                "numbers": {key: n for key, n in kept.numbers.items() if key not in numbers},
                "description": "" if kept.description == gain.description else kept.description,
                "is_pc": kept.is_pc and not gain.is_pc,
            }
        )
    world.entities[absorbed.id] = absorbed.model_copy(
        update={"status": EntityStatus.CANONICAL, "merged_into": None}
    )


def _known(entity_id: Id, world: World) -> Entity:
    entity = world.entity(entity_id)
    if entity is None:
        raise MissingError(entity_id)
    return entity


def _involves(fact: Fact, entity_id: Id) -> bool:
    return any(i.entity_id == entity_id for i in fact.involves)


def _moved(involves: Sequence[Involvement], old: Id, new: Id) -> Iterable[Involvement]:
    return (i.model_copy(update={"entity_id": new}) if i.entity_id == old else i for i in involves)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
