"""Applies a proposal to a draft of canon: what each kind of change does to entities and facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from agents.canon_keeper.canon_draft import CanonDraft
from agents.canon_keeper.fact_claims import (
    FactClaim,
    MissingError,
    UnwritableError,
    build_claim,
    facts_ended_by,
    first_value_fact,
)
from agents.canon_keeper.fact_ids import fact_id_of, with_own_id
from agents.canon_keeper.fact_readings import (
    IS,
    MERGED_PREDICATE,
    SUBJECT,
    UPDATED_PREDICATE,
    FactKey,
    fact_key_of,
    is_in_force,
    is_open,
    is_same_statement,
)
from agents.canon_keeper.proposed_records import build_entity
from agents.canon_keeper.sheet_values import sheet_value_of
from agents.name_forms import join_names
from agents.proposals.statements import STATED_PREDICATE, as_sentence
from stores.records.canon import (
    AdvanceClock,
    AssertFact,
    ChangeSecrecy,
    CreateEntity,
    EndFact,
    Fact,
    FactKind,
    FactStatus,
    Involvement,
    MergeEntities,
    NoteAxiom,
    RetconFact,
    Secrecy,
    StateChange,
    UpdateEntity,
    normalize_statement,
)
from stores.records.ids import Id, derive_id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityStatus


def in_writing_order(proposals: Iterable[ProposedChange]) -> list[ProposedChange]:
    """Return proposals as they are to be written: new entities first, the rest as they were made."""
    return sorted(proposals, key=lambda p: not isinstance(p.change, CreateEntity))


def apply_change(
    proposal: ProposedChange, draft: CanonDraft, *, claim: FactClaim | None = None, ends_others: bool = True
) -> list[Fact]:
    """Apply the change to `draft` and return the facts that it added.

    `claim` is the result of `build_claim` in this draft, if it is known already. Without `ends_others` the facts that
    it would end stay current, as for a claim that a conflict holds back.
    Raises MissingError or UnwritableError, with the draft unchanged.
    """
    change = proposal.change
    match change:
        case CreateEntity():
            known_entity = draft.entities.get(change.entity_id)
            if known_entity is None or known_entity.status is EntityStatus.RETCONNED:
                draft.entities[change.entity_id] = build_entity(proposal, change)
            return []
        case UpdateEntity():
            return _apply_update(proposal, change, draft)
        case MergeEntities():
            return _apply_merge(proposal, change, draft)
        case RetconFact():
            return _apply_retcon(change, draft)
        case ChangeSecrecy():
            return _apply_secrecy(change, draft)
        case AssertFact() | NoteAxiom() | StateChange() | AdvanceClock() | EndFact():
            return _apply_claim(claim or build_claim(proposal, draft), draft, ends_others=ends_others)
        case _:
            assert_never(change)


def _apply_claim(claim: FactClaim | None, draft: CanonDraft, *, ends_others: bool) -> list[Fact]:
    assert claim is not None
    first_fact = first_value_fact(claim, draft)
    if first_fact is not None:
        draft.add_fact(first_fact)
    draft.add_fact(claim.fact, facts_ended_by(claim, draft) if ends_others else ())
    return [first_fact, claim.fact] if first_fact is not None else [claim.fact]


def _apply_update(proposal: ProposedChange, change: UpdateEntity, draft: CanonDraft) -> list[Fact]:
    """An entity is put whole; what it was called and how it was described stays, as an alias and a fact.

    An edit that takes another back leaves neither: the fact that reports the other is retconned.
    """
    entity = _require_entity(change.entity_id, draft)
    is_renamed = change.name is not None and change.name != entity.name
    aliases = entity.aliases if change.aliases is None else change.aliases
    updated_entity = entity.model_copy(
        update={
            "name": entity.name if change.name is None else change.name,
            "aliases": tuple(dict.fromkeys((*aliases, entity.name)))
            if is_renamed and change.takes_back is None
            else aliases,
            "description": entity.description if change.description is None else change.description,
            "locked": entity.locked if change.locked is None else change.locked,
        }
    )
    draft.entities[entity.id] = updated_entity
    if change.takes_back is not None:
        report = draft.facts.get(change.takes_back)
        if report is not None and report.status is not FactStatus.RETCONNED:
            draft.retcon_fact(report)
        return []
    statement = " ".join(_change_sentences(entity, updated_entity))
    if not statement:
        return []
    fact = Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.EVENT,
        predicate=UPDATED_PREDICATE,
        statement=statement,
        involves=(Involvement(role=SUBJECT, entity_id=entity.id),),
        valid_from=proposal.tick,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )
    fact = with_own_id(fact, draft.facts)
    draft.add_fact(fact)
    return [fact]


def _change_sentences(before: Entity, after: Entity) -> Iterable[str]:
    if after.name != before.name:
        yield f"{before.name} is called {after.name}."
    removed_aliases = [alias for alias in before.aliases if alias not in after.aliases]
    added_aliases = [alias for alias in after.aliases if alias not in (*before.aliases, before.name)]
    if added_aliases:
        yield f"{after.name} is also called {join_names(added_aliases)}."
    if removed_aliases:
        yield f"{after.name} is no longer called {join_names(removed_aliases)}."
    if after.description != before.description:
        yield f"{after.name} has a new description; before: “{before.description}”"


def _apply_merge(proposal: ProposedChange, change: MergeEntities, draft: CanonDraft) -> list[Fact]:
    """Move the facts of the absorbed entity to the one that it is merged into.

    Where both have a value that there is only one of, the kept one's stays; another description is a fact of it then.
    """
    kept_entity, absorbed_entity = (
        _require_entity(change.kept_id, draft),
        _require_entity(change.absorbed_id, draft),
    )
    if kept_entity.id == absorbed_entity.id:
        raise UnwritableError(f"{kept_entity.name} and {absorbed_entity.name} are the same already")
    names = (*kept_entity.aliases, absorbed_entity.name, *absorbed_entity.aliases)
    draft.entities[kept_entity.id] = kept_entity.model_copy(
        update={
            "aliases": _other_names(names, kept_entity.name),
            "description": kept_entity.description or absorbed_entity.description,
            "tags": tuple(dict.fromkeys((*kept_entity.tags, *absorbed_entity.tags))),
            "numbers": {**absorbed_entity.numbers, **kept_entity.numbers},
            "is_pc": kept_entity.is_pc or absorbed_entity.is_pc,
        }
    )
    draft.entities[absorbed_entity.id] = absorbed_entity.model_copy(
        update={"status": EntityStatus.MERGED, "merged_into": kept_entity.id}
    )
    moved_facts: list[Fact] = []
    for old in [f for f in draft.facts.values() if is_open(f) and _involves(f, absorbed_entity.id)]:
        fact = old.model_copy(
            update={
                "id": derive_id("fact", proposal.id, old.id),
                "involves": tuple(_moved_involvements(old.involves, absorbed_entity.id, kept_entity.id)),
                "secrecy": _moved_secrecy(old.secrecy, absorbed_entity.id, kept_entity.id),
                "proposal_id": proposal.id,
            }
        )
        fact_in_place = _fact_in_its_place(fact, old, draft)
        fact_key = fact_key_of(fact, draft.catalogue)
        if fact_in_place is not None:
            left_behind_event = _left_behind_event(fact, old, kept_entity.id)
            draft.add_fact(left_behind_event, [old])
            moved_facts.append(left_behind_event)
        elif (
            fact_key is None
            or fact_key.subject != kept_entity.id
            or sheet_value_of(kept_entity, fact_key, draft.catalogue) is None
        ):
            draft.add_fact(fact, [old])
            moved_facts.append(fact)
    described_fact = _describe_as(kept_entity, absorbed_entity, proposal)
    if described_fact is not None and not any(
        is_same_statement(described_fact, f, draft.catalogue) for f in draft.similar_facts(described_fact)
    ):
        described_fact = with_own_id(described_fact, draft.facts)
        draft.add_fact(described_fact)
        moved_facts.append(described_fact)
    return moved_facts


def _describe_as(kept_entity: Entity, absorbed_entity: Entity, proposal: ProposedChange) -> Fact | None:
    """Return what was said of who or what is merged away as a fact of the kept one; None if that says nothing new."""
    description = absorbed_entity.description.strip()
    if not kept_entity.description or description.casefold() in ("", kept_entity.description.casefold()):
        return None
    is_noun = description.partition(" ")[0].casefold() in ("a", "an", "the")
    words = f" is {description[0].lower()}{description[1:]}" if is_noun else f": {description}"
    return Fact(
        id=fact_id_of(proposal),
        universe_id=proposal.universe_id,
        kind=FactKind.ATTRIBUTE,
        predicate=STATED_PREDICATE,
        statement=as_sentence(f"{kept_entity.name}{words}"),
        involves=(Involvement(role=SUBJECT, entity_id=kept_entity.id),),
        valid_from=proposal.tick,
        authority=proposal.authority,
        proposal_id=proposal.id,
        recorded_at=proposal.created_at,
    )


def _left_behind_event(fact: Fact, old: Fact, kept_id: Id) -> Fact:
    """Return the event that a fact does not move along: it ends it, and undoing the merge undoes it too."""
    statement = f"Not moved in the merge: {old.statement}"
    return fact.model_copy(
        update={
            "kind": FactKind.EVENT,
            "predicate": MERGED_PREDICATE,
            "statement": statement,
            "statement_key": normalize_statement(statement),
            "involves": tuple(i for i in fact.involves if i.entity_id == kept_id),
            "value": None,
            "valid_to": None,
            "because": (),
            "form": None,
        }
    )


def _fact_in_its_place(fact: Fact, old: Fact, draft: CanonDraft) -> Fact | None:
    """Return what stands where a moved fact would: another value of the same, or the same said already."""
    fact_key = fact_key_of(fact, draft.catalogue)
    current_fact = draft.current_fact(fact_key) if fact_key else None
    if current_fact is not None and current_fact.id != old.id:
        return current_fact
    similar_facts = (f for f in draft.similar_facts(fact) if f.id != old.id and is_in_force(f) and is_open(f))
    return next((f for f in similar_facts if is_same_statement(fact, f, draft.catalogue)), None)


def _apply_retcon(change: RetconFact, draft: CanonDraft) -> list[Fact]:
    fact = draft.facts.get(change.fact_id)
    if fact is not None:
        is_retconned = fact.status is FactStatus.RETCONNED
        if change.restore and is_retconned:
            draft.restore_fact(fact)
        elif not change.restore and not is_retconned:
            draft.retcon_fact(fact)
        return []
    entity = draft.entities.get(change.fact_id)
    if entity is None:
        raise UnwritableError("what it would retcon is not in canon")
    if entity.status is EntityStatus.MERGED:
        if change.restore:
            _split_entity(entity, draft)
    else:
        status = EntityStatus.CANONICAL if change.restore else EntityStatus.RETCONNED
        draft.entities[entity.id] = entity.model_copy(update={"status": status})
    return []


def _apply_secrecy(change: ChangeSecrecy, draft: CanonDraft) -> list[Fact]:
    fact = draft.facts.get(change.fact_id)
    if fact is None:
        raise UnwritableError("the fact that it speaks of is not in canon")
    secrecy = change.after(fact.secrecy)
    if secrecy is None:
        raise UnwritableError("that fact is no secret")
    draft.change_secrecy(fact, secrecy)
    return []


def _split_entity(absorbed_entity: Entity, draft: CanonDraft) -> None:
    """Let a merged entity be itself again, and give it back what the other gained by it."""
    gain = draft.canon.gains.get(absorbed_entity.id)
    kept_entity = draft.entities.get(absorbed_entity.merged_into or "")
    if gain is not None and kept_entity is not None:
        facts = (draft.facts.values()) if gain.tags or gain.numbers else ()
        stated_keys = {fact_key_of(f, draft.catalogue) for f in facts if is_open(f)}
        tags = [t for t in gain.tags if FactKey(IS, kept_entity.id, t.casefold()) not in stated_keys]
        numbers = [n for n in gain.numbers if FactKey(n, kept_entity.id) not in stated_keys]
        draft.entities[kept_entity.id] = kept_entity.model_copy(
            update={
                "aliases": tuple(name for name in kept_entity.aliases if name not in gain.names),
                "tags": tuple(tag for tag in kept_entity.tags if tag not in tags),
                "numbers": {key: n for key, n in kept_entity.numbers.items() if key not in numbers},
                "description": "" if kept_entity.description == gain.description else kept_entity.description,
                "is_pc": kept_entity.is_pc and not gain.is_pc,
            }
        )
    draft.entities[absorbed_entity.id] = absorbed_entity.model_copy(
        update={"status": EntityStatus.CANONICAL, "merged_into": None}
    )


def _require_entity(entity_id: Id, draft: CanonDraft) -> Entity:
    entity = draft.entity(entity_id)
    if entity is None:
        raise MissingError(entity_id)
    return entity


def _involves(fact: Fact, entity_id: Id) -> bool:
    return any(i.entity_id == entity_id for i in fact.involves)


def _moved_involvements(involves: Sequence[Involvement], old: Id, new: Id) -> Iterable[Involvement]:
    return (i.model_copy(update={"entity_id": new}) if i.entity_id == old else i for i in involves)


def _other_names(names: Iterable[str], own_name: str) -> tuple[str, ...]:
    """Return the names without those that are the own one, whatever its capitals: that finds it already."""
    return tuple(name for name in dict.fromkeys(names) if name.casefold() != own_name.casefold())


def _moved_secrecy(secrecy: Secrecy | None, old: Id, new: Id) -> Secrecy | None:
    if secrecy is None or old not in secrecy.known_to:
        return secrecy
    known_to = dict.fromkeys(new if i == old else i for i in secrecy.known_to)
    return secrecy.model_copy(update={"known_to": tuple(known_to)})
