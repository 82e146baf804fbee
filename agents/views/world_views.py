"""What the Universe screen and those beside it draw: previews, the past, the ledger, what rests on what.

Plain values like those of `agents.views.play_views`. Ticks are minutes of world time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from agents.views.play_views import EntityCard, FactView, ProposalView
from stores.records.canon import Evidence, Standing
from stores.records.ids import Id
from stores.records.play import Resolution
from stores.records.world import Entity, EntityKind, Number, Universe

# --- what the GM types ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewThing:
    """An entity to bring in by hand."""

    kind: EntityKind
    name: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    numbers: tuple[tuple[str, Number], ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityEdit:
    """How an entity is to be from now on, whole: what differs from canon is what is proposed."""

    name: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    numbers: tuple[tuple[str, Number], ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactEdit:
    """How a fact should read; `value` in words, `other` the name of a relation's object ("" leaves either
    as it is). `since` and `until` are moments as the calendar says them ("" leaves them as they are,
    `always` takes them away)."""

    statement: str
    value: str = ""
    other: str = ""
    standing: Standing = Standing.TRUE
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Staged:
    """What an edit proposed. `waiting` counts all that waits at the universe's gate now."""

    proposal_ids: tuple[Id, ...]
    titles: tuple[str, ...]
    waiting: int

    @property
    def lines(self) -> tuple[str, ...]:
        return *(f"Proposed: {title}" for title in self.titles), at_the_gate(self.waiting)


def at_the_gate(waiting: int) -> str:
    """Return how many changes wait, and the key that leads there; nothing if none does."""
    return f"{waiting} wait{'s' if waiting == 1 else ''} at the gate: g" if waiting else ""


# --- previews ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SceneNote:
    """A scene in a list: `turn_id` is where its reader begins (None: nothing was said in it)."""

    title: str
    turn_id: Id | None


@dataclass(frozen=True, slots=True)
class MemoryNote:
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class ImpactView:
    """What a retcon (or, with `restore`, its reverse) would change, and what would be left hanging.

    `title` is the fact's sentence, or the name of the `entity` that it is about. `changes` are lines of
    (what, before, after). `staged` says that it waits at the gate already.
    """

    universe: Universe
    subject_id: Id
    title: str
    entity: bool
    restore: bool
    changes: tuple[tuple[str, str, str], ...]
    same_words: tuple[FactView, ...] = ()
    involving: tuple[FactView, ...] = ()
    caused: tuple[FactView, ...] = ()
    commitments: tuple[FactView, ...] = ()
    memories: tuple[MemoryNote, ...] = ()
    scenes: tuple[SceneNote, ...] = ()
    proposals: tuple[ProposalView, ...] = ()
    staged: bool = False


@dataclass(frozen=True, slots=True)
class Lookalike:
    """Two that may be one, and how alike (per cent) their nearest names are."""

    one: Entity
    other: Entity
    likeness: float


@dataclass(frozen=True, slots=True)
class MergeView:
    """Two entities side by side, and what making them one would do.

    `clashes` pair what the kept one has (a sentence) with the absorbed one's fact that cannot stand
    beside it; `repeated` is said of the kept one already; `gained` are the names that the kept one gets.
    """

    universe: Universe
    kept: EntityCard
    absorbed: EntityCard
    clashes: tuple[tuple[str, FactView], ...]
    moved: tuple[FactView, ...]
    repeated: tuple[FactView, ...]
    gained: tuple[str, ...]
    memories: int
    staged: bool = False


# --- the past ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HistoryView:
    """All values that something had, in the order of world time; `about` says whose and of what."""

    universe: Universe
    about: str
    facts: tuple[FactView, ...]


@dataclass(frozen=True, slots=True)
class MomentView:
    """Canon at a moment: `when` of world time ("" for any), `known` of record time ("" for now).

    `total` counts what held before the search narrowed it to `facts`.
    """

    universe: Universe
    when: str
    known: str
    facts: tuple[FactView, ...]
    total: int


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What is no longer in canon by the GM's word: retconned facts and entities, merged entities."""

    universe: Universe
    facts: tuple[FactView, ...]
    entities: tuple[Entity, ...]


# --- commitments ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CommitmentView:
    """A promise, a debt or an open question. `number` counts the open ones from 1 (0: not open).

    `staged` says that its pay-off waits at the gate; `ended` when it ceased to be open.
    """

    number: int
    fact: FactView
    kind: str
    who: str
    to_whom: str
    age: str
    open: bool
    paid: bool
    ended: str = ""
    staged: bool = False

    @property
    def line(self) -> str:
        """The commitment as a line without a screen shows it."""
        age = f"  ({self.age})" if self.age else ""
        return f"{self.number}. {self.kind}: {self.fact.fact.statement}{age}"


@dataclass(frozen=True, slots=True)
class LedgerView:
    universe: Universe
    now: str
    open: tuple[CommitmentView, ...]
    closed: tuple[CommitmentView, ...]
    proposed: tuple[ProposalView, ...]


# --- what rests on what -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Basis:
    """One piece of evidence with where it leads: `place` says where it stands, `who` by whom and when,
    `turn_id` is the turn that a reader jumps to."""

    evidence: Evidence
    place: str = ""
    who: str = ""
    turn_id: Id | None = None
    resolution: Resolution | None = None
    recorded: datetime | None = None


# --- views of a world -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Happening:
    """An event on the timeline, with the day it stands under."""

    day: str
    fact: FactView


@dataclass(frozen=True, slots=True)
class Tie:
    """One line of the relation map: what leads from where one stands to `other`, at `depth` 1 or 2."""

    depth: int
    words: str
    other: Entity
    fact_id: Id


@dataclass(frozen=True, slots=True)
class MapView:
    root: Entity
    ties: tuple[Tie, ...] = field(default=())
