"""Reads open proposals anew whose sentence names what another proposal made known after it. Pure.

`/fact Nell is in Crow Tower` is a mere sentence while nobody knows the tower, and any number of such may be true. Once
the tower is proposed, it says where Nell is, as it would have if the tower had been known before. If the tower is
rejected or undone, it is a mere sentence again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposed_records import build_entity
from agents.canon_keeper.sentence_facts import read_sentence_fact
from agents.proposals.decisions import is_rejected
from agents.proposals.statements import STATED_PREDICATE
from stores.records.canon import AssertFact, Authority, CreateEntity, FactKind
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity

_WORD: Final = re.compile(r"\w+")

NewNames = Mapping[Id, Sequence[Entity]]
"""By proposal, the proposed entities that its sentence names and that it is not about."""


def find_new_names(proposals: Sequence[ProposedChange]) -> NewNames:
    """Return by proposal the entities of other proposals that the player's sentence has the whole name of."""
    creations_by_word: defaultdict[str, list[tuple[str, ProposedChange, CreateEntity]]] = defaultdict(list)
    for proposal in proposals:
        if isinstance(proposal.change, CreateEntity) and not is_rejected(proposal):
            name = proposal.change.name.casefold()
            if word := _WORD.search(name):
                creations_by_word[word[0]].append((name, proposal, proposal.change))
    new_names: dict[Id, Sequence[Entity]] = {}
    for proposal in proposals if creations_by_word else ():
        change = proposal.change
        if not (isinstance(change, AssertFact) and _is_typed_sentence(proposal, change)):
            continue
        known_ids = {involvement.entity_id for involvement in change.involves}
        statement = change.statement.casefold()
        named = [
            build_entity(creating, creation)
            for word in dict.fromkeys(_WORD.findall(statement))
            for name, creating, creation in creations_by_word.get(word, ())
            if name in statement and creation.entity_id not in known_ids
        ]
        if named:
            new_names[proposal.id] = named
    return new_names


def _is_typed_sentence(proposal: ProposedChange, change: AssertFact) -> bool:
    """Say whether a fact is a mere sentence of the player's; what a model proposes is read by nobody."""
    is_mere_sentence = change.predicate == STATED_PREDICATE and change.fact_kind is FactKind.ATTRIBUTE
    return is_mere_sentence and proposal.authority is Authority.GM


def read_with_new_names(
    proposal: ProposedChange, named: Sequence[Entity], known: Mapping[Id, Entity], catalogue: Catalogue
) -> ProposedChange:
    """Return the proposal with its sentence read as a fact of the catalogue about the named, or as it is.

    `known` has the entities that it is about already.
    """
    change = proposal.change
    assert isinstance(change, AssertFact)
    about = [known[i.entity_id] for i in change.involves if i.entity_id in known]
    fact = read_sentence_fact(
        change.statement.rstrip("."), [*about, *named], catalogue, change.valid_from or 0
    )
    if fact is None or not {i.entity_id for i in fact.involves} & {entity.id for entity in named}:
        return proposal
    update = {name: getattr(fact, name) for name in ("fact_kind", "predicate", "involves", "value")}
    read_change = change.model_copy(update=update)
    decision = proposal.decision
    if decision is not None and decision.edited is not None:
        return proposal.model_copy(update={"decision": decision.model_copy(update={"edited": read_change})})
    return proposal.model_copy(update={"payload": read_change})
