"""The twin's side of `desk.world`: a few answers that stay the same, and what it was asked to stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agents.events import ProposalsChanged
from agents.views.play_views import FactView, ProposalView
from agents.views.world_views import (
    CanonMomentView,
    CommitmentLedgerView,
    CommitmentView,
    EntityEdit,
    EvidenceSource,
    FactEdit,
    FactHistoryView,
    LookalikeView,
    MergeView,
    NewEntityFields,
    RelationLine,
    RelationMapView,
    RetconImpactView,
    RetractedView,
    SceneReference,
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
    def provenance(self) -> TwinRecord:
        return TwinRecord(self)

    @property
    def commitments(self) -> TwinLedger:
        return TwinLedger(self)

    async def export_universe(self, universe_id: Id) -> str:
        self._call("export", universe_id)
        return "/home/exports/salt-coast.monitor.zip"

    def stage(self, name: str, title: str, *arguments: Any) -> StagedEdits:
        self._call(name, *arguments)
        if title in self.waits:
            raise InputError("That is proposed already.", kept="Nothing was proposed.", todo="g goes there.")
        self.waits.append(title)
        self._services.events.publish(ProposalsChanged(self._services.universe.id, None))
        return StagedEdits((title,), (title,), len(self.waits))

    async def fact(self, statement: str = "", **more: Any) -> FactView:
        """A fact of the hero's card, or another sentence about her."""
        card = await self._services.read_card(self._services.folk[0].id)
        view = card.facts[0]
        own = {"id": derive_id("twin", statement), "statement": statement} if statement else {}
        fact = view.fact.model_copy(update=own | more)
        return FactView(fact, True, view.when, view.evidence)

    def person(self, entity_id: Id) -> Entity:
        return next(e for e in (*self._services.folk, *self._services._places) if e.id == entity_id)


class TwinEdits:
    def __init__(self, world: TwinWorld) -> None:
        self._world = world

    async def propose_entity(self, universe_id: Id, new_entity: NewEntityFields) -> StagedEdits:
        if not new_entity.name:
            raise InputError("It needs a name.", kept="Nothing was proposed.")
        return self._world.stage("create", new_entity.name, new_entity)

    async def propose_entity_edit(self, entity_id: Id, edit: EntityEdit) -> StagedEdits:
        if not edit.name:
            raise InputError("It needs a name.", kept="Nothing was proposed.")
        return self._world.stage("edit", f"{edit.name}: changed", entity_id, edit)

    async def propose_lock(self, entity_id: Id, locked: bool) -> StagedEdits:
        return self._world.stage("lock", f"{self._world.person(entity_id).name}: locked", entity_id, locked)

    async def propose_fact(self, universe_id: Id, text: str, since: str = "") -> StagedEdits:
        if since == "elevenses":
            raise InputError("'elevenses' names no day.", kept="Nothing was changed.", todo="Try day 3.")
        return self._world.stage("say", text, text, since)

    async def propose_axiom(self, universe_id: Id, text: str) -> StagedEdits:
        return self._world.stage("rule", text, text)

    async def propose_correction(self, fact_id: Id, edit: FactEdit) -> StagedEdits:
        if not edit.statement:
            raise InputError("A fact needs a sentence.", kept="Nothing was proposed.", todo="R retcons it.")
        return self._world.stage("correct", edit.statement, fact_id, edit)

    async def propose_end(self, fact_id: Id, typed_moment: str = "") -> StagedEdits:
        return self._world.stage("end", "No longer true", fact_id, typed_moment)

    async def propose_retcon(self, subject_id: Id) -> StagedEdits:
        return self._world.stage("retcon", "Never true", subject_id)

    async def propose_merge(self, kept_id: Id, absorbed_id: Id) -> StagedEdits:
        return self._world.stage("merge", "Two are one", kept_id, absorbed_id)

    async def propose_split(self, absorbed_id: Id) -> StagedEdits:
        return self._world.stage("split", "One is two", absorbed_id)


class TwinPreviews:
    def __init__(self, world: TwinWorld) -> None:
        self._world = world
        self._services = world._services

    async def count_waiting(self, universe_id: Id) -> int:
        return len(self._world.waits)

    async def list_proposals_about(self, entity_id: Id) -> tuple[ProposalView, ...]:
        return ()

    async def preview_retcon(self, subject_id: Id) -> RetconImpactView:
        self._world._call("preview_retcon", subject_id)
        fact = await self._world.fact()
        scene = next(iter(self._services._scenes.values()), None)
        return RetconImpactView(
            universe=self._services.universe,
            subject_id=subject_id,
            title=fact.fact.statement,
            is_entity=False,
            is_restore=False,
            changes=((fact.fact.statement, "so", "never true"),),
            same_turn_facts=(await self._world.fact("The iron door stands open"),),
            commitments=(await self._world.fact("Mara Venn promised to come back"),),
            scenes=(SceneReference("Scene 1 “Under the chapel”", scene.head if scene else None),),
            is_staged="Never true" in self._world.waits,
        )

    async def find_lookalikes(
        self, universe_id: Id, entity_id: Id | None = None
    ) -> tuple[LookalikeView, ...]:
        mara, ode, ilse = self._services.folk
        pairs = (LookalikeView(ode, ilse, 95.0), LookalikeView(mara, ilse, 80.0))
        return tuple(p for p in pairs if entity_id is None or p.first.id == entity_id)

    async def preview_merge(self, kept_id: Id, absorbed_id: Id) -> MergeView:
        self._world._call("preview_merge", kept_id, absorbed_id)
        theirs = await self._world.fact("She is in the harbour")
        return MergeView(
            universe=self._services.universe,
            kept_card=await self._services.read_card(kept_id),
            absorbed_card=await self._services.read_card(absorbed_id),
            conflicts=(("She is in the chapel.", theirs),),
            moved_facts=(await self._world.fact("She counts the tides"),),
            repeated_facts=(),
            added_names=(self._world.person(absorbed_id).name,),
            memory_count=0,
            is_staged="Two are one" in self._world.waits,
        )

    async def list_absorbed(self, kept_id: Id) -> tuple[Entity, ...]:
        return (self._services._places[1],) if kept_id == self._services._places[0].id else ()


class TwinRecord:
    def __init__(self, world: TwinWorld) -> None:
        self._world = world
        self._services = world._services

    async def read_evidence(self, subject_id: Id) -> tuple[EvidenceSource, ...]:
        self._world._call("basis", subject_id)
        view = await self._world.fact()
        return tuple(
            EvidenceSource(e, place="turn 2 of scene 1 “Under the chapel”", who="the GM", turn_id=e.turn_id)
            for e in view.evidence
        )

    async def read_fact_history(self, fact_id: Id) -> FactHistoryView:
        self._world._call("history", fact_id)
        view, before = (
            await self._world.fact(),
            await self._world.fact("She never heard the bell"),
        )
        old = FactView(before.fact, False, "Day 1", (), view.fact.statement)
        return FactHistoryView(self._services.universe, "Mara Venn · happened", (old, view))

    async def read_canon_at(
        self, universe_id: Id, typed_world_time: str = "", typed_record_time: str = "", search: str = ""
    ) -> CanonMomentView:
        self._world._call("moment", typed_world_time, typed_record_time, search)
        if typed_world_time == "elevenses":
            raise InputError(
                "'elevenses' names no day.", kept="Nothing was changed.", todo="Try day 3, dusk."
            )
        view = await self._world.fact()
        found = (view,) if search.casefold() in view.fact.statement.casefold() else ()
        return CanonMomentView(
            self._services.universe, typed_world_time or "Day 3, dusk", typed_record_time, found, 1
        )

    async def read_removed_canon(self, universe_id: Id) -> RetractedView:
        return RetractedView(self._services.universe, (await self._world.fact("The bell never rang"),), ())

    async def read_timeline(self, universe_id: Id, search: str = "") -> tuple[TimelineEvent, ...]:
        happened = (
            TimelineEvent("Day 1", await self._world.fact("The bell sank")),
            TimelineEvent("Day 3", await self._world.fact()),
        )
        return tuple(h for h in happened if search.casefold() in h.fact.fact.statement.casefold())

    async def read_relations(self, entity_id: Id) -> RelationMapView:
        self._world._call("ties", entity_id)
        mara, ode, ilse = self._services.folk
        ties = {mara.id: (RelationLine(1, "ally of", ode, "f1"), RelationLine(2, "enemy of", ilse, "f2"))}
        return RelationMapView(self._world.person(entity_id), ties.get(entity_id, ()))


class TwinLedger:
    def __init__(self, world: TwinWorld) -> None:
        self._world = world

    async def read_commitments(self, universe_id: Id, scene_id: Id | None = None) -> CommitmentLedgerView:
        self._world._call("ledger", universe_id, scene_id)
        owed, kept = (
            await self._world.fact("Mara Venn owes the well a coin"),
            await self._world.fact("She came"),
        )
        staged = "Paid: a coin" in self._world.waits
        return CommitmentLedgerView(
            universe=self._world._services.universe,
            now="Day 3, dusk",
            open_commitments=(
                CommitmentView(1, owed, "debt", "Mara Venn", "the well", "2 days", True, False, "", staged),
            ),
            closed_commitments=(
                CommitmentView(0, kept, "promise", "Mara Venn", "", "", False, True, "Day 2, dawn"),
            ),
            proposals=(),
        )

    async def propose_pay_off(self, fact_id: Id, scene_id: Id | None = None) -> StagedEdits:
        return self._world.stage("pay_off", "Paid: a coin", fact_id, scene_id)
