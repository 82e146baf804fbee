"""The facts that hold on a scene's line: those of canon, and what is proposed and replaces or ends them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.fact_readings import LOCATED_IN
from agents.canon_keeper.proposal_subjects import named_facts
from agents.canon_keeper.proposed_records import fact_from_assertion
from agents.context_assembly.context_package import ContextPackage
from agents.context_assembly.known_secrets import fold_secrets
from stores.records.canon import AssertFact, ChangeSecrecy, Fact, FactKind
from stores.records.ids import Id
from stores.records.workflow import ProposedChange

_SEPARATE_KINDS: Final = frozenset({FactKind.COMMITMENT, FactKind.LORE})
"""Kinds that stand in a prompt as open matters, or by their keys alone."""


@dataclass(frozen=True, slots=True)
class LiveFact:
    """A fact of canon or a proposed one, and whether a proposal ends it."""

    fact: Fact
    is_proposed: bool = False
    is_ending: bool = False


def find_live_facts(package: ContextPackage) -> list[LiveFact]:
    """Return the facts and relations in view as they hold on the line, secrets aside, the newest last.

    What a proposed value replaces is left out: the new value says enough. What a proposal only ends is marked.
    """
    canon, proposals = package.canonical, package.scene.staged_proposals
    replaced_ids, ended_ids = _find_replaced_ids(proposals), _find_ended_ids(proposals)
    live_facts = [
        LiveFact(fact, is_ending=fact.id in ended_ids)
        for fact in (*canon.facts, *canon.relations, *canon.stays)
        if fact.id not in replaced_ids
    ]
    live_facts += (
        LiveFact(fact, is_proposed=True)
        for fact in find_proposed_facts(package)
        if fact.kind is not FactKind.ASSERTION
    )
    return list({live_fact.fact.id: live_fact for live_fact in live_facts}.values())


def find_ids_ended_on_line(package: ContextPackage) -> set[Id]:
    """Return the facts of canon that a proposal on the line ends or replaces, earlier stays among them."""
    proposals, live_facts = package.scene.staged_proposals, find_live_facts(package)
    stays = [f.fact for f in live_facts if f.fact.predicate == LOCATED_IN]
    last_stays = {i: find_stay(live_facts, i) for i in {stay.entity("subject") for stay in stays} if i}
    earlier_stay_ids = {stay.id for stay in stays} - {stay.id for stay in last_stays.values() if stay}
    return {*_find_replaced_ids(proposals), *_find_ended_ids(proposals), *earlier_stay_ids}


def find_proposed_facts(package: ContextPackage) -> Iterator[Fact]:
    """Yield the facts that are proposed on the line and that no later proposal ends.

    They were narrated, and hold until they are rejected.
    """
    proposals = package.scene.staged_proposals
    secret_ids = fold_secrets((), proposals, {}).keys()
    over_ids = _find_replaced_ids(proposals) | _find_ended_ids(proposals)
    for proposal in proposals:
        change = proposal.change
        if isinstance(change, AssertFact) and change.fact_kind not in _SEPARATE_KINDS:
            fact_id = fact_id_of(proposal)
            if fact_id not in secret_ids and fact_id not in over_ids:
                yield fact_from_assertion(proposal, change)


def find_stay(live_facts: Iterable[LiveFact], entity_id: Id) -> Fact | None:
    """Return the fact that says where somebody or something is now; None if none does."""
    stays = [
        live_fact.fact
        for live_fact in live_facts
        if live_fact.fact.predicate == LOCATED_IN
        and live_fact.fact.entity("subject") == entity_id
        and not live_fact.is_ending
    ]
    return max(stays, key=_newness, default=None)


def sort_by_subject(live_facts: Iterable[LiveFact], ids_by_weight: Collection[Id]) -> list[LiveFact]:
    """Return the facts grouped by whom they are about, the weightiest last: too long a list loses its beginning.

    `ids_by_weight` are the weightiest subjects, from the least of them up.
    """
    ranks = {entity_id: rank for rank, entity_id in enumerate(ids_by_weight, start=1)}

    def rank_of(live_fact: LiveFact) -> int:
        subject_id = live_fact.fact.entity("subject")
        involved_ids = [i.entity_id for i in live_fact.fact.involves]
        return ranks.get(subject_id or "") or max((ranks.get(i, 0) for i in involved_ids), default=0)

    return sorted(live_facts, key=rank_of)


def _newness(fact: Fact) -> tuple[int, float]:
    return fact.valid_from or 0, fact.recorded_at.timestamp()


def _find_replaced_ids(proposals: Iterable[ProposedChange]) -> set[Id]:
    return {i for p in proposals if isinstance(p.change, AssertFact) for i in p.change.ends}


def _find_ended_ids(proposals: Iterable[ProposedChange]) -> set[Id]:
    return {
        fact_id
        for p in proposals
        if not isinstance(p.change, AssertFact | ChangeSecrecy)
        for fact_id in named_facts(p.change)
    }
