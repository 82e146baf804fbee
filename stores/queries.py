"""What is asked of the log and canon: one frozen record for each read method with many filters.

Every condition that is given must be met; a filter that is None is no condition.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from stores.records.canon import FactKind
from stores.records.ids import Id
from stores.records.workflow import ProposalStatus, Verdict

ProposalCounts = dict[tuple[ProposalStatus, Verdict | None], int]
"""How many proposals there are, by stored status and what is decided of them."""


@dataclass(frozen=True, slots=True)
class FactsAboutQuery:
    """Which facts that involve an entity."""

    predicate: str | None = None
    history: bool = False
    """Whether to include facts that ended or were superseded; otherwise canonical and open-ended ones only."""
    begins_within: tuple[int, int] | None = None
    """First and last world tick between which a fact's `valid_from` lies."""
    newest: int | None = None
    """Return only so many of the newest, in place of `limit`."""
    limit: int = 1_000


@dataclass(frozen=True, slots=True)
class FactQuery:
    """Which facts of a universe."""

    kind: FactKind | None = None
    predicate: str | None = None
    prefix: str | None = None
    """What the predicate begins with."""
    only_secrets: bool = False
    """Whether to leave out what is open to all."""
    only_about_nobody: bool = False
    """Whether to leave out what involves an entity."""
    history: bool = False
    """Whether to include facts that ended or were superseded; otherwise canonical and open-ended ones only."""
    newest: int | None = None
    """Return only so many of the newest, in place of `limit`."""
    limit: int = 10_000


@dataclass(frozen=True, slots=True)
class FactsQuery:
    """Which facts of a universe, by several questions that are answered from one state of canon."""

    ids: Collection[Id] = ()
    about: Sequence[tuple[Id, FactsAboutQuery]] = ()
    of_universe: Sequence[FactQuery] = ()
    statement_keys: Collection[str] = ()
    """Statements (`Fact.statement_key`) of facts of any status."""


@dataclass(frozen=True, slots=True)
class ProposalQuery:
    """Which proposals."""

    universe_id: Id | None = None
    story_id: Id | None = None
    scene_id: Id | None = None
    statuses: Collection[ProposalStatus] | None = None
    kind: str | None = None
    """The kind of the change as it was proposed."""
    source_id: Id | None = None
    """The document that they come from."""
    with_sources: bool = False
    """Whether what comes from any document, which may be thousands, is among them."""
    last: int | None = None
    """Return only so many of the newest."""


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """Which memories."""

    entity_id: Id | None = None
    """Whose memories."""
    ids: Collection[Id] | None = None
    universe_id: Id | None = None
    scene_id: Id | None = None
    turn_ids: Collection[Id] | None = None
    fact_id: Id | None = None
    last: int | None = None
    """Return only so many of the newest."""
    most_important: int | None = None
    """Return only so many of the most important (the newest first among equals); of the `last` if both are given."""


@dataclass(frozen=True, slots=True)
class LlmCallQuery:
    """Which calls of a model."""

    ids: Collection[Id] | None = None
    turn_ids: Collection[Id] | None = None
    run_id: Id | None = None
    scene_id: Id | None = None
    story_id: Id | None = None
    universe_id: Id | None = None
    since: datetime | None = None
    last: int | None = None
    """Return only so many of the newest."""
