"""Values that the world screens draw: edits, previews, history, commitments, evidence, and the relation map.

Plain values without a handle; read them again after an event. Ticks are minutes of world time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agents.views.card_views import EntityCard, FactView
from agents.views.proposal_views import ProposalView
from stores.records.canon import Evidence, Standing
from stores.records.ids import Id
from stores.records.play import Resolution
from stores.records.world import Entity, EntityKind, Number, Universe

# --- what the GM types ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewEntityFields:
    """An entity that the GM creates by hand."""

    kind: EntityKind
    name: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    numbers: tuple[tuple[str, Number], ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityEdit:
    """All editable fields of an entity; what differs from canon is proposed."""

    name: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    numbers: tuple[tuple[str, Number], ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactEdit:
    """The wanted form of a fact."""

    statement: str
    value: str = ""
    """The value in words; empty: unchanged."""

    object_name: str = ""
    """Name of a relation's object; empty: unchanged."""

    standing: Standing = Standing.TRUE
    since: str = ""
    """A moment in the words of the calendar; empty: unchanged; `always`: no start."""

    until: str = ""
    """As `since`."""

    lore_keys: str = ""
    """The keys of a lore entry as they are typed; empty: unchanged."""


@dataclass(frozen=True, slots=True)
class StagedEdits:
    """What an edit proposed."""

    proposal_ids: tuple[Id, ...]
    titles: tuple[str, ...]
    waiting: int
    """Number of proposals at the universe's gate now."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The result in lines for the user."""
        return *(f"Proposed: {title}" for title in self.titles), describe_waiting(self.waiting)


@dataclass(frozen=True, slots=True)
class ProposedUndo:
    """What undoes a commit's handling of one proposal, as it was staged."""

    rows: tuple[ProposalView, ...]
    is_undecided: bool
    """Whether it is the rejected proposal again, without a verdict; otherwise the next commit writes it."""


def describe_waiting(waiting_count: int) -> str:
    """Return how many changes wait, and the key that opens the gate; empty if there are none."""
    return f"{waiting_count} wait{'s' if waiting_count == 1 else ''} at the gate: g" if waiting_count else ""


# --- previews ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SceneReference:
    """A scene, or a turn of it, in a list."""

    title: str
    turn_id: Id | None
    """The turn at which a reader starts; None: it has no turns."""


@dataclass(frozen=True, slots=True)
class AffectedMemory:
    """A memory in a list."""

    owner_name: str
    text: str


@dataclass(frozen=True, slots=True)
class RetconImpactView:
    """What a retcon (or, with `restore`, its reverse) would change, and what would lose its ground."""

    universe: Universe
    subject_id: Id
    title: str
    """The fact's statement, or the name of the entity."""

    is_entity: bool
    """Whether it is about an entity."""

    is_restore: bool
    changes: tuple[tuple[str, str, str], ...]
    """Lines of (what, before, after)."""

    same_turn_facts: tuple[FactView, ...] = ()
    involving_facts: tuple[FactView, ...] = ()
    caused_facts: tuple[FactView, ...] = ()
    commitments: tuple[FactView, ...] = ()
    memories: tuple[AffectedMemory, ...] = ()
    scenes: tuple[SceneReference, ...] = ()
    retold_turns: tuple[SceneReference, ...] = ()
    """Turns that tell of it, and would not make sense any more."""
    proposals: tuple[ProposalView, ...] = ()
    is_staged: bool = False
    """Whether it waits at the gate already."""


@dataclass(frozen=True, slots=True)
class LookalikeView:
    """Two entities that may be one."""

    first: Entity
    second: Entity
    likeness: float
    """Likeness of their nearest names, in per cent."""


@dataclass(frozen=True, slots=True)
class MergeView:
    """Two entities side by side, and what merging them would do."""

    universe: Universe
    kept_card: EntityCard
    absorbed_card: EntityCard
    conflicts: tuple[tuple[str, FactView], ...]
    """A statement about the kept one, with the absorbed one's fact that contradicts it."""

    moved_facts: tuple[FactView, ...]
    repeated_facts: tuple[FactView, ...]
    """Facts that the kept one has already."""

    added_names: tuple[str, ...]
    """Names that the kept one gets."""

    memory_count: int
    is_staged: bool = False


# --- the past ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FactHistoryView:
    """All values that something had, in order of world time."""

    universe: Universe
    subject_line: str
    """Whose value, and of what."""

    facts: tuple[FactView, ...]


@dataclass(frozen=True, slots=True)
class CanonMomentView:
    """Canon at a moment."""

    universe: Universe
    world_time: str
    """The moment of world time; empty: any."""

    record_time: str
    """The moment of record time; empty: now."""

    facts: tuple[FactView, ...]
    total_count: int
    """Number of facts before the search narrowed them."""


@dataclass(frozen=True, slots=True)
class RetractedView:
    """What the GM took out of canon: retconned facts and entities, merged entities."""

    universe: Universe
    facts: tuple[FactView, ...]
    entities: tuple[Entity, ...]


# --- commitments ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CommitmentView:
    """A promise, a debt or an open question."""

    number: int
    """Number among the threads of the story, in play. 0: it has none."""

    fact: FactView
    kind: str
    debtor: str
    creditor: str
    age: str
    is_open: bool
    is_paid: bool
    ended_at: str = ""
    """When it ceased to be open."""

    is_staged: bool = False
    """Whether its pay-off waits at the gate."""

    @property
    def line(self) -> str:
        """The commitment as one line of text."""
        details = ", ".join(filter(None, (self.age, "settling is proposed" if self.is_staged else "")))
        age = f"  ({details})" if details else ""
        number = f"{self.number}. " if self.number else ""
        return f"{number}{self.kind}: {self.fact.fact.statement}{age}"


@dataclass(frozen=True, slots=True)
class CommitmentLedgerView:
    """The commitments of a universe."""

    universe: Universe
    now: str
    """World time in words."""

    open_commitments: tuple[CommitmentView, ...]
    closed_commitments: tuple[CommitmentView, ...]
    proposals: tuple[ProposalView, ...]
    """Commitments that are only proposed."""

    proposal_numbers: Mapping[Id, int] = field(default_factory=dict)
    """The numbers of proposals among the threads of the story, in play."""


# --- what rests on what -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EvidenceSource:
    """One piece of evidence, and where it leads."""

    evidence: Evidence
    place: str = ""
    """Where it stands, in words."""

    who: str = ""
    """By whom and when, in words."""

    turn_id: Id | None = None
    """The turn that a reader jumps to."""

    resolution: Resolution | None = None
    recorded: datetime | None = None


# --- views of a world -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """A scene, an event, a death, or a promise made or kept, on the timeline."""

    day: str
    """The day that it is listed under."""

    mentioned: FactView | SceneReference
    note: str = ""
    """What came of a scene."""
    scene_id: Id | None = None
    """The scene, if it is one."""


@dataclass(frozen=True, slots=True)
class RelationLine:
    """One line of the relation map."""

    depth: int
    """Distance from the root, 1 or 2."""

    words: str
    other: Entity
    fact_id: Id


@dataclass(frozen=True, slots=True)
class RelationMapView:
    """The relation map around one entity."""

    root: Entity
    ties: tuple[RelationLine, ...] = field(default=())
