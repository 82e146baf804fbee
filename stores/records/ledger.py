"""What is proposed, decided and done, and by whom: proposals, commits, transitions, checkpoints.

Source: design/ontology.md, "Narrative log"; design/loops.md, "Recovery".
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field

from stores.records.base import Record
from stores.records.canon import Authority, CanonBatch, Evidence, Payload
from stores.records.ids import Id


class ProposalStatus(StrEnum):
    """`WITHDRAWN` is never stored: it is what a proposal is while its turn is off the line."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DEFERRED = "deferred"
    WITHDRAWN = "withdrawn"
    FAILED = "failed"


class Verdict(StrEnum):
    """What was decided of a proposal. `COLOUR`: reject, and remember the kind as mere colour."""

    ACCEPT = "accept"
    REJECT = "reject"
    COLOUR = "colour"
    DEFER = "defer"


class Decision(Record):
    """A verdict, with the edited payload if the GM changed the proposal before accepting it."""

    verdict: Verdict
    by: str
    at: datetime
    reason: str = ""
    edited: Payload | None = None


class ProposedChange(Record):
    """A change that would become canon. It counts while `turn_id` is on its scene's line.

    `turn_id` None hangs on the scene itself. `unless_turn` makes it count only while that turn is
    *off* the line (an undone exchange whose facts are in canon already proposes to retcon them).
    `decision` may be taken back until a commit closes over it; then `status` says how it ended.
    """

    id: Id
    universe_id: Id
    story_id: Id | None = None
    scene_id: Id | None = None
    turn_id: Id | None = None
    unless_turn: Id | None = None
    payload: Payload
    evidence: tuple[Evidence, ...] = ()
    authority: Authority
    tick: int | None = None
    critical: bool = False
    status: ProposalStatus = ProposalStatus.PENDING
    decision: Decision | None = None
    error: str = ""
    canonization_id: Id | None = None
    created_at: datetime

    @property
    def change(self) -> Payload:
        """The payload as it would be committed: the GM's edit if there is one."""
        return self.decision.edited if self.decision and self.decision.edited else self.payload


class CanonizationState(StrEnum):
    """`DROPPED`: planned, but a crash came before canon was touched; the gate opens again."""

    PLANNED = "planned"
    WRITTEN = "written"
    CLOSED = "closed"
    DROPPED = "dropped"


class Outcome(Record):
    """How one proposal ends when its commit closes."""

    proposal_id: Id
    status: ProposalStatus
    decision: Decision
    error: str = ""


class Canonization(Record):
    """The write-ahead record of a commit: the whole batch in absolute values, before canon is touched."""

    id: Id
    universe_id: Id
    story_id: Id | None = None
    scene_id: Id | None = None
    reason: str
    state: CanonizationState = CanonizationState.PLANNED
    outcomes: tuple[Outcome, ...] = ()
    batch: CanonBatch
    error: str = ""
    created_at: datetime


class Loop(StrEnum):
    MAIN = "main"
    STORY = "story"
    SCENE = "scene"
    TURN = "turn"


class Transition(Record):
    """One move of one loop, written before its effects. `seq` rises within (loop, subject)."""

    loop: Loop
    subject_id: Id
    seq: int
    source: str
    event: str
    target: str
    proposer: str = "orchestrator"
    score: float | None = None
    cost: float | None = None
    detail: str = ""
    at: datetime


class Checkpoint(Record):
    """Where an exchange stands between two nodes of the turn graph, so that a crash resumes there."""

    exchange_id: Id
    scene_id: Id
    node: str
    state: dict[str, Any] = Field(default_factory=dict)
    at: datetime
