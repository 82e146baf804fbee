"""Puts the proposals of one line of turns in order. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stores.records.workflow import NEXT_COMMIT_STATUSES, ProposedChange


def sort_in_line_order(proposals: Sequence[ProposedChange]) -> tuple[ProposedChange, ...]:
    """Sort the proposals of one line in its order.

    What happened earlier on the line comes first, even if it was proposed later, after an undo. World time
    only rises along a line; proposals without a time keep their place.
    """
    timed_proposals = iter(sorted((p for p in proposals if p.tick is not None), key=lambda p: p.tick or 0))
    return tuple(next(timed_proposals) if p.tick is not None else p for p in proposals)


def sort_as_made(proposals: Iterable[ProposedChange]) -> tuple[ProposedChange, ...]:
    """Sort proposals in the order of the line; those of one moment keep the order in which they were made."""
    return sort_in_line_order(sorted(proposals, key=lambda proposal: proposal.created_at))


def select_for_next_commit(undecided: Iterable[ProposedChange]) -> tuple[ProposedChange, ...]:
    """Return the proposals that their scene's next commit closes, rejected ones too, in the order of the line."""
    return sort_in_line_order([p for p in undecided if p.status in NEXT_COMMIT_STATUSES])
