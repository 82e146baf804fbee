"""The canon gate: what waits for a decision, the decisions, and the commits that write them to canon."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from agents.canon_keeper.universe_policy import ReadCatalogue
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.declarations.declarations import name_hero_in
from agents.declarations.entity_lookup import scene_entity_finder, universe_entity_finder
from agents.declarations.reader import FindEntity
from agents.declarations.rewording import update_involved
from agents.declarations.secret_reader import read_knowers
from agents.orchestrator.dispatcher import Access, Dispatcher
from agents.orchestrator.gate_actions import GateActions
from agents.orchestrator.open_offers import OpenOffers
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.orchestrator.typed_lines import TypedLines
from agents.proposals.editing import apply_text_edit
from agents.sanitize import clean
from agents.services.universe_gate import UniverseGate
from agents.solo.solo_tools import SoloTools
from agents.views.gate_views import CommitReport, GateView
from agents.views.proposal_views import UndoneDecision
from agents.views.replies import Reply
from stores.errors import InputError
from stores.ports import CanonReader, OrchestratorLog
from stores.queries import ProposalQuery
from stores.records.canon import AssertFact, Payload, Secrecy
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposedChange, Verdict

OFFERS_IN_SCENE: Final = "Esc goes back to the scene, where it can be answered (Ctrl+L)."


@dataclass(frozen=True, slots=True)
class GateService:
    """Shows and decides proposals. Raises `stores.errors.MonitorError` with words for the player."""

    lines: TypedLines
    actions: GateActions
    dispatcher: Dispatcher
    universe_gate: UniverseGate
    solo_tools: SoloTools
    views: SceneViewBuilder
    offers: OpenOffers
    contexts: SceneContextLoader
    canon: CanonReader
    log: OrchestratorLog
    read_catalogue: ReadCatalogue

    async def gate(self, scene_id: Id | None, universe_id: Id | None = None) -> GateView:
        """Return what waits at a scene's gate.

        Without a scene, what waits in the universe and belongs to no scene's gate: manual edits, what was
        deferred, and what failed.
        """
        if scene_id is not None:
            view = await self.solo_tools.add_scene_end(await self.views.build_gate_view(scene_id))
            return await self._add_offers(view, scene_id) if view.is_finalizing else view
        if universe_id is None:
            raise InputError("Whose gate is it?", kept="Nothing was changed.")
        return await self.universe_gate.build_gate_view(universe_id)

    async def find_scene_of_gate(self, scene_id: Id) -> Id | None:
        """Return the scene at whose gate its proposals are decided; None if it is the universe's, since it is over."""
        return None if await self.universe_gate.takes_over(scene_id) else scene_id

    async def decide(
        self,
        proposal_ids: Collection[Id],
        verdict: Verdict | None,
        *,
        reason: str = "",
        edited: Payload | None = None,
        before_storing: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Set a verdict; None removes it. `edited` replaces a single accepted proposal.

        `before_storing` is awaited once it is this decision's turn: what is asked for later waits for both.
        """
        async with self.dispatcher.exclusive():
            if before_storing is not None:
                await before_storing()
            await self.actions.decide(proposal_ids, verdict, reason=reason, edited=edited)

    async def undo_last_decision(self, scene_id: Id | None, universe_id: Id) -> UndoneDecision:
        """Undo the last decision made at a scene's gate or, without a scene, at the universe's.

        Raises InputError if there is none.
        """
        async with self.dispatcher.exclusive():
            if scene_id is not None:
                query = ProposalQuery(scene_id=scene_id, statuses=OPEN_STATUSES)
                proposals = await self.log.proposals(query)
            else:
                proposals, _ = await self.universe_gate.list_waiting(universe_id)
            return await self.actions.undo_last_decision(proposals)

    async def edit_text(self, proposal_id: Id, text: str) -> None:
        """Accept the proposal with its words changed: the statement, name or value it is about."""
        proposals = await self.log.proposals_by_id([proposal_id])
        if proposal_id not in proposals:
            raise InputError("That proposal is gone.", kept="Nothing was changed.")
        proposal = proposals[proposal_id]
        if proposal.scene_id is not None:
            text = name_hero_in(await self.contexts.load_context(proposal.scene_id), text)
        change = await update_involved(
            apply_text_edit(proposal.change, text),
            proposal.change,
            await self._entity_finder(proposal),
            await self.read_catalogue(proposal.universe_id),
        )
        await self.decide([proposal_id], Verdict.ACCEPT, reason="edited", edited=change)

    async def set_knowers(self, proposal_id: Id, names_text: str) -> None:
        """Accept a proposed fact as one that these may know: names with commas, nobody (beside the GM), or all."""
        proposal = (await self.log.proposals_by_id([proposal_id])).get(proposal_id)
        change = proposal.change if proposal else None
        if proposal is None or not isinstance(change, AssertFact):
            raise InputError("That is no proposed fact.", kept="Nothing was changed.")
        hero = None
        if proposal.scene_id is not None:
            hero = (await self.contexts.load_context(proposal.scene_id)).player_character()
        knowers = await read_knowers(clean(names_text), await self._entity_finder(proposal), hero)
        secrecy = None if knowers.is_revealed else Secrecy(known_to=knowers.known_to)
        edited_change = change.model_copy(update={"secrecy": secrecy})
        await self.decide([proposal_id], Verdict.ACCEPT, reason="edited", edited=edited_change)

    async def commit(self, scene_id: Id, only_ids: Sequence[Id] | None = None) -> CommitReport:
        """Write what is accepted or pre-ticked.

        In a Finalizing scene this closes it, and `next_scene_id` is the scene in which play goes on.
        """
        work = partial(self.actions.commit_scene, only_ids=only_ids)
        return (await self.dispatcher.run(scene_id, Access.CHANGE, work)).result

    async def commit_trigger(self, scene_id: Id) -> CommitReport:
        """Write the proposals of the mid-scene offer and what they need; the scene goes on."""
        return (await self.dispatcher.run(scene_id, Access.CHANGE, self.actions.commit_offer)).result

    async def dismiss_trigger(self, scene_id: Id) -> None:
        """Leave the critical proposals to the end of the scene."""
        async with self.dispatcher.exclusive():
            await self.actions.dismiss_offer(scene_id)

    async def commit_universe(self, universe_id: Id, only_ids: Collection[Id] | None = None) -> CommitReport:
        """Write what is accepted or pre-ticked at the gate of a universe without a scene (of `only_ids`, if given).

        What is undecided waits on.
        """
        async with self.dispatcher.exclusive():
            return await self.universe_gate.commit(universe_id, only_ids)

    async def end_scene(self, scene_id: Id, summary: str = "") -> Reply:
        """Move from Active to Finalizing; `summary` becomes a proposed event, and clocks act.

        The reply's `goto` is the gate; its lines say what the end brought by itself.
        """
        return await self.lines.run_command(scene_id, "end", summary)

    async def reopen_scene(self, scene_id: Id) -> None:
        """Move from Finalizing back to Active, with every decision kept."""
        async with self.dispatcher.exclusive():
            await self.actions.reopen_scene(scene_id)

    async def rename_scene(self, scene_id: Id, title: str, goal: str = "") -> None:
        """Give the scene another title and, if one is given, a goal."""

        async def rename(context: SceneContext) -> None:
            await self.actions.rename_scene(context, title, goal)

        await self.dispatcher.run(scene_id, Access.CHANGE, rename)

    async def _add_offers(self, view: GateView, scene_id: Id) -> GateView:
        """Return the gate view of a scene that ends with what it offered, nobody answered and the world remembers."""
        lines = await self.offers.describe_lasting(await self.contexts.load_context(scene_id))
        hint = (OFFERS_IN_SCENE,) if lines else ()
        return replace(view, scene_end_lines=(*view.scene_end_lines, *lines, *hint))

    async def _entity_finder(self, proposal: ProposedChange) -> FindEntity:
        """Return a function that finds the entities a proposal names, in its scene or in its universe."""
        if proposal.scene_id is None:
            return await universe_entity_finder(
                proposal.universe_id, self.canon, self.log, proposal.source_id
            )
        return scene_entity_finder(
            await self.contexts.load_context(proposal.scene_id), self.contexts, guess=True
        )
