"""Proposals and decisions, commits, rulings, policies, transitions and checkpoints."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from stores.records.base import Record
from stores.records.canon import Authority, CanonBatch, Evidence, Payload, Standing
from stores.records.ids import Id


class ProposalStatus(StrEnum):
    """How far a proposal is.

    `WITHDRAWN` is never stored: it is shown while the proposal's turn is off the line, or while the proposal itself
    is undone.
    """

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
    """What was decided about a proposal.

    `FLAVOUR`: reject it as flavour text that is not a fact. `UNDO`: it counts as not proposed until it is redone.
    """

    ACCEPT = "accept"
    REJECT = "reject"
    FLAVOUR = "colour"
    DEFER = "defer"
    UNDO = "undo"


class Decision(Record):
    """A verdict, with the edited payload if the GM changed the proposal before accepting it."""

    verdict: Verdict
    by: str
    at: datetime
    reason: str = ""
    edited: Payload | None = None
    set_aside: Verdict | None = None
    """The verdict that `UNDO` took the place of; redo brings it back."""
    fact_id: Id | None = None
    """The fact that it became, if it is not the proposal's first: that one was taken back, and said something else."""


class ProposedChange(Record):
    """A change that would become canon. It counts while `turn_id` is on its scene's line."""

    id: Id
    universe_id: Id
    story_id: Id | None = None
    scene_id: Id | None = None
    turn_id: Id | None = None
    """The turn that it comes from (None: the scene itself)."""
    unless_turn: Id | None = None
    """It counts only while this turn is off the line: so the retcons of an undone exchange are proposed."""
    command_id: Id | None = None
    """The command that proposed it: all that one command proposed is undone together."""
    source_id: Id | None = None
    """The document that it comes from: it waits in the review of that document, and at no gate."""
    undoes: Id | None = None
    """The commit that it takes back, of one that undo made: it waits at no gate, as what that commit wrote does."""
    payload: Payload
    evidence: tuple[Evidence, ...] = ()
    authority: Authority
    tick: int | None = None
    critical: bool = False
    weight: int | None = None
    """How much it would matter if it were forgotten, of 100, as the model that found it says; None of all others."""
    status: ProposalStatus = ProposalStatus.PENDING
    """How it ended, once a commit closed over it."""
    decision: Decision | None = None
    """May be taken back until a commit closes over it."""
    error: str = ""
    canonization_id: Id | None = None
    is_fact_id_ordered: bool = False
    """Whether the id of the fact that it becomes sorts beside its own; not in proposals of earlier versions."""
    created_at: datetime

    @property
    def change(self) -> Payload:
        """Return the payload as it would be committed: the GM's edit if there is one."""
        return self.decision.edited if self.decision and self.decision.edited else self.payload


class CanonizationState(StrEnum):
    """How far a commit is. `DROPPED`: planned, but a crash came before canon was written; it can be decided again."""

    PLANNED = "planned"
    WRITTEN = "written"
    CLOSED = "closed"
    DROPPED = "dropped"


class ProposalOutcome(Record):
    """How one proposal ends when its commit closes."""

    proposal_id: Id
    status: ProposalStatus
    """`PENDING` opens again what the commit that is taken back had closed."""
    decision: Decision | None
    error: str = ""


class Canonization(Record):
    """The write-ahead record of a commit: the whole batch in absolute values, before canon is touched."""

    id: Id
    universe_id: Id
    story_id: Id | None = None
    scene_id: Id | None = None
    reason: str
    undoes: Id | None = None
    """The commit that this one takes back; if that took one back itself, this one brings it back."""
    state: CanonizationState = CanonizationState.PLANNED
    outcomes: tuple[ProposalOutcome, ...] = ()
    batch: CanonBatch
    error: str = ""
    created_at: datetime


class RulingKind(StrEnum):
    """How the conflict between a new statement and an old one is settled."""

    FROM_NOW = "new_from_now"
    NEW = "new_altogether"
    OLD = "old"
    BOTH = "both_stand"
    BOUNDED = "time_bounded"
    SPLIT = "different_things"


class Ruling(Record):
    """The GM's answer to a conflict between two statements, so that the same conflict is not raised again."""

    id: Id
    universe_id: Id
    pair: tuple[str, str]
    """The keys of what the two statements say, whoever proposes them in whatever words."""
    upheld: str
    """The key in `pair` of the statement that holds from now on."""
    ruling: RulingKind
    standing: Standing | None = None
    """What the other statement became (a rumour, a lie)."""
    tick: int | None = None
    """The world time at which one of them ends."""
    proposal_id: Id | None = None
    fact_id: Id | None = None
    by: str
    reason: str = ""
    at: datetime
    is_withdrawn: bool = False
    """Whether it was undone: the same conflict is raised again."""


class KindRule(StrEnum):
    """What a universe's policy does with all proposals of one kind."""

    ACCEPT = "auto-accept"
    ASK = "ask"
    REJECT = "auto-reject"


class KindPolicy(Record):
    """The rule for one kind of payload.

    A kind is a payload's kind (`state_change`), optionally with a colon and its predicate or key
    (`state_change:hp`, `assert_fact:weather`).
    """

    kind: str
    rule: KindRule
    by: str
    at: datetime


class GatePolicy(Record):
    """One universe's settings for accepting proposals; `id` is the universe's."""

    id: Id
    universe_id: Id
    kinds: tuple[KindPolicy, ...] = ()
    predicates: str = ""
    """YAML that is merged over the bundled catalogue of predicates."""
    budget: int | None = Field(default=None, ge=0)
    """What the model may cost in this universe, in millionths of a US dollar (None: no limit)."""
    weekly_tokens: int | None = Field(default=None, ge=0)
    """Tokens that a model may use in this universe in a week (None: as the settings have it)."""
    share: int = Field(default=1, ge=1, le=100)
    """How many jobs of this universe are done in the background for one of a universe with the share 1."""


class Loop(StrEnum):
    MAIN = "main"
    STORY = "story"
    SCENE = "scene"
    TURN = "turn"


class ExchangeStep(Record):
    """What one step of an exchange did, for the X-ray."""

    step: str
    agent: str
    """Who did it."""
    state: str = "done"
    line: str = ""
    """The result in one line."""
    ms: int = Field(default=0, ge=0)
    """How long it took, in milliseconds."""


URGENCY_SHARE: Final = 0.3
DEPENDENCY_SHARE: Final = 0.4
INTENT_SHARE: Final = 0.3
"""How much urgency, dependency and the player's intent count for in the score of a transition proposal."""

Percent = Annotated[int, Field(ge=0, le=100)]


class TransitionProposal(Record):
    """What could come next in a scene, proposed after an exchange by an agent or by what the exchange changed.

    Proposals compete: `agents/orchestrator/arbiter.py` weighs them. docs/schemas has this as JSON schema.
    """

    proposer: str = Field(min_length=1, max_length=40)
    """Who proposes it: a persona (`Director`), or what it was read from (`clocks`, `scene goal`, `player`)."""
    loop: Loop = Loop.SCENE
    source: str = "active"
    """The state that the loop leaves."""
    event: Literal["user_turn", "critical_event", "goal_met", "end"]
    """The event that it would be in that loop."""
    command: str = Field(default="", max_length=1_000)
    """The line that would do it, as it is typed (`/end`); empty: play goes on as it is."""
    reason: str = Field(max_length=1_000)
    urgency: Percent
    """How soon it has to happen."""
    dependency: Percent
    """How much what happened calls for it."""
    intent: Percent
    """How much the player's words ask for it."""
    confidence: Percent = 100
    """How sure the proposer is; it only decides between equal scores."""
    estimated_tokens: int = Field(default=0, ge=0)
    """Tokens of a model that it would take."""
    is_explicit: bool = False
    """Whether the player's words ask for it outright: such a proposal wins over every score."""

    @property
    def score(self) -> int:
        """Weighted sum, out of 100."""
        return round(
            URGENCY_SHARE * self.urgency + DEPENDENCY_SHARE * self.dependency + INTENT_SHARE * self.intent
        )


class Transition(Record):
    """One move of one loop, written before its effects."""

    loop: Loop
    subject_id: Id
    seq: int
    """Rises within loop and subject."""
    source: str
    event: str
    target: str
    proposer: str = "orchestrator"
    """Who brought it about; at the end of an exchange, whose proposal for what comes next won."""
    score: float | None = None
    """The score of that proposal, out of 100 (None: nothing was offered)."""
    cost: float | None = None
    """What the exchange that it ends has cost, in US dollars (None: no model was asked, or its price is unknown)."""
    detail: str = ""
    steps: tuple[ExchangeStep, ...] = ()
    """The steps of the exchange that this transition ends."""
    weighed: tuple[TransitionProposal, ...] = ()
    """What was weighed as the exchange ended, the best first; it won if there is a `score`."""
    pattern: str = ""
    """What was played and how things stood then, as a short key: the same again leads nowhere."""
    repeats: int = Field(default=0, ge=0)
    """How many lines in a row had the same `pattern`."""
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
