"""The ids of the facts that a proposal becomes. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from stores.records.canon import Fact, FactStatus
from stores.records.ids import Id, derive_id, derive_ordered_id
from stores.records.workflow import ProposalStatus, ProposedChange

_LASTING_FIELDS = (
    "kind",
    "predicate",
    "statement",
    "involves",
    "value",
    "scope",
    "severity",
    "valid_from",
    "authority",
    "standing",
    "because",
    "form",
    "clock",
    "lore",
)
"""What a fact says, which no commit changes."""


@lru_cache(maxsize=10_000)
def _derive_first_fact_id(proposal_id: Id, is_ordered: bool) -> Id:
    return derive_ordered_id("fact", proposal_id) if is_ordered else derive_id("fact", proposal_id)


def first_fact_id(proposal: ProposedChange) -> Id:
    """Return the id of the fact that a proposal becomes when it is committed for the first time."""
    return _derive_first_fact_id(proposal.id, proposal.is_fact_id_ordered)


def fact_id_of(proposal: ProposedChange) -> Id:
    """Return the id of the fact that a proposal becomes: a commit done twice is done once."""
    decided_id = proposal.decision.fact_id if proposal.decision else None
    return decided_id or first_fact_id(proposal)


def next_fact_id(fact_id: Id) -> Id:
    """Return the id of what a proposal says after `fact_id`, which it said before, was taken back."""
    return derive_id("fact", "said otherwise", fact_id)


def is_open_again(proposal: ProposedChange) -> bool:
    """Return whether a commit wrote an open proposal and was undone since."""
    return proposal.status is ProposalStatus.PENDING and proposal.canonization_id is not None


def with_own_id(fact: Fact, facts: Mapping[Id, Fact]) -> Fact:
    """Return the fact under an id that says nothing else in `facts`.

    What a proposal said and that was taken back becomes the same fact again, so that what refers to it still does. A
    fact in canon never changes its words: what is said otherwise since is another fact.
    """
    fact_id = fact.id
    while (
        (known := facts.get(fact_id)) and known.status is FactStatus.RETCONNED and not _says_same(known, fact)
    ):
        fact_id = next_fact_id(fact_id)
    return fact if fact_id == fact.id else fact.model_copy(update={"id": fact_id})


def _says_same(fact: Fact, other: Fact) -> bool:
    is_secret_alike = (fact.secrecy is None) == (other.secrecy is None)
    return is_secret_alike and all(getattr(fact, f) == getattr(other, f) for f in _LASTING_FIELDS)
