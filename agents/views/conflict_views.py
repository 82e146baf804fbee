"""Values that the conflict and policy screens draw: conflicts to resolve, rulings, and rules for kinds of change.

Rulings are written by the CanonKeeper's own commit; everything else is staged and waits at the gate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from agents.views.card_views import EntityCard
from agents.views.gate_views import CommitReport
from agents.views.world_views import EvidenceSource
from stores.records.canon import Standing
from stores.records.ids import Id
from stores.records.workflow import KindRule, RulingKind
from stores.records.world import Universe

# --- the court --------------------------------------------------------------------------------------

RulingOptionName = Literal[
    "new", "never", "old", "both", "until", "split", "same", "different", "accept", "reject"
]
"""How a conflict can be resolved: the six rulings, one or two entities, or a plain verdict where no ruling
could resolve it."""

StatementSide = Literal["new", "old"]


@dataclass(frozen=True, slots=True)
class ConflictStatement:
    """One of two statements that contradict each other."""

    text: str
    standing: str
    """How far it may be relied on, in words."""

    when: str
    """Its time in words."""

    authority: str
    """Who it comes from, in words."""

    evidence: tuple[EvidenceSource, ...] = ()
    card: EntityCard | None = None
    """Set if the question is whether two entities are one."""


@dataclass(frozen=True, slots=True)
class RulingVariant:
    """One of several variants of a ruling: which statement yields, and what it becomes."""

    words: str
    yielding: StatementSide | None = None
    standing: Standing = Standing.RUMOUR
    entity_id: Id | None = None
    suggested: str = ""


@dataclass(frozen=True, slots=True)
class RulingOption:
    """A ruling that can be made."""

    name: RulingOptionName
    words: str
    variants: tuple[RulingVariant, ...] = ()
    asks: Literal["", "time", "name"] = ""
    """What has to be typed for it."""

    suggested: str = ""
    """What is typed already."""


@dataclass(frozen=True, slots=True)
class ProposalConflict:
    """One conflict of a proposal."""

    against: Id | None
    """The fact or entity that it contradicts, if there is one."""

    check: str
    """Name of the check that found it."""

    text: str
    certain: bool
    """False where it may be harmless."""

    new: ConflictStatement
    old: ConflictStatement | None
    options: tuple[RulingOption, ...]
    is_model_doubt: bool = False
    """Whether a model thinks so, and no rule found it."""


@dataclass(frozen=True, slots=True)
class ProposalConflicts:
    """All conflicts of one proposal, in the order in which they are shown; none when all are resolved."""

    universe: Universe
    proposal_id: Id
    title: str
    conflicts: tuple[ProposalConflict, ...]


@dataclass(frozen=True, slots=True)
class RulingRequest:
    """The GM's ruling on one conflict."""

    proposal_id: Id
    against: Id | None
    option: RulingOptionName
    yielding: StatementSide | None = None
    standing: Standing = Standing.RUMOUR
    entity_id: Id | None = None
    name: str = ""
    when: str = ""
    """A moment in the words of the calendar."""


@dataclass(frozen=True, slots=True)
class RulingOutcome:
    """The result of a ruling."""

    report: CommitReport | None
    lines: tuple[str, ...]
    """One line for each thing it did."""

    remaining_count: int = 0
    """Conflicts that the proposal still has."""


@dataclass(frozen=True, slots=True)
class RulingView:
    """A ruling on record: between which two, how, by whom and when."""

    new_title: str
    old_title: str
    ruling: RulingKind
    description: str
    decided_by: str
    decided_at: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class KindPolicyView:
    """The policy for one kind of change (or `kind:part`)."""

    kind: str
    words: str
    rule: KindRule | None = None
    by: str = ""
    """Who set the rule."""

    at: str = ""
    """When the rule was set."""

    accepted: int = 0
    """How many of the `decided` proposals the GM accepted."""

    decided: int = 0
    offered: KindRule | None = None
    """The rule that these figures suggest."""


@dataclass(frozen=True, slots=True)
class PolicyView:
    """The policy of one universe for its gate."""

    universe: Universe
    kinds: tuple[KindPolicyView, ...]
    predicates: str = ""
    """YAML that extends the bundled catalogue of predicates."""

    rulings: tuple[RulingView, ...] = field(default=())

    @property
    def offers(self) -> tuple[KindPolicyView, ...]:
        """Kinds for which a rule is suggested."""
        return tuple(kind for kind in self.kinds if kind.offered)

    @property
    def rules(self) -> tuple[KindPolicyView, ...]:
        """Kinds that have a rule."""
        return tuple(kind for kind in self.kinds if kind.rule)
