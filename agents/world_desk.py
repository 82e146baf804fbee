"""The GM's own hand on the world: edits, what they would do, the record behind canon, the ledger.

A part of `agents.desk.Desk`, as `desk.world`. Nothing here writes canon: an edit is a proposal on the GM's
own word that waits at the universe's gate. All calls raise `stores.errors.MonitorError`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from agents.views import ProposalView
from agents.world_views import (
    Basis,
    EntityEdit,
    FactEdit,
    Happening,
    HistoryView,
    ImpactView,
    LedgerView,
    Lookalike,
    MapView,
    MergeView,
    MomentView,
    NewThing,
    Staged,
    TakenBack,
)
from stores.records.ids import Id
from stores.records.world import Entity


class WorldEdits(Protocol):
    """Each stages what it proposes, with the act itself as evidence; the same twice is refused."""

    async def create(self, universe_id: Id, thing: NewThing) -> Staged: ...

    async def edit(self, entity_id: Id, edit: EntityEdit) -> Staged:
        """Rename, describe, other names, numbers and tags: what differs from canon."""
        ...

    async def lock(self, entity_id: Id, locked: bool) -> Staged: ...

    async def say(self, universe_id: Id, text: str, since: str = "") -> Staged:
        """A fact, as typed after `/fact`, since a moment (`day 3, dusk`, `always`; "" is the present)."""
        ...

    async def rule(self, universe_id: Id, text: str) -> Staged:
        """A rule of the world, as typed after `/axiom`."""
        ...

    async def correct(self, fact_id: Id, edit: FactEdit) -> Staged:
        """The fact as it should have read all along; it rests on the same evidence."""
        ...

    async def end(self, fact_id: Id, at: str = "") -> Staged:
        """The fact was so until a moment ("" is the present), and is no longer."""
        ...

    async def retcon(self, subject_id: Id) -> Staged:
        """A fact or an entity was never so; one that was retconned is so again."""
        ...

    async def merge(self, kept_id: Id, absorbed_id: Id) -> Staged:
        """The second becomes another name of the first."""
        ...

    async def split(self, absorbed_id: Id) -> Staged:
        """Undo a merge: what moved goes back, and the name with it."""
        ...


class WorldPreviews(Protocol):
    """What an edit would do. Nothing is staged."""

    async def waiting(self, universe_id: Id) -> int:
        """How many changes wait at the universe's gate."""
        ...

    async def about(self, entity_id: Id) -> tuple[ProposalView, ...]:
        """What waits anywhere to change an entity, or what is said of it."""
        ...

    async def retcon(self, subject_id: Id) -> ImpactView:
        """What retconning (or restoring) a fact or an entity would change, and what rests on it."""
        ...

    async def lookalikes(self, universe_id: Id, of: Id | None = None) -> tuple[Lookalike, ...]:
        """Pairs that may be one, the most alike first; with `of`, those of one entity, as `one`."""
        ...

    async def merge(self, kept_id: Id, absorbed_id: Id) -> MergeView: ...

    async def absorbed_by(self, kept_id: Id) -> tuple[Entity, ...]:
        """What was merged into this entity and still is, the latest first."""
        ...


class WorldRecord(Protocol):
    """What canon rests on, and how it used to be."""

    async def basis(self, subject_id: Id) -> tuple[Basis, ...]:
        """What a fact or an entity rests on, each with where it stands and who did it when."""
        ...

    async def history(self, fact_id: Id) -> HistoryView:
        """How what the fact tells of used to be: every value, and what took whose place."""
        ...

    async def moment(self, universe_id: Id, when: str = "", known: str = "", search: str = "") -> MomentView:
        """Canon at a moment of world time (`day 3, dusk`), as it was known at one of record time
        (`2026-01-01 20:00`); "" is the present of either."""
        ...

    async def taken_back(self, universe_id: Id) -> TakenBack: ...

    async def timeline(self, universe_id: Id, search: str = "") -> tuple[Happening, ...]:
        """What happened, in the order of world time."""
        ...

    async def ties(self, entity_id: Id) -> MapView:
        """The relations of an entity, and those of whom they lead to."""
        ...


class WorldLedger(Protocol):
    """Promises, debts and open questions."""

    async def read(self, universe_id: Id, scene_id: Id | None = None) -> LedgerView:
        """The ledger at the present of a scene, or of the universe."""
        ...

    async def pay_off(self, fact_id: Id, scene_id: Id | None = None) -> Staged:
        """Propose that it is paid off: from play on the turn that the scene stands on, else by hand."""
        ...


class WorldDesk(Protocol):
    @property
    def edits(self) -> WorldEdits: ...

    @property
    def previews(self) -> WorldPreviews: ...

    @property
    def record(self) -> WorldRecord: ...

    @property
    def ledger(self) -> WorldLedger: ...

    @property
    def export(self) -> Callable[[Id], Awaitable[str]]:
        """Write a universe, whole, to an archive in the home folder; returns where."""
        ...
