"""Holds secrets back from whoever may not know them. Pure.

A package has the secrets that somebody present may know, each with who may; of the others nothing is left in it, nor in
what was played in their very words. What one character is given has only the secrets that this one may know.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.canon_keeper.proposal_subjects import current_entity
from agents.canon_keeper.proposed_records import fact_from_assertion
from agents.context_assembly.context_package import CanonContext, ContextPackage, KnownSecret, RecalledContext
from agents.prose.struck_words import is_stated, strike_statements
from agents.search.retrieval import OmittedItem
from stores.records.canon import AssertFact, ChangeSecrecy, Fact, Secrecy
from stores.records.ids import Id
from stores.records.memory import Memory
from stores.records.play import Turn
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

MAX_OMISSIONS: Final = 10
"""Secrets held back that are named one by one."""


@dataclass(frozen=True, slots=True)
class UniverseSecrets:
    """The secrets of canon, and those who may know them."""

    facts: tuple[Fact, ...] = ()
    knowers: Mapping[Id, Entity] | None = None
    """By id, with those they were merged into."""


def fold_secrets(
    secrets: Iterable[Fact], proposals: Iterable[ProposedChange], plain_facts: Mapping[Id, Fact]
) -> dict[Id, Fact]:
    """Return by id the secrets as they are once what is proposed holds; what is revealed is none.

    `plain_facts` are facts in view, of which a proposal may make a secret.
    """
    facts = {**plain_facts, **{fact.id: fact for fact in secrets}}
    changed_ids = {fact.id for fact in facts.values() if fact.is_secret}
    for proposal in proposals:
        change = proposal.change
        if isinstance(change, ChangeSecrecy) and change.fact_id in facts:
            fact = facts[change.fact_id]
            facts[fact.id] = fact.model_copy(update={"secrecy": change.after(fact.secrecy)})
            changed_ids.add(fact.id)
        elif isinstance(change, AssertFact):
            staged_fact = fact_from_assertion(proposal, change)
            facts[staged_fact.id] = staged_fact
            changed_ids.add(staged_fact.id)
    return {i: facts[i] for i in facts if i in changed_ids and facts[i].is_secret}


def hold_back_secrets(package: ContextPackage, universe_secrets: UniverseSecrets) -> ContextPackage:
    """Return the package with the secrets that somebody present may know, and without the others."""
    canon, recalled = package.canonical, package.recalled
    facts_in_view = {fact.id: fact for facts in _fact_lists(canon, recalled) for fact in facts}
    secrets = fold_secrets(
        (_with_current_knowers(fact, universe_secrets.knowers or {}) for fact in universe_secrets.facts),
        package.scene.staged_proposals,
        facts_in_view,
    )
    if not secrets:
        return package
    present_ids = {p.entity.id for p in canon.cast if p.is_here and not p.is_dead}
    known, hidden = _split(secrets.values(), present_ids)
    hidden_ids = {fact.id for fact in hidden}
    hidden_statements = [fact.statement for fact in hidden]
    # Those of somebody here stand in a section of their own, with who knows them: a summary says nothing of that.
    secret_statements = [fact.statement for fact in secrets.values()]
    entities = {**(universe_secrets.knowers or {}), **package.scene.entities}
    known = _in_order(known, {p.entity.id for p in (*canon.cast, *canon.named_elsewhere)})
    omitted_items = [
        OmittedItem("secrets", f"held back, as nobody here may know it: {fact.statement}")
        for fact in hidden[:MAX_OMISSIONS]
    ]
    if (unnamed_count := len(hidden) - MAX_OMISSIONS) > 0:
        omitted_items.append(OmittedItem("secrets", f"{unnamed_count:,} more held back"))

    def strike_turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
        return tuple(strike_from_turn(turn, hidden_statements) for turn in turns)

    def strike_texts(texts: Iterable[str], statements: Sequence[str] = hidden_statements) -> tuple[str, ...]:
        return tuple(filter(None, (strike_statements(text, statements) for text in texts)))

    agenda, narrative, story = package.agenda, package.narrative, package.scene.story
    recap = strike_statements(story.recap, hidden_statements)
    return replace(
        package,
        scene=replace(package.scene, story=story.model_copy(update={"recap": recap})),
        agenda=replace(agenda, threads=tuple(t for t in agenda.threads if t.id not in hidden_ids)),
        canonical=replace(
            canon,
            facts=_without(canon.facts, secrets),
            relations=_without(canon.relations, secrets),
            stays=_without(canon.stays, secrets),
            encounters=_without(canon.encounters, secrets),
            assertions=_without(canon.assertions, secrets),
            axioms=_without(canon.axioms, hidden_ids),
            settled_commitments=_without(canon.settled_commitments, hidden_ids),
            nearby_relations=_without(canon.nearby_relations, secrets),
            lore=_without(canon.lore, hidden_ids),
            secrets=tuple(_build_known_secret(fact, entities) for fact in known),
        ),
        narrative=replace(
            narrative,
            recent_turns=strike_turns(narrative.recent_turns),
            previous_scene_turns=strike_turns(narrative.previous_scene_turns),
            previous_outcome=strike_statements(narrative.previous_outcome, hidden_statements),
            summary_lines=strike_texts(narrative.summary_lines, secret_statements),
            notes=strike_texts(narrative.notes),
        ),
        recalled=replace(
            recalled,
            facts=_without(recalled.facts, secrets),
            passages=tuple(
                replace(p, turn=strike_from_turn(p.turn, hidden_statements)) for p in recalled.passages
            ),
            scenes=tuple(
                replace(s, text=text)
                for s in recalled.scenes
                if (text := strike_statements(s.text, secret_statements))
            ),
            memories_by_entity={
                entity_id: drop_untold_memories(memories, entity_id, secrets.values())
                for entity_id, memories in recalled.memories_by_entity.items()
            },
        ),
        omitted_items=(*package.omitted_items, *omitted_items),
    )


def describe_knowers(fact: Fact, entities: Mapping[Id, Entity]) -> str:
    """Return that a fact is a secret, and who may know it; empty for one that is none."""
    if not fact.is_secret or fact.secrecy is None:
        return ""
    names = [entity.name for i in fact.secrecy.known_to if (entity := current_entity(i, entities))]
    return f"secret; known to: {', '.join(dict.fromkeys(names)) or 'the GM alone'}"


def drop_untold_memories(
    memories: Iterable[Memory], entity_id: Id, secrets: Iterable[Fact]
) -> tuple[Memory, ...]:
    """Return the memories without those of secrets that this character may not know."""
    untold = [fact for fact in secrets if not fact.is_known_to_any({entity_id})]
    untold_ids = {fact.id for fact in untold}
    return tuple(
        memory
        for memory in memories
        if memory.linked_fact_id not in untold_ids
        and not any(is_stated(memory.text, fact.statement) for fact in untold)
    )


def strike_from_turn(turn: Turn, statements: Sequence[str]) -> Turn:
    """Return the turn without the sentences that state one of these."""
    text = strike_statements(turn.text, statements)
    return turn if text == turn.text else turn.model_copy(update={"text": text})


def _fact_lists(canon: CanonContext, recalled: RecalledContext) -> tuple[tuple[Fact, ...], ...]:
    return (
        *(canon.facts, canon.relations, canon.stays, canon.encounters, canon.assertions, canon.axioms),
        *(canon.settled_commitments, canon.nearby_relations, canon.lore, recalled.facts),
    )


def _split(secrets: Iterable[Fact], present_ids: Collection[Id]) -> tuple[list[Fact], list[Fact]]:
    """Return the secrets that somebody present may know, and the others."""
    known: list[Fact] = []
    hidden: list[Fact] = []
    for fact in secrets:
        (known if fact.is_known_to_any(present_ids) else hidden).append(fact)
    return known, hidden


def _in_order(known: Sequence[Fact], ids_in_view: Collection[Id]) -> list[Fact]:
    """Return secrets in the order of their weight for the scene: those about somebody in view last, and the newest."""

    def rank(fact: Fact) -> tuple[bool, float]:
        is_in_view = any(i.entity_id in ids_in_view for i in fact.involves)
        return is_in_view, fact.recorded_at.timestamp()

    return sorted(known, key=rank)


def _without(facts: Iterable[Fact], ids: Collection[Id]) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if fact.id not in ids)


def _with_current_knowers(fact: Fact, entities: Mapping[Id, Entity]) -> Fact:
    """Return a secret known to those whom its knowers were merged into."""
    if fact.secrecy is None:
        return fact
    current_entities = ((i, current_entity(i, entities)) for i in fact.secrecy.known_to)
    known_to = dict.fromkeys(entity.id if entity else i for i, entity in current_entities)
    return fact.model_copy(update={"secrecy": Secrecy(known_to=tuple(known_to))})


def _build_known_secret(fact: Fact, entities: Mapping[Id, Entity]) -> KnownSecret:
    knower_ids = fact.secrecy.known_to if fact.secrecy else ()
    return KnownSecret(fact, tuple(entities[i].name for i in knower_ids if i in entities))
