"""Reads the decision on a proposal, and rejects decisions that come too late. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from stores.errors import InputError
from stores.queries import ProposalCounts
from stores.records.canon import CreateEntity
from stores.records.workflow import OPEN_STATUSES, Decision, ProposalStatus, ProposedChange, Verdict

BY_POLICY: Final = "policy"
"""Who decided when nobody did. Such a decision is made anew at the next commit."""

BY_RULING: Final = "court"
"""Who decided what only carries a ruling out: the GM ruled, and took no view of each such change."""


VERDICT_WORDS: Final[Mapping[Verdict | None, str]] = {
    Verdict.ACCEPT: "Accepted",
    Verdict.REJECT: "Rejected",
    Verdict.FLAVOUR: "Just flavour",
    Verdict.DEFER: "Deferred",
    Verdict.UNDO: "Undone",
    None: "Undecided again",
}
"""What a verdict made of a proposal; None: a verdict was removed."""


SETTLING_VERDICTS: Final = (Verdict.ACCEPT, Verdict.REJECT, Verdict.FLAVOUR)
"""Verdicts that a commit closes a proposal over."""

CAME_TO_NOTHING: Final = "Its steps came to nothing: all was as canon had it."
"""Why a commit closes steps that have no row, and writes none of them."""

NOTHING_DECIDED: Final = "Nothing was decided."


def gm_decision(proposal: ProposedChange) -> Decision | None:
    """Return what somebody decided of the proposal; what policy decided of it does not count."""
    decision = proposal.decision
    return decision if decision is not None and decision.by != BY_POLICY else None


def is_rejected(proposal: ProposedChange) -> bool:
    decision = gm_decision(proposal)
    return decision is not None and decision.verdict in (Verdict.REJECT, Verdict.FLAVOUR)


def keep_edit(before: Decision | None, decision: Decision | None) -> Decision | None:
    """Return a decision with the edit that the one before it made; to take a decision back drops the edit, too.

    Who may know a fact is such an edit: accepted once more, or put off and accepted later, it stays a secret.
    """
    if decision is None or decision.edited is not None or before is None or before.edited is None:
        return decision
    return decision.model_copy(update={"edited": before.edited})


def came_to_nothing(proposal: ProposedChange) -> bool:
    """Return whether a commit closed it as a step of what was in the end as canon had it: nobody rejected it."""
    decision = proposal.decision
    return decision is not None and decision.by == BY_POLICY and decision.reason == CAME_TO_NOTHING


def is_undone(proposal: ProposedChange) -> bool:
    """Return whether the proposal was undone by itself, and not with its turn."""
    return proposal.decision is not None and proposal.decision.verdict is Verdict.UNDO


def undo_decision(decision: Decision | None, at: datetime) -> Decision:
    """Return the decision that undoes a proposal and keeps what was decided of it before."""
    if decision is None:
        return Decision(verdict=Verdict.UNDO, by="gm", at=at)
    return decision.model_copy(update={"verdict": Verdict.UNDO, "at": at, "set_aside": decision.verdict})


def decision_before_undo(undo: Decision | None) -> Decision | None:
    """Return what was decided of a proposal before it was undone; None if nothing was."""
    if undo is None or undo.set_aside is None:
        return None
    return undo.model_copy(update={"verdict": undo.set_aside, "set_aside": None})


def require_decidable(proposal: ProposedChange, decision: Decision | None, *, alone: bool) -> None:
    """Raise InputError if the decision comes too late, or edits what it may not."""
    if proposal.status is ProposalStatus.WITHDRAWN:
        raise InputError("It is undone.", kept=NOTHING_DECIDED, todo="Redo it, to decide it.")
    if proposal.status not in OPEN_STATUSES:
        undo_words = (
            "proposes it again, undecided"
            if proposal.status is ProposalStatus.REJECTED
            else "proposes what takes it back"
        )
        raise InputError(
            f"It was {proposal.status} by a commit, which closed over it.",
            kept=NOTHING_DECIDED,
            todo=f"At the gate (F3), u on its row {undo_words}.",
        )
    edited = decision.edited if decision else None
    if edited is None:
        return
    if not alone:
        raise InputError("An edit is of one proposal.", kept=NOTHING_DECIDED)
    same_entity = not isinstance(edited, CreateEntity) or (
        isinstance(proposal.payload, CreateEntity) and edited.entity_id == proposal.payload.entity_id
    )
    if edited.kind != proposal.payload.kind or not same_entity:
        raise InputError("An edit cannot make it another kind of change.", kept=NOTHING_DECIDED)


def count_waiting(counts: ProposalCounts) -> int:
    """Return how many of a document's proposals wait in its review: open ones that were not taken back with it."""
    return sum(
        count
        for (status, verdict), count in counts.items()
        if status in OPEN_STATUSES and verdict != Verdict.UNDO
    )


def count_undecided(counts: Mapping[tuple[ProposalStatus, Verdict | None], int]) -> int:
    """Return how many of those that wait have no verdict."""
    return sum(
        count for (status, verdict), count in counts.items() if status in OPEN_STATUSES and verdict is None
    )
