"""Says of a row of proposals whether it waits for a verdict, and whether it may be accepted with all others."""

from __future__ import annotations

from agents.views.proposal_views import ProposalView
from stores.records.canon import MergeEntities
from stores.records.workflow import OPEN_STATUSES, ProposalStatus, Verdict


def is_open(view: ProposalView) -> bool:
    """Return whether a verdict may be set or removed: no commit has closed it."""
    return view.status in OPEN_STATUSES


def is_undecided(view: ProposalView) -> bool:
    """Return whether it waits for a verdict; one that was deferred at the end of its scene waits again."""
    is_deferred_again = view.status is ProposalStatus.DEFERRED and view.verdict is Verdict.DEFER
    return is_open(view) and (view.verdict is None or is_deferred_again)


def is_acceptable_unseen(view: ProposalView) -> bool:
    """Return whether what accepts all at once accepts it: it is undecided, in no conflict, and no rule rejects it.

    Two that become one are looked at by themselves, unless policy ticks that.
    """
    is_merge = isinstance(view.proposal.change, MergeEntities)
    return is_undecided(view) and (view.mark == "accept" or (view.mark == "defer" and not is_merge))
