"""Values of proposals, and of what they conflict with, that the play and gate screens draw.

A view has no handle; read it again after an event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.workflow import ProposalStatus, ProposedChange, Verdict


@dataclass(frozen=True, slots=True)
class ConflictView:
    """Why a proposal contradicts canon, or another proposal."""

    check_name: str
    """Name of the check that found it."""

    text: str
    other_fact: Fact | None = None
    """The fact that it contradicts."""

    is_certain: bool = True
    """False where it may be harmless."""

    entity_id: Id | None = None
    """The entity that may be the same as the proposed one."""

    is_with_proposal: bool = False
    """Whether what it contradicts is an open proposal itself, and no canon."""

    is_model_doubt: bool = False
    """Whether a model thinks so, and no rule found it: it is a warning."""


@dataclass(frozen=True, slots=True)
class ProposalView:
    """A proposed change as rows draw it."""

    number: int
    """The number that `/accept N` refers to; in a scene it never means another row."""

    member_ids: tuple[Id, ...]
    """The proposals that a verdict on this row decides: its own, and earlier moves of the same clock or number."""

    proposal: ProposedChange
    status: ProposalStatus
    verdict: Verdict | None
    mark: Literal["accept", "reject", "defer", "hold"]
    """What a commit now would do with it; `hold`: it has an unresolved conflict."""

    label: str
    title: str
    group: str
    confidence: float
    reasons: tuple[str, ...] = ()
    diff: tuple[tuple[str, str, str], ...] = ()
    """Lines of (what, before, after)."""

    conflicts: tuple[ConflictView, ...] = ()
    is_critical: bool = False
    quote: str = ""
    is_quotation: bool = True
    """Whether somebody wrote the quote; else it says in the program's words what was done."""
    reading: str = ""
    """How a sentence was read (`read as: Dob Harrow — stole — glass bell`); empty for what is no sentence."""

    turn_number: int | None = None
    is_declared_after_turn: bool = False
    """Whether the quote was typed after that turn, whose words do not have it."""
    similar_matches: tuple[ConflictView, ...] = ()
    """Existing things that resemble it; worth a look, but they hold nothing back."""

    is_marked_by_rule: bool = False
    """Whether a rule of the universe's policy set the mark."""

    is_closed_by_policy: bool = False
    """Whether a commit closed it without a decision of the GM."""

    is_repeated: bool = False
    """Whether another open proposal says the same already."""

    adds_only_evidence: bool = False
    """Whether canon says the same already, so that accepting it adds nothing but its evidence."""

    is_retconned: bool = False
    """Whether what a commit made of it was retconned since."""

    is_scenery: bool = False
    """Whether it is a detail of a place that a model found and held for minor."""

    is_superseded: bool = False
    """Whether something else took its place in canon since: it was so, and is no longer."""

    replaced_ids: tuple[Id, ...] = ()
    """Open proposals whose facts it would replace in the same commit."""

    is_replaced: bool = False
    """Whether another row that is ticked would replace it in the same commit."""


@dataclass(frozen=True, slots=True)
class UndoneDecision:
    """A decision that was taken back."""

    word: str
    """What had been done: `Accepted`."""

    proposal_ids: tuple[Id, ...]
