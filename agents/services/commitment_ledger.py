"""The ledger of promises, debts and open questions, for screens and commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agents.canon_keeper.commitments import Commitment, closed_statement, ended_statement
from agents.canon_keeper.fact_ids import fact_id_of
from agents.canon_keeper.keeper import CanonKeeper
from agents.context_assembly.scene_context import SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader, read_staged_commitments
from agents.declarations.declarations import DeclarationService
from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.proposals.decisions import is_rejected
from agents.services.entity_cards import EntityCardReader
from agents.services.manual_edits import NOTHING_STAGED, Edit, ManualEdits, read_present_tick
from agents.views.proposal_views import ProposalView
from agents.views.world_views import CommitmentLedgerView, CommitmentView, StagedEdits
from agents.world_time.calendar import format_tick
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import AssertFact, EndFact, FactKind
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposedChange
from stores.records.world import Calendar


class CommitmentService:
    """Reads the ledger, and proposes pay-offs."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        keeper: CanonKeeper,
        context: SceneContextLoader,
        agendas: StoryAgendaReader,
        entity_cards: EntityCardReader,
        views: SceneViewBuilder,
        declarations: DeclarationService,
        manual_edits: ManualEdits,
        dispatcher: Dispatcher,
    ) -> None:
        self._canon = canon
        self._log = log
        self._keeper = keeper
        self._context = context
        self._agendas = agendas
        self._entity_cards = entity_cards
        self._views = views
        self._declarations = declarations
        self._manual_edits = manual_edits
        self._dispatcher = dispatcher

    async def read_commitments(self, universe_id: Id, scene_id: Id | None = None) -> CommitmentLedgerView:
        """Return the ledger at the present time of a scene, or of the universe."""
        universe = await self._canon.universe(universe_id)
        context = None if scene_id is None else await self._context.load_context(scene_id)
        current_tick = await read_present_tick(self._log, universe_id) if context is None else context.tick
        numbers = (
            {} if context is None else (await self._agendas.read_numbered_agenda(context)).thread_numbers
        )
        entries = await self._keeper.commitments.list_commitments(
            universe_id, current_tick or 0, include_closed=True
        )
        open_proposals = await self._log.proposals(
            ProposalQuery(universe_id=universe_id, statuses=OPEN_STATUSES)
        )
        open_proposals = [p for p in open_proposals if not is_rejected(p)]
        paying_fact_ids = {p.change.fact_id for p in open_proposals if isinstance(p.change, EndFact)}
        views = await self._build_views(entries, universe.calendar, paying_fact_ids, numbers)
        return CommitmentLedgerView(
            universe=universe,
            now="" if current_tick is None else format_tick(universe.calendar, current_tick),
            open_commitments=tuple(v for v in views if v.is_open),
            closed_commitments=tuple(v for v in views if not v.is_open),
            proposals=await self._read_proposed_rows(open_proposals, scene_id),
            proposal_numbers={
                p.id: numbers[fact_id_of(p)] for p in open_proposals if fact_id_of(p) in numbers
            },
        )

    async def list_open_commitments(self, universe_id: Id) -> tuple[CommitmentView, ...]:
        """Return what is open in canon, without what waits at a gate."""
        universe = await self._canon.universe(universe_id)
        current_tick = await read_present_tick(self._log, universe_id)
        entries = await self._keeper.commitments.list_commitments(universe_id, current_tick or 0)
        return tuple(await self._build_views(entries, universe.calendar, set(), {}))

    async def propose_pay_off(
        self, fact_id: Id, scene_id: Id | None = None, *, is_met: bool = True
    ) -> StagedEdits:
        """Propose that a commitment is paid off: on the scene's last turn, or without a scene as a manual edit.

        In its scene, one that is only proposed is settled beside it: both are written together. Without `is_met`: that
        it is over and was not kept, paid or answered.
        """
        context = None if scene_id is None else await self._context.load_context(scene_id)
        tick = None if context is None else context.tick
        staged_facts = {f.id: f for f in read_staged_commitments(context)} if context is not None else {}
        fact = staged_facts.get(fact_id) or (await self._canon.facts_by_id([fact_id])).get(fact_id)
        if fact is not None and tick is None:
            tick = await read_present_tick(self._log, fact.universe_id)
        if fact_id in staged_facts:
            change = EndFact(fact_id=fact_id, at=tick, closed=is_met)
        else:
            change = await self._keeper.commitments.pay_off(fact_id, tick, is_met=is_met)
        assert fact is not None
        closing_text = closed_statement(fact) if is_met else ended_statement(fact)
        await self._refuse_repeated(fact.universe_id, fact_id)
        if scene_id is None:
            return await self._manual_edits.stage_edits(
                fact.universe_id, [Edit(change, closing_text)], tick=tick
            )
        async with self._dispatcher.exclusive():
            proposal = await self._declarations.stage_change(
                await self._context.load_context(scene_id), change, closing_text
            )
        staged_edits = await self._manual_edits.describe_staged([proposal])
        return replace(staged_edits, titles=(closing_text,)) if fact_id in staged_facts else staged_edits

    async def _read_proposed_rows(
        self, open_proposals: Sequence[ProposedChange], scene_id: Id | None
    ) -> tuple[ProposalView, ...]:
        """Return the rows of proposed commitments, judged beside all that waits with them, as at the gate."""
        proposed_ids = {p.id for p in open_proposals if _is_commitment(p)}
        if not proposed_ids:
            return ()
        other_proposals = [p for p in open_proposals if scene_id is None or p.scene_id != scene_id]
        other_rows = (
            await self._views.build_proposal_rows(other_proposals)
            if any(p.id in proposed_ids for p in other_proposals)
            else ()
        )
        scene_rows = () if scene_id is None else await self._views.read_scene_rows(scene_id)
        return tuple(
            row
            for row in (*scene_rows, *other_rows)
            if row.proposal.id in proposed_ids and row.status in OPEN_STATUSES
        )

    async def _refuse_repeated(self, universe_id: Id, fact_id: Id) -> None:
        waiting_changes = await self._manual_edits.list_waiting_changes(universe_id)
        if any(isinstance(change, EndFact) and change.fact_id == fact_id for change in waiting_changes):
            raise InputError(
                "Settling it is proposed already.",
                kept=NOTHING_STAGED,
                todo="/proposals lists it; /reject and its number leaves it as it was.",
            )

    async def _build_views(
        self,
        entries: Iterable[Commitment],
        calendar: Calendar,
        paying_fact_ids: set[Id],
        numbers: Mapping[Id, int],
    ) -> list[CommitmentView]:
        commitments = list(entries)
        facts = await self._entity_cards.build_fact_views([e.fact for e in commitments], calendar)
        return [
            CommitmentView(
                number=numbers.get(entry.fact.id, 0) if entry.is_open else 0,
                fact=fact,
                kind=entry.kind.value,
                debtor=entry.who.name if entry.who else "",
                creditor=entry.to_whom_words,
                age=entry.age_words,
                is_open=entry.is_open,
                is_paid=entry.is_paid,
                ended_at="" if entry.ended_at_tick is None else format_tick(calendar, entry.ended_at_tick),
                is_staged=entry.fact.id in paying_fact_ids,
            )
            for entry, fact in zip(commitments, facts, strict=True)
        ]


def _is_commitment(proposal: ProposedChange) -> bool:
    change = proposal.change
    return isinstance(change, AssertFact) and change.fact_kind is FactKind.COMMITMENT
