"""The commitment ledger: what is promised, owed and asked, and its pay-off. One for screens and commands."""

from __future__ import annotations

from collections.abc import Iterable

from agents.canon_keeper.commitments import Commitment, closed_statement
from agents.canon_keeper.decisions import OPEN_STATUSES, is_rejected
from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.scene_context import SceneContextLoader
from agents.declarations.declarations import DeclarationService
from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.services.entity_cards import Atlas
from agents.services.manual_edits import STAGED_NOT, Act, ByHand, present
from agents.views.world_views import CommitmentView, LedgerView, StagedEdits
from agents.world_time.calendar import format_tick
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.canon import AssertFact, EndFact, FactKind
from stores.records.ids import Id
from stores.records.workflow import ProposedChange
from stores.records.world import Calendar


class Ledger:
    """See `agents.world_desk.WorldLedger`. Stateless."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        keeper: CanonKeeper,
        context: SceneContextLoader,
        atlas: Atlas,
        views: SceneViewBuilder,
        declarations: DeclarationService,
        by_hand: ByHand,
        dispatcher: Dispatcher,
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._context = context
        self._atlas = atlas
        self._views = views
        self._declarations = declarations
        self._by_hand = by_hand
        self._dispatcher = dispatcher

    async def read(self, universe_id: Id, scene_id: Id | None = None) -> LedgerView:
        """The ledger at the present of a scene, or of the universe."""
        universe = await self._canon.universe(universe_id)
        now = await self._now(universe_id, scene_id)
        entries = await self._keeper.commitments.list_commitments(universe_id, now or 0, include_closed=True)
        waiting = await self._log.proposals(universe_id=universe_id, statuses=OPEN_STATUSES)
        waiting = [p for p in waiting if not is_rejected(p)]
        paying = {p.change.fact_id for p in waiting if isinstance(p.change, EndFact)}
        views = await self._views_of(entries, universe.calendar, paying)
        return LedgerView(
            universe=universe,
            now="" if now is None else format_tick(universe.calendar, now),
            open=tuple(v for v in views if v.open),
            closed=tuple(v for v in views if not v.open),
            proposed=await self._views.build_proposal_rows([p for p in waiting if _is_commitment(p)]),
        )

    async def pay_off(self, fact_id: Id, scene_id: Id | None = None) -> StagedEdits:
        """Propose that it is paid off: from play on the turn that the scene stands on, else by hand."""
        tick = None if scene_id is None else (await self._context.load_context(scene_id)).tick
        fact = (await self._canon.facts_by_id([fact_id])).get(fact_id)
        if fact is not None and tick is None:
            tick = await present(self._log, fact.universe_id)
        change = await self._keeper.commitments.pay_off(fact_id, tick)
        assert fact is not None
        words = closed_statement(fact)
        await self._refuse_repeated(fact.universe_id, fact_id)
        if scene_id is None:
            return await self._by_hand.stage(fact.universe_id, [Act(change, words)], tick=tick)
        async with self._dispatcher.exclusive():
            proposal = await self._declarations.stage_change(
                await self._context.load_context(scene_id), change, words
            )
        return await self._by_hand.staged([proposal])

    async def _now(self, universe_id: Id, scene_id: Id | None) -> int | None:
        if scene_id is not None:
            return (await self._context.load_context(scene_id)).tick
        return await present(self._log, universe_id)

    async def _refuse_repeated(self, universe_id: Id, fact_id: Id) -> None:
        waiting = await self._by_hand.changes_waiting(universe_id)
        if any(isinstance(change, EndFact) and change.fact_id == fact_id for change in waiting):
            raise InputError("Its pay-off is proposed already.", kept=STAGED_NOT)

    async def _views_of(
        self, entries: Iterable[Commitment], calendar: Calendar, paying: set[Id]
    ) -> list[CommitmentView]:
        listed = list(entries)
        facts = await self._atlas.views([e.fact for e in listed], calendar)
        return [
            CommitmentView(
                number=number if entry.is_open else 0,
                fact=fact,
                kind=entry.kind.value,
                who=entry.who.name if entry.who else "",
                to_whom=entry.to_whom.name if entry.to_whom else "",
                age=entry.age_words,
                open=entry.is_open,
                paid=entry.is_paid,
                ended="" if entry.ended_at_tick is None else format_tick(calendar, entry.ended_at_tick),
                staged=entry.fact.id in paying,
            )
            for number, (entry, fact) in enumerate(zip(listed, facts, strict=True), start=1)
        ]


def _is_commitment(proposal: ProposedChange) -> bool:
    change = proposal.change
    return isinstance(change, AssertFact) and change.fact_kind is FactKind.COMMITMENT
