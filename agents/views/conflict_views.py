"""The court and the house, as screens and commands know them: conflicts settled, rules laid down.

A part of `agents.story_outline.Desk`, as `desk.bench`. Rulings are written by the CanonKeeper's own commit;
all else is staged and waits at the gate. All calls raise `stores.errors.MonitorError`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from agents.views.play_views import CommitReport, EntityCard
from agents.views.world_views import Basis
from stores.records.canon import Standing
from stores.records.ids import Id
from stores.records.workflow import KindRule, RulingKind
from stores.records.world import Universe

# --- the court --------------------------------------------------------------------------------------

WayName = Literal["new", "never", "old", "both", "until", "split", "same", "different", "accept", "reject"]
"""How a conflict may be settled: the six rulings, one or two entities, or a plain verdict where no ruling
could settle it."""

Which = Literal["new", "old"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One of the two that do not go together. `card` when the question is whether two are one."""

    words: str
    standing: str
    when: str
    authority: str
    evidence: tuple[Basis, ...] = ()
    card: EntityCard | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several forms of a ruling, in words: which of the two yields, and what it becomes."""

    words: str
    yielding: Which | None = None
    standing: Standing = Standing.RUMOUR
    entity_id: Id | None = None
    suggested: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """A ruling that can be made. `asks` says what must be typed for it; `suggested` is typed already."""

    name: WayName
    words: str
    choices: tuple[Choice, ...] = ()
    asks: Literal["", "time", "name"] = ""
    suggested: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One conflict of a proposal. `against` names the fact or entity that it meets, where there is one;
    `check` says which check found it; `certain` is false where it may be innocent."""

    against: Id | None
    check: str
    text: str
    certain: bool
    new: Statement
    old: Statement | None
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Docket:
    """All conflicts of one proposal, in the order in which they are heard; none when all are settled."""

    universe: Universe
    proposal_id: Id
    title: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class RulingWords:
    """What the GM rules on one case, as it was said. `when` is a moment as the calendar says it."""

    proposal_id: Id
    against: Id | None
    way: WayName
    yielding: Which | None = None
    standing: Standing = Standing.RUMOUR
    entity_id: Id | None = None
    name: str = ""
    when: str = ""


@dataclass(frozen=True, slots=True)
class Ruled:
    """What a ruling did, a line for each thing; `left` counts the conflicts that the proposal still has."""

    report: CommitReport | None
    lines: tuple[str, ...]
    left: int = 0


@dataclass(frozen=True, slots=True)
class RulingView:
    """A ruling on record: of which two, how, by whom and when."""

    new: str
    old: str
    ruling: RulingKind
    words: str
    by: str
    at: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class KindView:
    """A kind of change (or `whole:part`), its rule with who set it when, and how the GM decided so far:
    `accepted` of `decided`. `offered` is the rule that these figures suggest."""

    kind: str
    words: str
    rule: KindRule | None = None
    by: str = ""
    at: str = ""
    accepted: int = 0
    decided: int = 0
    offered: KindRule | None = None


@dataclass(frozen=True, slots=True)
class HouseView:
    """What one universe lays down for its own gate. `predicates` is YAML over the bundled catalogue."""

    universe: Universe
    kinds: tuple[KindView, ...]
    predicates: str = ""
    rulings: tuple[RulingView, ...] = field(default=())

    @property
    def offers(self) -> tuple[KindView, ...]:
        return tuple(kind for kind in self.kinds if kind.offered)

    @property
    def rules(self) -> tuple[KindView, ...]:
        return tuple(kind for kind in self.kinds if kind.rule)
