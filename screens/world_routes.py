"""Where the Universe screen leads: what was, what would be, what is owed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class ToRetcon:
    """What retconning (or restoring) a fact or an entity would do."""

    subject_id: Id


@dataclass(frozen=True, slots=True)
class ToLookalikes:
    """Who may be the same: of one entity, or of the whole world."""

    universe_id: Id
    entity_id: Id | None = None


@dataclass(frozen=True, slots=True)
class ToMerge:
    """Two entities side by side, to be made one."""

    kept_id: Id
    absorbed_id: Id


@dataclass(frozen=True, slots=True)
class ToHistory:
    """How what a fact tells of used to be."""

    fact_id: Id


@dataclass(frozen=True, slots=True)
class ToMoment:
    """Canon at a moment of world time, as it was known at one of record time."""

    universe_id: Id


@dataclass(frozen=True, slots=True)
class ToTimeline:
    """What happened, in the order of world time."""

    universe_id: Id


@dataclass(frozen=True, slots=True)
class ToRelations:
    """The relations around an entity."""

    entity_id: Id


@dataclass(frozen=True, slots=True)
class ToRemovedCanon:
    """What is no longer in canon: retconned, or merged away."""

    universe_id: Id


@dataclass(frozen=True, slots=True)
class ToCommitments:
    """Promises, debts and open questions; from a scene, at its present and paid off on its turns."""

    universe_id: Id
    scene_id: Id | None = None


WorldRoute = (
    ToRetcon
    | ToLookalikes
    | ToMerge
    | ToHistory
    | ToMoment
    | ToTimeline
    | ToRelations
    | ToRemovedCanon
    | ToCommitments
)
