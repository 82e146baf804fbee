"""What a model doubts about open proposals: beside which sentences they cannot be true, as it thinks.

A doubt is a warning: it holds nothing back. It is kept in memory; the call that raised it is on record, and is read
again after a restart.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from agents.canon_keeper.conflicts.precedents import Precedents
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.proposed_records import fact_from_assertion
from agents.views.proposal_views import ConflictView
from stores.records.canon import AssertFact, Fact
from stores.records.ids import Id
from stores.records.workflow import ProposedChange

MODEL_DOUBT_CHECK: Final = "model_doubt"
"""The name under which doubts stand among what resembles a proposal."""


class ModelDoubt(NamedTuple):
    """That a proposal cannot be true beside a fact, as a model thinks, and why."""

    other: Fact
    why: str = ""
    is_with_proposal: bool = False
    """Whether the fact is another open proposal's."""


def fact_of_sentence(proposal: ProposedChange) -> Fact:
    """Return the fact that a proposed sentence would become."""
    change = proposal.change
    assert isinstance(change, AssertFact)
    return fact_from_assertion(proposal, change)


def sentence_of(proposal: ProposedChange) -> str:
    """Return the sentence that a proposal would make a fact; empty if it is none."""
    change = proposal.change
    is_sentence = isinstance(change, AssertFact) and not change.statement.rstrip().endswith("?")
    return change.statement.strip() if is_sentence and isinstance(change, AssertFact) else ""


class ModelDoubts:
    """The doubts of the proposals that were looked at, each by the sentence that it had then."""

    def __init__(self) -> None:
        self._doubts: dict[tuple[Id, str], tuple[ModelDoubt, ...]] = {}

    def put(self, proposal: ProposedChange, doubts: Sequence[ModelDoubt]) -> None:
        self._doubts[proposal.id, sentence_of(proposal)] = tuple(doubts)

    def is_checked(self, proposal: ProposedChange) -> bool:
        return (proposal.id, sentence_of(proposal)) in self._doubts

    def as_warnings(
        self,
        proposal: ProposedChange,
        claim: Fact | None,
        precedents: Precedents,
        catalogue: Catalogue,
        open_fact_ids: Collection[Id],
        conflicts: Sequence[ConflictView] = (),
    ) -> tuple[ConflictView, ...]:
        """Return the doubts that nothing has settled: no ruling, and no conflict that the checks found themselves.

        `open_fact_ids` are those of the facts that open proposals would make.
        """
        doubts = self._doubts.get((proposal.id, sentence_of(proposal)), ()) if self._doubts else ()
        if not doubts:
            return ()
        conflicting_ids = {c.other_fact.id for c in conflicts if c.other_fact}
        return tuple(
            ConflictView(
                MODEL_DOUBT_CHECK,
                f"The model doubts it: cannot be true beside “{doubt.other.statement.rstrip('.')}”"
                + (f" ({doubt.why})" if doubt.why else ""),
                doubt.other,
                is_certain=False,
                is_with_proposal=doubt.is_with_proposal,
                is_model_doubt=True,
            )
            for doubt in doubts
            if doubt.other.id not in conflicting_ids
            and (not doubt.is_with_proposal or doubt.other.id in open_fact_ids)
            and (claim is None or precedents.find_ruling(claim, doubt.other, catalogue) is None)
        )
