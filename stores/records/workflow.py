"""What is proposed, decided and done, and by whom: proposals, commits, transitions, checkpoints."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from pydantic import Field

from stores.records.base import Record
from stores.records.canon import Authority, CanonBatch, Evidence, Payload, Standing
from stores.records.ids import Id


class ProposalStatus(StrEnum):
    """`WITHDRAWN` is never stored: it is what a proposal is while its turn is off the line."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DEFERRED = "deferred"
    WITHDRAWN = "withdrawn"
    FAILED = "failed"


OPEN_STATUSES: Final = (ProposalStatus.PENDING, ProposalStatus.DEFERRED, ProposalStatus.FAILED)
"""Statuses of a proposal over which no commit has closed."""

WAITING_STATUSES: Final = (ProposalStatus.PENDING, ProposalStatus.DEFERRED)
"""Statuses of an open proposal that no commit has failed to write."""

NEXT_COMMIT_STATUSES: Final = (ProposalStatus.PENDING, ProposalStatus.FAILED)
"""Statuses of an open proposal that its scene's next commit closes: what was deferred stays deferred."""


class Verdict(StrEnum):
    """What was decided of a proposal. `COLOUR`: reject, and remember the kind as mere colour."""

    ACCEPT = "accept"
    REJECT = "reject"
    FLAVOUR = "colour"
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


class ProposalOutcome(Record):
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
    outcomes: tuple[ProposalOutcome, ...] = ()
    batch: CanonBatch
    error: str = ""
    created_at: datetime


class RulingKind(StrEnum):
    """How two statements that contradict each other are settled: the new one and the one it meets."""

    FROM_NOW = "new_from_now"
    NEW = "new_altogether"
    OLD = "old"
    BOTH = "both_stand"
    BOUNDED = "time_bounded"
    SPLIT = "different_things"


class Ruling(Record):
    """The court's answer about a pair of statements, so that the same alarm never returns.

    `pair` holds the keys of what the two say, whoever proposes it in whatever words; `upheld` is the one
    of them that is true of the same thing from now on. `standing` is what the other became (a rumour, a
    lie), `tick` (world time) where one ends.
    """

    id: Id
    universe_id: Id
    pair: tuple[str, str]
    upheld: str
    ruling: RulingKind
    standing: Standing | None = None
    tick: int | None = None
    proposal_id: Id | None = None
    fact_id: Id | None = None
    by: str
    reason: str = ""
    at: datetime


class KindRule(StrEnum):
    """What a universe may say about all proposals of one kind."""

    ACCEPT = "auto-accept"
    ASK = "ask"
    REJECT = "auto-reject"


class KindPolicy(Record):
    """The rule for one kind: a payload's kind (`state_change`), or with its predicate or key behind a
    colon (`state_change:hp`, `assert_fact:weather`)."""

    kind: str
    rule: KindRule
    by: str
    at: datetime


class GatePolicy(Record):
    """What one universe lays down for its own gate; `id` is the universe's.

    `predicates` is YAML that is laid over the bundled catalogue; `budget` what the model may cost in this
    universe, in millionths of a US dollar (None: no limit).
    """

    id: Id
    universe_id: Id
    kinds: tuple[KindPolicy, ...] = ()
    predicates: str = ""
    budget: int | None = Field(default=None, ge=0)


class Loop(StrEnum):
    MAIN = "main"
    STORY = "story"
    SCENE = "scene"
    TURN = "turn"


class ExchangeStep(Record):
    """What one node of the turn graph did, for the X-ray: who did it, what came of it in one line, how long
    it took in milliseconds."""

    step: str
    agent: str
    state: str = "done"
    line: str = ""
    ms: int = Field(default=0, ge=0)


class Transition(Record):
    """One move of one loop, written before its effects. `seq` rises within (loop, subject). The one that
    ends an exchange carries its `steps`."""

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
    steps: tuple[ExchangeStep, ...] = ()
    at: datetime


class Checkpoint(Record):
    """The state of an exchange between two steps, from which it resumes after a crash."""

    run_id: Id = Field(validation_alias="exchange_id")
    """Which run of an exchange this is: the identifier of its first turn, or of the request to narrate."""
    scene_id: Id
    step: str = Field(validation_alias="node")
    """The step that was finished last."""
    state: dict[str, Any] = Field(default_factory=dict)
    at: datetime
