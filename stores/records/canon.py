"""Facts and their evidence, every change that may be proposed to canon, and what one commit writes."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field

from stores.records.base import Record
from stores.records.clocks import Pace, ProgressClock, clock_predicate
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind, Number, Universe

FactValue = bool | int | float | str
"""The object of a fact that is a plain value and not an entity."""


class FactKind(StrEnum):
    ATTRIBUTE = "attribute"
    STATE = "state"
    RELATION = "relation"
    EVENT = "event"
    AXIOM = "axiom"
    ASSERTION = "assertion"
    COMMITMENT = "commitment"
    CHANGE = "change"
    ENCOUNTER = "encounter"
    LORE = "lore"


class Authority(StrEnum):
    """Who a statement comes from.

    `SYSTEM`: it was inferred. `PLAYER`: it came through a resolution. `OUTSIDE`: a chat client said it, over MCP.
    """

    SOURCE = "source"
    GM = "gm"
    PLAYER = "player"
    SYSTEM = "system"
    OUTSIDE = "outside"


class Standing(StrEnum):
    TRUE = "true"
    RUMOUR = "rumour"
    LIE = "lie"
    DISPUTED = "disputed"


class FactStatus(StrEnum):
    CANONICAL = "canonical"
    SUPERSEDED = "superseded"
    RETCONNED = "retconned"


class EvidenceKind(StrEnum):
    TURN = "turn"
    RESOLUTION = "resolution"
    CHUNK = "chunk"
    SCENE = "scene"
    MANUAL = "manual"


class Involvement(Record):
    """`(Fact)-[:INVOLVES {role}]->(Entity)`; roles: subject, object, location, witness, instrument ..."""

    role: str
    entity_id: Id


class Evidence(Record):
    """The words, roll or page that something rests on. `turn_id` is the turn to show for it."""

    id: Id
    kind: EvidenceKind
    ref_id: Id
    quote: str = ""
    is_quotation: bool = True
    """Whether somebody wrote `quote`; else it says in the program's words what was done."""
    turn_id: Id | None = None
    scene_id: Id | None = None
    source_id: Id | None = None
    page: int | None = None
    span: tuple[int, int] | None = None


_PUNCTUATION: Final = re.compile(r"[^\w\s]")


def normalize_statement(statement: str) -> str:
    """Return a statement as it is compared: without case, punctuation and doubled spaces."""
    return " ".join(_PUNCTUATION.sub(" ", statement.casefold()).split())


class Requirement(Record):
    """A fact that an entity must have: a predicate, with this value or object if one is given."""

    predicate: str
    value: FactValue | None = None
    object_id: Id | None = None


class AxiomForm(Record):
    """A rule of the world that code can check: no subject it applies to may have the fact that it forbids.

    It applies to the subject (by name, kind or tag, as far as given), and forbids `predicate` with this value
    or object (by name, kind or tag). A field that is None or empty matches anything. With `unless`, subjects
    that have that fact at the time are exempt.
    """

    predicate: str
    value: FactValue | None = None
    subject_id: Id | None = None
    subject_kind: EntityKind | None = None
    subject_tag: str = ""
    object_id: Id | None = None
    object_kind: EntityKind | None = None
    object_tag: str = ""
    unless: Requirement | None = None


class LoreKeys(Record):
    """When a lore entry stands in a prompt: always, or while one of its keys stands in the last turns.

    With `secondary_keys`, one of those must stand there too.
    """

    title: str = ""
    keys: tuple[str, ...] = ()
    secondary_keys: tuple[str, ...] = ()
    always: bool = False
    order: int = 100
    """The entries with the highest order are taken first when not all fit."""


class Secrecy(Record):
    """Who may know a fact beside the GM. A revealed one is open to all, and keeps who knew it before."""

    known_to: tuple[Id, ...] = ()
    is_revealed: bool = False


class Fact(Record):
    """A statement that holds from `valid_from` to `valid_to` (world ticks; None: since ever / still)."""

    id: Id
    universe_id: Id
    kind: FactKind
    predicate: str
    statement: str
    involves: tuple[Involvement, ...] = ()
    value: FactValue | None = None
    scope: str = ""
    severity: str = ""
    valid_from: int | None = None
    valid_to: int | None = None
    confidence: float = 1.0
    authority: Authority = Authority.GM
    standing: Standing = Standing.TRUE
    status: FactStatus = FactStatus.CANONICAL
    closed: bool = False
    """Whether a commitment was fulfilled."""
    because: tuple[Id, ...] = ()
    """The facts that caused it."""
    form: AxiomForm | None = None
    """What an axiom says, as far as code can check it."""
    clock: ProgressClock | None = None
    """The state of a clock; `value` is how far it is filled."""
    lore: LoreKeys | None = None
    """When a lore entry, whose text is the statement, stands in a prompt."""
    secrecy: Secrecy | None = None
    """Who may know it; None of what was never a secret."""
    proposal_id: Id | None = None
    recorded_at: datetime
    statement_key: str = Field(
        default_factory=lambda data: normalize_statement(str(data.get("statement", ""))),
        validation_alias="said",
    )
    """The statement as `normalize_statement` writes it, by which stores look facts up."""

    def entity(self, role: str) -> Id | None:
        """Return the entity that plays `role`, if one does."""
        for involvement in self.involves:  # a generator takes twice as long, and every check asks
            if involvement.role == role:
                return involvement.entity_id
        return None

    @property
    def is_secret(self) -> bool:
        return self.secrecy is not None and not self.secrecy.is_revealed

    def is_known_to_any(self, entity_ids: Collection[Id]) -> bool:
        """Return whether it is no secret, or one of these may know it."""
        return not self.is_secret or not set(self.secrecy.known_to if self.secrecy else ()).isdisjoint(
            entity_ids
        )


# --- proposed changes -------------------------------------------------------------------------------


class CreateEntity(Record):
    kind: Literal["create_entity"] = "create_entity"
    entity_id: Id
    entity_kind: EntityKind
    name: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    is_pc: bool = False
    tags: tuple[str, ...] = ()
    numbers: dict[str, Number] = Field(default_factory=dict)


class UpdateEntity(Record):
    """Change the name or description of an entity; None leaves a field as it is."""

    kind: Literal["update_entity"] = "update_entity"
    entity_id: Id
    name: str | None = None
    aliases: tuple[str, ...] | None = None
    description: str | None = None
    locked: bool | None = None
    takes_back: Id | None = None
    """The fact that reports the earlier edit which this one undoes: it is retconned, and no other reports this one."""


class MergeEntities(Record):
    """Merge two entities: the absorbed one becomes another name of the kept one."""

    kind: Literal["merge_entities"] = "merge_entities"
    kept_id: Id
    absorbed_id: Id


class AssertFact(Record):
    """State a fact of any kind but axiom (see NoteAxiom).

    `ends` lists the facts that a changed value ends, `because` those that caused it; `lore` is of a lore entry;
    with `secrecy` it is a secret from the beginning.
    """

    kind: Literal["assert_fact"] = "assert_fact"
    fact_kind: FactKind
    predicate: str
    statement: str
    involves: tuple[Involvement, ...] = ()
    value: FactValue | None = None
    standing: Standing = Standing.TRUE
    valid_from: int | None = None
    valid_to: int | None = None
    ends: tuple[Id, ...] = ()
    because: tuple[Id, ...] = ()
    lore: LoreKeys | None = None
    secrecy: Secrecy | None = None


class UnmetEnding(StrEnum):
    """How a commitment ended that was not met."""

    BROKEN = "broken"
    """Whoever made it went against it."""
    VOID = "void"
    """It can no longer be met: somebody died, or what it was about is gone."""
    WITHDRAWN = "withdrawn"
    """Whoever made it took it back, or whom it was made to let it go."""


class EndFact(Record):
    """End a fact at the world tick `at`.

    `closed`: a commitment was fulfilled; `unmet_ending` says how one ended that was not, if that is known.
    """

    kind: Literal["end_fact"] = "end_fact"
    fact_id: Id
    at: int | None = None
    closed: bool = False
    unmet_ending: UnmetEnding | None = None


class RetconFact(Record):
    """Declare that a fact was never true (or, with `restore`, that it is true again). Nothing is deleted."""

    kind: Literal["retcon_fact"] = "retcon_fact"
    fact_id: Id
    restore: bool = False


class ChangeSecrecy(Record):
    """Make a fact a secret (`is_secret`) or open to all, and change who may know it; None leaves the first as it is."""

    kind: Literal["change_secrecy"] = "change_secrecy"
    fact_id: Id
    is_secret: bool | None = None
    tell: tuple[Id, ...] = ()
    hide_from: tuple[Id, ...] = ()

    def after(self, secrecy: Secrecy | None) -> Secrecy | None:
        """Return who may know the fact after the change."""
        was_secret = secrecy is not None and not secrecy.is_revealed
        is_secret = was_secret if self.is_secret is None else self.is_secret
        if secrecy is None and not is_secret:
            return None
        earlier_ids = secrecy.known_to if secrecy else ()
        known_to = (i for i in dict.fromkeys((*earlier_ids, *self.tell)) if i not in self.hide_from)
        return Secrecy(known_to=tuple(known_to), is_revealed=not is_secret)


class StateOp(StrEnum):
    ADD = "add"
    SET = "set"
    TAG = "tag"
    UNTAG = "untag"


class StateChange(Record):
    """Change one number, value or tag of an entity. `key` is the tag itself for TAG and UNTAG."""

    kind: Literal["state_change"] = "state_change"
    entity_id: Id
    key: str
    op: StateOp
    value: FactValue | None = None
    floor: int | float | None = None
    """What a number that is added to does not go below (None: it may be anything)."""


class AdvanceClock(Record):
    """Move a clock by some steps or `to` a position, and change its settings (None leaves them as they are).

    `closed` False starts it, or starts it again once it is closed; True stops it. With a `pace` it is a track,
    on which a step is as many ticks as the pace has. `size` is for a clock that does not exist yet.
    """

    kind: Literal["advance_clock"] = "advance_clock"
    clock: str
    by: int = 1
    size: int = Field(default=6, ge=1, le=100)
    to: int | None = Field(default=None, ge=0, le=100)
    per_scene: int | None = Field(default=None, ge=-100, le=100)
    closed: bool | None = None
    pace: Pace | None = None

    @property
    def predicate(self) -> str:
        """Return the predicate of the clock in canon."""
        return clock_predicate(self.clock, self.pace)

    def after(self, clock_before: ProgressClock | None) -> ProgressClock:
        """Return the clock after the change.

        A closed clock stays as it is until it is started again, a running one is not started twice, and
        none is set beyond its end.
        """
        if clock_before is not None and clock_before.closed is not (self.closed is False):
            return clock_before
        clock = clock_before
        if clock is None or clock.closed:
            clock = ProgressClock(name=self.clock, size=self.size, pace=self.pace)
        if self.to is None:
            clock = clock.moved_to(clock.filled + self.by * (clock.pace.ticks if clock.pace else 1))
        elif self.to <= clock.size:
            clock = clock.moved_to(self.to)
        per_scene = clock.per_scene if self.per_scene is None else self.per_scene
        return clock.model_copy(update={"per_scene": per_scene, "closed": self.closed is True})


class NoteAxiom(Record):
    """State a rule of the world. Without a `form`, only a human can tell what breaks it."""

    kind: Literal["note_axiom"] = "note_axiom"
    statement: str
    predicate: str = "axiom"
    scope: str = ""
    severity: str = "must"
    involves: tuple[Involvement, ...] = ()
    form: AxiomForm | None = None


Payload = Annotated[
    CreateEntity
    | UpdateEntity
    | MergeEntities
    | AssertFact
    | EndFact
    | RetconFact
    | ChangeSecrecy
    | StateChange
    | AdvanceClock
    | NoteAxiom,
    Field(discriminator="kind"),
]


# --- what one commit writes -------------------------------------------------------------------------


class FactChange(Record):
    """A new status or end of a fact that is in canon already; `closed` and `secrecy` None leave those as they are."""

    fact_id: Id
    status: FactStatus
    valid_to: int | None = None
    closed: bool | None = None
    secrecy: Secrecy | None = None


class Supersession(Record):
    """`(newer)-[:SUPERSEDES]->(older)`."""

    newer_id: Id
    older_id: Id


class Support(Record):
    """`(Fact or Entity)-[:SUPPORTED_BY]->(Evidence)`."""

    subject_id: Id
    evidence_id: Id


class Appearance(Record):
    """`(Entity)-[:APPEARS_IN]->(Scene)`."""

    entity_id: Id
    scene_id: Id


class CanonBatch(Record):
    """Everything one commit writes, in absolute values: writing it twice is writing it once."""

    id: Id
    universe_id: Id
    universe: Universe | None = None
    entities: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    fact_changes: tuple[FactChange, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    supports: tuple[Support, ...] = ()
    supersedes: tuple[Supersession, ...] = ()
    appearances: tuple[Appearance, ...] = ()
    scene_status: dict[Id, str] = Field(default_factory=dict)
    story_status: dict[Id, str] = Field(default_factory=dict)
