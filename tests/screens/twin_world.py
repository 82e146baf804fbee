"""The twin's side of `desk.world`: a few answers that stay the same, and what it was asked to stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agents.events import ProposalsChanged
from agents.views.play_views import FactView, ProposalView
from agents.views.world_views import (
    CommitmentView,
    EntityEdit,
    EvidenceSource,
    FactEdit,
    HistoryView,
    ImpactView,
    LedgerView,
    Lookalike,
    MergeView,
    MomentView,
    NewEntityFields,
    RelationLine,
    RelationMapView,
    RetractedView,
    SceneNote,
    StagedEdits,
    TimelineEvent,
)
from stores.errors import InputError
from stores.records.ids import Id, derive_id
from stores.records.world import Entity

if TYPE_CHECKING:
    from tests.screens.twin import TwinDesk

Call = Callable[..., None]


class TwinWorld:
    """All four parts in one: edits, previews, record and ledger."""

    def __init__(self, services: TwinDesk) -> None:
        self._services = services
        self._call: Call = services._call
        self.waits: list[str] = []

    @property
    def edits(self) -> TwinEdits:
        return TwinEdits(self)

    @property
    def previews(self) -> TwinPreviews:
        return TwinPreviews(self)

    @property
    def record(self) -> TwinRecord:
        return TwinRecord(self)

    @property
    def ledger(self) -> TwinLedger:
        return TwinLedger(self)

    async def export(self, universe_id: Id) -> str:
        self._call("export", universe_id)
        return "/home/exports/salt-coast.monitor.zip"

    def stage(self, name: str, title: str, *arguments: Any) -> StagedEdits:
        self._call(name, *arguments)
        if title in self.waits:
            raise InputError(
                "That waits at the gate already.", kept="Nothing was staged.", todo="g goes there."
            )
        self.waits.append(title)
        self._services.events.publish(ProposalsChanged(self._services.universe.id, None))
        return StagedEdits((title,), (title,), len(self.waits))

    async def fact(self, statement: str = "", **more: Any) -> FactView:
        """A fact of the hero's card, or another sentence about her."""
        card = await self._services.card(self._services.folk[0].id)
        view = card.facts[0]
        own = {"id": derive_id("twin", statement), "statement": statement} if statement else {}
        fact = view.fact.model_copy(update=own | more)
        return FactView(fact, True, view.when, view.evidence)

    def person(self, entity_id: Id) -> Entity:
        return next(e for e in (*self._services.folk, *self._services._places) if e.id == entity_id)


class TwinEdits:
    def __init__(self, world: TwinWorld) -> None:
        self._world = world

    async def create(self, universe_id: Id, thing: NewEntityFields) -> StagedEdits:
        if not thing.name:
            raise InputError("It needs a name.", kept="Nothing was staged.")
        return self._world.stage("create", thing.name, thing)

    async def edit(self, entity_id: Id, edit: EntityEdit) -> StagedEdits:
        if not edit.name:
            raise InputError("It needs a name.", kept="Nothing was staged.")
        return self._world.stage("edit", f"{edit.name}: changed", entity_id, edit)

    async def lock(self, entity_id: Id, locked: bool) -> StagedEdits:
        return self._world.stage("lock", f"{self._world.person(entity_id).name}: locked", entity_id, locked)

    async def say(self, universe_id: Id, text: str, since: str = "") -> StagedEdits:
        if since == "elevenses":
            raise InputError("'elevenses' names no day.", kept="Nothing was changed.", todo="Try day 3.")
        return self._world.stage("say", text, text, since)

    async def rule(self, universe_id: Id, text: str) -> StagedEdits:
        return self._world.stage("rule", text, text)

    async def correct(self, fact_id: Id, edit: FactEdit) -> StagedEdits:
        if not edit.statement:
            raise InputError("A fact needs a sentence.", kept="Nothing was staged.", todo="R retcons it.")
        return self._world.stage("correct", edit.statement, fact_id, edit)

    async def end(self, fact_id: Id, at: str = "") -> StagedEdits:
        return self._world.stage("end", "No longer so", fact_id, at)

    async def retcon(self, subject_id: Id) -> StagedEdits:
        return self._world.stage("retcon", "Never so", subject_id)

    async def merge(self, kept_id: Id, absorbed_id: Id) -> StagedEdits:
        return self._world.stage("merge", "Two are one", kept_id, absorbed_id)

    async def split(self, absorbed_id: Id) -> StagedEdits:
        return self._world.stage("split", "One is two", absorbed_id)


class TwinPreviews:
    def __init__(self, world: TwinWorld) -> None:
        self._world = world
        self._services = world._services

    async def waiting(self, universe_id: Id) -> int:
        return len(self._world.waits)

    async def about(self, entity_id: Id) -> tuple[ProposalView, ...]:
        return ()

    async def retcon(self, subject_id: Id) -> ImpactView:
        self._world._call("preview_retcon", subject_id)
        fact = await self._world.fact()
        scene = next(iter(self._services._scenes.values()), None)
        return ImpactView(
            universe=self._services.universe,
            subject_id=subject_id,
            title=fact.fact.statement,
            entity=False,
            restore=False,
            changes=((fact.fact.statement, "so", "never so"),),
            same_words=(await self._world.fact("The iron door stands open"),),
            commitments=(await self._world.fact("Mara Venn promised to come back"),),
            scenes=(SceneNote("Scene 1 “Under the chapel”", scene.head if scene else None),),
            staged="Never so" in self._world.waits,
        )

    async def lookalikes(self, universe_id: Id, of: Id | None = None) -> tuple[Lookalike, ...]:
        mara, ode, ilse = self._services.folk
        pairs = (Lookalike(ode, ilse, 95.0), Lookalike(mara, ilse, 80.0))
        return tuple(p for p in pairs if of is None or p.one.id == of)

    async def merge(self, kept_id: Id, absorbed_id: Id) -> MergeView:
        self._world._call("preview_merge", kept_id, absorbed_id)
        theirs = await self._world.fact("She is in the harbour")
        return MergeView(
            universe=self._services.universe,
            kept=await self._services.card(kept_id),
            absorbed=await self._services.card(absorbed_id),
            clashes=(("She is in the chapel.", theirs),),
            moved=(await self._world.fact("She counts the tides"),),
            repeated=(),
            gained=(self._world.person(absorbed_id).name,),
            memories=0,
            staged="Two are one" in self._world.waits,
        )

    async def absorbed_by(self, kept_id: Id) -> tuple[Entity, ...]:
        return (self._services._places[1],) if kept_id == self._services._places[0].id else ()


class TwinRecord:
    def __init__(self, world: TwinWorld) -> None:
        self._world = world
        self._services = world._services

    async def basis(self, subject_id: Id) -> tuple[EvidenceSource, ...]:
        self._world._call("basis", subject_id)
        view = await self._world.fact()
        return tuple(
            EvidenceSource(e, place="turn 2 of scene 1 “Under the chapel”", who="the GM", turn_id=e.turn_id)
            for e in view.evidence
        )

    async def history(self, fact_id: Id) -> HistoryView:
        self._world._call("history", fact_id)
        view, before = (
            await self._world.fact(),
            await self._world.fact("She never heard the bell"),
        )
        old = FactView(before.fact, False, "Day 1", (), view.fact.statement)
        return HistoryView(self._services.universe, "Mara Venn · happened", (old, view))

    async def moment(self, universe_id: Id, when: str = "", known: str = "", search: str = "") -> MomentView:
        self._world._call("moment", when, known, search)
        if when == "elevenses":
            raise InputError(
                "'elevenses' names no day.", kept="Nothing was changed.", todo="Try day 3, dusk."
            )
        view = await self._world.fact()
        found = (view,) if search.casefold() in view.fact.statement.casefold() else ()
        return MomentView(self._services.universe, when or "Day 3, dusk", known, found, 1)

    async def taken_back(self, universe_id: Id) -> RetractedView:
        return RetractedView(self._services.universe, (await self._world.fact("The bell never rang"),), ())

    async def timeline(self, universe_id: Id, search: str = "") -> tuple[TimelineEvent, ...]:
        happened = (
            TimelineEvent("Day 1", await self._world.fact("The bell sank")),
            TimelineEvent("Day 3", await self._world.fact()),
        )
        return tuple(h for h in happened if search.casefold() in h.fact.fact.statement.casefold())

    async def ties(self, entity_id: Id) -> RelationMapView:
        self._world._call("ties", entity_id)
        mara, ode, ilse = self._services.folk
        ties = {mara.id: (RelationLine(1, "ally of", ode, "f1"), RelationLine(2, "enemy of", ilse, "f2"))}
        return RelationMapView(self._world.person(entity_id), ties.get(entity_id, ()))


class TwinLedger:
    def __init__(self, world: TwinWorld) -> None:
        self._world = world

    async def read(self, universe_id: Id, scene_id: Id | None = None) -> LedgerView:
        self._world._call("ledger", universe_id, scene_id)
        owed, kept = (
            await self._world.fact("Mara Venn owes the well a coin"),
            await self._world.fact("She came"),
        )
        staged = "Paid: a coin" in self._world.waits
        return LedgerView(
            universe=self._world._services.universe,
            now="Day 3, dusk",
            open=(
                CommitmentView(1, owed, "debt", "Mara Venn", "the well", "2 days", True, False, "", staged),
            ),
            closed=(CommitmentView(0, kept, "promise", "Mara Venn", "", "", False, True, "Day 2, dawn"),),
            proposed=(),
        )

    async def pay_off(self, fact_id: Id, scene_id: Id | None = None) -> StagedEdits:
        return self._world.stage("pay_off", "Paid: a coin", fact_id, scene_id)
