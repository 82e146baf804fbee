"""Says of a debt that it may be one which is proposed already, with the short name or with fewer words. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from agents.canon_keeper.proposal_description import stated_title
from agents.proposals.decisions import is_rejected
from stores.records.canon import AssertFact
from stores.records.workflow import ProposedChange


def describe_same_debts(
    proposals: Collection[ProposedChange], staged: Collection[ProposedChange]
) -> Iterator[str]:
    """Yield a line on each debt among staged proposals that one of these may be, too."""
    own_ids = {proposal.id for proposal in proposals}
    for proposal in proposals:
        for other in staged:
            if other.id not in own_ids and may_be_same_debt(proposal, other):
                yield describe_same_debt(stated_title(other.change))


def describe_same_debt(title: str) -> str:
    """Return the line on a debt that a new one may be."""
    return f"≈ “{title}” may be the same debt: reject one of the two if it is."


def may_be_same_debt(one: ProposedChange, other: ProposedChange) -> bool:
    """Say whether a debt of the same two is told with more words or fewer: `four coins`, `four coins for the lamp`."""
    debts = [
        p.change for p in (one, other) if isinstance(p.change, AssertFact) and p.change.predicate == "owes"
    ]
    if len(debts) < 2 or is_rejected(other) or set(debts[0].involves) != set(debts[1].involves):
        return False
    # Names may be the short or the full ones.
    words, other_words = (
        {word for word in debt.statement.rstrip(".").split() if word[0].islower()} for debt in debts
    )
    return words <= other_words or other_words <= words
